"""Measurements of grouped, depthwise and transposed convolutions, and of the batch dimensions of convolutions."""

from __future__ import annotations

from math import isqrt, prod
from typing import Any

from litecheck.model.types import Tensor
from litecheck.profile.measurements.measured_operator import Measured, Operands, integer, word
from litecheck.profile.measurements.register import dimensions, measures, option_fields, option_stated
from litecheck.profile.measurements.vocabulary import of
from litecheck.profile.operator_plan import Plan
from litecheck.targets.ethos_u.measurements.windows import sides_of, strides_of, window_of
from litecheck.targets.generators.feature_maps import io_roles
from litecheck.targets.generators.windows import (
    set_transpose_conv_shape_error,
    set_transpose_conv_stride_class,
)
from litecheck.targets.measurements.feature_maps import io_of


def _set_grouped_stride(plan: Plan, value: Any) -> Plan | None:
    """Make a convolution of two groups with this stride and an output of 2x2."""
    weight, source, step = plan.one("weight"), plan.one("input"), int(value)
    stated = option_stated(plan, "VALID", "padding")
    stated = stated and option_stated(stated, step, "stride_w", "stride_h")
    stated = stated and option_stated(stated, 1, "dilation_w_factor", "dilation_h_factor")
    if stated is None or weight is None or source is None or len(weight.shape) != 4 or step < 1:
        return None
    shape = (source.shape[0], *(k + step for k in weight.shape[1:3]), 2 * weight.shape[-1])
    stated = stated.edit("input", lambda t: dimensions(t, shape))
    return stated.edit_all(lambda t: dimensions(t, (shape[0], 2, 2, t.shape[-1])), plan.outputs)


@measures(_set_grouped_stride)
def grouped_stride(operands: Operands) -> Measured:
    """Largest stride of a grouped convolution with constant weights, along output sides above 1; none without groups.
    Example: CONV_2D of 8 channels by filters of 4 channels with strides 4 and output 2x2 gives 4."""
    source, weight, io = operands.one("input"), operands.one("weight"), io_of(operands)
    if source is None or weight is None or io is None or not source.shape or not weight.shape:
        return None
    if weight.shape[-1] == source.shape[-1] or weight.data is None:
        return None
    strides = (integer(operands, "stride_h") or 1, integer(operands, "stride_w") or 1)
    sides = (1, 1, 1, *io[1].shape)[-3:-1]
    return max(s if side > 1 else 1 for s, side in zip(strides, sides, strict=True))


def _count_batch_dims(tensor: Tensor) -> int:
    """Count the dimensions before the last three, at least 1. Example: (2, 3, 4, 4, 8) gives 2, (4, 8) gives 1."""
    return max(len(tensor.shape) - 3, 1)


def _set_misaligned_batch_dim(plan: Plan, value: Any) -> Plan | None:
    """Give input and output the shape (1, value, 1, 2, 4), and a stride of 2 so that a 1x1 convolution counts, too."""
    roles = io_roles(plan)
    if roles is None or value < 1:
        return None
    plan = option_stated(plan, 2, "stride_h", "stride_w") or plan
    return plan.edit_all(lambda t: dimensions(t, (1, int(value), 1, 2, 4)), roles)


def _is_pointwise_conv(operands: Operands) -> bool:
    """Return True for a CONV_2D with a 1x1 filter, stride 1 and equal batch sizes of input and output."""
    weight, io = operands.one("weight"), io_of(operands)
    if (
        weight is None
        or io is None
        or weight.shape[1:3] != (1, 1)
        or "depth_multiplier" in option_fields(operands.operator.kind)
    ):
        return False
    strides = {integer(operands, option) for option in ("stride_h", "stride_w")}
    return strides == {1} and len({prod(t.shape[:-3]) for t in io}) == 1


