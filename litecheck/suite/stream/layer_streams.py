"""Streams of requantization and of dot products: layers in which each channel is a line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import count

import numpy as np
from numpy.typing import NDArray

from litecheck.arrays import Array
from litecheck.cases.probes.layers import LayerProbe, plainly
from litecheck.cases.probes.probe import Probe
from litecheck.profile.operators import traits_of
from litecheck.reference.engine.dispatch import output_spec
from litecheck.reference.numerics.fixedpoint import INT32_MAX, INT32_MIN, quantize_multipliers
from litecheck.reference.numerics.fused_activation import stored_bounds
from litecheck.reference.numerics.rescale import Scales
from litecheck.suite.stream.batch import Column, Ints, VectorBatch, column, real_column, tensors_of
from litecheck.suite.stream.exact_random import ZERO_POINTS, draw_activation, merge_options, pick, reals

#: Number of lines of each of the first batches, and of later batches.
REQUANTIZED, REQUANTIZED_LATER = 256, 1 << 14
SUMMED, SUMMED_LATER = 64, 1024
#: Multipliers of requantization in turn: range of exponents, and True for powers of two.
_MULTIPLIERS = (((-22, 0), True), ((-23, 0), False), ((0, 4), False), ((-34, -23), False))
#: Register widths: random accumulators are at their limits and next to them.
_BITS = (7, 8, 15, 16, 19, 20, 23, 24, 30)
#: Number of products in a sum, in turn.
_DEPTHS = (9, 4, 27, 64, 3, 300, 16, 8)


@dataclass(frozen=True, slots=True, eq=False)
class _Steps:
    """Scales (input, output) and zero points (input, output) of a batch."""

    scales: tuple[np.float32, np.float32]
    points: tuple[int, int]

    def real(self, weight: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return the real multipliers for weight scales."""
        return Scales(self.scales[0], weight, self.scales[1]).double()


def _steps(rng: np.random.Generator, points: tuple[int, int], powers: bool) -> _Steps:
    scale_in, scale_out = (reals(rng, (-8, 0), 1, powers)[0] for _ in range(2))
    return _Steps((scale_in, scale_out), points)


