"""Convolutions and matrix products compared with their definition as loops over integers."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest

from litecheck.flatbuffer.table import Table
from litecheck.model.build import ModelBuilder, options_table, qparams
from litecheck.reference.engine.arithmetic import load_arithmetic
from litecheck.reference.engine.dispatch import slots_of
from litecheck.reference.engine.interpreter import run
from litecheck.reference.kernels.conv import conv_2d, conv_2d_float
from litecheck.reference.kernels.depthwise import depthwise_conv_2d
from litecheck.reference.kernels.fully_connected import fully_connected
from litecheck.reference.kernels.matmul import batch_matmul
from litecheck.reference.kernels.transpose_conv import transpose_conv
from litecheck.reference.numerics.integer_matmul import EXACT, LARGEST, weights
from litecheck.reference.numerics.windows import SAME, VALID, axis
from litecheck.reference.registry import Kernel, kernels
from litecheck.reference.runtime_tensors import Operand, OutputSpec, RunError

RNG = np.random.default_rng(0)
ONE = qparams(1.0)


def variants(opcode: str, dtype: str = "int8") -> dict[str, str]:
    """Return the default variant of every step."""
    found: Kernel = next(k for k in kernels()[opcode] if dtype in k.types)
    return {name: step.variants[0] for name, step in found.steps.items()}


def stored(shape: tuple[int, ...], dtype: str = "int8", zero: int = 0, constant: bool = False) -> Operand:
    """Return values whose sums of products fit an int16 output with scale 1."""
    drawn = RNG.integers(-4, 5, shape) + zero
    return Operand(drawn.astype(dtype), dtype, qparams(1.0, zero), constant)


def bias(channels: int) -> Operand:
    return Operand(RNG.integers(-50, 50, channels).astype(np.int32), "int32", ONE, True)


def wide(zero: int = 0) -> OutputSpec:
    """Return an int16 output with scale 1, which equals the sums."""
    return OutputSpec("int16", (), qparams(1.0, zero))


def windowed(**more: Any) -> Table | None:
    return options_table("CONV_2D", **{"stride_h": 1, "stride_w": 1, **more})


def loops(x: np.ndarray, w: np.ndarray, rows: Any, columns: Any, groups: int) -> np.ndarray:
    """Return a convolution by its definition: elements outside the image add nothing."""
    channels, kernel_h, kernel_w, depth = w.shape
    out = np.zeros((x.shape[0], rows.out, columns.out, channels), np.int64)
    for n, y, z, c, i, j in product(*map(range, (*out.shape, kernel_h, kernel_w))):
        at_y = y * rows.stride - rows.before + i * rows.dilation
        at_x = z * columns.stride - columns.before + j * columns.dilation
        if 0 <= at_y < x.shape[1] and 0 <= at_x < x.shape[2]:
            first = c // (channels // groups) * depth
            out[n, y, z, c] += x[n, at_y, at_x, first : first + depth] @ w[c, i, j]
    return out


@pytest.mark.parametrize(
    ("size", "kernel", "stride", "dilation", "padding", "out", "before"),
    [
        (5, 3, 1, 1, SAME, 5, 1), (5, 3, 2, 1, SAME, 3, 1), (6, 3, 2, 1, SAME, 3, 0), (6, 2, 1, 1, SAME, 6, 0),
        (5, 3, 1, 2, SAME, 5, 2), (7, 1, 3, 1, SAME, 3, 0), (5, 3, 1, 1, VALID, 3, 0), (6, 3, 2, 1, VALID, 2, 0),
        (9, 3, 2, 3, VALID, 2, 0), (3, 3, 5, 1, VALID, 1, 0), (2, 3, 1, 1, VALID, 0, 0),
    ],
)  # fmt: skip
def test_windows(
    size: int, kernel: int, stride: int, dilation: int, padding: int, out: int, before: int
) -> None:
    made = axis(size, kernel, stride, dilation, padding)
    assert (made.out, made.before) == (out, before)


@pytest.mark.parametrize("padding", ["SAME", "VALID"])
@pytest.mark.parametrize("stride", [(1, 1), (2, 3)])
@pytest.mark.parametrize("dilation", [(1, 1), (2, 1)])
@pytest.mark.parametrize("groups", [1, 3])
@pytest.mark.parametrize("zero", [0, -128, 77])
def test_convolution_equals_its_definition(
    padding: str, stride: tuple[int, int], dilation: tuple[int, int], groups: int, zero: int
) -> None:
    x = stored((2, 7, 8, 2 * groups), "int16", zero)
    x = Operand(x.data.clip(-128, 127).astype(np.int8), "int8", x.quantization)
    w, b = stored((6, 3, 2, 2), constant=True), bias(6)
    options = windowed(
        padding=padding, stride_h=stride[0], stride_w=stride[1], dilation_h_factor=dilation[0],
        dilation_w_factor=dilation[1],
    )  # fmt: skip
    made = conv_2d(x, w, b, wide(), options, variants("CONV_2D"))
    kind = SAME if padding == "SAME" else VALID
    rows = axis(7, 3, stride[0], dilation[0], kind)
    columns = axis(8, 2, stride[1], dilation[1], kind)
    centred = x.data.astype(np.int64) - zero
    np.testing.assert_array_equal(
        made, loops(centred, w.data.astype(np.int64), rows, columns, groups) + b.data
    )


@pytest.mark.parametrize("multiplier", [1, 3])
@pytest.mark.parametrize("stride", [1, 2])
def test_a_depthwise_convolution_is_a_grouped_one(multiplier: int, stride: int) -> None:
    x, w, b = (
        stored((2, 6, 5, 4), zero=9),
        stored((1, 3, 2, 4 * multiplier), constant=True),
        bias(4 * multiplier),
    )
    options = windowed(padding="SAME", stride_h=stride, stride_w=stride)
    made = depthwise_conv_2d(x, w, b, wide(), options, variants("DEPTHWISE_CONV_2D"))
    filters = Operand(w.data.transpose(3, 1, 2, 0), "int8", ONE, True)
    np.testing.assert_array_equal(made, conv_2d(x, filters, b, wide(), options, variants("CONV_2D")))


@pytest.mark.parametrize(("padding", "out"), [("SAME", (5, 8)), ("VALID", (7, 9))])
def test_a_transposed_convolution_is_the_adjoint_of_a_convolution(padding: str, out: tuple[int, int]) -> None:
    """<conv(x), y> = <x, transpose_conv(y)> for filters with swapped channels."""
    options = windowed(padding=padding, stride_h=2, stride_w=3)
    w = stored((3, 3, 3, 2), constant=True)
    big, nothing = stored((1, *out, 2)), Operand(np.zeros(3, np.int32), "int32", ONE)
    forth = conv_2d(big, w, nothing, wide(), options, variants("CONV_2D")).astype(np.int64)
    small = stored(forth.shape)
    shape = Operand(np.array([1, *out, 2], np.int32), "int32")
    turned = Operand(w.data.transpose(3, 1, 2, 0), "int8", ONE, True)
    back = transpose_conv(shape, turned, small, None, wide(), options, variants("TRANSPOSE_CONV"))
    assert (forth * small.data).sum() == (back.astype(np.int64) * big.data).sum() != 0


def test_a_transposed_convolution_subtracts_the_zero_point_only_under_a_stamp() -> None:
    x = Operand(np.full((1, 2, 2, 1), 50, np.int8), "int8", qparams(1.0, 50))
    shape = Operand(np.array([1, 4, 4, 1], np.int32), "int32")
    options = options_table("TRANSPOSE_CONV", stride_h=2, stride_w=2)
    made = transpose_conv(shape, stored((1, 3, 3, 1)), x, None, wide(4), options, variants("TRANSPOSE_CONV"))
    assert (made == 4).all()


@pytest.mark.parametrize(("zero", "scale_count", "counts"), [(3, 1, True), (0, 1, True), (3, 5, False)])
def test_weight_zero_points_apply_only_with_a_single_scale(zero: int, scale_count: int, counts: bool) -> None:
    x, b = stored((4, 6), zero=-7), bias(5)
    w = Operand(stored((5, 6)).data, "int8", qparams([1.0] * scale_count, zero), True)
    made = fully_connected(x, w, b, wide(), None, variants("FULLY_CONNECTED"))
    centred = w.data.astype(np.int64) - (zero if counts else 0)
    np.testing.assert_array_equal(made, (x.data.astype(np.int64) + 7) @ centred.T + b.data)


@pytest.mark.parametrize(("keep", "shape"), [(True, (2, 3, 5)), (False, (6, 5))])
def test_fully_connected_keeps_dimensions_with_keep_num_dims(keep: bool, shape: tuple[int, ...]) -> None:
    options = options_table("FULLY_CONNECTED", keep_num_dims=keep)
    made = fully_connected(
        stored((2, 3, 4)), stored((5, 4)), None, wide(), options, variants("FULLY_CONNECTED")
    )
    assert made.shape == shape


@pytest.mark.parametrize("dtype", ["int8", "int16"])
@pytest.mark.parametrize("adj", [(False, False), (True, False), (False, True), (True, True)])
def test_batch_matmul_broadcasts_and_transposes(dtype: str, adj: tuple[bool, bool]) -> None:
    zeros = (5, -9) if dtype == "int8" else (0, 0)
    lhs, rhs = stored((3, 1, 2, 4), dtype, zeros[0]), stored((5, 4, 6), dtype, zeros[1])
    left = Operand(lhs.data.swapaxes(-1, -2) if adj[0] else lhs.data, dtype, lhs.quantization)
    right = Operand(rhs.data.swapaxes(-1, -2) if adj[1] else rhs.data, dtype, rhs.quantization)
    options = options_table("BATCH_MATMUL", adj_x=adj[0], adj_y=adj[1])
    made = batch_matmul(left, right, wide(), options, variants("BATCH_MATMUL", dtype))
    wanted = (lhs.data.astype(np.int64) - zeros[0]) @ (rhs.data.astype(np.int64) - zeros[1])
    np.testing.assert_array_equal(made, wanted)
    assert made.shape == (3, 5, 2, 6)


def test_batch_matmul_scales_each_column_if_the_right_hand_side_is_per_axis() -> None:
    lhs, rhs = (
        stored((4, 8), "int16"),
        Operand(stored((8, 3)).data, "int8", qparams([1.0, 2.0, 4.0], axis=1)),
    )
    made = batch_matmul(lhs, rhs, wide(), None, variants("BATCH_MATMUL", "int16"))
    np.testing.assert_array_equal(made, lhs.data.astype(np.int64) @ rhs.data * [1, 2, 4])


def test_batch_matmul_to_int32_is_the_product_of_stored_values() -> None:
    lhs, rhs = stored((4, 8), zero=5), stored((8, 3), zero=6)
    made = batch_matmul(lhs, rhs, OutputSpec("int32", ()), None, variants("BATCH_MATMUL"))
    np.testing.assert_array_equal(made, lhs.data.astype(np.int64) @ rhs.data)


@pytest.mark.parametrize(("depth", "carrier"), [(1031, "float32"), (1032, "float32"), (1033, "float64")])
def test_float32_carries_sums_up_to_the_proven_depth(depth: int, carrier: str) -> None:
    """|x| <= 128 and |w| <= 127: 1032 * 128 * 127 < 2^24 < 1033 * 128 * 127."""
    made = weights(np.full((1, depth), -127, np.int8), 0, LARGEST["int8"])
    assert made.matrix.dtype == carrier
    assert (made.limit <= EXACT) == (carrier == "float32")


def test_small_weights_stay_in_float32_at_any_depth() -> None:
    shallow = np.zeros((2, 50_000), np.int8)
    shallow[:, ::50] = 127
    assert weights(shallow, 0, LARGEST["int8"]).matrix.dtype == np.float32


@pytest.mark.parametrize("depth", [1032, 1033, 1040, 20_001])
def test_sums_at_and_beyond_the_bound_are_exact(depth: int) -> None:
    """The worst case is exact: every element at the limit, and an odd product that float32 would lose beyond 2^24."""
    x = np.full((1, depth), -128, np.int8)
    w = np.full((1, depth), -127, np.int8)
    x[0, -1], w[0, -1] = 1, 1
    exact = int(x.astype(np.int64)[0] @ w.astype(np.int64)[0])
    value, output = Operand(x, "int8", ONE), OutputSpec("int16", (), qparams(1.0))
    offset = Operand(np.array([-exact + 12345], np.int32), "int32", ONE)
    made = fully_connected(
        value, Operand(w, "int8", ONE, True), offset, output, None, variants("FULLY_CONNECTED")
    )
    assert made.tolist() == [[12345]]
    if depth > 1033:
        lost = np.matmul(x.astype(np.float32), w.astype(np.float32).T)
        assert int(lost[0, 0]) != exact  # float32 would be wrong beyond the bound


def test_deep_int16_products_are_exact_in_float64() -> None:
    made = weights(np.full((1, 70_000), 127, np.int8), 0, LARGEST["int16"])
    assert made.matrix.dtype == np.float64
    assert made.limit < 2**53


def test_empty_batches_give_empty_outputs() -> None:
    x, w = stored((0, 4, 4, 2)), stored((3, 2, 2, 2), constant=True)
    assert conv_2d(x, w, bias(3), wide(), windowed(), variants("CONV_2D")).shape == (0, 4, 4, 3)
    assert fully_connected(
        stored((0, 4)), stored((3, 4)), None, wide(), None, variants("FULLY_CONNECTED")
    ).shape == (0, 3)


def test_errors_state_the_reason() -> None:
    with pytest.raises(RunError, match="5 input channels do not divide among 4 filters of depth 2"):
        conv_2d(stored((1, 4, 4, 5)), stored((4, 1, 1, 2)), None, wide(), windowed(), variants("CONV_2D"))
    with pytest.raises(RunError, match="7 filters do not divide among 2 input channels"):
        depthwise_conv_2d(
            stored((1, 4, 4, 2)),
            stored((1, 1, 1, 7)),
            None,
            wide(),
            windowed(),
            variants("DEPTHWISE_CONV_2D"),
        )
    with pytest.raises(RunError, match=r"\[2, 3\] times \[4, 2\] does not fit"):
        batch_matmul(stored((2, 3)), stored((4, 2)), wide(), None, variants("BATCH_MATMUL"))
    shape, one = Operand(np.array([1, 2, 3], np.int32), "int32"), stored((1, 1, 1, 1))
    with pytest.raises(RunError, match="output_shape holds 3 numbers, not 4"):
        transpose_conv(shape, one, one, None, wide(), None, variants("TRANSPOSE_CONV"))


def test_real_convolution_clamps_to_its_activation() -> None:
    x = Operand(RNG.normal(size=(1, 5, 5, 2)).astype(np.float32), "float32")
    w = Operand(RNG.normal(size=(3, 3, 3, 2)).astype(np.float32), "float32")
    options, plain = windowed(fused_activation_function="RELU6"), {"dynamic": "by-scales"}
    free = conv_2d_float(x, w, None, OutputSpec("float32", ()), windowed(), plain)
    bound = conv_2d_float(x, w, None, OutputSpec("float32", ()), options, plain)
    np.testing.assert_array_equal(bound, free.clip(0, 6))
    assert free.min() < 0


@pytest.mark.parametrize(
    ("stated", "kind", "condition"),
    [
        ("FLOAT32", None, "unstated_sums"),
        ("FLOAT32", "int32", "int32_bias"),
        ("INT64", "int32", "int32_bias"),
        ("INT32", "int64", "int64_bias"),
        ("FLOAT32", "int64", "int64_sums"),
        ("INT64", None, "int64_sums"),
        ("INT32", None, "int32_sums"),
    ],
)
def test_int16_has_a_condition_if_the_stated_bias_type_differs_from_the_bias(
    stated: str, kind: str | None, condition: str
) -> None:
    """2512 x 0.0021891 is 5.49893: in two roundings, half up, 6; sums of 64 bits are rounded once."""
    builder = ModelBuilder()
    main = builder.subgraph()
    operands = [
        main.tensor("x", (1, 1), "int16", qparams(4.8501e-5)),
        main.constant("w", np.array([[16]], np.int8), qparams(0.00117614)),
        *([] if kind is None else [main.constant("b", np.zeros(1, kind), ONE)]),
    ]
    y = main.tensor("y", (1, 1), "int16", qparams(4.8501e-5 * 0.00117614 / 0.00218907))
    main.add("FULLY_CONNECTED", operands, [y], quantized_bias_type=stated)
    main.inputs(operands[0])
    main.outputs(y)
    model = builder.finish()
    sums = "int64_sums", "int32_sums", "unstated_sums", "int32_bias", "int64_bias"
    once = {f"requantize/{c}": "float64" if c == "int64_sums" else "single" for c in sums}
    twice = {**once, f"requantize/{condition}": "double-half-up"}
    x = (np.array([[157]], np.int16),)
    base = load_arithmetic("litert-reference")
    arithmetics = (replace(base, stages={"FULLY_CONNECTED": steps}) for steps in (once, twice))
    made = [int(run(model, x, arithmetic=a).outputs["y"][0, 0]) for a in arithmetics]
    assert made == [5, 5 if condition == "int64_sums" else 6]
    (cell, _) = slots_of(model.subgraphs[0], model.subgraphs[0].operators[0])
    assert cell.path == f"requantize/{condition}"
