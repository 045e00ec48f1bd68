"""The setter of every measurement sets the measured value, in the operators with a limit of the measurement."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache

import pytest

from litecheck.checks.validate import validate
from litecheck.profile.assemble import assemble, measurable
from litecheck.profile.generate.plan_solver import (
    UnsolvableError,
    conforming_plan,
    holds,
    limit,
    requirements_of,
    satisfying_values,
)
from litecheck.profile.generate.requirement_violations import violating_plans
from litecheck.profile.generate.violating_limits import values_outside
from litecheck.profile.load import load_profile, profile_names
from litecheck.profile.measurements.measured_operator import Measured, Operands
from litecheck.profile.measurements.register import OPERATOR, MeasurementSetter, measures
from litecheck.profile.measurements.registry import (
    measurement,
    measurement_names,
    operand_measurements,
    operator_measurements,
    setter_of,
)
from litecheck.profile.operator_plan import Plan
from litecheck.profile.types import Constraint, OperatorRule, Requirement
from tests.checks.table import profile
from tests.profile.measurements.witnessed import measured_table, table

#: Measurements that a profile need not limit, e.g. because the specification does not, by an operator that has them.
NAMED = {
    "stride_w": "CONV_2D", "stride_h": "MAX_POOL_2D", "kernel_h": "CONV_2D", "kernel_w": "MAX_POOL_2D",
    "dilation_w": "CONV_2D", "dilation_h": "DEPTHWISE_CONV_2D",
    "dilated_kernel_h": "CONV_2D", "dilated_kernel_w": "DEPTHWISE_CONV_2D", "accumulation_depth": "DEPTHWISE_CONV_2D",
    "input.stored_bytes": "CONV_2D",
    "input.channels": "CONV_2D", "input.batch": "CONV_2D", "input.height": "CONV_2D", "input.width": "CONV_2D",
}  # fmt: skip


@cache
def limits() -> dict[tuple[str, Constraint], tuple[str, OperatorRule, int, Requirement]]:
    """Return every limited measurement by its allowed values, in the first operator with the requirement."""
    found = {}
    for name in profile_names():
        for rule in load_profile(name).operators.values():
            for number in range(max(1, len(rule.any_of))):
                for r in requirements_of(rule, number):
                    if r.verb == "limits":
                        found.setdefault((limit(r), r.value), (name, rule, number, r))
    return found


def with_single_limit(rule: OperatorRule, number: int, r: Requirement) -> OperatorRule:
    """Return the rule with a single limit."""
    kept = tuple(q for q in requirements_of(rule, number) if q is r or q.verb != "limits")
    return replace(rule, requirements=kept, any_of=())


def test_every_measurement_has_a_limit_or_is_listed_here() -> None:
    used = {name.rpartition(".")[2] for name, _ in limits()}
    named = {name.rpartition(".")[2] for name in NAMED}
    assert used | named == operator_measurements().keys() | operand_measurements().keys()


#: A target requires no shapes and no scales. Its limits are violated in plans that LiteRT accepts
#: (targets/test_generators.py).
WITNESSED = [key for key, (name, *_) in limits().items() if load_profile(name).judges != "placement"]


@pytest.mark.parametrize("key", WITNESSED, ids=lambda key: f"{key[0]} {key[1]}")
def test_a_setter_sets_allowed_and_forbidden_values(key: tuple[str, Constraint]) -> None:
    name, rule, number, r = limits()[key]
    only = with_single_limit(rule, number, r)
    plan = conforming_plan(load_profile(name), only)
    kept, broken = satisfying_values(r.value), values_outside(r.value, setter_of(limit(r)).rejected_words)
    assert any(holds(r, found) for found in where_set(plan, r, kept))
    assert any(not holds(r, found) for found in where_set(plan, r, broken))


def where_set(plan: Plan, r: Requirement, values: Iterator[Measured]) -> Iterator[Operands]:
    """Yield the operator after each value is set."""
    changed = (setter_of(limit(r)).apply(plan, value) for value in values)
    yield from (measurable(plan) for plan in changed if plan is not None)


def test_values_that_setters_set(golden: Callable[[str, str], None]) -> None:
    golden("witnesses.txt", table("litecheck.profile."))


def test_values_of_operators(golden: Callable[[str, str], None]) -> None:
    golden("measured.txt", measured_table("litecheck.profile."))


@pytest.mark.parametrize("name", NAMED)
@pytest.mark.parametrize("value", [2, 3])
def test_a_setter_sets_a_number_exactly(name: str, value: int) -> None:
    judge = load_profile("litert-int8")
    rule = judge.operators[NAMED[name]]
    bare = replace(rule, requirements=tuple(r for r in rule.requirements if r.verb != "limits"))
    plan = setter_of(name).apply(conforming_plan(judge, bare), value)
    assert plan is not None
    assert measurement(name)(measurable(plan)) == value


def test_a_setter_without_effect_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Control: without a setter, the solver cannot satisfy the limit and finds no plan that violates it."""
    judge = load_profile("litert-runtime")
    rule = judge.operators["NEG"]
    (r,) = (r for r in rule.requirements if r.path == "NEG/limits/zero_point_sum")
    sound = conforming_plan(judge, rule)
    assert list(violating_plans(judge, rule, r, sound))
    forgetful = MeasurementSetter(lambda plan, value: plan)
    monkeypatch.setitem(OPERATOR, "zero_point_sum", (operator_measurements()["zero_point_sum"], forgetful))
    assert list(violating_plans(judge, rule, r, sound)) == []
    with pytest.raises(UnsolvableError, match="zero_point_sum"):
        conforming_plan(judge, rule)


@pytest.fixture
def coarse() -> Iterator[str]:
    """Add a measurement as CONTRIBUTING.md describes: a function with its setter, in a single place."""

    @measures(lambda plan, value: plan.with_scale("output", float(value) / 1000))
    def output_thousandths(operands: Operands) -> Measured:
        """Output scale in thousandths."""
        output = operands.one("output")
        return None if output is None else round(Fraction(float(output.quantization.scale[0])) * 1000)

    yield "output_thousandths"
    del OPERATOR["output_thousandths"]


def test_a_measurement_is_added_in_one_place_and_its_rule(coarse: str) -> None:
    assert coarse in measurement_names()
    judge = profile(f"""\
activations: int8
kinds:
  activation: {{dtype: int8, granularity: per-tensor}}
ops:
  RELU:
    inputs: [input]
    outputs: [output]
    tensors: {{input: activation, output: activation}}
    limits:
      {coarse}: {{value: 0..7, because: it says so}}
""")
    rule = judge.operators["RELU"]
    (r,) = (r for r in rule.requirements if r.verb == "limits")
    plan = conforming_plan(judge, rule)
    assert holds(r, measurable(plan))
    assert validate(assemble(plan), [judge]).findings == ()
    broken = list(violating_plans(judge, rule, r, plan))
    assert broken
    for one in broken:
        assert [f.path for f in validate(assemble(one.plan), [judge]).findings] == [f"RELU/limits/{coarse}"]
