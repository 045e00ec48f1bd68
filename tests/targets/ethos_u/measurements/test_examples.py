"""Measurements of the Ethos-U profiles: noun phrases, and examples with the right values."""

from __future__ import annotations

import numpy as np
import pytest

from litecheck.model.build import ModelBuilder, Option, qparams
from litecheck.model.types import Model
from litecheck.profile.measurements.measured_operator import Operands
from litecheck.profile.measurements.registry import measurement
from tests.profile.measurements.examples import (
    Example,
    assert_display_text,
    assert_example,
    ints,
    names_of,
    t,
)

_PACKAGE = "litecheck.targets.ethos_u.measurements"
#: Measurements with examples that need a second operator: see the tests below.
OF_TWO_OPERATORS = {
    "in_place_depthwise",
    "in_place_resize_align_corners",
    "in_place_resize_batch",
    "in_place_resize_half_pixel",
    "shared_slice_inputs",
}
#: Measurements with examples that need a signature, a file without buffers, or int4, which NumPy does not have.
NOT_EVALUATED = {"dynamic_dimensions", "int4_constants", "missing_buffer_table"}  # fmt: skip


@pytest.mark.parametrize("name", names_of(_PACKAGE))
def test_display_text_is_a_noun_phrase_with_an_example(name: str) -> None:
    assert_display_text(name)


def resize(*output: int, **options: Option) -> tuple[str, dict[str, dict[str, object]], dict[str, Option]]:
    """Return a RESIZE_BILINEAR of (1, 4, 4, 8)."""
    tensors = {"input": t(1, 4, 4, 8), "size": ints(*output[1:3]), "output": t(*output)}
    return "RESIZE_BILINEAR", tensors, options


def reduction(
    *axes: int, dtype: str = "int8", opcode: str = "MEAN"
) -> tuple[str, dict[str, dict[str, object]]]:
    """Return a reduction of (1, 5, 7, 8) along axes."""
    return opcode, {"input": t(1, 5, 7, 8, dtype=dtype), "axis": ints(*axes), "output": t(1, 8, dtype=dtype)}


def weights(*shape: int, **tensors: dict[str, object]) -> tuple[str, dict[str, dict[str, object]]]:
    """Return a FULLY_CONNECTED with constant weights of this shape."""
    weight = t(data=np.ones(shape, np.int8))
    return "FULLY_CONNECTED", {"input": t(1, 8), "weight": weight, **tensors, "output": t(1, 4)}


