"""One output element of an operator from its definition: exact integers and fractions, no kernel involved.

A second opinion on the reference. Every function takes the operands of one operator and the index of one output
element. What it gives is the exact value in steps of the output, before rounding and before the zero point.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from litecheck.flatbuffer.table import Table
from litecheck.reference.values import Result, Value

Index = tuple[int, ...]
#: Types of outputs that count steps.
STORED = ("int4", "int8", "uint8", "int16")
#: Roles to operands, absent ones left out.
Operands = Mapping[str, Value]


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
class Site:
    """Everything an element is made of."""

    operands: Operands
    output: Result
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
            return Exact(Fraction(real) / _fraction(self.output.scale), self.output.zero_point, exact=False)
        return Exact(real / _fraction(self.output.scale), self.output.zero_point)


def _fraction(scale: Any) -> Fraction:
    return Fraction(float(scale))


def _stored(value: Value, index: Index) -> int:
    return int(value.data[index])


def _centred(value: Value, index: Index) -> int:
    """A stored integer less its zero point."""
    return int(value.data[index]) - value.zero_point


def _aligned(value: Value, index: Index) -> Index:
    """Where a broadcast operand is met by an index of the output."""
    lengths = value.shape
    return tuple(0 if n == 1 else i for n, i in zip(lengths, index[len(index) - len(lengths) :], strict=True))


def _int32(accumulator: int, input: Value) -> int:
    """Eight-bit inputs are summed in an int32 register, which wraps."""
    return accumulator if input.dtype == "int16" else (accumulator + 2**31) % 2**32 - 2**31


def _finished(site: Site, accumulator: int, channel: int) -> Exact:
    """A sum of products of input and weight, with its bias, rescaled by its channel's scales."""
    input, weight = site.operands["input"], site.operands["weight"]
    bias = site.operands.get("bias")
    if bias is not None:
        accumulator += int(bias.data.reshape(-1)[channel])
    scales = weight.quantization.scale
    scale = _fraction(scales[channel] if scales.size > 1 else scales[0])
    multiplier = _fraction(input.scale) * scale / _fraction(site.output.scale)
    return site.accumulated(_int32(accumulator, input), multiplier)


def _taps(site: Site, size: int, kernel: int, at: int, side: str) -> Iterator[tuple[int, int]]:
    """(tap, place in the input) of the window that output ``at`` looks through along one side."""
    stride, gap = int(site.option(f"stride_{side}")), int(site.option(f"dilation_{side}_factor", 1))
    first = at * stride
    if int(site.option("padding")) == 0:  # SAME
        reach = (kernel - 1) * gap + 1
        first -= max(0, (math.ceil(size / stride) - 1) * stride + reach - size) // 2
    for tap in range(kernel):
        if 0 <= (place := first + tap * gap) < size:
            yield tap, place


def _windows(site: Site, kernel: tuple[int, int]) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """((tap down, tap across), (row, column)) of the input that the element's window covers."""
    _, height, width, _ = site.operands["input"].shape
    rows = _taps(site, height, kernel[0], site.index[1], "h")
    columns = list(_taps(site, width, kernel[1], site.index[2], "w"))
    for (i, y), (j, x) in product(rows, columns):
        yield (i, j), (y, x)


def _conv_2d(site: Site) -> Exact:
    input, weight, (n, _, _, c) = site.operands["input"], site.operands["weight"], site.index
    channels, kernel_h, kernel_w, depth = weight.shape
    first = c // (channels // (input.shape[3] // depth)) * depth
    total = 0
    for (i, j), (y, x) in _windows(site, (kernel_h, kernel_w)):
        pixel = input.data[n, y, x, first : first + depth].astype(object) - input.zero_point
        total += int((pixel * (weight.data[c, i, j].astype(object) - weight.zero_point)).sum())
    return _finished(site, total, c)


def _depthwise_conv_2d(site: Site) -> Exact:
    input, weight, (n, _, _, c) = site.operands["input"], site.operands["weight"], site.index
    zero = weight.zero_point if input.dtype == "uint8" else 0
    d = c // (weight.shape[3] // input.shape[3])
    total = sum(
        _centred(input, (n, y, x, d)) * (_stored(weight, (0, i, j, c)) - zero)
        for (i, j), (y, x) in _windows(site, (weight.shape[1], weight.shape[2]))
    )
    return _finished(site, total, c)


