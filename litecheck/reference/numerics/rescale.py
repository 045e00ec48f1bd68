"""Every rescaling a device is known to do, as a table of named variants.

The real multiplier is M = input scale * weight scale / output scale, one for each output channel. Fixed-point
variants write it M = m * 2^(shift - 31); see litecheck.reference.numerics.fixedpoint for the roundings they are made of.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.reference.engine.values import Result, RunError, Value
from litecheck.reference.numerics.fixedpoint import (
    INT32_MAX,
    INT32_MIN,
    Ints,
    multiply_truncate,
    quantize_multipliers,
    reduce_multiplier,
    round_half_away,
    saturate,
    wrap32,
)


@dataclass(frozen=True, slots=True, eq=False)
class Scales:
    """The scales of a sum of products: float32 numbers, the weights' of shape (channels,)."""

    input: np.float32
    weight: NDArray[np.float32]
    output: np.float32

    @staticmethod
    def of(input: Value, weight: Value, output: Result, channels: int) -> Scales:
        """Of an operator's operands; RunError where the weights' scales are neither one nor one for each channel."""
        stated = weight.quantization.scale
        if stated.size not in (1, channels):
            raise RunError(f"{stated.size} weight scales for {channels} channels")
        return Scales(input.scale, np.broadcast_to(stated, (channels,)), output.scale)

    def double(self) -> NDArray[np.float64]:
        """M with a float64 product: convolutions, and whatever has a scale for each channel."""
        made: NDArray[np.float64] = (
            np.float64(self.input) * self.weight.astype(np.float64) / np.float64(self.output)
        )
        return made

    def narrow(self) -> NDArray[np.float64]:
        """M with a float32 product, divided in float64: GetQuantizedConvolutionMultipler of kernel_util.cc."""
        made: NDArray[np.float64] = (self.input * self.weight).astype(np.float64) / np.float64(self.output)
        return made

    def single(self) -> NDArray[np.float32]:
        """M in float32 throughout: XNNPACK."""
        made: NDArray[np.float32] = self.input * self.weight / self.output
        return made


#: What a variant does to a tile: (accumulators int64, owned; constants) -> rescaled, integers in any type.
Tilewise = Callable[..., NDArray[Any]]


@dataclass(frozen=True, slots=True, eq=False)
class Rescale:
    """A variant bound to its multipliers: a step and its constants, each of shape (channels,).

    ``real`` and ``slack`` are what :mod:`~litecheck.reference.numerics.nearest` asks for: the multipliers as the
    step applies them, and how far from a tie it may still decide as for a tie, in steps of the output.
    """

    step: Tilewise
    constants: tuple[NDArray[Any], ...]
    real: NDArray[np.float64] | None = None
    slack: NDArray[np.float64] | None = None


#: (multipliers, scales) -> what to do with accumulators.
Bind = Callable[[NDArray[np.float64], Scales], Rescale]
#: Rescaling variants by the name an arithmetic file uses, the usual ones first.
VARIANTS: dict[str, Bind] = {}
#: Those with a multiplier in fixed point: here it counts whether the scales were multiplied in float32 or float64.
FIXED: set[str] = set()


def variant(name: str, fixed: bool = False) -> Callable[[Bind], Bind]:
    """Register a function as a variant; every step that rescales sums of products has it from then on."""

    def register(bind: Bind) -> Bind:
        VARIANTS[name] = bind
        if fixed:
            FIXED.add(name)
        return bind

    return register


def _double(x: Ints, m: Ints, right: Ints, half: Ints, away: Ints) -> Ints:
    """Doubling high multiply, then a right shift, half up; minus the sign where ``away`` is -1: half away."""
    x *= m
    x += 1 << 30
    x >>= 31
    sign = x >> 63
    sign &= away
    x += sign
    x += half
    x >>= right
    return x


def _double_left(x: Ints, left: Ints, m: Ints, right: Ints, half: Ints, away: Ints) -> Ints:
    """The same for multipliers of 1 and more: shifted left in an int32 register first."""
    return _double(wrap32(x << left), m, right, half, away)


def _shifts(real: NDArray[np.float64]) -> tuple[Ints, Ints, Ints, Ints]:
    m, shift = quantize_multipliers(real)
    right = np.maximum(-shift, 0)
    return m, np.maximum(shift, 0), right, (np.int64(1) << right) >> 1


def _rounded_twice(real: NDArray[np.float64], away: Callable[[Ints], Ints]) -> Rescale:
    """``away`` makes of the right shifts -1 for channels whose second rounding is half away from zero, 0 for others."""
    m, left, right, half = _shifts(real)
    constants = m, right, half, away(right)
    if left.any():
        return Rescale(_double_left, (left, *constants))
    slack = np.where(m == 0, 0.0, 2.0 ** -(right + 1.0))
    return Rescale(_double, constants, m * 2.0 ** -(right + 31.0), slack)


@variant("double", fixed=True)
def double(real: NDArray[np.float64], scales: Scales) -> Rescale:
    """Rounded twice, the second time half away from zero (fixedpoint.multiply_double)."""
    return _rounded_twice(real, lambda right: -np.minimum(right, 1))


@variant("double-half-up", fixed=True)
def double_half_up(real: NDArray[np.float64], scales: Scales) -> Rescale:
    """Rounded twice, half up both times (fixedpoint.multiply_double_half_up)."""
    return _rounded_twice(real, np.zeros_like)


