"""Causes of differences between a device's integers and the expected integers: deviations that reproduce them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.quantizer.causes.integer_defects import (
    Base,
    IntegerDefect,
    bases,
    integer_defects,
    interpreters,
)
from litecheck.quantizer.causes.integer_patterns import patterns
from litecheck.quantizer.causes.variants import Integers, Lookup, Recipe, quantize_with
from litecheck.quantizer.comparison_result import IntegerCause, Mismatch, sample
from litecheck.quantizer.litert_vectors import LANES
from litecheck.quantizer.onnx_types import RANGES
from litecheck.quantizer.types import Parameters

#: Two deviations together fit a few differences by chance. Pairs that devices combine are exempt.
_ENOUGH_FOR_TWO = 8
#: From this number of integers that differ from the zero point, they do not share a scale by chance.
_ENOUGH_FOR_A_SCALE = 32
#: Relative error of a device's float32 quotient, and therefore of the bounds derived from it.
_SLACK = 2.0**-22
_TOGETHER = ("rounding", "zero_point_first", "arithmetic")
#: Share of the differences that an incomplete cause must explain, less the differences that it adds.
_MOST = 0.75


def causes(case: Mismatch) -> tuple[IntegerCause, ...]:
    """Return every cause that reproduces ``actual`` exactly, else the cause that explains most, else none.

    Single deviations come before patterns of integers, and patterns before two deviations together. 64-bit integers
    have no causes, because their deviations would need more bits.
    """
    if case.dtype in ("int64", "uint64"):
        return ()
    if case.real is None or case.parameters is None:
        return patterns(case)
    search = _Search(case, case.real, case.parameters)
    single = (*interpreters(case, case.real, case.parameters), *search.singles())
    return single or patterns(case) or search.pairs() or search.other_scale() or search.closest()


class _Search:
    """A search that tests deviations on a sample first, and the remaining deviations on every element."""

    def __init__(
        self, case: Mismatch, real: NDArray[Any], parameters: Parameters, base: Base | None = None
    ) -> None:
        self.case, self.real = case, real
        self.lookup = Lookup(parameters, case.shape)
        self.limits = RANGES[case.dtype]
        self.sample = sample(case)
        self.base = base or self._base()
        self.defects = tuple(
            integer_defects(self.base.body, case.semantics, parameters, case.shape, self.limits)
        )

    def singles(self) -> tuple[IntegerCause, ...]:
        return self._exact([(d,) for d in self.defects])

    def pairs(self) -> tuple[IntegerCause, ...]:
        few = self.case.mismatches < _ENOUGH_FOR_TWO
        together = [d for d in self.defects if d.field in _TOGETHER and d.value != "float16"]
        tried = together if few else self.defects
        return self._exact([p for p in combinations(tried, 2) if p[0].field != p[1].field])

    def _exact(self, candidates: Sequence[tuple[IntegerDefect, ...]]) -> tuple[IntegerCause, ...]:
        alive = [c for c in candidates if self._errors(self.base.with_defects(c), self.sample) == (0, 0)]
        return tuple(cause for c in alive if (cause := self._make_cause(c)).exact)

    def closest(self) -> tuple[IntegerCause, ...]:
        best = min(self.defects, key=lambda d: sum(self._errors(self.base.with_defects((d,)), self.sample)))
        cause = self._make_cause((best,))
        enough = cause.explained - cause.broken >= _MOST * self.case.mismatches
        return (cause,) if enough else ()

    def other_scale(self) -> tuple[IntegerCause, ...]:
        """Return the unknown scale of all elements, if a single scale gives every integer."""
        ends = self._scale_ends()
        if ends is None:
            return ()
        zero_point = self.lookup.parameters.zero_point
        sentence = f"The device uses one scale, between {ends[0]:.7g} and {ends[1]:.7g}."
        for scale in _values_between(*ends):
            search = _Search(self.case, self.real, Parameters(scale, zero_point), self.base)
            if search._errors(self.base, self.sample) == (0, 0):
                cause = search._make_cause((), "other-scale", sentence)
                return (cause,) if cause.exact else ()
        return ()

    def _scale_ends(self) -> tuple[float, float] | None:
        """Return the bounds of the scale, or None.

        Each integer n that does not saturate bounds the scale: x / (n + 1/2) <= scale <= x / (n - 1/2).
        """
        low, high, told = 0.0, np.inf, 0
        for tile in self.case.tiles():
            positions = np.arange(*tile.indices(self.case.actual.size))
            real, actual = self.real[tile].astype(np.float64), self.case.actual[tile].astype(np.int64)
            steps = actual - self.lookup.at(positions, self.base.body)[1]
            free = np.isfinite(real) & (actual > self.limits[0]) & (actual < self.limits[1])
            if (steps * real < 0)[free].any():
                return None
            size, count = np.abs(real[free]), np.abs(steps[free])
            low = max(low, float((size / (count + 0.5)).max(initial=0)))
            some = count > 0
            high = min(high, float((size[some] / (count[some] - 0.5)).min(initial=np.inf)))
            told += int(some.sum())
        return (low, high) if told >= _ENOUGH_FOR_A_SCALE and low <= high * (1 + _SLACK) else None

    def _make_cause(
        self, changes: tuple[IntegerDefect, ...], name: str = "", sentence: str = ""
    ) -> IntegerCause:
        base, unexplained, broken = self.base.with_defects(changes), 0, 0
        for tile in self.case.tiles():
            left, new = self._errors(base, np.arange(*tile.indices(self.case.actual.size)))
            unexplained, broken = unexplained + left, broken + new
        return IntegerCause(
            name or "+".join(d.name for d in changes),
            sentence or " ".join(d.sentence for d in changes),
            unexplained + broken == 0,
            self.case.mismatches - unexplained,
            broken,
        )

    def _errors(self, base: Base, positions: Integers) -> tuple[int, int]:
        """Return the number of differing elements left unexplained by the recipes, and of equal elements that they break."""
        expected, actual = self.case.expected[positions], self.case.actual[positions]
        wrong = self._compute(base, positions) != actual
        differs = expected != actual
        return int((wrong & differs).sum()), int((wrong & ~differs).sum())

    def _compute(self, base: Base, positions: Integers) -> Integers:
        result = self._store(base.body, positions)
        if base.tail != base.body:
            tail = positions >= self.case.actual.size // LANES * LANES
            result[tail] = self._store(base.tail, positions[tail])
        # The reference computes NaN and infinities, which no rounding changes.
        return np.where(np.isfinite(self.real[positions]), result, self.case.wide(positions))

    def _store(self, recipe: Recipe, positions: Integers) -> Integers:
        return quantize_with(recipe, self.real[positions], *self.lookup.at(positions, recipe), self.limits)

    def _base(self) -> Base:
        """Return the recipes of the reference's document that best reproduce the expected integers."""
        expected = self.case.expected[self.sample]
        known = bases(self.case.semantics)
        return min(known, key=lambda base: int((self._compute(base, self.sample) != expected).sum()))


def _values_between(low: float, high: float) -> Iterator[NDArray[np.float32]]:
    """Yield the middle, and every float32 near either end that rounding may have moved across the end."""
    yield np.array([(low + high) / 2], np.float32)
    for end in (low, high):
        scale = np.array([end * (1 - 2 * _SLACK)], np.float32)
        while scale[0] <= end * (1 + 2 * _SLACK):
            yield scale
            scale = np.nextafter(scale, np.float32(np.inf))
