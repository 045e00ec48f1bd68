"""Probes of ties: layers whose biases put every accumulator near the middle between two integers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from litecheck.arrays import Array
from litecheck.cases.probes.layers import LayerProbe, plainly
from litecheck.cases.probes.probe import Probe

#: Channels of a probe of ties: enough for rare cases, and three more than fill vectors of eight.
CHANNELS = 4096 + 3
#: The largest accumulator that ties are aimed at.
LARGEST = 1 << 30


def several_multipliers(rng: np.random.Generator, channels: int) -> Iterator[tuple[str, Array]]:
    """Multipliers of a probe of ties, of every kind, with the name of the probe."""
    yield "ties, multipliers powers of two", 2.0 ** -rng.integers(1, 23, channels)
    yield "ties", scattered(rng, channels)
    yield "multipliers of 1 and more", np.exp2(rng.uniform(0, 2, channels))


def scattered(rng: np.random.Generator, channels: int) -> Array:
    """Multipliers over all magnitudes of which accumulators of 31 bits can make a tie."""
    return np.exp2(rng.uniform(-23, -1, channels))


def with_ties(rng: np.random.Generator, opcode: str, operands: Any) -> Iterator[Probe]:
    """Ties of many channels and of few."""
    for name, multipliers in several_multipliers(rng, CHANNELS):
        yield ties(rng, opcode, name, operands(CHANNELS), multipliers)
    for few in (7, 15):
        multipliers = 2.0 ** -rng.integers(1, 9, few)
        yield ties(rng, opcode, f"ties, {few} channels", operands(few), multipliers)


def everywhere(rng: np.random.Generator, opcode: str, w: Array, shape: tuple[int, ...]) -> Iterator[Probe]:
    """Accumulators near ties at 35 places and in 31 channels: vectors of 4, 8, 16 or 32, and what is left over.

    ``w`` holds one weight for each channel. It is 1, and the input adds between -17 and 17 to the bias.
    """
    for what, multipliers in (
        ("powers of two", 2.0 ** -rng.integers(1, 7, w.size)),
        ("others", np.exp2(rng.uniform(-6, -1, w.size))),
    ):
        more = np.arange(-17, 18).reshape(*shape[:-1], 1)
        layer = _tied(rng, (np.ones_like(w), shape), multipliers)
        x = np.broadcast_to(more + layer.input[1], shape).astype(np.int8)
        name = f"ties at every place, multipliers {what}"
        yield replace(layer, x=x).made(name, opcode, plainly(opcode), layer.bias + more)


def ties(
    rng: np.random.Generator,
    opcode: str,
    name: str,
    operands: tuple[Array, tuple[int, ...]],
    multipliers: Array,
    one: bool = False,
) -> Probe:
    """One layer of which every channel ends near a tie."""
    layer = _tied(rng, operands, multipliers, one)
    return layer.made(name, opcode, plainly(opcode), layer.bias)


def _tied(
    rng: np.random.Generator,
    operands: tuple[Array, tuple[int, ...]],
    multipliers: Array,
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
