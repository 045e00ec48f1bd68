"""Defects of whole answers: wrong type or shape, differences between repetitions, outputs left over from an earlier
inference."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.arrays import Arrays, StackedRuns
from litecheck.model.types import Tensor
from litecheck.quantization import INTEGER_RANGES

#: Smallest number of wrong elements, and of distinct values in them, that count as left over if all equal the output of
#: the inference before.
_ENOUGH, _VALUES = 4, 2

Mask = NDArray[np.bool_]


class Similarity(str, Enum):
    """Probable content of an output that has an unexpected type or shape."""

    UNSCALED_REALS = "reals without a scale"
    STORED_INTEGERS = "stored integers"
    SAME_BYTES = "the same bytes in another type"
    FLOAT32_BYTES = "raw bytes of float32 values"
    RESHAPED = "another shape"


def similarity(tensor: Tensor, given: NDArray[Any], wanted: NDArray[Any]) -> Similarity | None:
    """Return the probable content of an output with an unexpected type or shape; None if nothing fits."""
    if given.dtype.kind == "f" and tensor.dtype in INTEGER_RANGES and not tensor.quantization.scale.size:
        return Similarity.UNSCALED_REALS
    if given.dtype.kind in "iu" and wanted.dtype.kind == "f":
        return Similarity.STORED_INTEGERS
    if given.dtype == wanted.dtype and given.shape != wanted.shape:
        return _bytes(given, wanted)
    if given.shape == wanted.shape and given.dtype.itemsize == wanted.dtype.itemsize:
        return Similarity.SAME_BYTES if given.dtype.kind in "iu" else None
    return None


def _bytes(given: NDArray[Any], wanted: NDArray[Any]) -> Similarity | None:
    """Return the probable content of raw bytes that were read in the tensor's type."""
    if given.ndim == 1 and given.nbytes == wanted.size * 4 != wanted.nbytes and _plausible(given):
        return Similarity.FLOAT32_BYTES
    return Similarity.RESHAPED if given.size == wanted.size else None


def _plausible(given: NDArray[Any]) -> bool:
    """Return True if the bytes are plausible float32 activations: finite, and 0 or between 1e-12 and 1e12 in
    magnitude."""
    values = np.abs(np.ascontiguousarray(given).view(np.float32))
    inside = (values == 0) | ((values > 1e-12) & (values < 1e12))
    return bool(np.isfinite(values).all() and inside.all())


@dataclass(frozen=True, slots=True)
class NonRepeating:
    """Inputs of a ``kind`` whose repetition gave different outputs, in ``differing`` of ``elements`` elements."""

    kind: str
    differing: int
    elements: int


@dataclass(frozen=True, slots=True)
class StaleOutput:
    """Wrong elements of some inferences that all equal the output of the inference before: the reference's output
    (``expected``), or the device's."""

    elements: int
    inferences: int
    expected: bool


@dataclass(frozen=True, slots=True, eq=False)
class OutputHistory:
    """Outputs of a device in a sequence of inferences: ``order`` has the input of each, ``expected`` has one entry per
    input."""

    order: Sequence[int]
    kinds: Sequence[str]
    expected: Sequence[Arrays]
    actual: Sequence[Arrays]

    def flaky(self) -> NonRepeating | None:
        """Return the first input with different outputs in different inferences."""
        first: dict[int, int] = {}
        places = [first.setdefault(number, place) for place, number in enumerate(self.order)]
        if isinstance(self.actual, StackedRuns):
            columns = self.actual.columns
            if not any(map(np.any, _find_differing(tuple(c[places] for c in columns), columns))):
                return None
        for place, number, run in zip(places, self.order, self.actual, strict=True):
            before = self.actual[place]
            off = sum(int(np.count_nonzero(m)) for m in _find_differing(before, run))
            if off:
                return NonRepeating(self.kinds[number], off, sum(a.size for a in run))
        return None

    def find_stale_output(self) -> StaleOutput | None:
        """Return the wrong elements if all equal the output of the inference before, either expected or actual; else
        None.

        Elements with the same expected value in both inferences are no evidence: a wrong kernel repeats its error.
        """
        belongs = [self.expected[number] for number in self.order]
        for expected, given in ((True, belongs), (False, self.actual)):
            if found := self._equals_previous(given):
                return StaleOutput(*found, expected)
        return None

    def _equals_previous(self, given: Sequence[Arrays]) -> tuple[int, int] | None:
        """Return (wrong elements, inferences) if all wrong elements equal ``given`` an inference earlier; else None."""
        count, inferences, evident, values = 0, 0, 0, set[Any]()
        for place, wrong in self._wrong_elements():
            changed = self._changed(place)
            for mask, new, now, before in zip(
                wrong, changed, self.actual[place], given[place - 1], strict=True
            ):
                if now.shape != before.shape or any(
                    map(np.any, _find_differing((now[mask],), (before[mask],)))
                ):
                    return None
                count += int(np.count_nonzero(mask))
                evident += int(np.count_nonzero(mask & new))
                values.update(np.unique(now[mask & new]).tolist())
            inferences += 1
        if evident < _ENOUGH or len(values) < _VALUES:
            return None
        return count, inferences

    def _changed(self, place: int) -> tuple[Mask, ...]:
        """Return masks of the elements whose expected value differs from that of the inference before."""
        now, before = (self.expected[number] for number in (self.order[place], self.order[place - 1]))
        if any(a.shape != b.shape for a, b in zip(now, before, strict=True)):
            return tuple(np.ones(a.shape, np.bool_) for a in now)
        return _find_differing(now, before)

    def _wrong_elements(self) -> Iterator[tuple[int, tuple[Mask, ...]]]:
        """Yield each inference after the first with unexpected outputs, and masks of the wrong elements."""
        for place, number in enumerate(self.order):
            found = _find_differing(self.expected[number], self.actual[place])
            if place and any(mask.any() for mask in found):
                yield place, found


def _find_differing(some: Arrays, others: Arrays) -> tuple[Mask, ...]:
    return tuple(_bits(a) != _bits(b) for a, b in zip(some, others, strict=True))


def _bits(array: NDArray[Any]) -> NDArray[Any]:
    """Return an array that compares bitwise, so that NaN equals itself."""
    if array.dtype.kind != "f":
        return array
    return np.ascontiguousarray(array).view(f"u{array.dtype.itemsize}")
