"""Defects of accumulators: registers too narrow for sums of products. Slow, one product after the other."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.profile.operators import facts_of
from litecheck.reference.defects.registry import Arguments, defect, summed
from litecheck.reference.engine.values import HELD, RunError, Value
from litecheck.reference.kernel_types import Kernel
from litecheck.reference.numerics.fixedpoint import Ints, saturate, wrap32
from litecheck.reference.numerics.requantize import requantizer
from litecheck.reference.numerics.rescale import FIXED, Scales
from litecheck.reference.numerics.windows import axes, padded, windows

#: More products than this are many.
_DEEP = 256


@dataclass(frozen=True, slots=True, eq=False)
class Taps:
    """What is multiplied, in the order of the loops: tap by tap inputs of shape (pixels, channels or 1), stored, and
    weights of shape (channels,)."""

    over: str
    inputs: tuple[Ints, ...]
    weights: Ints
    shape: tuple[int, ...]
    zero_point: int


def _taken(given: Arguments) -> bool:
    """Whether it is a sum of products of int8 and int8, to be stored in int8 or, before its end, in 32 bits."""
    bytes_in = {given[name].dtype for name in ("input", "weight")} == {"int8"}
    return bytes_in and given["output"].dtype in ("int8", "int32")


@defect(
    "u8s8",
    "inputs become uint8, and every two products saturate to 16 bits together",
    summed,
    windowed=True,
)
def paired(kernel: Kernel, given: Arguments) -> Any:
    """Inputs plus 128 are unsigned bytes; products of two taps after each other saturate to 16 bits together.

    What the 128 and the zero point added is subtracted in the end, 128 + zero point times the sum of the weights.
    Source: the instruction VPMADDUBSW.
    """
    if not _taken(given):
        return kernel.function(**given)
    taps = _taps(facts_of(kernel.opcode).over, given)
    products = [(x + 128) * w for x, w in zip(taps.inputs, taps.weights, strict=True)]
    total = np.zeros(_sums_shape(taps), np.int64)
    for at in range(0, len(products) - 1, 2):
        total = total + saturate(products[at] + products[at + 1], -(2**15), 2**15 - 1)
    if len(products) % 2:
        total = total + products[-1]
    total = total - (128 + taps.zero_point) * taps.weights.sum(axis=0)
    return _stored(wrap32(total + _bias(given["bias"])), taps, given)


def _saturating(bits: int, bias_first: bool, kernel: Kernel, given: Arguments) -> Any:
    """Every addition saturates to so many bits; where it is not first, the bias is the last of them."""
    if not _taken(given):
        return kernel.function(**given)
    high = (1 << (bits - 1)) - 1
    taps, bias = _taps(facts_of(kernel.opcode).over, given), _bias(given["bias"])
    start = bias if bias_first else np.zeros_like(bias)
    total = saturate(np.broadcast_to(start, _sums_shape(taps)), -high - 1, high)
    for x, w in zip(taps.inputs, taps.weights, strict=True):
        total = saturate(total + (x - taps.zero_point) * w, -high - 1, high)
    if not bias_first:
        total = saturate(total + bias, -high - 1, high)
    return _stored(total, taps, given)


for _bits in (16, 20, 24, 32):
    for _suffix, _first, _when in (
        ("", False, "the bias comes last"),
        ("-bias-first", True, "the bias comes first"),
    ):
        _does = f"sums of products saturate to {_bits} bits after every addition, {_when}"
        defect(f"accumulator-{_bits}{_suffix}", _does, summed, windowed=True)(
            partial(_saturating, _bits, _first)
        )


@defect(
    "accumulator-16-deep",
    "where more than 256 products are added up, sums saturate to 16 bits after every addition, the bias comes last",
    summed,
    windowed=True,
)
def accumulator_16_deep(kernel: Kernel, given: Arguments) -> Any:
    """Every addition saturates to 16 bits where more than 256 products are added up."""
    weight: Value = given["weight"]
    accumulates = facts_of(kernel.opcode).accumulates
    count = weight.data.size // max(weight.shape[accumulates.channels if accumulates else 0], 1)
    return _saturating(16, False, kernel, given) if count > _DEEP else kernel.function(**given)


@defect(
    "accumulator-float16",
    "sums of products are rounded to float16 after every addition, the bias comes last",
    summed,
    windowed=True,
)
def halved(kernel: Kernel, given: Arguments) -> Any:
    """Every addition rounds to float16, the bias last; what is infinite then is the largest int32."""
    if not _taken(given):
        return kernel.function(**given)
    taps = _taps(facts_of(kernel.opcode).over, given)
    total = np.zeros(_sums_shape(taps))
    with np.errstate(over="ignore"):
        for x, w in zip(taps.inputs, taps.weights, strict=True):
            total = (total + (x - taps.zero_point) * w).astype(np.float16).astype(np.float64)
        total = (total + _bias(given["bias"])).astype(np.float16).astype(np.float64)
    finite = np.clip(total, -(2.0**31), 2.0**31 - 1)
    return _stored(finite.astype(np.int64), taps, given)


def _wrapping(bits: int, kernel: Kernel, given: Arguments) -> Any:
    """Only so many bits of the sum are kept; it makes no difference after which addition."""
    if not _taken(given):
        return kernel.function(**given)
    taps = _taps(facts_of(kernel.opcode).over, given)
    total = np.broadcast_to(_bias(given["bias"]), _sums_shape(taps)).astype(np.int64)
    for x, w in zip(taps.inputs, taps.weights, strict=True):
        total += (x - taps.zero_point) * w
    half = 1 << (bits - 1)
    return _stored((total + half) % (2 * half) - half, taps, given)


for _bits in (16, 20, 24):
    _does = f"of the sum of products and bias the lowest {_bits} bits are kept, the highest of them a sign"
    defect(f"accumulator-{_bits}-wraps", _does, summed, windowed=True)(partial(_wrapping, _bits))


def _sums_shape(taps: Taps) -> tuple[int, int]:
    return len(taps.inputs[0]), taps.weights.shape[1]


def _bias(bias: Value | None) -> Ints:
    return np.zeros(1, np.int64) if bias is None else bias.data.reshape(-1).astype(np.int64)


def _taps(over: str, given: Arguments) -> Taps:
    input, weight = given["input"], given["weight"]
    x, w = input.data.astype(np.int64), weight.data.astype(np.int64)
    if over == "row":
        rows = x.reshape(-1, w.shape[-1])
        w = w.reshape(-1, w.shape[-1])
        keep = given["options"] is not None and given["options"].get("keep_num_dims", False)
        shape = (*x.shape[:-1], len(w)) if keep else (len(rows), len(w))
        return Taps(over, tuple(rows.T[..., None]), w.T, shape, input.zero_point)
    down, across = axes(x.shape, w.shape[1:3], given["options"])
    view = windows(padded(x, down, across, input.zero_point, np.int64), down, across)
    pixels = view.reshape(-1, w.shape[1] * w.shape[2], x.shape[3])
    if over == "plane":
        each = w.shape[3] // x.shape[3]
        inputs = tuple(np.repeat(tap, each, axis=1) for tap in pixels.swapaxes(0, 1))
        channels = w.reshape(-1, w.shape[3])
    else:
        inputs, channels = _grouped(pixels, w)
    return Taps(over, inputs, channels, (len(x), down.out, across.out, channels.shape[1]), input.zero_point)


def _grouped(pixels: Ints, w: Ints) -> tuple[tuple[NDArray[Any], ...], Ints]:
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


def _stored(sums: Ints, taps: Taps, given: Arguments) -> NDArray[Any]:
    """Rescaled as the kernel does it."""
    input, weight, output, how = (given[name] for name in ("input", "weight", "output", "how"))
    variant = how["requantize"]
    scales = Scales.of(input, weight, output, sums.shape[1])
    narrow = taps.over == "row" and weight.quantization.scale.size == 1
    narrow = narrow and variant in FIXED and how["multiplier"] == "float32"
    out = np.empty(sums.shape, HELD[output.dtype])
    requantizer(variant, scales, output, given["options"], narrow=narrow)(
        np.ascontiguousarray(sums), np.zeros(sums.shape[1], np.int64), out
    )
    return out.reshape(taps.shape)