def _transpose_conv(site: Site) -> Exact:
    input, weight, (n, row, column, c) = site.operands["input"], site.operands["weight"], site.index
    zero = weight.zero_point if input.dtype == "uint8" else 0
    height, width = (int(v) for v in site.operands["output_shape"].data.reshape(-1)[1:3])
    down = _stamps(site, height, weight.shape[1], input.shape[1], row, "h")
    across = list(_stamps(site, width, weight.shape[2], input.shape[2], column, "w"))
    total = 0
    for (i, y), (j, x) in product(down, across):
        pixel = input.data[n, y, x].astype(object) - input.zero_point
        total += int((pixel * (weight.data[c, i, j].astype(object) - zero)).sum())
    return _finished(site, total, c)


def _stamps(site: Site, out: int, kernel: int, size: int, at: int, side: str) -> Iterator[tuple[int, int]]:
    """(tap, place in the input) of the stamps that reach output ``at`` along one side."""
    stride, before = int(site.option(f"stride_{side}")), 0
    if int(site.option("padding")) == 0:  # SAME
        before = max(0, (math.ceil(out / stride) - 1) * stride + kernel - out) // 2
    for tap in range(kernel):
        place, left = divmod(at + before - tap, stride)
        if not left and 0 <= place < size:
            yield tap, place


def _fully_connected(site: Site) -> Exact:
    input, weight, unit = site.operands["input"], site.operands["weight"], site.index[-1]
    zero = weight.zero_point if weight.quantization.scale.size == 1 else 0
    units = weight.shape[0]
    row = int(np.ravel_multi_index(site.index[:-1], site.output.shape[:-1])) if site.index[:-1] else 0
    depth = weight.data.size // units
    pixels = input.data.reshape(-1, depth)[row].astype(object) - input.zero_point
    total = int((pixels * (weight.data.reshape(units, depth)[unit].astype(object) - zero)).sum())
    return _finished(site, total, unit)


def _batch_matmul(site: Site) -> Exact:
    lhs, rhs, (*batch, row, column) = site.operands["lhs"], site.operands["rhs"], site.index
    left, right = lhs.data, rhs.data
    left = left.swapaxes(-1, -2) if site.option("adj_x", False) else left
    right = right.swapaxes(-1, -2) if site.option("adj_y", False) else right
    here = [
        side[tuple(0 if n == 1 else i for n, i in zip(side.shape, batch[len(batch) - side.ndim + 2 :], strict=False))]
        if side.ndim > 2
        else side
        for side in (left, right)
    ]
    terms = (here[0][row].astype(object) - lhs.zero_point) * (here[1][:, column].astype(object) - rhs.zero_point)
    scales = rhs.quantization.scale
    scale = _fraction(scales[column] if scales.size > 1 else scales[0])
    multiplier = _fraction(lhs.scale) * scale / _fraction(site.output.scale)
    return site.accumulated(_int32(int(terms.sum()), lhs), multiplier)


def _pair(site: Site) -> tuple[int, int, Fraction, Fraction]:
    """Both operands less their zero points, and their scales."""
    lhs, rhs = site.operands["lhs"], site.operands["rhs"]
    x, y = (_centred(v, _aligned(v, site.index)) for v in (lhs, rhs))
    return x, y, _fraction(lhs.scale), _fraction(rhs.scale)


def _add(site: Site) -> Exact:
    x, y, of_x, of_y = _pair(site)
    return site.steps(x * of_x + y * of_y)


def _sub(site: Site) -> Exact:
    x, y, of_x, of_y = _pair(site)
    return site.steps(x * of_x - y * of_y)


def _mul(site: Site) -> Exact | None:
    if site.operands["lhs"].dtype != site.output.dtype:
        return None  # fractions of 16 bits, for which no scale counts
    x, y, of_x, of_y = _pair(site)
    return site.accumulated(x * y, of_x * of_y / _fraction(site.output.scale))


