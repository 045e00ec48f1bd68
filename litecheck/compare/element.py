"""What one output element of an operator is made of, its exact value, and the accumulators that give another one."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from litecheck.compare.types import Needed
from litecheck.flatbuffer.table import Table
from litecheck.reference.operands import Operand, OutputSpec

Index = tuple[int, ...]
_HALF = Fraction(1, 2)
#: Types of outputs that count steps.
STORED = ("int4", "int8", "uint8", "int16")
#: Roles to operands, absent ones left out.
Operands = Mapping[str, Operand]


@dataclass(frozen=True, slots=True)
class Exact:
    """``accumulator`` times ``multiplier`` is ``quotient``; operators without one accumulator have the last alone.

    ``exact`` is False where the quotient is a float64 (exp, roots). ``zero_point`` is added behind the rounding.
    """

    quotient: Fraction
    zero_point: int = 0
    accumulator: int | None = None
    multiplier: Fraction | None = None
    exact: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class ElementSite:
    """Everything an element is made of."""

    operands: Operands
    output: OutputSpec
    options: Table | None
    index: Index

    def option(self, name: str, default: Any = 0) -> Any:
        """An option, or what holds where the file leaves it out."""
        return default if self.options is None else self.options.get(name, default)

    def accumulated(self, accumulator: int, multiplier: Fraction) -> Exact:
        """The element as an accumulator times a multiplier."""
        return Exact(accumulator * multiplier, self.output.zero_point, accumulator, multiplier)

    def steps(self, real: Fraction | float) -> Exact:
        """The element as a real value: steps of the output."""
        if isinstance(real, float):
            return Exact(Fraction(real) / fraction(self.output.scale), self.output.zero_point, exact=False)
        return Exact(real / fraction(self.output.scale), self.output.zero_point)


#: From a site to its element; None where that has no value.
Formula = Callable[[ElementSite], Exact | None]


def fraction(scale: Any) -> Fraction:
    """A float32 scale, exactly."""
    return Fraction(float(scale))


def stored_value(value: Operand, index: Index) -> int:
    """A stored integer."""
    return int(value.data[index])


def centred(value: Operand, index: Index) -> int:
    """A stored integer less its zero point."""
    return int(value.data[index]) - value.zero_point


def aligned(value: Operand, index: Index) -> Index:
    """Where a broadcast operand is met by an index of the output."""
    lengths = value.shape
    return tuple(0 if n == 1 else i for n, i in zip(lengths, index[len(index) - len(lengths) :], strict=True))


def needed(value: Exact, device: int, low: int, high: int) -> Needed | None:
    """The smallest and the largest accumulator that give ``device`` when they are rounded to nearest and clamped to
    ``low`` and ``high``; None on the side where a rail stands for all that lies beyond. A tie counts for both sides.

    None where the element has no accumulator, or nothing in it is between the values next to the device's.
    """
    if value.accumulator is None or not value.multiplier:
        return None
    rescaled = device - value.zero_point
    ends = [(rescaled - _HALF) / value.multiplier, (rescaled + _HALF) / value.multiplier]
    open_ends = [device == low, device == high]
    if value.multiplier < 0:
        ends, open_ends = ends[::-1], open_ends[::-1]
    first, last = math.ceil(ends[0]), math.floor(ends[1])
    if first > last and not any(open_ends):  # beyond a rail there is always one
        return None
    return Needed(None if open_ends[0] else first, None if open_ends[1] else last)
