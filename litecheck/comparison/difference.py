"""Differences of an output of a case, over all runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.comparison.patterns import COUNTED, clusters
from litecheck.comparison.scatter import Scatter
from litecheck.comparison.types import Difference, MismatchExample
from litecheck.model.types import Tensor
from litecheck.quantizer.comparison_result import buckets, tally

Array = NDArray[Any]


def difference(
    tensor: Tensor,
    expected: Sequence[Array],
    actual: Sequence[Array],
    tolerance: float = 0.0,
    runs: Sequence[str] = (),
) -> Difference:
    """Compare one output run by run; each pair of arrays has equal shapes and types.

    Integers (and bool) differ in LSB. Floats are equal if they have the same value or are both NaN; otherwise their
    difference is a share of the largest finite expected magnitude in that run (of 1 if all are zero). The difference is
    infinite if only one of both values is finite. ``tolerance`` is in the same unit. ``runs`` are names of the runs for
    sentences. For example, expected (2, 4), actual (2, 4.1) gives 0.025.
    """
    filled = len(expected) > 0
    real = filled and _is_real(expected[0])
    unit, size = "relative" if real else "LSB", sum(e.size for e in expected)
    shape = expected[0].shape if filled else tensor.shape
    head = (tensor.index, tensor.name, tensor.dtype, tuple(map(int, shape)), unit, size)
    if (
        isinstance(expected, np.ndarray)
        and isinstance(actual, np.ndarray)
        and np.array_equal(expected, actual)
    ):
        return Difference(*head, 0, 0, tolerance, 0)
    found = [_find_differing(e, a) for e, a in zip(expected, actual, strict=True)]
    if not any(at.size for at in found):
        return Difference(*head, 0, 0, tolerance, 0)
    measure = _shares if real else _steps
    by = [measure(e, a, at) for e, a, at in zip(expected, actual, found, strict=True)]
    every = np.concatenate(by)
    beyond = np.abs(every) > tolerance
    # Floats can differ in the last bits anywhere; only differences beyond the tolerance can form a pattern.
    told = [at[np.abs(d) > tolerance] for at, d in zip(found, by, strict=True)] if real else found
    scatter = Scatter.of(tensor, expected, actual, told, runs)
    largest = every[np.abs(every).argmax()]
    worst, free = _examples(expected, actual, found, by, () if real else scatter.rails)
    patterns, along = clusters(scatter)
    return Difference(
        *head,
        mismatches=every.size,
        beyond=int(beyond.sum()),
        tolerance=tolerance,
        largest=float(largest) if real else int(largest),
        histogram=() if real else tuple(buckets(tally(every))),
        channels=_channels(expected, found),
        worst=worst,
        patterns=patterns,
        along=along,
        free=None if real or free == worst else free,
    )


def _is_real(array: Array) -> bool:
    return array.dtype.kind == "f" or array.dtype.name == "bfloat16"


def _find_differing(expected: Array, actual: Array) -> NDArray[np.int64]:
    """Return the flat positions of elements that are not equal."""
    if np.array_equal(expected, actual):
        return np.empty(0, np.int64)
    unequal = expected != actual
    if _is_real(expected):
        unequal &= ~(np.isnan(expected) & np.isnan(actual))
    return np.flatnonzero(unequal)


def _steps(expected: Array, actual: Array, at: NDArray[np.int64]) -> Array:
    """Return differences in LSB; those of 64-bit values need 65 bits, so they are Python integers."""
    wide: Any = object if expected.dtype.itemsize == 8 else np.int64
    steps: Array = actual.reshape(-1)[at].astype(wide) - expected.reshape(-1)[at].astype(wide)
    return steps


def _shares(expected: Array, actual: Array, at: NDArray[np.int64]) -> NDArray[np.float64]:
    finite = expected[np.isfinite(expected)]
    magnitude = float(np.abs(finite).max(initial=0)) or 1.0
    with np.errstate(invalid="ignore", over="ignore"):
        off = actual.reshape(-1)[at].astype(np.float64) - expected.reshape(-1)[at].astype(np.float64)
        return np.where(np.isnan(off), np.inf, off / magnitude)


def _examples(
    expected: Sequence[Array],
    actual: Sequence[Array],
    found: Sequence[NDArray[np.int64]],
    by: Sequence[Array],
    rails: Sequence[int],
) -> tuple[MismatchExample, MismatchExample | None]:
    """Return the largest difference, and the largest of the same run at which neither side is saturated.

    If the run has no such element, use elements at which the device's value is not saturated. Of several runs with the
    largest difference, the first with an unsaturated element is chosen.
    """
    sizes = [np.abs(d) for d in by]
    tops = [size.max() if size.size else -1 for size in sizes]
    first: tuple[MismatchExample, MismatchExample | None] | None = None
    for run in (run for run, top in enumerate(tops) if top == max(tops)):
        pair, at = (expected[run], actual[run]), found[run]
        worst = _example(run, pair, int(at[sizes[run].argmax()]))
        own, reference = (np.isin(array.reshape(-1)[at], rails) for array in reversed(pair))
        for clamped in (own | reference, own):
            if not clamped.all():
                spot = _example(run, pair, int(at[np.where(clamped, -1, sizes[run]).argmax()]))
                return worst, spot
        first = first or (worst, None)
    assert first is not None
    return first


def _example(run: int, pair: tuple[Array, Array], position: int) -> MismatchExample:
    """Return an element of a run with its expected and its actual value."""
    shape = pair[0].shape
    index = tuple(map(int, np.unravel_index(position, shape))) if shape else ()
    return MismatchExample(run, index, *(float(array.reshape(-1)[position]) for array in pair))


def _channels(expected: Sequence[Array], found: Sequence[NDArray[np.int64]]) -> tuple[int, ...]:
    """Count mismatches by index of the last dimension; nothing if the runs disagree on its length or it is too long."""
    last = {e.shape[-1] if e.ndim else 0 for e in expected}
    if len(last) > 1 or not 0 < (count := last.pop()) <= COUNTED:
        return ()
    return tuple(np.bincount(np.concatenate(found) % count, minlength=count).tolist())
