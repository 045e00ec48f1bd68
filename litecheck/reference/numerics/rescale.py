"""All known rescalings of devices, as a table of named variants.

Sums of int8 products (int32) usually use ``double``, sums of int16 products (int64) ``reduced`` or ``float64``. The files in
``rules/arithmetic`` state the variant of each runtime, e.g. ``requantize: {default: double, int64_sums: reduced}``.
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
    """Scales of a sum of products: float32 numbers, the weights' of shape (channels,)."""

    input: np.float32
    weight: NDArray[np.float32]
    output: np.float32

    @staticmethod
    def of(input: Operand, weight: Operand, output: OutputSpec, channels: int) -> Scales:
        """Return the scales of an operator's operands. Raises RunError if the number of weight scales is neither 1 nor
        ``channels``."""
        stated = weight.quantization.scale
        if stated.size not in (1, channels):
            raise RunError(f"{stated.size} weight scales for {channels} channels")
        return Scales(input.scale, np.broadcast_to(stated, (channels,)), output.scale)

    def double(self) -> NDArray[np.float64]:
        """Return M with a float64 product, for convolutions and per-channel scales."""
        made: NDArray[np.float64] = (
            np.float64(self.input) * self.weight.astype(np.float64) / np.float64(self.output)
        )
        return made

    def narrow(self) -> NDArray[np.float64]:
        """Return M with a float32 product, divided in float64: GetQuantizedConvolutionMultipler of kernel_util.cc."""
        made: NDArray[np.float64] = (self.input * self.weight).astype(np.float64) / np.float64(self.output)
        return made

    def single(self) -> NDArray[np.float32]:
        """Return M with all steps in float32, for XNNPACK."""
        made: NDArray[np.float32] = self.input * self.weight / self.output
        return made


#: Step of a variant: (int64 accumulators of a tile, which it may change; constants) -> rescaled integers of any type.
Tilewise = Callable[..., Array]


@dataclass(frozen=True, slots=True, eq=False)
class Rescale:
    """Variant bound to its multipliers: a step and its constants, each of shape (channels,).

    ``real`` are the multipliers that the step applies, if it is non-decreasing in the accumulator;
    :mod:`~litecheck.reference.numerics.proven_rescale` reads them. ``error_bound`` is the distance from a tie, in LSB of the
    output, within which the step may round as for a tie; :mod:`~litecheck.reference.numerics.float32_rescale` reads both.
    """

    step: Tilewise
    constants: tuple[Array, ...]
    real: NDArray[np.float64] | None = None
    error_bound: NDArray[np.float64] | None = None


#: (multipliers, scales) -> rescaling of accumulators.
Bind = Callable[[NDArray[np.float64], Scales], Rescale]
#: Rescaling variants by the name in arithmetic files, common variants first.
VARIANTS: dict[str, Bind] = {}
#: Variants with a fixed-point multiplier, which depends on a float32 or float64 product of the scales.
FIXED: set[str] = set()


def variant(name: str, fixed: bool = False) -> Callable[[Bind], Bind]:
    """Register a function as a variant of every step that rescales sums of products."""

    def register(bind: Bind) -> Bind:
        VARIANTS[name] = bind
        if fixed:
            FIXED.add(name)
        return bind

    return register


def _double(x: Ints, m: Ints, right: Ints, half: Ints, away: Ints) -> Ints:
    """Return a doubling high multiply, then a right shift, half up. With ``away`` -1, the shift rounds half away from
    zero."""
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
    """Return :func:`_double` of x << left, wrapped to int32, for multipliers of 1 and more."""
    return _double(wrap32(x << left), m, right, half, away)


def _shifts(real: NDArray[np.float64]) -> tuple[Ints, Ints, Ints, Ints]:
    m, shift = quantize_multipliers(real)
    right = np.maximum(-shift, 0)
    return m, np.maximum(shift, 0), right, (np.int64(1) << right) >> 1


def _round_twice(real: NDArray[np.float64], away: Callable[[Ints], Ints]) -> Rescale:
    """Return a rescaling with two roundings.

    ``away`` maps right shifts to -1 for channels whose second rounding is half away from zero, else to 0.
    """
    m, left, right, half = _shifts(real)
    constants = m, right, half, away(right)
    if left.any():
        return Rescale(_double_left, (left, *constants))
    slack = np.where(m == 0, 0.0, 2.0 ** -(right + 1.0))
    return Rescale(_double, constants, m * 2.0 ** -(right + 31.0), slack)


