"""Defects of accumulators: registers too narrow for sums of products."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from litecheck.profile.operators import traits_of
from litecheck.reference.compute_limits import reserve
from litecheck.reference.defects.registry import Arguments, defect, sums_products
from litecheck.reference.numerics.fixedpoint import Ints, saturate, wrap32
from litecheck.reference.numerics.requantize import requantizer
from litecheck.reference.numerics.rescale import FIXED, Scales
from litecheck.reference.numerics.windows import axes, pad_image, windows
from litecheck.reference.registry import Kernel
from litecheck.reference.runtime_tensors import NUMPY_TYPES, Array, Operand, RunError

#: Number of products above which ``accumulator-16-deep`` applies.
_DEEP = 256
#: Number of products that are added term by term in one step, so that they fit into a processor's cache.
_BLOCK = 1 << 17


@dataclass(frozen=True, slots=True, eq=False)
class AccumulationTerms:
    """Factors of a sum of products, in the order of the loops.

    ``inputs`` are stored values of shape (taps, pixels, groups), ``weights`` have shape (taps, groups, channels of a
    group), ``bias`` is one value per channel, or 0.
    """

    over: str
    inputs: Ints
    weights: Ints
    shape: tuple[int, ...]
    zero_point: int
    bias: Ints

    def products(self, zero_point: int) -> Iterator[Ints]:
        """Yield, per tap, (inputs - zero point) * weights, of shape (pixels, channels)."""
        for x, w in zip(self.inputs - zero_point, self.weights, strict=True):
            yield (x[:, :, None] * w).reshape(len(x), -1)

    def terms_of(self, pixels: Ints, channels: Ints) -> Ints:
        """Return the products of some output elements, of shape (taps, elements)."""
        group, channel = np.divmod(channels, self.weights.shape[2])
        return (self.inputs[:, pixels, group] - self.zero_point) * self.weights[:, group, channel]

    def sums(self) -> Ints:
        """Return the exact sums of all products and the bias, of shape (pixels, channels)."""
        return _sum_products(self.inputs - self.zero_point, self.weights) + self.bias

    def reach(self) -> Ints:
        """Return the largest possible magnitude of any partial sum."""
        inputs, weights = np.abs(self.inputs - self.zero_point), np.abs(self.weights)
        return _sum_products(inputs, weights) + np.abs(self.bias)

    def zeros(self) -> Ints:
        """Return the initial sums."""
        return np.zeros((self.inputs.shape[1], self.weights[0].size), np.int64)


def _sum_products(inputs: Ints, weights: Ints) -> Ints:
    """Return sums of products over all taps. float64 represents every sum exactly."""
    x, w = inputs.transpose(2, 1, 0).astype(np.float64), weights.transpose(1, 0, 2).astype(np.float64)
    sums: Ints = np.matmul(x, w).transpose(1, 0, 2).reshape(inputs.shape[1], -1).astype(np.int64)
    return sums


#: Function that returns the final sums in a register, None if the register is wide enough.
Sums = Callable[[AccumulationTerms], Ints | None]


def _register(name: str, description: str) -> Callable[[Sums], Sums]:
    """Register a defect of sums of int8 products, for outputs of int8 or of int32."""

    def register(sums: Sums) -> Sums:
        @defect(name, description, sums_products, windowed=True)
        def change(kernel: Kernel, given: Arguments) -> Any:
            bytes_in = {given[role].dtype for role in ("input", "weight")} == {"int8"}
            if not bytes_in or given["output"].dtype not in ("int8", "int32"):
                return kernel.function(**given)
            taps = _terms(traits_of(kernel.opcode).over, given)
            total = sums(taps)
            return kernel.function(**given) if total is None else _rescale(total, taps, given)

        return sums

    return register


@_register("u8s8", "converts inputs to uint8, and saturates the sum of every two products to 16 bits")
def sum_pairs(taps: AccumulationTerms) -> Ints:
    """Make inputs unsigned by adding 128, and saturate the sum of every two consecutive products to 16 bits.

    At the end, (128 + zero point) * sum of the weights is subtracted. Source: the instruction VPMADDUBSW.
    """
    products = list(taps.products(-128))
    total = taps.zeros()
    for at in range(0, len(products) - 1, 2):
        total += saturate(products[at] + products[at + 1], -(2**15), 2**15 - 1)
    if len(products) % 2:
        total += products[-1]
    total -= (128 + taps.zero_point) * taps.weights.sum(axis=0).reshape(-1)
    return wrap32(total + taps.bias)


def _saturate_every(bits: int, bias_first: bool, taps: AccumulationTerms) -> Ints:
    """Saturate every addition to ``bits`` bits. The bias is added first with ``bias_first``, else last."""
    high = (1 << (bits - 1)) - 1
    total, reach = taps.sums(), taps.reach()
    bias = np.broadcast_to(taps.bias, total.shape[1:])
    pixels, channels = np.nonzero(reach > high)  # other sums cannot saturate
    size = max(1, _BLOCK // (len(taps.inputs) + 1))
    for at in range(0, len(pixels), size):
        some = pixels[at : at + size], channels[at : at + size]
        terms = [taps.terms_of(*some), bias[None, some[1]]]
        total[some] = saturated_sums(np.concatenate(terms[::-1] if bias_first else terms), -high - 1, high)
    return total


def saturated_sums(terms: Ints, low: int, high: int) -> Ints:
    """Return sums along the first axis, from 0, where every addition saturates to [low, high].

    Two consecutive saturating additions equal one addition of both terms with other limits, so pairs are combined until
    a single addition is left. Example: 100, 100, -50 in [-128, 127] give 77.
    """
    lows, highs = np.full((len(terms), 1), low), np.full((len(terms), 1), high)
    while len(terms) > 1:
        if len(terms) % 2:  # append an addition of 0
            terms, lows, highs = (
                np.concatenate([part, np.full_like(part[:1], end)])
                for part, end in ((terms, 0), (lows, low), (highs, high))
            )
        then, floor, top = terms[1::2], lows[1::2], highs[1::2]
        terms = terms[::2] + then
        lows, highs = saturate(lows[::2] + then, floor, top), saturate(highs[::2] + then, floor, top)
    return saturate(terms[0], lows[0], highs[0])


for _bits in (16, 20, 24, 32):
    for _suffix, _first in (("", False), ("-bias-first", True)):
        _register(
            f"accumulator-{_bits}{_suffix}",
            f"saturates the accumulator to {_bits} bits after every addition, bias {'first' if _first else 'last'}",
        )(partial(_saturate_every, _bits, _first))


@_register(
    "accumulator-16-deep",
    "saturates the accumulator of more than 256 products to 16 bits after every addition, bias last",
)
def deep(taps: AccumulationTerms) -> Ints | None:
    """Saturate every addition to 16 bits for more than 256 products."""
    return _saturate_every(16, False, taps) if len(taps.inputs) > _DEEP else None


@_register("accumulator-float16", "rounds the accumulator to float16 after every addition, bias last")
def sum_in_float16(taps: AccumulationTerms) -> Ints:
    """Round every addition to float16, the bias last; an infinite sum becomes the largest int32."""
    total = taps.zeros().astype(np.float64)
    with np.errstate(over="ignore"):
        for product in taps.products(taps.zero_point):
            total = (total + product).astype(np.float16).astype(np.float64)
        total = (total + taps.bias).astype(np.float16).astype(np.float64)
    return np.clip(total, -(2.0**31), 2.0**31 - 1).astype(np.int64)


def _wrap_sums(bits: int, taps: AccumulationTerms) -> Ints:
    """Keep the lowest ``bits`` bits of the sum. The result does not depend on when the sum wraps."""
    half = 1 << (bits - 1)
    return (taps.sums() + half) % (2 * half) - half


for _bits in (16, 20, 24):
    _register(
        f"accumulator-{_bits}-wraps",
        f"wraps the accumulator to {_bits} bits",
    )(partial(_wrap_sums, _bits))


def _bias(bias: Operand | None) -> Ints:
    return np.zeros(1, np.int64) if bias is None else bias.data.reshape(-1).astype(np.int64)


def _terms(over: str, given: Arguments) -> AccumulationTerms:
    input, weight = given["input"], given["weight"]
    x, w = input.data.astype(np.int64), weight.data.astype(np.int64)
    if over == "row":
        rows = x.reshape(-1, w.shape[-1])
        w = w.reshape(-1, w.shape[-1])
        keep = given["options"] is not None and given["options"].get("keep_num_dims", False)
        shape = (*x.shape[:-1], len(w)) if keep else (len(rows), len(w))
        return AccumulationTerms(
            over, rows.T[..., None], w.T[:, None], shape, input.zero_point, _bias(given["bias"])
        )
    down, across = axes(x.shape, w.shape[1:3], given["options"])
    reserve((len(x), down.out, across.out, *w.shape[1:3], x.shape[3]), 24, "windows of the input")
    view = windows(pad_image(x, down, across, input.zero_point, np.int64), down, across)
    pixels = view.reshape(-1, w.shape[1] * w.shape[2], x.shape[3]).swapaxes(0, 1)
    if over == "plane":
        inputs, weights = pixels, w.reshape(len(pixels), x.shape[3], -1)
    else:
        inputs, weights = _split_groups(pixels, w)
    shape = (len(x), down.out, across.out, weights[0].size)
    return AccumulationTerms(over, inputs, weights, shape, input.zero_point, _bias(given["bias"]))


def _split_groups(pixels: Ints, w: Ints) -> tuple[Ints, Ints]:
    """Return (inputs, weights) of a grouped convolution, from images of shape (taps, pixels, channels)."""
    taps, count, channels = pixels.shape
    depth = w.shape[3]
    groups = channels // max(depth, 1)
    if not groups or channels % depth or len(w) % groups:
        raise RunError(f"{channels} input channels do not divide among {len(w)} filters of depth {depth}")
    inputs = pixels.reshape(taps, count, groups, depth).transpose(0, 3, 1, 2).reshape(-1, count, groups)
    return inputs, w.reshape(groups, len(w) // groups, -1).transpose(2, 0, 1)


def _rescale(sums: Ints, taps: AccumulationTerms, given: Arguments) -> Array:
    """Rescale the sums to stored values as the kernel does."""
    input, weight, output, variants = (given[name] for name in ("input", "weight", "output", "variants"))
    variant = variants["requantize"]
    scales = Scales.of(input, weight, output, sums.shape[1])
    narrow = taps.over == "row" and weight.quantization.scale.size == 1
    narrow = narrow and variant in FIXED and variants["multiplier"] == "float32"
    out = np.empty(sums.shape, NUMPY_TYPES[output.dtype])
    requantizer(variant, scales, output, given["options"], narrow=narrow)(
        np.ascontiguousarray(sums), np.zeros(sums.shape[1], np.int64), out
    )
    return out.reshape(taps.shape)
