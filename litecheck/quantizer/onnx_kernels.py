"""The arithmetic of QuantizeLinear and DequantizeLinear, tile by tile.

A kernel takes ``x``, the scale in the type of the arithmetic (held as
:func:`~litecheck.quantizer.floats.rounded_to` says), the zero point if there is one, and the array to write.
All have one dimension; scale and zero point may be scalars.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.quantizer.floats import rounded_to, to_ml_dtype, to_small_float
from litecheck.quantizer.onnx_types import RANGES, name_of
from litecheck.quantizer.rounding import to_integers

Kernel = Callable[..., None]


def _divide(x: NDArray[Any], scale: Any, name: str) -> NDArray[Any]:
    """The quotient in type ``name``, ``scale`` being in it already; a new array of float32, or float64."""
    quotient = np.asarray(np.divide(rounded_to(x, name), scale))
    return rounded_to(quotient, name)


def integers_in(division: str, target: str) -> Kernel:
    """Into an integer type: rounded, zero point added, saturated."""

    def kernel(x: NDArray[Any], scale: Any, *rest: Any) -> None:
        *offset, out = rest
        quotient = _divide(x, scale, division)
        np.rint(quotient, out=quotient)
        to_integers(quotient, offset[0] if offset else None, RANGES[target], out)

    return kernel


def small_floats_in(division: str, target: str, saturate: bool) -> Kernel:
    """Into a small float: zero point added, rounded once, saturated or not."""

    def kernel(x: NDArray[Any], scale: Any, *rest: Any) -> None:
        *offset, out = rest
        quotient = _divide(x, scale, division)
        if offset and np.any(offset[0]):
            # Exact where it counts: a quotient that can move the sum lies within 53 bits of the zero point.
            quotient = quotient.astype(np.float64) + offset[0]
        out[...] = to_small_float(quotient, target, saturate)

    return kernel


def reals_in(result: str) -> Kernel:
    """Into a real type: the exact difference times the scale, in that type."""

    def kernel(x: NDArray[Any], scale: Any, *rest: Any) -> None:
        *zero_point, out = rest
        # Exact: 17 bits for integers (an int32 tensor has zero point 0), within 53 for small floats.
        wide = np.int32 if name_of(x) in RANGES else np.float64
        difference: NDArray[Any] = x.astype(wide)
        if zero_point:
            difference = difference - zero_point[0].astype(wide)
        product = rounded_to(difference, result) * scale
        out[...] = product if out.dtype.kind == "f" else to_ml_dtype(product, result)

    return kernel
