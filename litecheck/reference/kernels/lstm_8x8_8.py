"""LSTM with int8 products in its gates (8x8_8): each product has separate parameters, and normalization is float32.

Formats: a gate's sum is int16 with the scale of its first intermediate tensor, Q3.12 after normalization, Q0.15 after
activation; the cell is Q0.15. The input gate is always the complement of the forget gate, and its operands are ignored.
There are no peepholes, and the projection is required.
Sources: tflite/kernels/lstm_eval.cc, EvalInteger8x8_8; lstm.cc, PopulateQuantizedLstmParams8x8_8;
internal/reference/portable_tensor_utils.cc.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from litecheck.reference.kernels.lstm_parts import GateProduct, product
from litecheck.reference.numerics.fixedpoint import (
    Ints,
    multiply_double,
    multiply_reduced,
    quantize_multiplier,
    round_half_away,
    rounding_shift,
    saturate,
)
from litecheck.reference.numerics.lookup import libm
from litecheck.reference.runtime_tensors import Operand, OutputSpec, RunError

#: Scale of the cell.
CELL = np.float32(2.0**-15)
_WORD = -(2**15), 2**15 - 1
_EXP, _TANH = libm(np.exp), libm(np.tanh)


@dataclass(frozen=True, slots=True, eq=False)
class Term:
    """Product in int8 with a zero point, and the multiplier that rescales it to the gate's scale."""

    product: GateProduct
    zero_point: int
    multiplier: tuple[int, int]

    @classmethod
    def of(cls, weights: Operand, source: Operand, made: OutputSpec, total: OutputSpec) -> Term:
        """Return weights * source with the parameters of ``made``, for a gate with the scale of ``total``."""
        scaled = product(weights, source.zero_point, weights.scale * source.scale / made.scale)
        return cls(scaled, made.zero_point, quantize_multiplier(float(made.scale / total.scale)))

    def __call__(self, vectors: Ints) -> Ints:
        """Return the products of ``vectors`` (batch, n), of shape (batch, cells), in the gate's scale."""
        stored = saturate(self.product(vectors) + self.zero_point, -128, 127)
        return multiply_double(stored - self.zero_point, *self.multiplier)


@dataclass(frozen=True, slots=True, eq=False)
class NarrowGate:
    """Sum and normalization of a gate. Coefficients and bias are float32 of shape (cells,)."""

    input: Term
    recurrent: Term | None
    coefficients: NDArray[np.float32]
    scale: np.float32
    bias: NDArray[np.float32]

    @classmethod
    def of(
        cls, input: tuple[Operand, Operand], recurrent: tuple[Operand, Operand], norm: Operand | None, bias: Operand,
        sums: tuple[OutputSpec, ...],
    ) -> NarrowGate:  # fmt: skip
        """Return a gate from (weights, source) of both products. ``sums`` are the gate's, the input's and the recurrent
        output's."""
        if norm is None:
            raise RunError("an 8x8_8 LSTM needs its layer normalization")
        total, first, second = sums
        bias_scale = np.float32(2.0**-10) * norm.scale
        return cls(
            Term.of(*input, first, total), Term.of(*recurrent, second, total), norm.data.astype(np.float32),
            norm.scale, bias.data.astype(np.float32) * bias_scale,
        )  # fmt: skip

    def __call__(self, x: Ints, h: Ints) -> NDArray[np.float32]:
        """Return (sum - mean) / deviation * coefficient + bias of each row, Q3.12 as float32, with all steps in float32.

        The variance is the mean square less the squared mean; both sums are added sequentially.
        """
        terms = self.input(x) if self.recurrent is None else self.input(x) + self.recurrent(h)
        total = saturate(terms, *_WORD).astype(np.float32)
        count = np.float32(total.shape[-1])
        mean, square = (
            np.cumsum(v, axis=-1, dtype=np.float32)[..., -1:] / count for v in (total, total * total)
        )
        variance = square - mean * mean
        with np.errstate(invalid="ignore"):
            inverse = np.float32(1) / np.sqrt(np.where(variance == 0, np.float32(1e-8), variance))
        normal = (total - mean) * inverse * self.coefficients * self.scale + self.bias
        stored = np.nan_to_num(round_half_away(normal * np.float32(4096)), nan=-(2.0**31))
        made: NDArray[np.float32] = stored.clip(*_WORD) * np.float32(2.0**-12)
        return made


def logistic(x: NDArray[np.float32]) -> Ints:
    """Return 1 / (1 + e^-x) in float32, Q0.15, truncated."""
    return _q15(np.float32(1) / (np.float32(1) + _EXP(-x)))


def tanh(x: NDArray[np.float32]) -> Ints:
    """Return tanh(x) in float32, Q0.15, truncated toward zero."""
    return _q15(_TANH(x))


def _q15(x: NDArray[np.float32]) -> Ints:
    return saturate(np.trunc(x * np.float32(2**15)).astype(np.int64), *_WORD)


@dataclass(frozen=True, slots=True, eq=False)
class Projection:
    """Output from o * tanh(c) in Q0.15: a product rescaled with a 16-bit multiplier."""

    weights: Ints
    bias: Ints
    multiplier: tuple[int, int]
    zero_point: int
    clip: int

    def __call__(self, hidden: Ints) -> Ints:
        made = multiply_reduced(hidden @ self.weights.T + self.bias, *self.multiplier) + self.zero_point
        made = saturate(made, -128, 127)
        return saturate(made, -self.clip, self.clip) if self.clip > 0 else made


def projection(weights: Operand | None, bias: Operand | None, output_state: Operand, clip: int) -> Projection:
    """Return the projection from its operands. ``clip`` is the real limit divided by the output's scale, truncated."""
    if weights is None or bias is None:
        raise RunError("an 8x8_8 LSTM needs its projection and the projection's bias")
    real = np.float32(float(weights.scale) * 2.0**-15 / float(output_state.scale))
    wide = weights.data.astype(np.int64), bias.data.astype(np.int64)
    return Projection(*wide, quantize_multiplier(float(real)), output_state.zero_point, clip)


def step(
    x: Ints, h: Ints, c: Ints, gates: tuple[NarrowGate, NarrowGate, NarrowGate], made: Projection, clip: int
) -> tuple[Ints, Ints]:
    """Return the output and the new cell from x, the output state h and the cell c, each (batch, ...).

    ``gates`` are forget, cell and output. ``clip`` bounds the cell unless it is 0.
    """
    forget, cell, output = gates
    f, g = logistic(forget(x, h)), tanh(cell(x, h))
    c = saturate(rounding_shift(f * c, 15) + rounding_shift((32767 - f) * g, 15), *_WORD)
    c = saturate(c, -clip, clip) if clip > 0 else c
    hidden = rounding_shift(logistic(output(x, h)) * tanh(c * CELL), 15)
    return made(hidden), c
