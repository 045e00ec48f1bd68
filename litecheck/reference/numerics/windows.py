"""Windows over images: output sizes, padding, and the view of all windows of a padded image."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.flatbuffer.table import Table
from litecheck.reference.compute_limits import reserve

SAME, VALID = 0, 1


@dataclass(frozen=True, slots=True)
class Axis:
    """Spatial axis: ``out`` windows of ``kernel`` taps, ``dilation`` apart. The first begins ``before`` elements before
    the image."""

    size: int
    kernel: int
    stride: int
    dilation: int
    out: int
    before: int

    @property
    def after(self) -> int:
        """Number of elements after the image that the last window reaches; negative if it ends inside the image.

        For example, length 8, filter 3, stride 2 and SAME give 1.
        """
        return (self.out - 1) * self.stride + (self.kernel - 1) * self.dilation + 1 - self.before - self.size


@lru_cache(maxsize=1 << 12)
def axis(size: int, kernel: int, stride: int, dilation: int, padding: int) -> Axis:
    """Return the windows of SAME or VALID padding. An odd element of padding is added at the end.

    SAME has ceil(size / stride) windows, and max(0, (windows - 1) * stride + (filter - 1) * dilation + 1 - size)
    elements of padding, half of them before the image, rounded down. Source: tflite/kernels/padding.h, ComputeOutSize
    and ComputePaddingWithOffset.

    For example, length 7, filter 3 and stride 2 give 4 windows for SAME, the first 1 element before the image, and 3
    for VALID.
    """
    reach = (kernel - 1) * dilation + 1
    out = -(-size // stride) if padding == SAME else max(0, (size + stride - reach) // stride)
    before = max(0, (out - 1) * stride + reach - size) // 2
    return Axis(size, kernel, stride, dilation, out, before)


def axes(shape: tuple[int, ...], kernel: tuple[int, int], options: Table | None) -> tuple[Axis, Axis]:
    """Return height and width windows of an NHWC image, from options with padding, stride_h, stride_w and dilations."""
    get = options.get if options is not None else lambda _, default: default
    padding = int(get("padding", SAME))
    rows = axis(shape[1], kernel[0], int(get("stride_h", 0)), int(get("dilation_h_factor", 1)), padding)
    return rows, axis(shape[2], kernel[1], int(get("stride_w", 0)), int(get("dilation_w_factor", 1)), padding)


def pad_image(x: NDArray[Any], rows: Axis, columns: Axis, fill: int, dtype: Any) -> NDArray[Any]:
    """Return an NHWC image as ``dtype``, C-contiguous, with exactly the margin of its windows, filled with ``fill``."""
    n, height, width, depth = x.shape
    top, bottom, left, right = rows.before, rows.after, columns.before, columns.after
    if not (top or left or bottom > 0 or right > 0):
        return np.ascontiguousarray(x, dtype)
    sizes = n, height + top + max(0, bottom), width + left + max(0, right), depth
    reserve(sizes, np.dtype(dtype).itemsize, "padded input")
    made = np.full(sizes, fill, dtype)
    made[:, top : top + height, left : left + width] = x
    return made


def windows(image: NDArray[Any], rows: Axis, columns: Axis) -> NDArray[Any]:
    """Return a view (batch, out rows, out columns, taps down, taps across, depth) of a padded image."""
    n, down, across, depth = image.strides
    shape = (image.shape[0], rows.out, columns.out, rows.kernel, columns.kernel, image.shape[3])
    strides = (
        n,
        down * rows.stride,
        across * columns.stride,
        down * rows.dilation,
        across * columns.dilation,
        depth,
    )
    view: NDArray[Any] = np.ndarray(shape, image.dtype, image, 0, strides)
    return view
