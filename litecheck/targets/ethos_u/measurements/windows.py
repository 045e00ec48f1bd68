"""Measurements of windows as accelerators build them: strides beside padding, pads, resizing factors, weight sums."""

from __future__ import annotations

from typing import Any

import numpy as np

from litecheck.model.types import Tensor
from litecheck.model.values import stored_integers
from litecheck.profile.measurements.bound import Measured, Operands, integer, number, word
from litecheck.profile.measurements.register import Setter, measures, option, option_stated
from litecheck.profile.measurements.vocabulary import of
from litecheck.profile.measurements.windows import channel_axis
from litecheck.profile.plan import Plan
from litecheck.targets.generators.windows import (
    flat,
    longer_stride,
    summed,
    upscaled,
    upscaled_off,
)  # fmt: skip


def image_of(tensor: Tensor) -> tuple[int, int]:
    """Height and width of a tensor as (..., height, width, channels), shorter ones with 1 in front."""
    padded = (1,) * (4 - len(tensor.shape)) + tensor.shape
    return padded[-3], padded[-2]


def _image(operands: Operands, role: str = "input") -> tuple[int, int] | None:
    tensor = operands.one(role)
    return None if tensor is None else image_of(tensor)


def dilations_of(operands: Operands) -> tuple[int, int]:
    """By what a window is dilated along height and width."""
    height, width = (integer(operands, f"dilation_{side}_factor") or 1 for side in "hw")
    return height, width


def _kernel(operands: Operands) -> tuple[int, int] | None:
    """Height and width of the window, with the gaps dilation leaves."""
    weight = operands.one("weight")
    if weight is not None:
        if len(weight.shape) < 3:
            return None
        dilations = [max(dilation, 1) for dilation in dilations_of(operands)]
        return tuple((k - 1) * d + 1 for k, d in zip(weight.shape[-3:-1], dilations, strict=True))  # type: ignore[return-value]
    height, width = integer(operands, "filter_height"), integer(operands, "filter_width")
    return None if height is None or width is None else (height, width)


def _strides(operands: Operands) -> tuple[int, int] | None:
    height, width = integer(operands, "stride_h"), integer(operands, "stride_w")
    return None if height is None or width is None else (height, width)


def _padded(operands: Operands) -> bool:
    """Whether padding SAME puts anything around the input."""
    if word(operands, "padding") != "SAME":
        return False
    kernel, strides, image = _kernel(operands), _strides(operands), _image(operands)
    if kernel is None or strides is None or image is None:
        return True
    sides = zip(image, kernel, strides, strict=True)
    return any((-(-size // s) - 1) * s + k > size for size, k, s in sides if s > 0)


@measures(longer_stride)
def padded_stride(operands: Operands) -> Measured:
    """The larger stride of a window that is dilated or goes over padding, along sides of the result longer than 1; None of
    others."""
    strides, result = _strides(operands), _image(operands, "output")
    if strides is None or result is None or (dilations_of(operands) == (1, 1) and not _padded(operands)):
        return None
    return max((s for s, size in zip(strides, result, strict=True) if size > 1), default=1)


def _sided(padding: str) -> Setter:
    def sets(plan: Plan, value: Any) -> Plan | None:
        padded = option_stated(plan, padding, "padding")
        return None if padded is None else option_stated(padded, value, "filter_height", "filter_width")

    return sets


@measures(_sided("SAME"))
def padded_window(operands: Operands) -> Measured:
    """The longer side of a pooling's window that goes over padding; None of others."""
    kernel = _kernel(operands)
    return max(kernel) if kernel and _padded(operands) else None


@measures(_sided("VALID"))
def unpadded_window_height(operands: Operands) -> Measured:
    """The height of a pooling's window with padding VALID; None with SAME."""
    kernel = _kernel(operands)
    return kernel[0] if kernel and word(operands, "padding") != "SAME" else None


@measures(option("filter_height"))
def window_area(operands: Operands) -> Measured:
    """How many elements the window has, with the gaps dilation leaves."""
    kernel = _kernel(operands)
    return None if kernel is None else kernel[0] * kernel[1]


@measures(
    upscaled, "other", gives=of("a way to stride", "plain", "double", "wide", "high", pattern=r"w\d+h\d+")
)
def transpose_conv_stride_class(operands: Operands) -> Measured:
    """How a transposed convolution strides: ``plain`` by 1, ``double`` by 2, ``wide`` by 2 along the width where input and
    window are 1 high, ``high`` the other way round; else width and height of the stride, ``w3h1``."""
    strides, image, kernel = _strides(operands), _image(operands), _kernel(operands)
    if strides is None or image is None or kernel is None:
        return None
    flat, narrow = ((image[at], kernel[at]) == (1, 1) for at in (0, 1))
    known = {(1, 1): "plain", (2, 2): "double"}
    known |= {(1, 2): "wide"} if flat else {}
    known |= {(2, 1): "high"} if narrow else {}
    return known.get(strides, f"w{strides[1]}h{strides[0]}")


@measures(upscaled_off)
def transpose_conv_shape_error(operands: Operands) -> Measured:
    """By how much the sides of a transposed convolution's result differ from what strides and padding make of them."""
    strides, image, kernel = _strides(operands), _image(operands), _kernel(operands)
    result = _image(operands, "output")
    if strides is None or image is None or kernel is None or result is None:
        return None
    same = word(operands, "padding") == "SAME"
    wanted = [d * s + (0 if same else max(k - s, 0)) for d, s, k in zip(image, strides, kernel, strict=True)]
    return sum(abs(a - b) for a, b in zip(wanted, result, strict=True))


@measures(summed)
def weight_sum(operands: Operands) -> Measured:
    """The largest sum, over one output channel, of the magnitudes of constant weights less their zero point."""
    weight = operands.one("weight")
    if (
        weight is None
        or weight.data is None
        or not weight.shape
        or weight.dtype not in ("int8", "uint8", "int4")
    ):
        return None
    values = stored_integers(weight)
    if values is None or not values.size:
        return None
    points = weight.quantization.zero_point
    wide = np.abs(values.astype(np.int64) - (int(points[0]) if points.size else 0))
    axis = channel_axis(operands.operator, weight)
    return int(wide.sum(axis=tuple(a for a in range(wide.ndim) if a != axis)).max())


@measures(summed)
def weight_sum_8bit_input(operands: Operands) -> Measured:
    """As ``weight_sum``, where the input is int8 or uint8."""
    tensor = operands.one("input")
    return weight_sum(operands) if tensor is not None and tensor.dtype in ("int8", "uint8") else None


@measures(option("beta"))
def negative_beta(operands: Operands) -> Measured:
    """1 where SOFTMAX multiplies by a number below 0, else 0."""
    beta = number(operands, "beta")
    return None if beta is None else int(beta < 0)


@measures(flat)
def height_x_width(operands: Operands) -> Measured:
    """Height times width of the input, all dimensions but the last one where there are fewer than four."""
    image = _image(operands)
    return None if image is None else image[0] * image[1]
