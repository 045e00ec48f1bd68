"""What measurements of indices stand on: constants as numbers, the axes stated, and the shape they are held against."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from litecheck.model.shapes.call import constant_integers
from litecheck.profile.measurements.bound import Operands

#: Constants longer than this are no list of axes, paddings or sizes.
LONG = 1 << 10


def short_constant(operands: Operands, role: str) -> list[int] | None:
    """The values of a constant operand that is as short as lists of dimensions are."""
    tensor = operands.one(role)
    if tensor is None or tensor.data is None or len(tensor.data) > 8 * LONG:
        return None
    values = constant_integers(tensor)
    return None if values is None else [int(v) for v in values.tolist()]


def long_constant(operands: Operands, role: str) -> NDArray[np.int64] | None:
    """The values of a constant operand of any length."""
    tensor = operands.one(role)
    return None if tensor is None else constant_integers(tensor)


def indexed_shape(operands: Operands) -> tuple[int, ...] | None:
    """The shape of the operand that is indexed: ``input``, or the first of ``values``."""
    tensor = operands.one("input") or operands.one("values")
    return None if tensor is None else tensor.shape


def stated_axes(operands: Operands) -> list[int] | None:
    """The axes as a constant operand or the options state them."""
    if "axis" in operands.roles:
        return short_constant(operands, "axis")
    options = operands.operator.options
    return None if options is None else [int(options.get("axis", 0))]


def outside(axes: list[int] | None, rank: int) -> int | None:
    """How many axes name none of so many dimensions."""
    return None if axes is None else sum(not -rank <= axis < rank for axis in axes)


__all__ = ["LONG", "indexed_shape", "long_constant", "outside", "short_constant", "stated_axes"]
