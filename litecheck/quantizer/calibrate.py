"""Choice of scales and zero points, from the smallest and largest value or from the values themselves.

The formulas are those of LiteRT's calibrating quantizer (TensorFlow, lite/tools/optimize/quantization_utils.cc), which
computes in float32. Its MLIR converter computes in float64. ``width`` selects the type, and every intermediate value is
rounded to it. The scale is finally rounded to float32, as the file stores it.

- *symmetric*: scale = max(abs(low), abs(high)) / n, with n the type's largest value. int8 uses [-127, 127] and never
  -128. The zero point is 0. For example, [-1, 2] in int8 gives scale 2 / 127.
- *asymmetric*: the range is widened to include 0, and scale = (high - low) / (number of steps of the type). The zero
  point is lowest - low / scale, rounded ("nudged") to the nearest integer of the type, half away from zero. 0 is
  therefore exact, and both ends of the range are off by at most half a step.

A range whose scale would be 0 or subnormal (all values 0, or too small for float32) gets scale 1. A scale must be
positive to conform. A subnormal scale has too few digits to keep values from the lowest integer, and XNNPACK rejects
it. With scale 1 every value is still within half a step.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from litecheck.public_call import shows_call
from litecheck.quantization import INTEGER_RANGES
from litecheck.quantizer.arguments import as_array, check_words, type_word
from litecheck.quantizer.litert import STORAGE, name
from litecheck.quantizer.types import Parameters, QuantizerError

Width = Literal["float32", "float64"]
#: The smallest normal float32.
_SMALLEST = np.finfo(np.float32).tiny


def symmetric(
    low: ArrayLike, high: ArrayLike, dtype: str = "int8", axis: int | None = None, width: Width = "float32"
) -> Parameters:
    """Return parameters with zero point 0 for values in [low, high]; with ``axis``, arrays give per-axis parameters.

    ``dtype`` is a signed type. Raise QuantizerError for a range that is not finite or has low > high.

    For example, [-1, 2] in int8 gives scale 2 / 127.
    """
    least, most = _ends(low, high, width)
    bottom, top = _range(dtype)
    if not bottom:
        raise QuantizerError(
            name,
            "dtype",
            f"{dtype} has no negative values to be symmetric with; expected a signed type such as int8",
        )
    with np.errstate(under="ignore"):
        scale = np.maximum(np.abs(least), np.abs(most)) / least.dtype.type(top)
    return _parameters(scale, np.zeros(scale.shape, np.int64), axis)


def asymmetric(
    low: ArrayLike, high: ArrayLike, dtype: str = "int8", axis: int | None = None, width: Width = "float32"
) -> Parameters:
    """Return parameters that use all values of ``dtype`` for [low, high] and 0; with ``axis``, arrays give them per axis.

    Raise QuantizerError for a range that is not finite, has low > high, or exceeds the range of ``width``.

    For example, [-1, 1.55] in int8 gives scale 0.01 and zero point -28.
    """
    least, most = _ends(low, high, width)
    bottom, top = (least.dtype.type(end) for end in _range(dtype))
    least, most = np.minimum(least, 0), np.maximum(most, 0)
    with np.errstate(over="ignore", under="ignore", divide="ignore", invalid="ignore"):
        scale = (most - least) / (top - bottom)
        from_low = np.where(scale > 0, bottom - least / scale, bottom)
    nudged = np.trunc(from_low + np.copysign(np.nextafter(least.dtype.type(0.5), 0), from_low))
    return _parameters(scale, np.clip(nudged, bottom, top).astype(np.int64), axis)


@shows_call("litecheck.choose_parameters(array, dtype='int8', axis=0)")
def from_data(
    x: ArrayLike, dtype: DTypeLike = "int8", *, axis: int | None = None, mode: str = "symmetric",
    width: Width = "float32",
) -> Parameters:  # fmt: skip
    """Return parameters for the smallest and largest value of ``x``, or of each slice along ``axis``.

    ``mode`` is ``symmetric`` (weights) or ``asymmetric`` (activations). Raise QuantizerError for NaN, infinities and
    empty slices.

    For example, [[1, -2], [0.5, 1.27]] with axis 0 gives the scales 2 / 127 and 0.01.
    """
    check_words("choose_parameters", mode=mode)
    values, kind = (
        as_array("choose_parameters", x, np.float32),
        type_word("choose_parameters", dtype) or "int8",
    )
    rules = {"symmetric": symmetric, "asymmetric": asymmetric}
    if mode not in rules:
        raise QuantizerError(name, "mode", f"{mode} is not one of {', '.join(rules)}")
    if axis is not None and not -values.ndim <= axis < values.ndim:
        raise QuantizerError(name, "axis", f"is {axis}, the tensor has {values.ndim} dimensions")
    if not values.size:
        raise QuantizerError(name, "x", "has no values to choose parameters from")
    others = None if axis is None else tuple(i for i in range(values.ndim) if i != axis % values.ndim)
    return rules[mode](values.min(axis=others), values.max(axis=others), kind, axis, width)


def _range(dtype: str) -> tuple[int, int]:
    if dtype not in STORAGE:
        raise QuantizerError(name, "dtype", f"{dtype} is not one of {', '.join(STORAGE)}")
    return INTEGER_RANGES[dtype]


def _ends(low: ArrayLike, high: ArrayLike, width: Width) -> tuple[NDArray[Any], NDArray[Any]]:
    ends = np.atleast_1d(np.asarray(low, width)), np.atleast_1d(np.asarray(high, width))
    if not (np.isfinite(ends[0]).all() and np.isfinite(ends[1]).all()):
        raise QuantizerError(name, "range", "has an end that is not finite")
    if (ends[0] > ends[1]).any():
        raise QuantizerError(name, "range", "has a lower end above its upper end")
    return ends


def _parameters(scale: NDArray[Any], zero: NDArray[np.int64], axis: int | None) -> Parameters:
    if axis is None and scale.size != 1:
        raise QuantizerError(name, "axis", f"is needed for {scale.size} ranges")
    with np.errstate(over="ignore", under="ignore"):
        narrowed = scale.astype(np.float32)
    if not np.isfinite(narrowed).all():
        raise QuantizerError(name, "range", "is wider than float32 can say")
    return Parameters(np.where(narrowed >= _SMALLEST, narrowed, np.float32(1)), zero, axis)