_POOL: dict[str, Option] = {"filter_height": 3, "filter_width": 9, "stride_h": 1, "stride_w": 1}
_WINDOW = {"input": t(1, 8, 8, 8), "output": t(1, 8, 8, 8)}
_SUMMED = t(data=[[1, -2, 3]])
_TRANSPOSED = {"input": t(1, 5, 7, 8), "perm": ints(0, 2, 1, 3), "output": t(1, 7, 5, 8)}
_MATMUL = {"lhs": t(1, 2, 16), "rhs": t(1, 16, 4), "output": t(1, 2, 4)}
_STATE = {"input": t(1, 3, 4), "output_state": t(1, 4), "cell_state": t(1, 2), "output": t(1, 3, 4)}
_INT16_ZERO_5 = {
    "input": t(4, dtype="int16", scale=0.5, zero=5), "output": t(4, dtype="int16", scale=0.5),
}  # fmt: skip
#: measurement, operator, tensors by role, options, value in the docstring
EXAMPLES: list[Example] = [
    ("computed_paddings", "PAD", {"input": t(4), "paddings": t(1, 2, dtype="int32"), "output": t(6)}, {}, 1),
    ("rank0_inputs", "ADD", {"lhs": t(), "rhs": t(4), "output": t(4)}, {}, 1),
    ("grouped_stride", "CONV_2D",
     {"input": t(1, 8, 8, 8), "weight": t(data=np.ones((4, 1, 1, 4))), "output": t(1, 2, 2, 4)},
     {"stride_h": 4, "stride_w": 4}, 4),
    ("misaligned_batch_dim", "CONV_2D", {"input": t(1, 6, 4, 8), "output": t(1, 1, 6, 4, 8)}, {}, 6),
    ("depthwise_transposed_extent", "DEPTHWISE_CONV_2D",
     {"input": t(1, 5, 7, 2), "weight": t(data=np.ones((1, 1, 1, 4))), "output": t(1, 5, 7, 4)}, {}, 35),
    ("transpose_conv_stride_class", "TRANSPOSE_CONV",
     {"weight": t(8, 3, 3, 8), "input": t(1, 4, 4, 8), "output": t(1, 4, 12, 8)},
     {"stride_w": 3, "stride_h": 1}, "w3h1"),
    ("transpose_conv_shape_error", "TRANSPOSE_CONV",
     {"weight": t(8, 3, 3, 8), "input": t(1, 4, 4, 8), "output": t(1, 8, 9, 8)},
     {"stride_w": 2, "stride_h": 2, "padding": 0}, 1),
    ("batch_axis_mismatch", "GATHER", {"input": t(2, 3, 4), "indices": ints(1), "output": t(2, 3, 1)},
     {"axis": 2, "batch_dims": 0}, 2),
    ("index_depth", "SCATTER_ND", {"indices": t(5, 2, dtype="int32"), "updates": t(5), "output": t(4, 4)}, {}, 2),
    ("select_dtype_mismatch", "SELECT",
     {"condition": t(4, dtype="bool"), "on_true": t(4, dtype="int16"), "on_false": t(4), "output": t(4)}, {}, 1),
    ("first_input_zero_point_beyond_8bit", "RELU", _INT16_ZERO_5, {}, 1),
    ("unquantized_io", "RELU", {"input": t(4), "output": t(4, scale=0.5)}, {}, 1),
    ("nonzero_zero_point_io_int32", "PRELU",
     {"input": t(4, dtype="int32", scale=0.5, zero=3), "output": t(4, dtype="int32", scale=0.5)}, {}, 1),
    ("matmul_depth", "BATCH_MATMUL", _MATMUL, {}, 16),
    ("matmul_columns", "BATCH_MATMUL", _MATMUL, {}, 4),
    ("matmul_input_dtype", "BATCH_MATMUL", _MATMUL, {}, "int8"),
    ("min_state_size", "UNIDIRECTIONAL_SEQUENCE_LSTM", _STATE, {}, 2),
    ("single_sequence_state_size", "UNIDIRECTIONAL_SEQUENCE_LSTM", _STATE, {}, 4),
    ("input_batch_product", "ARG_MAX", {"input": t(2, 3, 4, 4, 8), "output": t(1)}, {}, 6),
    ("batch_dim_checked", "MEAN", {"input": t(2, 3, 4, 4, 8), "output": t(1)}, {}, 3),
    ("longest_reduced_axis", *reduction(1, 2), {}, 7),
    ("reduced_magnitude", *reduction(1, 2, dtype="int16"), {}, 8_960),
    ("depth_reduction", "MEAN", {"input": t(1, 5, 7, 8), "axis": ints(3), "output": t(1, 5, 7)}, {}, 1),
    ("axis_from_end", *reduction(3, opcode="ARG_MAX"), {}, -1),
    ("axis_length", *reduction(3, opcode="ARG_MAX"), {}, 8),
    ("reduce_transposed_extent", *reduction(1, opcode="SUM"), {}, 56),
    ("resize_factor", *resize(1, 8, 16, 8), 4),
    ("half_pixel_factor", *resize(1, 8, 8, 8, half_pixel_centers=True), 2),
    ("unequal_scale_factors", *resize(1, 8, 16, 8), 1),
    ("unequal_half_pixel_factors", *resize(1, 8, 16, 8, half_pixel_centers=True), 1),
    ("resized_batch", "RESIZE_BILINEAR", {"input": t(3, 4, 4, 8), "size": ints(8, 8), "output": t(3, 8, 8, 8)}, {}, 3),
    ("align_corners_and_half_pixel", *resize(1, 8, 8, 8, align_corners=True, half_pixel_centers=True), 1),
    ("largest_resize_factor", *resize(1, 8, 16, 8), 4),
    ("non_power_of_two_factors", *resize(1, 8, 12, 8), 1),
    ("resized_channels", *resize(1, 8, 8, 8), 8),
    ("resized_image_channels", *resize(1, 8, 8, 8), 8),
    ("resize_to_1_sides", *resize(1, 1, 8, 8, align_corners=True), 1),
    ("axis_is_minus_rank", "SPLIT", {"axis": t(dtype="int32", data=-4), "input": t(1, 2, 3, 4), "output": t(1)}, {}, 1),
    ("num_splits_mismatch", "SPLIT", {"axis": t(dtype="int32", data=0), "input": t(6), "output": t(6)},
     {"num_splits": 3}, 2),
    ("inferred_sizes", "SPLIT_V", {"input": t(6), "size_splits": ints(-1, 2, -1), "output": t(2)}, {}, 2),
    ("negative_strides", "STRIDED_SLICE", {"input": t(2, 3), "strides": ints(1, -1), "output": t(2, 3)}, {}, 1),
    ("strides_outside_hw", "STRIDED_SLICE",
     {"input": t(1, 4, 4, 8), "strides": ints(1, 2, 2, 2), "output": t(1, 2, 2, 4)}, {}, 1),
    ("reversed_axes", "REVERSE_V2",
     {"input": t(1, 2, 3, 4), "axis": ints(1, 2), "output": t(1, 2, 3, 4)}, {}, 2),
    ("negative_beta", "SOFTMAX", {"input": t(4), "output": t(4)}, {"beta": -0.5}, 1),
    ("height_x_width", "SOFTMAX", {"input": t(1, 5, 7, 8), "output": t(1, 5, 7, 8)}, {}, 35),
    ("int32_permutation", "TRANSPOSE", {**_TRANSPOSED, "input": t(1, 5, 7, 8, dtype="int32")}, {}, "NWHC"),
    ("transpose_extent", "TRANSPOSE", _TRANSPOSED, {}, 8),
    ("weight_sum", "FULLY_CONNECTED", {"input": t(1, 3), "weight": _SUMMED, "output": t(1, 1)}, {}, 6),
    ("weight_sum_8bit_input", "FULLY_CONNECTED", {"input": t(1, 3), "weight": _SUMMED, "output": t(1, 1)}, {}, 6),
    ("inner_weight_product", *weights(4, 2, 3, 8), {}, 6),
    ("weight_row_length", *weights(4, 8), {}, 8),
    ("bias_rows", *weights(4, 8, bias=ints([0] * 8, [0] * 8)), {}, 2),
    ("per_axis_weights", "FULLY_CONNECTED",
     {"input": t(1, 8), "weight": t(scale=[0.5, 0.25], data=np.ones((2, 8))), "output": t(1, 2)}, {}, 1),
    ("per_axis_biases", *weights(2, 8, bias=t(dtype="int32", scale=[0.5, 0.25], data=[0, 0])), {}, 1),
    ("int64_bias_of_8bit_layer", *weights(2, 8, bias=t(dtype="int64", data=[0, 0])), {}, 1),
    ("padded_stride", "CONV_2D", {"input": t(1, 9, 9, 8), "weight": t(8, 3, 3, 8), "output": t(1, 3, 3, 8)},
     {"stride_h": 4, "stride_w": 4, "padding": 0}, 4),
    ("padded_window", "AVERAGE_POOL_2D", _WINDOW, {**_POOL, "padding": 0}, 9),
    ("unpadded_window_height", "AVERAGE_POOL_2D", _WINDOW, {**_POOL, "padding": 1}, 3),
    ("window_area", "AVERAGE_POOL_2D", _WINDOW, _POOL, 27),
]  # fmt: skip


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example[0])
def test_the_example_in_the_text_is_right(example: Example) -> None:
    assert_example(example)