@variant("double", fixed=True)
def double(real: NDArray[np.float64], scales: Scales) -> Rescale:
    """Round twice, the second time half away from zero (fixedpoint.multiply_double)."""
    return _round_twice(real, lambda right: -np.minimum(right, 1))


@variant("double-half-up", fixed=True)
def double_half_up(real: NDArray[np.float64], scales: Scales) -> Rescale:
    """Round twice, half up both times (fixedpoint.multiply_double_half_up)."""
    return _round_twice(real, np.zeros_like)


@variant("double-by-eight", fixed=True)
def double_by_eight(real: NDArray[np.float64], scales: Scales) -> Rescale:
    """Round half up in the channels that fill vectors of eight, half away from zero in the remaining channels.

    Example: of 19 channels, the first 16 round half up.
    """
    body = np.arange(len(real)) < len(real) // 8 * 8
    return _round_twice(real, lambda right: np.where(body, 0, -np.minimum(right, 1)))


def _single(x: Ints, m: Ints, half: Ints, right: Ints) -> Ints:
    x *= m
    x += half
    x >>= right
    return x


def _single_wrapped(x: Ints, m: Ints, half: Ints, right: Ints) -> Ints:
    """Return :func:`_single`, wrapped to int32."""
    return wrap32(_single(x, m, half, right))


def _register_shift(name: str, bits: int = 31, rounded: bool = True, step: Tilewise = _single) -> None:
    """Register a variant with a single shift, half up or without rounding, of a mantissa with ``bits`` fractional bits."""

    def bind(real: NDArray[np.float64], scales: Scales) -> Rescale:
        m, shift = quantize_multipliers(real)
        right = np.maximum(bits - shift, 0)
        short = (m if bits == 31 else reduce_multiplier(m, bits)) << np.maximum(shift - bits, 0)
        half = (np.int64(1) << right) >> 1
        exact = short * 2.0**-right if rounded and step is _single else None
        return Rescale(step, (short, half if rounded else np.zeros_like(half), right), exact)

    variant(name, fixed=True)(bind)


def _scale_and_round(rounding: Callable[..., Array], x: Ints, real: Array) -> Array:
    scaled = x.astype(real.dtype)
    scaled *= real
    return rounding(scaled)


def _register_float(name: str, product: Callable[[Scales], Array], rounding: Callable[..., Array]) -> None:
    """Register a variant that multiplies and rounds in the width of M, for any multiplier of the operator."""

    def bind(real: NDArray[np.float64], scales: Scales) -> Rescale:
        made = product(scales)
        return Rescale(partial(_scale_and_round, rounding), (made,), made.astype(np.float64))

    variant(name)(bind)


_register_shift("single")
# For accumulators of up to 48 bits: tflite/kernels/internal/common.cc, MultiplyByQuantizedMultiplier for int64.
_register_shift("reduced", 15, step=_single_wrapped)
_register_float("float64", Scales.double, round_half_away)
_register_float("float32", Scales.single, np.rint)


def _rndnu(x: Ints, m: Ints, left: Ints, half: Ints, right: Ints) -> Ints:
    x = saturate(x << left, INT32_MIN, INT32_MAX)
    x *= m
    x >>= 31
    x += half
    x >>= right
    return x


@variant("rndnu")
def rndnu(real: NDArray[np.float64], scales: Scales) -> Rescale:
    """Truncate the high half of twice the product, then shift half up by at least 1 bit, as XNNPACK does on Arm.

    The mantissa is that of the float32 multiplier, 24 bits. From the source code, not tested against a run. Source:
    XNNPACK, src/qs8-requantization/rndnu-neon-qdmulh.c.
    """
    m, shift = quantize_multipliers(scales.single().astype(np.float64))
    right = np.maximum(-shift, 1)
    left, half = shift + right, np.int64(1) << (right - 1)
    return Rescale(_rndnu, (m, left, half, right), m * 2.0 ** (shift - 31.0))


_register_float("float64-half-even", Scales.double, np.rint)
_register_float("float32-half-away", Scales.single, round_half_away)
_register_shift("reduced-8", 7)
_register_shift("floor", rounded=False)


@variant("truncate", fixed=True)
def truncate(real: NDArray[np.float64], scales: Scales) -> Rescale:
    """Round toward zero (fixedpoint.multiply_truncate)."""
    return Rescale(multiply_truncate, quantize_multipliers(real))


def rescalings(first: str) -> tuple[str, ...]:
    """Return all variants of a step that rescales 32-bit sums, with ``first`` as the step's default."""
    return (first, *(name for name in VARIANTS if name != first))
