"""How a measurement is registered, with its witness: what sets its value in a plan of an operator."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from litecheck.model.types import Tensor
from litecheck.profile.measurements.bound import Measured, Operands
from litecheck.profile.plan import Plan, TensorPlan

Measurement = Callable[[Operands], Measured]
OperandMeasurement = Callable[[Tensor], Measured]
#: The plan in which a measurement has a value, or lies beyond it; None where it cannot have it.
Setter = Callable[[Plan, Any], "Plan | None"]
OperandSetter = Callable[[TensorPlan, Any], "TensorPlan | None"]


@dataclass(frozen=True, slots=True)
class Witness:
    """``sets`` takes integers, Fractions and words; ``words`` are those that no rule may allow."""

    sets: Setter
    words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class OperandWitness:
    """The same for one operand."""

    sets: OperandSetter
    words: tuple[str, ...] = ()


#: By name, in the order the documentation lists them.
OPERATOR: dict[str, tuple[Measurement, Witness]] = {}
OPERAND: dict[str, tuple[OperandMeasurement, OperandWitness]] = {}


def measures(sets: Setter, *words: str) -> Callable[[Measurement], Measurement]:
    """Registers a measurement of a whole operator under its name: a decorator."""

    def registered(function: Measurement) -> Measurement:
        OPERATOR[function.__name__] = function, Witness(sets, words)
        return function

    return registered


def measures_operand(sets: OperandSetter, *words: str) -> Callable[[OperandMeasurement], OperandMeasurement]:
    """Registers a measurement of one operand, ``role.name``: a decorator."""

    def registered(function: OperandMeasurement) -> OperandMeasurement:
        OPERAND[function.__name__] = function, OperandWitness(sets, words)
        return function

    return registered
