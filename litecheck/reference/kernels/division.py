"""Quotients: DIV through a fixed-point reciprocal, FLOOR_DIV, FLOOR_MOD."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from litecheck.reference.numerics.broadcast import apply
from litecheck.reference.numerics.fixedpoint import (
    Ints,
    doubling_high_mul,
    quantize_multiplier,
    rounding_shift,
    saturate,
    wrap32,
)
from litecheck.reference.numerics.fused_activation import clamp_real, stored_bounds
from litecheck.reference.numerics.gemmlowp import leading_zeros, reciprocal
from litecheck.reference.registry import Variants, kernel
from litecheck.reference.runtime_tensors import Array, Operand, Options, OutputSpec, RunError

_QUANTIZED = ("int8", "uint8", "int16")


@dataclass(frozen=True)
class Quotient:
    """x / y by the reciprocal of y's leading bits. ``multiplier`` is lhs scale / (rhs scale * output scale)."""

    zero_points: tuple[int, int, int]
    multiplier: tuple[int, int]
    bounds: tuple[int, int]
    shift: str = "exact"

    def __call__(self, x: Ints, y: Ints) -> Ints:
        """Return the stored output for stored operands."""
        x, y = x - self.zero_points[0], y - self.zero_points[1]
        x, y = np.where(y < 0, -x, x), np.abs(y)
        inverse, above_one = reciprocal(y, 31)
        headroom = leading_zeros(np.where(x < 0, -x - 1, x)) - 1
        quotient = doubling_high_mul(wrap32(x << headroom), inverse)
        right = above_one + headroom - self.multiplier[1]
        scaled = SHIFTS[self.shift](doubling_high_mul(quotient, self.multiplier[0]), right)
        return saturate(scaled + self.zero_points[2], *self.bounds)


def _shift_exact(x: Ints, bits: Ints) -> Ints:
    """Return x / 2^bits, half away from zero, for any ``bits``. Values beyond 62 bits saturate later."""
    return np.where(bits >= 0, rounding_shift(x, np.clip(bits, 0, 62)), x << np.clip(-bits, 0, 31))


def _one_shift_reciprocal(x: Ints, bits: Ints) -> Ints:
    """Return x / 2^bits, half away from zero, in 32-bit registers of x86, where a shift by 32 or more bits is undefined.

    For these shifts, the mask of the remainder has all bits set, and the shift counts modulo 32.
    """
    mask = np.where(bits >= 32, -1, (np.int64(1) << np.clip(bits, 0, 31)) - 1)
    remainder, threshold = x & mask, (mask >> 1) + (x < 0)
    return (x >> (bits & 31)) + (remainder > threshold)


#: Final shifts of a quotient: (quotient, bits to the right) -> rounded.
SHIFTS = {"exact": _shift_exact, "word": _one_shift_reciprocal}


@kernel(
    "DIV", *_QUANTIZED, shift=("exact", "word"), multiplier=("float32", "float64"), by_zero=("refused", "reciprocal"),
)  # fmt: skip
def div(lhs: Operand, rhs: Operand, output: OutputSpec, options: Options, variants: Variants) -> Array:
    """output = lhs / rhs, clamped by the fused activation; shapes broadcast.

    The divisor is normalized to [1, 2) and inverted in Q0.31, the dividend shifted up to fill 31 bits. Their product
    times the multiplier is shifted back. LiteRT shifts small quotients by 32 or more bits (``word``, described in
    known-faults.yaml). A divisor of 0 is rejected, or normalized to -1 like a number (``reciprocal``). The multiplier is
    computed from float32 or float64 scales. Source: tflite/kernels/internal/reference/div.h.

    For example, 30 and 20 with scales 0.1 give 15.
    """
    if (rhs.data == rhs.zero_point).any() and variants["by_zero"] == "refused":
        raise RunError("division by zero")
    bounds = stored_bounds(options, output)
    wide = np.float64 if variants["multiplier"] == "float64" else np.float32
    real = wide(lhs.scale) / wide(wide(rhs.scale) * wide(output.scale))
    points = lhs.zero_point, rhs.zero_point, output.zero_point
    formula = Quotient(points, quantize_multiplier(float(real)), bounds, variants["shift"])
    return apply(formula, lhs.data, rhs.data, output.dtype)


@kernel("DIV", "float32", "int32")
def div_plain(lhs: Operand, rhs: Operand, output: OutputSpec, options: Options) -> Array:
    """output = lhs / rhs, integers truncated toward zero, clamped by the fused activation.

    Source: tflite/kernels/div.cc.
    """
    if output.dtype == "float32":
        with np.errstate(divide="ignore", invalid="ignore"):
            return clamp_real(np.divide(lhs.data, rhs.data), options)
    _reject_zero(rhs)
    x, y = lhs.data.astype(np.int64), rhs.data.astype(np.int64)
    return clamp_real((np.sign(x) * np.sign(y) * (np.abs(x) // np.abs(y))).astype(output.dtype), options)


@kernel("FLOOR_DIV", "float32", "int8", "int16", "int32")
def floor_div(lhs: Operand, rhs: Operand, output: OutputSpec) -> Array:
    """output = floor(lhs / rhs), as stored values; shapes broadcast. Source: tflite/kernels/floor_div.cc.

    For example, -7 / 2 and 7 / -2 give -4.
    """
    if output.dtype == "float32":
        with np.errstate(divide="ignore", invalid="ignore"):
            quotient = np.floor(lhs.data.astype(np.float64) / rhs.data.astype(np.float64))
        return quotient.astype(np.float32)
    _reject_zero(rhs)
    return (lhs.data.astype(np.int64) // rhs.data.astype(np.int64)).astype(output.dtype)


@kernel("FLOOR_MOD", "float32", "int8", "int16", "int32", "int64")
def floor_mod(lhs: Operand, rhs: Operand, output: OutputSpec) -> Array:
    """output = lhs - rhs * floor(lhs / rhs), as stored values, with the sign of rhs. Source: floor_mod.cc.

    For example, -7 and 3 give 2, 7 and -3 give -2.
    """
    if output.dtype == "float32":
        with np.errstate(invalid="ignore"):
            left = np.fmod(lhs.data, rhs.data)
            return np.asarray(np.where((left != 0) & ((rhs.data < 0) != (left < 0)), left + rhs.data, left))
    _reject_zero(rhs)
    if output.dtype == "int64":
        return np.asarray(
            np.where(rhs.data == -1, np.int64(0), np.mod(lhs.data, np.where(rhs.data == -1, 1, rhs.data)))
        )
    return np.mod(lhs.data.astype(np.int64), rhs.data.astype(np.int64)).astype(output.dtype)


def _reject_zero(rhs: Operand) -> None:
    if not rhs.data.all():
        raise RunError("division by zero")
