"""Comparison of a device's quantized tensor with the expected tensor: number, size, location and causes of differences."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from litecheck.errors import wrong_type
from litecheck.quantizer.arguments import Scales, as_array, as_parameters, check_words, type_word
from litecheck.quantizer.causes.integer_search import causes
from litecheck.quantizer.causes.variants import Lookup, Recipe
from litecheck.quantizer.comparison_result import EDGES, TILE, Comparison, Element, Mismatch, buckets, tally
from litecheck.quantizer.onnx_types import RANGES
from litecheck.quantizer.types import Parameters, QuantizerError, Semantics

_WHO = "compare"


def compare(
    expected: NDArray[Any],
    actual: NDArray[Any],
    quantization: Scales | None = None,
    tolerance: float = 0,
    *,
    semantics: str | Semantics = "litert",
    dtype: DTypeLike | None = None,
    unit: str | None = None,
) -> Comparison:
    """Compare a device's stored integers with the expected integers, element by element.

    ``expected`` has stored integers of the same type, or real values. Real values are first quantized by
    ``quantization`` under ``semantics``; then the causes of differences are most precise. ``dtype`` names the stored
    type if it differs from the array's type (int4 in int8). bool beside bool or uint8 is 0 and 1. The tolerance is in
    LSB. Beside the quantized expected values, memory holds only tiles.

    ``quantization`` may be a scale, with zero point 0. float64 values become float32 beside stored integers.

    Two tensors of real values are compared directly, see :func:`litecheck.quantizer.float_comparison.compare_reals`.
    ``unit`` is then the unit of the tolerance, ``ULP`` or ``share``. Raise QuantizerError for shapes or types that do
    not match, real values without parameters, a unit that does not fit the tensors, and values outside the type's
    range.
    """
    _check_arguments(expected, actual, tolerance, semantics, unit)
    if {expected.dtype.name, actual.dtype.name} <= {"bool", "uint8"}:
        expected, actual = expected.view(np.uint8), actual.view(np.uint8)
    if _is_real(expected) and _is_real(actual):
        from litecheck.quantizer.float_comparison import compare_reals

        if quantization is not None or dtype is not None:
            message = f"holds {actual.dtype}, no stored integers; without parameters and type two real tensors are compared"
            raise _error("actual", message)
        return compare_reals(expected, actual, tolerance, unit or "ULP")
    if unit not in (None, "LSB"):
        raise _error("tolerance", f"is in {unit}; stored integers differ in LSB")
    told = type_word("compare", dtype)
    name = _stored_type(actual, "actual", told)
    expected = as_array("compare", expected, np.float32) if expected.dtype == np.float64 else expected
    if expected.shape != actual.shape:
        raise _error("shape", f"expected has {_words(expected.shape)}, actual has {_words(actual.shape)}")
    if tolerance < 0:
        raise _error("tolerance", f"{tolerance} LSB; it cannot be negative")
    if tolerance != int(tolerance):
        raise _error("tolerance", f"{tolerance} LSB; it is a whole number")
    parameters = None if quantization is None else as_parameters("compare", quantization)
    if parameters is not None:
        _check_fits(parameters, actual.shape)
    integers, real, by = expected, None, ""
    if _is_real(expected):
        integers, parameters, by = _quantize_expected(expected, parameters, semantics, name)
        real = expected.reshape(-1)
    elif _stored_type(expected, "expected", told) != name:
        raise _error("dtype", f"expected holds {expected.dtype}, actual {actual.dtype}")
    case = Mismatch(_flat(integers), _flat(actual), name, actual.shape, 0, real, parameters, by)
    return _compare_tiles(case, tolerance)


def _check_arguments(
    expected: object, actual: object, tolerance: object, semantics: object, unit: object
) -> None:
    """Raise TypeError for arguments of another type."""
    for given in (expected, actual):
        if not isinstance(given, np.ndarray) or given.dtype.kind not in "biufV":
            call = "litecheck.compare(expected, actual), numpy arrays both"
            raise wrong_type("compare", "numpy arrays", given, call)
    if not isinstance(tolerance, (int, float)):
        call = "litecheck.compare(expected, actual, tolerance=1)"
        raise wrong_type("compare", "a number as tolerance", tolerance, call)
    check_words("compare", semantics=None if hasattr(semantics, "quantize") else semantics, unit=unit)


def _error(argument: str, message: str) -> QuantizerError:
    return QuantizerError(_WHO, argument, message)


def _words(shape: tuple[int, ...]) -> str:
    return "x".join(map(str, shape)) or "no dimensions"


def _is_real(array: NDArray[Any]) -> bool:
    return array.dtype.kind == "f" or array.dtype.name == "bfloat16"


def _stored_type(array: NDArray[Any], argument: str, told: str | None) -> str:
    own = str(array.dtype.name)
    if own not in RANGES:
        hint = "; quantize it first, or give real values on both sides" if _is_real(array) else ""
        raise _error(argument, f"holds {own}, no stored integers{hint}")
    if told is None or told == own:
        return own
    if told not in RANGES:
        raise _error("dtype", f"{told} is not an integer type")
    low, high = RANGES[told]
    smallest, largest = (int(array.min()), int(array.max())) if array.size else (low, high)
    if RANGES[own][0] > low or RANGES[own][1] < high or smallest < low or largest > high:
        raise _error(argument, f"holds {own} from {smallest} to {largest}, which is not {told}")
    return told


def _check_fits(parameters: Parameters, shape: tuple[int, ...]) -> None:
    axis, count = parameters.axis, parameters.scale.size
    if axis is None:
        fits = count == 1
    elif not -len(shape) <= axis < len(shape):
        raise _error("axis", f"{axis} is not an axis of {len(shape)} dimensions")
    elif parameters.block_size:
        axis %= len(shape)
        blocks = -(-shape[axis] // parameters.block_size)
        fits = parameters.scale.shape == (*shape[:axis], blocks, *shape[axis + 1 :])
    else:
        fits = count == shape[axis]
    if not fits:
        where = "" if axis is None else f" along axis {axis}"
        raise _error("scale", f"{count} scales{where} do not fit a tensor of {_words(shape)}")


def _flat(array: NDArray[Any]) -> NDArray[Any]:
    """Return the array flattened. The 4- and 2-bit types of ml_dtypes, which numpy cannot compute with, become int8."""
    flat = array.reshape(-1)
    return flat if flat.dtype.kind in "iu" else flat.astype(np.int8)


def _quantize_expected(
    expected: NDArray[Any], parameters: Parameters | None, semantics: str | Semantics, dtype: str
) -> tuple[NDArray[Any], Parameters, str]:
    """Return the expected integers, their parameters, and the name of the semantics.

    Without parameters, a semantics that has ``choose`` chooses them.
    """
    from litecheck.quantizer.semantics import semantics as named

    judge = named(semantics) if isinstance(semantics, str) else semantics
    if parameters is None and (choose := getattr(judge, "choose", None)):
        parameters = choose(expected)
    if parameters is None:
        raise _error("quantization", f"expected holds {expected.dtype}; its scale and zero point are needed")
    return judge.quantize(expected, parameters, dtype), parameters, judge.name


def _compare_tiles(case: Mismatch, tolerance: float) -> Comparison:
    counts = np.zeros((2, len(EDGES)), np.int64)
    mismatches, beyond, first, worst, most = 0, 0, None, 0, 0
    for start, positions, difference in _differences(case):
        size = np.abs(difference)
        mismatches += positions.size
        beyond += int((size > tolerance).sum())
        first = start + int(positions[0]) if first is None else first
        peak = int(size.argmax())
        if int(size[peak]) > most:
            most, worst = int(size[peak]), start + int(positions[peak])
        counts += tally(difference)
    judged = Comparison(case.dtype, case.shape, case.actual.size, tolerance, case.semantics)
    if first is None:
        return judged
    case = replace(case, mismatches=mismatches)
    return replace(
        judged,
        mismatches=mismatches,
        beyond=beyond,
        histogram=tuple(buckets(counts)),
        first=_element(case, first),
        worst=_element(case, worst),
        causes=causes(case),
    )


def _differences(case: Mismatch) -> Iterator[tuple[int, NDArray[np.int64], NDArray[Any]]]:
    """Yield (start, positions, actual - expected) for every tile with differences. Positions count from the tile's start."""
    # Differences of 64-bit values need 65 bits, so they are computed with Python integers.
    wide: Any = object if case.dtype in ("int64", "uint64") else np.int64
    for start in range(0, case.actual.size, TILE):
        expected, actual = case.expected[start : start + TILE], case.actual[start : start + TILE]
        positions = np.flatnonzero(expected != actual)
        if positions.size:
            yield start, positions, actual[positions].astype(wide) - expected[positions].astype(wide)


def _element(case: Mismatch, position: int) -> Element:
    index = tuple(int(i) for i in np.unravel_index(position, case.shape)) if case.shape else ()
    expected, actual = int(case.expected[position]), int(case.actual[position])
    if case.parameters is None:
        return Element(index, expected, actual)
    scales, zeros = Lookup(case.parameters, case.shape).at(np.array([position]), Recipe())
    scale, zero = float(scales[0]), int(zeros[0])
    if case.real is None:
        return Element(index, expected, actual, scale * (expected - zero), scale, zero)
    real = float(case.real[position])
    if not (isfinite(real) and isfinite(scale) and scale):
        return Element(index, expected, actual, real, scale, zero)
    with np.errstate(all="ignore"):
        narrow = float(np.float32(real) / np.float32(scale))
    quotient32 = Fraction(narrow) if isfinite(narrow) else None
    return Element(index, expected, actual, real, scale, zero, Fraction(real) / Fraction(scale), quotient32)
