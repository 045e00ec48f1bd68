"""Generators of the measurements of targets: a plan that LiteRT runs violates each limit of a target."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import islice

import pytest

from litecheck.model.shapes.infer import infer
from litecheck.profile.assemble import assemble
from litecheck.profile.generate.plan_solver import limit, satisfying_values
from litecheck.profile.generate.violating_limits import values_outside
from litecheck.profile.load import law_of, load_profile, profile_names
from litecheck.profile.measurements.register import OPERATOR, MeasurementSetter
from litecheck.profile.measurements.registry import operator_measurements, setter_of
from litecheck.profile.operator_plan import Plan
from litecheck.profile.parser import ANY_OPERATOR
from litecheck.profile.types import Constraint, OperatorRule, Requirement
from litecheck.targets.ethos_u.placement import place_model
from tests.differential.vela_bounds import assembled, broken_plans, placed_plans

TARGETS = [name for name in profile_names() if load_profile(name).judges == "placement"]
#: Limits that no plan violates: a sum of weights of 2^31 needs 16 MB for each channel. Variables have no plan;
#: tests/checks/test_variables.py violates their limits.
UNBROKEN = {("ethos-u85", "weight_sum"), ("ethos-u85", "output.rank"), ("ethos-u85", "value.rank")}
#: Operators with plans on bool only.
LOGICAL = {"REDUCE_ALL", "REDUCE_ANY", "LOGICAL_AND", "LOGICAL_OR", "LOGICAL_NOT"}
#: Operators that also need a handle in the model, and that no quantization rule covers.
VARIABLES = {"READ_VARIABLE", "ASSIGN_VARIABLE"}
#: Operators without an 8-bit kernel in LiteRT, so that no valid plan exists, by target.
KERNELLESS = {"vectorblox": {"POW"}}
#: Measurements with plans that contradict the shapes of their operator: rules about shapes, tensor counts and axes.
CONTRADICTING = {
    "axis_is_minus_rank", "bias_rows", "broadcast_shape_mismatch", "farthest_axis_from_end", "grouped_stride",
    "inferred_sizes", "inner_weight_product", "min_state_size", "misaligned_batch_dim", "num_splits_mismatch",
    "output_shape_differs", "peephole_weights", "projection_tensors", "rank0_feature_maps",
    "single_sequence_state_size", "transpose_conv_shape_error", "unpadded_window_height",
}  # fmt: skip
Limited = tuple[OperatorRule, Requirement]


@cache
def limits(target: str) -> dict[tuple[str, Constraint], list[Limited]]:
    """Return every measurement that a target limits by its allowed values, with the operators of the requirement."""
    found: dict[tuple[str, Constraint], list[Limited]] = {}
    for opcode, rule in load_profile(target).operators.items():
        for r in rule.requirements if opcode != ANY_OPERATOR and not rule.unsupported else ():
            if r.verb == "limits":
                found.setdefault((limit(r), r.value), []).append((rule, r))
    return found


@cache
def sound(target: str, opcode: str) -> tuple[Plan, ...]:
    """Return the plans of an operator that the target supports."""
    profile = load_profile(target)
    return tuple(placed_plans(profile, profile.operators[opcode]))


def broken_by(target: str, limited: list[Limited]) -> Iterator[str]:
    """Yield the limit's path for each model that violates it, for all operators with the limit."""
    profile = load_profile(target)
    for rule, r in limited:
        for plan in sound(target, rule.opcode):
            for trial in map(assembled, broken_plans(profile, rule, r, plan)):
                found = place_model(trial.model, profile)[1] if trial else ()
                yield from (f.path for f in found if f.path == r.path)


def test_operators_have_plans_that_their_targets_take() -> None:
    for target in TARGETS:
        rules = load_profile(target).operators
        lacking = {op for op, rule in rules.items() if not rule.unsupported and not sound(target, op)}
        expected = (LOGICAL | VARIABLES | KERNELLESS.get(target, set())) & {
            op for op, rule in rules.items() if not rule.unsupported
        }
        assert lacking - {ANY_OPERATOR} == expected


@pytest.mark.parametrize("target", TARGETS)
def test_every_limit_of_a_target_is_violated_by_its_setter(target: str) -> None:
    unbroken = {
        (target, key[0])
        for key, limited in limits(target).items()
        if not next(broken_by(target, limited), "")
    }
    assert unbroken == {one for one in UNBROKEN if one[0] == target}


def contradicts(plan: Plan) -> bool:
    """Return True if the shapes of a plan's outputs are not those that its operator computes."""
    model = assemble(plan)
    (main, *_) = model.subgraphs
    found = infer(model, main, law_of)
    made = [(main.tensors[i].shape, shape) for op in main.operators
            for i, shape in zip(op.outputs, found.results.get(op.index, ()), strict=False) if i >= 0]  # fmt: skip
    return bool(found.misfits) or any(
        len(a) != len(b) or any(y not in (None, x) for x, y in zip(a, b, strict=True))
        for a, b in made
        if b is not None
    )


def test_plans_of_generators_have_the_shapes_that_operators_compute() -> None:
    found, own = set(), {name for name, (measure, _) in OPERATOR.items() if ".targets." in measure.__module__}
    for target in TARGETS:
        for (name, value), limited in limits(target).items():
            rule, r = limited[-1]
            plans = (plan for plan in sound(target, rule.opcode)[:1] if not contradicts(plan))
            for plan in plans if name in own else ():
                values = (
                    *islice(satisfying_values(value), 3),
                    *islice(values_outside(r.value, setter_of(name).rejected_words), 2),
                )
                made = (setter_of(name).apply(plan, each) for each in values)
                found |= {name for each in made if each is not None and contradicts(each)}
    assert found == CONTRADICTING


def test_a_setter_without_effect_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The control."""
    (limited,) = (found for (name, _), found in limits("ethos-u55").items() if name == "padded_window")
    assert next(broken_by("ethos-u55", limited), "")
    forgetful = MeasurementSetter(lambda plan, value: plan)
    monkeypatch.setitem(OPERATOR, "padded_window", (operator_measurements()["padded_window"], forgetful))
    assert not next(broken_by("ethos-u55", limited), "")
