"""Probes of sums of products: CONV_2D, DEPTHWISE_CONV_2D, FULLY_CONNECTED, TRANSPOSE_CONV, BATCH_MATMUL.

A sum of products whose inputs all are the zero point is its bias, so the bias can put any accumulator before the
rescaling: those that end near the middle between two integers tell one rounding from another.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.cases.probes.layers import (
    WINDOWED,
    LayerProbe,
    channel_axis,
    drawn_layer,
    plainly,
    rails,
    small_layer,
)
from litecheck.cases.probes.probe import Array, Probe, ProbeOperand, Wanted, drawn, probe
from litecheck.model.build import Option, quantized

#: Channels of a probe of ties: enough for rare cases, and three more than fill vectors of eight.
CHANNELS = 4096 + 3
#: The largest accumulator that ties are aimed at.
LARGEST = 1 << 30


def of_conv_2d(rng: np.random.Generator, opcode: str) -> Iterator[Probe]:
    """CONV_2D, with and without groups."""
    yield from _with_ties(rng, opcode, lambda c: (drawn(rng, c, 1, 1, 4), (1, 1, 1, 4)))
    yield from _natural(rng, opcode, drawn(rng, 19, 3, 3, 5), 5)
    yield from _saturating(rng, opcode, lambda depth: (11, 1, 1, depth), lambda depth: (1, 4, 6, depth))
    yield from _everywhere(rng, opcode, drawn(rng, 31, 1, 1, 1), (1, 5, 7, 1))
    yield from _several(rng, opcode, (19, 3, 3, 5), 5)
    yield small_layer(rng, (19, 1, 1, 131), (1, 5, 6, 131)).made("small values", opcode, WINDOWED)
    grouped = [(drawn(rng, 1026, 1, 1, 2), (1, 1, 1, 4)), (drawn(rng, 18, 3, 3, 2), (1, 6, 7, 4))]
    yield _ties(rng, opcode, "ties under groups", grouped[0], _scattered(rng, 1026))
    powers = 2.0 ** -rng.integers(1, 23, 1026)
    yield _ties(rng, opcode, "ties under groups, multipliers powers of two", grouped[0], powers)
    layer = drawn_layer(rng, grouped[1][0], grouped[1][1], 18)
    yield layer.made("random values under groups", opcode, {**WINDOWED, "padding": "SAME"})


def of_depthwise_conv_2d(rng: np.random.Generator, opcode: str) -> Iterator[Probe]:
    """DEPTHWISE_CONV_2D."""
    yield from _with_ties(rng, opcode, lambda c: (drawn(rng, 1, 3, 3, c), (1, 3, 3, c)))
    yield from _natural(rng, opcode, drawn(rng, 1, 3, 3, 19), 19)
    yield from _everywhere(rng, opcode, drawn(rng, 1, 1, 1, 31), (1, 5, 7, 31))
    yield from _several(rng, opcode, (1, 3, 3, 19), 19)
    layer = drawn_layer(rng, drawn(rng, 1, 3, 3, 22), (1, 6, 7, 11), 22)
    yield layer.made("random values, two filters for each channel", opcode, WINDOWED)
    for side in (5, 31):
        yield from _saturating(
            rng, opcode, lambda _, k=side: (1, k, k, 11), lambda _, k=side: (1, k + 1, k + 2, 11), side**2
        )  # fmt: skip


def of_fully_connected(rng: np.random.Generator, opcode: str) -> Iterator[Probe]:
    """FULLY_CONNECTED, with one weight scale and with one for each unit."""
    yield from _with_ties(rng, opcode, lambda c: (drawn(rng, c, 4), (1, 4)))
    for what, real in (("a power of two", 2.0**-9), ("0.00159", 0.00159), ("1.1e-6", 1.1e-6)):
        operands = drawn(rng, CHANNELS, 4), (1, 4)
        yield _ties(rng, opcode, f"ties, one multiplier, {what}", operands, np.full(CHANNELS, real), one=True)
    for activation in ("NONE", "RELU6"):
        layer = drawn_layer(rng, drawn(rng, 19, 37), (9, 37), 19)
        yield layer.made(
            f"random values, activation {activation}", opcode, {"fused_activation_function": activation}
        )
        one = replace(layer, weight=np.median(layer.weight, keepdims=True))
        name = f"random values, one weight scale, activation {activation}"
        yield one.made(name, opcode, {"fused_activation_function": activation})
    yield from _saturating(rng, opcode, lambda depth: (11, depth), lambda depth: (24, depth))
    yield from _everywhere(rng, opcode, drawn(rng, 31, 1), (35, 1))
    layer = drawn_layer(rng, rails(rng, 19, 37), (9, 37), 19)
    yield replace(layer, x=rails(rng, 9, 37)).made("smallest and largest values", opcode, {})
    yield small_layer(rng, (19, 131), (9, 131)).made("small values", opcode, {})


def of_transpose_conv(rng: np.random.Generator, opcode: str) -> Iterator[Probe]:
    """TRANSPOSE_CONV."""
    for name, multipliers in _multipliers(rng, 1027):
        yield _ties(rng, opcode, name, (drawn(rng, 1027, 1, 1, 4), (1, 1, 1, 4)), multipliers)
    layer = drawn_layer(rng, drawn(rng, 19, 3, 3, 5), (1, 6, 7, 5), 19)
    yield layer.made("random values", opcode, {**WINDOWED, "padding": "SAME"})


def of_batch_matmul(rng: np.random.Generator, opcode: str) -> Iterator[Probe]:
    """BATCH_MATMUL of two computed matrices, and with a constant one: single products of all pairs, and sums."""
    values = np.arange(-128, 128).astype(np.int8)
    shapes = (
        (values.reshape(1, -1, 1), values.reshape(1, 1, -1)),
        (drawn(rng, 2, 31, 37), drawn(rng, 2, 37, 19)),
    )
    for constant, zero in ((False, 5), (True, 0)):
        for (left, right), scales in product(
            shapes, ((0.03, 0.02, 0.21), (0.5, 0.25, 16.0), (0.0123, 0.0456, 0.0789))
        ):
            operands = (
                ProbeOperand(left, quantized(scales[0], -7)),
                ProbeOperand(right, quantized(scales[1], zero), constant),
            )
            what = "sums of products" if left.shape[-1] > 1 else "all pairs"
            name = f"{what}, {'constant' if constant else 'computed'} right side, scales {scales}"
            yield probe(name, opcode, operands, Wanted(quantized(scales[2], 3)))


# --- Ties ---------------------------------------------------------------------------------------------------------


def _multipliers(rng: np.random.Generator, channels: int) -> Iterator[tuple[str, NDArray[Any]]]:
    yield "ties, multipliers powers of two", 2.0 ** -rng.integers(1, 23, channels)
    yield "ties", _scattered(rng, channels)
    yield "multipliers of 1 and more", np.exp2(rng.uniform(0, 2, channels))


def _scattered(rng: np.random.Generator, channels: int) -> NDArray[Any]:
    return np.exp2(rng.uniform(-23, -1, channels))


def _with_ties(rng: np.random.Generator, opcode: str, operands: Any) -> Iterator[Probe]:
    for name, multipliers in _multipliers(rng, CHANNELS):
        yield _ties(rng, opcode, name, operands(CHANNELS), multipliers)
    for few in (7, 15):
        multipliers = 2.0 ** -rng.integers(1, 9, few)
        yield _ties(rng, opcode, f"ties, {few} channels", operands(few), multipliers)


def _everywhere(rng: np.random.Generator, opcode: str, w: Array, shape: tuple[int, ...]) -> Iterator[Probe]:
    """Accumulators near ties at 35 places and in 31 channels: vectors of 4, 8, 16 or 32, and what is left over.

    ``w`` holds one weight for each channel. It is 1, and the input adds between -17 and 17 to the bias.
    """
    for what, multipliers in (
        ("powers of two", 2.0 ** -rng.integers(1, 7, w.size)),
        ("others", np.exp2(rng.uniform(-6, -1, w.size))),
    ):
        more = np.arange(-17, 18).reshape(*shape[:-1], 1)
        ties = _tied(rng, (np.ones_like(w), shape), multipliers)
        x = np.broadcast_to(more + ties.input[1], shape).astype(np.int8)
        name = f"ties at every place, multipliers {what}"
        yield replace(ties, x=x).made(name, opcode, plainly(opcode), ties.bias + more)


def _ties(
    rng: np.random.Generator,
    opcode: str,
    name: str,
    operands: tuple[Array, tuple[int, ...]],
    multipliers: NDArray[Any],
    one: bool = False,
) -> Probe:
    layer = _tied(rng, operands, multipliers, one)
    return layer.made(name, opcode, plainly(opcode), layer.bias)


def _tied(
    rng: np.random.Generator,
    operands: tuple[Array, tuple[int, ...]],
    multipliers: NDArray[Any],
    one: bool = False,
) -> LayerProbe:
    """Biases that end near the middle between two integers of all sizes, a quarter on an integer; half are one off."""
    weights, shape = operands
    round_ = bool((np.exp2(np.rint(np.log2(multipliers))) == multipliers).all())
    given, output = ((0.25, -7), (0.5, 5)) if round_ else ((0.0237, -7), (0.0631, 5))
    scale = (multipliers * output[0] / given[0]).astype(np.float32)
    step = scale[:1] if one else scale
    real = float(np.float32(given[0])) * step.astype(np.float64) / float(np.float32(output[0]))
    middle = rng.integers(-128 - output[1], 127 - output[1], len(scale)) + 0.5 * (
        rng.random(len(scale)) < 0.75
    )
    off = rng.integers(-1, 2, len(scale)) * (rng.random(len(scale)) < 0.5)
    bias = np.clip(np.rint(middle / real) + off, -LARGEST, LARGEST).astype(np.int32)
    x = np.full(shape, given[1], np.int8)
    return LayerProbe(x, weights, bias, given, step, output)


# --- Random values --------------------------------------------------------------------------------------------------


def _natural(rng: np.random.Generator, opcode: str, w: Array, depth: int) -> Iterator[Probe]:
    """SAME padding with strides, odd margins, dilation, fused activations."""
    for size, stride, dilation, padding, activation in (
        ((9, 8), 1, 1, "SAME", "NONE"),
        ((8, 10), 2, 1, "SAME", "RELU6"),
        ((9, 7), 2, 1, "VALID", "RELU"),
        ((9, 10), 1, 2, "SAME", "RELU_N1_TO_1"),
    ):
        options: dict[str, Option] = {
            "stride_h": stride, "stride_w": stride, "dilation_h_factor": dilation, "dilation_w_factor": dilation,
            "padding": padding, "fused_activation_function": activation,
        }  # fmt: skip
        name = f"random values, {padding}, stride {stride}, dilation {dilation}, activation {activation}"
        yield drawn_layer(rng, w, (1, *size, depth), 19).made(name, opcode, options)


def _several(rng: np.random.Generator, opcode: str, filters: tuple[int, ...], depth: int) -> Iterator[Probe]:
    """Two images, and values at both ends of their range; apart, because not every device takes two."""
    layer = drawn_layer(rng, drawn(rng, *filters), (2, 5, 6, depth), 19)
    yield layer.made("random values, two images", opcode, WINDOWED)
    layer = drawn_layer(rng, rails(rng, *filters), (1, 5, 6, depth), 19)
    yield replace(layer, x=rails(rng, 1, 5, 6, depth)).made("smallest and largest values", opcode, WINDOWED)


def _saturating(
    rng: np.random.Generator, opcode: str, weights: Any, image: Any, taps: int | None = None
) -> Iterator[Probe]:
    """Large values of one sign after the other, so that sums leave 16 and 24 bits on their way; some come back."""
    for depth in (24, 1152) if taps is None else (taps,):
        shape = weights(depth)
        magnitude = rng.integers(90, 128, shape)
        # The first channel turns half way, so that it comes back; the last one never.
        turns = depth * np.linspace(0.5, 1, 11)[:, None]
        signs = np.where(np.arange(depth) < turns, 1, -1)
        signs = signs.reshape(shape) if taps is None else signs.T.reshape(shape)
        x = drawn(rng, *image(depth))
        flips = rng.random(shape) < 0.1
        w = (magnitude * signs * np.where(flips, -1, 1)).astype(np.int8)
        bright = rng.random(image(depth)[:-1])[..., None]
        lit = np.clip(x * 0.2 + 127 * bright, -128, 127).astype(np.int8)
        scale = np.full(shape[channel_axis(opcode)], 0.01, np.float32)
        most = 1 << (23 if depth > 99 else 14)
        bias = rng.integers(-most, most, len(scale)).astype(np.int32)
        output = float(0.05 * 0.01 * 128 * 110 * depth / 100)
        layer = LayerProbe(lit, w, bias, (0.05, -128), scale, (output, 5))
        yield layer.made(f"large sums, {depth} products", opcode, plainly(opcode))
