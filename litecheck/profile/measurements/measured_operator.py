"""Operator with its tensors by role, as measurements see it; its constants, axes and options as numbers.

An option that the file leaves out has the schema's default. If the operator has no options table, or a table without
that option, the option is None; the measurement ``options_table`` covers this case.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from fractions import Fraction
from functools import cache, wraps
from math import isfinite
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from litecheck.flatbuffer.schema import Field, load_schema
from litecheck.model.shapes.call import constant_integers
from litecheck.model.types import Model, Operator, Subgraph, Tensor
from litecheck.profile.operators import traits_of

Measured = Fraction | int | str | None
Found = TypeVar("Found")


class Operands:
    """Operator with its tensors by role; a repeated role has several tensors, an absent role none.

    ``reads_neighbors`` is True if a measurement has read more than the operator and its tensors. Measurements without this
    flag are equal for all operators of the same form.
    """

    __slots__ = ("_aside", "_model", "_subgraph", "known", "operator", "reads_neighbors", "roles")

    def __init__(
        self,
        operator: Operator,
        roles: Mapping[str, tuple[Tensor, ...]],
        subgraph: Subgraph,
        model: Model,
        aside: Set[int] = frozenset(),
    ) -> None:
        self.operator = operator
        self.roles = roles
        self.reads_neighbors = False
        self.known: dict[Callable[[Operands], object], object] = {}
        """Values of functions passed to ``once``."""
        self._subgraph = subgraph
        self._model = model
        self._aside = aside

    @property
    def subgraph(self) -> Subgraph:
        """Subgraph of the operator."""
        self.reads_neighbors = True
        return self._subgraph

    @property
    def aside(self) -> Set[int]:
        """The operators known to stay on a target's processor, by their indices."""
        self.reads_neighbors = True
        return self._aside

    @property
    def model(self) -> Model:
        """The whole model."""
        self.reads_neighbors = True
        return self._model

    def one(self, role: str) -> Tensor | None:
        """Return the tensor of a role that is not repeated."""
        tensors = self.roles.get(role)
        return tensors[0] if tensors else None

    def of(self, kind: str) -> Sequence[Tensor]:
        """Return the inputs of a kind: "weight", "bias", "state"."""
        return _group_by_kind(self).get(kind, ())

    def option(self, name: str, default: int = 0) -> int:
        """Return an integer of the operator's builtin options."""
        return int(self.operator.options.get(name, default)) if self.operator.options else default


def once(find: Callable[[Operands], Found]) -> Callable[[Operands], Found]:
    """Return the value of a function of the operator, computed once for all measurements."""

    @wraps(find)
    def found(operands: Operands) -> Found:
        try:  # a lookup first: found about ten times as often as computed
            return operands.known[find]  # type: ignore[return-value]
        except KeyError:
            result = operands.known[find] = find(operands)
            return result

    return found


@once
def everything(operands: Operands) -> Sequence[Tensor]:
    """Return all tensors of the operator."""
    return [t for tensors in operands.roles.values() for t in tensors]


@once
def _group_by_kind(operands: Operands) -> Mapping[str, Sequence[Tensor]]:
    facts = traits_of(operands.operator.kind).inputs
    kinds: dict[str, list[Tensor]] = {}
    for role, tensors in operands.roles.items():
        kinds.setdefault(facts.get(role, ""), []).extend(tensors)
    return kinds


def one_zero_point(tensor: Tensor | None) -> int | None:
    """Return a tensor's only zero point, or None."""
    if tensor is None or tensor.quantization.zero_point.size != 1:
        return None
    return int(tensor.quantization.zero_point[0])


def one_scale(tensor: Tensor | None) -> Fraction | None:
    """Return a tensor's only scale as an exact number, or None."""
    if tensor is None or tensor.quantization.scale.size != 1:
        return None
    value = float(tensor.quantization.scale[0])
    return Fraction(value) if value == value and abs(value) != float("inf") else None


def exact_ratio(over: Sequence[float], under: float) -> Fraction:
    """Return a product divided by a number, exactly; a single Fraction is built. Example: 0.5, 0.25 and 0.125 give 1."""
    numerator, denominator = 1, 1
    for value in over:
        a, b = value.as_integer_ratio()
        numerator, denominator = numerator * a, denominator * b
    a, b = under.as_integer_ratio()
    return Fraction(numerator * b, denominator * a)


def nearest_power(scale: float) -> int | None:
    """Return the exponent of a power-of-two scale, -15 for 1/32767; None if log2 is not within 1e-3 of an integer.

    In float32 throughout. Source: tflite/kernels/internal/quantization_util.cc, CheckedLog2.
    """
    log = np.log(np.float32(scale)) * (np.float32(1) / np.log(np.float32(2)))
    return int(np.rint(log)) if abs(log - np.rint(log)) < np.float32(1e-3) else None


#: Constants longer than this are not lists of axes, paddings or sizes.
LONG = 1 << 10


def short_constant(operands: Operands, role: str) -> list[int] | None:
    """Return the values of a constant input that is as short as a list of dimensions."""
    tensor = operands.one(role)
    if tensor is None or tensor.data is None or len(tensor.data) > 8 * LONG:
        return None
    values = constant_integers(tensor)
    return None if values is None else [int(v) for v in values.tolist()]


def long_constant(operands: Operands, role: str) -> NDArray[np.int64] | None:
    """Return the values of a constant input of any length."""
    tensor = operands.one(role)
    return None if tensor is None else constant_integers(tensor)


def indexed_shape(operands: Operands) -> tuple[int, ...] | None:
    """Return the shape of the indexed input: ``input``, or the first of ``values``."""
    tensor = operands.one("input") or operands.one("values")
    return None if tensor is None else tensor.shape


def stated_axes(operands: Operands) -> list[int] | None:
    """Return the axes that a constant input or the options state."""
    if "axis" in operands.roles:
        return short_constant(operands, "axis")
    options = operands.operator.options
    return None if options is None else [int(options.get("axis", 0))]


def count_axes_outside(axes: list[int] | None, rank: int) -> int | None:
    """Return the number of axes outside a tensor of this rank."""
    return None if axes is None else sum(not -rank <= axis < rank for axis in axes)


@cache
def scalar(table: str, name: str) -> Field | None:
    """Return a number among the fields of an options table."""
    fields = load_schema().tables.get(table, ())
    return next((field for field in fields if field.name == name and field.kind == "scalar"), None)


def number(operands: Operands, name: str) -> int | float | None:
    options = operands.operator.options
    field = None if options is None else scalar(options.type, name)
    if options is None or field is None:
        return None
    value = options.fields.get(name, field.default)
    return value if isinstance(value, (int, float)) else None


def integer(operands: Operands, name: str) -> int | None:
    value = number(operands, name)
    return value if type(value) is int else int(value) if value is not None and isfinite(value) else None


def word(operands: Operands, name: str) -> str | None:
    """Return the name of an option's member, or its number if the schema has no name for it."""
    value, options = integer(operands, name), operands.operator.options
    field = None if options is None else scalar(options.type, name)
    if value is None or field is None or field.enum is None:
        return None
    return load_schema().enum_name(field.enum, value) or str(value)
