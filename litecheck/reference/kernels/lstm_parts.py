"""Parts of an integer LSTM: products, activations of its cell, layer normalization."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from litecheck.reference.kernels.transcendental import logistic_scale_over_24576, tanh_scale_over_24576
from litecheck.reference.numerics import gemmlowp
from litecheck.reference.numerics.fixedpoint import (
    Ints,
    multiply_double,
    quantize_multiplier,
    rounding_shift,
    saturate,
    wrap32,
)
from litecheck.reference.numerics.gemmlowp import inverse_sqrt
from litecheck.reference.runtime_tensors import Operand, RunError


@dataclass(frozen=True, slots=True, eq=False)
class GateProduct:
    """Matrix of weights times stored vectors: (w @ v + offset) * M, int32 rounded twice."""

    matrix: NDArray[np.float64]
    offset: Ints
    multiplier: tuple[int, int]

    def __call__(self, vectors: NDArray[np.int64]) -> Ints:
        """Return the products of ``vectors`` (..., n), of shape (..., rows). float64 sums of int8 products are exact."""
        sums = (vectors.astype(np.float64) @ self.matrix.T).astype(np.int64) + self.offset
        return multiply_double(wrap32(sums), *self.multiplier)


def product(weights: Operand, zero_point: int, real: np.float32, bias: Operand | None = None) -> GateProduct:
    """Return weights times (v - zero_point), with a bias, rescaled by ``real``, a float32 that LiteRT computes."""
    sums = weights.data.sum(axis=1, dtype=np.int64)
    offset = -zero_point * sums if bias is None else bias.data - zero_point * sums
    return GateProduct(weights.data.astype(np.float64), offset, quantize_multiplier(float(real)))


@dataclass(frozen=True, slots=True, eq=False)
class Peephole:
    """Peephole coefficients of shape (cells,), and the multiplier of their products.

    ``count`` is the number of coefficients per batch row; LiteRT uses the number of outputs. If a projection makes
    fewer outputs than cells, the first rows * outputs cells, regardless of their row, use these coefficients in turn.
    The remaining cells have none. With ``alone``, rows are computed individually.
    """

    coefficients: Ints
    multiplier: tuple[int, int]
    count: int
    alone: bool = False

    def __call__(self, cells: Ints) -> Ints:
        """Return the peephole term of a gate for cells of shape (batch, cells). Raises RunError for more outputs than
        cells."""
        if self.count > len(self.coefficients):
            raise RunError("LiteRT counts peepholes by outputs: got more outputs than cells")
        rows = cells.reshape(-1, cells.shape[-1] if self.alone else cells.size)
        count = rows.shape[-1] // cells.shape[-1] * self.count
        seen = np.zeros(rows.shape[-1], np.int64)
        seen[:count] = np.resize(self.coefficients[: self.count], count)
        return multiply_double((seen * rows).reshape(cells.shape), *self.multiplier)


@dataclass(frozen=True, slots=True)
class CellActivations:
    """``logistic`` of Q3.12 and ``tanh`` of 16-bit values with n integer bits, to Q0.15.

    ``shift_right`` is x * 2^-n, rounded.
    """

    logistic: Callable[[Ints], Ints]
    tanh: Callable[[Ints, int], Ints]
    shift_right: Callable[[Ints, int], Ints]


#: All values of a gate or a cell, ordered so that a negative value is its index from the end.
_WORDS = np.roll(np.arange(-(2**15), 2**15), 2**15)


@cache
def _gemmlowp_logistic() -> Ints:
    return gemmlowp.logistic(_WORDS, 3, 16)


@cache
def _gemmlowp_tanh(bits: int) -> Ints:
    return gemmlowp.tanh(_WORDS, bits, 16)


@cache
def _logistic_from_table() -> Ints:
    return logistic_scale_over_24576(3 * _WORDS)


@cache
def _tanh_from_table(bits: int) -> Ints:
    """Return tanh of all values. ``bits`` integer bits are converted to three: left shifts exactly, right shifts half up."""
    left, right = max(bits - 3, 0), max(3 - bits, 0)
    return tanh_scale_over_24576((_WORDS * (3 << left) + ((1 << right) >> 1)) >> right)


#: gemmlowp's polynomials and a single shift, or the table of 16-bit LOGISTIC and MultiplyByQuantizedMultiplier. Each
#: function is computed once for all 16-bit values, because a cell evaluates five of them for few values in every step.
CELL_ACTIVATIONS = {
    "gemmlowp": CellActivations(
        lambda x: _gemmlowp_logistic()[x],
        lambda x, bits: _gemmlowp_tanh(bits)[x],
        rounding_shift,
    ),
    "table": CellActivations(
        lambda x: _logistic_from_table()[x],
        lambda x, bits: _tanh_from_table(bits)[x],
        lambda x, n: multiply_double(x, *quantize_multiplier(2.0**-n)),
    ),
}


@dataclass(frozen=True, slots=True, eq=False)
class LayerNorm:
    """Coefficients and bias of shape (cells,), the multiplier of the coefficients, and the variance used instead of 0."""

    coefficients: Ints
    bias: Ints
    multiplier: tuple[int, int]
    guard: int

    @classmethod
    def of(cls, coefficients: Operand, bias: Operand | None) -> LayerNorm:
        """Return the normalization from its operands. The unit of the bias is coefficient scale / 1024."""
        if bias is None:
            raise RunError("layer normalization needs the gate's bias")
        mantissa, shift = quantize_multiplier(float(coefficients.scale))
        guard = max(1, int(np.float32(10000) * coefficients.scale))
        return cls(
            coefficients.data.astype(np.int64), bias.data.astype(np.int64), (mantissa, shift + 12), guard
        )

    def __call__(self, x: Ints) -> Ints:
        """Return (x - mean) / deviation * coefficient + bias for each row of x, shape (batch, cells).

        1. mean in Q10: the sum * 1024 / n, truncated; variance = (sum of squares * (2^20 / n) - mean^2) / 2^20, the
           quotient 2^20 / n truncated, which is exact only if n is a power of two.
        2. (1024 x - mean) / deviation in Q10, by the multiplier of the inverse square root.
        3. Times coefficient plus bias, over 1024 half away from zero, rescaled to Q3.12, int16.

        Source: portable_tensor_utils.cc, PortableApplyLayerNorm.
        """
        n = x.shape[-1]
        mean = _divide_truncating(x.sum(axis=-1, keepdims=True) * 1024, n)
        variance = (x * x).sum(axis=-1, keepdims=True) * ((1 << 20) // n) - mean * mean
        variance = wrap32(_divide_truncating(variance, 1 << 20))
        inverse, shift = inverse_sqrt(np.where(variance < 1, self.guard, variance))
        normal = multiply_double(wrap32(1024 * x - mean), inverse, shift)
        weighted = wrap32(normal * self.coefficients + self.bias)
        rounded = _divide_truncating(weighted + np.where(weighted > 0, 512, -512), 1024)
        return saturate(multiply_double(rounded, *self.multiplier), -(2**15), 2**15 - 1)


def _divide_truncating(x: Ints, divisor: int) -> Ints:
    """Return x / divisor, rounded toward zero as in C++."""
    quotient: Ints = np.sign(x) * (np.abs(x) // divisor)
    return quotient
