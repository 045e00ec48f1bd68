"""The order in which the C++ library's std::partial_sort leaves equal values: not that of their places."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

#: Whether one place comes before another.
Before = Callable[[int, int], bool]


def largest_first(values: NDArray[np.float32], count: int) -> list[int]:
    """Places of the ``count`` largest values, largest first; a single one is the first of the largest.

    Equal values are ordered as libstdc++ leaves them: a heap of the first ``count`` places, the worst on top, takes in
    every later place that is better, and is then emptied from the top.
    """
    if count == 1:
        return [int(values.argmax())]
    real = values.tolist()
    if len(set(real)) == len(real):
        return [int(i) for i in np.argsort(-values, kind="stable")[:count]]
    return partial_sort(len(real), count, lambda i, j: real[i] > real[j])


def partial_sort(size: int, count: int, before: Before) -> list[int]:
    """The first ``count`` of places 0 to ``size`` - 1 in order, as libstdc++'s std::partial_sort leaves them."""
    heap = list(range(count))
    for hole in reversed(range(count // 2)):
        _settle(heap, hole, count, heap[hole], before)
    for place in range(count, size):
        if count and before(place, heap[0]):
            _settle(heap, 0, count, place, before)
    for end in range(count - 1, 0, -1):
        last, heap[end] = heap[end], heap[0]
        _settle(heap, 0, end, last, before)
    return heap


def _settle(heap: list[int], hole: int, size: int, value: int, before: Before) -> None:
    """Put ``value`` into a heap's hole: worse children move up until the hole is a leaf, then it climbs back."""
    top, child = hole, 2 * hole + 2
    while child <= size:
        if child == size or before(heap[child], heap[child - 1]):
            child -= 1
        heap[hole], hole = heap[child], child
        child = 2 * hole + 2
    while hole > top and before(heap[(hole - 1) // 2], value):
        heap[hole] = heap[(hole - 1) // 2]
        hole = (hole - 1) // 2
    heap[hole] = value
