"""Arithmetic on partly unknown shapes, and checks that many laws share."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from litecheck.model.shapes.call import Call, Shape, ShapeError

Row = NDArray[np.int64]


def shape_text(shape: Shape) -> str:
    """Return a shape as text. Example: ``[1, ?, 3]``."""
    return "[" + ", ".join("?" if dim is None else str(dim) for dim in shape) + "]"


def words(role: str) -> str:
    """Return a role as text. Example: ``weights time`` for ``weights_time``."""
    return role.replace("_", " ")


def count(shape: Iterable[int | None] | None) -> int | None:
    """Return the number of elements; None if unknown. A dimension of length 0 gives 0.

    For example, (1, 4, 8) has 32, and () has 1.
    """
    if shape is None:
        return None
    total, known = 1, True
    for dim in shape:
        if dim == 0:
            return 0
        if dim is None:
            known = False
        else:
            total *= dim
    return total if known else None


def differ(a: int | None, b: int | None) -> bool:
    """Return True if two lengths are known to be unequal. For example, 3 and 4 differ, and None and 4 may be equal."""
    return a is not None and b is not None and a != b


def either(a: int | None, b: int | None) -> int | None:
    """Return the known length of two equal lengths."""
    return b if a is None else a


def check_rank(call: Call, role: str, low: int, high: int | None = None) -> Shape | None:
    """Return the input's shape if its rank is ``low``, or between ``low`` and ``high``. Raises ShapeError."""
    shape = call.shape(role)
    if shape is None:
        return None
    top = low if high is None else high
    if not low <= len(shape) <= top:
        wanted = str(low) if low == top else f"{low} to {top}"
        raise ShapeError(role, f"the {words(role)} has {len(shape)} dimensions, {wanted} wanted", "rank")
    return shape


def at_least(call: Call, role: str, low: int) -> Shape | None:
    """Return the input's shape if it has at least this rank. Raises ShapeError."""
    shape = call.shape(role)
    if shape is not None and len(shape) < low:
        raise ShapeError(role, f"the {words(role)} has {len(shape)} dimensions, at least {low} wanted")
    return shape


def axis_within(axis: int, rank: int, role: str | None = "axis") -> int:
    """Return an axis counted from the front; a negative axis counts from the back. Raises ShapeError.

    For example, -1 in rank 4 is axis 3.
    """
    if not -rank <= axis < rank:
        raise ShapeError(role, f"axis {axis} is outside a tensor of {rank} dimensions")
    return axis % rank


def elements(call: Call, role: str) -> int | None:
    """Return the number of elements of the input."""
    return count(call.shape(role))


def single(call: Call, role: str) -> int | None:
    """Return the value of a constant that must be a single number; None if known only at run time. Raises ShapeError."""
    number = elements(call, role)
    if number is not None and number != 1:
        raise ShapeError(role, f"the {words(role)} has {number} values, 1 wanted")
    values = call.values(role)
    return None if values is None or len(values) != 1 else int(values[0])


def first(call: Call, role: str) -> int | None:
    """Return the first value of a constant, the only value that LiteRT reads; None if known only at run time.

    Raises ShapeError for an empty constant.
    """
    if elements(call, role) == 0:
        raise ShapeError(role, f"the {words(role)} is empty")
    values = call.values(role)
    return None if values is None or not len(values) else int(values[0])


def row(call: Call, role: str, length: int | None = None) -> list[int] | None:
    """Return the values of a constant, flattened; None if known only at run time. Raises ShapeError for another length."""
    number = elements(call, role)
    if length is not None and number is not None and number != length:
        raise ShapeError(role, f"the {words(role)} has {number} values, {length} wanted")
    values = call.values(role)
    if values is not None and length is not None and len(values) != length:
        raise ShapeError(role, f"the {words(role)} has {len(values)} values, {length} wanted")
    return None if values is None else [int(value) for value in values]


def equal_shapes(call: Call, a: str, b: str) -> Shape | None:
    """Return the shape that two inputs must share. Raises ShapeError."""
    first, second = call.shape(a), call.shape(b)
    if first is None or second is None:
        return first if second is None else second
    if len(first) != len(second) or any(map(differ, first, second)):
        raise ShapeError(b, f"the {words(b)} is {shape_text(second)}, the {words(a)} {shape_text(first)}")
    return tuple(map(either, first, second))


#: Maximum rank of an unknown shape. A file may give a larger number of dimensions.
_MOST_DIMENSIONS = 64


def unknown(rank: int | None) -> Shape | None:
    """Return a shape with unknown lengths; None for an unknown rank."""
    return None if rank is None or not 0 <= rank <= _MOST_DIMENSIONS else (None,) * rank


def rank_of(shape: Shape | None) -> int | None:
    """Return the number of dimensions, None if unknown."""
    return None if shape is None else len(shape)


def total(dims: Sequence[int | None]) -> int | None:
    """Return the sum of lengths if all are known."""
    return None if any(dim is None for dim in dims) else sum(dim for dim in dims if dim is not None)
