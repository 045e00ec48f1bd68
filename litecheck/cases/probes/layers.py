"""Layers that sum products: their tensors, and the probes that they make."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from litecheck.arrays import Array
from litecheck.cases.probes.probe import Probe, ProbeExtras, ProbeOperand, ProbeOutput, draw_int8, probe
from litecheck.model.build import Option, qparams
from litecheck.profile.operators import traits_of

Floats = NDArray[np.float32]

#: Options of a window with stride 1 and without padding.
WINDOWED: dict[str, Option] = {"stride_h": 1, "stride_w": 1, "padding": "VALID"}


@dataclass(frozen=True, slots=True, eq=False)
class LayerProbe:
    """Sum of products: inputs, scales and zero points; ``weight`` has a single scale, or a scale for each channel."""

    x: Array
    w: Array
    bias: NDArray[np.int32]
    input: tuple[float, int]
    weight: Floats
    output: tuple[float, int]

    def build_probe(
        self, name: str, opcode: str, options: dict[str, Option], accumulators: Array | None = None
    ) -> Probe:
        """Return the probe of the layer."""
        scale, zero = self.input
        facts = traits_of(opcode)
        if facts.over == "plane":
            options = {**options, "depth_multiplier": self.w.shape[3] // self.x.shape[3]}
        biases = qparams(np.float32(scale) * self.weight, 0)
        operands = {
            "input": ProbeOperand(self.x, qparams(scale, zero)),
            "weight": ProbeOperand(self.w, qparams(self.weight, 0, channel_axis(opcode)), True),
            "bias": ProbeOperand(self.bias, biases, True),
        }
        if facts.over == "stamps":
            n, *image, _ = self.x.shape
            same = options["padding"] == "SAME"
            strides = (int(str(options[name])) for name in ("stride_h", "stride_w"))
            sides = zip(image, strides, self.w.shape[1:3], strict=True)
            sizes = [side * step if same else (side - 1) * step + taps for side, step, taps in sides]
            size = np.array([n, *sizes, len(self.w)], np.int32)
            options = {k: v for k, v in options.items() if "dilation" not in k}
            operands["output_shape"] = ProbeOperand(size, None, True)
        more = ProbeExtras(accumulators=accumulators, options=options)
        return probe(
            name,
            opcode,
            [operands[role] for role in facts.inputs],
            ProbeOutput(qparams(*self.output)),
            more,
        )


def channel_axis(opcode: str) -> int:
    """Return the axis of the weights with the output's channels."""
    accumulates = traits_of(opcode).accumulates
    return accumulates.channels if accumulates else 0


def plainly(opcode: str) -> dict[str, Option]:
    """Return options for a sum at every position: stride 1 for an operator with windows, none for others."""
    return {} if traits_of(opcode).over == "row" else WINDOWED


def draw_layer(rng: np.random.Generator, w: Array, shape: tuple[int, ...], channels: int) -> LayerProbe:
    """Return a layer with uniform random values, weight scales that vary by 2^6, and outputs that reach both limits."""
    depth = w.size // channels
    spread = np.exp2(rng.uniform(-10, -4, channels)).astype(np.float32)
    bias = rng.integers(-(2**13), 2**13, channels).astype(np.int32)
    output = float(0.047 * np.median(spread) * 74 * 74 * np.sqrt(depth) / 60)
    return LayerProbe(draw_int8(rng, *shape), w, bias, (0.047, -7), spread, (output, 5))


def small_layer(rng: np.random.Generator, filters: tuple[int, ...], image: tuple[int, ...]) -> LayerProbe:
    """Return a layer with so small values and so large multipliers that every unit of a sum changes the output."""
    x, w = (rng.integers(-2, 3, shape, np.int8) for shape in (image, filters))
    scale = np.exp2(rng.uniform(-2, 0, len(w))).astype(np.float32)
    bias = rng.integers(-9, 10, len(w)).astype(np.int32)
    return LayerProbe(x - np.int8(7), w, bias, (0.031, -7), scale, (0.042, 5))


def rails(rng: np.random.Generator, *shape: int) -> Array:
    """Return random values near both limits: -128, -127, 126 and 127."""
    return rng.choice(np.array([-128, -128, -127, 126, 127], np.int8), shape)
