"""Graphs of several operators, for a delegate's treatment of neighbors, tensors with two readers, and inner outputs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from litecheck.model.build import ModelBuilder, Option, qparams
from litecheck.quantization import INTEGER_RANGES
from tests.differential.one_operator import Trial
from tests.differential.shrink import Make
from tests.differential.sweep import Family

Random = np.random.Generator
POOL = {"filter_width": 2, "filter_height": 2, "stride_w": 1, "stride_h": 1}
STRIDES = {"stride_w": 1, "stride_h": 1, "dilation_w_factor": 1, "dilation_h_factor": 1}
ACTIVATIONS = ("NONE", "NONE", "RELU", "RELU6", "RELU_N1_TO_1")
#: Operators of one input with kernels for any parameters.
ALIKE = ("LEAKY_RELU", "RELU", "RELU6", "RELU_N1_TO_1", "HARD_SWISH", "ABS", "QUANTIZE", "ELU", "PRELU")
#: Operators without an int16 kernel, or with a kernel that requires special scales.
NOT_INT16 = ("RELU_N1_TO_1", "HARD_SWISH", "ELU", "PRELU", "SQUARED_DIFFERENCE")
#: Operators without a uint8 kernel.
NOT_UINT8 = ("RELU_N1_TO_1", "ABS", "ELU", "SQUARED_DIFFERENCE")


@dataclass
class Graph:
    """Random graph: tensors by index with shape, scale and zero point."""

    random: Random
    dtype: str
    builder: ModelBuilder = field(default_factory=ModelBuilder)
    known: list[tuple[int, tuple[int, ...], float, int]] = field(default_factory=list)
    """Quantized tensors that can be read."""
    names: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.main = self.builder.subgraph("main")

    def parameters(self) -> tuple[float, int]:
        """Return a scale and a zero point; half of the scales give many ties."""
        low, high = INTEGER_RANGES[self.dtype]
        tie = self.random.random() < 0.5
        scale = (
            2.0 ** -int(self.random.integers(2, 8)) if tie else float(10 ** self.random.uniform(-2.5, -0.5))
        )
        if self.dtype == "int16":
            return scale / 256, 0
        return scale, int(self.random.integers(low, high + 1))

    def tensor(self, shape: tuple[int, ...], scale: float, zero_point: int) -> int:
        """Add a quantized tensor and return its index."""
        index = self.main.tensor(f"t{len(self.known)}", shape, self.dtype, qparams(scale, zero_point))
        self.known.append((index, shape, scale, zero_point))
        return index

    def pick(self) -> tuple[int, tuple[int, ...], float, int]:
        """Return an existing tensor, mostly the last."""
        at = -1 if self.random.random() < 0.6 else int(self.random.integers(len(self.known)))
        return self.known[at]

    def constant(self, shape: tuple[int, ...]) -> int:
        """Add a constant that broadcasts to a shape, in some cases all 0 or all 1, which a delegate may remove."""
        scale, zero_point = self.parameters()
        values = self.values(tuple(self.random.choice([1, d]) for d in shape), self.dtype)
        kind = self.random.random()
        if kind < 0.2:
            values = np.full_like(values, zero_point)
        elif kind < 0.4:
            high = INTEGER_RANGES[self.dtype][1]
            steps = int(self.random.integers(1, 64))
            scale, zero_point = float(np.float32(1 / steps)), min(zero_point, high - steps)
            values = np.full_like(values, zero_point + steps)
        return self.main.constant("c", values, qparams(scale, zero_point))

    def add(self, opcode: str, inputs: list[int], output: int, version: int = 2, **options: Option) -> None:
        """Add an operator."""
        self.names.append(opcode)
        self.main.add(opcode, inputs, [output], version=version, **options)

    def values(self, shape: tuple[int, ...], dtype: str) -> np.ndarray:
        """Return random stored integers."""
        low, high = INTEGER_RANGES[dtype]
        return self.random.integers(low, high + 1, shape).astype(dtype)


def _alike(g: Graph) -> None:
    without = {"int16": NOT_INT16, "uint8": NOT_UINT8}.get(g.dtype, ())
    opcode = str(g.random.choice([op for op in ALIKE if op not in without]))
    index, shape, _, _ = g.pick()
    output = g.tensor(shape, *g.parameters())
    inputs, options = [index], {"alpha": 0.2} if opcode == "LEAKY_RELU" else {}
    if opcode == "PRELU":
        inputs.append(g.main.constant("a", g.values((1, 1, shape[-1]), g.dtype), qparams(0.01, 3)))
    g.add(opcode, inputs, output, 1 if opcode in ("ELU", "PRELU", "HARD_SWISH") else 2, **options)


def _table(g: Graph) -> None:
    index, shape, _, _ = g.pick()
    opcode = str(g.random.choice(["LOGISTIC", "TANH"]))
    ends = {"int8": ((1 / 256, -128), (1 / 128, 0)), "uint8": ((1 / 256, 0), (1 / 128, 128)),
            "int16": ((1 / 32768, 0), (1 / 32768, 0))}[g.dtype]  # fmt: skip
    g.add(opcode, [index], g.tensor(shape, *ends[opcode == "TANH"]), 3)


def _binary(g: Graph) -> None:
    left = g.pick()
    opcode = str(g.random.choice(["ADD", "SUB", "MUL", "MUL"]))
    if g.random.random() < 0.3:
        right = left[0]
    elif g.random.random() < 0.3:
        right = g.constant(left[1])
    else:
        right = next(t[0] for t in (*g.known[::-1], left) if t[1] == left[1])
    options = {"pot_scale_int16": False} if opcode != "MUL" else {}
    activation = str(g.random.choice(ACTIVATIONS))
    output = g.tensor(left[1], *g.parameters())
    g.add(opcode, [left[0], right], output, 3, fused_activation_function=activation, **options)


def _extremum(g: Graph) -> None:
    """Add MAXIMUM or MINIMUM with a constant. Some kernels treat it as a clamp and fuse it with the operator before it."""
    index, shape, scale, zero = g.pick()
    other = g.main.constant("c", g.values((1,) * len(shape), g.dtype), qparams(scale, zero))
    g.add(str(g.random.choice(["MAXIMUM", "MINIMUM"])), [index, other], g.tensor(shape, scale, zero))


def _moved(g: Graph) -> None:
    index, shape, scale, zero = g.pick()
    opcode = str(g.random.choice(["TRANSPOSE", "PAD", "SLICE", "CONCATENATION", "RESHAPE"]))
    constant = g.main.constant
    if opcode == "TRANSPOSE":
        output = g.tensor((shape[0], shape[2], shape[1], shape[3]), scale, zero)
        return g.add(opcode, [index, constant("p", np.array([0, 2, 1, 3], np.int32))], output)
    if opcode == "PAD":
        edges = constant("e", np.array([[0, 0], [1, 0], [0, 1], [0, 0]], np.int32))
        output = g.tensor((shape[0], shape[1] + 1, shape[2] + 1, shape[3]), scale, zero)
        return g.add(opcode, [index, edges], output)
    if opcode == "SLICE":
        size = (shape[0], max(1, shape[1] - 1), *shape[2:])
        begin, length = (constant(n, np.array(v, np.int32)) for n, v in (("b", (0,) * 4), ("s", size)))
        return g.add(opcode, [index, begin, length], g.tensor(size, scale, zero))
    if opcode == "CONCATENATION":
        return g.add(opcode, [index, index], g.tensor((*shape[:3], 2 * shape[3]), scale, zero), axis=3)
    new = (1, shape[1] * shape[2], 1, shape[0] * shape[3])
    return g.add(opcode, [index, constant("n", np.array(new, np.int32))], g.tensor(new, scale, zero), 1)


def _pooled(g: Graph) -> None:
    index, shape, scale, zero = g.pick()
    opcode = str(g.random.choice(["MAX_POOL_2D", "AVERAGE_POOL_2D"]))
    activation = str(g.random.choice(ACTIVATIONS[:4]))
    output = g.tensor(shape, scale, zero)
    g.add(opcode, [index], output, padding="SAME", fused_activation_function=activation, **POOL)


def _weighted(g: Graph) -> None:
    index, shape, scale, _ = g.pick()
    depthwise, channels = g.random.random() < 0.4, shape[3] if g.random.random() < 0.5 else 3
    channels = shape[3] if depthwise else channels
    kernel = (1, 3, 3, channels) if depthwise else (channels, 1, 1, shape[3])
    kind = "uint8" if g.dtype == "uint8" else "int8"
    values = np.maximum(g.values(kernel, kind), -127) if kind == "int8" else g.values(kernel, kind)
    weight_scale = 0.01
    weight = g.main.constant("w", values, qparams(weight_scale, 128 if kind == "uint8" else 0))
    sums = "int64" if g.dtype == "int16" else "int32"
    biases = g.random.integers(-1000, 1000, channels).astype(sums)
    bias = g.main.constant("bias", biases, qparams(np.float32(scale) * np.float32(weight_scale)))
    output, activation = g.tensor((*shape[:3], channels), *g.parameters()), str(g.random.choice(ACTIVATIONS))
    options = {"depth_multiplier": 1} if depthwise else {}
    opcode = "DEPTHWISE_CONV_2D" if depthwise else "CONV_2D"
    g.add(opcode, [index, weight, bias], output, 3, padding="SAME", fused_activation_function=activation,
          **STRIDES, **options)  # fmt: skip


def _reduced(g: Graph) -> None:
    index, shape, _, _ = g.pick()
    axis = g.main.constant("axis", np.array([1, 2], np.int32))
    g.add("MEAN", [index, axis], g.tensor((shape[0], 1, 1, shape[3]), *g.parameters()), keep_dims=True)


def _float(g: Graph) -> None:
    """Add DEQUANTIZE, a float32 operator or none, and QUANTIZE."""
    index, shape, _, _ = g.pick()
    a, b = (g.main.tensor(f"f{len(g.names)}{n}", shape, "float32") for n in "ab")
    g.add("DEQUANTIZE", [index], a)
    opcode = str(g.random.choice(["ADD", "MUL", "RELU", ""]))
    if opcode:
        g.add(opcode, [a] if opcode == "RELU" else [a, a], b, 1)
    g.add("QUANTIZE", [b if opcode else a], g.tensor(shape, *g.parameters()), 1)


STEPS: tuple[Callable[[Graph], None], ...] = (
    _alike, _table, _binary, _binary, _extremum, _moved, _pooled, _weighted, _reduced, _float,
)  # fmt: skip


def graph(dtype: str) -> Make:
    """Return graphs of two to six operators on one input; the last tensor is an output, in some cases also inner tensors."""

    def drawn(random: Random) -> Trial:
        g = Graph(random, dtype)
        shape = (1, int(random.integers(2, 6)), int(random.integers(2, 6)), int(random.integers(1, 20)))
        start = g.tensor(shape, *g.parameters())
        for _ in range(int(random.integers(2, 7))):
            STEPS[int(random.integers(len(STEPS)))](g)
        read_too = [t[0] for t in g.known[1:-1] if random.random() < 0.2]
        g.main.inputs(start)
        g.main.outputs(g.known[-1][0], *read_too)
        return Trial(
            ", ".join(g.names), g.builder.finish(), tuple((g.values(shape, dtype),) for _ in range(3))
        )

    return drawn


FAMILY = Family({f"chains {dtype}": graph(dtype) for dtype in ("int8", "uint8", "int16")})
