"""Arrays of one inference, the inputs or the outputs of a model, and those of several inferences in stacks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, TypeAlias, cast, overload

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[Any]
#: Inputs of one inference in the order of the model's inputs, or outputs in the order of the model's outputs.
Arrays: TypeAlias = tuple[Array, ...]
#: Elements of an inference above which a stack would cost more memory than it saves time.
_LARGEST = 1 << 16


class StackedRuns(Sequence[Arrays]):
    """Inferences with equal shapes and types: ``columns[n]`` has array n of all of them, (inferences, *shape)."""

    __slots__ = ("columns",)

    def __init__(self, columns: Arrays) -> None:
        """Initialize from at least one array."""
        self.columns = columns

    def __len__(self) -> int:
        return len(self.columns[0])

    def __iter__(self) -> Iterator[Arrays]:
        return zip(*self.columns, strict=True)

    @overload
    def __getitem__(self, at: int) -> Arrays: ...
    @overload
    def __getitem__(self, at: slice | list[int]) -> StackedRuns: ...
    def __getitem__(self, at: Any) -> Any:
        found = tuple(column[at] for column in self.columns)
        return StackedRuns(found) if isinstance(at, (slice, list)) else tuple(map(np.asarray, found))


def stack_inferences(runs: Sequence[Arrays]) -> Sequence[Arrays]:
    """Return the inferences in stacks; unchanged if they differ in shapes or types, are large, or fewer than two."""
    if isinstance(runs, StackedRuns) or len(runs) < 2 or not _is_stackable(runs[0]):
        return runs
    if len(set(map(len, runs))) > 1:
        return runs
    columns = tuple(zip(*runs, strict=True))
    if any(len({(array.shape, array.dtype) for array in arrays}) > 1 for arrays in columns):
        return runs
    return StackedRuns(tuple(map(_stack, columns)))


def _is_stackable(arrays: Arrays) -> bool:
    """Return True if stacks of these arrays are worth their memory."""
    return bool(arrays) and sum(array.size for array in arrays) <= _LARGEST


def _stack(arrays: Sequence[Array]) -> Array:
    """Return ``np.stack(arrays)`` by a concatenation: for small arrays, ``np.stack`` takes longer than the copy."""
    shape = arrays[0].shape
    return np.concatenate(arrays).reshape(len(arrays), *shape) if shape else np.stack(arrays)


def join_inferences(parts: Iterable[Sequence[Arrays]]) -> Sequence[Arrays]:
    """Return the inferences of all parts, in stacks if possible."""
    found = [stack_inferences(part) for part in parts if len(part)]
    if len(found) == 1:
        return found[0]
    if all(isinstance(runs, StackedRuns) or (len(runs) == 1 and _is_stackable(runs[0])) for runs in found):
        stacks = [_columns(runs) for runs in found]
        if len({tuple((c.shape[1:], c.dtype) for c in columns) for columns in stacks}) == 1:
            return StackedRuns(tuple(map(np.concatenate, zip(*stacks, strict=True))))
    return tuple(chain.from_iterable(found))


def _columns(runs: Sequence[Arrays]) -> Arrays:
    """Return the columns of stacks, or of a single inference."""
    return runs.columns if isinstance(runs, StackedRuns) else tuple(array[None] for array in runs[0])


def select_inferences(runs: Sequence[Arrays], numbers: Sequence[int]) -> Sequence[Arrays]:
    """Return the inferences with these numbers, in this order, in stacks if possible."""
    if isinstance(runs, StackedRuns):
        return runs[list(numbers)]
    return stack_inferences([runs[number] for number in numbers])


def column(runs: Sequence[Arrays], at: int) -> Sequence[Array]:
    """Return array ``at`` of every inference: a single array (inferences, *shape) for stacks."""
    if isinstance(runs, StackedRuns):
        return cast("Sequence[Array]", runs.columns[at])
    return [run[at] for run in runs]


def blocks(runs: Sequence[Arrays], at: int) -> Sequence[Array]:
    """Return array ``at`` of all inferences in as few arrays as possible: a single array for stacks."""
    return (runs.columns[at],) if isinstance(runs, StackedRuns) else [run[at] for run in runs]


def count_elements(runs: Sequence[Arrays]) -> int:
    """Return the number of elements in all arrays of all inferences."""
    each = (runs.columns,) if isinstance(runs, StackedRuns) else runs
    return sum(array.size for arrays in each for array in arrays)


def has_equal_layout(some: Sequence[Arrays], others: Sequence[Arrays]) -> bool:
    """Return True if two stacks have equal shapes and types except for the number of inferences; False without
    stacks."""
    if not isinstance(some, StackedRuns) or not isinstance(others, StackedRuns):
        return False
    facts = [[(c.shape[1:], c.dtype) for c in runs.columns] for runs in (some, others)]
    return facts[0] == facts[1]


def same(some: Sequence[Arrays], others: Sequence[Arrays]) -> bool:
    """Return True if as many inferences have equal arrays; NaN differs from itself."""
    if isinstance(some, StackedRuns) and isinstance(others, StackedRuns):
        return len(some.columns) == len(others.columns) and all(
            map(np.array_equal, some.columns, others.columns)
        )
    return len(some) == len(others) and all(
        len(a) == len(b) and all(map(np.array_equal, a, b)) for a, b in zip(some, others, strict=True)
    )