def _div(site: Site) -> Exact | None:
    x, y, of_x, of_y = _pair(site)
    return site.steps(x * of_x / (y * of_y)) if y else None


def _squared_difference(site: Site) -> Exact:
    x, y, of_x, of_y = _pair(site)
    return site.steps((x * of_x - y * of_y) ** 2)


def _summed(site: Site, mean: bool) -> Exact:
    """Everything along the axes that the element stands for."""
    input = site.operands["input"]
    axes = {int(a) % input.data.ndim for a in site.operands["axis"].data.reshape(-1)}
    kept = list(site.index)
    if site.option("keep_dims", False):
        kept = [i for axis, i in enumerate(kept) if axis not in axes]
    left = iter(kept)
    where = tuple(slice(None) if axis in axes else next(left) for axis in range(input.data.ndim))
    values = np.asarray(input.data[where]).reshape(-1).astype(object)
    multiplier = _fraction(input.scale) / _fraction(site.output.scale) / (values.size if mean else 1)
    return site.accumulated(int((values - input.zero_point).sum()), multiplier)


def _average_pool_2d(site: Site) -> Exact:
    input, (n, _, _, c) = site.operands["input"], site.index
    filter_ = int(site.option("filter_height")), int(site.option("filter_width"))
    values = [_stored(input, (n, y, x, c)) for _, (y, x) in _windows(site, filter_)]
    share = Fraction(1, len(values))
    return Exact(sum(values) * share, 0, sum(values), share)


def _rescaled(site: Site, slope: Fraction = Fraction(1)) -> Exact:
    """One value less its zero point, from the input's scale to the output's."""
    input = site.operands["input"]
    multiplier = slope * _fraction(input.scale) / _fraction(site.output.scale)
    return site.accumulated(_centred(input, site.index), multiplier)


def _bounded(lower: int, upper: int | None) -> Callable[[Site], Exact]:
    """One value rescaled, unless a bound stands for it."""

    def at(site: Site) -> Exact:
        made = _rescaled(site)
        real = made.quotient * _fraction(site.output.scale)
        if real < lower or (upper is not None and real > upper):
            return site.steps(Fraction(lower if real < lower else upper or 0))
        return made

    return at


def _leaky_relu(site: Site) -> Exact:
    below = _centred(site.operands["input"], site.index) < 0
    return _rescaled(site, Fraction(float(np.float32(site.option("alpha", 0.0)))) if below else Fraction(1))


def _prelu(site: Site) -> Exact:
    if _centred(site.operands["input"], site.index) >= 0:
        return _rescaled(site)
    alpha = site.operands["alpha"]
    return _rescaled(site, _centred(alpha, _aligned(alpha, site.index)) * _fraction(alpha.scale))


def _abs(site: Site) -> Exact:
    return _rescaled(site, Fraction(-1 if _centred(site.operands["input"], site.index) < 0 else 1))


def _quantize(site: Site) -> Exact | None:
    input = site.operands["input"]
    if input.data.dtype.kind != "f":
        return _rescaled(site)
    real, scales, axis = float(input.data[site.index]), site.output.quantization.scale, site.output.quantization.axis
    if not math.isfinite(real):
        return None
    channel = site.index[axis] if scales.size > 1 else 0
    points = site.output.quantization.zero_point
    zero = int(points[channel if points.size > 1 else 0]) if points.size else 0
    return Exact(Fraction(real) / _fraction(scales[channel]), zero)


def _resize_bilinear(site: Site) -> Exact:
    input, (n, row, column, c) = site.operands["input"], site.index
    height, width = (int(v) for v in site.operands["size"].data.reshape(-1))
    down, across = _between(site, input.shape[1], height, row), _between(site, input.shape[2], width, column)
    total = sum(
        (by * along * _stored(input, (n, y, x, c)) for (y, by), (x, along) in product(down, across)), Fraction(0)
    )
    return Exact(total)


