"""Layer normalization of the integer LSTM: int16 sums to Q3.12, mean 0 and deviation 1 times coefficients."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from litecheck.reference.numerics.fixedpoint import (
    Ints,
    multiply_double,
    quantize_multiplier,
    saturate,
    wrap32,
)
from litecheck.reference.numerics.gemmlowp import inverse_sqrt
from litecheck.reference.operands import Operand, RunError


@dataclass(frozen=True, slots=True, eq=False)
class Norm:
    """Coefficients and bias of shape (cells,), the coefficients' multiplier, and the variance that 0 counts as."""

    coefficients: Ints
    bias: Ints
    multiplier: tuple[int, int]
    guard: int

    @classmethod
    def of(cls, coefficients: Operand, bias: Operand | None) -> Norm:
        """From the operands; the bias is in units of coefficient scale / 1024."""
        if bias is None:
            raise RunError("layer normalization needs the gate's bias")
        mantissa, shift = quantize_multiplier(float(coefficients.scale))
        guard = max(1, int(np.float32(10000) * coefficients.scale))
        return cls(
            coefficients.data.astype(np.int64), bias.data.astype(np.int64), (mantissa, shift + 12), guard
        )

    def __call__(self, x: Ints) -> Ints:
        """(x - mean) / deviation * coefficient + bias for each row of x, shape (batch, cells).

        1. mean in Q10: the sum * 1024 / n, truncated; variance = (sum of squares * (2^20 / n) - mean^2) / 2^20, the
           quotient 2^20 / n truncated, which is only right where n is a power of two.
        2. (1024 x - mean) / deviation in Q10, by the inverse square root's multiplier.
        3. Times coefficient plus bias, over 1024 half away from zero, rescaled to Q3.12, int16.

        Source: portable_tensor_utils.cc, PortableApplyLayerNorm.
        """
        n = x.shape[-1]
        mean = _truncated(x.sum(axis=-1, keepdims=True) * 1024, n)
        variance = (x * x).sum(axis=-1, keepdims=True) * ((1 << 20) // n) - mean * mean
        variance = wrap32(_truncated(variance, 1 << 20))
        inverse, shift = inverse_sqrt(np.where(variance < 1, self.guard, variance))
        normal = multiply_double(wrap32(1024 * x - mean), inverse, shift)
        weighted = wrap32(normal * self.coefficients + self.bias)
        rounded = _truncated(weighted + np.where(weighted > 0, 512, -512), 1024)
        return saturate(multiply_double(rounded, *self.multiplier), -(2**15), 2**15 - 1)


def _truncated(x: Ints, divisor: int) -> Ints:
    """x / divisor towards zero, which is what C++ does."""
    quotient: Ints = np.sign(x) * (np.abs(x) // divisor)
    return quotient