def test_every_measurement_of_one_operator_has_an_evaluated_example() -> None:
    assert {name for name, *_ in EXAMPLES} == set(names_of(_PACKAGE)) - OF_TWO_OPERATORS - NOT_EVALUATED


_Q = qparams(0.5)


def _value(name: str, model: Model, index: int, roles: dict[str, int]) -> object:
    main = model.subgraphs[0]
    tensors = {role: (main.tensors[i],) for role, i in roles.items()}
    return measurement(name)(Operands(main.operators[index], tensors, main, model))


def shared_slice(shares: bool) -> tuple[Model, int, dict[str, int]]:
    """Return a SQUARED_DIFFERENCE of the outputs of a SPLIT; one output may also be an output of the subgraph."""
    builder = ModelBuilder()
    main = builder.subgraph()
    x, axis = main.tensor("x", (1, 8), "int8", _Q), main.constant("axis", np.array(1, np.int32))
    lhs, rhs, y = (main.tensor(name, (1, 4), "int8", _Q) for name in ("lhs", "rhs", "y"))
    main.add("SPLIT", [axis, x], [lhs, rhs], num_splits=2)
    main.add("SQUARED_DIFFERENCE", [lhs, rhs], [y])
    main.inputs(x)
    main.outputs(*([y, lhs] if shares else [y]))
    return builder.finish(), 1, {"lhs": lhs, "rhs": rhs, "output": y}


