"""The functions inside an LSTM's cell, by the names an arithmetic file uses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np

from litecheck.reference.kernels.transcendental import logistic_in_24ths, tanh_in_24ths
from litecheck.reference.numerics import gemmlowp
from litecheck.reference.numerics.fixedpoint import Ints, multiply_double, quantize_multiplier, rounding_shift


@dataclass(frozen=True, slots=True)
class Curves:
    """``logistic`` of Q3.12 and ``tanh`` of so many integer bits in 16 to Q0.15; ``scaled`` is x * 2^-n, rounded."""

    logistic: Callable[[Ints], Ints]
    tanh: Callable[[Ints, int], Ints]
    scaled: Callable[[Ints, int], Ints]


#: Every value a gate or a cell can have, in the order in which an index below 0 counts from the end.
_WORDS = np.roll(np.arange(-(2**15), 2**15), 2**15)


@cache
def _gemmlowp_logistic() -> Ints:
    return gemmlowp.logistic(_WORDS, 3, 16)


@cache
def _gemmlowp_tanh(bits: int) -> Ints:
    return gemmlowp.tanh(_WORDS, bits, 16)


@cache
def _logistic_from_table() -> Ints:
    return logistic_in_24ths(3 * _WORDS)


@cache
def _tanh_from_table(bits: int) -> Ints:
    """``bits`` integer bits are brought to three: to the left exactly, to the right half up."""
    left, right = max(bits - 3, 0), max(3 - bits, 0)
    return tanh_in_24ths((_WORDS * (3 << left) + ((1 << right) >> 1)) >> right)


#: gemmlowp's polynomials and one shift, or the table of 16-bit LOGISTIC and MultiplyByQuantizedMultiplier. Each curve is
#: computed once for all values of 16 bits: a cell asks for five of them in every step, of a few values each.
CURVES = {
    "gemmlowp": Curves(
        lambda x: _gemmlowp_logistic()[x],
        lambda x, bits: _gemmlowp_tanh(bits)[x],
        rounding_shift,
    ),
    "table": Curves(
        lambda x: _logistic_from_table()[x],
        lambda x, bits: _tanh_from_table(bits)[x],
        lambda x, n: multiply_double(x, *quantize_multiplier(2.0**-n)),
    ),
}