@variant("double-by-eight", fixed=True)
def double_by_eight(real: NDArray[np.float64], scales: Scales) -> Rescale:
    """Half up in the channels that fill vectors of eight, half away from zero in those that are left over."""
    body = np.arange(len(real)) < len(real) // 8 * 8
    return _rounded_twice(real, lambda right: np.where(body, 0, -np.minimum(right, 1)))


def _single(x: Ints, m: Ints, half: Ints, total: Ints) -> Ints:
    x *= m
    x += half
    x >>= total
    return x


@variant("single", fixed=True)
def single(real: NDArray[np.float64], scales: Scales) -> Rescale:
    """Rounded once, half up (fixedpoint.multiply_single)."""
    m, shift = quantize_multipliers(real)
    total = 31 - shift
    return Rescale(_single, (m, np.int64(1) << (total - 1), total))


def _reduced(real: NDArray[np.float64], bits: int) -> Rescale:
    m, shift = quantize_multipliers(real)
    right = np.maximum(bits - shift, 0)
    short = reduce_multiplier(m, bits) << np.maximum(shift - bits, 0)
    return Rescale(_single, (short, (np.int64(1) << right) >> 1, right))


@variant("reduced", fixed=True)
def reduced(real: NDArray[np.float64], scales: Scales) -> Rescale:
    """A multiplier of 16 bits for accumulators of up to 48: m rounded to 15 fractional bits, then one half-up shift.

    Source: tflite/kernels/internal/common.cc, MultiplyByQuantizedMultiplier for int64.
    """
    return _reduced(real, 15)


def _float64(x: Ints, real: NDArray[np.float64]) -> NDArray[np.float64]:
    return round_half_away(x * real)


@variant("float64")
def float64(real: NDArray[np.float64], scales: Scales) -> Rescale:
    """round(accumulator * M) in float64, half away from zero; M always with a float64 product."""
    return Rescale(_float64, (scales.double(),))


def _float32(x: Ints, real: NDArray[np.float32]) -> NDArray[np.float32]:
    scaled = x.astype(np.float32)
    scaled *= real
    rounded: NDArray[np.float32] = np.rint(scaled, out=scaled)
    return rounded


@variant("float32")
def float32(real: NDArray[np.float64], scales: Scales) -> Rescale:
    """rint(float32(accumulator) * M) in float32, half to even; M in float32 throughout."""
    return Rescale(_float32, (scales.single(),))


def _rndnu(x: Ints, m: Ints, left: Ints, half: Ints, right: Ints) -> Ints:
    x = saturate(x << left, INT32_MIN, INT32_MAX)
    x *= m
    x >>= 31
    x += half
    x >>= right
    return x


@variant("rndnu")
def rndnu(real: NDArray[np.float64], scales: Scales) -> Rescale:
    """XNNPACK on Arm: the high half of twice the product cut off, then a shift half up of 1 bit at least.

    The mantissa is the float32 multiplier's, 24 bits. Read, not run.
    Source: XNNPACK, src/qs8-requantization/rndnu-neon-qdmulh.c.
    """
    m, shift = quantize_multipliers(scales.single().astype(np.float64))
    right = np.maximum(-shift, 1)
    return Rescale(_rndnu, (m, shift + right, np.int64(1) << (right - 1), right))


def _float64_half_even(x: Ints, real: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.rint(x * real)


@variant("float64-half-even")
def float64_half_even(real: NDArray[np.float64], scales: Scales) -> Rescale:
    """rint(accumulator * M) in float64, half to even."""
    return Rescale(_float64_half_even, (scales.double(),))


def _float32_half_away(x: Ints, real: NDArray[np.float32]) -> NDArray[np.float32]:
    rounded: NDArray[np.float32] = round_half_away(x.astype(np.float32) * real)
    return rounded


@variant("float32-half-away")
def float32_half_away(real: NDArray[np.float64], scales: Scales) -> Rescale:
    """round(float32(accumulator) * M) in float32, half away from zero; M in float32 throughout."""
    return Rescale(_float32_half_away, (scales.single(),))


@variant("reduced-8", fixed=True)
def reduced_8(real: NDArray[np.float64], scales: Scales) -> Rescale:
    """A multiplier of 8 bits: m rounded to 7 fractional bits, then one half-up shift."""
    return _reduced(real, 7)


@variant("floor", fixed=True)
def floor(real: NDArray[np.float64], scales: Scales) -> Rescale:
    """Shifted right without rounding (fixedpoint.multiply_floor)."""
    m, shift = quantize_multipliers(real)
    return Rescale(_single, (m, np.zeros_like(m), 31 - shift))


def _truncate(x: Ints, m: Ints, shift: Ints) -> Ints:
    return multiply_truncate(x, m, shift)


@variant("truncate", fixed=True)
def truncate(real: NDArray[np.float64], scales: Scales) -> Rescale:
    """Rounded towards zero (fixedpoint.multiply_truncate)."""
    return Rescale(_truncate, quantize_multipliers(real))


def variants(first: str) -> tuple[str, ...]:
    """Every variant of a stage that rescales 32-bit sums, ``first`` of them as the stage's default."""
    return (first, *(name for name in VARIANTS if name != first))
