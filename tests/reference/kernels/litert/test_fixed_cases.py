"""Operator forms that the random trials did not draw at first, each as its smallest case, on LiteRT."""

from __future__ import annotations

import numpy as np
import pytest

from litecheck.flatbuffer.table import Table
from litecheck.model.build import ModelBuilder, qparams
from litecheck.quantization import Quantization
from litecheck.reference.engine.arithmetic import load_arithmetic
from tests.differential.one_operator import Tensor, Trial, answers, changed, score, trial
from tests.differential.oracle import RESOLVERS, Oracle

pytestmark = pytest.mark.runtime
RNG = np.random.default_rng(10)
#: Accumulators are ties: the input's step times the weights' step is 1/32 of an output step.
INPUT, WEIGHT, BIAS, OUTPUT = (qparams(s) for s in (0.5, 0.25, 0.125, 4.0))
#: uint8 with zero point 128, which is zero point 0 of int8.
RAISED = {name: qparams(s, 128) for name, s in (("input", 0.5), ("weight", 0.25), ("output", 4.0))}


def bytes_(dtype: str, *shape: int) -> np.ndarray:
    """Return small stored values around the zero point."""
    return (RNG.integers(-9, 10, shape) + (128 if dtype == "uint8" else 0)).astype(dtype)


def affine(
    opcode: str, dtype: str, *, groups: int = 1, bias_constant: bool = True, wide: str = "int32"
) -> Trial:
    """Return a sum of products without padding; the biases of 64 channels span the output's whole range."""
    of = RAISED if dtype == "uint8" else {"input": INPUT, "weight": WEIGHT, "output": OUTPUT}
    kernel = "int8" if dtype == "int16" else dtype
    bias = Tensor(RNG.integers(-4000, 4000, 64).astype(wide), BIAS, bias_constant)
    x, options = bytes_(dtype, 1, 6, 6, 8), {"padding": "VALID", "stride_h": 1, "stride_w": 1}
    weights, out, axis = bytes_(kernel, 64, 1, 1, 8 // groups), (1, 6, 6, 64), 0
    if opcode == "DEPTHWISE_CONV_2D":
        weights, options["depth_multiplier"], axis = bytes_(kernel, 1, 1, 1, 64), 8, 3
    if opcode == "FULLY_CONNECTED":
        x, weights, out, options = bytes_(dtype, 36, 8), bytes_(kernel, 64, 8), (36, 64), {}
    if wide == "int32" and dtype == "int16":
        options["quantized_bias_type"] = "int32"
    weight = Tensor(
        weights,
        Quantization(of["weight"].scale, of["weight"].zero_point, 0 if dtype == "uint8" else axis),
        True,
    )
    operands = [Tensor(x, of["input"]), weight, bias]
    if opcode == "TRANSPOSE_CONV":
        operands = [Tensor(np.int32(out), constant=True), weight, operands[0], bias]
    return trial(
        f"{opcode} {dtype}",
        opcode,
        operands,
        dtype,
        of["output"],
        out,
        8 if opcode == "CONV_2D" else 4,
        **options,
    )


@pytest.mark.parametrize("resolver", RESOLVERS)
@pytest.mark.parametrize("dtype", ["int8", "uint8"])
@pytest.mark.parametrize("opcode", ["CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED", "TRANSPOSE_CONV"])
def test_a_computed_bias(oracle: Oracle, opcode: str, dtype: str, resolver: str) -> None:
    case = affine(opcode, dtype, bias_constant=False)
    found = score(case, oracle, resolver)
    assert (found.compared, found.different) == (2304, 0), (found.refused, found.examples)
    if resolver == "xnnpack":
        assert score(affine(opcode, dtype), oracle, resolver).different == 0
        other = load_arithmetic("litert-xnnpack")
        declined = "requantize/declined" + ("+uint8" if dtype == "uint8" else "")
        variants_of_operator = {**other.variants(opcode), declined: other.variants(opcode)["requantize"]}
        assert score(case, oracle, resolver, changed(other, {opcode: variants_of_operator})).different > 0


@pytest.mark.parametrize("resolver", ["optimized", "xnnpack"])
@pytest.mark.parametrize("opcode", ["MEAN", "SUM"])
def test_a_computed_axis(oracle: Oracle, opcode: str, resolver: str) -> None:
    x = RNG.integers(-128, 128, (40, 4, 8)).astype(np.int8)
    for step in (1.0, 2.0, 0.75):
        operands = [Tensor(x, qparams(0.5, 3)), Tensor(np.int32([1]))]
        case = trial(opcode, opcode, operands, "int8", qparams(step, -7), (40, 8))
        found = score(case, oracle, resolver)
        assert (found.compared, found.different) == (320, 0), found.examples


@pytest.mark.parametrize("resolver", RESOLVERS)
@pytest.mark.parametrize(
    ("activation", "step"), [("RELU6", 0.8), ("RELU6", 6 / 8.5), ("RELU_N1_TO_1", 2 / 9)]
)
@pytest.mark.parametrize("opcode", ["ADD", "SUB", "MUL", "MAX_POOL_2D"])
def test_a_bound_that_is_a_tie(
    oracle: Oracle, opcode: str, activation: str, step: float, resolver: str
) -> None:
    for zero in (0, 3):
        x, y = (np.tile(np.int8([-128, -60, 60, 127]), 4), np.int8([127, -128, -30, 30] * 4))
        operands, shape, options = (
            [Tensor(x, qparams(step, zero)), Tensor(y, qparams(step, zero))],
            x.shape,
            {},
        )
        if opcode == "MAX_POOL_2D":
            shape, options = (
                (1, 4, 4, 1),
                {"filter_height": 1, "filter_width": 1, "stride_h": 1, "stride_w": 1},
            )
            operands = [Tensor(x.reshape(shape), qparams(step, zero))]
        case = trial(opcode, opcode, operands, "int8", qparams(step, zero), shape,
                     fused_activation_function=activation, **options)  # fmt: skip
        found = score(case, oracle, resolver)
        assert (found.compared, found.different) == (16, 0), (zero, found.examples)


@pytest.mark.parametrize("resolver", RESOLVERS)
@pytest.mark.parametrize(
    ("dtype", "constant"), [("int8", True), ("uint8", True), ("uint8", False), ("int16", True)]
)
def test_a_convolution_in_groups(oracle: Oracle, dtype: str, constant: bool, resolver: str) -> None:
    found = score(affine("CONV_2D", dtype, groups=2, bias_constant=constant), oracle, resolver)
    assert (found.compared, found.different) == (2304, 0), (found.refused, found.examples)


def unpacked(opcode: str) -> Trial:
    """Return a sum of products with int8 weights that DENSIFY unpacks from a sparse constant."""
    units, depth, builder = 40, 8, ModelBuilder(opcode)
    main, flat = builder.subgraph(), opcode == "FULLY_CONNECTED"
    shape, image = ((units, depth), (36, depth)) if flat else ((units, 1, 1, depth), (1, 6, 6, depth))
    rows = {"array_segments": range(0, units * depth + 1, depth), "array_indices": list(range(depth)) * units}
    lists = {name: Table("Int32Vector", {"values": np.int32(list(n))}) for name, n in rows.items()}
    levels = [Table("DimensionMetadata", {"dense_size": n}) for n in shape[:-1]]
    levels.append(Table("DimensionMetadata", {"format": 1, **lists}))
    order = np.arange(len(shape), dtype=np.int32)
    folded = Table("SparsityParameters", {"traversal_order": order, "dim_metadata": tuple(levels)})
    held = main.constant("values", RNG.integers(-9, 10, units * depth).astype(np.int8))
    values = main.finish().tensors[held]
    sparse = main.tensor(
        "sparse", shape, "int8", WEIGHT, buffer=values.buffer, data=values.data, sparsity=folded
    )
    weights, x = main.tensor("w", shape, "int8", WEIGHT), main.tensor("x", image, "int8", INPUT)
    bias = main.constant("b", RNG.integers(-4000, 4000, units).astype(np.int32), BIAS)
    y = main.tensor("y", (*image[:-1], units), "int8", OUTPUT)
    main.add("DENSIFY", [sparse], [weights])
    options = {} if flat else {"padding": "VALID", "stride_h": 1, "stride_w": 1}
    main.add(opcode, [x, weights, bias], [y], version=3, **options)
    main.inputs(x)
    main.outputs(y)
    return Trial(opcode, builder.finish(), ((bytes_("int8", *image),),))


@pytest.mark.parametrize("resolver", RESOLVERS)
def test_unpacked_weights(oracle: Oracle, resolver: str) -> None:
    """XNNPACK takes constants that were unpacked at load, but fails to build a FULLY_CONNECTED with them."""
    found = score(unpacked("CONV_2D"), oracle, resolver)
    assert (found.compared, found.different) == (1440, 0), (found.refused, found.examples)
    dense = score(unpacked("FULLY_CONNECTED"), oracle, resolver)
    assert (dense.compared, dense.different) == (0 if resolver == "xnnpack" else 1440, 0), dense.examples
    assert any("delegate FULLY_CONNECTED" in reason for reason in dense.refused) or resolver != "xnnpack"


def lstm() -> Trial:
    """Return an LSTM whose recurrent products saturate: every weight is 127 in steps of 1."""
    builder = ModelBuilder("lstm")
    main = builder.subgraph("main")
    x = main.tensor("x", (2, 6, 4), "int8", qparams(0.5))
    operands = [x]
    for kind, width, step in (("w", 4, 0.25), ("r", 8, 1.0)):
        for gate in range(4):
            drawn = RNG.integers(-127, 128, (8, width)).astype(np.int8)
            operands.append(main.constant(f"{kind}{gate}", drawn, qparams(step)))
    operands += [-1, -1, -1]
    operands += [main.constant(f"b{gate}", np.zeros(8, np.int32), qparams(0.125)) for gate in range(4)]
    operands += [-1, -1]
    operands.append(main.tensor("h", (2, 8), "int8", qparams(1 / 128), is_variable=True))
    operands.append(main.tensor("c", (2, 8), "int16", qparams(2.0**-11), is_variable=True))
    operands += [-1, -1, -1, -1]
    between = [main.tensor(f"i{n}", (0,), "int16", qparams(2.0**-12)) for n in range(4)]
    between.append(main.tensor("hidden", (0,), "int8", qparams(1 / 128)))
    y = main.tensor("y", (2, 6, 8), "int8", qparams(1 / 128))
    main.add("UNIDIRECTIONAL_SEQUENCE_LSTM", operands, [y], version=2, intermediates=between,
             fused_activation_function="TANH")  # fmt: skip
    main.inputs(x)
    main.outputs(y)
    runs = tuple((RNG.integers(-128, 128, (2, 6, 4)).astype(np.int8),) for _ in range(4))
    return Trial("lstm", builder.finish(), runs)


def test_recurrent_products_that_saturate(oracle: Oracle) -> None:
    """LiteRT saturates the sum with the input's product; TFLM saturates the recurrent product first."""
    pytest.importorskip("tflite_micro", reason="needs tflite_micro")
    from tests.differential.tflm import Tflm

    case = lstm()
    for resolver in RESOLVERS:
        found = score(case, oracle, resolver)
        assert found.compared > 384
        assert found.different == 0, found.examples
    with Tflm() as tflm:
        found = score(case, tflm, "tflm", "tflm")
        assert (found.compared, found.different) == (384, 0), (found.refused, found.examples)
        assert score(case, tflm, "tflm", "litert-reference").different > 0


def test_a_uint8_product_of_a_tensor_and_a_scalar_wraps_in_16_bits(oracle: Oracle) -> None:
    """The optimized loop over a tensor and a scalar wraps in 16 bits; the loop over two tensors saturates."""
    raised = qparams(1.0, 0)
    x, y = Tensor(np.full(8, 100, np.uint8), raised), qparams(0.25, 0)
    for other, shape in ((1, "one"), (8, "two")):
        factor = Tensor(np.full(other, 100, np.uint8), raised)
        case = trial(f"MUL {shape}", "MUL", [x, factor], "uint8", y, (8,))
        for resolver in RESOLVERS:
            assert score(case, oracle, resolver).different == 0
        wrapped = score(case, oracle, "optimized", "litert-reference").different
        assert wrapped == (8 if other == 1 else 0)


def test_one_filter_of_one_channel_quantizes_the_image(oracle: Oracle) -> None:
    """XNNPACK computes further 1 x 1 filters as a matrix product and quantizes them pixel by pixel."""
    x = Tensor(np.linspace(-1.3, 2.9, 8, dtype=np.float32).reshape(1, 2, 4, 1))
    for filters in (1, 2):
        scale = Quantization(np.full(filters, 0.05, np.float32), np.zeros(filters, np.int64), 0)
        weight = Tensor(np.full((filters, 1, 1, 1), 7, np.int8), scale, True)
        bias = Tensor(np.zeros(filters, np.float32), None, True)
        case = trial(
            "pixels", "CONV_2D", [x, weight, bias], "float32", None, (1, 2, 4, filters), 5,
            padding="VALID", stride_h=1, stride_w=1, dilation_h_factor=1, dilation_w_factor=1,
        )  # fmt: skip
        found = score(case, oracle, "xnnpack", far=lambda a, b: np.abs(a - b) > 1e-6)
        assert (found.compared, found.different) == (8 * filters, 0), found.examples
        (theirs,) = answers(case, oracle, "xnnpack")
        real = x.values * np.float32(0.35)
        # the range of a one-channel pixel is the pixel, so that quantization is exact
        assert np.allclose(theirs[0], real, atol=1e-6) is (filters == 2)
