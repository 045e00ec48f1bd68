"""Independent CONV_2D, DEPTHWISE_CONV_2D and FULLY_CONNECTED, with parameters for defects."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.diagnosis.foreign import (
    Clamp,
    Context,
    Floats,
    Ints,
    NotMadeError,
    Rescale,
    half_away_float64,
    two_roundings,
    usual_end,
)  # fmt: skip


@dataclass(frozen=True)
class Sums:
    """Parameters of CONV_2D, DEPTHWISE_CONV_2D and FULLY_CONNECTED."""

    weights: Callable[[Ints], Ints] = lambda w: w
    bias: Callable[[Ints], Ints] = lambda b: b
    step: Callable[[Ints], Ints] = lambda total: total
    "Change of the running sum after the products of all input channels of a window position (FC: after all products)."
    total: Callable[[Ints, Ints], Ints] = lambda products, bias: products + bias
    real: Callable[[Floats], Floats] = lambda real: real
    rescale: Rescale = two_roundings
    split_bias: bool = False
    end: Clamp = usual_end
    padding: int | None = None
    "Stored value of the padding; None is the zero point."
    odd_first: bool = False
    "The odd row of SAME padding is at the top and at the left."
    dilated: bool = True
    depth_major: bool = True
    "DEPTHWISE: output channel c*multiplier+m; if False, m*channels+c."
    products: Callable[[Ints, Ints], Ints] = lambda x, w: x @ w.T
    "Products of (n, k) inputs minus the zero point and (o, k) weights."


def ended(c: Context, s: Sums, products: Ints, bias: Ints, real: Floats) -> NDArray[np.int8]:
    (_, zero), (low, high) = c.out, c.limits
    if s.split_bias:
        scaled = s.rescale(products, real) + s.rescale(np.broadcast_to(bias, products.shape), real)
    else:
        scaled = s.rescale(s.total(products, s.bias(bias)), s.real(real))
    return s.end(scaled, zero, low, high).astype(np.int8)


def _bias(c: Context, n: int, size: int) -> Ints:
    given = n < len(c.tensors) and c.tensors[n] is not None
    return c.value(n, "int32") if given else np.zeros(size, np.int64)


def _real(c: Context, outputs: int) -> Floats:
    """Return the multiplier of each output channel, in float64."""
    scales = c.tensor(1).quantization.scale
    assert scales is not None
    of_weights = np.asarray(scales, np.float32).astype(np.float64)
    if np.any(c.tensor(1).quantization.zero_point):
        raise NotMadeError("weights with zero points")
    return np.broadcast_to(np.float64(c.scale(0)) * of_weights / np.float64(c.out[0]), (outputs,))


def padded(
    c: Context, s: Sums, x: Ints, kernel: tuple[int, int]
) -> tuple[Ints, list[tuple[int, int]], list[int]]:
    """Return the padded input minus its zero point; stride and dilation per axis; output sizes."""
    o = c.options
    axes, sizes, pads = [], [], []
    for axis, letter, k in ((1, "h", kernel[0]), (2, "w", kernel[1])):
        stride = o[f"stride_{letter}"]
        dilation = o.get(f"dilation_{letter}_factor", 1) if s.dilated else 1
        reach, size = (k - 1) * dilation + 1, x.shape[axis]
        out = c.output.shape[axis]
        missing = max((out - 1) * stride + reach - size, 0) if o["padding"] == "SAME" else 0
        before = (missing + 1) // 2 if s.odd_first else missing // 2
        axes.append((stride, dilation))
        sizes.append(out)
        pads.append((before, missing - before))
    fill = c.zero(0) if s.padding is None else s.padding
    wide = np.pad(x, [(0, 0), *pads, (0, 0)], constant_values=fill)
    return wide - c.zero(0), axes, sizes


def places(wide: Ints, kernel: tuple[int, int], axes: list[tuple[int, int]], sizes: list[int]) -> list[Ints]:
    """Return the inputs of each tap of the kernel, row by row."""
    (sy, dy), (sx, dx) = axes
    return [
        wide[
            :, y * dy : y * dy + (sizes[0] - 1) * sy + 1 : sy, x * dx : x * dx + (sizes[1] - 1) * sx + 1 : sx
        ]
        for y in range(kernel[0])
        for x in range(kernel[1])
    ]


def conv(c: Context, s: Sums = Sums()) -> NDArray[Any]:
    x, w = c.value(0), s.weights(c.value(1))
    outputs, height, width, depth = w.shape
    if depth != x.shape[3]:
        raise NotMadeError("grouped")
    wide, axes, sizes = padded(c, s, x, (height, width))
    total = np.zeros((x.shape[0], *sizes, outputs), np.int64)
    taps = w.reshape(outputs, -1, depth).transpose(1, 0, 2)
    for place, tap in zip(places(wide, (height, width), axes, sizes), taps, strict=True):
        total = s.step(total + s.products(place.reshape(-1, depth), tap).reshape(total.shape))
    return ended(c, s, total, _bias(c, 2, outputs), _real(c, outputs))


def depthwise(c: Context, s: Sums = Sums()) -> NDArray[Any]:
    x, w = c.value(0), s.weights(c.value(1))
    _, height, width, outputs = w.shape
    depth = x.shape[3]
    wide, axes, sizes = padded(c, s, x, (height, width))
    total = np.zeros((x.shape[0], *sizes, outputs), np.int64)
    channel = np.arange(outputs) // (outputs // depth) if s.depth_major else np.arange(outputs) % depth
    for place, tap in zip(places(wide, (height, width), axes, sizes), w.reshape(-1, outputs), strict=True):
        total = s.step(total + place[..., channel] * tap)
    return ended(c, s, total, _bias(c, 2, outputs), _real(c, outputs))


def fully_connected(c: Context, s: Sums = Sums(rescale=half_away_float64)) -> NDArray[Any]:
    x, w = c.value(0) - c.zero(0), s.weights(c.value(1))
    outputs, depth = w.shape
    total = s.step(s.products(x.reshape(-1, depth), w))
    done = ended(c, s, total, _bias(c, 2, outputs), _real(c, outputs))
    return done.reshape(c.output.shape)


def blocks(x: Ints, w: Ints, length: int, drop: int) -> Ints:
    """Return sums of partial sums of ``length`` inputs; each partial sum loses its last ``drop`` bits."""
    total = np.zeros((len(x), len(w)), np.int64)
    for k in range(0, x.shape[1], length):
        part = x[:, k : k + length] @ w[:, k : k + length].T
        total += ((part + (1 << drop >> 1)) >> drop) << drop
    return total
