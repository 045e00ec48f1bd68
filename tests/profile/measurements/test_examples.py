"""The first paragraph of a measurement's docstring is display text: a noun phrase and an example with its value."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from litecheck.model.build import Option
from tests.profile.measurements.examples import (
    Example,
    assert_display_text,
    assert_example,
    ints,
    names_of,
    t,
)


@pytest.mark.parametrize("name", names_of("litecheck.profile"))
def test_display_text_is_a_noun_phrase_with_an_example(name: str) -> None:
    assert_display_text(name)


def i8(scale: float = 0, zero: int = 0) -> dict[str, Any]:
    return t(4, scale=scale, zero=zero)


_DEEP = np.full((1, 200_000), 127, np.int8)
_CONV = {"input": t(1, 8, 8, 8), "weight": t(4, 3, 5, 8), "output": t(1, 8, 8, 4)}
_STEPS: dict[str, Option] = {"stride_h": 2, "stride_w": 3, "dilation_h_factor": 2, "dilation_w_factor": 3}

#: name, operator, tensors by role, options, and the value in the docstring.
EXAMPLES: list[Example] = [
    ("largest_accumulator", "FULLY_CONNECTED",
     {"input": t(1, 200_000, scale=0.5, zero=-128), "weight": t(scale=0.25, data=_DEEP), "output": i8(0.5)}, {},
     6_477_000_000),
    ("largest_rescaled_sum", "FULLY_CONNECTED",
     {"input": t(1, 200_000, scale=0.5, zero=-128), "weight": t(scale=0.25, data=_DEEP), "output": i8(0.5)}, {},
     1_619_250_000),
    ("unbiased_accumulator", "FULLY_CONNECTED",
     {"input": t(1, 1000, dtype="int16", scale=0.5), "weight": t(scale=0.25, data=_DEEP[:, :1000]),
      "output": t(1, dtype="int16", scale=0.5)}, {}, 4_161_536_000),
    ("bias_scale_drift", "FULLY_CONNECTED",
     {"input": i8(0.5), "weight": i8(0.5), "bias": t(4, dtype="int32", scale=0.26), "output": i8(0.5)}, {}, 0.02),
    ("unstated_bias_drift", "FULLY_CONNECTED",
     {"input": i8(0.5), "weight": i8(0.25), "bias": t(4, dtype="int32"), "output": i8(0.5)}, {}, 0.25),
    ("accumulator_step", "CONV_2D", {"input": i8(0.5), "weight": t(2, scale=0.25), "output": i8(0.5)}, {}, 0.25),
    ("scale_ratio", "ADD", {"lhs": i8(0.5), "rhs": i8(0.25), "output": i8(0.125)}, {}, 4),
    ("inverse_scale_ratio", "HARD_SWISH", {"input": i8(0.5), "output": i8(2)}, {}, 4),
    ("finest_scale", "EQUAL", {"lhs": i8(0.5), "rhs": i8(0.25), "output": t(4, dtype="bool")}, {}, 0.25),
    ("requantized_scales", "QUANTIZE", {"input": i8(0.5), "output": t(2, scale=(0.5, 0.25))}, {}, 2),
    ("squared_scale_ratio", "SQUARED_DIFFERENCE", {"lhs": i8(0.5), "rhs": i8(0.5), "output": i8(0.125)}, {}, 2),
    ("power_of_two_gap", "ADD", {"lhs": i8(0.25), "rhs": i8(0.125), "output": i8(0.0625)}, {}, 2),
    ("quotient_step", "DIV", {"lhs": i8(0.5), "rhs": i8(0.25), "output": i8(0.125)}, {}, 0.0625),
    ("reach", "ADD", {"lhs": i8(0.5), "rhs": i8(0.5), "output": i8(0.25, 3)}, {}, 515),
    ("sloped_reach", "LEAKY_RELU", {"input": i8(0.5), "output": i8(0.25)}, {"alpha": 0.25}, 254),
    ("quotient_reach", "DIV", {"lhs": i8(0.5), "rhs": i8(0.25), "output": i8(0.5)}, {}, 512),
    ("root_reach", "SQRT", {"input": i8(0.5), "output": i8(0.25)}, {}, 32),
    ("inverse_root_reach", "RSQRT", {"input": i8(0.25), "output": i8(0.5)}, {}, 4),
    ("inverse_root_step", "RSQRT", {"input": i8(0.25), "output": i8(0.5)}, {}, 0.25),
    ("exponent_step", "SOFTMAX", {"input": i8(0.25), "output": i8(1 / 256)}, {"beta": 2.0}, 0.5),
    ("quantized_alpha", "LEAKY_RELU", {"input": i8(0.5), "output": i8(0.25)}, {"alpha": 0.25}, "1/4"),
    ("fused_bound", "ADD", {"lhs": i8(1), "rhs": i8(1), "output": i8(0.5)}, {"fused_activation_function": 3}, 12),
    ("fused_activation", "ADD", {"lhs": i8(1), "rhs": i8(1), "output": i8(0.5)},
     {"fused_activation_function": 3}, "RELU6"),
    ("zero_point_sum", "NEG", {"input": i8(0.5, 3), "output": i8(0.5, -3)}, {}, 0),
    ("copied_row_mismatches", "EMBEDDING_LOOKUP",
     {"indices": ints(1), "table": t(4, 3, scale=0.5), "output": t(1, 3, scale=0.25)}, {}, 1),
    ("copied_row_scales", "EMBEDDING_LOOKUP",
     {"indices": ints(1), "table": t(4, 3, scale=(0.5,) * 4), "output": t(1, 3, scale=0.5)}, {}, 4),
    ("dequantized_zero_point", "EMBEDDING_LOOKUP",
     {"indices": ints(1), "table": t(4, 3, scale=0.5, zero=3), "output": t(1, 3, dtype="float32")}, {}, 3),
    ("row_bits_beyond_bytes", "EMBEDDING_LOOKUP",
     {"indices": ints(1), "table": t(4, 3, dtype="int4", scale=0.5), "output": t(1, 3, dtype="int4", scale=0.5)}, {}, 4),
    ("different_scales", "ADD_N", {"a": i8(0.5), "b": i8(0.25), "c": i8(0.5), "output": i8(1)}, {}, 2),
    ("conversion", "QUANTIZE", {"input": i8(1), "output": t(4, dtype="int16")}, {}, "int8_to_int16"),
    ("bias_type_mismatch", "FULLY_CONNECTED",
     {"input": t(4, dtype="int16"), "weight": i8(1), "bias": t(4, dtype="int32"), "output": t(4, dtype="int16")}, {},
     "int32 read as int64 by default"),
    ("axis_out_of_range", "MEAN", {"input": t(1, 2, 3, 4), "axis": ints(1, 4), "output": t(1)}, {}, 1),
    ("reduced_axis_out_of_range", "MEAN", {"input": t(1, 2, 3, 4), "axis": ints(1, -5), "output": t(1)}, {}, 1),
    ("inserted_axis_out_of_range", "EXPAND_DIMS", {"input": t(1, 2, 3), "axis": ints(4), "output": t(1)}, {}, 1),
    ("axes_apart", "REVERSE_V2", {"input": t(1, 2, 3, 4), "axis": ints(0, 2, 3), "output": t(1)}, {}, 1),
    ("perm_out_of_range", "TRANSPOSE", {"input": t(1, 2, 3), "perm": ints(0, 3, 1), "output": t(1)}, {}, 1),
    ("perm_repeats", "TRANSPOSE", {"input": t(1, 2, 3), "perm": ints(0, 1, 1), "output": t(1)}, {}, 1),
    ("element_gap", "RESHAPE", {"input": t(2, 6), "output": t(3, 5)}, {}, 3),
    ("whole_dimensions", "STRIDED_SLICE", {"input": t(2, 3, 4), "begin": ints(0), "output": t(1, 3, 4)}, {}, 2),
    ("stretched_dimensions", "RESHAPE", {"input": t(16), "shape": ints(-1, 4, -1), "output": t(16)}, {}, 2),
    ("negative_dimensions", "RESHAPE", {"input": t(16), "shape": ints(-2, 4), "output": t(16)}, {}, 1),
    ("fft_lengths_not_power_of_two", "RFFT2D", {"input": t(8, 6), "fft_length": ints(8, 6), "output": t(1)}, {}, 1),
    ("range_not_terminating", "RANGE",
     {"start": t(dtype="int32", data=0), "limit": t(dtype="int32", data=5), "delta": t(dtype="int32", data=-1),
      "output": t(1)}, {}, "yes"),
    ("sequence_dims_mismatch", "REVERSE_SEQUENCE", {"input": t(1, 2, 3), "lengths": ints(1), "output": t(1)},
     {"seq_dim": 5, "batch_dim": 0}, 1),
    ("slices_out_of_range", "SLICE",
     {"input": t(4, 4), "begin": ints(0, 3), "size": ints(4, 2), "output": t(4, 2)}, {}, 1),
    ("sliced_shape_differs", "SLICE",
     {"input": t(4, 4), "begin": ints(0, 0), "size": ints(2, 3), "output": t(2, 4)}, {}, 1),
    ("reflected_too_far", "MIRROR_PAD", {"input": t(3), "paddings": ints([3, 0]), "output": t(6)}, {"mode": 0}, 1),
    ("split_gap", "SPLIT_V",
     {"input": t(6), "size_splits": ints(2, 3), "axis": t(dtype="int32", data=0), "output": t(2)},
     {"num_splits": 2}, 1),
    ("split_remainder", "SPLIT", {"axis": t(dtype="int32", data=0), "input": t(7), "output": t(3)},
     {"num_splits": 2}, 1),
    ("k_beyond", "TOPK_V2", {"input": t(4), "k": t(dtype="int32", data=5), "output": t(5)}, {}, 1),
    ("indices_out_of_range", "EMBEDDING_LOOKUP", {"indices": ints(3, 10), "table": t(10, 4), "output": t(2, 4)}, {}, 1),
    ("tuples_out_of_range", "GATHER_ND", {"input": t(2, 3), "indices": ints([0, 1], [1, 3]), "output": t(2)}, {}, 1),
    ("repeated_tuples", "GATHER_ND",
     {"input": t(2, 3), "indices": ints([0, 1], [0, 1], [1, 1]), "output": t(3)}, {}, 1),
    ("segments_out_of_order", "SEGMENT_SUM", {"input": t(3), "segment_ids": ints(0, 0, 2), "output": t(3)}, {}, 1),
    ("segments_out_of_range", "UNSORTED_SEGMENT_SUM",
     {"input": t(2), "segment_ids": ints(0, 3), "num_segments": t(dtype="int32", data=3), "output": t(3)}, {}, 1),
    ("accumulation_depth", "CONV_2D", {"input": t(1, 8, 8, 8), "weight": t(4, 3, 3, 8), "output": t(1, 8, 8, 4)}, {}, 72),
    ("kernel_h", "CONV_2D", _CONV, {}, 3),
    ("kernel_w", "CONV_2D", _CONV, {}, 5),
    ("dilated_kernel_h", "CONV_2D", _CONV, _STEPS, 5),
    ("stride_w", "CONV_2D", _CONV, _STEPS, 3),
    ("stride_h", "CONV_2D", _CONV, _STEPS, 2),
    ("dilation_w", "CONV_2D", _CONV, _STEPS, 3),
    ("smallest_dilation", "CONV_2D", _CONV, _STEPS, 2),
    ("depth_multiplier_gap", "DEPTHWISE_CONV_2D",
     {"input": t(1, 4, 4, 3), "weight": t(1, 3, 3, 8), "output": t(1, 4, 4, 8)}, {"depth_multiplier": 2}, 1),
    ("broadcast_rank", "ADD", {"lhs": t(1, 4, 4, 8), "rhs": t(8), "output": t(1, 4, 4, 8)}, {}, 4),
    ("delegated_float_rank", "RELU", {"input": t(1, 2, 3, dtype="float32"), "output": t(1)}, {}, 3),
    ("delegated_empty_dimensions", "BATCH_MATMUL",
     {"lhs": t(2, 0, 3, dtype="float32"), "rhs": t(2, 3, 4, dtype="float32"), "output": t(2, 0, 4)}, {}, 1),
    ("delegated_empty_dimensions", "BATCH_MATMUL",
     {"lhs": t(1, 2, 3, dtype="float32"), "rhs": t(0, 3, 4, dtype="float32"), "output": t(0, 2, 4)}, {}, 1),
    ("delegated_empty_dimensions", "BATCH_MATMUL",
     {"lhs": t(0, 2, 3, dtype="float32"), "rhs": t(0, 3, 4, dtype="float32"), "output": t(0, 2, 4)}, {}, 0),
    ("delegated_empty_dimensions", "BATCH_MATMUL",
     {"lhs": t(0, 1, 2, 3, dtype="float32"), "rhs": t(1, 0, 3, 4, dtype="float32"), "output": t(0, 0, 2, 4)}, {}, 1),
    ("delegated_empty_dimensions", "BATCH_MATMUL",
     {"lhs": t(0, 1, 2, 3, dtype="float32"), "rhs": t(0, 0, 3, 4, dtype="float32"), "output": t(0, 0, 2, 4)}, {}, 0),
    ("delegated_rank", "RELU", {"input": t(1, 2, 3, 4, 5, dtype="float32"), "output": t(1)}, {}, 5),
    ("input_types", "ADD", {"lhs": t(4), "rhs": t(4, dtype="int16"), "output": t(4)}, {}, 2),
    ("data_types", "QUANTIZE", {"input": t(4), "output": t(4, dtype="int16")}, {}, 2),
    ("results_of_nothing", "SUM", {"input": t(0, 4), "axis": ints(0), "output": t(1, 4)}, {}, 1),
    ("input.lowest", "SQRT", {"input": i8(0.5, 3), "output": i8(1)}, {}, -131),
    ("input.scale", "RELU", {"input": i8(0.1), "output": i8(1)}, {}, "13421773/134217728"),
    ("input.height", "RELU", {"input": t(1, 5, 6, 8), "output": t(1)}, {}, 5),
    ("input.width", "RELU", {"input": t(1, 5, 6, 8), "output": t(1)}, {}, 6),
    ("axis.largest", "MEAN", {"input": t(4), "axis": ints(-5, 3), "output": t(1)}, {}, 5),
    ("axis.unknowns", "MEAN", {"input": t(4), "axis": ints(-1, 4), "output": t(1)}, {}, 1),
    ("axis.zeros", "MEAN", {"input": t(4), "axis": ints(0, 2, 0), "output": t(1)}, {}, 2),
]  # fmt: skip


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example[0])
def test_the_example_in_the_text_is_right(example: Example) -> None:
    assert_example(example)
