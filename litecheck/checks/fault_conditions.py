"""Conditions on the operator under which a fault has an impact of its own, such as weights with a single scale."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from litecheck.checks.bound_operator import BoundOperator, Fault
from litecheck.checks.scale import TINY, valid
from litecheck.model.stored_values import stored_integers
from litecheck.profile.measurements.register import DELEGATED
from litecheck.profile.types import Requirement


def kind_under_conditions(bound: BoundOperator, requirement: Requirement, fault: Fault) -> str:
    """Return the most specific stated kind of a fault: with its condition, without, or the condition alone.

    For example, an infinite input scale of FULLY_CONNECTED is ``infinite/bias_scale_single`` if the bias has one scale.
    """
    names = requirement.faults
    held = [name for name in names if _holds(name.rpartition("/")[2], bound, fault)]
    exact = (name for name in held if name.rpartition("/")[0] == fault.kind)
    if found := next(exact, ""):
        return found
    if fault.kind in names:
        return fault.kind
    return next((name for name in held if "/" not in name), fault.kind)


def _has_single_bias_scale(bound: BoundOperator, fault: Fault) -> bool:
    bias = bound.facts("bias")
    return bias is not None and bias.scales == 1


def _has_single_weight_scale(bound: BoundOperator, fault: Fault) -> bool:
    weight = bound.facts("weight")
    return weight is not None and weight.scales == 1


def _has_valid_bias_scale(bound: BoundOperator, fault: Fault) -> bool:
    """Return True if XNNPACK takes the bias: its scales are finite, positive and not subnormal."""
    bias = bound.facts("bias")
    if bias is None or not bias.scales:
        return False
    scale = bias.tensor.quantization.scale
    return bool((valid(scale) & (scale >= TINY)).all())


def _has_scale_for_each_value(bound: BoundOperator, fault: Fault) -> bool:
    bias = bound.facts("bias")
    return bias is not None and bias.scales > 1 and bias.tensor.shape == (bias.scales,)


def _has_int32_bias(bound: BoundOperator, fault: Fault) -> bool:
    bias = bound.facts("bias")
    return bias is not None and bias.dtype == "int32"


def _has_surplus_operands(bound: BoundOperator, fault: Fault) -> bool:
    return bool(bound.surplus)


def _is_delegated_slice(bound: BoundOperator, fault: Fault) -> bool:
    """Return True if XNNPACK slices a tensor itself: constants for each dimension with positive
    sizes, and a type of the delegate."""
    source, begin, size = (bound.facts(role) for role in ("input", "begin", "size"))
    if source is None or begin is None or size is None or source.dtype not in DELEGATED:
        return False
    values = [stored_integers(side.tensor) if side.tensor.is_constant else None for side in (begin, size)]
    first, sizes = values
    if first is None or sizes is None or {first.shape, sizes.shape} != {(len(source.tensor.shape),)}:
        return False
    return bool((first >= 0).all() and (sizes > 0).all())


def _has_fused_activation(bound: BoundOperator, fault: Fault) -> bool:
    options = bound.operator.options
    return options is not None and bool(options.get("fused_activation_function"))


def _have_different_parameters(bound: BoundOperator, fault: Fault) -> bool:
    source, target = bound.facts("input"), bound.facts("output")
    if source is None or target is None:
        return False
    return (source.scale, source.zero_point) != (target.scale, target.zero_point)


def _is_input(bound: BoundOperator, fault: Fault) -> bool:
    return fault.operand is not None and fault.operand.role == "input"


def _has_scale_of_one(bound: BoundOperator, fault: Fault) -> bool:
    sides = (bound.facts("lhs"), bound.facts("rhs"))
    return any(side is not None and side.single and side.scale == 1 for side in sides)


def _is_one_type_beside(*uncompared: str) -> Callable[[BoundOperator, Fault], bool]:
    """Return the condition that all weights but those that the kernel does not compare have one type.

    The kernel reads int8 and uint8 weights alike.
    """

    def holds(bound: BoundOperator, fault: Fault) -> bool:
        compared = (role for role in bound.roles if "weight" in role and role not in uncompared)
        return len({o.facts.dtype for role in compared for o in bound.roles[role]}) == 1

    return holds


_CONDITIONS: Mapping[str, Callable[[BoundOperator, Fault], bool]] = {
    "bias_scale_single": _has_single_bias_scale,
    "bias_scale_valid": _has_valid_bias_scale,
    "weight_scale_single": _has_single_weight_scale,
    "fused_activation": _has_fused_activation,
    "parameters_differ": _have_different_parameters,
    "input_differs": _is_input,
    "scale_is_one": _has_scale_of_one,
    "bias_scale_for_each_value": _has_scale_for_each_value,
    "bias_is_int32": _has_int32_bias,
    "surplus_operands": _has_surplus_operands,
    "delegated_slice": _is_delegated_slice,
    "output_gate_differs": _is_one_type_beside("input_to_output_weights", "recurrent_to_output_weights"),
    "cell_input_differs": _is_one_type_beside(
        "input_to_input_weights", "input_to_cell_weights", "projection_weights"
    ),
}


def _holds(name: str, bound: BoundOperator, fault: Fault) -> bool:
    condition = _CONDITIONS.get(name)
    return condition is not None and condition(bound, fault)
