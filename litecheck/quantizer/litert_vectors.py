"""LiteRT's vectorized kernels that differ from the formula: the reciprocal in QUANTIZE, two products in DEQUANTIZE.

The optimized kernels and XNNPACK multiply by the reciprocal of the scale and round half to even. The optimized kernels
compute eight values at a time. The remaining values at the end of a tensor, the *tail*, are computed individually with a
different arithmetic. An output can therefore depend on the position of the value in the tensor.

Sources: tflite/kernels/internal/optimized/optimized_ops.h, AffineQuantize and Dequantize; XNNPACK, src/f32-qs8-vcvt.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from litecheck.arrays import Array
from litecheck.quantization import INTEGER_RANGES
from litecheck.quantizer.rounding import to_integers

#: Values per vector of the optimized kernels.
LANES = 8
_SMALLEST_NORMAL = np.finfo(np.float32).smallest_normal


@dataclass(frozen=True, slots=True)
class Grid:
    """One scale, one zero point, and their stored type."""

    scale: np.float32
    zero: int
    dtype: str


def reciprocal(scale: np.float32, flush: bool = False) -> np.float32:
    """Return 1 / scale in float32, infinite for scales below 2**-128. ``flush`` is that of :func:`quantize_body`.

    For example, 0.3 gives 3.3333333.
    """
    with np.errstate(all="ignore"):
        inverse: np.float32 = np.float32(1) / np.float32(scale)
    return np.float32(0) if flush and inverse < _SMALLEST_NORMAL else inverse


def quantize_body(x: Array, out: Array, grid: Grid, flush: bool = False) -> None:
    """Compute ``out = saturate(rint(x * (1 / scale)) + zero)`` in float32. NaN gives the zero point.

    The reciprocal must be finite. XNNPACK flushes subnormal numbers. With ``flush`` they count as 0, both in ``x`` and
    as the reciprocal.
    """
    with np.errstate(all="ignore"):
        product = np.asarray(x * reciprocal(grid.scale, flush), np.float32)
    if flush:
        product[np.abs(x) < _SMALLEST_NORMAL] = 0
    _finish(np.rint(product, out=product), out, grid)


def quantize_tail(x: Array, out: Array, grid: Grid) -> None:
    """Compute ``out = saturate(round(x / scale) + zero)``, the quotient in float64, rounded half away from zero."""
    with np.errstate(all="ignore"):
        quotient = x.astype(np.float64) / np.float64(grid.scale)
        rounded = np.trunc(quotient + np.copysign(0.5, quotient))
    _finish(rounded, out, grid)


def dequantize_body(q: Array, out: Array, grid: Grid) -> None:
    """Compute ``out = scale * q - scale * zero_point``, with both products and the difference rounded to float32."""
    with np.errstate(all="ignore"):
        np.subtract(grid.scale * q.astype(np.float32), np.float32(grid.zero) * grid.scale, out=out)


def _finish(rounded: Array, out: Array, grid: Grid) -> None:
    np.copyto(rounded, 0, where=np.isnan(rounded))
    to_integers(rounded, rounded.dtype.type(grid.zero), INTEGER_RANGES[grid.dtype], out)
