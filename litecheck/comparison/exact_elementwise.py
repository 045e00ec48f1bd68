"""Exact values of output elements computed from a value, two values, or a row, without kernels."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from contextlib import suppress
from fractions import Fraction
from itertools import product

import numpy as np

from litecheck.comparison.element import (
    ElementSite,
    Exact,
    Formula,
    broadcast_index,
    centered_value,
    fraction,
    stored_value,
)


def _pair(site: ElementSite) -> tuple[int, int, Fraction, Fraction]:
    """Return both operands minus their zero points, and their scales."""
    lhs, rhs = site.operands["lhs"], site.operands["rhs"]
    x, y = (centered_value(v, broadcast_index(v, site.index)) for v in (lhs, rhs))
    return x, y, fraction(lhs.scale), fraction(rhs.scale)


def _reals(function: Callable[[Fraction, Fraction], Fraction]) -> Formula:
    """Return a formula for a function of both real values; its value is None for a division by zero."""

    def at(site: ElementSite) -> Exact | None:
        x, y, of_x, of_y = _pair(site)
        with suppress(ZeroDivisionError):
            return site.steps(function(x * of_x, y * of_y))
        return None

    return at


def _mul(site: ElementSite) -> Exact | None:
    if site.operands["lhs"].dtype != site.output.dtype:
        return None  # 16-bit fractions, which ignore the scales
    x, y, of_x, of_y = _pair(site)
    return site.scale_accumulator(x * y, of_x * of_y / fraction(site.output.scale))


def _rescale_value(site: ElementSite, slope: Fraction = Fraction(1)) -> Exact:
    """Rescale one value, minus its zero point, from the input's scale to the output's."""
    source = site.operands["input"]
    multiplier = slope * fraction(source.scale) / fraction(site.output.scale)
    return site.scale_accumulator(centered_value(source, site.index), multiplier)


def _bounded_formula(lower: int, upper: int | None) -> Callable[[ElementSite], Exact]:
    """Return a formula that rescales one value and clamps it to real bounds."""

    def at(site: ElementSite) -> Exact:
        made = _rescale_value(site)
        real = made.quotient * fraction(site.output.scale)
        if real < lower or (upper is not None and real > upper):
            return site.steps(Fraction(lower if real < lower else upper or 0))
        return made

    return at


def _leaky_relu(site: ElementSite) -> Exact:
    below = centered_value(site.operands["input"], site.index) < 0
    return _rescale_value(
        site, Fraction(float(np.float32(site.option("alpha", 0.0)))) if below else Fraction(1)
    )


def _prelu(site: ElementSite) -> Exact:
    if centered_value(site.operands["input"], site.index) >= 0:
        return _rescale_value(site)
    alpha = site.operands["alpha"]
    return _rescale_value(
        site, centered_value(alpha, broadcast_index(alpha, site.index)) * fraction(alpha.scale)
    )


def _abs(site: ElementSite) -> Exact:
    return _rescale_value(site, Fraction(-1 if centered_value(site.operands["input"], site.index) < 0 else 1))


def _quantize(site: ElementSite) -> Exact | None:
    source = site.operands["input"]
    if source.data.dtype.kind != "f":
        return _rescale_value(site)
    real, q = float(source.data[site.index]), site.output.quantization
    if not math.isfinite(real):
        return None
    scales, points = q.scale, q.zero_point
    channel = site.index[q.axis] if scales.size > 1 else 0
    zero = int(points[channel if points.size > 1 else 0]) if points.size else 0
    return Exact(Fraction(real) / fraction(scales[channel]), zero)


def _resize_bilinear(site: ElementSite) -> Exact:
    source, (n, row, column, c) = site.operands["input"], site.index
    height, width = (int(v) for v in site.operands["size"].data.reshape(-1))
    down = _neighbor_positions(site, source.shape[1], height, row)
    across = _neighbor_positions(site, source.shape[2], width, column)
    terms = (by * to * stored_value(source, (n, y, x, c)) for (y, by), (x, to) in product(down, across))
    return Exact(sum(terms, Fraction(0)))


def _neighbor_positions(site: ElementSite, size: int, out: int, at: int) -> tuple[tuple[int, Fraction], ...]:
    """Return the two input positions around an output position along a side, with their weights."""
    corners, half = site.option("align_corners", False), site.option("half_pixel_centers", False)
    step = Fraction(size - 1, out - 1) if corners and out > 1 else Fraction(size, out)
    place = (at + Fraction(1, 2)) * step - Fraction(1, 2) if half else at * step
    place = min(max(place, Fraction(0)), Fraction(size - 1))
    low = math.floor(place)
    return (low, 1 - (place - low)), (min(low + 1, size - 1), place - low)


def _curve(function: Callable[[float], float]) -> Callable[[ElementSite], Exact | None]:
    """Return a formula for a real function of one value, in float64."""

    def at(site: ElementSite) -> Exact | None:
        source = site.operands["input"]
        try:
            real = function(centered_value(source, site.index) * float(source.scale))
        except (ValueError, OverflowError, ZeroDivisionError):
            return None
        return site.steps(real) if math.isfinite(real) else None

    return at


def _softmax(site: ElementSite) -> Exact:
    source = site.operands["input"]
    row = source.data[site.index[:-1]].astype(np.float64)
    powers = np.exp((row - row.max()) * float(source.scale) * float(site.option("beta", 0.0)))
    return site.steps(float(powers[site.index[-1]] / powers.sum()))


def _log_softmax(site: ElementSite) -> Exact:
    source = site.operands["input"]
    stored = source.data[site.index[:-1]].astype(np.float64)
    row = (stored - stored.max()) * float(source.scale)
    return site.steps(float(row[site.index[-1]] - np.log(np.exp(row).sum())))


def _l2_normalization(site: ElementSite) -> Exact | None:
    source = site.operands["input"]
    row = source.data[site.index[:-1]].astype(np.float64) - source.zero_point
    length = math.sqrt(float((row * row).sum()))
    return site.steps(float(row[site.index[-1]]) / length) if length else None


#: Formulas by the name that rules/operators.yaml states as ``element``.
FORMULAS: dict[str, Formula] = {
    "add": _reals(operator.add),
    "sub": _reals(operator.sub),
    "mul": _mul,
    "div": _reals(operator.truediv),
    "squared_difference": _reals(lambda x, y: (x - y) ** 2),
    "relu": _bounded_formula(0, None),
    "relu6": _bounded_formula(0, 6),
    "relu_n1_to_1": _bounded_formula(-1, 1),
    "relu_0_to_1": _bounded_formula(0, 1),
    "leaky_relu": _leaky_relu,
    "prelu": _prelu,
    "abs": _abs,
    "quantize": _quantize,
    "resize_bilinear": _resize_bilinear,
    "softmax": _softmax,
    "log_softmax": _log_softmax,
    "l2_normalization": _l2_normalization,
    "logistic": _curve(lambda x: 1 / (1 + math.exp(-x)) if x > -700 else 0.0),
    "tanh": _curve(math.tanh),
    "exp": _curve(math.exp),
    "log": _curve(math.log),
    "sqrt": _curve(math.sqrt),
    "rsqrt": _curve(lambda x: 1 / math.sqrt(x)),
    "elu": _curve(lambda x: x if x >= 0 else math.expm1(x)),
    "hard_swish": _curve(lambda x: x * min(6.0, max(0.0, x + 3)) / 6),
}
