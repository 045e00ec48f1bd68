"""Pairs of models for known faults: one model inside the condition of a fault, one slightly outside."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from litecheck.arrays import Array
from litecheck.cases.one_operator import constant, one_operator, run_time
from litecheck.model.build import ModelBuilder, Option, qparams
from litecheck.model.types import Model
from litecheck.profile.known_faults import KnownFault, known_faults
from litecheck.profile.operator_plan import TensorPlan
from litecheck.quantization import Blockwise, Quantization

Values = Sequence[Array]


@dataclass(frozen=True)
class FaultPair:
    """Models inside and outside the condition of the fault whose text contains ``does``.

    ``inputs`` are the same for both; None draws them. ``shows`` is False for a fault that depends on memory or varies
    from run to run, so that a run need not show it. ``arithmetic`` replaces the resolver's arithmetic.
    """

    does: str
    operator: str
    resolver: str
    bad: Model
    good: Model
    inputs: Values | None = None
    good_inputs: Values | None = None
    shows: bool = True
    arithmetic: str = ""

    def fault(self) -> KnownFault:
        """Return the fault of the file. Exactly one fault has the text, the operator and the resolver."""
        (found,) = (
            f
            for f in known_faults()
            if self.does in f.description and self.operator in f.operators and self.resolver in f.resolvers
        )
        return found


def x(shape: Any, dtype: str = "int8", scale: Any = 0, zero: int = 0, axis: int = 0) -> TensorPlan:
    """Return a computed tensor, without quantization if ``scale`` is 0."""
    shape = (shape,) if isinstance(shape, int) else shape
    return run_time("x", shape, dtype, qparams(scale, zero, axis) if np.any(scale) else None)


def c(values: Any, dtype: str = "int8", scale: Any = 0, zero: int = 0, axis: int = 0) -> TensorPlan:
    """Return a constant."""
    stored = np.asarray(values, "int8" if dtype == "int4" else dtype)
    return constant("c", stored, qparams(scale, zero, axis) if np.any(scale) else None, dtype)


def build(opcode: str, *tensors: TensorPlan | None, version: int = 2, **options: Option) -> Model:
    """Return a model of a single operator. Its last tensor is the output."""
    *inputs, output = tensors
    assert output is not None
    return one_operator(opcode, inputs, [output], options, version=version)


def unary(opcode: str, dtype: str, given: float, output: float) -> Model:
    return build(opcode, x(8, dtype, given), x(8, dtype, output), version=1 if opcode == "HARD_SWISH" else 2)


def binary(
    opcode: str, dtype: str, scales: Sequence[float], shapes: Any = ((4,), (4,)), **options: Option
) -> Model:
    lhs, rhs = (x(shape, dtype, s) for shape, s in zip(shapes, scales, strict=False))
    shape = np.broadcast_shapes(lhs.shape, rhs.shape)
    return build(opcode, lhs, rhs, x(shape, dtype if len(scales) > 2 else "bool", scales[2] if len(scales) > 2 else 0),
               **options)  # fmt: skip


def reduced(opcode: str, dtype: str, size: int, scale: float = 0.1) -> Model:
    return build(opcode, x((2, size, 3), dtype, scale), c([1], "int32"), x((2, 3), dtype, scale))


def pooled(side: int) -> Model:
    return build(
        "AVERAGE_POOL_2D", x((1, 9, 3, 2), "float32"), x((1, 5, 1, 2), "float32"), version=1, padding="SAME",
        stride_h=2, stride_w=3, filter_height=side, filter_width=3,
    )  # fmt: skip


CONV: dict[str, Option] = {
    "padding": "VALID",
    "stride_w": 1,
    "stride_h": 1,
    "dilation_w_factor": 1,
    "dilation_h_factor": 1,
}


def filters(opcode: str, channels: int = 4) -> Array:
    shape = (1, 3, 3, channels) if opcode == "DEPTHWISE_CONV_2D" else (channels, 3, 3, channels)
    return np.random.default_rng(3).integers(-7, 8, shape).astype(np.int8)


def steep(opcode: str, output: float) -> Model:
    """Return a layer of int16 inputs with sums far beyond int32 in output steps."""
    rng = np.random.default_rng(11)
    if opcode == "BATCH_MATMUL":
        return product(x((8, 16), "int16", 1.0), x((16, 8), "int16", 1.0), x((8, 8), "int16", output))
    flat = opcode == "FULLY_CONNECTED"
    shape, given, out = [(8, 16)] * 2 + [(8, 8)] if flat else [(8, 1, 1, 16), (1, 8, 1, 16), (1, 8, 1, 8)]
    w, b = c(rng.integers(-127, 128, shape), "int8", 0.05), c(np.zeros(8), "int64", 0.0005)
    more = CONV if opcode == "CONV_2D" else {}
    return build(opcode, x(given, "int16", 0.01), w, b, x(out, "int16", output), version=7, **more)


def convolved(opcode: str, dtype: str, bias: str, weights: str = "int8", **options: Option) -> Model:
    """Return a convolution of 4 channels; without a bias if ``bias`` is empty."""
    step = 0.01 / 256 if dtype == "int16" else 0.01
    axis = 3 if opcode == "DEPTHWISE_CONV_2D" else 0
    more: dict[str, Option] = {"depth_multiplier": 1} if axis else {}
    w = c(filters(opcode), weights, [0.02] * 4, 0, axis)
    b = c(range(100, 104), bias, [0.02 * step] * 4) if bias else None
    return build(
        opcode, x((1, 4, 4, 4), dtype, step), w, b, x((1, 2, 2, 4), dtype, 4 * step), version=5, **CONV, **more, **options
    )  # fmt: skip


def transposed(bias: str) -> Model:
    w = c(filters("CONV_2D"), "int8", [0.02] * 4)
    b = c(range(100, 104), bias, [0.02 * 0.001] * 4)
    return build(
        "TRANSPOSE_CONV", c([1, 6, 6, 4], "int32"), w, x((1, 4, 4, 4), "int16", 0.001), b, x((1, 6, 6, 4), "int16", 0.004),
        version=4, padding="VALID", stride_w=1, stride_h=1,
    )  # fmt: skip


def layer(bias: str, **options: Option) -> Model:
    w, b = c(np.arange(-6, 6).reshape(3, 4), "int8", 0.5), c([900, 500, -700], bias, 0.0005)
    return build(
        "FULLY_CONNECTED", x((2, 4), "int16", 0.001), w, b, x((2, 3), "int16", 0.004), version=11, **options
    )


def wide_weights(bias_type: str) -> Model:
    """Return a layer of int16 inputs and weights with an int64 bias."""
    w, b = c(np.arange(-6, 6).reshape(3, 4), "int16", 0.5), c([900, 500, -700], "int64", 0.0005)
    return build(
        "FULLY_CONNECTED", x((2, 4), "int16", 0.001), w, b, x((2, 3), "int16", 0.004), version=11,
        quantized_bias_type=bias_type,
    )  # fmt: skip


def hybrid(opcode: str, weights: TensorPlan, bias: TensorPlan | None = None, **options: Option) -> Model:
    """Return a layer with float activations."""
    rows = weights.shape[0]
    if opcode == "FULLY_CONNECTED":
        ends = (2, weights.shape[-1]), (2, rows)
        return build(
            opcode, x(ends[0], "float32"), weights, bias, x(ends[1], "float32"), version=10, **options
        )
    depth = opcode == "DEPTHWISE_CONV_2D"
    channels = weights.shape[-1] if depth else rows
    more: dict[str, Option] = {"depth_multiplier": 1} if depth else {}
    b = bias or c(np.zeros(channels), "float32")
    return build(
        opcode, x((1, 4, 4, weights.shape[-1]), "float32"), weights, b, x((1, 3, 3, channels), "float32"), version=6,
        **CONV, **more, **options,
    )  # fmt: skip


def ramp(*shape: int, lowest: int = -127) -> Array:
    values = np.random.default_rng(5).integers(-127, 128, shape)
    values.flat[:1] = lowest
    return values


def product(lhs: TensorPlan, rhs: TensorPlan, output: TensorPlan, **options: Option) -> Model:
    return build("BATCH_MATMUL", lhs, rhs, output, version=4, **options)


def empty_product(lhs: Sequence[int], rhs: Sequence[int], dtype: str = "float32", **options: Option) -> Model:
    """Return the product of a float32 matrix and a constant of a type."""
    output = (*np.broadcast_shapes(tuple(lhs[:-2]), tuple(rhs[:-2])), lhs[-2], rhs[-1])
    right = c(np.ones(rhs), dtype, 0.1 if dtype == "int8" else 0)
    return product(x(tuple(lhs), "float32"), right, x(output, "float32"), **options)


def everything(dtype: str, size: int = 8) -> Array:
    info = np.iinfo(dtype)
    return np.linspace(info.min, info.max, size).astype(dtype)


def _elementwise() -> Iterator[FaultPair]:
    for dtype, text in (("int8", "keeps the int8 zero points"), ("int16", "first half")):
        yield FaultPair(text, "SUM", "reference", reduced("SUM", dtype, 4), reduced("SUM", "uint8", 4))
    yield FaultPair(
        "empty input", "SUM", "optimized", reduced("SUM", "int8", 0), reduced("SUM", "int8", 4), shows=False
    )
    yield FaultPair(
        "XNNPACK declines",
        "SUM",
        "xnnpack",
        reduced("SUM", "uint8", 0),
        reduced("SUM", "int8", 0),
        shows=False,
    )
    flat, deep = (4, 4, 1), (2, 2, 4)
    for opcode, given, made in (("SPACE_TO_DEPTH", flat, deep), ("DEPTH_TO_SPACE", deep, flat)):
        yield FaultPair("shape read from", opcode, "xnnpack", *(
            build(opcode, x((n, *given), "int8", 0.1), x((n, *made), "int8", 0.1), block_size=2) for n in (0, 1)
        ))  # fmt: skip
    for resolver in ("reference", "optimized"):
        pair = (reduced("REDUCE_PROD", "int8", size, 1.0) for size in (0, 2))
        yield FaultPair("empty input", "REDUCE_PROD", resolver, *pair, shows=False)
    for opcode in ("REDUCE_MAX", "REDUCE_MIN"):
        pair = (reduced(opcode, "float32", size, 0) for size in (0, 4))
        yield FaultPair("infinity", opcode, "xnnpack", *pair)
    yield FaultPair("SAME window", "AVERAGE_POOL_2D", "xnnpack", pooled(11), pooled(9))
    powers = (2**-4, 2**-5, 2**-4)
    added = (
        binary("ADD", "int16", powers, shapes, pot_scale_int16=True)
        for shapes in (((4, 1), (4,)), ((4,), (4,)))
    )
    yield FaultPair("broadcast", "ADD", "optimized", *added)
    for opcode, steps in (("ADD", (2**-19.1, 2**-18.9)), ("SQUARED_DIFFERENCE", (1 / 4097, 1 / 4095))):
        pair = (binary(opcode, "int8", (1, 0.5, step)) for step in steps)
        yield FaultPair("output multiplier is 1 or more", opcode, "reference", *pair)
    yield FaultPair(
        "negative number", "SUB", "reference", *(binary("SUB", "int8", (1, 0.5, 2.0**-n)) for n in (22, 18))
    )
    yield FaultPair(
        "product of the scales",
        "MUL",
        "reference",
        *(binary("MUL", "int8", (1, 1, 2.0**-n)) for n in (34, 20)),
    )
    for opcode in ("LESS", "EQUAL"):
        for resolver, text in (("reference", "exactly 1"), ("tflm", "1 or more")):
            pair = (binary(opcode, "int8", (scale, 0.25)) for scale in (1.5, 0.99))
            yield FaultPair(text, opcode, resolver, *pair, shows=opcode == "LESS")
    yield FaultPair(
        "writes nothing",
        "NOT_EQUAL",
        "optimized",
        *(binary("NOT_EQUAL", "int16", (s, s)) for s in (0, 0.5)),
        [np.arange(4, dtype=np.int16)] * 2,
    )
    single = (
        build("ADD", x(3, scale=0.1, zero=3), c(np.full((1,) * rank, 5), scale=0.1, zero=3),
            x((1,) * max(rank - 1, 0) + (3,), scale=0.1, zero=3), fused_activation_function="RELU")
        for rank in (2, 1)
    )  # fmt: skip
    yield FaultPair("outputs the shape", "ADD", "xnnpack", *single)
    swish = [unary("HARD_SWISH", "int8", given, output) for given, output in ((0.0001, 0.5), (0.01, 0.5))]
    yield FaultPair("plus or minus 1", "HARD_SWISH", "reference", *swish)
    swish = [unary("HARD_SWISH", "int8", given, 0.01) for given in (1.29, 1.27)]
    yield FaultPair("128 times", "HARD_SWISH", "reference", *swish)
    for opcode in ("TANH", "LOGISTIC"):
        pair = (unary(opcode, "int16", scale, 2**-15) for scale in (100.0, 5.0))
        yield FaultPair(
            "above 5.33", opcode, "reference", *pair, [everything("int16")], shows=opcode == "TANH"
        )
    yield FaultPair(
        "activation bound", "RELU6", "reference", *(unary("RELU6", "int16", s, s) for s in (1.6e-13, 1e-8))
    )
    yield FaultPair(
        "2^31 times", "RELU6", "reference", *(unary("RELU6", "int16", 443.28, 2.0**-n) for n in (23, 15)),
        [everything("int16")],
    )  # fmt: skip
    yield FaultPair("e^x is infinite", "EXP", "reference", *(unary("EXP", "int16", s, 1.0) for s in (1 / 256, 1 / 400)),
                    [everything("int16")])  # fmt: skip
    yield FaultPair(
        "2^31 output steps", "GELU", "reference", *(unary("GELU", "uint8", 100, s) for s in (1e-7, 1e-3))
    )
    yield FaultPair(
        "does not list", "ELU", "reference", unary("ELU", "int8", 0.1, 0.1), unary("RELU", "int8", 0.1, 0.1)
    )


def _empty() -> Iterator[FaultPair]:
    for opcode in ("RESIZE_NEAREST_NEIGHBOR", "RESIZE_BILINEAR"):
        pair = (resized(opcode, width, 4) for width in (0, 1))
        yield FaultPair("an image without height", opcode, "reference", *pair)
        pair = (resized(opcode, width, 4, channels) for width, channels in ((0, 3), (2, 0)))
        yield FaultPair("an image without height", opcode, "xnnpack", *pair)
    pair = (resized("RESIZE_NEAREST_NEIGHBOR", 2, width) for width in (0, 1))
    yield FaultPair("height or width of 0", "RESIZE_NEAREST_NEIGHBOR", "optimized", *pair)
    for bad, good in (((3, 0), (0, 3)), ((2, 3, 0), (2, 3, 1))):
        pair = (build("REVERSE_V2", x(shape), c([0], "int32"), x(shape)) for shape in (bad, good))
        yield FaultPair("along a reversed axis", "REVERSE_V2", "reference", *pair)
    pair = (build("REVERSE_V2", x((3, 0)), c([axis], "int32"), x((3, 0))) for axis in (-2, -1))
    yield FaultPair("along a reversed axis", "REVERSE_V2", "xnnpack", *pair)
    for bad, good in (((1, 2), (1, 1)), ((2, 1), (1, 1))):
        pair = (build("DILATE", x((0, 3)), c(steps, "int32"), c(0), x((0, 2 * steps[1] + 1)), version=1)
                for steps in (bad, good))  # fmt: skip
        yield FaultPair("after a dimension of length 0", "DILATE", "reference", *pair)
    pair = (build("DILATE", x((3, 0, 1)), c(steps, "int32"), c(0), x((5, 0, 1)), version=1)
            for steps in ((2, 1, 3), (2, 1, 1)))  # fmt: skip
    yield FaultPair("after a dimension of length 0", "DILATE", "optimized", *pair)

    rows = (build("SOFTMAX", x(shape, scale=0.1), x(shape, "int16", 1 / 65536, -32768), version=3, beta=1.0)
            for shape in ((3, 0), (0, 3)))  # fmt: skip
    yield FaultPair("if the output is int16", "SOFTMAX", "reference", *rows)
    for opcode in ("SOFTMAX", "LOG_SOFTMAX"):
        more: dict[str, Option] = {"beta": 1.0} if opcode == "SOFTMAX" else {}
        rows = (
            build(opcode, x(shape, "float32"), x(shape, "float32"), version=1, **more)
            for shape in ((3, 0), (0, 3))
        )
        yield FaultPair("or fails to load with XNNPACK", opcode, "xnnpack", *rows)


def _refused() -> Iterator[FaultPair]:
    pair = (build("DILATE", x(shape), c(steps, "int32"), c(0), x(shape), version=1)
            for shape, steps in (((), []), ((1,), [2])))  # fmt: skip
    yield FaultPair("for a scalar", "DILATE", "reference", *pair)
    pair = (
        build("GATHER_ND", x((3, 0)), c(np.zeros((count, 1)), "int32"), x((count, 0))) for count in (4, 0)
    )
    yield FaultPair("into an empty input", "GATHER_ND", "reference", *pair)
    pair = (build("GATHER_ND", x(shape), c(np.zeros((0, 2)), "int32"), x((0,))) for shape in ((0, 5), (4, 5)))
    yield FaultPair("fails to load if the input", "GATHER_ND", "tflm", *pair)
    for weights in ("int8", "int4"):
        pair = (hybrid("CONV_2D", c(ramp(n, 2, 2, 4) // 20, weights, 0.1)) for n in (0, 1))
        yield FaultPair("no filters of integer", "CONV_2D", "reference", *pair)


def resized(opcode: str, given: int, width: int, channels: int = 3) -> Model:
    """Return a resize of an image of 2 x ``given`` to 2 x ``width`` pixels."""
    given_shape, shape = (1, 2, given, channels), (1, 2, width, channels)
    return build(opcode, x(given_shape, scale=0.1), c([2, width], "int32"), x(shape, scale=0.1), version=3)


def _layers() -> Iterator[FaultPair]:
    for opcode in ("CONV_2D",):
        pair = (convolved(opcode, "int16", bias, quantized_bias_type=option)
                for bias, option in (("int32", "FLOAT32"), ("int32", "INT32")))  # fmt: skip
        yield FaultPair("two channels at a time", opcode, "reference", *pair)
        pair = (convolved(opcode, "int16", bias) for bias in ("int32", "int64"))
        yield FaultPair("two channels at a time", opcode, "xnnpack", *pair)
    pair = (layer("int32", quantized_bias_type=option) for option in ("FLOAT32", "INT32"))
    yield FaultPair("bias as int64", "FULLY_CONNECTED", "reference", *pair)
    pair = (wide_weights(option) for option in ("FLOAT32", "INT64"))
    yield FaultPair("if weights are int16", "FULLY_CONNECTED", "reference", *pair)
    pair = (
        build("FULLY_CONNECTED", x((2, n), "int8", 0.1), c(np.ones((3, n)), "int8", 0.1), c([9, 5, -7], "int32", 0.01),
            x((2, 3), "int8", 0.01, 3)) for n in (0, 1)
    )  # fmt: skip
    yield FaultPair("a depth of 0", "FULLY_CONNECTED", "reference", *pair)
    yield FaultPair(
        "rescaled sums", "FULLY_CONNECTED", "reference", *(steep("FULLY_CONNECTED", s) for s in (5e-7, 5e-5))
    )
    yield FaultPair("crashes if the bias is absent", "DEPTHWISE_CONV_2D", "optimized",
                    convolved("DEPTHWISE_CONV_2D", "int8", ""), convolved("DEPTHWISE_CONV_2D", "int8", "int32"))  # fmt: skip
    yield FaultPair("int4 weights of an int16", "DEPTHWISE_CONV_2D", "optimized",
                    convolved("DEPTHWISE_CONV_2D", "int16", "int64", "int4"),
                    convolved("DEPTHWISE_CONV_2D", "int16", "int64"))  # fmt: skip
    yield FaultPair("two channels at a time", "DEPTHWISE_CONV_2D", "tflm",
                    *(convolved("DEPTHWISE_CONV_2D", "int16", bias) for bias in ("int32", "int64")))  # fmt: skip
    yield FaultPair("listed as absent", "DEPTHWISE_CONV_2D", "tflm",
                    *(convolved("DEPTHWISE_CONV_2D", "int8", bias) for bias in ("", "int32")))  # fmt: skip
    yield FaultPair(
        "two channels at a time", "TRANSPOSE_CONV", "tflm", transposed("int32"), transposed("int64")
    )
    rows = (hybrid("FULLY_CONNECTED", c(np.full((4, 32), low), "int4", 0.1)) for low in (-8, -7))
    yield FaultPair("int4 weights of -8 wrongly if", "FULLY_CONNECTED", "optimized", *rows)
    for opcode, bad, good in (
        ("FULLY_CONNECTED", (8, 16), (8, 15)),
        ("CONV_2D", (3, 2, 2, 16), (4, 2, 2, 16)),
    ):
        pair = (hybrid(opcode, c(np.full(shape, -128), "int8", 0.1)) for shape in (bad, good))
        yield FaultPair("weights of -128 and", opcode, "optimized", *pair)
        biases = x(bad[0], "float32"), c(np.zeros(bad[0]), "float32")
        pair = (hybrid(opcode, c(np.full(bad, -128), "int8", 0.1), bias) for bias in biases)
        yield FaultPair("kernel, which computes products", opcode, "xnnpack", *pair)
        pair = (hybrid(opcode, c(np.full(bad, -128), "int8", 0.1), fused_activation_function=activation)
                for activation in ("SIGN_BIT", "NONE"))  # fmt: skip
        yield FaultPair("kernel, which computes products", opcode, "xnnpack", *pair)
        pair = (hybrid(opcode, x(shape, "int8", 0.1)) for shape in (bad, good))
        given = ([-ramp(*((2,) if opcode == "FULLY_CONNECTED" else (1, 4, 4)), shape[-1]).astype(np.float32),
                  np.full(shape, -128, np.int8)] for shape in (bad, good))  # fmt: skip
        yield FaultPair("computed at run time and negative", opcode, "reference", *pair, *given)
    pair = (hybrid("FULLY_CONNECTED", c(np.full((4, 32), -8), "int4", 0.1), bias)
            for bias in (x(4, "float32"), c(np.zeros(4), "float32")))  # fmt: skip
    yield FaultPair("weights of -8 wrongly in", "FULLY_CONNECTED", "xnnpack", *pair)
    scales = ((0.01, 0.0), ([0.01] * 8, 3))
    pair = (hybrid("DEPTHWISE_CONV_2D", c(ramp(1, 2, 2, 8), "int8", s, 0, int(axis))) for s, axis in scales)
    yield FaultPair("beyond the end", "DEPTHWISE_CONV_2D", "reference", *pair)
    matrices = [
        product(
            x((*outer, 3, 4), "float32"), c(ramp(*outer, 4, 5), "int8", 0.1), x((*outer, 3, 5), "float32")
        )
        for outer in ((2, 3), (1, 3))
    ]
    yield FaultPair("different matrices", "BATCH_MATMUL", "optimized", *matrices)
    matrices = [
        product(x((3, 4), "float32"), right, x((3, 5), "float32"))
        for right in (x((4, 5), "int8", 0.1), c(ramp(4, 5), "int8", 0.1))
    ]
    yield FaultPair("not constant", "BATCH_MATMUL", "xnnpack", *matrices)
    matrices = [
        empty_product((2, 0), (0, 4), "int8", asymmetric_quantize_inputs=options) for options in (False, True)
    ]
    yield FaultPair("depth of 0 are quantized", "BATCH_MATMUL", "reference", *matrices)
    yield FaultPair(
        "depth of 0 are quantized",
        "BATCH_MATMUL",
        "optimized",
        matrices[0],
        empty_product((0, 0), (0, 4), "int8"),
    )
    for rows in ((0, 2, 3), (1, 2, 3)):
        pair = empty_product(rows, (0, 3, 4), "int8"), empty_product((1, 2, 3), (1, 3, 4), "int8")
        yield FaultPair("batch of 0", "BATCH_MATMUL", "xnnpack", *pair)
    for lhs, rhs in (((0, 1, 2, 3), (0, 0, 3, 4)), ((0, 0, 2, 3), (0, 1, 3, 4))):
        pair = empty_product(lhs, rhs), empty_product((0, 0, 2, 3), (0, 0, 3, 4))
        yield FaultPair("1 instead of 0", "BATCH_MATMUL", "xnnpack", *pair)
    matrices = [
        product(x((3, 4), "int8", 0.1), c(ramp(4, 5), "int8", scale, 0, 1), x((3, 5), "int8", 1.0))
        for scale in ([0.1] * 5, 0.1)
    ]
    yield FaultPair("per-column", "BATCH_MATMUL", "reference", *matrices)


def row(opcode: str, size: int, dtype: str = "int8", output: str = "") -> Model:
    """Return SOFTMAX or LOG_SOFTMAX of a row with inputs of scale 0.01."""
    made = output or dtype
    given, limits = x((1, size), dtype, 0.01), np.iinfo(made)
    if opcode == "LOG_SOFTMAX":
        return build(opcode, given, x((1, size), made, 1 / 16, limits.max))
    levels, zero = (32768, 0) if dtype == "int16" else (limits.max - limits.min + 1, limits.min)
    return build(opcode, given, x((1, size), made, 1 / levels, zero), version=3, beta=1.0)


def _rows() -> Iterator[FaultPair]:
    def pair(does: str, opcode: str, resolver: str, bad: Model, good: Model) -> FaultPair:
        zeros = (
            [np.zeros(t.shape, t.dtype)] for t in (model.subgraphs[0].tensors[0] for model in (bad, good))
        )
        return FaultPair(does, opcode, resolver, bad, good, *zeros)

    for resolver in ("reference", "tflm"):
        bad = row("SOFTMAX", 512)
        yield pair("add up to 512", "SOFTMAX", resolver, bad, row("SOFTMAX", 511))
        yield pair("add up to 512", "SOFTMAX", resolver, bad, row("SOFTMAX", 512, output="int16"))
        for output, size in (("int8", 8193), ("int16", 8192)):
            bad, good = (row("SOFTMAX", n, output=output) for n in (size, size - 1))
            yield pair("8,193 equal", "SOFTMAX", resolver, bad, good)
        for dtype in ("int8", "uint8") if resolver == "reference" else ("int8",):
            bad, good = (row("LOG_SOFTMAX", n, dtype) for n in (4096, 4095))
            yield pair("4,096 equal", "LOG_SOFTMAX", resolver, bad, good)
    for resolver in ("optimized", "tflm"):
        bad, good = (row("SOFTMAX", n, "int16") for n in (131_097, 131_096))
        yield pair("131,097 equal", "SOFTMAX", resolver, bad, good)


def _micro() -> Iterator[FaultPair]:
    pads = (
        build("SPACE_TO_BATCH_ND", x((1, 4, 4, 1), "int8", 0.1, 7), c([2, 2], "int32"), c(pads, "int32"),
            x((4, 3 if np.any(pads) else 2, 3 if np.any(pads) else 2, 1), "int8", 0.1, 7))
        for pads in ([[1, 1], [1, 1]], [[0, 0], [0, 0]])
    )  # fmt: skip
    yield FaultPair("padding uninitialized", "SPACE_TO_BATCH_ND", "tflm", *pads, shows=False)
    yield FaultPair(
        "writes nothing", "GREATER", "tflm", *(binary("GREATER", t, (0.5, 0.5)) for t in ("int16", "int8"))
    )
    pair = (binary("ADD", "int32", (0, 0, 0), fused_activation_function=f) for f in ("RELU6", "NONE"))
    yield FaultPair("fused activation", "ADD", "tflm", *pair, [np.arange(-5, -1, dtype=np.int32)] * 2)
    yield FaultPair("steps of 1/128", "TANH", "tflm", *(unary("TANH", "int8", 0.05, s) for s in (1 / 64, 1 / 128)),
                    arithmetic="litert-reference")  # fmt: skip
    constants = (
        build("DEQUANTIZE", c(ramp(3, 4), "int8", s), x((3, 4), "float32")) for s in ([0.1, 0.2, 0.3], 0.1)
    )
    yield FaultPair("first channel", "DEQUANTIZE", "tflm", *constants)


def blocks(rows: int, columns: int, block: int, activation: str = "NONE", computed: bool = False) -> Model:
    """Return a layer with blockwise int4 weights and large positive and negative outputs, possibly with a computed bias."""
    builder = ModelBuilder("blocks")
    graph = builder.subgraph("main")
    scales = np.full((rows, columns // block), 0.25, np.float16)
    details = Blockwise(graph.constant("scales", scales), -1, block)
    stored = (np.arange(rows * columns).reshape(rows, columns) % 13 - 6).astype(np.int8)
    weights = graph.constant("w", stored, Quantization(details=details), "int4")
    given, output = graph.tensor("x", (2, columns), "float32"), graph.tensor("y", (2, rows), "float32")
    bias = [graph.tensor("b", (rows,), "float32")] if computed else []
    graph.add(
        "FULLY_CONNECTED", [given, weights, *bias], [output], version=12, fused_activation_function=activation
    )
    graph.inputs(given, *bias)
    graph.outputs(output)
    return builder.finish()


def int4_layer(bias: int) -> Model:
    w = c(np.ones((1, 8)), "int4", [1.0])
    return build("FULLY_CONNECTED", x((1, 8), "int8", 2.0**-20), w, c([bias], "int32", [2.0**-20]), x((1, 1), "int8", 4.0),
               version=7)  # fmt: skip


def svdf(biased: bool) -> Model:
    b = c(range(2), "int32", 0.01 * 0.002) if biased else None
    state = run_time("state", (1, 16), "int16", qparams(0.002), variable=True)
    return build(
        "SVDF", x((1, 4), "int8", 0.1), c(ramp(2, 4), "int8", 0.01), c(ramp(2, 8), "int16", 0.01), b, state,
        x((1, 2), "int8", 0.5), version=3, rank=1, fused_activation_function="RELU",
    )  # fmt: skip


def ended(constant_alone: bool) -> Model:
    """Return DEQUANTIZE of a constant, or of a computed tensor."""
    given = c(ramp(4), "int8", 0.1) if constant_alone else x(4, "int8", 0.1)
    return build("DEQUANTIZE", given, x(4, "float32"))


def beside(constant: bool) -> Model:
    """Return ADD, and DEQUANTIZE of a constant or of a computed tensor as a further output of the model."""
    builder = ModelBuilder("beside")
    graph = builder.subgraph("main")
    given, total = graph.tensor("x", (4,), "float32"), graph.tensor("y", (4,), "float32")
    step = qparams(0.1)
    stored = (
        graph.constant("c", ramp(4).astype(np.int8), step)
        if constant
        else graph.tensor("q", (4,), "int8", step)
    )
    result = graph.tensor("d", (4,), "float32")
    if not constant:
        graph.add("QUANTIZE", [given], [stored])
    graph.add("DEQUANTIZE", [stored], [result])
    graph.add("ADD", [given, given], [total])
    graph.inputs(given)
    graph.outputs(total, result)
    return builder.finish()


def loop(swapped: bool) -> Model:
    """Return a loop to n = 3 that adds two numbers in each step, and returns the sum before or behind the earlier number."""
    builder = ModelBuilder("loop")
    main, condition, body = (builder.subgraph(name) for name in ("main", "condition", "body"))
    sides = {part: [part.tensor(name, (1,), "int32") for name in "nab"] for part in (main, condition, body)}
    for part, inputs in sides.items():
        part.inputs(*inputs)
    limit, steps = (
        part.tensor("c", (1,), "int32", data=np.array([value], np.int32))
        for part, value in ((condition, 3), (body, 1))
    )
    goes_on = condition.tensor("less", (1,), "bool")
    condition.add("LESS", [sides[condition][0], limit], [goes_on])
    condition.outputs(goes_on)
    n, a, b = sides[body]
    following, total = (body.tensor(name, (1,), "int32") for name in ("following", "total"))
    body.add("ADD", [n, steps], [following])
    body.add("ADD", [a, b], [total])
    body.outputs(following, *((total, a) if swapped else (b, total)))
    outputs = [main.tensor(f"{name} out", (1,), "int32") for name in "nab"]
    main.add("WHILE", sides[main], outputs, cond_subgraph_index=1, body_subgraph_index=2)
    main.outputs(*outputs)
    return builder.finish()


def _blocks() -> Iterator[FaultPair]:
    plain = build("FULLY_CONNECTED", x((2, 32), "float32"), c(np.full((8, 32), 3), "int4", 0.25), None, x((2, 8), "float32"),
                version=10)  # fmt: skip
    yield FaultPair("blockwise scales", "FULLY_CONNECTED", "reference", blocks(8, 64, 32), plain)
    for bad in ((3, 64, 32), (8, 16, 16), (8, 63, 21)):
        yield FaultPair(
            "fewer than 4 units or the depth", "FULLY_CONNECTED", "optimized", blocks(*bad), blocks(4, 64, 32)
        )
    for bad, good in (((3, 64, 16), (3, 64, 32)), ((8, 16, 16), (8, 32, 16)), ((8, 63, 21), (8, 64, 16))):
        yield FaultPair("leaves int4 weights", "FULLY_CONNECTED", "xnnpack", blocks(*bad), blocks(*good))
    acted = (blocks(8, 64, 32, activation) for activation in ("RELU", "NONE"))
    yield FaultPair("ignores a fused", "FULLY_CONNECTED", "optimized", *acted)
    acted = (blocks(8, 64, size, "RELU") for size in (16, 32))
    yield FaultPair("which ignores", "FULLY_CONNECTED", "xnnpack", *acted)
    acted = (blocks(8, 64, 32, "RELU", computed) for computed in (True, False))
    yield FaultPair("which ignores", "FULLY_CONNECTED", "xnnpack", *acted)
    sums = (int4_layer(bias) for bias in (2**27 + 2**20, 2**27 - 2**12))
    yield FaultPair("sixteenths", "FULLY_CONNECTED", "xnnpack", *sums)
    yield FaultPair("crashes if there is no bias", "SVDF", "tflm", svdf(False), svdf(True))
    numbers = tuple(np.array([value], np.int32) for value in (0, 1, 7))
    for resolver in ("reference", "optimized", "xnnpack"):
        yield FaultPair("over its inputs in order", "WHILE", resolver, loop(True), loop(False), numbers)
    yield FaultPair("dequantized constants only", "DEQUANTIZE", "xnnpack", ended(True), ended(False))
    both = beside(constant=True), beside(constant=False)
    yield FaultPair("dequantized constants only", "DEQUANTIZE", "xnnpack", *both)


def pairs() -> tuple[FaultPair, ...]:
    """Return every pair."""
    groups: tuple[Callable[[], Iterator[FaultPair]], ...] = (
        _elementwise,
        _empty,
        _refused,
        _layers,
        _rows,
        _micro,
        _blocks,
    )
    return tuple(pair for group in groups for pair in group())
