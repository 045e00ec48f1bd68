"""Shapes of operators that converters use to compute lengths: their integer outputs may be known at load."""

from __future__ import annotations

from litecheck.model.shapes.call import Call, Shapes
from litecheck.model.shapes.creation import reduce
from litecheck.model.shapes.elementwise import broadcast, elementwise


def add(call: Call) -> Shapes:
    """Both operands broadcast."""
    return broadcast(call)


def subtract(call: Call) -> Shapes:
    """Both operands broadcast."""
    return broadcast(call)


def multiply(call: Call) -> Shapes:
    """Both operands broadcast."""
    return broadcast(call)


def floor_divide(call: Call) -> Shapes:
    """Both operands broadcast."""
    return broadcast(call)


def maximum(call: Call) -> Shapes:
    """Both operands broadcast."""
    return broadcast(call)


def minimum(call: Call) -> Shapes:
    """Both operands broadcast."""
    return broadcast(call)


def cast(call: Call) -> Shapes:
    """The input's shape."""
    return elementwise(call)


def product(call: Call) -> Shapes:
    """The input without the dimensions of ``axis``, or with 1 there (``keep_dims``)."""
    return reduce(call)


__all__ = ["add", "cast", "floor_divide", "maximum", "minimum", "multiply", "product", "subtract"]
