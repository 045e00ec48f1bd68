"""Operator as input of a shape law: inputs with their shapes, options, number of outputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from litecheck.flatbuffer.table import Table
from litecheck.model.stored_values import stored_integers
from litecheck.model.types import Operator, Tensor
from litecheck.quantization import INTEGER_RANGES

#: Lengths of the dimensions, None for a length that is known only at run time.
Shape: TypeAlias = tuple[int | None, ...]
#: Shapes of the outputs; None for an output of unknown rank.
Shapes: TypeAlias = tuple[Shape | None, ...]


#: Function from a subgraph's number and the shapes of its inputs to the shapes of its outputs, None if they are unknown.
Called: TypeAlias = Callable[[int, Shapes], "Shapes | None"]


class ShapeError(Exception):
    """Error for contradictory shapes, index constants or options of an operator.

    ``role`` is the faulty input, None for an option or the operator as a whole; ``found`` completes "found ...".
    ``kind`` names a contradiction with a separate impact.
    """

    def __init__(self, role: str | None, found: str, kind: str = "") -> None:
        super().__init__(found)
        self.role = role
        self.found = found
        self.kind = kind

    def at_run_time(self) -> ShapeError:
        """Return the error of a kernel that reads a shape computed at run time."""
        return ShapeError(self.role, self.found, "computed")


@dataclass(frozen=True, slots=True)
class ShapedOperand:
    """Tensor with its shape at run time; None if the rank is unknown."""

    tensor: Tensor
    shape: Shape | None


def unknown_subgraph(number: int, given: Shapes) -> None:
    """Return None: the shapes of called subgraphs are not followed."""


@dataclass(frozen=True, slots=True)
class Call:
    """Data that determine the shapes of an operator's outputs.

    ``roles`` has the present inputs by role, and the outputs without shapes, because their types may matter. ``other_reads``
    collects everything that a law reads except shapes and options. If ``other_reads`` stays empty, the output shapes apply
    to every call with the same shapes and options.
    """

    opcode: str
    roles: Mapping[str, tuple[ShapedOperand, ...]]
    options: Table | None
    results: int
    other_reads: list[str] = field(default_factory=list, compare=False)
    called: Called = field(default=unknown_subgraph, compare=False)
    """Function that returns the output shapes of a called subgraph."""

    def has(self, role: str) -> bool:
        """Return True if the input is present."""
        return bool(self.roles.get(role))

    def shape(self, role: str) -> Shape | None:
        """Return the input's shape; None if the input is absent or its rank is unknown."""
        operands = self.roles.get(role)
        return operands[0].shape if operands else None

    def shapes(self, role: str) -> tuple[Shape | None, ...]:
        """Return the shapes of a repeated input."""
        return tuple(operand.shape for operand in self.roles.get(role, ()))

    def dtype(self, role: str) -> str:
        """Return the input's type, "" if the input is absent."""
        self.other_reads.append(role)
        operands = self.roles.get(role)
        return operands[0].tensor.dtype if operands else ""

    def constant(self, role: str) -> bool:
        """Return True if the file has the values of all inputs of a role."""
        self.other_reads.append(role)
        return all(operand.tensor.is_constant for operand in self.roles.get(role, ()))

    def file_shape(self, role: str) -> Shape | None:
        """Return the shape of an input or output in the file, None if it is absent."""
        self.other_reads.append(role)
        operands = self.roles.get(role)
        return operands[0].tensor.shape if operands else None

    def tensor(self, role: str) -> Tensor | None:
        """Return an input or output as the file states it, None if it is absent."""
        self.other_reads.append(role)
        operands = self.roles.get(role)
        return operands[0].tensor if operands else None

    def values(self, role: str) -> NDArray[np.int64] | None:
        """Return a constant's integers, flattened; None for values computed at run time and for damaged constants."""
        self.other_reads.append(role)
        operands = self.roles.get(role)
        return constant_integers(operands[0].tensor) if operands else None

    def option(self, name: str, default: Any = 0) -> Any:
        """Return an option of the operator, or ``default``, the schema's default, for an option that is absent in the
        file."""
        return default if self.options is None else self.options.get(name, default)

    def integers(self, name: str) -> tuple[int, ...]:
        """Return an option that is a vector of integers, empty if it is absent in the file."""
        return tuple(int(value) for value in self.option(name, ()))


Law: TypeAlias = Callable[[Call], Shapes]
#: Law of an operator, the roles of its inputs and outputs in file order, and the repeated roles.
Entry: TypeAlias = tuple[Law, tuple[str, ...], tuple[str, ...], frozenset[str]]
#: Function from an operator to its law and roles; None for an operator without a law.
LawOf: TypeAlias = Callable[[Operator], "Entry | None"]


def constant_integers(tensor: Tensor) -> NDArray[np.int64] | None:
    """Return the values of an integer constant, flattened; None for other tensors and for damaged constants."""
    values = constant_numbers(tensor) if tensor.dtype in INTEGER_RANGES else None
    return None if values is None else values.astype(np.int64)


def constant_numbers(tensor: Tensor) -> NDArray[Any] | None:
    """Return the stored values of a constant, flattened; None for other tensors and for damaged constants."""
    if tensor.data is None or tensor.nbytes != len(tensor.data) or any(dim < 0 for dim in tensor.shape):
        return None
    values = stored_integers(tensor)
    return None if values is None else values.reshape(-1)
