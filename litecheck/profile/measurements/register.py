"""Registration of measurements with their setter, which sets their value in a plan; and helpers for setters."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cache
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from litecheck.flatbuffer.schema import Field, load_schema
from litecheck.model.build import Option, options_table
from litecheck.model.integrity import MAX_RANK
from litecheck.model.types import Tensor
from litecheck.profile.measurements.measured_operator import Measured, Operands
from litecheck.profile.measurements.vocabulary import NUMBERS, Vocabulary
from litecheck.profile.operator_plan import CHANNELS, Plan, TensorPlan

Measurement = Callable[[Operands], Measured]
OperandMeasurement = Callable[[Tensor], Measured]
#: Function from a plan and a value to a plan with this measured value, or a value beyond it; None if impossible.
Setter = Callable[[Plan, Any], "Plan | None"]
OperandSetter = Callable[[TensorPlan, Any], "TensorPlan | None"]


Planned = TypeVar("Planned", Plan, TensorPlan)


@dataclass(frozen=True, slots=True)
class MeasurementSetter(Generic[Planned]):
    """Setter of a measurement of an operator or of a tensor.

    ``apply`` takes integers, Fractions and words; ``rejected_words`` are examples that rules reject. ``gives`` is the kind
    of the measured value, ``beside_faults`` that of :func:`measures`.
    """

    apply: Callable[[Planned, Any], Planned | None]
    rejected_words: tuple[str, ...] = ()
    gives: Vocabulary = NUMBERS
    beside_faults: bool | None = None


#: Measurements by name, in the order of the documentation.
OPERATOR: dict[str, tuple[Measurement, MeasurementSetter[Plan]]] = {}
OPERAND: dict[str, tuple[OperandMeasurement, MeasurementSetter[TensorPlan]]] = {}


Entry = TypeVar("Entry")


def _enter(registered: dict[str, Entry], name: str, entry: Entry) -> None:
    """Add a measurement; raise ValueError if its name is in use, because rules could then apply the wrong measurement."""
    if name in registered:
        raise ValueError(f"two measurements have the name {name}")
    registered[name] = entry


def measures(
    apply: Setter, *words: str, gives: Vocabulary = NUMBERS, beside_faults: bool | None = None
) -> Callable[[Measurement], Measurement]:
    """Register a measurement of a whole operator under its name (decorator).

    ``beside_faults`` decides whether a limit on it is checked in an operator with another fault. Example: True for
    strides, which are wrong for every type and scale; False for the number of types, which would repeat the finding of
    the wrong type. With None, only limits in the rules of structure are checked beside faults.
    """

    def registered(function: Measurement) -> Measurement:
        setter = MeasurementSetter(apply, words, gives, beside_faults)
        _enter(OPERATOR, function.__name__, (function, setter))
        return function

    return registered


def measures_operand(
    apply: OperandSetter, *words: str, gives: Vocabulary = NUMBERS
) -> Callable[[OperandMeasurement], OperandMeasurement]:
    """Register a measurement of a tensor, ``role.name`` (decorator)."""

    def registered(function: OperandMeasurement) -> OperandMeasurement:
        _enter(OPERAND, function.__name__, (function, MeasurementSetter(apply, words, gives)))
        return function

    return registered


#: Types of operators that the XNNPACK delegate can run.
DELEGATED = ("float32", "int8")
#: Four different types, for operands that must not have equal types.
TYPES = ("int8", "int64", "float64", "uint32")


@cache
def option_fields(opcode: str) -> dict[str, Field]:
    """Return the fields of an operator's options table by name."""
    table = options_table(opcode)
    return {} if table is None else {f.name: f for f in load_schema("tflite").tables[table.type]}


def option_stated(plan: Plan, value: Any, *names: str) -> Plan | None:
    """Return the plan with a number, or an enum member, for those of these options that the operator has."""
    own = [name for name in names if name in option_fields(plan.opcode)]
    if not own or value is None:
        return None
    return plan.option(**dict.fromkeys(own, _option(value)))


def _option(value: Any) -> Option:
    if isinstance(value, str):
        return int(value) if value.lstrip("-").isdigit() else float("inf") if value == "not finite" else value
    return int(value) if value == int(value) else float(value)


def option(*names: str) -> Setter:
    """Return a setter for those of these options that the operator has."""
    return lambda plan, value: option_stated(plan, value, *names)


def with_constant(plan: Plan, role: str, values: ArrayLike, dtype: str = "int32") -> Plan:
    """Return the plan with a constant in a role."""
    return plan.edit(role, lambda tensor: tensor.holding(values, dtype))


def invalid(bad: Any, good: Any, count: int, length: int = CHANNELS) -> list[Any]:
    """Return a list with this number of bad entries before good entries."""
    return [bad] * count + [good] * max(length - count, 0)


def dimensions(tensor: TensorPlan, shape: Iterable[int]) -> TensorPlan:
    """Return the tensor with another shape; a constant has its first value everywhere."""
    shape = tuple(shape)
    if tensor.values is None:
        return tensor.but(shape=shape)
    return tensor.holding(np.full(shape, tensor.values.flat[0] if tensor.values.size else 0))


def with_rank(tensor: TensorPlan, rank: int) -> TensorPlan | None:
    """Return the tensor with this number of dimensions, or None for more than a file may have."""
    small = (*tensor.shape[:CHANNELS], *[CHANNELS] * CHANNELS)[: min(rank, CHANNELS)]
    return dimensions(tensor, (*small, *[1] * (rank - CHANNELS))) if 0 <= rank <= MAX_RANK else None


def with_dtype(plan: Plan, count: int, *roles: str) -> Plan | None:
    """Return the plan with this number of types among the tensors of these roles; the last tensors keep theirs."""
    there = [(role, at) for role in roles for at in range(len(plan.operands.get(role, ())))]
    if not 0 < count <= len(there):
        return None
    last = plan.operands[there[-1][0]][there[-1][1]].dtype
    others = [t for t in TYPES if t != last][: count - 1]
    for n, (role, at) in enumerate(there):
        dtype = others[n] if n < len(others) else last
        plan = plan.edit(role, lambda t, dtype=dtype: t.but(dtype=dtype, values=None), at)  # type: ignore[misc]
    return plan
