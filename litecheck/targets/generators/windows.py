"""Generators for measurements of windows, transposed convolutions and weight sums."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from litecheck.profile.measurements.register import dimensions, option_stated, with_constant
from litecheck.profile.measurements.windows import channels_last
from litecheck.profile.operator_plan import Plan, TensorPlan

#: Largest weight sum that is generated. A model needs at least sum / 127 bytes of weights per channel.
_LARGEST_SUM = 1 << 28
_LARGEST_WEIGHT = 127
#: Largest height of a generated window; the remaining elements are along the width.
_LARGEST_HEIGHT = 64


def set_transpose_conv_stride_class(plan: Plan, value: Any) -> Plan | None:
    """Make a transposed convolution of this stride class."""
    weight, tensor = plan.one("weight"), plan.one("input")
    if weight is None or tensor is None or len(weight.shape) != 4 or len(tensor.shape) != 4:
        return None
    strides = {"plain": (1, 1), "double": (2, 2), "wide": (1, 2), "high": (2, 1)}.get(value, (3, 3))
    kernel, image = list(weight.shape[1:3]), list(tensor.shape[1:3])
    for at in (0, 1):
        if strides[at] == 1 and value in ("wide", "high"):
            kernel[at] = image[at] = 1
    return _transpose_conv(plan, strides, kernel, image, 0)


def _transpose_conv(
    plan: Plan, strides: Sequence[int], kernel: Sequence[int], image: Sequence[int], longer: int
) -> Plan | None:
    """Make a transposed convolution, with an output that is wider than its shape by ``longer``."""
    weight, tensor = plan.operands["weight"][0], plan.operands["input"][0]
    stated = option_stated(plan, strides[0], "stride_h")
    stated = stated and option_stated(stated, strides[1], "stride_w")
    if stated is None:
        return None
    same = stated.options is not None and stated.options.get("padding", "SAME") in ("SAME", 0)
    size = [d * s + (0 if same else max(k - s, 0)) for d, s, k in zip(image, strides, kernel, strict=True)]
    size[1] += longer
    shape = (tensor.shape[0], *size, weight.shape[0])
    plan = stated.edit("weight", lambda t: dimensions(t, (weight.shape[0], *kernel, weight.shape[-1])))
    plan = plan.edit("input", lambda t: dimensions(t, (tensor.shape[0], *image, tensor.shape[-1])))
    plan = with_constant(plan, "output_shape", shape)
    return plan.edit_all(lambda t: dimensions(t, shape), plan.outputs)


def set_transpose_conv_shape_error(plan: Plan, value: Any) -> Plan | None:
    """Make the output of a transposed convolution wider by this number."""
    weight, tensor = plan.one("weight"), plan.one("input")
    if weight is None or tensor is None or len(weight.shape) != 4 or len(tensor.shape) != 4 or value < 0:
        return None
    return _transpose_conv(plan, (2, 2), weight.shape[1:3], tensor.shape[1:3], int(value))


def set_height_x_width(plan: Plan, value: Any) -> Plan | None:
    """Give input and output height 1 and this width."""
    shape = (1, 1, int(value), 2)
    roles = {"input", *plan.outputs}
    return plan.edit_all(lambda t: dimensions(t, shape), roles) if value >= 1 else None


def set_weight_sum(plan: Plan, value: Any) -> Plan | None:
    """Make constant weights with this sum of magnitudes for each output channel."""
    weight = plan.one("weight")
    if (
        weight is None
        or weight.values is None
        or not 0 <= value <= _LARGEST_SUM
        or len(weight.shape) not in (2, 4)
    ):
        return None
    total, zero = int(value), int(weight.zero_point[0]) if weight.zero_point.size else 0
    count = max(-(-total // _LARGEST_WEIGHT), 1)
    each = np.full(count, _LARGEST_WEIGHT)
    each[-1] = total - _LARGEST_WEIGHT * (count - 1)
    height, width = min(count, _LARGEST_HEIGHT), -(-count // _LARGEST_HEIGHT)
    last = channels_last(plan.opcode)
    if len(weight.shape) == 2:
        shape: tuple[int, ...] = (weight.shape[0], count)
    elif last:
        each = np.pad(each, (0, height * width - count))
        shape = (1, height, width, weight.shape[-1])
    else:
        shape = (weight.shape[0], 1, 1, count)
    values = np.stack([each] * shape[-1], -1) if last else np.stack([each] * shape[0])
    values = (values + zero).reshape(shape).astype(weight.values.dtype)
    plan = plan.edit("weight", lambda t: t.holding(values))
    plan = option_stated(plan, "SAME", "padding") or plan
    deep = None if last else count
    return plan.edit("input", lambda t: _with_channels(t, deep))


def _with_channels(tensor: TensorPlan, depth: int | None) -> TensorPlan:
    return tensor if depth is None or not tensor.shape else dimensions(tensor, (*tensor.shape[:-1], depth))


def set_padded_stride(plan: Plan, value: Any) -> Plan | None:
    """Set this stride and padding SAME, with an input of 2 * stride + 1 and an output of 3 per side."""
    step, tensor = int(value), plan.one("input")
    stated = option_stated(plan, "SAME", "padding")
    stated = stated and option_stated(stated, step, "stride_w", "stride_h")
    if stated is None or tensor is None or step < 1 or len(tensor.shape) != 4:
        return None
    batch, _, _, depth = tensor.shape
    stated = stated.edit("input", lambda t: dimensions(t, (batch, 2 * step + 1, 2 * step + 1, depth)))
    return stated.edit_all(lambda t: dimensions(t, (batch, 3, 3, t.shape[-1])), plan.outputs)
