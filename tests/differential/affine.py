"""Random sums of products. Biases keep accumulators within the output's range, so that roundings are visible."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.types import Quantization
from tests.differential.one_operator import Trial
from tests.differential.operands import varied
from tests.differential.shrink import Make
from tests.differential.sweep import Family

Random = np.random.Generator
Array = NDArray[np.generic]
#: Largest magnitude of a weight, by type.
WEIGHTS = {"int8": 127, "int4": 7, "int2": 1, "uint8": 255, "int16": 2**15 - 1}


@dataclass(frozen=True)
class Side:
    """Family of cases: the type of activations, and of their weights."""

    activation: str = "int8"
    weight: str = "int8"
    biases: tuple[str, ...] = ("int32", "int64")
    """Types of a bias of int16 activations."""
    small: bool = False
    """True for values near their zero points, which give small accumulators and multipliers near 1."""
    far: bool = False
    """True for weights near the end of their type and activations of one sign: long sums exceed 32 bits."""

    def amplitudes(self) -> tuple[int, int]:
        """Return the approximate distances of activations and weights from their zero points."""
        if self.small:
            return (300 if self.activation == "int16" else 9), 3
        return int(np.iinfo(self.activation).max), WEIGHTS[self.weight]

    def values(self, random: Random, shape: tuple[int, ...], parameters: Quantization | None) -> Array:
        """Return stored activations over the whole range of their type, or near the zero point."""
        if parameters is None:
            return random.normal(size=shape).astype(np.float32)
        info = np.iinfo(self.activation)
        if self.far:
            return random.integers(info.max // 2, info.max, shape).astype(self.activation)
        if not self.small:
            return random.integers(info.min, info.max + 1, shape).astype(self.activation)
        far = self.amplitudes()[0]
        near = int(parameters.zero_point[0]) + random.integers(-far, far + 1, shape)
        return np.clip(near, info.min, info.max).astype(self.activation)

    def parameters(self, random: Random) -> Quantization | None:
        """Return parameters of an activation tensor."""
        if self.activation == "float32":
            return None
        scale = float(np.exp(random.uniform(-5, 0)) / (200 if self.activation == "int16" else 1))
        if random.random() < 0.5:
            scale = 2.0 ** np.round(np.log2(scale))
        info = np.iinfo(self.activation)
        zero = 0 if self.activation == "int16" else int(random.integers(info.min, info.max + 1))
        return qparams(scale, zero)

    def weights(self, random: Random, shape: tuple[int, ...], parameters: Quantization | None) -> Array:
        """Return stored weights over the whole range of their type, or near the zero point."""
        if parameters is None:
            return random.normal(size=shape).astype(np.float32)
        most, zero = self.amplitudes()[1], int(parameters.zero_point[0])
        if self.far:
            kind = {"uint8": np.uint8, "int16": np.int16}.get(self.weight, np.int8)
            return random.integers(most // 2, most, shape).astype(kind)
        if self.weight != "uint8":
            most = min(most, WEIGHTS[self.weight])
            stored = random.integers(-most - (self.weight == "int2"), most + 1, shape)
            return stored.astype(np.int16 if self.weight == "int16" else np.int8)
        low, high = (zero - most, zero + most) if self.small else (0, most)
        return np.clip(random.integers(low, high + 1, shape), 0, 255).astype(np.uint8)


def tied(random: Random, step: float, share: float = 0.15) -> float:
    """Return ``step``, or with probability ``share`` a near step that makes a bound of 1 or 6 a tie."""
    if random.random() >= share:
        return step
    bound = float(random.choice([1, 6]))
    return bound / (np.floor(bound / step) + 0.5)


@dataclass(frozen=True)
class Affine:
    """Parameters that fit an input: weights, bias and output of CONV_2D and similar operators."""

    weight: Quantization | None
    bias: Array
    bias_parameters: Quantization | None
    output: Quantization | None


def affine(
    random: Random,
    side: Side,
    input_: Quantization | None,
    channels: int,
    depth: int,
    axis: int,
    per_axis: bool,
) -> Affine:
    """Return scales with which accumulators of ``depth`` products cover approximately the output's range.

    All scales are powers of two if the input's scale is: accumulators are ties then, and roundings differ.
    """
    if input_ is None:
        return Affine(None, random.normal(size=channels).astype(np.float32), None, None)
    count = channels if per_axis else 1
    scales = np.exp(random.uniform(-6, -2, count)).astype(np.float32)
    exact = bool(np.frexp(input_.scale[0])[0] == 0.5)
    if exact:
        scales = np.exp2(np.round(np.log2(scales)))
    zero = int(random.integers(1, 255)) if side.weight == "uint8" else 0
    product = input_.scale[0] * scales
    terms = max(1, depth) if side.far else np.sqrt(max(1, depth))
    spread = float(np.median(product)) * np.prod(side.amplitudes(), dtype=float) * terms
    steps = 2.0 ** np.ceil(np.log2(np.iinfo(side.activation).max))
    output = side.parameters(random)
    assert output is not None
    step = float(spread / steps * np.exp(random.uniform(-1, 1)))
    step = 2.0 ** np.round(np.log2(step)) if exact else tied(random, step)
    output = replace(output, scale=np.array([step], np.float32))
    reach = np.broadcast_to(output.scale[0] * steps / product, channels)
    stored = {"int16": random.choice(side.biases)}.get(side.activation, "int32")
    bias = np.clip(random.uniform(-0.5, 0.5, channels) * reach, -(2**30), 2**30).astype(stored)
    return Affine(qparams(scales, zero, axis), bias, qparams(product, 0, 0), output)


def bias_type(random: Random, side: Side, parts: Affine) -> dict[str, str]:
    """Return the option that states a bias's type: int16 kernels ignore the tensor's type. The default is int64."""
    if side.activation != "int16" or (parts.bias.dtype == "int64" and random.random() < 0.3):
        return {}
    return {"quantized_bias_type": parts.bias.dtype.name}


def _padding(random: Random) -> str:
    return str(random.choice(["SAME", "VALID"]))


def _activation(random: Random) -> str:
    return str(random.choice(["NONE", "NONE", "RELU", "RELU6", "RELU_N1_TO_1"]))


def _channels(random: Random) -> int:
    """Draw a number of channels, mostly odd, so that vectors have tails."""
    return int(random.choice([1, 2, 3, 5, 7, 8, 9, 13, 16, 17, 24, 31, 40]))


def conv(random: Random, side: Side, grouped: bool = False) -> Trial:
    """Return a random CONV_2D."""
    kernel = tuple(int(k) for k in random.integers(1, 5, 2))
    dilation = (1, 1) if random.random() < 0.6 else tuple(int(d) for d in random.integers(1, 4, 2))
    stride = tuple(int(s) for s in random.integers(1, 4, 2))
    reach = [(k - 1) * d + 1 for k, d in zip(kernel, dilation, strict=True)]
    height, width = (int(r + random.integers(0, 9)) for r in reach)
    groups = int(random.choice([2, 3, 4])) if grouped else 1
    depth = int(random.choice([1, 2, 3, 4, 8, 17, 33]))
    channels = groups * max(1, _channels(random) // groups)
    shape = (int(random.integers(1, 4)), height, width, depth * groups)
    padding = _padding(random)
    options = {"stride_h": stride[0], "stride_w": stride[1], "dilation_h_factor": dilation[0],
               "dilation_w_factor": dilation[1]}  # fmt: skip
    return _windowed(random, side, "CONV_2D", shape, (channels, *kernel, depth), 0, padding, options)


def depthwise(random: Random, side: Side) -> Trial:
    """Return a random DEPTHWISE_CONV_2D."""
    kernel = (3, 3) if random.random() < 0.4 else tuple(int(k) for k in random.integers(1, 6, 2))
    dilation = (1, 1) if random.random() < 0.7 else tuple(int(d) for d in random.integers(1, 4, 2))
    stride = int(random.integers(1, 4))
    reach = [(k - 1) * d + 1 for k, d in zip(kernel, dilation, strict=True)]
    height, width = (int(r + random.integers(0, 9)) for r in reach)
    multiplier = int(random.choice([1, 1, 2, 3, 8]))
    depth = _channels(random)
    shape = (int(random.integers(1, 4)), height, width, depth)
    options = {"stride_h": stride, "stride_w": stride, "dilation_h_factor": dilation[0],
               "dilation_w_factor": dilation[1], "depth_multiplier": multiplier}  # fmt: skip
    weights = (1, *kernel, depth * multiplier)
    return _windowed(random, side, "DEPTHWISE_CONV_2D", shape, weights, 3, _padding(random), options)


def _windowed(
    random: Random,
    side: Side,
    opcode: str,
    shape: tuple[int, ...],
    weights: tuple[int, ...],
    axis: int,
    padding: str,
    options: dict[str, int],
) -> Trial:
    out = [
        -(-n // s) if padding == "SAME" else (n - (k - 1) * d - 1) // s + 1
        for n, k, s, d in zip(
            shape[1:3],
            weights[1:3],
            (options["stride_h"], options["stride_w"]),
            (options["dilation_h_factor"], options["dilation_w_factor"]),
            strict=True,
        )
    ]
    channels = weights[axis]
    taps = int(np.prod(weights)) // channels
    per_axis = side.activation != "uint8" and bool(random.random() < 0.8)
    made = _Maker(random, side)
    x = made.input(shape)
    stated = axis if per_axis or random.random() < 0.5 else 0
    parts = affine(random, made.side, made.parameters, channels, taps, stated, per_axis)
    operands = [x, *made.weights(weights, parts)]
    y = made.main.tensor("y", (shape[0], *out, channels), side.activation, parts.output)
    activation = _activation(random)
    version = 6 if opcode == "DEPTHWISE_CONV_2D" else 8
    more = {} if opcode == "DEPTHWISE_CONV_2D" else bias_type(random, side, parts)
    made.main.add(
        opcode,
        operands,
        [y],
        version=version,
        padding=padding,
        fused_activation_function=activation,
        **options,
        **more,
    )
    return made.case(f"{opcode} {shape} {weights} {padding} {activation} {options} per axis {per_axis}", y)


class _Maker:
    """Builder of a model with one input."""

    def __init__(self, random: Random, side: Side) -> None:
        self.random = random
        small = bool(random.random() < 0.5)
        far = side.activation == "int16" and not small and bool(random.random() < 0.3)
        self.side = side = replace(side, small=small, far=far)
        self.builder = ModelBuilder()
        self.main = self.builder.subgraph("main")
        self.parameters = side.parameters(random)
        self.given: list[tuple[int, Array]] = []

    def input(self, shape: tuple[int, ...]) -> int:
        index = self.main.tensor(f"x{len(self.given)}", shape, self.side.activation, self.parameters)
        self.given.append((index, self.side.values(self.random, shape, self.parameters)))
        return index

    def weights(self, shape: tuple[int, ...], parts: Affine, bias: bool = True) -> list[int]:
        stored = self.side.weights(self.random, shape, parts.weight)
        made = [self.main.constant("w", stored, parts.weight, self.side.weight)]
        if bias:
            several = parts.weight is not None and parts.weight.scale.size > 1
            unscaled = self.side.activation == "int8" and several and self.random.random() < 0.1
            made.append(self.main.constant("b", parts.bias, None if unscaled else parts.bias_parameters))
        return made

    def case(self, title: str, *outputs: int) -> Trial:
        self.main.inputs(*(index for index, _ in self.given))
        self.main.outputs(*outputs)
        return Trial(title, self.builder.finish(), (tuple(x for _, x in self.given),))


def fully_connected(random: Random, side: Side) -> Trial:
    """Return a random FULLY_CONNECTED."""
    units, depth = _channels(random), int(random.choice([1, 2, 7, 16, 33, 100, 300, 1500]))
    lead = tuple(int(n) for n in random.integers(1, 5, random.integers(1, 4)))
    keep = bool(random.random() < 0.5)
    per_axis = side.activation != "uint8" and bool(random.random() < 0.5)
    made = _Maker(random, side)
    x = made.input((*lead, depth))
    parts = affine(random, made.side, made.parameters, units, depth, 0, per_axis)
    if side.activation == "int8" and side.weight == "int8" and not per_axis and random.random() < 0.3:
        parts = replace(parts, weight=qparams(parts.weight.scale, int(random.integers(-20, 20))))
    with_bias = bool(random.random() < 0.8)
    operands = [x, *made.weights((units, depth), parts, with_bias)]
    shape = (*lead, units) if keep else (int(np.prod(lead)), units)
    y = made.main.tensor("y", shape, side.activation, parts.output)
    activation = _activation(random)
    more = bias_type(random, side, parts)
    made.main.add(
        "FULLY_CONNECTED",
        operands,
        [y],
        version=12,
        keep_num_dims=keep,
        fused_activation_function=activation,
        **more,
    )
    return made.case(
        f"FULLY_CONNECTED {lead} {units}x{depth} {activation} keep {keep} bias {with_bias} per axis {per_axis} {more}",
        y,
    )


def hybrid(random: Random) -> Trial:
    """Return a random FULLY_CONNECTED of float32 activations and int8 weights."""
    rows, units, depth = (
        int(random.integers(1, 6)),
        _channels(random),
        int(random.choice([1, 7, 16, 33, 200])),
    )
    per_axis, shifted = bool(random.random() < 0.5), bool(random.random() < 0.4)
    made = _Maker(random, FLOAT)
    x = made.input((rows, depth))
    scales = random.uniform(0.01, 0.1, units if per_axis else 1)
    stored = random.integers(-127, 128, (units, depth)).astype(np.int8)
    weight = made.main.constant("w", stored, qparams(scales))
    bias = made.main.constant("b", random.normal(size=units).astype(np.float32))
    y = made.main.tensor("y", (rows, units), "float32")
    made.main.add("FULLY_CONNECTED", [x, weight, bias], [y], version=9, asymmetric_quantize_inputs=shifted)
    return made.case(
        f"FULLY_CONNECTED hybrid {rows} {units}x{depth} per axis {per_axis} asymmetric {shifted}", y
    )


def transpose_conv(random: Random, side: Side) -> Trial:
    """Return a random TRANSPOSE_CONV."""
    kernel = tuple(int(k) for k in random.integers(1, 5, 2))
    stride = tuple(int(s) for s in random.integers(1, 4, 2))
    n, height, width = (int(v) for v in random.integers(1, 6, 3))
    depth, channels = int(random.choice([1, 2, 3, 8, 17])), _channels(random)
    padding = _padding(random)
    extra = [int(random.integers(0, s)) for s in stride]
    out = [
        size * s - e if padding == "SAME" else (size - 1) * s + k + (e if k >= s else 0)
        for size, s, k, e in zip((height, width), stride, kernel, extra, strict=True)
    ]
    per_axis = side.activation != "uint8" and bool(random.random() < 0.8)
    made = _Maker(random, side)
    shape = made.main.constant("shape", np.array([n, *out, channels], np.int32))
    x = made.input((n, height, width, depth))
    taps = max(1, kernel[0] * kernel[1] * depth // (stride[0] * stride[1]))
    parts = affine(random, made.side, made.parameters, channels, taps, 0, per_axis)
    with_bias = bool(random.random() < 0.7)
    weight, *bias = made.weights((channels, *kernel, depth), parts, with_bias)
    y = made.main.tensor("y", (n, *out, channels), side.activation, parts.output)
    activation = _activation(random)
    made.main.add(
        "TRANSPOSE_CONV", [shape, weight, x, *bias], [y], version=4, padding=padding, stride_h=stride[0],
        stride_w=stride[1], fused_activation_function=activation, **bias_type(random, side, parts),
    )  # fmt: skip
    title = f"{(n, height, width, depth)} {(channels, *kernel)} to {out} {stride} {padding} {activation} {with_bias}"
    return made.case(f"TRANSPOSE_CONV {title} per axis {per_axis} {parts.bias.dtype}", y)


def batch_matmul(random: Random, side: Side) -> Trial:
    """Return a random BATCH_MATMUL of two computed inputs, or with a constant right input."""
    rows, depth, columns = (int(random.choice([1, 2, 5, 8, 17, 40])) for _ in range(3))
    lead = [int(n) for n in random.integers(1, 4, random.integers(0, 3))]
    left_lead = [n if random.random() < 0.7 else 1 for n in lead]
    right_lead = [n if random.random() < 0.7 else 1 for n in lead][int(random.integers(0, 2)) :]
    adj_x, adj_y = bool(random.random() < 0.5), bool(random.random() < 0.5)
    left = (*left_lead, *((depth, rows) if adj_x else (rows, depth)))
    right = (*right_lead, *((columns, depth) if adj_y else (depth, columns)))
    made = _Maker(random, side)
    x = made.input(left)
    small = replace(
        made.side,
        activation="int8" if side.activation == "int16" and side.weight == "int8" else side.activation,
    )
    parameters = small.parameters(random)
    if parameters is not None and (side.activation == "int16" or random.random() < 0.3):
        parameters = qparams(parameters.scale, 0)
    values = small.values(random, right, parameters)
    constant = bool(random.random() < 0.3)
    if constant:
        w = made.main.constant("w", values, parameters)
    else:
        w = made.main.tensor("w", right, small.activation, parameters)
        made.given.append((w, values))
    output = side.parameters(random)
    if output is not None and parameters is not None and made.parameters is not None:
        far = made.side.amplitudes()[0] * small.amplitudes()[0] / np.iinfo(side.activation).max
        spread = made.parameters.scale[0] * parameters.scale[0] * far * np.sqrt(max(1, depth))
        step = float(spread * np.exp(random.uniform(-1, 1)))
        exact = bool(np.frexp(made.parameters.scale[0] * parameters.scale[0])[0] == 0.5)
        output = replace(
            output, scale=np.array([2.0 ** np.round(np.log2(step)) if exact else step], np.float32)
        )
    shape = (*np.broadcast_shapes(tuple(left_lead), tuple(right_lead)), rows, columns)
    y = made.main.tensor("y", shape, side.activation, output)
    made.main.add("BATCH_MATMUL", [x, w], [y], version=4, adj_x=adj_x, adj_y=adj_y)
    return made.case(f"BATCH_MATMUL {left} {right} adj {adj_x} {adj_y} constant {constant}", y)


INT8, INT4, INT16, UINT8, FLOAT = (
    Side(),
    Side(weight="int4"),
    Side("int16"),
    Side("uint8", "uint8"),
    Side("float32", "float32"),
)
_KINDS: dict[str, Make] = {
    "CONV_2D int8": lambda r: conv(r, INT8),
    "CONV_2D int8 grouped": lambda r: conv(r, INT8, True),
    "CONV_2D int8 x int4": lambda r: conv(r, INT4),
    "CONV_2D int8 x int4 grouped": lambda r: conv(r, INT4, True),
    "CONV_2D int16 grouped": lambda r: conv(r, INT16, True),
    "CONV_2D uint8 grouped": lambda r: conv(r, UINT8, True),
    "CONV_2D float32 grouped": lambda r: conv(r, FLOAT, True),
    "DEPTHWISE_CONV_2D int8": lambda r: depthwise(r, INT8),
    "DEPTHWISE_CONV_2D int8 x int4": lambda r: depthwise(r, INT4),
    "FULLY_CONNECTED int8": lambda r: fully_connected(r, INT8),
    "FULLY_CONNECTED int8 x int4": lambda r: fully_connected(r, INT4),
    "FULLY_CONNECTED int8 x int2": lambda r: fully_connected(r, Side(weight="int2")),
    "TRANSPOSE_CONV int8": lambda r: transpose_conv(r, INT8),
    "BATCH_MATMUL int8": lambda r: batch_matmul(r, INT8),
    "CONV_2D int16": lambda r: conv(r, INT16),
    "DEPTHWISE_CONV_2D int16": lambda r: depthwise(r, Side("int16", biases=("int64",))),
    "FULLY_CONNECTED int16": lambda r: fully_connected(r, INT16),
    "CONV_2D int16 x int4": lambda r: conv(r, Side("int16", "int4")),
    "FULLY_CONNECTED int16 x int4": lambda r: fully_connected(r, Side("int16", "int4")),
    "FULLY_CONNECTED int16 x int2": lambda r: fully_connected(r, Side("int16", "int2")),
    "FULLY_CONNECTED int16 x int16": lambda r: fully_connected(r, Side("int16", "int16")),
    "TRANSPOSE_CONV int16": lambda r: transpose_conv(r, INT16),
    "BATCH_MATMUL int16": lambda r: batch_matmul(r, Side("int16", "int16")),
    "BATCH_MATMUL int16 x int8": lambda r: batch_matmul(r, INT16),
    "CONV_2D uint8": lambda r: conv(r, UINT8),
    "DEPTHWISE_CONV_2D uint8": lambda r: depthwise(r, UINT8),
    "FULLY_CONNECTED uint8": lambda r: fully_connected(r, UINT8),
    "TRANSPOSE_CONV uint8": lambda r: transpose_conv(r, UINT8),
    "CONV_2D float32": lambda r: conv(r, FLOAT),
    "DEPTHWISE_CONV_2D float32": lambda r: depthwise(r, FLOAT),
    "FULLY_CONNECTED float32": lambda r: fully_connected(r, FLOAT),
    "FULLY_CONNECTED float32 x int8": hybrid,
    "TRANSPOSE_CONV float32": lambda r: transpose_conv(r, FLOAT),
    "BATCH_MATMUL float32": lambda r: batch_matmul(r, FLOAT),
}  # fmt: skip


MAKERS: dict[str, Make] = {
    name: varied(make, ("weight", "bias", *(("output_shape",) if name.startswith("TRANSPOSE") else ())))
    for name, make in _KINDS.items()
}


def too_far(ours: Array, theirs: Array) -> Array:
    """Return a mask of floats that differ by more than a different order of sums can explain."""
    return ~np.isclose(ours, theirs, rtol=1e-5, atol=1e-4)


FAMILY = Family(MAKERS, lambda kind, resolver, trial: too_far)
