"""Float operators bound to rules: the wanted types, in every profile that allows several."""

from __future__ import annotations

from functools import cache

import pytest

from litecheck import profile_names
from litecheck.conversion.binding import BoundFloatOperator, bind
from litecheck.conversion.convert_float import convert
from litecheck.conversion.plan_profiles import rules_for
from litecheck.conversion.request import KINDS, REAL, Request
from litecheck.profile.generate.plan_solver import admits
from litecheck.profile.types import OperatorRule, words_of
from tests.conversion.one_operator import FloatCase, float_cases

#: Conversions with integer activations, for every profile with kernels for them; litert-hybrid also has float32.
CONVERSIONS = [
    (name, to)
    for name in profile_names()
    for to, (activation, _) in KINDS.items()
    if activation != REAL and name != "litert-hybrid" and activation in rules_for(to, name)[0].activations
]


@cache
def cases() -> tuple[FloatCase, ...]:
    return float_cases()


def bound_operators(name: str, to: str) -> list[BoundFloatOperator]:
    profile, _ = rules_for(to, name)
    return [
        bound
        for case in cases()
        for subgraph in case.model.subgraphs
        for operator in subgraph.operators
        if (bound := bind(case.model, subgraph, operator, profile, KINDS[to][0])).storage
    ]


def can_be(rule: OperatorRule, dtype: str) -> bool:
    """Return True if a rule allows a type for all activations, in some alternative."""
    return any(
        all(
            admits(r.value, dtype)
            for r in (*rule.requirements, *alternative)
            if r.verb == "dtype" and r.role in rule.activations
        )
        for alternative in [one.requirements for one in rule.any_of] or [()]
    )


@pytest.mark.parametrize(("name", "to"), CONVERSIONS)
def test_activations_have_the_wanted_type_if_the_rule_allows_it(name: str, to: str) -> None:
    wanted = KINDS[to][0]
    found = [b for b in bound_operators(name, to) if b.rule and can_be(b.rule, wanted)]
    assert found
    for bound in found:
        assert bound.rule
        types = {bound.storage[r].dtype for r in bound.rule.activations if r in bound.storage}
        assert types <= {wanted}, (bound.operator.opcode, types)


@pytest.mark.parametrize(("name", "to"), CONVERSIONS)
def test_weights_have_8_bits_and_a_scale_per_channel_if_the_rule_allows_it(name: str, to: str) -> None:
    for bound in bound_operators(name, to):
        assert bound.rule
        for role, storage in bound.storage.items():
            own = {r.verb: words_of(r.value) for r in bound.requirements if r.role == role}
            if role in bound.rule.activations:
                continue
            if not constant(bound, role):
                allowed = own.get("dtype", ())
                wanted = KINDS[to][0]
                assert storage.dtype == wanted or wanted not in allowed, (bound.operator.opcode, role)
                continue
            if "int8" in own.get("dtype", ()):
                assert storage.dtype == "int8", (bound.operator.opcode, role)
            if "per-axis" in own.get("granularity", ()):
                assert storage.per_axis, (bound.operator.opcode, role)


def constant(bound: BoundFloatOperator, role: str) -> bool:
    """Return True if an operand is constant or absent."""
    tensors, inputs = bound.subgraph.tensors, bound.operator.inputs
    return any(
        use.side == "input" and (use.place >= len(inputs) or tensors[inputs[use.place]].is_constant)
        for use in bound.ports[role]
    )


@pytest.mark.parametrize(("to", "dtype"), [("int8", "int8"), ("int16x8", "int16")])
def test_a_plan_for_tflm_states_the_types_of_its_tensors(to: str, dtype: str) -> None:
    (case,) = (case for case in cases() if case.name == "FULLY_CONNECTED")
    ranges = {(0, t.index): (-1.0, 1.0) for t in case.model.subgraphs[0].tensors}
    done = convert(case.model, Request(to, profile="tflm", inputs=dtype, outputs=dtype), ranges)
    (layer,) = done.model.subgraphs[0].operators
    tensors = [done.model.subgraphs[0].tensors[i] for i in (*layer.inputs, *layer.outputs)]
    assert [t.dtype for t in tensors] == [dtype, "int8", {"int8": "int32", "int16": "int64"}[dtype], dtype]
    assert tensors[1].quantization.scale.size == tensors[1].shape[0] > 1
    assert [d.becomes for d in done.plan.operators] == [dtype]


def test_an_operator_with_a_single_type_is_counted_with_this_type() -> None:
    """TFLM divides int8 only, so DIV of an int16 model is an int8 operator, and the plan states this type."""
    (case,) = (case for case in cases() if case.opcode == "DIV")
    ranges = {(0, t.index): (0.5, 1.0) for t in case.model.subgraphs[0].tensors}
    done = convert(case.model, Request("int16x8", profile="tflm"), ranges)
    assert [d.becomes for d in done.plan.operators] == ["int8"]
    assert done.conforms
