"""Comparisons of two operands: EQUAL, NOT_EQUAL, LESS, LESS_EQUAL, GREATER, GREATER_EQUAL, MAXIMUM, MINIMUM."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from litecheck.reference.numerics.broadcast import apply
from litecheck.reference.numerics.fixedpoint import MULTIPLY, Ints, quantize_multiplier
from litecheck.reference.registry import KernelFunction, Variants, kernel
from litecheck.reference.runtime_tensors import Array, Operand, OutputSpec

#: Comparison function of each operator.
COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "EQUAL": np.equal, "NOT_EQUAL": np.not_equal, "LESS": np.less, "LESS_EQUAL": np.less_equal,
    "GREATER": np.greater, "GREATER_EQUAL": np.greater_equal,
}  # fmt: skip
_SIGNS = dict(zip(COMPARISONS, ("==", "!=", "<", "<=", ">", ">="), strict=True))
_PLAIN = ("float32", "int32", "int64", "bool")


@dataclass(frozen=True)
class ScaledComparison:
    """Comparison of both operands in fixed point with 8 fractional bits."""

    compare: Callable[[Any, Any], Any]
    zero_points: tuple[int, int]
    multipliers: tuple[tuple[int, int], tuple[int, int]]
    rounding: str

    def __call__(self, x: Ints, y: Ints) -> Ints:
        """Return 1 if the comparison of stored operands is true, else 0."""
        multiply = MULTIPLY[self.rounding]
        x = multiply((x - self.zero_points[0]) << 8, *self.multipliers[0])
        y = multiply((y - self.zero_points[1]) << 8, *self.multipliers[1])
        outcome: Ints = self.compare(x, y)
        return outcome


def _comparison(opcode: str) -> tuple[KernelFunction, KernelFunction]:
    compare, sign = COMPARISONS[opcode], _SIGNS[opcode]

    def quantized(lhs: Operand, rhs: Operand, output: OutputSpec, variants: Variants) -> Array:
        if lhs.dtype == "int16" and not lhs.quantization.scale.size:
            return plain(lhs, rhs, output)
        points = lhs.zero_point, rhs.zero_point
        multipliers = quantize_multiplier(float(lhs.scale)), quantize_multiplier(float(rhs.scale))
        return apply(
            ScaledComparison(compare, points, multipliers, variants["rescale"]), lhs.data, rhs.data, "bool"
        )

    def plain(lhs: Operand, rhs: Operand, output: OutputSpec) -> Array:
        outcome: Array = compare(lhs.data, rhs.data)
        return outcome

    quantized.__doc__ = f"""output = true if lhs {sign} rhs, as real values, else false; shapes broadcast.

    Each operand less its zero point is shifted left by 8 bits and multiplied by its scale in fixed point. Values that
    differ by less than 1/256 may compare as equal.
    Source: tflite/kernels/comparisons.cc, internal/reference/comparisons.h.

    For example, 3 and 1 with scales 0.5 and 1 are 1.5 and 1: lhs is greater.
    """
    plain.__doc__ = f"""output = true if lhs {sign} rhs, as stored values, else false; shapes broadcast.

    int16 ignores scales, except in EQUAL and NOT_EQUAL. Source: tflite/kernels/comparisons.cc.
    """
    return quantized, plain


for _opcode in COMPARISONS:
    _quantized, _plain = _comparison(_opcode)
    _scaled_int16 = ("int16",) if _opcode in ("EQUAL", "NOT_EQUAL") else ()
    kernel(_opcode, "int8", "uint8", *_scaled_int16, rescale=("double", "single"))(_quantized)
    kernel(_opcode, *_PLAIN, *(() if _scaled_int16 else ("int16",)))(_plain)


@kernel("MAXIMUM", "int8", "uint8", "int16", "int32", "int64", "float32")
def maximum(lhs: Operand, rhs: Operand, output: OutputSpec) -> Array:
    """output = the larger of lhs and rhs, as stored values; shapes broadcast. Source: maximum_minimum.cc."""
    return np.where(lhs.data > rhs.data, lhs.data, rhs.data)


@kernel("MINIMUM", "int8", "uint8", "int16", "int32", "int64", "float32")
def minimum(lhs: Operand, rhs: Operand, output: OutputSpec) -> Array:
    """output = the smaller of lhs and rhs, as stored values; shapes broadcast. Source: maximum_minimum.cc."""
    return np.where(lhs.data < rhs.data, lhs.data, rhs.data)
