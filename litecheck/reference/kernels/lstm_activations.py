"""The functions inside an LSTM's cell, by the names an arithmetic file uses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from litecheck.reference.kernels.transcendental import logistic_in_24ths, tanh_in_24ths
from litecheck.reference.numerics import gemmlowp
from litecheck.reference.numerics.fixedpoint import Ints, multiply_double, quantize_multiplier, rounding_shift


@dataclass(frozen=True, slots=True)
class Curves:
    """``logistic`` of Q3.12 and ``tanh`` of so many integer bits to Q0.15; ``scaled`` is x * 2^-n, rounded."""

    logistic: Callable[[Ints], Ints]
    tanh: Callable[[Ints, int], Ints]
    scaled: Callable[[Ints, int], Ints]


def _tanh_from_table(x: Ints, bits: int) -> Ints:
    """``bits`` integer bits are brought to three: to the left exactly, to the right half up."""
    left, right = max(bits - 3, 0), max(3 - bits, 0)
    return tanh_in_24ths((x * (3 << left) + ((1 << right) >> 1)) >> right)


#: gemmlowp's polynomials and one shift, or the table of 16-bit LOGISTIC and MultiplyByQuantizedMultiplier.
CURVES = {
    "gemmlowp": Curves(
        lambda x: gemmlowp.logistic(x, 3, 16), lambda x, bits: gemmlowp.tanh(x, bits, 16), rounding_shift
    ),
    "table": Curves(
        lambda x: logistic_in_24ths(3 * x),
        _tanh_from_table,
        lambda x, n: multiply_double(x, *quantize_multiplier(2.0**-n)),
    ),
}
