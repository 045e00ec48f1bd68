"""Measurements that several kinds of targets share: noun phrases, and examples with correct values."""

from __future__ import annotations

import numpy as np
import pytest

from tests.profile.measurements.examples import (
    Example,
    assert_display_text,
    assert_example,
    ints,
    names_of,
    t,
)


@pytest.mark.parametrize("name", names_of("litecheck.targets.measurements"))
def test_display_text_is_a_noun_phrase_with_an_example(name: str) -> None:
    assert_display_text(name)


_INT32 = t(4, dtype="int32", scale=0.5)
#: measurement, operator, tensors by role, options, value in the docstring
EXAMPLES: list[Example] = [
    ("bool_graph_io", "LOGICAL_NOT", {"input": t(4, dtype="bool"), "output": t(4, dtype="bool")}, {}, 2),
    ("rank0_feature_maps", "ADD", {"lhs": t(), "rhs": t(4), "output": t(4)}, {}, 1),
    ("dtype_change_not_int8_to_int16", "SOFTMAX", {"input": t(4, dtype="int16"), "output": t(4)}, {}, 1),
    ("io_dtype_count", "QUANTIZE", {"input": t(4), "output": t(4, dtype="int16")}, {}, 2),
    ("input_dtype", "SOFTMAX", {"input": t(4, dtype="int16"), "output": t(4)}, {}, "int16"),
    ("scales_above_2_32", "RELU", {"input": t(4, scale=2.0**32), "output": t(4, scale=0.5)}, {}, 1),
    ("per_axis_feature_maps", "RELU", {"input": t(2, scale=[0.5, 0.25]), "output": t(2, scale=0.5)}, {}, 1),
    ("unquantized_feature_maps", "RELU", {"input": t(4), "output": t(4, scale=0.5)}, {}, 1),
    ("nonzero_zero_point_int32", "NEG",
     {"input": t(4, dtype="int32", scale=0.5, zero=3), "output": _INT32}, {}, 1),
    ("feature_map_quantizations", "MAXIMUM",
     {"lhs": t(4, scale=0.5, zero=3), "rhs": t(4, scale=0.5, zero=3), "output": t(4, scale=0.25, zero=3)}, {}, 2),
    ("io_scale_mismatch", "RESHAPE", {"input": t(4, scale=0.5), "output": t(4, scale=0.25)}, {}, 1),
    ("input_zero_points_beyond_8bit", "RELU",
     {"input": t(4, dtype="int16", scale=0.5, zero=5), "output": t(4, dtype="int16", scale=0.5)}, {}, 1),
    ("output_zero_points_beyond_8bit", "RELU",
     {"input": t(4, dtype="int16", scale=0.5), "output": t(4, dtype="int16", scale=0.5, zero=200)}, {}, 1),
    ("broadcast_shape_mismatch", "ADD", {"lhs": t(1, 4, 4, 8), "rhs": t(8), "output": t(1, 4, 4, 4)}, {}, 1),
    ("output_shape_differs", "GELU", {"input": t(1, 4), "output": t(4)}, {}, 1),
    ("peephole_weights", "UNIDIRECTIONAL_SEQUENCE_LSTM",
     {"input": t(1, 2, 4), "cell_to_forget_weights": t(4, data=np.ones(4)),
      "cell_to_output_weights": t(4, data=np.ones(4)), "output": t(1, 2, 4)}, {}, 2),
    ("projection_tensors", "UNIDIRECTIONAL_SEQUENCE_LSTM",
     {"input": t(1, 2, 4), "projection_weights": t(4, data=np.ones(4)), "projection_bias": ints(1, 1, 1, 1),
      "output": t(1, 2, 4)}, {}, 2),
    ("largest_batch_product", "RELU", {"input": t(2, 3, 4, 4, 8), "output": t(1, 4, 4, 8)}, {}, 6),
    ("feature_map_rank", "RESHAPE", {"input": t(1, 4, 4, 8), "output": t(1, 128)}, {}, 4),
    ("farthest_axis_from_end", "MEAN", {"input": t(1, 5, 7, 8), "axis": ints(1, 2), "output": t(1, 8)}, {}, -3),
    ("concat_depth_gcd", "CONCATENATION",
     {"values": t(1, 4, 4, 32), "values+": t(1, 4, 4, 48), "output": t(1, 4, 4, 80)}, {"axis": 3}, 16),
    ("square_side", "MEAN", {"input": t(1, 7, 7, 8), "axis": ints(1, 2), "output": t(1, 8)}, {}, 7),
    ("odd_height_width", "MAX_POOL_2D", {"input": t(1, 5, 4, 8), "output": t(1, 2, 2, 8)}, {}, 1),
    ("pads_outside_hw", "PAD",
     {"input": t(1, 2, 2, 8), "paddings": ints([0, 0], [1, 1], [1, 1], [0, 2]), "output": t(1, 4, 4, 10)}, {}, 1),
    ("channel_multiplier", "DEPTHWISE_CONV_2D",
     {"input": t(1, 4, 4, 4), "weight": t(1, 3, 3, 8), "output": t(1, 4, 4, 8)}, {}, 2),
    ("not_2x_sides", "RESIZE_BILINEAR",
     {"input": t(1, 4, 4, 8), "size": ints(8, 9), "output": t(1, 8, 9, 8)}, {}, 1),
]  # fmt: skip


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example[0])
def test_the_example_in_the_text_is_right(example: Example) -> None:
    assert_example(example)


def test_every_measurement_but_one_has_an_evaluated_example() -> None:
    """A blockwise tensor reads its scales from a separate tensor, which the builder of examples does not support."""
    assert set(names_of("litecheck.targets.measurements")) - {name for name, *_ in EXAMPLES} == {
        "blockwise_int4"
    }
