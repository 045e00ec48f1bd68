"""Probes of sums of products: CONV_2D, DEPTHWISE_CONV_2D, FULLY_CONNECTED, TRANSPOSE_CONV, BATCH_MATMUL.

A sum of products with all inputs at the zero point is its bias, so a bias can produce any accumulator before the
rescaling. Accumulators that end near the middle between two integers distinguish roundings.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import numpy as np

from litecheck.cases.probes.accumulators import (
    CHANNELS,
    draw_multipliers,
    everywhere,
    natural,
    saturating,
    several,
    several_multipliers,
    ties,
    with_ties,
)
from litecheck.cases.probes.layers import WINDOWED, draw_layer, rails, small_layer
from litecheck.cases.probes.probe import Probe, ProbeOperand, ProbeOutput, draw_int8, probe
from litecheck.model.build import qparams


def of_conv_2d(rng: np.random.Generator, opcode: str) -> Iterator[Probe]:
    """Yield probes of CONV_2D, with and without groups."""
    yield from with_ties(rng, opcode, lambda c: (draw_int8(rng, c, 1, 1, 4), (1, 1, 1, 4)))
    yield from natural(rng, opcode, draw_int8(rng, 19, 3, 3, 5), 5)
    yield from saturating(rng, opcode, lambda depth: (11, 1, 1, depth), lambda depth: (1, 4, 6, depth))
    yield from everywhere(rng, opcode, draw_int8(rng, 31, 1, 1, 1), (1, 5, 7, 1))
    yield from several(rng, opcode, (19, 3, 3, 5), 5)
    yield small_layer(rng, (19, 1, 1, 131), (1, 5, 6, 131)).build_probe("small values", opcode, WINDOWED)
    grouped = [(draw_int8(rng, 1026, 1, 1, 2), (1, 1, 1, 4)), (draw_int8(rng, 18, 3, 3, 2), (1, 6, 7, 4))]
    yield ties(rng, opcode, "ties under groups", grouped[0], draw_multipliers(rng, 1026))
    powers = 2.0 ** -rng.integers(1, 23, 1026)
    yield ties(rng, opcode, "ties under groups, multipliers powers of two", grouped[0], powers)
    layer = draw_layer(rng, grouped[1][0], grouped[1][1], 18)
    yield layer.build_probe("random values under groups", opcode, {**WINDOWED, "padding": "SAME"})


def of_depthwise_conv_2d(rng: np.random.Generator, opcode: str) -> Iterator[Probe]:
    """Yield probes of DEPTHWISE_CONV_2D."""
    yield from with_ties(rng, opcode, lambda c: (draw_int8(rng, 1, 3, 3, c), (1, 3, 3, c)))
    yield from natural(rng, opcode, draw_int8(rng, 1, 3, 3, 19), 19)
    yield from everywhere(rng, opcode, draw_int8(rng, 1, 1, 1, 31), (1, 5, 7, 31))
    yield from several(rng, opcode, (1, 3, 3, 19), 19)
    layer = draw_layer(rng, draw_int8(rng, 1, 3, 3, 22), (1, 6, 7, 11), 22)
    yield layer.build_probe("random values, two filters for each channel", opcode, WINDOWED)
    for side in (5, 31):
        yield from saturating(
            rng, opcode, lambda _, k=side: (1, k, k, 11), lambda _, k=side: (1, k + 1, k + 2, 11), side**2
        )  # fmt: skip


def of_fully_connected(rng: np.random.Generator, opcode: str) -> Iterator[Probe]:
    """Yield probes of FULLY_CONNECTED, with a single weight scale and with a scale for each unit."""
    yield from with_ties(rng, opcode, lambda c: (draw_int8(rng, c, 4), (1, 4)))
    for what, real in (("a power of two", 2.0**-9), ("0.00159", 0.00159), ("1.1e-6", 1.1e-6)):
        operands = draw_int8(rng, CHANNELS, 4), (1, 4)
        yield ties(rng, opcode, f"ties, one multiplier, {what}", operands, np.full(CHANNELS, real), one=True)
    for activation in ("NONE", "RELU6"):
        layer = draw_layer(rng, draw_int8(rng, 19, 37), (9, 37), 19)
        yield layer.build_probe(
            f"random values, activation {activation}", opcode, {"fused_activation_function": activation}
        )
        one = replace(layer, weight=np.median(layer.weight, keepdims=True))
        name = f"random values, one weight scale, activation {activation}"
        yield one.build_probe(name, opcode, {"fused_activation_function": activation})
    yield from saturating(rng, opcode, lambda depth: (11, depth), lambda depth: (24, depth))
    yield from everywhere(rng, opcode, draw_int8(rng, 31, 1), (35, 1))
    layer = draw_layer(rng, rails(rng, 19, 37), (9, 37), 19)
    yield replace(layer, x=rails(rng, 9, 37)).build_probe("smallest and largest values", opcode, {})
    yield small_layer(rng, (19, 131), (9, 131)).build_probe("small values", opcode, {})


def of_transpose_conv(rng: np.random.Generator, opcode: str) -> Iterator[Probe]:
    """Yield probes of TRANSPOSE_CONV."""
    for name, multipliers in several_multipliers(rng, 1027):
        yield ties(rng, opcode, name, (draw_int8(rng, 1027, 1, 1, 4), (1, 1, 1, 4)), multipliers)
    layer = draw_layer(rng, draw_int8(rng, 19, 3, 3, 5), (1, 6, 7, 5), 19)
    yield layer.build_probe("random values", opcode, {**WINDOWED, "padding": "SAME"})


def of_batch_matmul(rng: np.random.Generator, opcode: str) -> Iterator[Probe]:
    """Yield probes of BATCH_MATMUL with two computed matrices and with a constant matrix: single products of all pairs,
    and sums."""
    values = np.arange(-128, 128).astype(np.int8)
    shapes = (
        (values.reshape(1, -1, 1), values.reshape(1, 1, -1)),
        (draw_int8(rng, 2, 31, 37), draw_int8(rng, 2, 37, 19)),
    )
    for constant, zero in ((False, 5), (True, 0)):
        for (left, right), scales in product(
            shapes, ((0.03, 0.02, 0.21), (0.5, 0.25, 16.0), (0.0123, 0.0456, 0.0789))
        ):
            operands = (
                ProbeOperand(left, qparams(scales[0], -7)),
                ProbeOperand(right, qparams(scales[1], zero), constant),
            )
            what = "sums of products" if left.shape[-1] > 1 else "all pairs"
            name = f"{what}, {'constant' if constant else 'computed'} right side, scales {scales}"
            yield probe(name, opcode, operands, ProbeOutput(qparams(scales[2], 3)))