def concatenated_depthwise(channels: int) -> tuple[Model, int, dict[str, int]]:
    """Return a depthwise convolution of 2 channels by 6 filters before a CONCATENATION to this number of channels."""
    builder = ModelBuilder()
    main = builder.subgraph()
    x, beside = (
        main.tensor("x", (1, 4, 4, 2), "int8", _Q),
        main.tensor("z", (1, 4, 4, channels - 6), "int8", _Q),
    )
    weight = main.constant("weight", np.ones((1, 1, 1, 6), np.int8), _Q)
    output, y = (
        main.tensor("output", (1, 4, 4, 6), "int8", _Q),
        main.tensor("y", (1, 4, 4, channels), "int8", _Q),
    )
    options: dict[str, Option] = {"depth_multiplier": 3, "stride_w": 1, "stride_h": 1, "padding": "SAME"}
    main.add("DEPTHWISE_CONV_2D", [x, weight, -1], [output], fused_activation_function="NONE", **options)
    main.add("CONCATENATION", [output, beside], [y], axis=3)
    main.inputs(x, beside)
    main.outputs(y)
    return builder.finish(), 0, {"input": x, "weight": weight, "output": output}


def concatenated_resize(
    before: int, after: int, axis: int, **options: Option
) -> tuple[Model, int, dict[str, int]]:
    """Return a RESIZE of a square before a CONCATENATION along an axis."""
    builder = ModelBuilder()
    main = builder.subgraph()
    shape = (1, after, after, 8)
    whole = tuple(length * (2 if n == axis else 1) for n, length in enumerate(shape))
    x, size = (
        main.tensor("x", (1, before, before, 8), "int8", _Q),
        main.constant("size", np.array([after] * 2, np.int32)),
    )
    output, beside = main.tensor("output", shape, "int8", _Q), main.tensor("beside", shape, "int8", _Q)
    y = main.tensor("y", whole, "int8", _Q)
    main.add("RESIZE_BILINEAR", [x, size], [output], **options)
    main.add("CONCATENATION", [output, beside], [y], axis=axis)
    main.inputs(x, beside)
    main.outputs(y)
    return builder.finish(), 0, {"input": x, "size": size, "output": output}


@pytest.mark.parametrize(
    ("name", "example", "control"),
    [
        ("shared_slice_inputs", shared_slice(True), shared_slice(False)),
        ("in_place_depthwise", concatenated_depthwise(9), concatenated_depthwise(8)),
        ("in_place_resize_batch", concatenated_resize(4, 16, 0), concatenated_resize(4, 8, 0)),
        ("in_place_resize_half_pixel", concatenated_resize(4, 8, 0, half_pixel_centers=True), concatenated_resize(4, 8, 0)),
        ("in_place_resize_align_corners", concatenated_resize(5, 9, 3, align_corners=True),
         concatenated_resize(5, 9, 0, align_corners=True)),
    ],
)  # fmt: skip
def test_examples_of_two_operators_are_right(
    name: str, example: tuple[Model, int, dict[str, int]], control: tuple[Model, int, dict[str, int]]
) -> None:
    assert name in OF_TWO_OPERATORS
    assert (_value(name, *example), _value(name, *control)) == (1, 0)
