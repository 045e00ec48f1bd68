"""Measurements of windows: strides, sizes and dilations of convolutions and poolings, and combinations of them."""

from __future__ import annotations

from functools import cache

from litecheck.model.types import Operator, Tensor
from litecheck.profile.measurements.measured_operator import Measured, Operands, integer, scalar
from litecheck.profile.measurements.register import (
    DELEGATED,
    Setter,
    dimensions,
    measures,
    option,
    option_fields,
    option_stated,
)
from litecheck.profile.operator_plan import Plan

_STRIDES = ("stride_w", "stride_h", "stride_d")
_DILATIONS = ("dilation_w_factor", "dilation_h_factor", "dilation_d_factor")
_FILTERS = ("filter_width", "filter_height")


def _side_setter(axis: int, pool: str, dilation: str = "") -> Setter:
    """Return a setter of a side of the window, in the weights or in the options, without dilation."""

    def sets(plan: Plan, value: int) -> Plan | None:
        weight = plan.one("weight")
        if weight is None or len(weight.shape) != 4:
            return option_stated(plan, value, pool)
        if value < 0:
            return None
        shape = (*weight.shape[:axis], value, *weight.shape[axis + 1 :])
        plan = plan.edit("weight", lambda tensor: dimensions(tensor, shape))
        return option_stated(plan, 1, dilation) or plan

    return sets


def channels_last(opcode: str) -> bool:
    """Return True if weights have their output channels in the last dimension, else in the first."""
    return opcode == "DEPTHWISE_CONV_2D"


def channel_axis(operator: Operator, weight: Tensor) -> int:
    """Return the dimension of a convolution's weights that is its output channels."""
    return len(weight.shape) - 1 if channels_last(operator.opcode) else 0


def _set_depth(plan: Plan, value: int) -> Plan | None:
    weight = plan.one("weight")
    if weight is None or not weight.shape or value < 1:
        return None
    shape = (1, 1, value, weight.shape[-1]) if channels_last(plan.opcode) else (weight.shape[0], value)
    return plan.edit("weight", lambda tensor: dimensions(tensor, (*shape, 1, 1)[:4]))


def _set_step(plan: Plan, value: int) -> Plan | None:
    own = [n for n in _STRIDES + _DILATIONS if n in option_fields(plan.opcode)]
    return option_stated(option_stated(plan, 1, *own) or plan, value, *own[:1])


def _set_multiplier_gap(plan: Plan, value: int) -> Plan | None:
    plan = plan.edit(
        "input", lambda tensor: dimensions(tensor.but(dtype="int8"), (*tensor.shape[:-1], 4 + value))
    )
    return option_stated(
        plan.edit("weight", lambda t: dimensions(t, (*t.shape[:-1], 4))), 1, "depth_multiplier"
    )


@measures(option("stride_w"), beside_faults=True)
def stride_w(operands: Operands) -> Measured:
    """Horizontal stride of a convolution or pooling. Example: stride_h 2 and stride_w 3 give 3."""
    return operands.option("stride_w") or None


@measures(option("stride_h"), beside_faults=True)
def stride_h(operands: Operands) -> Measured:
    """Vertical stride of a convolution or pooling. Example: stride_h 2 and stride_w 3 give 2."""
    return operands.option("stride_h") or None


def _kernel(operands: Operands, axis: int, pool: str) -> int | None:
    weight = operands.one("weight")
    if weight is not None and len(weight.shape) == 4:
        return weight.shape[axis]
    return operands.option(pool) or None


@measures(_side_setter(1, "filter_height"), beside_faults=True)
def kernel_h(operands: Operands) -> Measured:
    """Height of the filter or pooling window. Example: 3 rows and 5 columns give 3."""
    return _kernel(operands, 1, "filter_height")


@measures(_side_setter(2, "filter_width"), beside_faults=True)
def kernel_w(operands: Operands) -> Measured:
    """Width of the filter or pooling window. Example: 3 rows and 5 columns give 5."""
    return _kernel(operands, 2, "filter_width")


@measures(_side_setter(1, "filter_height", "dilation_h_factor"), beside_faults=True)
def dilated_kernel_h(operands: Operands) -> Measured:
    """Height of the filter or pooling window with dilation. Example: 3 rows and dilation 2 give 5."""
    size = _kernel(operands, 1, "filter_height")
    return None if size is None else (size - 1) * operands.option("dilation_h_factor", 1) + 1


@measures(_side_setter(2, "filter_width", "dilation_w_factor"), beside_faults=True)
def dilated_kernel_w(operands: Operands) -> Measured:
    """Width of the filter or pooling window with dilation. Example: 3 columns and dilation 2 give 5."""
    size = _kernel(operands, 2, "filter_width")
    return None if size is None else (size - 1) * operands.option("dilation_w_factor", 1) + 1