@measures(_set_misaligned_batch_dim)
def misaligned_batch_dim(operands: Operands) -> Measured:
    """Largest dimension, after the first, at a position where the output has a batch dimension: of the output, and of an
    input of rank 4 or more; none for a 1x1 convolution with stride 1. Example: input (1, 6, 4, 8) and output
    (1, 1, 6, 4, 8) give 6."""
    io = io_of(operands)
    if io is None:
        return None
    positions = slice(1, _count_batch_dims(io[1]))
    with_batch = (t for t in io if t is io[1] or len(t.shape) > 3)
    largest = max((d for t in with_batch for d in t.shape[positions]), default=1)
    # Vela 5.2.0 compiles a pointwise convolution with any layout of the batch dimensions.
    return None if largest > 1 and _is_pointwise_conv(operands) else largest


def _set_depthwise_transposed_extent(plan: Plan, value: Any) -> Plan | None:
    """Give the input at least this number of pixels and two channels, with two 1x1 filters for each channel."""
    weight = plan.one("weight")
    stated = option_stated(plan, 1, "depth_multiplier")
    stated = stated and option_stated(stated, "SAME", "padding")
    stated = stated and option_stated(stated, 1, "stride_h", "stride_w")
    if weight is None or stated is None or len(weight.shape) != 4 or value < 1:
        return None
    height = isqrt(int(value) - 1) + 1
    sides = (1, height, -(-int(value) // height))
    stated = stated.edit("weight", lambda t: dimensions(t, (1, 1, 1, 4)))
    stated = stated.edit("bias", lambda t: dimensions(t, (4,)))
    stated = stated.edit("input", lambda t: dimensions(t, (*sides, 2)))
    return stated.edit_all(lambda t: dimensions(t, (*sides, 4)), stated.outputs)


@measures(_set_depthwise_transposed_extent)
def depthwise_transposed_extent(operands: Operands) -> Measured:
    """Largest product of two among output height, output width and input channels, of a depthwise convolution with
    several constant filters for each of several channels; none for one filter or one channel. Example: input
    (1, 5, 7, 2), 4 filters and output (1, 5, 7, 4) give 35.

    The compiler computes one filter per channel at a time and transposes the outputs.
    """
    source, weight, output = (operands.one(role) for role in ("input", "weight", "output"))
    if source is None or weight is None or output is None or weight.data is None or len(output.shape) < 3:
        return None
    channels = source.shape[-1] if source.shape else 0
    filters = weight.shape[-1] if weight.shape else 0
    if channels < 2 or filters < 2 * channels:
        return None
    height, width = output.shape[-3:-1]
    return max(height * width, channels * max(height, width))


@measures(
    set_transpose_conv_stride_class,
    "other",
    gives=of("a class of strides", "plain", "double", "wide", "high", pattern=r"w\d+h\d+"),
)
def transpose_conv_stride_class(operands: Operands) -> Measured:
    """Class of the strides of TRANSPOSE_CONV: ``plain`` for 1x1, ``double`` for 2x2, ``wide`` for stride_w 2 with input
    and filter height 1, ``high`` for stride_h 2 with input and filter width 1, else both strides. Example: stride_w 3 and
    stride_h 1 give w3h1."""
    strides, sides, window = strides_of(operands), sides_of(operands), window_of(operands)
    if strides is None or sides is None or window is None:
        return None
    has_height_1, has_width_1 = ((sides[at], window[at]) == (1, 1) for at in (0, 1))
    known = {(1, 1): "plain", (2, 2): "double"}
    known |= {(1, 2): "wide"} if has_height_1 else {}
    known |= {(2, 1): "high"} if has_width_1 else {}
    return known.get(strides, f"w{strides[1]}h{strides[0]}")


@measures(set_transpose_conv_shape_error)
def transpose_conv_shape_error(operands: Operands) -> Measured:
    """Sum of the differences between output height and width of TRANSPOSE_CONV and the sizes of its input, strides,
    filter and padding. Example: 4x4 with strides 2, padding SAME and output 8x9 gives 1."""
    strides, sides, window = strides_of(operands), sides_of(operands), window_of(operands)
    output = sides_of(operands, "output")
    if strides is None or sides is None or window is None or output is None:
        return None
    same = word(operands, "padding") == "SAME"
    wanted = [d * s + (0 if same else max(k - s, 0)) for d, s, k in zip(sides, strides, window, strict=True)]
    return sum(abs(a - b) for a, b in zip(wanted, output, strict=True))
