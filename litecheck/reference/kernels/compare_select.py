"""Comparisons, MAXIMUM, MINIMUM; choices and operators on bits: SELECT, WHERE, LOGICAL_AND, BITWISE_XOR, POW, ..."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from litecheck.reference.compute_limits import reserve
from litecheck.reference.numerics.broadcast import apply
from litecheck.reference.numerics.fixedpoint import MULTIPLY, Ints, quantize_multiplier
from litecheck.reference.registry import KernelFunction, Variants, kernel
from litecheck.reference.runtime_tensors import Array, Operand, OutputSpec, RunError

#: Operator -> what it asks.
COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "EQUAL": np.equal, "NOT_EQUAL": np.not_equal, "LESS": np.less, "LESS_EQUAL": np.less_equal,
    "GREATER": np.greater, "GREATER_EQUAL": np.greater_equal,
}  # fmt: skip
_PLAIN = ("float32", "int32", "int64", "bool")


@dataclass(frozen=True)
class Scaled:
    """Both operands in fixed point with 8 bits below the unit, then compared."""

    ask: Callable[[Any, Any], Any]
    zero_points: tuple[int, int]
    multipliers: tuple[tuple[int, int], tuple[int, int]]
    rounding: str

    def __call__(self, x: Ints, y: Ints) -> Ints:
        """Stored operands -> 0 or 1."""
        multiply = MULTIPLY[self.rounding]
        x = multiply((x - self.zero_points[0]) << 8, *self.multipliers[0])
        y = multiply((y - self.zero_points[1]) << 8, *self.multipliers[1])
        asked: Ints = self.ask(x, y)
        return asked


def _comparison(opcode: str) -> tuple[KernelFunction, KernelFunction]:
    ask = COMPARISONS[opcode]

    def quantized(lhs: Operand, rhs: Operand, output: OutputSpec, variants: Variants) -> Array:
        if lhs.dtype == "int16" and not lhs.quantization.scale.size:
            return plain(lhs, rhs, output)
        points = lhs.zero_point, rhs.zero_point
        multipliers = quantize_multiplier(float(lhs.scale)), quantize_multiplier(float(rhs.scale))
        return apply(Scaled(ask, points, multipliers, variants["rescale"]), lhs.data, rhs.data, "bool")

    def plain(lhs: Operand, rhs: Operand, output: OutputSpec) -> Array:
        asked: Array = ask(lhs.data, rhs.data)
        return asked

    quantized.__doc__ = f"""output = whether lhs is {opcode.lower()} to rhs, as real values; shapes broadcast.

    Each operand less its zero point, 8 bits to the left, times its scale in fixed point: values that differ by less
    than 1/256 may compare as equal. Source: tflite/kernels/comparisons.cc, internal/reference/comparisons.h.
    """
    plain.__doc__ = f"""output = whether lhs is {opcode.lower()} to rhs, of stored values; shapes broadcast.

    Source: tflite/kernels/comparisons.cc; int16 but for EQUAL and NOT_EQUAL ignores scales too.
    """
    return quantized, plain


for _opcode in COMPARISONS:
    _quantized, _plain = _comparison(_opcode)
    _scaled_int16 = ("int16",) if _opcode in ("EQUAL", "NOT_EQUAL") else ()
    kernel(_opcode, "int8", "uint8", *_scaled_int16, rescale=("double", "single"))(_quantized)
    kernel(_opcode, *_PLAIN, *(() if _scaled_int16 else ("int16",)))(_plain)


@kernel("MAXIMUM", "int8", "uint8", "int16", "int32", "int64", "float32")
def maximum(lhs: Operand, rhs: Operand, output: OutputSpec) -> Array:
    """output = the larger of lhs and rhs, of stored values; shapes broadcast. Source: maximum_minimum.cc."""
    return np.where(lhs.data > rhs.data, lhs.data, rhs.data)


@kernel("MINIMUM", "int8", "uint8", "int16", "int32", "int64", "float32")
def minimum(lhs: Operand, rhs: Operand, output: OutputSpec) -> Array:
    """output = the smaller of lhs and rhs, of stored values; shapes broadcast. Source: maximum_minimum.cc."""
    return np.where(lhs.data < rhs.data, lhs.data, rhs.data)


_ANY = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "float32", "bool")
_INTEGERS = ("int8", "uint8", "int16", "uint16", "int32", "uint32")


def _reserve_chosen(condition: Array, on_true: Operand, on_false: Operand) -> None:
    shape = np.broadcast_shapes(condition.shape, on_true.shape, on_false.shape)
    reserve(shape, on_true.data.itemsize)


@kernel("SELECT", *_ANY, deciding="on_true")
def select(condition: Operand, on_true: Operand, on_false: Operand, output: OutputSpec) -> Array:
    """output = on_true where condition holds, else on_false; stored values are copied.

    condition has the operands' shape, or none, or their first dimension. Source: tflite/kernels/select.cc.
    """
    asked = condition.data
    if asked.ndim == 1 and on_true.data.ndim > 1:
        asked = asked.reshape(-1, *(1,) * (on_true.data.ndim - 1))
    _reserve_chosen(asked, on_true, on_false)
    return np.where(asked, on_true.data, on_false.data)


@kernel("SELECT_V2", *_ANY, deciding="on_true")
def select_v2(condition: Operand, on_true: Operand, on_false: Operand, output: OutputSpec) -> Array:
    """output = on_true where condition holds, else on_false; all three broadcast. Source: tflite/kernels/select.cc.

    For example, (false, true), (1, 2) and (3, 4) give (3, 2).
    """
    _reserve_chosen(condition.data, on_true, on_false)
    return np.where(condition.data, on_true.data, on_false.data)


@kernel("WHERE", *_ANY)
def where(condition: Operand, output: OutputSpec) -> Array:
    """output (n, rank) = indices of the elements that are not 0, in row-major order. Source: where.cc.

    For example, (false, true) gives ((1)).
    """
    reserve((condition.data.size, condition.data.ndim), 16)
    return np.argwhere(condition.data)


@kernel("LOGICAL_AND", "bool")
def logical_and(lhs: Operand, rhs: Operand, output: OutputSpec) -> Array:
    """output = lhs and rhs; shapes broadcast. Source: tflite/kernels/logical.cc."""
    return np.asarray(np.logical_and(lhs.data, rhs.data))


@kernel("LOGICAL_OR", "bool")
def logical_or(lhs: Operand, rhs: Operand, output: OutputSpec) -> Array:
    """output = lhs or rhs; shapes broadcast. Source: tflite/kernels/logical.cc."""
    return np.asarray(np.logical_or(lhs.data, rhs.data))


@kernel("BITWISE_XOR", *_INTEGERS)
def bitwise_xor(lhs: Operand, rhs: Operand, output: OutputSpec) -> Array:
    """output = lhs xor rhs, bit by bit; shapes broadcast. Source: tflite/kernels/bitwise_xor.cc."""
    return lhs.data ^ rhs.data


@kernel("RIGHT_SHIFT", *_INTEGERS)
def right_shift(lhs: Operand, rhs: Operand, output: OutputSpec) -> Array:
    """output = lhs shifted right by rhs bits, arithmetically; rhs is kept within 0 .. width - 1.

    Source: tflite/kernels/right_shift.cc.
    """
    return np.asarray(np.right_shift(lhs.data, np.clip(rhs.data, 0, lhs.data.dtype.itemsize * 8 - 1)))


@kernel("POW", "float32", "int32")
def power(lhs: Operand, rhs: Operand, output: OutputSpec) -> Array:
    """output = lhs to the power of rhs; int32 exponents may not be negative.

    An int32 power beyond 32 bits wraps if a single exponent broadcasts, which LiteRT multiplies out, and is -2^31
    otherwise. Example: 46341 to the power of the scalar 2 gives -2147479015.
    Source: tflite/kernels/pow.cc.
    """
    if output.dtype == "float32":
        with np.errstate(all="ignore"):
            return np.asarray(np.power(lhs.data, rhs.data))
    if (rhs.data < 0).any():
        raise RunError("an int32 exponent is negative")
    if rhs.data.size == 1 and lhs.shape != rhs.shape:
        return np.asarray(np.power(lhs.data, rhs.data))
    real = np.power(lhs.data.astype(np.float64), rhs.data.astype(np.float64))
    return np.where(np.abs(real) < 2.0**31, real, -(2.0**31)).astype(np.int32)


@kernel("ATAN2", "float32", "float64")
def atan2(lhs: Operand, rhs: Operand, output: OutputSpec) -> Array:
    """output = the angle of the point (rhs, lhs), in (-pi, pi]; equal shapes. Source: tflite/kernels/atan2.cc."""
    if lhs.shape != rhs.shape:
        raise RunError(f"shapes {list(lhs.shape)} and {list(rhs.shape)} differ")
    return np.asarray(np.arctan2(lhs.data, rhs.data))


@kernel("ADD_N", "float32", "int32")
def add_n(values: tuple[Operand, ...], output: OutputSpec) -> Array:
    """output = the sum of all values, from the first on; equal shapes. Source: tflite/kernels/add_n.cc."""
    reserve(values[0].shape, values[0].data.itemsize)
    total = values[0].data.copy()
    for value in values[1:]:
        total += value.data
    return np.asarray(total)
