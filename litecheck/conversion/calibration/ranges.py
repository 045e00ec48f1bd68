"""Range of a tensor from its statistics: smallest and largest value, percentiles, least squares, entropy.

All methods except ``minmax`` cut rare values off. They choose from the sketch, for the 255 steps of 8 bits, and always
include 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from litecheck.conversion.calibration.sketch import Sketch
from litecheck.conversion.calibration.statistics import TensorStatistics
from litecheck.errors import ConfigError
from litecheck.spelling import suggestion

MINMAX, PERCENTILE, MSE, ENTROPY = "minmax", "percentile", "mse", "entropy"
METHODS = (MINMAX, PERCENTILE, MSE, ENTROPY)
#: Percentile that is used without a number.
_USUAL = 99.99
#: Steps between the 256 values of 8 bits, and number of parts by which a range is shortened.
_STEPS, _PARTS = 255, 128

Floats = NDArray[np.float64]
Range = tuple[float, float]


@dataclass(frozen=True, slots=True)
class RangeMethod:
    """A method of choosing a range. ``share`` is the percentage of values that ``percentile`` keeps."""

    name: str
    share: float = _USUAL

    @property
    def needs_sketch(self) -> bool:
        """True if the method needs sketches in the statistics."""
        return self.name != MINMAX

    def __str__(self) -> str:
        return f"{self.name}:{self.share:g}" if self.name == PERCENTILE else self.name


def range_method(text: str) -> RangeMethod:
    """Return the method of ``minmax``, ``percentile:99.99``, ``mse`` or ``entropy``. Raises ConfigError."""
    name, colon, number = text.partition(":")
    if name not in METHODS:
        hint = suggestion(name, METHODS, "there are")
        raise ConfigError(f"there is no method {text!r}{hint}")
    if not colon:
        return RangeMethod(name)
    try:
        share = float(number)
    except ValueError:
        share = np.nan
    if name != PERCENTILE or not 50 < share <= 100:
        wanted = "a number above 50, up to 100" if name == PERCENTILE else f"{name} without a number"
        raise ConfigError(f"got {text!r}, expected {wanted}")
    return RangeMethod(name, share)


def choose_range(statistics: TensorStatistics, method: str | RangeMethod) -> Range:
    """Return the range of a tensor by a method, within smallest and largest value. ``minmax`` returns both exactly.

    Raises ConfigError if the method needs a sketch and there is none, and if there was no finite value.
    """
    chosen = range_method(method) if isinstance(method, str) else method
    if not statistics.has_values:
        raise ConfigError("no finite value was seen, so there is no range")
    whole = float(statistics.low), float(statistics.high)
    if chosen.name == MINMAX or whole[0] == whole[1]:
        return whole
    if statistics.sketch is None:
        raise ConfigError(f"{chosen} needs histograms, the statistics were made without")
    if chosen.name == PERCENTILE:
        return _percentile(statistics.sketch, whole, chosen.share)
    if chosen.name == MSE:
        return _least_squares(statistics.sketch, whole)
    return _least_divergence(statistics.sketch, whole)


def _percentile(sketch: Sketch, whole: Range, share: float) -> Range:
    """Return the range that keeps ``share`` percent, with half of the rest cut off on each side.

    Values are assumed to be uniform inside a bin.
    """
    reached = np.concatenate([[0.0], np.cumsum(sketch.counts)])
    rest = (1 - share / 100) / 2 * reached[-1]
    low, high = np.interp([rest, reached[-1] - rest], reached, sketch.edges)
    return _limit_range((float(low), float(high)), whole)


def _limit_range(chosen: Range, whole: Range) -> Range:
    """Return a range that includes 0, and is otherwise no wider than the whole."""
    low, high = min(chosen[0], 0.0), max(chosen[1], 0.0)
    return max(low, min(whole[0], 0.0)), min(high, max(whole[1], 0.0))


def _candidates(whole: Range) -> Iterator[Range]:
    """Yield the whole range with 0, then shorter ranges: both ends are moved toward 0 in proportion."""
    low, high = _limit_range(whole, whole)
    for part in range(_PARTS, _PARTS // 8, -1):
        yield low * part / _PARTS, high * part / _PARTS


def _least_squares(sketch: Sketch, whole: Range) -> Range:
    """Return the range with the least squared error of rounding and saturation.

    Both ends are moved together first, then each end alone. Of equally good ranges the widest is returned.
    """
    values, counts = _nonempty_bins(sketch, whole)

    def error(candidate: Range) -> float:
        return _squared_error(values, counts, candidate)

    low, high = min(_candidates(whole), key=error)
    parts = np.arange(_PARTS, 0, -1) / _PARTS
    least, most = _limit_range(whole, whole)
    high = min([high, *(most * parts)], key=lambda end: error((low, end)))
    low = min([low, *(least * parts)], key=lambda end: error((end, high)))
    return float(low), float(high)


def _nonempty_bins(sketch: Sketch, whole: Range) -> tuple[Floats, Floats]:
    """Return the middle of each nonempty bin, and the number of values in the bin."""
    edges, counts = sketch.edges, sketch.counts.astype(np.float64)
    middles = np.clip((edges[:-1] + edges[1:]) / 2, *whole)
    return middles[counts > 0], counts[counts > 0]


def _squared_error(values: Floats, counts: Floats, candidate: Range) -> float:
    low, high = candidate
    if low == high:
        return float((counts * values**2).sum())
    scale = (high - low) / _STEPS
    zero = np.rint(-low / scale)
    codes = np.clip(np.rint(values / scale) + zero, 0, _STEPS)
    return float((counts * (values - (codes - zero) * scale) ** 2).sum())


def _least_divergence(sketch: Sketch, whole: Range) -> Range:
    """Return the range with the least Kullback-Leibler divergence, with both ends moved together.

    Of equally good ranges the widest is returned. The bin of 0 is left out, because every range represents 0 exactly
    and the zeros of activation functions would dominate.
    """
    values, counts = _nonempty_bins(sketch, whole)
    apart = (values < 0) | (values >= np.ldexp(1.0, sketch.exponent))
    values, counts = values[apart], counts[apart]
    return min(_candidates(whole), key=lambda candidate: _divergence(values, counts, candidate))


def _divergence(values: Floats, counts: Floats, candidate: Range) -> float:
    """Return the divergence of a range's stored values from the bins.

    Values outside are added to the outermost bins. The values of a stored value are spread evenly over its nonempty
    bins.
    """
    low, high = candidate
    inside = (values >= low) & (values <= high)
    if high == low or not inside.any():
        return np.inf
    reference = counts[inside].copy()
    reference[0] += counts[values < low].sum()
    reference[-1] += counts[values > high].sum()
    codes = np.minimum((values[inside] - low) / (high - low) * (_STEPS + 1), _STEPS).astype(np.int64)
    held = np.bincount(codes, counts[inside], _STEPS + 1)
    bins = np.bincount(codes, minlength=_STEPS + 1)
    spread = held[codes] / bins[codes]
    p, q = reference / reference.sum(), spread / spread.sum()
    return float((p * np.log(p / q)).sum())