@measures(_set_depth, beside_faults=True)
def accumulation_depth(operands: Operands) -> Measured:
    """Number of products in an output element of a convolution or fully connected layer. Example: a CONV_2D
    filter of 3 x 3 x 8 gives 72, a DEPTHWISE_CONV_2D filter of 3 x 3 gives 9."""
    weight = operands.one("weight")
    if weight is None or not weight.shape:
        return None
    if channels_last(operands.operator.opcode):
        return weight.shape[1] * weight.shape[2] if len(weight.shape) == 4 else None
    return weight.size // weight.shape[0] if weight.shape[0] else None


@cache
def _steps(table: str, names: tuple[str, ...]) -> tuple[tuple[str, int | float], ...]:
    """Return the options of ``names`` that a table has, with their defaults."""
    fields = [scalar(table, name) for name in names]
    return tuple((field.name, field.default) for field in fields if field is not None)


def _several(operands: Operands, names: tuple[str, ...]) -> list[int]:
    options = operands.operator.options
    if options is None:
        return []
    values = [options.fields.get(name, default) for name, default in _steps(options.type, names)]
    return [value for value in values if isinstance(value, int)]


def _smallest(operands: Operands, names: tuple[str, ...]) -> int | None:
    return min(_several(operands, names), default=None)


@measures(option(*_STRIDES), beside_faults=True)
def smallest_stride(operands: Operands) -> Measured:
    """Smallest stride of a convolution or pooling. Example: stride_h 2 and stride_w 3 give 2."""
    return _smallest(operands, _STRIDES)


@measures(option("dilation_w_factor"), beside_faults=True)
def dilation_w(operands: Operands) -> Measured:
    """Horizontal dilation of a convolution; 1 means no dilation. Example: dilation_h_factor 2 and
    dilation_w_factor 3 give 3."""
    return _smallest(operands, ("dilation_w_factor",))


@measures(option("dilation_h_factor"), beside_faults=True)
def dilation_h(operands: Operands) -> Measured:
    """Vertical dilation of a convolution; 1 means no dilation. Example: dilation_h_factor 2 and
    dilation_w_factor 3 give 2."""
    return _smallest(operands, ("dilation_h_factor",))


@measures(option(*_DILATIONS), beside_faults=True)
def smallest_dilation(operands: Operands) -> Measured:
    """Smallest dilation of a convolution. Example: dilation_h_factor 2 and dilation_w_factor 3 give 2."""
    return _smallest(operands, _DILATIONS)


@measures(_set_step, beside_faults=True)
def largest_step(operands: Operands) -> Measured:
    """Largest stride or dilation of a convolution. Example: strides 1 and 2 and dilations 1 and 4 give 4."""
    return max(_several(operands, _STRIDES + _DILATIONS), default=None)


@measures(option(*_FILTERS), beside_faults=True)
def smallest_filter(operands: Operands) -> Measured:
    """Smaller side of a pooling window. Example: filter_height 2 and filter_width 3 give 2."""
    return _smallest(operands, _FILTERS)


@measures(_set_multiplier_gap, beside_faults=True)
def depth_multiplier_gap(operands: Operands) -> Measured:
    """Difference between output channels / ``depth_multiplier`` and input channels, for float32 and int8.
    Example: 8 output channels, depth_multiplier 2 and 3 input channels give 1.

    The kernels derive the multiplier from the shapes; the XNNPACK delegate uses the option if it divides the
    output channels.
    """
    multiplier = integer(operands, "depth_multiplier")
    given, weight = operands.one("input"), operands.one("weight")
    if given is None or weight is None or given.dtype not in DELEGATED or not given.shape or not weight.shape:
        return None
    channels = weight.shape[-1]
    if multiplier is None or multiplier < 1 or channels % multiplier:
        return None
    return abs(channels // multiplier - given.shape[-1])


@measures(lambda plan, value: option_stated(plan, 1 + value, "depth_multiplier"), beside_faults=True)
def multiplied_channel_gap(operands: Operands) -> Measured:
    """Difference between input channels * ``depth_multiplier`` and output channels. Example: 3 input channels,
    depth_multiplier 2 and 8 output channels give 2."""
    given, weight = operands.one("input"), operands.one("weight")
    if given is None or weight is None or not given.shape or not weight.shape:
        return None
    multiplier = integer(operands, "depth_multiplier") or 0
    return abs(given.shape[-1] * multiplier - weight.shape[-1])
