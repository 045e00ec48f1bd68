"""Products of an integer LSTM: weights times stored vectors, rescaled."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from litecheck.reference.numerics.fixedpoint import Ints, multiply_double, quantize_multiplier, wrap32
from litecheck.reference.operands import Operand


@dataclass(frozen=True, slots=True, eq=False)
class GateProduct:
    """A matrix of weights times stored vectors: (w @ v + offset) * M, int32 rounded twice."""

    matrix: NDArray[np.float64]
    offset: Ints
    multiplier: tuple[int, int]

    def __call__(self, vectors: NDArray[np.int64]) -> Ints:
        """``vectors`` of shape (..., n) to (..., rows); float64 sums of int8 products are exact."""
        sums = (vectors.astype(np.float64) @ self.matrix.T).astype(np.int64) + self.offset
        return multiply_double(wrap32(sums), *self.multiplier)


def product(weights: Operand, zero_point: int, real: np.float32, bias: Operand | None = None) -> GateProduct:
    """Weights times (v - zero_point), with a bias, rescaled by ``real``, a float32 that LiteRT computes."""
    sums = weights.data.sum(axis=1, dtype=np.int64)
    offset = -zero_point * sums if bias is None else bias.data - zero_point * sums
    return GateProduct(weights.data.astype(np.float64), offset, quantize_multiplier(float(real)))
