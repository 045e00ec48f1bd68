"""Probes of extents: windows that are not square, many channels, deep sums, several images, large outputs.

Sizes are on both sides of the limits at which devices change their code paths: 32 channels, 256 products, 65,536
elements.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from litecheck.cases.probes.layers import WINDOWED, channel_axis, draw_layer, plainly
from litecheck.cases.probes.probe import Probe, ProbeOperand, ProbeOutput, draw_int8, probe
from litecheck.model.build import Option, qparams

Shape = tuple[int, ...]

#: Numbers of channels: a full vector of 32, one more, and many.
CHANNELS = (32, 33, 83)
#: Numbers of products in a sum: a full byte of 256, one more, and three times as many.
DEPTHS = (256, 257, 771)
#: Elements of a large output: their number exceeds 16 bits.
LARGE = 1 << 16


class Window(NamedTuple):
    """Window of a convolution: (height, width) of filter, stride and dilation, and the padding."""

    filter: tuple[int, int]
    stride: tuple[int, int]
    dilation: tuple[int, int]
    padding: str

    @property
    def options(self) -> dict[str, Option]:
        """Options of an operator with stride, padding and dilation."""
        return {
            "stride_h": self.stride[0], "stride_w": self.stride[1], "padding": self.padding,
            "dilation_h_factor": self.dilation[0], "dilation_w_factor": self.dilation[1],
        }  # fmt: skip

    def __str__(self) -> str:
        """Return ``3 x 2, strides 2 and 1, SAME``."""
        dilation = "" if self.dilation == (1, 1) else ", dilations {} and {}".format(*self.dilation)
        return "{} x {}, strides {} and {}".format(*self.filter, *self.stride) + f"{dilation}, {self.padding}"


#: Windows with a property that differs between height and width.
WINDOWS = (
    Window((3, 3), (1, 2), (1, 1), "SAME"),
    Window((3, 3), (2, 1), (1, 1), "VALID"),
    Window((2, 5), (3, 2), (1, 1), "SAME"),
    Window((4, 1), (1, 1), (1, 1), "SAME"),
    Window((3, 3), (1, 1), (1, 2), "SAME"),
    Window((3, 3), (1, 1), (3, 1), "VALID"),
    Window((2, 3), (1, 1), (2, 3), "SAME"),
)
_IMAGE = (11, 12)


def of_conv_2d(rng: np.random.Generator, opcode: str) -> Iterator[Probe]:
    """Yield probes of CONV_2D, also with groups of many channels."""
    for window in WINDOWS:
        layer = draw_layer(rng, draw_int8(rng, 19, *window.filter, 5), (1, *_IMAGE, 5), 19)
        yield layer.build_probe(f"random values, {window}", opcode, window.options)
    yield from _wide_probes(rng, opcode, lambda c: ((c, 3, 3, 5), (1, 5, 4, 5)))
    yield from _deep_probes(rng, opcode, lambda d: ((11, 1, 1, d), (1, 3, 4, d)))
    layer = draw_layer(rng, draw_int8(rng, 9, 3, 3, 5), (3, 7, 8, 5), 9)
    options: dict[str, Option] = {**WINDOWED, "stride_h": 2, "stride_w": 2, "padding": "SAME"}
    yield layer.build_probe("random values, three images", opcode, options)
    layer = draw_layer(rng, draw_int8(rng, 74, 3, 3, 37), (2, 4, 5, 74), 74)
    yield layer.build_probe("random values, two groups of 37 channels, two images", opcode, WINDOWED)
    yield from _large_probes(rng, opcode, lambda rows: ((16, 1, 1, 3), (1, rows, 64, 3)), 64)


def of_depthwise_conv_2d(rng: np.random.Generator, opcode: str) -> Iterator[Probe]:
    """Yield probes of DEPTHWISE_CONV_2D."""
    for window in WINDOWS:
        layer = draw_layer(rng, draw_int8(rng, 1, *window.filter, 19), (1, *_IMAGE, 19), 19)
        yield layer.build_probe(f"random values, {window}", opcode, window.options)
    yield from _wide_probes(rng, opcode, lambda c: ((1, 3, 3, c), (1, 5, 4, c)))
    layer = draw_layer(rng, draw_int8(rng, 1, 3, 3, 74), (1, 5, 6, 37), 74)
    yield layer.build_probe("random values, 37 channels, multiplier 2", opcode, WINDOWED)
    layer = draw_layer(rng, draw_int8(rng, 1, 17, 17, 9), (1, 18, 19, 9), 9)
    yield layer.build_probe("random values, 289 products", opcode, WINDOWED)
    layer = draw_layer(rng, draw_int8(rng, 1, 3, 3, 9), (3, 7, 8, 9), 9)
    yield layer.build_probe("random values, three images", opcode, WINDOWED)
    yield from _large_probes(rng, opcode, lambda rows: ((1, 1, 1, 16), (1, rows, 64, 16)), 64)


def of_fully_connected(rng: np.random.Generator, opcode: str) -> Iterator[Probe]:
    """Yield probes of FULLY_CONNECTED."""
    yield from _wide_probes(rng, opcode, lambda c: ((c, 37), (5, 37)))
    yield from _deep_probes(rng, opcode, lambda d: ((11, d), (3, d)))
    layer = draw_layer(rng, draw_int8(rng, 19, 37), (67, 37), 19)
    yield layer.build_probe("random values, 67 rows", opcode, {})
    yield from _large_probes(rng, opcode, lambda rows: ((64, 3), (rows, 3)), 1024)


def of_transpose_conv(rng: np.random.Generator, opcode: str) -> Iterator[Probe]:
    """Yield probes of TRANSPOSE_CONV with strides that spread its input."""
    for window in (
        Window((3, 3), (2, 2), (1, 1), "SAME"),
        Window((3, 3), (1, 2), (1, 1), "SAME"),
        Window((2, 4), (2, 1), (1, 1), "VALID"),
        Window((4, 3), (3, 2), (1, 1), "VALID"),
    ):
        layer = draw_layer(rng, draw_int8(rng, 19, *window.filter, 5), (1, 5, 6, 5), 19)
        yield layer.build_probe(f"random values, {window}", opcode, window.options)
    yield from _wide_probes(rng, opcode, lambda c: ((c, 3, 3, 5), (1, 5, 4, 5)))
    yield from _deep_probes(rng, opcode, lambda d: ((11, 1, 1, d), (1, 3, 4, d)))
    layer = draw_layer(rng, draw_int8(rng, 9, 3, 3, 5), (3, 4, 5, 5), 9)
    yield layer.build_probe("random values, three images", opcode, {**WINDOWED, "padding": "SAME"})
    yield from _large_probes(rng, opcode, lambda rows: ((16, 1, 1, 3), (1, rows, 64, 3)), 64)


def of_batch_matmul(rng: np.random.Generator, opcode: str) -> Iterator[Probe]:
    """Yield probes of BATCH_MATMUL with wide, deep, many and large matrices."""
    for name, left, right in (
        *((f"{c} columns", (1, 9, 37), (1, 37, c)) for c in CHANNELS),
        *((f"{d} products", (1, 9, d), (1, d, 11)) for d in DEPTHS),
        ("several matrices", (3, 2, 9, 37), (3, 2, 37, 11)),
        (f"{LARGE:,} outputs", (1, 256, 3), (1, 3, 256)),
        (f"{LARGE + 256:,} outputs", (1, 257, 3), (1, 3, 256)),
    ):
        operands = (
            ProbeOperand(draw_int8(rng, *left), qparams(0.03, -7)),
            ProbeOperand(draw_int8(rng, *right), qparams(0.02, 5)),
        )
        scale = 0.0006 * 74 * 74 * float(np.sqrt(left[-1])) / 60
        yield probe(
            f"random values, {name}, computed right side", opcode, operands, ProbeOutput(qparams(scale, 3))
        )


def _wide_probes(
    rng: np.random.Generator, opcode: str, shapes: Callable[[int], tuple[Shape, Shape]]
) -> Iterator[Probe]:
    for channels in CHANNELS:
        weights, image = shapes(channels)
        layer = draw_layer(rng, draw_int8(rng, *weights), image, channels)
        yield layer.build_probe(f"random values, {channels} channels", opcode, plainly(opcode))


def _deep_probes(
    rng: np.random.Generator, opcode: str, shapes: Callable[[int], tuple[Shape, Shape]]
) -> Iterator[Probe]:
    for depth in DEPTHS:
        weights, image = shapes(depth)
        layer = draw_layer(rng, draw_int8(rng, *weights), image, weights[0])
        yield layer.build_probe(f"random values, {depth} products", opcode, plainly(opcode))


def _large_probes(
    rng: np.random.Generator, opcode: str, shapes: Callable[[int], tuple[Shape, Shape]], rows: int
) -> Iterator[Probe]:
    """Yield probes with outputs of 65,536 elements, and of one row more."""
    for more in (0, 1):
        weights, image = shapes(rows + more)
        channels = weights[channel_axis(opcode)]
        layer = draw_layer(rng, draw_int8(rng, *weights), image, channels)
        name = f"random values, {LARGE + more * LARGE // rows:,} outputs"
        yield layer.build_probe(name, opcode, plainly(opcode))
