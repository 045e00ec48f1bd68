"""What is odd about answers as a whole: of another type or shape, not repeated, left over from the inference before."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.arrays import Arrays
from litecheck.model.types import Tensor
from litecheck.quantization import INTEGER_RANGES

#: So many wrong elements, of so many values, are no accident if all of them are what the inference before had.
_ENOUGH, _VALUES = 4, 2

Mask = NDArray[np.bool_]


class Likeness(str, Enum):
    """What an output may be instead of what is wanted."""

    UNSCALED_REALS = "reals without a scale"
    STORED_INTEGERS = "stored integers"
    SAME_BYTES = "the same bytes in another type"
    FLOAT32_BYTES = "raw bytes of float32 values"
    RESHAPED = "another shape"


def likeness(tensor: Tensor, given: NDArray[Any], wanted: NDArray[Any]) -> Likeness | None:
    """None where nothing can be guessed."""
    if given.dtype.kind == "f" and tensor.dtype in INTEGER_RANGES and not tensor.quantization.scale.size:
        return Likeness.UNSCALED_REALS
    if given.dtype.kind in "iu" and wanted.dtype.kind == "f":
        return Likeness.STORED_INTEGERS
    if given.dtype == wanted.dtype and given.shape != wanted.shape:
        return _bytes(given, wanted)
    if given.shape == wanted.shape and given.dtype.itemsize == wanted.dtype.itemsize:
        return Likeness.SAME_BYTES if given.dtype.kind in "iu" else None
    return None


def _bytes(given: NDArray[Any], wanted: NDArray[Any]) -> Likeness | None:
    """Of raw bytes taken in the tensor's type: what else they may have been."""
    if given.ndim == 1 and given.nbytes == wanted.size * 4 != wanted.nbytes and _plausible(given):
        return Likeness.FLOAT32_BYTES
    return Likeness.RESHAPED if given.size == wanted.size else None


def _plausible(given: NDArray[Any]) -> bool:
    """Whether the bytes are float32 values such as activations are: finite, and neither huge nor tiny."""
    values = np.abs(np.ascontiguousarray(given).view(np.float32))
    inside = (values == 0) | ((values > 1e-12) & (values < 1e12))
    return bool(np.isfinite(values).all() and inside.all())


@dataclass(frozen=True, slots=True)
class Unrepeated:
    """Inputs of some ``kind`` that gave other outputs when they were repeated: in so many of their elements."""

    kind: str
    differing: int
    elements: int


@dataclass(frozen=True, slots=True)
class LeftOver:
    """Wrong elements of some inferences that are all what the inference before has: as the reference gives it
    (``expected``), or as the device gave it."""

    elements: int
    inferences: int
    expected: bool


@dataclass(frozen=True, slots=True, eq=False)
class Sequel:
    """What a device gave, inference after inference: ``order`` names the feed of each, ``expected`` goes by feed."""

    order: Sequence[int]
    kinds: Sequence[str]
    expected: Sequence[Arrays]
    actual: Sequence[Arrays]

    def flaky(self) -> Unrepeated | None:
        """The first feed that had different answers at different times."""
        seen: dict[int, Arrays] = {}
        for number, run in zip(self.order, self.actual, strict=True):
            before = seen.setdefault(number, run)
            off = sum(int(np.count_nonzero(m)) for m in _differing(before, run))
            if off:
                return Unrepeated(self.kinds[number], off, sum(a.size for a in run))
        return None

    def left_over(self) -> LeftOver | None:
        """Whether all wrong elements are those of the inference before, as it should have been or as it was."""
        belongs = [self.expected[number] for number in self.order]
        for expected, given in ((True, belongs), (False, self.actual)):
            if found := self._as_before(given):
                return LeftOver(*found, expected)
        return None

    def _as_before(self, given: Sequence[Arrays]) -> tuple[int, int] | None:
        """How many wrong elements there are in how many inferences, if all of them are what ``given`` has one earlier."""
        count, inferences, values = 0, 0, set[Any]()
        for place, wrong in self._wrong():
            for mask, now, before in zip(wrong, self.actual[place], given[place - 1], strict=True):
                if now.shape != before.shape or any(map(np.any, _differing((now[mask],), (before[mask],)))):
                    return None
                count += int(np.count_nonzero(mask))
                values.update(np.unique(now[mask]).tolist())
            inferences += 1
        if count < _ENOUGH or len(values) < _VALUES:
            return None
        return count, inferences

    def _wrong(self) -> Iterator[tuple[int, tuple[Mask, ...]]]:
        """The inferences behind the first that are not as expected, and where."""
        for place, number in enumerate(self.order):
            found = _differing(self.expected[number], self.actual[place])
            if place and any(mask.any() for mask in found):
                yield place, found


def _differing(some: Arrays, others: Arrays) -> tuple[Mask, ...]:
    return tuple(_bits(a) != _bits(b) for a, b in zip(some, others, strict=True))


def _bits(array: NDArray[Any]) -> NDArray[Any]:
    """Something that compares as the bytes do: NaN equals itself."""
    if array.dtype.kind != "f":
        return array
    return np.ascontiguousarray(array).view(f"u{array.dtype.itemsize}")
