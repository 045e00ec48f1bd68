"""What LiteRT's vectors compute where they depart from the formula: QUANTIZE's reciprocal, DEQUANTIZE's two products.

The optimized kernels and XNNPACK multiply by the reciprocal of the scale and round half to even. The optimized
kernels do so with eight values at a time; what is left at the end of a tensor, its *tail*, goes one by one and in
another arithmetic, so that a result can depend on where in the tensor the value stands.

Sources: tflite/kernels/internal/optimized/optimized_ops.h, AffineQuantize and Dequantize; XNNPACK, src/f32-qs8-vcvt.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from litecheck.arrays import Array
from litecheck.quantization import INTEGER_RANGES
from litecheck.quantizer.rounding import to_integers

#: Values that a vector of the optimized kernels holds.
LANES = 8
_SMALLEST_NORMAL = np.finfo(np.float32).smallest_normal


@dataclass(frozen=True, slots=True)
class Grid:
    """One scale, one zero point, and the type they are for."""

    scale: np.float32
    zero: int
    dtype: str


def reciprocal(scale: np.float32, flush: bool = False) -> np.float32:
    """1 / scale in float32; infinite for scales below 2**-128. ``flush`` as in :func:`quantize_body`."""
    with np.errstate(all="ignore"):
        inverse: np.float32 = np.float32(1) / np.float32(scale)
    return np.float32(0) if flush and inverse < _SMALLEST_NORMAL else inverse


def quantize_body(x: Array, out: Array, grid: Grid, flush: bool = False) -> None:
    """``out = saturate(rint(x * (1 / scale)) + zero)`` in float32 for finite reciprocals; NaN gives the zero point.

    XNNPACK runs with subnormal numbers switched off: with ``flush`` they count as 0, in x and as the reciprocal.
    """
    with np.errstate(all="ignore"):
        product = np.asarray(x * reciprocal(grid.scale, flush), np.float32)
    if flush:
        product[np.abs(x) < _SMALLEST_NORMAL] = 0
    _finish(np.rint(product, out=product), out, grid)


def quantize_tail(x: Array, out: Array, grid: Grid) -> None:
    """``out = saturate(round(x / scale) + zero)``, the quotient in float64, half away from zero."""
    with np.errstate(all="ignore"):
        quotient = x.astype(np.float64) / np.float64(grid.scale)
        rounded = np.trunc(quotient + np.copysign(0.5, quotient))
    _finish(rounded, out, grid)


def dequantize_body(q: Array, out: Array, grid: Grid) -> None:
    """``out = scale * q - scale * zero_point``, each of the three rounded to float32."""
    with np.errstate(all="ignore"):
        np.subtract(grid.scale * q.astype(np.float32), np.float32(grid.zero) * grid.scale, out=out)


def _finish(rounded: Array, out: Array, grid: Grid) -> None:
    np.copyto(rounded, 0, where=np.isnan(rounded))
    to_integers(rounded, rounded.dtype.type(grid.zero), INTEGER_RANGES[grid.dtype], out)
