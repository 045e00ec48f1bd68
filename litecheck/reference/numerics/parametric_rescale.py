"""Rescalings by parameters: the rounding, the width of the multiplier, and the number of roundings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from itertools import product

import numpy as np
from numpy.typing import NDArray

from litecheck.reference.numerics.fixedpoint import Ints, quantize_multipliers, reduce_multiplier, wrap32
from litecheck.reference.numerics.rescale import Rescale

Shift = Callable[[Ints, Ints], Ints]


def half_up(x: Ints, bits: Ints) -> Ints:
    """Return x / 2^bits to nearest, ties up. Example: 3 and -3 with 1 bit give 2 and -1."""
    return (x + _half(bits)) >> bits


def half_away(x: Ints, bits: Ints) -> Ints:
    """Return x / 2^bits to nearest, ties away from zero. Example: 3 and -3 with 1 bit give 2 and -2."""
    rounded: Ints = (x + _half(bits) - ((x < 0) & (bits > 0))) >> bits
    return rounded


def half_even(x: Ints, bits: Ints) -> Ints:
    """Return x / 2^bits to nearest, ties to even. Example: 3 and 5 with 1 bit give 2 and 2."""
    up = half_up(x, bits)
    tie = (bits > 0) & ((x & ((np.int64(1) << bits) - 1)) == _half(bits))
    even: Ints = up - (tie & (up & 1 == 1))
    return even


def floor(x: Ints, bits: Ints) -> Ints:
    """Return x / 2^bits toward minus infinity. Example: 3 and -3 with 1 bit give 1 and -2."""
    return x >> bits


def truncate(x: Ints, bits: Ints) -> Ints:
    """Return x / 2^bits toward zero. Example: 3 and -3 with 1 bit give 1 and -1."""
    cut: Ints = np.sign(x) * (np.abs(x) >> bits)
    return cut


def _half(bits: Ints) -> Ints:
    half: Ints = (np.int64(1) << bits) >> 1
    return half


def _once(shift: Shift, x: Ints, m: Ints, right: Ints) -> Ints:
    return shift(x * m, right)


def _twice(shift: Shift, x: Ints, left: Ints, m: Ints, fraction: Ints, right: Ints) -> Ints:
    return shift(shift(wrap32(x << left) * m, fraction), right)


def _bind(shift: Shift, width: int, roundings: str, real: NDArray[np.float64]) -> Rescale:
    """Return x * M, rounded once after the whole shift, or twice: after the fraction of the multiplier and after the
    exponent."""
    fraction = width - 1
    m, exponent = quantize_multipliers(real)
    short = m if fraction == 31 else reduce_multiplier(m, fraction)
    if roundings == "twice":
        left, right = np.maximum(exponent, 0), np.maximum(-exponent, 0)
        return Rescale(partial(_twice, shift), (left, short, np.full_like(right, fraction), right))
    right = np.maximum(fraction - exponent, 0)
    return Rescale(partial(_once, shift), (short << np.maximum(exponent - fraction, 0), right))


#: Rescalings by name (``half-even-16-bits-once``): rounding, bits of the multiplier with its sign, one or two roundings.
PARAMETRIC: Mapping[str, Callable[[NDArray[np.float64]], Rescale]] = {
    f"{shift.__name__.replace('_', '-')}-{width}-bits-{roundings}": partial(_bind, shift, width, roundings)
    for shift, width, roundings in product(
        (half_up, half_away, half_even, floor, truncate), (32, 24, 16, 8), ("once", "twice")
    )
}
