"""Shapes of windows and matrix products, from lengths that are easy to compute by hand."""

from __future__ import annotations

from typing import Any

import pytest

from litecheck.model.shapes import ShapeError
from litecheck.model.shapes.conv import window_output_size
from tests.model.shapes.test_laws import shapes_of_law

ONE = {"stride_h": 1, "stride_w": 1}
THREE = {"stride_d": 1, **ONE}


def refused(law: str, opcode: str, options: dict[str, Any], **operands: Any) -> tuple[str | None, str]:
    with pytest.raises(ShapeError) as raised:
        shapes_of_law(law, opcode, options, **operands)
    return raised.value.role, raised.value.found


@pytest.mark.parametrize(
    ("padding", "size", "window", "stride", "dilation", "expected"),
    [
        (0, 5, 3, 1, 1, 5), (0, 5, 3, 2, 1, 3), (0, 6, 3, 2, 1, 3), (0, 7, 9, 3, 1, 3), (0, None, 3, 1, 1, None),
        (0, 5, None, 2, 1, 3), (1, 5, 3, 1, 1, 3), (1, 5, 3, 2, 1, 2), (1, 6, 3, 2, 1, 2), (1, 7, 3, 2, 1, 3),
        (1, 7, 3, 1, 3, 1), (1, 8, 3, 1, 3, 2), (1, 3, 3, 2, 1, 1), (1, 2, 3, 2, 1, 0), (1, 1, 3, 2, 1, 0),
        (1, 1, 5, 2, 1, -1), (1, 1, 4, 2, 1, 0), (1, 5, None, 1, 1, None), (1, None, 3, 1, 1, None),
    ],
)  # fmt: skip
def test_number_of_positions_of_a_window(
    padding: int, size: int | None, window: int | None, stride: int, dilation: int, expected: int | None
) -> None:
    from litecheck.model.build import options_table
    from litecheck.model.shapes import Call

    call = Call("CONV_2D", {}, options_table("CONV_2D", padding=padding), 1)
    assert window_output_size(call, (size,), (window,), [stride], [dilation]) == (expected,)


@pytest.mark.parametrize(
    ("law", "opcode", "options", "operands", "shape"),
    [
        ("conv_2d", "CONV_2D", {"padding": "VALID", **ONE}, {"input": (2, 5, 7, 4), "weight": (6, 2, 3, 2)}, (2, 4, 5, 6)),
        ("conv_2d", "CONV_2D", ONE, {"input": None, "weight": None}, (None,) * 4),
        ("conv_2d", "CONV_2D", ONE, {"input": (1, 5, 5, 2), "weight": (6, 1, 1, 2), "bias": (6,)}, (1, 5, 5, 6)),
        ("depthwise_conv_2d", "DEPTHWISE_CONV_2D", {"padding": "VALID", "dilation_w_factor": 2, **ONE},
         {"input": (2, 5, 7, 2), "weight": (1, 2, 3, 6), "bias": (6,)}, (2, 4, 3, 6)),
        ("conv_3d", "CONV_3D", {"padding": "VALID", **THREE, "stride_d": 2, "dilation_h_factor": 2},
         {"input": (2, 5, 6, 7, 3), "weight": (3, 2, 2, 3, 8)}, (2, 2, 4, 6, 8)),
        ("conv_3d", "CONV_3D", THREE, {"input": None, "weight": None}, (None,) * 5),
        ("conv_3d_transpose", "CONV_3D_TRANSPOSE", {**THREE, "stride_d": 2, "padding": "VALID"},
         {"output_shape": [1, 6, 4, 5, 8], "weight": (2, 1, 2, 8, 3), "input": (1, 3, 4, 4, 3)}, (1, 6, 4, 5, 8)),
        ("conv_3d_transpose", "CONV_3D_TRANSPOSE", {**THREE, "padding": "VALID", "dilation_d_factor": 3},
         {"output_shape": [1, 6, 4, 5, 8], "weight": (2, 1, 1, 8, 3), "input": (1, 3, 4, 5, 3)}, (1, 6, 4, 5, 8)),
        ("transpose_conv", "TRANSPOSE_CONV", {"padding": "VALID", "stride_h": 2, "stride_w": 1},
         {"output_shape": [1, 7, 6, 5], "weight": (5, 3, 2, 3), "input": (1, 3, 5, 3)}, (1, 7, 6, 5)),
        ("transpose_conv", "TRANSPOSE_CONV", ONE,
         {"output_shape": (4,), "weight": (5, 3, 2, 3), "input": (2, 3, 5, 3)}, (2, None, None, 5)),
        ("pool_2d", "MAX_POOL_2D", {"padding": "VALID", "filter_height": 2, "filter_width": 3, **ONE},
         {"input": (2, 5, 7, 3)}, (2, 4, 5, 3)),
        ("pool_2d", "MAX_POOL_2D", {"padding": "VALID", "filter_height": 2, "filter_width": 9, **ONE},
         {"input": (2, 5, 7, 3)}, (2, 0, 0, 3)),
        ("pool_2d", "MAX_POOL_2D", {"padding": "VALID", "filter_height": 9, "filter_width": 2, **ONE},
         {"input": (2, 5, 7, 3)}, (2, 0, 6, 3)),
        ("pool_2d", "MAX_POOL_2D", {"filter_height": 0, "filter_width": 2, **ONE}, {"input": (2, 5, 7, 3)}, (2, 0, 7, 3)),
        ("pool_2d", "MAX_POOL_2D", {"padding": "VALID", "filter_height": 2, "filter_width": 2, **ONE},
         {"input": (2, 5, None, 3)}, (2, None, None, 3)),
        ("pool_2d", "MAX_POOL_2D", {"filter_height": 2, "filter_width": 2, **ONE},
         {"input": (2, 5, None, 3)}, (2, 5, None, 3)),
        ("fully_connected", "FULLY_CONNECTED", {}, {"input": None, "weight": (5, 4)}, (None, 5)),
        ("fully_connected", "FULLY_CONNECTED", {}, {"input": (2, None), "weight": (5, 4), "bias": (5,)}, (None, 5)),
        ("fully_connected", "FULLY_CONNECTED", {"keep_num_dims": True}, {"input": None, "weight": (5, 4)}, None),
        ("batch_matmul", "BATCH_MATMUL", {"adj_y": True}, {"lhs": (2, 3, 4), "rhs": (6, 4)}, (2, 3, 6)),
        ("batch_matmul", "BATCH_MATMUL", {}, {"lhs": None, "rhs": (4, 6)}, None),
        ("batch_matmul", "BATCH_MATMUL", {}, {"lhs": (4, 6), "rhs": None}, None),
    ],
)  # fmt: skip
def test_shapes(law: str, opcode: str, options: dict[str, Any], operands: dict[str, Any], shape: Any) -> None:
    assert shapes_of_law(law, opcode, options, **operands) == (shape,)


