"""Rows of float32 that are quantized at run time."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from litecheck.model.build import options_table, qparams
from litecheck.quantization import Blockwise, Quantization
from litecheck.reference.backends import ALL_BACKENDS, OPTIMIZED
from litecheck.reference.kernels.conv import conv_2d_float
from litecheck.reference.kernels.depthwise import depthwise_conv_2d_float
from litecheck.reference.kernels.fully_connected import fully_connected_float
from litecheck.reference.kernels.hybrid import DYNAMIC, bfloat16, block_products, dynamic, products
from litecheck.reference.kernels.matmul import batch_matmul_float
from litecheck.reference.runtime_tensors import Operand, OutputSpec, RunError

ROWS = (np.random.default_rng(0).normal(size=(50, 40)) * np.geomspace(1e-3, 1e3, 50)[:, None]).astype(
    np.float32
)


@pytest.mark.parametrize("name", DYNAMIC)
def test_stored_rows_are_within_half_a_step_of_the_input(name: str) -> None:
    stored, scale, zero = DYNAMIC[name](ROWS)
    real = (stored.astype(np.float64) - zero[:, None]) * scale[:, None]
    assert (np.abs(real - ROWS) / scale[:, None]).max() <= (0.501 if name == "symmetric" else 1.001)
    assert stored.min() < -120
    assert stored.max() > 120


@pytest.mark.parametrize("name", DYNAMIC)
def test_a_row_of_zeros_stays_zeros(name: str) -> None:
    stored, scale, zero = DYNAMIC[name](np.zeros((2, 5), np.float32))
    assert np.isfinite(scale).all()
    assert (stored == zero[:, None]).all()


def test_ties_distinguish_the_roundings() -> None:
    row = np.array([[127.0, 0.5, -0.5, 1.5, -126.5]], np.float32)
    assert DYNAMIC["symmetric"](row)[0].tolist() == [[127, 1, -1, 2, -127]]
    wide = np.array([[127.0, 0.5, 1.5, 2.5, -128.0]], np.float32)
    assert DYNAMIC["xnnpack"](wide)[0].tolist() == [[127, 0, 2, 2, -128]]
    assert DYNAMIC["asymmetric"](wide)[0].tolist() == [[127, 1, 2, 3, -128]]


@pytest.mark.parametrize("name", DYNAMIC)
@pytest.mark.parametrize("units", [1, 6])
def test_products_are_those_of_the_real_values(name: str, units: int) -> None:
    rng = np.random.default_rng(1)
    stored = rng.integers(-127, 128, (6, 40)).astype(np.int8)
    scales = rng.uniform(0.01, 0.1, units).astype(np.float32)
    weight = Operand(stored, "int8", qparams(scales), True)
    bias = Operand(rng.normal(size=6).astype(np.float32), "float32")
    real = ROWS[20:30].astype(np.float64) @ (stored * scales.astype(np.float64)[:, None]).T + bias.data
    made = products(ROWS[20:30], weight, bias, DYNAMIC[name])
    reach = np.abs(ROWS[20:30]).max(axis=1)[:, None] * np.abs(stored * scales[:, None]).sum(axis=1)
    assert (np.abs(made - real) / reach).max() < 1 / 127


def test_ties_are_rounded_before_the_zero_point_is_added() -> None:
    row = np.array([[0.0, 63.5, 127.0, 0.5, 255.0]], np.float32)
    stored, scale, zero = DYNAMIC["asymmetric"](row)
    assert (scale.tolist(), zero.tolist()) == ([1.0], [-128])
    assert stored.tolist() == [[-128, -64, -1, -127, 127]]
    assert DYNAMIC["xnnpack"](row)[0].tolist() == [[-128, -64, -1, -128, 127]]


def test_rows_are_quantized_as_the_operator_states() -> None:
    options = options_table("FULLY_CONNECTED", asymmetric_quantize_inputs=True)
    assert dynamic("as-asked", None) is DYNAMIC["symmetric"]
    assert dynamic("as-asked", options) is DYNAMIC["asymmetric"]
    assert dynamic("symmetric", options) is DYNAMIC["symmetric"]


def test_bfloat16_rounds_to_even() -> None:
    given = np.array([1.0, 1 + 2**-8, 1 + 3 * 2**-8, 1 + 2**-8 + 2**-20, -1 - 2**-9], np.float32)
    assert bfloat16(given).tolist() == [1.0, 1.0, 1 + 2**-6, 1 + 2**-7, -1.0]


def _blockwise(units: int, depth: int, block: int) -> tuple[Operand, np.ndarray]:
    rng = np.random.default_rng(2)
    scales = rng.uniform(0.01, 0.1, (units, depth // block)).astype(np.float16)
    stored = rng.integers(-8, 8, (units, depth)).astype(np.int8)
    stated = Quantization(details=Blockwise(1, -1, block))
    real = stored * np.repeat(scales.astype(np.float64), block, axis=1)
    return Operand(stored, "int4", stated, True, Operand(scales, "float16")), real


def test_blocks_have_separate_scales() -> None:
    weight, real = _blockwise(6, 40, 8)
    rows = ROWS[20:30]
    exact = rows.astype(np.float64) @ real.T
    reach = np.abs(rows).max(axis=1)[:, None] * np.abs(real).sum(axis=1)
    made = block_products(rows, weight, None, "asymmetric")
    coarse = block_products(rows, weight, None, "xnnpack")
    assert (np.abs(made - exact) / reach).max() < 1 / 127
    assert (np.abs(coarse - exact) / reach).max() < 1 / 127 + 2**-8
    assert (made != coarse).all()


def test_blocks_that_xnnpack_declines_are_computed_by_litert() -> None:
    x, out = Operand(ROWS[20:30], "float32"), OutputSpec("float32", (10, 6))
    variants = {"dynamic": "xnnpack"}
    weight, _ = _blockwise(6, 40, 8)
    made = fully_connected_float(x, weight, None, out, None, variants, frozenset())
    np.testing.assert_array_equal(made, block_products(ROWS[20:30], weight, None, "asymmetric"))
    bare = Operand(weight.data, "int4", weight.quantization, True)
    with pytest.raises(RunError, match="without a scale for each block"):
        fully_connected_float(x, bare, None, out, None, variants)


def _int8(shape: tuple[int, ...], scale: object = 0.01, axis: int = 0, constant: bool = True) -> Operand:
    stored = np.random.default_rng(3).integers(-127, 128, shape).astype(np.int8)
    return Operand(stored, "int8", qparams(scale, 0, axis), constant)


def test_int4_layers_that_no_backend_takes_are_quantized_as_the_operator_states() -> None:
    options = options_table("FULLY_CONNECTED", asymmetric_quantize_inputs=True)
    variants, out = {"dynamic": "symmetric"}, OutputSpec("float32", ())
    x = np.abs(ROWS[20:30])
    weight = Operand(_int8((4, 40)).data // 16, "int4", qparams(0.01), True)
    for backends in (frozenset(), frozenset({OPTIMIZED})):
        made = fully_connected_float(Operand(x, "float32"), weight, None, out, options, variants, backends)
        wanted = DYNAMIC["symmetric" if backends else "asymmetric"]
        np.testing.assert_array_equal(made, products(x, weight, None, wanted))


def test_entries_of_a_batch_are_quantized_separately() -> None:
    image = np.random.default_rng(4).normal(size=(2, 5, 5, 3)).astype(np.float32)
    image[1] *= 100
    options = options_table("CONV_2D", padding="SAME", stride_h=1, stride_w=1)
    out, scales = OutputSpec("float32", ()), np.linspace(0.01, 0.02, 4)
    for variant, scale in itertools.product(("by-scales", "xnnpack"), (0.01, scales)):
        weight = _int8((4, 3, 3, 3), scale)
        both, first = (
            conv_2d_float(Operand(x, "float32"), weight, None, out, options, {"dynamic": variant})
            for x in (image, image[:1])
        )
        np.testing.assert_array_equal(both[:1], first)


def test_quantization_of_images_depends_on_weight_scales_and_variant() -> None:
    image = np.random.default_rng(5).normal(1, 1, size=(1, 4, 4, 3)).astype(np.float32)
    options = options_table("CONV_2D", padding="VALID", stride_h=1, stride_w=1)
    out, x = OutputSpec("float32", ()), Operand(image, "float32")
    own = qparams(np.linspace(0.01, 0.02, 4))
    plain = _int8((4, 1, 1, 3))
    for weight, variant, way, count in (
        (plain, "by-scales", "symmetric", 1),
        (Operand(plain.data, "int8", own, True), "by-scales", "asymmetric", 1),
        (plain, "xnnpack", "xnnpack", 16),
    ):
        stored, scale, zero = DYNAMIC[way](image.reshape(count, -1))
        real = ((stored - zero[:, None].astype(float)) * scale[:, None]).reshape(16, 3)
        exact = real @ (weight.data.reshape(4, 3) * weight.quantization.scale.astype(float)[:, None]).T
        made = conv_2d_float(x, weight, None, out, options, {"dynamic": variant}).reshape(16, 4)
        np.testing.assert_allclose(made, exact, atol=1e-5)


def test_depthwise_images_are_quantized_asymmetrically() -> None:
    image = np.random.default_rng(6).normal(3, 1, size=(1, 4, 4, 2)).astype(np.float32)
    options = options_table("DEPTHWISE_CONV_2D", padding="VALID", stride_h=1, stride_w=1, depth_multiplier=2)
    weight = _int8((1, 1, 1, 4), [0.01, 0.02, 0.03, 0.04], 3)
    made = depthwise_conv_2d_float(
        Operand(image, "float32"), weight, None, OutputSpec("float32", ()), options
    )
    stored, scale, zero = DYNAMIC["asymmetric"](image.reshape(1, -1))
    real = ((stored - zero[:, None].astype(float)) * scale[:, None]).reshape(4, 4, 2)
    exact = np.repeat(real, 2, axis=-1) * weight.data.reshape(4) * weight.quantization.scale.astype(float)
    np.testing.assert_allclose(made[0], exact, atol=1e-4)


def test_a_matrix_that_xnnpack_declines_is_computed_by_litert() -> None:
    x, out = Operand(ROWS[20:30], "float32"), OutputSpec("float32", ())
    constant = _int8((40, 6))
    left, converted = (
        batch_matmul_float(x, constant, out, None, {"dynamic": "xnnpack"}, backends)
        for backends in (frozenset(), ALL_BACKENDS)
    )
    symmetric = batch_matmul_float(x, constant, out, None, {"dynamic": "as-asked"})
    np.testing.assert_array_equal(left, symmetric)
    assert (left != converted).any()
    with pytest.raises(RunError, match="no kernel for float32 times int16"):
        batch_matmul_float(
            x, Operand(constant.data.astype(np.int16), "int16"), out, None, {"dynamic": "as-asked"}
        )
