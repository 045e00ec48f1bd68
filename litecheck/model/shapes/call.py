"""One operator as a law of shapes sees it: operands with the shapes they have, options, number of results."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from litecheck.flatbuffer.table import Table
from litecheck.model.types import Tensor
from litecheck.model.values import stored_integers
from litecheck.quantization import INTEGER_RANGES

#: Lengths of the dimensions, None for one that is known only at run time.
Shape: TypeAlias = tuple[int | None, ...]
#: One shape for each result, None where not even the rank is known.
Shapes: TypeAlias = tuple[Shape | None, ...]


class Misfit(Exception):  # noqa: N818  a finding, no failure of the program
    """Shapes, index constants or options of an operator that do not go together.

    ``role`` is the operand at fault, None where it is an option or the operator as a whole; ``found`` says
    in the words of a finding what was found.
    """

    def __init__(self, role: str | None, found: str) -> None:
        super().__init__(found)
        self.role = role
        self.found = found


@dataclass(frozen=True, slots=True)
class ShapedOperand:
    """A tensor and the shape it has when the operator runs; None where not even the rank is known."""

    tensor: Tensor
    shape: Shape | None


@dataclass(frozen=True, slots=True)
class Call:
    """What steers the shapes of one operator's results.

    ``roles`` holds the operands that are there, by role, and the results (whose types may steer), with no
    shape. ``looked`` collects what a law read beyond shapes
    and options: while it stays empty, the law's answer holds for every call of the same shapes and options.
    """

    opcode: str
    roles: Mapping[str, tuple[ShapedOperand, ...]]
    options: Table | None
    results: int
    looked: list[str] = field(default_factory=list, compare=False)

    def has(self, role: str) -> bool:
        """Whether the operand is there."""
        return bool(self.roles.get(role))

    def shape(self, role: str) -> Shape | None:
        """The operand's shape; None where it is absent or its rank is unknown."""
        operands = self.roles.get(role)
        return operands[0].shape if operands else None

    def shapes(self, role: str) -> tuple[Shape | None, ...]:
        """The shapes of a repeated operand."""
        return tuple(operand.shape for operand in self.roles.get(role, ()))

    def dtype(self, role: str) -> str:
        """The operand's type, empty where it is absent."""
        self.looked.append(role)
        operands = self.roles.get(role)
        return operands[0].tensor.dtype if operands else ""

    def constant(self, role: str) -> bool:
        """Whether the file holds the values of all operands of a role."""
        self.looked.append(role)
        return all(operand.tensor.is_constant for operand in self.roles.get(role, ()))

    def stated(self, role: str) -> Shape | None:
        """The shape the file states for an operand or a result, None where it is absent."""
        self.looked.append(role)
        operands = self.roles.get(role)
        return operands[0].tensor.shape if operands else None

    def values(self, role: str) -> NDArray[np.int64] | None:
        """A constant's integers in one row; None at run time, and for what is not plain integers in full."""
        self.looked.append(role)
        operands = self.roles.get(role)
        return constant_integers(operands[0].tensor) if operands else None

    def option(self, name: str, default: Any = 0) -> Any:
        """An option of the operator; ``default`` is the schema's, for what the file leaves out."""
        return default if self.options is None else self.options.get(name, default)

    def integers(self, name: str) -> tuple[int, ...]:
        """An option that is a vector of integers, empty where the file leaves it out."""
        return tuple(int(value) for value in self.option(name, ()))


Law: TypeAlias = Callable[[Call], Shapes]


def constant_integers(tensor: Tensor) -> NDArray[np.int64] | None:
    """The values of a constant of integers, in one row; None for anything else, damaged constants included."""
    values = constant_numbers(tensor) if tensor.dtype in INTEGER_RANGES else None
    return None if values is None else values.astype(np.int64)


def constant_numbers(tensor: Tensor) -> NDArray[Any] | None:
    """The stored values of a constant, in one row; None for anything else, damaged constants included."""
    if tensor.data is None or tensor.nbytes != len(tensor.data) or any(dim < 0 for dim in tensor.shape):
        return None
    values = stored_integers(tensor)
    return None if values is None else values.reshape(-1)
