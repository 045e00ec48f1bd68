"""Measurements of the windows of convolutions and poolings: sizes, and strides beside padding and dilation."""

from __future__ import annotations

from math import prod

from litecheck.model.types import Tensor
from litecheck.profile.measurements.measured_operator import Measured, Operands, integer, word
from litecheck.profile.measurements.register import Setter, measures, option, option_stated
from litecheck.profile.operator_plan import Plan
from litecheck.targets.generators.windows import set_padded_stride


def height_and_width(tensor: Tensor) -> tuple[int, int]:
    """Return height and width of (..., height, width, channels); the shape is padded with leading 1s to rank 4."""
    padded = (1,) * (4 - len(tensor.shape)) + tensor.shape
    return padded[-3], padded[-2]


def sides_of(operands: Operands, role: str = "input") -> tuple[int, int] | None:
    """Return height and width of the tensor of a role."""
    tensor = operands.one(role)
    return None if tensor is None else height_and_width(tensor)


def dilations_of(operands: Operands) -> tuple[int, int]:
    """Return the dilation along height and width."""
    height, width = (integer(operands, f"dilation_{side}_factor") or 1 for side in "hw")
    return height, width


def window_of(operands: Operands) -> tuple[int, int] | None:
    """Return height and width of the window with dilation."""
    weight = operands.one("weight")
    if weight is not None:
        if len(weight.shape) < 3:
            return None
        dilations = [max(dilation, 1) for dilation in dilations_of(operands)]
        height, width = ((k - 1) * d + 1 for k, d in zip(weight.shape[-3:-1], dilations, strict=True))
        return height, width
    rows, columns = integer(operands, "filter_height"), integer(operands, "filter_width")
    return None if rows is None or columns is None else (rows, columns)


def strides_of(operands: Operands) -> tuple[int, int] | None:
    """Return the stride along height and width."""
    height, width = integer(operands, "stride_h"), integer(operands, "stride_w")
    return None if height is None or width is None else (height, width)


def _has_padded_pixels(operands: Operands) -> bool:
    """Return True if padding SAME adds pixels to the input."""
    if word(operands, "padding") != "SAME":
        return False
    window, strides, sides = window_of(operands), strides_of(operands), sides_of(operands)
    if window is None or strides is None or sides is None:
        return True
    return any(
        (-(-size // s) - 1) * s + k > size for size, k, s in zip(sides, window, strides, strict=True) if s > 0
    )


@measures(set_padded_stride)
def padded_stride(operands: Operands) -> Measured:
    """Largest stride of a window with dilation or padded pixels, along output sides above 1; none without dilation and
    padded pixels. Example: 3x3 CONV_2D with padding SAME and strides 4 from 9x9 to 3x3 gives 4."""
    strides, sides = strides_of(operands), sides_of(operands, "output")
    if strides is None or sides is None:
        return None
    if dilations_of(operands) == (1, 1) and not _has_padded_pixels(operands):
        return None
    return max((s for s, size in zip(strides, sides, strict=True) if size > 1), default=1)


def _set_window(padding: str) -> Setter:
    """Return a setter of the sides of a pooling window with this padding."""

    def sets(plan: Plan, value: int) -> Plan | None:
        padded = option_stated(plan, padding, "padding")
        return None if padded is None else option_stated(padded, value, "filter_height", "filter_width")

    return sets


@measures(_set_window("SAME"))
def padded_window(operands: Operands) -> Measured:
    """Longer side of a pooling window with padded pixels; none without. Example: 3x9 AVERAGE_POOL_2D with padding SAME,
    stride 1 and input 8x8 gives 9."""
    window = window_of(operands)
    return max(window) if window and _has_padded_pixels(operands) else None


@measures(_set_window("VALID"))
def unpadded_window_height(operands: Operands) -> Measured:
    """Height of a pooling window with padding VALID; none for SAME. Example: 3x9 AVERAGE_POOL_2D gives 3."""
    window = window_of(operands)
    return window[0] if window and word(operands, "padding") != "SAME" else None


@measures(option("filter_height"))
def window_area(operands: Operands) -> Measured:
    """Height times width of the window with dilation. Example: 3x9 AVERAGE_POOL_2D gives 27."""
    window = window_of(operands)
    return None if window is None else prod(window)
