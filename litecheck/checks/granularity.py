"""Check ``granularity``: number of scales and zero points of a tensor, their dimension, and their table in the file.

LiteRT fills its per-tensor parameters only from exactly one scale. It fails to load a model if the counts differ from
each other or from the quantized dimension; other malformed parameters give wrong outputs. Absent or malformed parameters
are always a violation, also in a rule with a milder level.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from litecheck.checks.bound_operator import BoundOperand, BoundOperator, Check, Fault, at, axis, types, words
from litecheck.checks.context import TensorFacts
from litecheck.profile.types import Constraint, OperatorRule, Requirement, SameAs
from litecheck.quantization import Blockwise, MultiAxis


@dataclass(frozen=True, slots=True)
class MalformedParameters:
    """Reason for malformed parameters of a tensor, and the well-formed parameters."""

    found: str
    required: str


def checker(rule: OperatorRule, requirement: Requirement, value: Constraint) -> Check:
    """Return the check: malformed parameters first; then per-tensor, per-axis, none, or the number of scales of another
    role."""
    role = requirement.role or ""
    allowed, along = types(rule, role), axis(rule, role)
    wanted = frozenset() if isinstance(value, SameAs) else words(value)
    one_will_do = bool(wanted & {"per-tensor", "any"})

    def check(bound: BoundOperator) -> Sequence[Fault]:
        faults: list[Fault] = []
        for operand in bound.roles[role]:
            facts = operand.facts
            if not (allowed is None or facts.dtype in allowed):
                continue
            if (
                one_will_do
                and facts.single
                and facts.details is None
                and (not rule.strict or _has_quantized_dimension(facts))
            ):
                continue
            fault = _parameter_fault(operand, wanted, along, rule) or _fault(
                bound, operand, value, wanted, along
            )
            if fault:
                faults.append(fault)
        return faults

    return check


def _has_quantized_dimension(facts: TensorFacts) -> bool:
    """Return True if the shape has the quantized dimension."""
    number, rank = facts.tensor.quantization.axis, len(facts.tensor.shape)
    return 0 <= number < max(rank, 1)


def _parameter_fault(
    operand: BoundOperand, wanted: frozenset[str], along: int | None, rule: OperatorRule
) -> Fault | None:
    """Return the fault of parameters that are malformed or in another tensor, with the runtime's message, if any."""
    facts, loads = operand.facts, rule.any_tensor
    if facts.details is not None:
        if wanted & {kind_of(facts), "any"}:
            return None
        found = f"it has {kind_of(facts)} quantization, its scales stand in another tensor"
        return at(operand, found, level="violation", kind="blockwise")
    bad = find_malformed_parameters(facts, along, rule.strict)
    if bad is None:
        return None
    if loads is None:
        return at(operand, bad.found, level="violation", required=bad.required)
    return at(
        operand,
        bad.found,
        level="violation",
        required=bad.required,
        because=loads.because,
        effect=loads.effect,
    )


def _fault(
    bound: BoundOperator, operand: BoundOperand, value: Constraint, wanted: frozenset[str], along: int | None
) -> Fault | None:
    """Return the fault of well-formed parameters that differ from the rule, or None."""
    if operand.facts.details is not None:
        return None
    found = _granularity_difference(bound, operand, value, wanted, along)
    if not found:
        return None
    absent = not operand.facts.scales
    return at(operand, found, level="violation" if absent else None, kind="absent" if absent else "")


def kind_of(facts: TensorFacts) -> str:
    """Return the name of the parameters that are in another tensor."""
    return {Blockwise: "blockwise", MultiAxis: "multi-axis"}.get(type(facts.details), "custom")


def find_malformed_parameters(
    facts: TensorFacts, required_axis: int | None, strictly: bool = True
) -> MalformedParameters | None:
    """Return the defect in a tensor's scales and zero points that is independent of any rule, or None.

    With ``strictly``, the shape must have the quantized dimension even if no kernel needs it: the tensor has one scale,
    or it has one dimension and no rule requires an axis.
    """
    scales, shape = facts.scales, facts.tensor.shape
    if not scales:  # LiteRT ignores zero points without scales
        return None
    if scales != facts.zero_points:
        both = f"it has {_count_text(scales, 'scale')} and {_count_text(facts.zero_points, 'zero point')}"
        return MalformedParameters(both, "as many zero points as scales")
    number, rank = facts.tensor.quantization.axis, len(shape)
    if (
        not shape
    ):  # LiteRT does not check the axis of a tensor without dimensions, but rejects a negative axis
        if number >= 0 or not strictly:
            return None
        return MalformedParameters(
            f"its quantized dimension is {number} and it has no dimensions", "a quantized dimension of 0"
        )
    if not strictly and (scales == 1 or (rank == 1 and required_axis is None)):
        number = 0
    if not 0 <= number < rank:
        found = f"its quantized dimension is {number} and its shape is {list(shape)}"
        return MalformedParameters(found, f"a quantized dimension in 0..{rank - 1}")
    if scales > 1:
        axes = [a for a in (number, required_axis) if a is not None and a < len(shape)]
        if all(shape[a] != scales for a in axes):
            dimension = axes[-1] if axes else 0
            length = shape[dimension]
            found = f"it has {scales} scales along dimension {dimension}, whose length is {length}"
            return MalformedParameters(found, f"one scale, or {length} along that dimension")
    return None


def _granularities(facts: TensorFacts, along: int | None) -> tuple[str, ...]:
    """Return the granularities of a well-formed tensor; one scale is also per-axis if the axis has length 1."""
    if facts.scales == 0:
        return ("none", "any")
    if facts.scales > 1:
        return ("per-axis", "any")
    number, shape = facts.tensor.quantization.axis if along is None else along, facts.tensor.shape
    single = 0 <= number < len(shape) and shape[number] == 1
    return ("per-tensor", "per-axis", "any") if single else ("per-tensor", "any")


def _granularity_difference(
    bound: BoundOperator, operand: BoundOperand, value: Constraint, wanted: frozenset[str], along: int | None
) -> str | None:
    """Return the difference between a well-formed tensor and the required granularity, or None."""
    facts = operand.facts
    if isinstance(value, SameAs):
        model = bound.facts(value.role)
        if model is None or not model.scales or not bound.is_valid(model.tensor, "dtype", "granularity"):
            return None
        if facts.scales == model.scales:
            return None
        return f"it has {_count_text(facts.scales, 'scale')}, {value.role} has {model.scales}"
    kinds = _granularities(facts, along)
    if wanted.intersection(kinds):
        return None
    zero_points = f"no scale and {_count_text(facts.zero_points, 'zero point')}"
    none = f"it has {zero_points if facts.zero_points else 'no quantization'}"
    many = {"none": none, "per-axis": f"it has {facts.scales} scales"}
    return many.get(kinds[0], "it has one scale for the whole tensor")


def _count_text(n: int, what: str) -> str:
    return f"no {what}" if n == 0 else f"{n} {what}" if n == 1 else f"{n} {what}s"
