"""Witnesses of measurements of windows, resized images and weight sums in a plan."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from litecheck.profile.measurements.register import dimensions, held, option_stated
from litecheck.profile.measurements.windows import channels_last
from litecheck.profile.plan import Plan, TensorPlan

#: The largest sum of weights that is worth a model: its weights are so many bytes at least.
_HEAVIEST = 1 << 28
_LARGEST = 127
#: A window is at most so high: the rest of it lies along the width.
_HIGHEST = 64


def upscaled(plan: Plan, value: Any) -> Plan | None:
    """A transposed convolution with the strides of a word."""
    weight, tensor = plan.one("weight"), plan.one("input")
    if weight is None or tensor is None or len(weight.shape) != 4 or len(tensor.shape) != 4:
        return None
    strides = {"plain": (1, 1), "double": (2, 2), "wide": (1, 2), "high": (2, 1)}.get(value, (3, 3))
    kernel, image = list(weight.shape[1:3]), list(tensor.shape[1:3])
    for at in (0, 1):
        if strides[at] == 1 and value in ("wide", "high"):
            kernel[at] = image[at] = 1
    return _transposed(plan, strides, kernel, image, 0)


def _transposed(
    plan: Plan, strides: Sequence[int], kernel: Sequence[int], image: Sequence[int], longer: int
) -> Plan | None:
    """A transposed convolution whose result has the size that follows, or one more in width."""
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
    plan = held(plan, "output_shape", shape)
    return plan.edit_all(lambda t: dimensions(t, shape), plan.outputs)


def upscaled_off(plan: Plan, value: Any) -> Plan | None:
    """A transposed convolution's result wider than it should be."""
    weight, tensor = plan.one("weight"), plan.one("input")
    if weight is None or tensor is None or len(weight.shape) != 4 or len(tensor.shape) != 4 or value < 0:
        return None
    return _transposed(plan, (2, 2), weight.shape[1:3], tensor.shape[1:3], int(value))


def flat(plan: Plan, value: Any) -> Plan | None:
    """An image of so many pixels in one row."""
    shape = (1, 1, int(value), 2)
    roles = {"input", *plan.outputs}
    return plan.edit_all(lambda t: dimensions(t, shape), roles) if value >= 1 else None


def summed(plan: Plan, value: Any) -> Plan | None:
    """Constant weights whose magnitudes add up to a number for each output channel."""
    weight = plan.one("weight")
    if (
        weight is None
        or weight.values is None
        or not 0 <= value <= _HEAVIEST
        or len(weight.shape) not in (2, 4)
    ):
        return None
    total, zero = int(value), int(weight.zero_point[0]) if weight.zero_point.size else 0
    count = max(-(-total // _LARGEST), 1)
    each = np.full(count, _LARGEST)
    each[-1] = total - _LARGEST * (count - 1)
    high, wide = min(count, _HIGHEST), -(-count // _HIGHEST)
    last = channels_last(plan.opcode)
    if len(weight.shape) == 2:
        shape: tuple[int, ...] = (weight.shape[0], count)
    elif last:
        each = np.pad(each, (0, high * wide - count))
        shape = (1, high, wide, weight.shape[-1])
    else:
        shape = (weight.shape[0], 1, 1, count)
    values = np.stack([each] * shape[-1], -1) if last else np.stack([each] * shape[0])
    values = (values + zero).reshape(shape).astype(weight.values.dtype)
    plan = plan.edit("weight", lambda t: t.holding(values))
    plan = option_stated(plan, "SAME", "padding") or plan
    deep = None if last else count
    return plan.edit("input", lambda t: _deep(t, deep))


def _deep(tensor: TensorPlan, depth: int | None) -> TensorPlan:
    return tensor if depth is None or not tensor.shape else dimensions(tensor, (*tensor.shape[:-1], depth))


def longer_stride(plan: Plan, value: Any) -> Plan | None:
    """Strides along an image that they pad: a window of 3 or what there is, one stride and a pixel long."""
    step, tensor = int(value), plan.one("input")
    stated = option_stated(plan, "SAME", "padding")
    stated = stated and option_stated(stated, step, "stride_w", "stride_h")
    if stated is None or tensor is None or step < 1 or len(tensor.shape) != 4:
        return None
    batch, _, _, depth = tensor.shape
    stated = stated.edit("input", lambda t: dimensions(t, (batch, 2 * step + 1, 2 * step + 1, depth)))
    return stated.edit_all(lambda t: dimensions(t, (batch, 3, 3, t.shape[-1])), plan.outputs)
