"""Probes of layers on random values: padding, strides, dilation, several images, sums that saturate on their way."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from litecheck.arrays import Array
from litecheck.cases.probes.layers import WINDOWED, LayerProbe, channel_axis, drawn_layer, plainly, rails
from litecheck.cases.probes.probe import Probe, drawn
from litecheck.model.build import Option


def natural(rng: np.random.Generator, opcode: str, w: Array, depth: int) -> Iterator[Probe]:
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


def several(rng: np.random.Generator, opcode: str, filters: tuple[int, ...], depth: int) -> Iterator[Probe]:
    """Two images, and values at both ends of their range; apart, because not every device takes two."""
    layer = drawn_layer(rng, drawn(rng, *filters), (2, 5, 6, depth), 19)
    yield layer.made("random values, two images", opcode, WINDOWED)
    layer = drawn_layer(rng, rails(rng, *filters), (1, 5, 6, depth), 19)
    yield replace(layer, x=rails(rng, 1, 5, 6, depth)).made("smallest and largest values", opcode, WINDOWED)


def saturating(
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
