"""Shapes of operators with which converters compute lengths. Their integer outputs may be known at load."""

from __future__ import annotations

from litecheck.model.shapes.call import Call, Shapes
from litecheck.model.shapes.creation import reduce
from litecheck.model.shapes.elementwise import broadcast, elementwise


def add(call: Call) -> Shapes:
    """Return the broadcast shape."""
    return broadcast(call)


def subtract(call: Call) -> Shapes:
    """Return the broadcast shape."""
    return broadcast(call)


def multiply(call: Call) -> Shapes:
    """Return the broadcast shape."""
    return broadcast(call)


def floor_divide(call: Call) -> Shapes:
    """Return the broadcast shape."""
    return broadcast(call)


def maximum(call: Call) -> Shapes:
    """Return the broadcast shape."""
    return broadcast(call)


def minimum(call: Call) -> Shapes:
    """Return the broadcast shape."""
    return broadcast(call)


def cast(call: Call) -> Shapes:
    """Return the input's shape."""
    return elementwise(call)


def product(call: Call) -> Shapes:
    """Return the input's shape without the dimensions in ``axis``, or with 1 in their place (``keep_dims``)."""
    return reduce(call)


__all__ = ["add", "cast", "floor_divide", "maximum", "minimum", "multiply", "product", "subtract"]
