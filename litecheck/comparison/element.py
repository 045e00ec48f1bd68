"""A single output element: its operator cropped to it, its exact value, and accumulators that give another value."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from litecheck.comparison.types import AccumulatorBounds
from litecheck.flatbuffer.table import Table
from litecheck.profile.operators import traits_of
from litecheck.reference.engine.dispatch import BoundKernel
from litecheck.reference.numerics.windows import VALID, Axis, axes, pad_image
from litecheck.reference.runtime_tensors import Operand, OutputSpec

Index = tuple[int, ...]
_HALF = Fraction(1, 2)
#: Output types with an exact value in steps.
STORED = ("int4", "int8", "uint8", "int16")
#: Options of an operator cropped to a window: a single window without padding.
_ONCE = {"padding": VALID, "stride_h": 1, "stride_w": 1}


@dataclass(frozen=True, slots=True)
class Exact:
    """An exact value: ``accumulator`` times ``multiplier`` is ``quotient``; some operators have only a quotient.

    ``exact`` is False if the quotient comes from float64 (exp, roots). ``zero_point`` is added after rounding.
    """

    quotient: Fraction
    zero_point: int = 0
    accumulator: int | None = None
    multiplier: Fraction | None = None
    exact: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class ElementSite:
    """Operands, output, options and index of an element; absent operands are omitted."""

    operands: Mapping[str, Operand]
    output: OutputSpec
    options: Table | None
    index: Index

    def option(self, name: str, default: Any = 0) -> Any:
        """Return an option, or the default if the file has no options."""
        return default if self.options is None else self.options.get(name, default)

    def scale_accumulator(self, accumulator: int, multiplier: Fraction) -> Exact:
        """Return the element as an accumulator times a multiplier."""
        return Exact(accumulator * multiplier, self.output.zero_point, accumulator, multiplier)

    def steps(self, real: Fraction | float) -> Exact:
        """Return the element from its real value, in steps of the output."""
        if isinstance(real, float):
            return Exact(Fraction(real) / fraction(self.output.scale), self.output.zero_point, exact=False)
        return Exact(real / fraction(self.output.scale), self.output.zero_point)


#: Function from a site to the exact value of its element; None if the element has no value.
Formula = Callable[[ElementSite], Exact | None]


def fraction(scale: Any) -> Fraction:
    """Return a float32 scale as an exact fraction. For example, float32 0.1 is 13421773 / 134217728."""
    return Fraction(float(scale))


def stored_value(value: Operand, index: Index) -> int:
    """Return a stored integer."""
    return int(value.data[index])


def centered_value(value: Operand, index: Index) -> int:
    """Return a stored integer minus its zero point."""
    return int(value.data[index]) - value.zero_point


def broadcast_index(value: Operand, index: Index) -> Index:
    """Return the index of a broadcast operand that corresponds to an index of the output.

    For example, shape (1, 3), output index (5, 4, 2) gives (0, 2).
    """
    lengths = value.shape
    return tuple(0 if n == 1 else i for n, i in zip(lengths, index[len(index) - len(lengths) :], strict=True))


def required_accumulators(value: Exact, device: int, low: int, high: int) -> AccumulatorBounds | None:
    """Return the smallest and the largest accumulator that give ``device`` after rounding to nearest and clamping.

    ``low`` and ``high`` are the limits of clamping. A side is None if the device's value is the limit on this side:
    every accumulator beyond gives it. A tie counts for both sides. Return None if the element has no accumulator, or
    if no accumulator gives the value.
    """
    if value.accumulator is None or not value.multiplier:
        return None
    rescaled = device - value.zero_point
    ends = [(rescaled - _HALF) / value.multiplier, (rescaled + _HALF) / value.multiplier]
    open_ends = [device == low, device == high]
    if value.multiplier < 0:
        ends, open_ends = ends[::-1], open_ends[::-1]
    first, last = math.ceil(ends[0]), math.floor(ends[1])
    if first > last and not any(open_ends):  # an open end always has an accumulator
        return None
    return AccumulatorBounds(None if open_ends[0] else first, None if open_ends[1] else last)


Operands = tuple[Operand | None, ...]


def crop(bound: BoundKernel, operands: Operands, index: Index) -> tuple[BoundKernel, Operands, Index]:
    """Crop an operator bound to a kernel, its operands and an output index, such that the element stays the same.

    Padding becomes part of the window, as zero points. All channels stay, because outputs can depend on them.
    Operators that are no integer convolutions are returned unchanged.
    """
    options, (source, weight) = bound.arguments.get("options"), _window(bound, operands)
    if source is None or weight is None or options is None:
        return bound, operands, index
    n, y, x, c = index
    rows, columns = axes(source.shape, (weight.shape[1], weight.shape[2]), options)
    image = pad_image(source.data[n : n + 1], rows, columns, source.zero_point, source.data.dtype)
    window = Operand(image[:, _reach(rows, y), _reach(columns, x)], source.dtype, source.quantization)
    once = replace(options, fields={**options.fields, **_ONCE})
    return (
        replace(bound, arguments={**bound.arguments, "options": once}),
        (window, *operands[1:]),
        (0, 0, 0, c),
    )


def crop_narrowly(
    bound: BoundKernel, operands: Operands, index: Index
) -> tuple[BoundKernel, Operands, Index]:
    """Crop like ``crop``, and a matrix product to one row of inputs, for defects that compute each row independently."""
    facts = traits_of(bound.kernel.opcode)
    if facts.products != ("input", "weight") or facts.over != "row":
        return crop(bound, operands, index)
    options, (source, weight) = bound.arguments.get("options"), (*operands, None, None)[:2]
    if source is None or weight is None or source.data.dtype.kind == "f" or weight.data.ndim != 2:
        return bound, operands, index
    keep = options is not None and options.get("keep_num_dims", False)
    row = int(np.ravel_multi_index(index[:-1], source.shape[:-1])) if keep else index[0]
    rows = source.data.reshape(-1, weight.shape[1])
    alone = Operand(rows[row : row + 1], source.dtype, source.quantization)
    if options is not None and keep:
        flat = replace(options, fields={**options.fields, "keep_num_dims": False})
        bound = replace(bound, arguments={**bound.arguments, "options": flat})
    return bound, (alone, *operands[1:]), (0, index[-1])


def _window(bound: BoundKernel, operands: Sequence[Operand | None]) -> tuple[Operand | None, Operand | None]:
    """Return input and weight of an integer convolution; (None, None) for other operators."""
    source, weight = (*operands, None, None)[:2]
    facts = traits_of(bound.kernel.opcode)
    if not (facts.windows and facts.products) or source is None or source.data.dtype.kind == "f":
        return None, None
    return source, weight


def _reach(axis: Axis, at: int) -> slice:
    first = at * axis.stride
    return slice(first, first + (axis.kernel - 1) * axis.dilation + 1)