def requantizations(opcode: str, rng: np.random.Generator, exhaustive: bool) -> Iterator[VectorBatch]:
    """Yield accumulators to requantize: the bias is the accumulator, because all weights are 0."""
    for turn in count():
        lines = REQUANTIZED if turn < 16 else REQUANTIZED_LATER
        exponents, powers = _MULTIPLIERS[turn % len(_MULTIPLIERS)]
        # Not aligned with the multipliers, so that each multiplier is combined with every zero point.
        steps = _steps(rng, (0, pick(ZERO_POINTS, turn + turn // 4)), powers)
        wanted = reals(rng, exponents, lines, powers)
        scale = (wanted.astype(np.float64) * steps.scales[1] / steps.scales[0]).astype(np.float32)
        bias = _accumulators(rng, steps.real(scale), steps.points[1])
        x, w = _operands(opcode, np.full((lines, 1), steps.points[0]), np.zeros((lines, 1), np.int64))
        yield _batch(opcode, _probe(opcode, steps, (x, w, bias), scale, turn), whole=False)


def _accumulators(rng: np.random.Generator, real: NDArray[np.float64], zero_point: int) -> Ints:
    """Draw accumulators near the middle of two outputs, in and beyond the range; at register limits; of all
    magnitudes."""
    lines = len(real)
    middle = rng.integers(-150 - zero_point, 151 - zero_point, lines) + 0.5 * (rng.random(lines) < 0.75)
    off = rng.integers(-1, 2, lines) * (rng.random(lines) < 0.5)
    near = np.rint(np.clip(middle / np.maximum(real, 2.0**-40), -(2.0**31), 2.0**31)) + off
    ends = np.array([v for b in _BITS for v in (1 << b, -(1 << b))] + [INT32_MAX, INT32_MIN, 0])
    at_ends = rng.choice(ends, lines) + rng.integers(-1, 2, lines)
    free = rng.integers(INT32_MIN, INT32_MAX, lines, endpoint=True) >> rng.integers(0, 32, lines)
    kind = rng.choice(3, lines, p=(0.7, 0.15, 0.15))
    return _clip_sums(np.choose(kind, (near.astype(np.int64), at_ends, free)), real)


def _clip_sums(sums: Ints, real: NDArray[np.float64]) -> Ints:
    """Clip sums to 32 bits, also after the left shift of multipliers of 1 and more."""
    left = np.maximum(quantize_multipliers(real)[1], 0)
    return np.clip(sums, INT32_MIN >> left, INT32_MAX >> left)


def dots(opcode: str, rng: np.random.Generator, exhaustive: bool) -> Iterator[VectorBatch]:
    """Yield rows of inputs times weights, plus a bias, requantized."""
    for turn in count():
        lines = SUMMED if turn < 16 else SUMMED_LATER
        depth = pick(_DEPTHS, turn)
        # With powers of two, sums are exact ties, which distinguish rounding variants.
        powers = turn % 4 == 3
        steps = _steps(rng, (pick(ZERO_POINTS, turn), pick(ZERO_POINTS, turn // 2 + 1)), powers)
        own = traits_of(opcode).over == "plane"
        x, w, bias = _drawn(rng, turn, (lines if own else 1, lines, depth))
        x = np.broadcast_to(x, (lines, depth))
        products = ((x - steps.points[0]) * w).sum(axis=1)
        scale = _fit_scales(rng, products + bias, steps, powers)
        bias = np.where(rng.random(lines) < 0.7, _tie_biases(rng, products, bias, steps, scale), bias)
        parts = (*_operands(opcode, x, w), bias)
        yield _batch(opcode, _probe(opcode, steps, parts, scale, turn), whole=True)


def _drawn(rng: np.random.Generator, turn: int, size: tuple[int, int, int]) -> tuple[Ints, Ints, Ints]:
    """Draw stored inputs, weights and biases, in turn: any; from the limits; of equal sign up to the middle; small; any
    with large biases. In even turns, all weights of every eighth channel are 0."""
    rows, lines, depth = size
    x, w = rng.integers(-128, 128, (rows, depth)), rng.integers(-127, 128, (lines, depth))
    bias = rng.integers(-(1 << 13), 1 << 13, lines)
    kind = turn % 6
    if kind == 1:
        x, w = rng.choice([-128, -127, 126, 127], x.shape), rng.choice([-127, 127], w.shape)
    elif kind in (2, 5):
        back = rng.random((lines, 1)) < 0.7
        sign = np.where((np.arange(depth) >= depth // 2) & back, -1, 1) * rng.choice([-1, 1], (lines, 1))
        x, w = rng.integers(100, 128, x.shape), sign * rng.integers(100, 128, w.shape)
        bias = bias << (depth > 99) * 6
    elif kind == 3:
        x, w, bias = rng.integers(-3, 4, x.shape), rng.integers(-2, 3, w.shape), rng.integers(-9, 10, lines)
    elif kind == 4:
        bias = rng.integers(-(1 << 30), 1 << 30, lines) >> rng.integers(0, 16, lines)
    w[::8] *= turn % 2
    return x, w, bias


def _fit_scales(rng: np.random.Generator, sums: Ints, steps: _Steps, powers: bool) -> NDArray[np.float32]:
    """Return weight scales with which sums are anywhere in the range or slightly beyond; powers of two if ``powers``."""
    size = np.maximum(np.abs(sums), 1)
    wanted = np.clip(rng.integers(1, 200 << 8, len(sums)) / 256 / size, 2.0**-28, 4.0)
    if powers:
        wanted = np.ldexp(0.5, np.frexp(wanted)[1])
    scale: NDArray[np.float32] = (wanted * steps.scales[1] / steps.scales[0]).astype(np.float32)
    return scale


def _tie_biases(
    rng: np.random.Generator, products: Ints, bias: Ints, steps: _Steps, scale: NDArray[np.float32]
) -> Ints:
    """Return biases that shift sums to the nearest middle between two outputs, or 1 beside it."""
    real = steps.real(scale)
    middle = np.floor((products + bias) * real) + 0.5
    near = np.rint(middle / real) + rng.integers(-1, 2, len(scale)) * (rng.random(len(scale)) < 0.5)
    biases: Ints = np.clip(near.astype(np.int64) - products, INT32_MIN, INT32_MAX)
    return biases


def _operands(opcode: str, x: Ints, w: Ints) -> tuple[Array, Array]:
    """Reshape inputs and weights (lines, depth) for the operator: a pixel of an image, or a row."""
    over, small_x, small_w = traits_of(opcode).over, x.astype(np.int8), w.astype(np.int8)
    if over == "plane":
        return small_x.T[None, None], small_w.T[None, None]
    if over == "row":
        return small_x[:1], small_w
    return small_x[None, None, :1], small_w[:, None, None]


def _probe(
    opcode: str, steps: _Steps, parts: tuple[Array, Array, Ints], scale: NDArray[np.float32], turn: int
) -> Probe:
    x, w, bias = parts
    (scale_in, scale_out), (point_in, point_out) = steps.scales, steps.points
    layer = LayerProbe(
        x, w, bias.astype(np.int32), (float(scale_in), point_in), scale, (float(scale_out), point_out)
    )
    # Older versions of TRANSPOSE_CONV ("stamps") have no fused activation, so streams use none.
    stamps = traits_of(opcode).over == "stamps"
    activation = {} if stamps else draw_activation(turn, float(scale_out), point_out)
    options = merge_options(plainly(opcode), activation)
    return layer.build_probe(f"batch {turn}", opcode, options)


def _batch(opcode: str, probe: Probe, whole: bool) -> VectorBatch:
    """Return a batch with the fields of sums of products, or only those of their requantization."""
    tensors, values = tensors_of(probe)
    given, weight, output = (output_spec(tensors[role]) for role in ("input", "weight", "output"))
    scale, bias = weight.quantization.scale, values["bias"].astype(np.int64)
    lines = len(bias)
    m, shift = quantize_multipliers(Scales(given.scale, scale, output.scale).double())
    low, high = stored_bounds(probe.subgraph.operators[0].options, output)
    rescaling = (
        column("m", m, lines),
        column("shift", shift, lines),
        real_column("si", given.scale, lines),
        real_column("sw", scale, lines),
        real_column("so", output.scale, lines),
        column("zo", output.zero_point, lines),
        column("low", low, lines),
        column("high", high, lines),
    )
    if not whole:
        return VectorBatch(probe, (column("acc", bias, lines), *rescaling))
    point = column("zi", given.zero_point, lines)
    return VectorBatch(
        probe, (column("bias", bias, lines), *rescaling, point, *_products(opcode, values, lines))
    )


def _products(opcode: str, values: Mapping[str, Array], lines: int) -> tuple[Column, ...]:
    """Return the fields of the number of products, the inputs and the weights."""
    x, w = values["input"], values["weight"]
    if traits_of(opcode).over == "plane":
        x, w = x.reshape(-1, lines).T, w.reshape(-1, lines).T
    else:
        w = w.reshape(lines, -1)
        x = np.broadcast_to(x.reshape(1, -1), w.shape)
    return (
        column("k", w.shape[1], lines),
        column("x", x, lines, many="k"),
        column("w", w, lines, many="k"),
    )