@pytest.mark.parametrize(
    ("law", "opcode", "options", "operands", "role", "found"),
    [
        ("conv_2d", "CONV_2D", ONE, {"input": (1, 0, 5, 3), "weight": (8, 3, 3, 3)}, "input",
         "the input is [1, 0, 5, 3], with nothing to slide over"),
        ("conv_2d", "CONV_2D", ONE, {"input": (1, 5, 0, 3), "weight": (8, 3, 3, 3)}, "input",
         "the input is [1, 5, 0, 3], with nothing to slide over"),
        ("conv_2d", "CONV_2D", ONE, {"input": (1, 5, 5, 3), "weight": (8, 3, 0, 3)}, "weight",
         "the weight is [8, 3, 0, 3], a window of nothing"),
        ("conv_2d", "CONV_2D", ONE, {"input": (1, 5, 5, 3), "weight": (8, 3, 3, 0)}, "weight",
         "the weight takes no channels"),
        ("conv_2d", "CONV_2D", ONE, {"input": (1, 5, 5, 4), "weight": (5, 3, 3, 2)}, "weight",
         "the input has 4 channels, the weight takes 2 and gives 5"),
        ("conv_2d", "CONV_2D", ONE, {"input": (1, 5, 5, 2), "weight": (4, 3, 3, 4)}, "weight",
         "the input has 2 channels, the weight takes 4 and gives 4"),
        ("conv_2d", "CONV_2D", {"dilation_w_factor": 0, **ONE}, {"input": (1, 5, 5, 4), "weight": (5, 3, 3, 4)}, None,
         "dilation_w_factor is 0, at least 1 wanted"),
        ("conv_2d", "CONV_2D", {"padding": 2, **ONE}, {"input": (1, 5, 5, 4), "weight": (5, 3, 3, 4)}, None,
         "padding is 2, neither SAME (0) nor VALID (1)"),
        ("conv_2d", "CONV_2D", {"padding": "VALID", **ONE}, {"input": (1, 1, 5, 4), "weight": (5, 3, 3, 4)}, "weight",
         "a window of [3, 3] does not fit into [1, 5]"),
        ("depthwise_conv_2d", "DEPTHWISE_CONV_2D", ONE, {"input": (1, 4, 4, 2), "weight": (2, 3, 3, 6)}, "weight",
         "the first dimension of the weight is 2, 1 wanted"),
        ("depthwise_conv_2d", "DEPTHWISE_CONV_2D", ONE, {"input": (1, 4, 4, 4), "weight": (1, 3, 3, 6)}, "weight",
         "the weight has 6 channels, no multiple of the input's 4"),
        ("depthwise_conv_2d", "DEPTHWISE_CONV_2D", ONE, {"input": (1, 4, 4, 0), "weight": (1, 3, 3, 6)}, "weight",
         "the weight has 6 channels, no multiple of the input's 0"),
        ("depthwise_conv_2d", "DEPTHWISE_CONV_2D", ONE,
         {"input": (1, 4, 4, 2), "weight": (1, 3, 3, 6), "bias": (1, 6)}, "bias", "the bias has 2 dimensions, 1 wanted"),
        ("conv_3d", "CONV_3D", THREE, {"input": (1, 5, 5, 0, 3), "weight": (3, 2, 2, 3, 8)}, "weight",
         "the weight is [3, 2, 2, 3, 8], the input [1, 5, 5, 0, 3], with nothing to slide over"),
        ("conv_3d", "CONV_3D", THREE, {"input": (1, 5, 5, 5, 3), "weight": (3, 2, 0, 3, 8)}, "weight",
         "the weight is [3, 2, 0, 3, 8], the input [1, 5, 5, 5, 3], with nothing to slide over"),
        ("conv_3d", "CONV_3D", THREE, {"input": (1, 5, 5, 5, 3), "weight": (3, 2, 2, 4, 8)}, "weight",
         "the input has 3 channels, the weight takes 4"),
        ("conv_3d", "CONV_3D", THREE, {"input": (1, 5, 5, 5, 3), "weight": (3, 2, 2, 3, 8), "bias": (7,)}, "bias",
         "the bias has 7 values for 8 output channels"),
        ("transpose_conv", "TRANSPOSE_CONV", ONE,
         {"output_shape": [1, 6, 8, 5], "weight": (5, 0, 2, 3), "input": (1, 6, 8, 3)}, "weight",
         "the weight is [5, 0, 2, 3], a window of nothing"),
        ("transpose_conv", "TRANSPOSE_CONV", ONE,
         {"output_shape": [1, 6, 8, 5], "weight": (5, 2, 2, 0), "input": (1, 6, 8, 0)}, "weight",
         "the weight is [5, 2, 2, 0], a window of nothing"),
        ("transpose_conv", "TRANSPOSE_CONV", ONE,
         {"output_shape": [1, 6, 8, 5], "weight": (5, 2, 2, 3), "input": (1, 0, 8, 3)}, "input",
         "the input is [1, 0, 8, 3], a window of nothing"),
        ("transpose_conv", "TRANSPOSE_CONV", ONE,
         {"output_shape": [1, 6, 8, 4], "weight": (5, 2, 2, 3), "input": (1, 6, 8, 3)}, "output_shape",
         "the output shape is [1, 6, 8, 4], with 1 batches and 5 channels to fill it"),
        ("transpose_conv", "TRANSPOSE_CONV", ONE,
         {"output_shape": [2, 6, 8, 5], "weight": (5, 2, 2, 3), "input": (1, 6, 8, 3)}, "output_shape",
         "the output shape is [2, 6, 8, 5], with 1 batches and 5 channels to fill it"),
        ("transpose_conv", "TRANSPOSE_CONV", ONE,
         {"output_shape": [1, 0, 8, 5], "weight": (5, 2, 2, 3), "input": (1, 6, 8, 3)}, "output_shape",
         "the output shape is [1, 0, 8, 5], with 1 batches and 5 channels to fill it"),
        ("transpose_conv", "TRANSPOSE_CONV", {**ONE, "padding": "VALID"},
         {"output_shape": [1, 6, 8, 5], "weight": (5, 2, 2, 3), "input": (1, 6, 7, 3)}, "output_shape",
         "a window over an output of 6 gives no length of 6, as the input has"),
        ("fully_connected", "FULLY_CONNECTED", {}, {"input": (2, 4), "weight": (5, 0)}, "weight",
         "the weight has rows of length 0"),
        ("fully_connected", "FULLY_CONNECTED", {}, {"input": (2, 4), "weight": (5, 4), "bias": (4,)}, "bias",
         "the bias has 4 values for 5 units"),
        ("fully_connected", "FULLY_CONNECTED", {"keep_num_dims": True}, {"input": (2, 8), "weight": (5, 4)}, "weight",
         "the input is [2, 8], the weight takes rows of 4"),
        ("fully_connected", "FULLY_CONNECTED", {"keep_num_dims": True}, {"input": (), "weight": (5, 4)}, "weight",
         "the input is [], the weight takes rows of 4"),
    ],
)  # fmt: skip
def test_misfits(
    law: str, opcode: str, options: dict[str, Any], operands: dict[str, Any], role: str | None, found: str
) -> None:
    assert refused(law, opcode, options, **operands) == (role, found)
