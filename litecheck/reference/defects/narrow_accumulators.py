"""Defects of accumulators: registers too narrow for sums of products. Slow, one product after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from litecheck.profile.operators import facts_of
from litecheck.reference.defects.registry import Arguments, defect, summed
from litecheck.reference.numerics.fixedpoint import Ints, saturate, wrap32
from litecheck.reference.numerics.requantize import requantizer
from litecheck.reference.numerics.rescale import FIXED, Scales
from litecheck.reference.numerics.windows import axes, padded, windows
from litecheck.reference.operands import NUMPY_TYPES, Array, Operand, RunError
from litecheck.reference.registry import Kernel

#: More products than this are many.
_DEEP = 256


@dataclass(frozen=True, slots=True, eq=False)
class Taps:
    """What is multiplied, in the order of the loops: tap by tap inputs of shape (pixels, channels or 1), stored, and
    weights of shape (channels,); the sums' ``bias``, for each channel or 0 for all."""

    over: str
    inputs: tuple[Ints, ...]
    weights: Ints
    shape: tuple[int, ...]
    zero_point: int
    bias: Ints

    def products(self) -> Iterator[Ints]:
        """Tap by tap, inputs less their zero point times weights."""
        return ((x - self.zero_point) * w for x, w in zip(self.inputs, self.weights, strict=True))

    def zeros(self) -> Ints:
        """Where sums begin."""
        return np.zeros((len(self.inputs[0]), self.weights.shape[1]), np.int64)


#: The sums that a register holds in the end, None where it is as wide as it should be.
Sums = Callable[[Taps], Ints | None]


def _register(name: str, does: str) -> Callable[[Sums], Sums]:
    """A defect of sums of products of int8 and int8, to be stored in int8 or, before their end, in 32 bits."""

    def register(sums: Sums) -> Sums:
        @defect(name, does, summed, windowed=True)
        def change(kernel: Kernel, given: Arguments) -> Any:
            bytes_in = {given[role].dtype for role in ("input", "weight")} == {"int8"}
            if not bytes_in or given["output"].dtype not in ("int8", "int32"):
                return kernel.function(**given)
            taps = _taps(facts_of(kernel.opcode).over, given)
            total = sums(taps)
            return kernel.function(**given) if total is None else _stored(total, taps, given)

        return sums

    return register


@_register("u8s8", "inputs become uint8, and every two products saturate to 16 bits together")
def paired(taps: Taps) -> Ints:
    """Inputs plus 128 are unsigned bytes; products of two taps after each other saturate to 16 bits together.

    What the 128 and the zero point added is subtracted in the end, 128 + zero point times the sum of the weights.
    Source: the instruction VPMADDUBSW.
    """
    products = [(x + 128) * w for x, w in zip(taps.inputs, taps.weights, strict=True)]
    total = taps.zeros()
    for at in range(0, len(products) - 1, 2):
        total = total + saturate(products[at] + products[at + 1], -(2**15), 2**15 - 1)
    if len(products) % 2:
        total = total + products[-1]
    total = total - (128 + taps.zero_point) * taps.weights.sum(axis=0)
    return wrap32(total + taps.bias)


def _saturating(bits: int, bias_first: bool, taps: Taps) -> Ints:
    """Every addition saturates to so many bits; where it is not first, the bias is the last of them."""
    high = (1 << (bits - 1)) - 1
    total = saturate(taps.zeros() + taps.bias * bias_first, -high - 1, high)
    for product in taps.products():
        total = saturate(total + product, -high - 1, high)
    return total if bias_first else saturate(total + taps.bias, -high - 1, high)


for _bits in (16, 20, 24, 32):
    for _suffix, _first in (("", False), ("-bias-first", True)):
        _register(
            f"accumulator-{_bits}{_suffix}",
            f"sums of products saturate to {_bits} bits after every addition, "
            f"the bias comes {'first' if _first else 'last'}",
        )(partial(_saturating, _bits, _first))


@_register(
    "accumulator-16-deep",
    "where more than 256 products are added up, sums saturate to 16 bits after every addition, the bias comes last",
)
def deep(taps: Taps) -> Ints | None:
    """Every addition saturates to 16 bits where more than 256 products are added up."""
    return _saturating(16, False, taps) if len(taps.inputs) > _DEEP else None


@_register(
    "accumulator-float16", "sums of products are rounded to float16 after every addition, the bias comes last"
)
def halved(taps: Taps) -> Ints:
    """Every addition rounds to float16, the bias last; what is infinite then is the largest int32."""
    total = taps.zeros().astype(np.float64)
    with np.errstate(over="ignore"):
        for product in taps.products():
            total = (total + product).astype(np.float16).astype(np.float64)
        total = (total + taps.bias).astype(np.float16).astype(np.float64)
    return np.clip(total, -(2.0**31), 2.0**31 - 1).astype(np.int64)


def _wrapping(bits: int, taps: Taps) -> Ints:
    """Only so many bits of the sum are kept; it makes no difference after which addition."""
    half = 1 << (bits - 1)
    total: Ints = sum(taps.products(), taps.zeros() + taps.bias)
    return (total + half) % (2 * half) - half


for _bits in (16, 20, 24):
    _register(
        f"accumulator-{_bits}-wraps",
        f"of the sum of products and bias the lowest {_bits} bits are kept, the highest of them a sign",
    )(partial(_wrapping, _bits))


def _bias(bias: Operand | None) -> Ints:
    return np.zeros(1, np.int64) if bias is None else bias.data.reshape(-1).astype(np.int64)


def _taps(over: str, given: Arguments) -> Taps:
    input, weight = given["input"], given["weight"]
    x, w = input.data.astype(np.int64), weight.data.astype(np.int64)
    if over == "row":
        rows = x.reshape(-1, w.shape[-1])
        w = w.reshape(-1, w.shape[-1])
        keep = given["options"] is not None and given["options"].get("keep_num_dims", False)
        shape = (*x.shape[:-1], len(w)) if keep else (len(rows), len(w))
        return Taps(over, tuple(rows.T[..., None]), w.T, shape, input.zero_point, _bias(given["bias"]))
    down, across = axes(x.shape, w.shape[1:3], given["options"])
    view = windows(padded(x, down, across, input.zero_point, np.int64), down, across)
    pixels = view.reshape(-1, w.shape[1] * w.shape[2], x.shape[3])
    if over == "plane":
        each = w.shape[3] // x.shape[3]
        inputs = tuple(np.repeat(tap, each, axis=1) for tap in pixels.swapaxes(0, 1))
        channels = w.reshape(-1, w.shape[3])
    else:
        inputs, channels = _grouped(pixels, w)
    return Taps(
        over,
        inputs,
        channels,
        (len(x), down.out, across.out, channels.shape[1]),
        input.zero_point,
        _bias(given["bias"]),
    )


def _grouped(pixels: Ints, w: Ints) -> tuple[tuple[Array, ...], Ints]:
    depth = w.shape[3]
    groups = pixels.shape[2] // max(depth, 1)
    if not groups or len(w) % groups:
        raise RunError(
            f"{pixels.shape[2]} input channels do not divide among {len(w)} filters of depth {depth}"
        )
    each = len(w) // groups
    inputs = tuple(
        np.repeat(pixels[:, tap, d::depth], each, axis=1)
        for tap in range(pixels.shape[1])
        for d in range(depth)
    )
    return inputs, w.reshape(len(w), -1).T


def _stored(sums: Ints, taps: Taps, given: Arguments) -> Array:
    """Rescaled as the kernel does it."""
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
