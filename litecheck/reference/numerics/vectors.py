"""Which elements LiteRT's vector loops compute: results of its optimized kernels can depend on the position."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

Shape = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Chunks:
    """The output falls into runs of ``length`` elements; ``variants`` says which loop computes one.

    ``elementwise``: both operands advance; ``scalar``: one of them stands still; ``generic``: no vector loop.
    """

    variants: str
    length: int


def chunks(lhs: Shape, rhs: Shape) -> Chunks:
    """How two shapes broadcast, from the last dimension on.

    Equal dimensions, then some that one operand lacks, then equal ones, then some the other operand lacks, then
    equal ones: five loops. Anything beyond is generic. Source: reference/process_broadcast_shapes.h.
    """
    rank = max(len(lhs), len(rhs))
    one, other = ((1,) * (rank - len(s)) + s for s in (lhs, rhs))
    if one == other:
        return Chunks("elementwise", prod(one))
    first = max(i for i in range(rank) if one[i] != other[i])
    still, moving = (one, other) if one[first] == 1 else (other, one)
    left = list(zip(still, moving, strict=True))
    inner = prod(moving for _, moving in _pop(left, lambda a, b: a == b))
    repeated = prod(moving for _, moving in _pop(left, lambda a, b: a == 1))
    _pop(left, lambda a, b: a == b)
    _pop(left, lambda a, b: b == 1)
    _pop(left, lambda a, b: a == b)
    if left:
        return Chunks("generic", 0)
    return Chunks("elementwise", inner) if inner > 1 else Chunks("scalar", repeated)


def _pop(left: list[tuple[int, int]], while_: Callable[[int, int], bool]) -> list[tuple[int, int]]:
    """Take dimensions off the end for as long as they satisfy a condition."""
    taken = []
    while left and while_(*left[-1]):
        taken.append(left.pop())
    return taken


def in_vectors(run: Chunks, block: int, body: NDArray[Any], tail: Callable[[], NDArray[Any]]) -> NDArray[Any]:
    """``body`` where whole blocks of a run reach, ``tail()`` for what is left at its end."""
    rest = run.length % block
    if not rest or not body.size:
        return body
    position = np.arange(body.size).reshape(body.shape) % run.length
    return np.where(position < run.length - rest, body, tail())
