"""Probes of accumulators: layers with biases that put every sum near the middle of two integers, and with random
values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from litecheck.arrays import Array
from litecheck.cases.probes.layers import WINDOWED, LayerProbe, channel_axis, draw_layer, plainly, rails
from litecheck.cases.probes.probe import Probe, draw_int8
from litecheck.model.build import Option

#: Channels of a probe of ties: enough for rare cases, and three more than a multiple of the vector length 8.
CHANNELS = 4096 + 3
#: Largest accumulator of a probe of ties.
LARGEST = 1 << 30


def several_multipliers(rng: np.random.Generator, channels: int) -> Iterator[tuple[str, Array]]:
    """Yield multipliers of every kind for probes of ties, with the name of the probe."""
    yield "ties, multipliers powers of two", 2.0 ** -rng.integers(1, 23, channels)
    yield "ties", draw_multipliers(rng, channels)
    yield "multipliers of 1 and more", np.exp2(rng.uniform(0, 2, channels))


def draw_multipliers(rng: np.random.Generator, channels: int) -> Array:
    """Return multipliers of all magnitudes for which 31-bit accumulators can produce a tie."""
    return np.exp2(rng.uniform(-23, -1, channels))


def with_ties(rng: np.random.Generator, opcode: str, operands: Any) -> Iterator[Probe]:
    """Yield probes with ties in many channels and in few."""
    for name, multipliers in several_multipliers(rng, CHANNELS):
        yield ties(rng, opcode, name, operands(CHANNELS), multipliers)
    for few in (7, 15):
        multipliers = 2.0 ** -rng.integers(1, 9, few)
        yield ties(rng, opcode, f"ties, {few} channels", operands(few), multipliers)


def everywhere(rng: np.random.Generator, opcode: str, w: Array, shape: tuple[int, ...]) -> Iterator[Probe]:
    """Yield probes with accumulators near ties at 35 positions and in 31 channels: full vectors of 4 to 32, and a
    remainder.

    ``w`` holds a weight for each channel. It is 1, and the input adds between -17 and 17 to the bias.
    """
    for what, multipliers in (
        ("powers of two", 2.0 ** -rng.integers(1, 7, w.size)),
        ("others", np.exp2(rng.uniform(-6, -1, w.size))),
    ):
        more = np.arange(-17, 18).reshape(*shape[:-1], 1)
        layer = _layer_near_ties(rng, (np.ones_like(w), shape), multipliers)
        x = np.broadcast_to(more + layer.input[1], shape).astype(np.int8)
        name = f"ties at every place, multipliers {what}"
        yield replace(layer, x=x).build_probe(name, opcode, plainly(opcode), layer.bias + more)


def ties(
    rng: np.random.Generator,
    opcode: str,
    name: str,
    operands: tuple[Array, tuple[int, ...]],
    multipliers: Array,
    one: bool = False,
) -> Probe:
    """Return a probe of a layer with every channel near a tie."""
    layer = _layer_near_ties(rng, operands, multipliers, one)
    return layer.build_probe(name, opcode, plainly(opcode), layer.bias)


def _layer_near_ties(
    rng: np.random.Generator,
    operands: tuple[Array, tuple[int, ...]],
    multipliers: Array,
    one: bool = False,
) -> LayerProbe:
    """Return a layer with biases near the middle between two integers: a quarter is on an integer, half are off by
    1."""
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


def natural(rng: np.random.Generator, opcode: str, w: Array, depth: int) -> Iterator[Probe]:
    """Yield probes with SAME padding and strides, odd margins, dilation, fused activations."""
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
        yield draw_layer(rng, w, (1, *size, depth), 19).build_probe(name, opcode, options)


def several(rng: np.random.Generator, opcode: str, filters: tuple[int, ...], depth: int) -> Iterator[Probe]:
    """Yield probes with two images, and with values at both limits; separate, because some devices reject two images."""
    layer = draw_layer(rng, draw_int8(rng, *filters), (2, 5, 6, depth), 19)
    yield layer.build_probe("random values, two images", opcode, WINDOWED)
    layer = draw_layer(rng, rails(rng, *filters), (1, 5, 6, depth), 19)
    yield replace(layer, x=rails(rng, 1, 5, 6, depth)).build_probe(
        "smallest and largest values", opcode, WINDOWED
    )


def saturating(
    rng: np.random.Generator, opcode: str, weights: Any, image: Any, taps: int | None = None
) -> Iterator[Probe]:
    """Yield probes with consecutive large values of equal sign, so that intermediate sums exceed 16 and 24 bits."""
    for depth in (24, 1152) if taps is None else (taps,):
        shape = weights(depth)
        magnitude = rng.integers(90, 128, shape)
        # The first channel changes its sign halfway, so that the sum returns to zero; the last channel never does.
        turns = depth * np.linspace(0.5, 1, 11)[:, None]
        signs = np.where(np.arange(depth) < turns, 1, -1)
        signs = signs.reshape(shape) if taps is None else signs.T.reshape(shape)
        x = draw_int8(rng, *image(depth))
        flips = rng.random(shape) < 0.1
        w = (magnitude * signs * np.where(flips, -1, 1)).astype(np.int8)
        bright = rng.random(image(depth)[:-1])[..., None]
        lit = np.clip(x * 0.2 + 127 * bright, -128, 127).astype(np.int8)
        scale = np.full(shape[channel_axis(opcode)], 0.01, np.float32)
        most = 1 << (23 if depth > 99 else 14)
        bias = rng.integers(-most, most, len(scale)).astype(np.int32)
        output = float(0.05 * 0.01 * 128 * 110 * depth / 100)
        layer = LayerProbe(lit, w, bias, (0.05, -128), scale, (output, 5))
        yield layer.build_probe(f"large sums, {depth} products", opcode, plainly(opcode))
