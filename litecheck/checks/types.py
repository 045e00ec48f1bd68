"""Check of the types of an operator's tensors against the table of a runtime: ``OPERATOR/types``."""

from __future__ import annotations

from collections.abc import Collection

from litecheck.checks.bound_operator import BoundOperand, BoundOperator, Fault
from litecheck.finding import IGNORED, REFERENCE_ONLY, UNSPECIFIED, Effect, Finding, Level
from litecheck.model.links import parameters_of
from litecheck.profile.load import SPECIFICATION
from litecheck.profile.measurements.options import result_type
from litecheck.profile.type_table import ABSENT, SCALED, Combination, OperatorTypes, TypeTable, row_text
from litecheck.profile.types import Roles
from litecheck.quantization import INTEGER_RANGES

#: Largest number of supported rows in a finding.
_SHOWN = 3
#: Level of impacts that leave the outputs correct.
_LEVELS: dict[Effect, Level] = {IGNORED: "warning"}


def types_fault(bound: BoundOperator, table: TypeTable) -> Fault | None:
    """Return the fault of an operator whose types the runtime does not support, else None.

    Operators without an entry in the table, and operators with a surplus tensor, have none. Types that the reference
    resolver alone rejects are no fault, as elsewhere in the profiles.
    """
    types = table.operators.get(bound.rule.opcode)
    if types is None or bound.surplus or types.roles != (*bound.rule.inputs, *bound.rule.outputs):
        return None
    combination = _combination(bound, types)
    impact = types.impact(combination)
    if impact is None or impact == REFERENCE_ONLY:
        return None
    if not types.runs:
        return Fault(f"{table.runtime} has no kernel for it", required="another operator", effect=impact)
    nearest = types.nearest(combination)
    apart = [n for n, c in enumerate(combination) if c not in nearest[0][n]]
    operand = _operand(bound, types.roles[apart[0]]) if len(apart) == 1 else None
    stated = (f"{role} {c}" for role, c in zip(types.roles, combination, strict=True) if c != ABSENT)
    listed = ", or ".join(map(row_text, nearest[:_SHOWN])) + (", ..." if len(nearest) > _SHOWN else "")
    return Fault(
        f"its types are {', '.join(stated)}", operand.role if operand else None, operand,
        level=_LEVELS.get(impact), required=f"{listed} ({', '.join(types.roles)})", effect=impact,
    )  # fmt: skip


def types_run(bound: BoundOperator, table: TypeTable) -> bool:
    """Return True if the runtime was measured to compute an operator's combination of types."""
    types = table.operators.get(bound.rule.opcode)
    if (
        types is None
        or types.by_role
        or bound.surplus
        or types.roles != (*bound.rule.inputs, *bound.rule.outputs)
    ):
        return False
    return types.impact(_combination(bound, types)) is None


def impact_of(
    bound: BoundOperator, finding: Finding, table: TypeTable, fault: Fault, rejected: bool
) -> Effect:
    """Return the impact of a finding beside the fault of an operator's types; a rejected model computes no results."""
    if not finding.path.endswith("/dtype"):
        return finding.effect
    operands = (
        o for o in bound.roles.get(finding.where.role or "", ()) if o.tensor.index == finding.where.tensor
    )
    operand = next(operands, None)
    effect = _impact_with_right_parameters(bound, table, operand) if operand else None
    if effect == IGNORED and finding.demanded_by.profile == SPECIFICATION:
        effect = UNSPECIFIED
    if effect is None:
        measured = fault.level is None and _is_measured(bound, operand, table)
        effect = (fault.effect if measured else None) or finding.effect
    return "fails to load" if rejected and effect == "wrong results" else effect


def _is_measured(bound: BoundOperator, operand: BoundOperand | None, table: TypeTable) -> bool:
    """Return True if the table measured a type in this form: also in the option, with or without a scale.

    Outputs with indices or bools were measured without a scale. Operators with many tensors were measured by single
    roles. States and blockwise weights were not measured. Examples: ADD crashes with an int32 output without a scale,
    and runs with an int32 output that has one. ARG_MAX fails to load with a float32 output that its option states, and
    runs if the option states int32.
    """
    types = table.operators.get(bound.rule.opcode)
    blocks = any(o.facts.details is not None for operands in bound.roles.values() for o in operands)
    if (
        blocks
        or (operand is not None and operand.tensor.is_variable)
        or (types is not None and types.by_role)
    ):
        return False
    if operand is None or types is None or operand.role not in bound.rule.outputs:
        return True
    stated, at = result_type(bound.measurable()), types.roles.index(operand.role)
    right = frozenset[str]().union(*(row[at] for row in types.runs))
    scaled = operand.facts.dtype in SCALED and any(t in SCALED or "float" in t for t in right)
    return stated in (None, operand.facts.dtype.upper()) and bool(operand.facts.scales) == scaled


def _impact_with_right_parameters(
    bound: BoundOperator, table: TypeTable, operand: BoundOperand
) -> Effect | None:
    """Return the measured impact of a tensor of the wrong type with the parameters of the right type, or None.

    Example: GATHER of int8 computes the right values for an int16 output with the scale and zero point of its input.
    """
    types = table.operators.get(bound.rule.opcode)
    if (
        types is None
        or operand.role not in types.roles
        or not operand.facts.scales
        or operand.tensor.is_variable
    ):
        return None
    at, stated = types.roles.index(operand.role), _combination(bound, types)
    combination = (
        *stated[:at],
        operand.facts.dtype,
        *stated[at + 1 :],
    )  # only one of several outputs can differ
    right = {
        dtype for row in types.nearest(combination) for dtype in row[at]
        if all(c in cell for n, (c, cell) in enumerate(zip(combination, row, strict=True)) if n != at)
    }  # fmt: skip
    return types.kept_impact(operand.role, combination) if _suits_types(bound, operand, right) else None


def _suits_types(bound: BoundOperator, operand: BoundOperand, types: Collection[str]) -> bool:
    """Return True if a tensor's parameters suit one of the types and equal those of tensors with a shared
    quantization."""
    q = operand.tensor.quantization
    ranges = [(0, 0) if t == "int16" else INTEGER_RANGES[t] for t in types if t in INTEGER_RANGES]
    shared = [
        o.tensor for r in bound.rule.all_requirements() if isinstance(r.value, Roles) and operand.role in r.value.roles
        for role in r.value.roles for o in bound.roles[role]
    ]  # fmt: skip
    fits = any(
        low <= q.zero_point.min(initial=0) <= q.zero_point.max(initial=0) <= high for low, high in ranges
    )
    return fits and all(parameters_of(t) == parameters_of(operand.tensor) for t in shared)


def _combination(bound: BoundOperator, types: OperatorTypes) -> Combination:
    """Return the types of the tensors by role. Example: ``float32+int32`` for two types in a repeated role."""
    return tuple(
        "+".join(sorted({o.facts.dtype for o in bound.roles[role]})) or ABSENT for role in types.roles
    )


def _operand(bound: BoundOperator, role: str) -> BoundOperand | None:
    operands = bound.roles[role]
    return operands[0] if len(operands) == 1 else None
