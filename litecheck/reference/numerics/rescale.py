"""All known rescalings of devices, as a table of named variants.

Sums of int8 products (int32) usually take ``double``, sums of int16 products (int64) ``reduced`` or ``float64``. The files
in ``rules/arithmetic`` state the variant of each runtime, e.g. ``requantize: {default: double, int64_sums: reduced}``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

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
from litecheck.reference.runtime_tensors import Array, Operand, OutputSpec, RunError


@dataclass(frozen=True, slots=True, eq=False)
class Scales:
    """The scales of a sum of products: float32 numbers, the weights' of shape (channels,)."""

    input: np.float32
    weight: NDArray[np.float32]
    output: np.float32

    @staticmethod
    def of(input: Operand, weight: Operand, output: OutputSpec, channels: int) -> Scales:
        """Of an operator's operands; RunError where the number of weight scales is neither 1 nor the number of channels."""
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
Tilewise = Callable[..., Array]


@dataclass(frozen=True, slots=True, eq=False)
class Rescale:
    """A variant bound to its multipliers: a step and its constants, each of shape (channels,).

    ``real`` are the multipliers as the step applies them, where it is non-decreasing in the accumulator:
    :mod:`~litecheck.reference.numerics.proven_rescale` reads them. ``error_bound`` is the distance from a tie, in LSB of the
    output, within which the step may decide as for a tie: :mod:`~litecheck.reference.numerics.float32_rescale` reads both.
    """

    step: Tilewise
    constants: tuple[Array, ...]
    real: NDArray[np.float64] | None = None
    error_bound: NDArray[np.float64] | None = None


#: (multipliers, scales) -> what to do with accumulators.
Bind = Callable[[NDArray[np.float64], Scales], Rescale]
#: Rescaling variants by the name an arithmetic file uses, the usual variants first.
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
    """``away`` makes of the right shifts -1 for channels whose second rounding is half away from zero, else 0."""
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


def _single(x: Ints, m: Ints, half: Ints, right: Ints) -> Ints:
    x *= m
    x += half
    x >>= right
    return x


def _wrapped(x: Ints, m: Ints, half: Ints, right: Ints) -> Ints:
    """The same in int64, returned as int32: larger values wrap."""
    return wrap32(_single(x, m, half, right))


def _one_shift(name: str, bits: int = 31, rounded: bool = True, step: Tilewise = _single) -> None:
    """A variant with a single shift, half up or without rounding, by a mantissa of so many fractional bits."""

    def bind(real: NDArray[np.float64], scales: Scales) -> Rescale:
        m, shift = quantize_multipliers(real)
        right = np.maximum(bits - shift, 0)
        short = (m if bits == 31 else reduce_multiplier(m, bits)) << np.maximum(shift - bits, 0)
        half = (np.int64(1) << right) >> 1
        exact = short * 2.0**-right if rounded and step is _single else None
        return Rescale(step, (short, half if rounded else np.zeros_like(half), right), exact)

    variant(name, fixed=True)(bind)


def _scaled(rounding: Callable[..., Array], x: Ints, real: Array) -> Array:
    scaled = x.astype(real.dtype)
    scaled *= real
    return rounding(scaled)


def _real(name: str, product: Callable[[Scales], Array], rounding: Callable[..., Array]) -> None:
    """A variant that multiplies and rounds in the width of M, whatever the operator takes its multiplier from."""

    def bind(real: NDArray[np.float64], scales: Scales) -> Rescale:
        made = product(scales)
        return Rescale(partial(_scaled, rounding), (made,), made.astype(np.float64))

    variant(name)(bind)


_one_shift("single")
# For accumulators of up to 48 bits: tflite/kernels/internal/common.cc, MultiplyByQuantizedMultiplier for int64.
_one_shift("reduced", 15, step=_wrapped)
_real("float64", Scales.double, round_half_away)
_real("float32", Scales.single, np.rint)


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
    left, half = shift + right, np.int64(1) << (right - 1)
    return Rescale(_rndnu, (m, left, half, right), m * 2.0 ** (shift - 31.0))


_real("float64-half-even", Scales.double, np.rint)
_real("float32-half-away", Scales.single, round_half_away)
_one_shift("reduced-8", 7)
_one_shift("floor", rounded=False)


@variant("truncate", fixed=True)
def truncate(real: NDArray[np.float64], scales: Scales) -> Rescale:
    """Rounded towards zero (fixedpoint.multiply_truncate)."""
    return Rescale(multiply_truncate, quantize_multipliers(real))


def rescalings(first: str) -> tuple[str, ...]:
    """Return every variant of a step that rescales 32-bit sums, with ``first`` as the step's default."""
    return (first, *(name for name in VARIANTS if name != first))
