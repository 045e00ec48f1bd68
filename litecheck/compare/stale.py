"""Answers that belong to another inference: repeated ones that differ, and values left over from the one before."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.arrays import Arrays
from litecheck.report import counted

#: So many wrong elements, of so many values, are no accident if all of them are what the inference before had.
_ENOUGH, _VALUES = 4, 2

Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Sequel:
    """What a device gave, inference after inference: ``order`` names the feed of each, ``expected`` goes by feed."""

    order: Sequence[int]
    kinds: Sequence[str]
    expected: Sequence[Arrays]
    actual: Sequence[Arrays]

    def flaky(self) -> str:
        """Which feed had different answers at different times, in words; nothing where none had."""
        seen: dict[int, Arrays] = {}
        for number, run in zip(self.order, self.actual, strict=True):
            before = seen.setdefault(number, run)
            off = sum(int(np.count_nonzero(m)) for m in _differing(before, run))
            if off:
                total = counted(sum(a.size for a in run), "element")
                kind = self.kinds[number]
                return f"the same {kind} inputs gave different outputs in {off} of {total} when repeated"
        return ""

    def left_over(self) -> str:
        """In words, that all wrong elements are those of the inference before, as it should have been or as it was."""
        belongs = [self.expected[number] for number in self.order]
        told = self._as_before(belongs)
        if told:
            return f"{told} are what the inference before it should have given"
        told = self._as_before(self.actual)
        return f"{told} are what the device gave in the inference before it" if told else ""

    def _as_before(self, given: Sequence[Arrays]) -> str:
        """How many wrong elements there are, if all of them are what ``given`` has one inference earlier."""
        count, inferences, values = 0, 0, set[Any]()
        for place, wrong in self._wrong():
            for mask, now, before in zip(wrong, self.actual[place], given[place - 1], strict=True):
                if now.shape != before.shape or any(map(np.any, _differing((now[mask],), (before[mask],)))):
                    return ""
                count += int(np.count_nonzero(mask))
                values.update(np.unique(now[mask]).tolist())
            inferences += 1
        if count < _ENOUGH or len(values) < _VALUES:
            return ""
        return f"all {count:,} wrong elements of {counted(inferences, 'inference')}"

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
