"""Whether a device gives the same for the same input: what its answers become, and what is told where they differ."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.arrays import Arrays
from litecheck.diagnose.result import Unsteady
from litecheck.report import counted

#: So many inferences are named.
_NAMED = 4
#: As many inferences as it takes to tell that an output follows the input before.
_ENOUGH = 8


def settled(
    probe: str, asked: Sequence[int], answers: Sequence[Arrays]
) -> tuple[tuple[Arrays, ...], Unsteady | None]:
    """The answer to each input, the most frequent one where there are several, and what is told of the others.

    ``asked`` are the numbers of the inputs, from 0, in the order of the answers, which are alike in shape and type.
    Elements that belong to the input of the inference before are given to that.
    """
    given = list(map(_content, answers))
    usual = _usual(asked, given)
    odd = [at for at, number in enumerate(asked) if given[at] != usual[number]]
    known = [answers[given.index(usual[number])] for number in sorted(usual)]
    if not odd:
        return tuple(known), None
    flat = [_flat(answer) for answer in answers]
    right = [_flat(answer) for answer in known]
    moving = np.flatnonzero(np.any([flat[at] != right[asked[at]] for at in odd], axis=0))
    late = _late(asked, [one[moving] for one in flat])
    if late is None:
        told = "; ".join(_told(asked, flat, right, odd))
        return tuple(known), Unsteady(probe, len(asked), len(odd), told)
    for number, values in late.items():
        right[number] = right[number].copy()
        right[number][moving] = values
    different = sum(last != now for last, now in pairwise(asked))
    told = f"{_elements(moving, len(flat[0]))} as the input of the inference before has it"
    return tuple(map(_shaped, right, known)), Unsteady(probe, len(asked), different, told)


def _content(arrays: Arrays) -> bytes:
    return b"".join(array.tobytes() for array in arrays)


def _flat(arrays: Arrays) -> NDArray[Any]:
    return np.concatenate([array.reshape(-1) for array in arrays])


def _shaped(flat: NDArray[Any], like: Arrays) -> Arrays:
    parts = np.split(flat, np.cumsum([array.size for array in like])[:-1])
    return tuple(
        part.astype(array.dtype).reshape(array.shape) for part, array in zip(parts, like, strict=True)
    )


def _usual(asked: Sequence[int], given: Sequence[bytes]) -> dict[int, bytes]:
    """The most frequent answer to each input; of several the first."""
    counts: dict[int, Counter[bytes]] = {}
    for number, content in zip(asked, given, strict=True):
        counts.setdefault(number, Counter())[content] += 1
    return {number: count.most_common(1)[0][0] for number, count in counts.items()}


def _late(asked: Sequence[int], moving: Sequence[NDArray[Any]]) -> dict[int, NDArray[Any]] | None:
    """The values that follow each input, where those of every inference follow from the input before alone."""
    found: dict[int, NDArray[Any]] = {}
    for number, values in zip(asked[:-1], moving[1:], strict=True):
        if not np.array_equal(found.setdefault(number, values), values):
            return None
    return found if len(asked) >= _ENOUGH and len(found) > 1 else None


def _told(
    asked: Sequence[int], flat: Sequence[NDArray[Any]], right: Sequence[NDArray[Any]], odd: Sequence[int]
) -> Iterator[str]:
    """Which inferences give something else than their input does otherwise, and what it is."""
    names = ", ".join(f"{at + 1}" for at in odd[:_NAMED]) + (", ..." if len(odd) > _NAMED else "")
    steps = {b - a for a, b in pairwise(odd)}
    rhythm = f", every {steps.pop()}" if len(odd) > 2 and len(steps) == 1 else ""
    yield f"inference {names}{rhythm}" if len(odd) == 1 else f"inferences {names}{rhythm}"
    places = {at: np.flatnonzero(flat[at] != right[asked[at]]) for at in odd}
    if all(at and np.array_equal(flat[at][off], flat[at - 1][off]) for at, off in places.items()):
        yield "what differs there is what the inference before gave"
    moving = np.unique(np.concatenate(list(places.values())))
    if len(moving) == 1:
        yield f"only {_elements(moving, len(flat[0]))} differs"
    elif max(map(len, places.values())) == 1:
        yield "one element differs each time"
    else:
        yield f"{_elements(moving, len(flat[0]))} differ"


def _elements(moving: NDArray[Any], size: int) -> str:
    """``all 19 elements``, ``element 18 of 19, the last``, ``7 of 19 elements``."""
    if len(moving) == size:
        return f"all {counted(size, 'element')}"
    if len(moving) == 1:
        return f"element {moving[0]} of {size:,}" + (", the last," if moving[0] == size - 1 else "")
    return f"{len(moving):,} of {size:,} elements"
