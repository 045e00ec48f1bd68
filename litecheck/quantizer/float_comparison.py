"""Comparison of real values with real values: differences in ULP and as a share of the magnitude."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.quantizer.comparison_result import TILE, Comparison, Element, buckets, tally
from litecheck.quantizer.types import QuantizerError

_BITS: dict[str, type[np.signedinteger[Any]]] = {
    "float16": np.int16, "bfloat16": np.int16, "float32": np.int32, "float64": np.int64
}  # fmt: skip
UNITS = ("ULP", "share")


def compare_reals(
    expected: NDArray[Any], actual: NDArray[Any], tolerance: float = 0, unit: str = "ULP"
) -> Comparison:
    """Compare two tensors of the same shape and the same type of real values, element by element.

    The difference in *ULP* is the number of steps between two adjacent numbers of the type. For example, 1.0 and the next
    float32 differ by 1. Two zeros are equal, and so are two NaN. NaN is 1 ULP beyond infinity. ``tolerance`` is a number
    of ULP or, with the unit ``share``, a share of the largest finite magnitude expected (of 1 if that is 0). With
    ``share``, an element with a finite and a non-finite value is beyond every tolerance. Raise QuantizerError.
    """
    dtype = str(expected.dtype.name)
    if expected.shape != actual.shape:
        raise _error("shape", f"expected has {expected.shape}, actual has {actual.shape}")
    if expected.dtype != actual.dtype or dtype not in _BITS:
        raise _error("dtype", f"expected holds {dtype}, actual {actual.dtype}")
    if unit not in UNITS or not 0 <= tolerance < np.inf:
        raise _error("tolerance", f"{tolerance} {unit}; it is a number of ULP or a share")
    ours, theirs = expected.reshape(-1), actual.reshape(-1)
    magnitude = max((_largest(ours[i : i + TILE]) for i in range(0, ours.size, TILE)), default=0.0) or 1.0
    counts, beyond, farthest = np.zeros_like(tally(np.empty(0, np.int64))), 0, 0.0
    first = worst = None
    # Differences of float64 need 65 bits, so they are computed with Python integers.
    wide: Any = object if dtype == "float64" else np.int64
    for start in range(0, ours.size, TILE):
        a, b = ours[start : start + TILE], theirs[start : start + TILE]
        at = np.flatnonzero(_order_integers(a, dtype) != _order_integers(b, dtype))
        if not at.size:
            continue
        steps = _order_integers(b[at], dtype).astype(wide) - _order_integers(a[at], dtype).astype(wide)
        with np.errstate(invalid="ignore", over="ignore"):
            off = np.abs(b[at].astype(np.float64) - a[at].astype(np.float64)) / magnitude
        shares = np.where(np.isnan(off), np.inf, off)
        counts += tally(steps)
        beyond += int(((np.abs(steps) if unit == "ULP" else shares) > tolerance).sum())
        farthest = max(farthest, float(shares.max()))
        peak = int(np.abs(steps).argmax())
        first = (start + int(at[0]), int(steps[0])) if first is None else first
        if worst is None or abs(int(steps[peak])) > abs(worst[1]):
            worst = start + int(at[peak]), int(steps[peak])
    spots = []
    for spot in (first, worst):
        place, ulps = spot or (0, 0)
        index = tuple(map(int, np.unravel_index(place, expected.shape))) if spot and expected.shape else ()
        spots.append(Element(index, float(ours[place]), float(theirs[place]), ulps=ulps) if spot else None)
    return Comparison(
        dtype, expected.shape, expected.size, tolerance, "", unit, farthest,
        int(counts.sum()), beyond, tuple(buckets(counts)), spots[0], spots[1],
    )  # fmt: skip


def _error(argument: str, message: str) -> QuantizerError:
    return QuantizerError("compare", argument, message)


def _order_integers(values: NDArray[Any], dtype: str) -> NDArray[np.int64]:
    """Return integers in the order of the values: both zeros are 0, and every NaN is infinity + 1."""
    width = _BITS[dtype]
    bits = np.ascontiguousarray(values).view(width).astype(np.int64)
    ordered = np.where(bits < 0, -(bits & np.iinfo(width).max), bits)
    infinity = int(np.array(np.inf, values.dtype).view(width))
    return np.where(np.abs(ordered) > infinity, infinity + 1, ordered)


def _largest(values: NDArray[Any]) -> float:
    wide = np.abs(values.astype(np.float64))
    return float(wide[np.isfinite(wide)].max(initial=0))
