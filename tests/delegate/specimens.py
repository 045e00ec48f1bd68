"""Small models whose parameters expose each planted fault: models of a single operator, and a network of seven operators."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from litecheck.model.build import ModelBuilder, SubgraphBuilder, qparams
from litecheck.model.types import Model
from litecheck.quantization import Quantization

SAME, VALID = 0, 1


def _layer(
    graph: SubgraphBuilder, shape: tuple[int, ...], axis: int, scales: tuple[float, float], most: int
) -> list[int]:
    """Return constant weights and biases along ``axis``; ``scales`` are those of the input and the output.

    Even channels have weights of all sizes, biases up to ``most`` and different scales. Odd channels have small weights
    and a multiplier of 1/16, so that many of their accumulators are ties.
    """
    random = np.random.default_rng(shape)
    count = shape[axis]
    odd = np.arange(count) % 2 == 1
    along = tuple(-1 if at == axis else 1 for at in range(len(shape)))
    weights = random.integers(-127, 128, shape) // np.where(odd, 32, 1).reshape(along)
    biases = random.integers(-most, most + 1, count) // np.where(odd, most // 500, 1)
    stated = np.where(odd, scales[1] / scales[0] / 16, np.linspace(0.002, 0.006, count)).astype(np.float32)
    w = graph.constant("weights", weights.astype(np.int8), qparams(stated, 0, axis))
    bias = biases.astype(np.int32)
    return [w, graph.constant("bias", bias, qparams(np.float32(scales[0]) * stated, 0, 0))]


def conv(graph: SubgraphBuilder, x: int, y: int) -> None:
    """Add a 3x3 convolution of 6 channels to 8. SAME with stride 2 pads an even height and width unevenly."""
    operands = _layer(graph, (8, 3, 3, 6), 0, (1 / 16, 1 / 64), 20_000)
    options = {"padding": SAME, "stride_w": 2, "stride_h": 2, "dilation_w_factor": 1, "dilation_h_factor": 1}
    graph.add("CONV_2D", [x, *operands], [y], version=3, fused_activation_function="RELU_N1_TO_1", **options)


def depthwise(graph: SubgraphBuilder, x: int, y: int) -> None:
    """Add a dilated 3x3 depthwise convolution with two filters for each of 6 channels, VALID."""
    operands = _layer(graph, (1, 3, 3, 12), 3, (1 / 16, 1 / 16), 20_000)
    options = {"padding": VALID, "stride_w": 1, "stride_h": 1, "dilation_w_factor": 2, "dilation_h_factor": 2}
    graph.add("DEPTHWISE_CONV_2D", [x, *operands], [y], version=3, depth_multiplier=2, **options)


def dense(graph: SubgraphBuilder, x: int, y: int) -> None:
    """Add a layer of 48 inputs and 10 units. Some biases exceed 24 bits."""
    graph.add("FULLY_CONNECTED", [x, *_layer(graph, (10, 48), 0, (1 / 16, 16.0), 1 << 24)], [y], version=4)


Put = Callable[[SubgraphBuilder, int, int], None]


def _plain(opcode: str, version: int = 2, **options: Any) -> Put:
    return lambda graph, x, y: graph.add(opcode, [x], [y], version=version, **options)


def _pair(opcode: str, scale: float, activation: str) -> Put:
    """Return a function that adds an operator of two inputs with the same shape and different parameters."""

    def put(graph: SubgraphBuilder, x: int, y: int) -> None:
        other = graph.tensor("other", (1, 4096), "int8", qparams(scale, -7))
        graph.add(opcode, [x, other], [y], version=2, fused_activation_function=activation)
        graph.inputs(x, other)

    return put


def _mean(graph: SubgraphBuilder, x: int, y: int) -> None:
    axes = graph.constant("axes", np.array([1, 2], np.int32))
    graph.add("MEAN", [x, axes], [y], version=2, keep_dims=True)


def _svdf(graph: SubgraphBuilder, x: int, y: int) -> None:
    """Add three units of two filters over 12 inputs and 5 steps, for a batch of 3."""
    random = np.random.default_rng(27)
    feature = random.integers(-127, 128, (6, 12)).astype(np.int8)
    time = random.integers(-9000, 9000, (6, 5)).astype(np.int16)
    bias = random.integers(-(10**7), 10**7, 3).astype(np.int32)
    operands = [
        graph.constant("feature", feature, qparams(0.01)),
        graph.constant("time", time, qparams(2.0**-13)),
        graph.constant("bias", bias, qparams(2.0**-24)),
        graph.tensor("state", (3, 30), "int16", qparams(2.0**-11), is_variable=True),
    ]
    graph.add("SVDF", [x, *operands], [y], version=3, rank=2, fused_activation_function="RELU")


_POOL = {"padding": SAME, "stride_w": 2, "stride_h": 2, "filter_width": 3, "filter_height": 3}
_IMAGE, _WIDE = (1, 18, 18, 6), (1, 4096)
_OWN = qparams(0.05, -20)
#: Opcode -> function that adds the operator, then shape and parameters of the input, then of the output. With most
#: scales, the two roundings of ADD give the same value as a single rounding; the scales here do not.
SPECIMENS: dict[str, tuple[Put, tuple[int, ...], Quantization, tuple[int, ...], Quantization]] = {
    "CONV_2D": (conv, _IMAGE, qparams(1 / 16, 11), (1, 9, 9, 8), qparams(1 / 64, -10)),
    "DEPTHWISE_CONV_2D": (depthwise, _IMAGE, qparams(1 / 16, 11), (1, 14, 14, 12), qparams(1 / 16, -10)),
    "FULLY_CONNECTED": (dense, (40, 48), qparams(1 / 16, 11), (40, 10), qparams(16.0, 3)),
    "ADD": (_pair("ADD", 0.3, "RELU6"), _WIDE, qparams(0.1, 3), _WIDE, qparams(0.2, 5)),
    "MUL": (_pair("MUL", 1 / 4, "RELU_N1_TO_1"), _WIDE, qparams(1 / 16, 3), _WIDE, qparams(1 / 8, 5)),
    "AVERAGE_POOL_2D": (
        _plain("AVERAGE_POOL_2D", fused_activation_function="RELU", **_POOL), _IMAGE, _OWN, (1, 9, 9, 6), _OWN
    ),
    "MEAN": (_mean, (1, 5, 4, 64), qparams(0.05, 11), (1, 1, 1, 64), qparams(0.01, -4)),
    "QUANTIZE": (_plain("QUANTIZE"), (1, 256), qparams(3 / 32, 3), (1, 256), qparams(1 / 4, -100)),
    "LEAKY_RELU": (
        _plain("LEAKY_RELU", alpha=0.3), (1, 256), qparams(0.1, 3), (1, 256), qparams(0.08, -60)
    ),
    "SVDF": (_svdf, (3, 12), qparams(0.02, 5), (3, 3), qparams(0.1, -20)),
    "LOGISTIC": (_plain("LOGISTIC"), (1, 256), qparams(0.05, 3), (1, 256), qparams(1 / 256, -128)),
}  # fmt: skip


def specimen(opcode: str) -> Model:
    """Return a model of a single operator."""
    put, shape, parameters, out_shape, out_parameters = SPECIMENS[opcode]
    builder = ModelBuilder(opcode)
    graph = builder.subgraph("main")
    x = graph.tensor("x", shape, "int8", parameters)
    y = graph.tensor("y", out_shape, "int8", out_parameters)
    graph.inputs(x)
    put(graph, x, y)
    graph.outputs(y)
    return builder.finish()


def network() -> Model:
    """Return a network: two CONV_2D, ADD, AVERAGE_POOL_2D, RESHAPE, FULLY_CONNECTED; 1x18x18x6 to 1x10."""
    builder = ModelBuilder("network")
    graph = builder.subgraph("main")
    x = graph.tensor("x", _IMAGE, "int8", qparams(1 / 16, 11))
    first, second = (graph.tensor(name, (1, 9, 9, 8), "int8", qparams(1 / 64, -10)) for name in ("a", "b"))
    conv(graph, x, first)
    conv(graph, x, second)
    total = graph.tensor("total", (1, 9, 9, 8), "int8", _OWN)
    graph.add("ADD", [first, second], [total], version=2)
    pooled = graph.tensor("pooled", (1, 5, 5, 8), "int8", _OWN)
    graph.add("AVERAGE_POOL_2D", [total], [pooled], version=2, **_POOL)
    flat = graph.tensor("flat", (1, 200), "int8", _OWN)
    graph.add("RESHAPE", [pooled, graph.constant("shape", np.array([1, 200], np.int32))], [flat])
    y = graph.tensor("y", (1, 10), "int8", qparams(0.25, 3))
    operands = _layer(graph, (10, 200), 0, (0.05, 0.25), 20_000)
    graph.add("FULLY_CONNECTED", [flat, *operands], [y], version=4)
    graph.inputs(x)
    graph.outputs(y)
    return builder.finish()


def inputs_of(model: Model, seed: int = 0) -> tuple[np.ndarray, ...]:
    """Return random bytes for every input, or all 256 values in order for a single input of 256 elements."""
    random = np.random.default_rng(seed)
    tensors = [model.subgraphs[0].tensors[i] for i in model.subgraphs[0].inputs]
    if [int(np.prod(t.shape)) for t in tensors] == [256]:
        return (np.arange(-128, 128).astype(np.int8).reshape(tensors[0].shape),)
    return tuple(random.integers(-128, 128, t.shape).astype(np.int8).view(t.dtype) for t in tensors)
