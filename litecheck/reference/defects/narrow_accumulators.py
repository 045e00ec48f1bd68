"""Sums of products in registers that are too narrow: slow, one product after the other, for small operators."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.reference.engine.registry import Kernel
from litecheck.reference.engine.values import HELD, RunError, Value
from litecheck.reference.numerics.fixedpoint import Ints, saturate, wrap32
from litecheck.reference.numerics.requantize import requantizer
from litecheck.reference.numerics.rescale import FIXED, Scales
from litecheck.reference.numerics.windows import axes, padded, windows

Arguments = Mapping[str, Any]


@dataclass(frozen=True, slots=True, eq=False)
class Taps:
    """What is multiplied, in the order of the loops: tap by tap inputs of shape (pixels, channels or 1), stored, and
    weights of shape (channels,)."""

    inputs: tuple[Ints, ...]
    weights: Ints
    shape: tuple[int, ...]
    zero_point: int


def taken(given: Arguments) -> bool:
    """Whether it is a sum of products of int8 and int8, to be stored in int8 or, before its end, in 32 bits."""
    bytes_in = {given[name].dtype for name in ("input", "weight")} == {"int8"}
    return bytes_in and given["output"].dtype in ("int8", "int32")


def accumulated(bits: int, bias_first: bool, kernel: Kernel, given: Arguments) -> Any:
    """Every addition saturates to so many bits; where it is not first, the bias is the last of them."""
    if not taken(given):
        return kernel.function(**given)
    high = (1 << (bits - 1)) - 1
    taps, bias = _taps(kernel.opcode, given), _bias(given["bias"])
    start = bias if bias_first else np.zeros_like(bias)
    total = saturate(np.broadcast_to(start, _sums_shape(taps)), -high - 1, high)
    for x, w in zip(taps.inputs, taps.weights, strict=True):
        total = saturate(total + (x - taps.zero_point) * w, -high - 1, high)
    if not bias_first:
        total = saturate(total + bias, -high - 1, high)
    return _stored(kernel.opcode, total, taps, given)


def deep(bits: int, depth: int, kernel: Kernel, given: Arguments) -> Any:
    """Every addition saturates to so many bits where more than ``depth`` products are added up."""
    weight: Value = given["weight"]
    count = weight.data.size // max(weight.shape[3 if kernel.opcode == "DEPTHWISE_CONV_2D" else 0], 1)
    return accumulated(bits, False, kernel, given) if count > depth else kernel.function(**given)


def halved(kernel: Kernel, given: Arguments) -> Any:
    """Every addition rounds to float16, the bias last; what is infinite then is the largest int32."""
    if not taken(given):
        return kernel.function(**given)
    taps = _taps(kernel.opcode, given)
    total = np.zeros(_sums_shape(taps))
    with np.errstate(over="ignore"):
        for x, w in zip(taps.inputs, taps.weights, strict=True):
            total = (total + (x - taps.zero_point) * w).astype(np.float16).astype(np.float64)
        total = (total + _bias(given["bias"])).astype(np.float16).astype(np.float64)
    finite = np.clip(total, -(2.0**31), 2.0**31 - 1)
    return _stored(kernel.opcode, finite.astype(np.int64), taps, given)


def wrapping(bits: int, kernel: Kernel, given: Arguments) -> Any:
    """Only so many bits of the sum are kept; it makes no difference after which addition."""
    if not taken(given):
        return kernel.function(**given)
    taps = _taps(kernel.opcode, given)
    total = np.broadcast_to(_bias(given["bias"]), _sums_shape(taps)).astype(np.int64)
    for x, w in zip(taps.inputs, taps.weights, strict=True):
        total += (x - taps.zero_point) * w
    half = 1 << (bits - 1)
    return _stored(kernel.opcode, (total + half) % (2 * half) - half, taps, given)


def paired(kernel: Kernel, given: Arguments) -> Any:
    """Inputs plus 128 are unsigned bytes; products of two taps after each other saturate to 16 bits together.

    What the 128 and the zero point added is subtracted in the end, 128 + zero point times the sum of the weights.
    Source: the instruction VPMADDUBSW.
    """
    if not taken(given):
        return kernel.function(**given)
    taps = _taps(kernel.opcode, given)
    products = [(x + 128) * w for x, w in zip(taps.inputs, taps.weights, strict=True)]
    total = np.zeros(_sums_shape(taps), np.int64)
    for at in range(0, len(products) - 1, 2):
        total = total + saturate(products[at] + products[at + 1], -(2**15), 2**15 - 1)
    if len(products) % 2:
        total = total + products[-1]
    total = total - (128 + taps.zero_point) * taps.weights.sum(axis=0)
    return _stored(kernel.opcode, wrap32(total + _bias(given["bias"])), taps, given)


def _sums_shape(taps: Taps) -> tuple[int, int]:
    return len(taps.inputs[0]), taps.weights.shape[1]


def _bias(bias: Value | None) -> Ints:
    return np.zeros(1, np.int64) if bias is None else bias.data.reshape(-1).astype(np.int64)


def _taps(opcode: str, given: Arguments) -> Taps:
    input, weight = given["input"], given["weight"]
    x, w = input.data.astype(np.int64), weight.data.astype(np.int64)
    if opcode == "FULLY_CONNECTED":
        rows = x.reshape(-1, w.shape[-1])
        w = w.reshape(-1, w.shape[-1])
        keep = given["options"] is not None and given["options"].get("keep_num_dims", False)
        shape = (*x.shape[:-1], len(w)) if keep else (len(rows), len(w))
        return Taps(tuple(rows.T[..., None]), w.T, shape, input.zero_point)
    down, across = axes(x.shape, w.shape[1:3], given["options"])
    view = windows(padded(x, down, across, input.zero_point, np.int64), down, across)
    pixels = view.reshape(-1, w.shape[1] * w.shape[2], x.shape[3])
    if opcode == "DEPTHWISE_CONV_2D":
        each = w.shape[3] // x.shape[3]
        inputs = tuple(np.repeat(tap, each, axis=1) for tap in pixels.swapaxes(0, 1))
        channels = w.reshape(-1, w.shape[3])
    else:
        inputs, channels = _grouped(pixels, w)
    return Taps(inputs, channels, (len(x), down.out, across.out, channels.shape[1]), input.zero_point)


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


def _stored(opcode: str, sums: Ints, taps: Taps, given: Arguments) -> NDArray[Any]:
    """Rescaled as the kernel does it."""
    input, weight, output, how = (given[name] for name in ("input", "weight", "output", "how"))
    variant = how["requantize"]
    scales = Scales.of(input, weight, output, sums.shape[1])
    narrow = opcode == "FULLY_CONNECTED" and weight.quantization.scale.size == 1
    narrow = narrow and variant in FIXED and how["multiplier"] == "float32"
    out = np.empty(sums.shape, HELD[output.dtype])
    requantizer(variant, scales, output, given["options"], narrow=narrow)(
        np.ascontiguousarray(sums), np.zeros(sums.shape[1], np.int64), out
    )
    return out.reshape(taps.shape)
