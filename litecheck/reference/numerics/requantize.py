"""Requantization of accumulators to stored values: offset, rescaling variant, zero point, clamp. Prepared once per layer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

import numpy as np

from litecheck.reference.numerics.fixedpoint import Ints, wrap32
from litecheck.reference.numerics.float32_rescale import Float32Rescale, float32_rescale, repeats
from litecheck.reference.numerics.fused_activation import stored_bounds
from litecheck.reference.numerics.integer_matmul import EXACT, Weights
from litecheck.reference.numerics.parametric_rescale import PARAMETRIC
from litecheck.reference.numerics.proven_rescale import PIXELS, ProvenRescale, proven_rescale
from litecheck.reference.numerics.rescale import VARIANTS, Rescale, Scales
from litecheck.reference.runtime_tensors import NUMPY_TYPES, Array, Operand, Options, OutputSpec, RunError

#: Types whose sums of products are rescaled to stored values.
QUANTIZED = ("int8", "uint8", "int16")
#: Conditions with separate rescaling variants.
SUMS = ("int64_sums", "int32_sums", "declined", "uint8")
#: Conditions under which the type of an int16 operator's bias contradicts its options.
BIASES = ("int32_bias", "int64_bias")
#: Variants for sums of 64 bits.
WIDE = ("reduced", "float64")
#: INT32 in the schema's TensorType.
INT32 = 2
#: Elements per tile: 0.8 MB of int64, which fit into a second-level cache with their scratch memory.
TILE = 100_000
#: Constants of few channels are repeated up to this length, so that numpy's inner loops are long.
PERIOD = 512


@dataclass(slots=True, eq=False)
class RescaleConstants:
    """Offset, constants of a channel (the offset first), repeated up to ``PERIOD``, and the float32 path, if it is faster.

    ``fast_path`` is proven for this offset after ``PIXELS`` pixels.
    """

    offset: Ints
    constants: tuple[Array, ...]
    fast_path: Float32Rescale | ProvenRescale | None
    pixels: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Requantizer:
    """Conversion of accumulators to stored values: add the offset of each channel, rescale, add the zero point, clamp,
    narrow."""

    rescale: Rescale
    zero_point: int
    low: int
    high: int
    dtype: str
    wrap: bool = False
    """True if the accumulator may exceed 32 bits, and wraps."""
    most: int = EXACT
    """Largest magnitude of a float32 sum."""
    constants: dict[int, RescaleConstants] = field(default_factory=dict)
    """Prepared constants by the identity of an offset."""

    def __call__(self, sums: Array, offset: Ints, out: Array) -> None:
        """Fill ``out`` from integer ``sums`` of any type, both C-contiguous of shape (..., channels).

        ``offset`` is int64 of shape (channels,), and is added to every sum first.
        """
        known = self.constants.get(id(offset)) or self._prepare(offset)
        flat, into = sums.reshape(-1), out.reshape(-1)
        if sums.dtype == np.float32 and flat.size:
            self._prove(known, flat.size // len(offset))
        if known.fast_path and sums.dtype == np.float32:
            known.fast_path(flat, into, partial(self._compute_exact, known))
        elif flat.size:
            self._compute_tiles(flat, into, known)

    def _prepare(self, offset: Ints) -> RescaleConstants:
        real, slack = self.rescale.real, self.rescale.error_bound
        quick = None
        if real is not None and slack is not None and not self.wrap:
            quick = float32_rescale(real, slack, offset, self.zero_point, (self.low, self.high), self.most)
        times = max(1, PERIOD // max(1, len(offset)))
        constants = tuple(np.tile(c, times) for c in (offset, *self.rescale.constants))
        made = self.constants[id(offset)] = RescaleConstants(offset, constants, quick)
        return made

    def _prove(self, known: RescaleConstants, pixels: int) -> None:
        """Replace the float32 path by a proven path after enough pixels."""
        real, before = self.rescale.real, known.pixels
        known.pixels += pixels
        if real is None or self.wrap or not before < PIXELS <= known.pixels:
            return
        bounds, exact = (self.low, self.high), partial(self._compute_exact, known)
        proven = proven_rescale(real, known.offset, self.zero_point, bounds, self.most, exact)
        known.fast_path = proven or known.fast_path

    def _compute_exact(self, known: RescaleConstants, sums: Array, at: Array) -> Array:
        return self._rescale(sums, [constant[at] for constant in known.constants])

    def _compute_tiles(self, flat: Array, into: Array, known: RescaleConstants) -> None:
        period = repeats(flat.size, len(known.offset), PERIOD)
        constants = [c[:period] for c in known.constants]
        step = max(1, TILE // period) * period
        for start in range(0, flat.size, step):
            tile = flat[start : start + step].reshape(-1, period)
            into[start : start + step].reshape(-1, period)[...] = self._rescale(tile, constants)

    def _rescale(self, sums: Array, constants: list[Array]) -> Array:
        """Return stored values in a wider type. The constants, the offset first, broadcast against the sums."""
        x = sums.astype(np.int64)
        x += constants[0]
        if self.wrap:
            x = wrap32(x)
        y = self.rescale.step(x, *constants[1:])
        y += self.zero_point
        kind = y.dtype.type
        return y.clip(kind(self.low), kind(self.high), out=y)


def requantizer(
    variant: str,
    scales: Scales,
    output: OutputSpec,
    options: Options,
    *,
    narrow: bool = False,
    wrap: bool = False,
    most: int = EXACT,
) -> Requantizer:
    """Return the requantizer of a variant. It clamps to the output's type and the activation in ``options``.

    ``narrow`` computes the multiplier from the float32 product of the scales. ``wrap`` is for accumulators that may
    exceed 32 bits; ``most`` is the largest magnitude of a sum. Raises RunError for scales without a finite multiplier.
    """
    real = scales.narrow() if narrow else scales.double()
    if not (np.isfinite(real).all() and (real >= 0).all()):
        raise RunError("the scales give no finite multiplier")
    bounds = stored_bounds(options, output, half_even=variant == "float32")
    stated = PARAMETRIC.get(variant)
    rescale = VARIANTS[variant](real, scales) if stated is None else stated(real)
    return Requantizer(rescale, output.zero_point, *bounds, NUMPY_TYPES[output.dtype], wrap, most)


def wide_sums(input: Operand, options: Options) -> bool:
    """Return True if sums have 64 bits: int16 input without an int32 bias in the options."""
    return input.dtype == "int16" and (options is None or options.get("quantized_bias_type", 0) != INT32)


def rescales_int64(input: Operand, options: Options, variant: str) -> bool:
    """Return True if a variant rescales the 64-bit sums of int16 layers: ``reduced``, and ``float64`` without int32 bias.

    For example, ``reduced`` rescales an int16 CONV_2D by a multiplier with 15 fractional bits
    (:func:`~litecheck.reference.numerics.fixedpoint.multiply_reduced`).
    """
    return (variant == "reduced" and input.dtype == "int16") or (
        variant == "float64" and wide_sums(input, options)
    )


@dataclass(frozen=True, slots=True, eq=False)
class PreparedLayer:
    """Filters, the constant added to each of their sums (int64, shape (channels,)), and the conversion to stored values."""

    filters: Weights
    offset: Ints
    rescale: Requantizer
    bias: Operand | None


class Rescaling(NamedTuple):
    """Key of a rescaling: variant, float32 product of the scales (``narrow``), and 32-bit sums (``int32``).

    The key is a tuple, because every inference uses it for a lookup.
    """

    opcode: str
    variant: str
    narrow: bool = False
    int32: bool = True


def layer(
    operands: tuple[Operand, Operand, Operand | None],
    output: OutputSpec,
    options: Options,
    zero: int,
    variants: Rescaling,
    filters: Callable[[], Weights],
) -> PreparedLayer:
    """Return the prepared layer of (input, weight, bias), cached with the weights if weights and bias are constants.

    ``zero`` is the zero point of the input that ``filters`` are multiplied by. Raises RunError as ``requantizer`` does.
    """
    input, weight, bias = operands

    def make() -> PreparedLayer:
        made = filters()
        offset = made.offset(bias, zero)
        scales = Scales.of(input, weight, output, len(made.matrix))
        wrap = variants.int32 and made.wraps(offset)
        rescale = requantizer(
            variants.variant, scales, output, options, narrow=variants.narrow, wrap=wrap, most=made.limit
        )
        return PreparedLayer(made, offset, rescale, bias)

    if bias is not None and not bias.constant:
        return make()
    fused = options.get("fused_activation_function", 0) if options is not None else 0
    kinds = input.dtype, input.quantization, output.dtype, output.quantization
    return weight.once((variants, kinds, fused, bias), make)