def _between(site: Site, size: int, out: int, at: int) -> tuple[tuple[int, Fraction], ...]:
    """The two input places around an output place along one side, with their weights."""
    corners, half = site.option("align_corners", False), site.option("half_pixel_centers", False)
    step = Fraction(size - 1, out - 1) if corners and out > 1 else Fraction(size, out)
    place = (at + Fraction(1, 2)) * step - Fraction(1, 2) if half else at * step
    place = min(max(place, Fraction(0)), Fraction(size - 1))
    low = math.floor(place)
    return (low, 1 - (place - low)), (min(low + 1, size - 1), place - low)


def _curve(function: Callable[[float], float]) -> Callable[[Site], Exact | None]:
    """A real function of one value, in float64."""

    def at(site: Site) -> Exact | None:
        input = site.operands["input"]
        try:
            real = function(_centred(input, site.index) * float(input.scale))
        except (ValueError, OverflowError, ZeroDivisionError):
            return None
        return site.steps(real) if math.isfinite(real) else None

    return at


def _softmax(site: Site) -> Exact:
    input = site.operands["input"]
    row = input.data[site.index[:-1]].astype(np.float64)
    powers = np.exp((row - row.max()) * float(input.scale) * float(site.option("beta", 0.0)))
    return site.steps(float(powers[site.index[-1]] / powers.sum()))


def _log_softmax(site: Site) -> Exact:
    input = site.operands["input"]
    row = (input.data[site.index[:-1]].astype(np.float64) - input.data[site.index[:-1]].max()) * float(input.scale)
    return site.steps(float(row[site.index[-1]] - np.log(np.exp(row).sum())))


def _l2_normalization(site: Site) -> Exact | None:
    input = site.operands["input"]
    row = input.data[site.index[:-1]].astype(np.float64) - input.zero_point
    length = math.sqrt(float((row * row).sum()))
    return site.steps(float(row[site.index[-1]]) / length) if length else None


FORMULAS: dict[str, Callable[[Site], Exact | None]] = {
    "CONV_2D": _conv_2d,
    "DEPTHWISE_CONV_2D": _depthwise_conv_2d,
    "TRANSPOSE_CONV": _transpose_conv,
    "FULLY_CONNECTED": _fully_connected,
    "BATCH_MATMUL": _batch_matmul,
    "ADD": _add,
    "SUB": _sub,
    "MUL": _mul,
    "DIV": _div,
    "SQUARED_DIFFERENCE": _squared_difference,
    "MEAN": lambda site: _summed(site, mean=True),
    "SUM": lambda site: _summed(site, mean=False),
    "AVERAGE_POOL_2D": _average_pool_2d,
    "RELU": _bounded(0, None),
    "RELU6": _bounded(0, 6),
    "RELU_N1_TO_1": _bounded(-1, 1),
    "RELU_0_TO_1": _bounded(0, 1),
    "LEAKY_RELU": _leaky_relu,
    "PRELU": _prelu,
    "ABS": _abs,
    "QUANTIZE": _quantize,
    "RESIZE_BILINEAR": _resize_bilinear,
    "SOFTMAX": _softmax,
    "LOG_SOFTMAX": _log_softmax,
    "L2_NORMALIZATION": _l2_normalization,
    "LOGISTIC": _curve(lambda x: 1 / (1 + math.exp(-x)) if x > -700 else 0.0),
    "TANH": _curve(math.tanh),
    "EXP": _curve(math.exp),
    "LOG": _curve(math.log),
    "SQRT": _curve(math.sqrt),
    "RSQRT": _curve(lambda x: 1 / math.sqrt(x)),
    "ELU": _curve(lambda x: x if x >= 0 else math.expm1(x)),
    "HARD_SWISH": _curve(lambda x: x * min(6.0, max(0.0, x + 3)) / 6),
}


def exact(opcode: str, site: Site) -> Exact | None:
    """The element's exact value, or None where no formula is known or it has no value (a division by zero).

    Only for outputs of up to 16 bits that are quantized: others have no steps.
    """
    formula, output = FORMULAS.get(opcode), site.output
    if formula is None or output.dtype not in STORED or not output.quantization.scale.size:
        return None
    operands = [v for v in site.operands.values() if v.data.dtype.kind == "f"]
    if operands and opcode != "QUANTIZE":
        return None
    return formula(site)
