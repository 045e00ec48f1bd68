"""Laws without a runtime: shapes, complete texts of misfits, and unknown dimensions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from litecheck.model.build import options_table
from litecheck.model.shapes import LAWS, Call, ShapedOperand, ShapeError, Shapes
from litecheck.model.types import Tensor


def operand(value: Any, dtype: str = "float32") -> ShapedOperand:
    """Return an operand: a tuple is a shape at run time, a list or number an int32 constant, None an unknown rank."""
    if value is None:
        return ShapedOperand(Tensor(0, "", "float32", ()), None)
    if isinstance(value, tuple):
        return ShapedOperand(Tensor(0, "", dtype, tuple(dim or 1 for dim in value)), value)
    array = np.asarray(value, np.int32)
    data = np.frombuffer(array.tobytes(), np.uint8)
    return ShapedOperand(Tensor(0, "", "int32", array.shape, data=data), array.shape)


def shapes_of_law(
    law: str, opcode: str, options: dict[str, Any], results: int = 1, **operands: Any
) -> Shapes:
    """Return the shapes of the law; a list of tuples under ``values`` repeats the operand."""
    roles = {
        role: tuple(map(operand, value))
        if role == "values" and isinstance(value, list)
        else (operand(value, "int32" if role == "shape" else "float32"),)
        for role, value in operands.items()
    }
    roles.setdefault("output", (ShapedOperand(Tensor(0, "", "float32", ()), None),))
    return LAWS[law](Call(opcode, roles, options_table(opcode, **options), results))


STRIDES = {"stride_w": 2, "stride_h": 1}
FITS = [
    ("elementwise", "RELU", {}, {"input": (1, None, 3)}, (1, None, 3)),
    ("elementwise", "RELU", {}, {"input": None}, None),
    ("broadcast", "ADD", {}, {"lhs": (4, 1, 3), "rhs": (5, 1)}, (4, 5, 3)),
    ("broadcast", "ADD", {}, {"lhs": (None, 3), "rhs": (2, 1)}, (2, 3)),
    ("broadcast", "ADD", {}, {"lhs": (None, 3), "rhs": (1, 1)}, (None, 3)),
    ("broadcast", "ADD", {}, {"lhs": (), "rhs": ()}, ()),
    ("conv_2d", "CONV_2D", {"padding": "SAME", **STRIDES}, {"input": (1, 5, 5, 3), "weight": (8, 3, 3, 3)}, (1, 5, 3, 8)),
    ("conv_2d", "CONV_2D", {"padding": "VALID", **STRIDES}, {"input": (1, 5, 5, 4), "weight": (8, 3, 3, 2)}, (1, 3, 2, 8)),
    ("conv_2d", "CONV_2D", {"padding": "VALID", "dilation_h_factor": 2, **STRIDES},
     {"input": (None, 5, None, 4), "weight": (8, 3, 3, 2)}, (None, 1, None, 8)),
    ("depthwise_conv_2d", "DEPTHWISE_CONV_2D", STRIDES, {"input": (1, 4, 4, 2), "weight": (1, 3, 3, 6)}, (1, 4, 2, 6)),
    ("transpose_conv", "TRANSPOSE_CONV", {"stride_w": 2, "stride_h": 2},
     {"output_shape": [1, 6, 8, 5], "weight": (5, 2, 2, 3), "input": (1, 3, 4, 3)}, (1, 6, 8, 5)),
    ("pool_2d", "MAX_POOL_2D", {"padding": "VALID", "filter_width": 2, "filter_height": 2, "stride_w": 2, "stride_h": 2},
     {"input": (1, 5, 4, 3)}, (1, 2, 2, 3)),
    ("fully_connected", "FULLY_CONNECTED", {}, {"input": (2, 3, 4), "weight": (5, 12)}, (2, 5)),
    ("fully_connected", "FULLY_CONNECTED", {"keep_num_dims": True}, {"input": (2, None, 4), "weight": (5, 4)}, (2, None, 5)),
    ("batch_matmul", "BATCH_MATMUL", {"adj_x": True}, {"lhs": (2, 1, 4, 3), "rhs": (5, 4, 6)}, (2, 5, 3, 6)),
    ("reduce", "MEAN", {}, {"input": (1, 4, 5, 3), "axis": [1, -2]}, (1, 3)),
    ("reduce", "MEAN", {"keep_dims": True}, {"input": (1, 4, 5, 3), "axis": [1, 2]}, (1, 1, 1, 3)),
    ("reduce", "MEAN", {"keep_dims": True}, {"input": (1, 4), "axis": (1,)}, (None, None)),
    ("arg_extreme", "ARG_MAX", {}, {"input": (1, 4, 5), "axis": -1}, (1, 4)),
    ("reshape", "RESHAPE", {"new_shape": [2, -1]}, {"input": (3, 4)}, (2, 6)),
    ("reshape", "RESHAPE", {"new_shape": [2, 6]}, {"input": (3, 4), "shape": [4, -1]}, (4, 3)),
    ("reshape", "RESHAPE", {}, {"input": (3, None), "shape": [4, -1]}, (4, None)),
    ("reshape", "RESHAPE", {}, {"input": (3, 4), "shape": (3,)}, (None, None, None)),
    ("reshape", "RESHAPE", {"new_shape": [0]}, {"input": (1, 1)}, ()),
    ("squeeze", "SQUEEZE", {"squeeze_dims": [-1]}, {"input": (1, 3, 1)}, (1, 3)),
    ("squeeze", "SQUEEZE", {}, {"input": (1, 3, 1)}, (3,)),
    ("expand_dims", "EXPAND_DIMS", {}, {"input": (3, 4), "axis": -1}, (3, 4, 1)),
    ("transpose", "TRANSPOSE", {}, {"input": (2, 3, None), "perm": [2, 0, 1]}, (None, 2, 3)),
    ("slice", "SLICE", {}, {"input": (4, 5), "begin": [1, 2], "size": [2, -1]}, (2, 3)),
    ("strided_slice", "STRIDED_SLICE", {"shrink_axis_mask": 1},
     {"input": (4, 5, 6), "begin": [1, 0], "end": [2, 5], "strides": [1, 2]}, (3, 6)),
    ("strided_slice", "STRIDED_SLICE", {"ellipsis_mask": 1, "new_axis_mask": 2},
     {"input": (4, 5), "begin": [0, 0, -2], "end": [0, 0, 9], "strides": [1, 1, 1]}, (4, 1, 2)),
    ("concatenation", "CONCATENATION", {"axis": -1}, {"values": [(2, 3), (None, 4)]}, (2, 7)),
    ("pack", "PACK", {"axis": 1, "values_count": 2}, {"values": [(3, 4), (3, 4)]}, (3, 2, 4)),
    ("tile", "TILE", {}, {"input": (2, 3), "multiples": [2, 1]}, (4, 3)),
    ("broadcast_to", "BROADCAST_TO", {}, {"input": (1, 3), "shape": [2, 5, 3]}, (2, 5, 3)),
    ("pad", "PAD", {}, {"input": (2, 3), "paddings": [[1, 1], [0, 2]]}, (4, 5)),
    ("mirror_pad", "MIRROR_PAD", {}, {"input": (3,), "paddings": [[2, 1]]}, (6,)),
    ("gather", "GATHER", {"axis": 1, "batch_dims": 1}, {"input": (2, 5, 4), "indices": [[0, 4, 1], [2, 3, 0]]}, (2, 3, 4)),
    ("gather_nd", "GATHER_ND", {}, {"input": (4, 5, 6), "indices": [[1, 4], [3, 0]]}, (2, 6)),
    ("scatter_nd", "SCATTER_ND", {}, {"indices": [[1], [3]], "updates": (2, 6), "shape": [4, 6]}, (4, 6)),
    ("space_to_batch", "SPACE_TO_BATCH_ND", {},
     {"input": (1, 3, 4, 2), "block_shape": [2, 2], "paddings": [[0, 1], [0, 0]]}, (4, 2, 2, 2)),
    ("batch_to_space", "BATCH_TO_SPACE_ND", {},
     {"input": (4, 2, 2, 2), "block_shape": [2, 2], "crops": [[0, 1], [0, 0]]}, (1, 3, 4, 2)),
    ("depth_to_space", "DEPTH_TO_SPACE", {"block_size": 2}, {"input": (1, 2, 3, 12)}, (1, 4, 6, 3)),
    ("one_hot", "ONE_HOT", {"axis": -1}, {"indices": (3,), "depth": 4, "on_value": 1, "off_value": 0}, (3, 4)),
    ("fill", "FILL", {}, {"dims": [2, 3], "value": ()}, (2, 3)),
    ("range", "RANGE", {}, {"start": 1, "limit": 8, "delta": 3}, (3,)),
    ("where", "WHERE", {}, {"condition": (2, 3)}, (None, 2)),
    ("embedding_lookup", "EMBEDDING_LOOKUP", {}, {"indices": [2, 0], "table": (4, 7)}, (2, 7)),
    ("svdf", "SVDF", {"rank": 2}, {"input": (1, 3), "weights_feature": (8, 3), "weights_time": (8, 5), "state": (1, 40)},
     (1, 4)),
]  # fmt: skip


@pytest.mark.parametrize(
    ("law", "opcode", "options", "operands", "shape"), FITS, ids=lambda v: v if isinstance(v, str) else ""
)
def test_the_shape_of_the_result(law: str, opcode: str, options: dict, operands: dict, shape: Any) -> None:
    assert shapes_of_law(law, opcode, options, **operands)[0] == shape


MISFITS = [
    ("broadcast", "ADD", {}, {"lhs": (2, 3), "rhs": (2, 4)}, "rhs", "[2, 3] and [2, 4] do not broadcast"),
    ("conv_2d", "CONV_2D", STRIDES, {"input": (1, 5, 5, 3), "weight": (8, 3, 3, 4)}, "weight",
     "the input has 3 channels, the weight takes 4 and gives 8"),
    ("conv_2d", "CONV_2D", {"stride_h": 1}, {"input": (1, 5, 5, 3), "weight": (8, 3, 3, 3)}, None,
     "stride_w is 0, at least 1 wanted"),
    ("conv_2d", "CONV_2D", STRIDES, {"input": (5, 5, 3), "weight": (8, 3, 3, 3)}, "input",
     "the input has 3 dimensions, 4 wanted"),
    ("conv_2d", "CONV_2D", STRIDES, {"input": (1, 5, 5, 3), "weight": (8, 3, 3, 3), "bias": (7,)}, "bias",
     "the bias has 7 values for 8 output channels"),
    ("fully_connected", "FULLY_CONNECTED", {}, {"input": (2, 5), "weight": (5, 4)}, "weight",
     "the input has 10 values, no multiple of the weight's 4"),
    ("batch_matmul", "BATCH_MATMUL", {}, {"lhs": (2, 3), "rhs": (4, 5)}, "rhs",
     "the rows of lhs have 3 values, the columns of rhs 4"),
    ("reduce", "MEAN", {}, {"input": (1, 4), "axis": [2]}, "axis", "axis 2 is outside a tensor of 2 dimensions"),
    ("reshape", "RESHAPE", {}, {"input": (3, 4), "shape": [5, -1]}, "shape",
     "the input has 12 elements, the new shape [5, -1] wants a multiple of 5"),
    ("reshape", "RESHAPE", {"new_shape": [5]}, {"input": (3, 4)}, "shape",
     "the input has 12 elements, the new shape [5] has 5"),
    ("transpose", "TRANSPOSE", {}, {"input": (3, 4), "perm": [0, 0]}, "perm",
     "perm is [0, 0], no permutation of 2 dimensions"),
    ("slice", "SLICE", {}, {"input": (4,), "begin": [3], "size": [2]}, "size",
     "2 elements from 3 on reach beyond a length of 4"),
    ("strided_slice", "STRIDED_SLICE", {}, {"input": (4,), "begin": [0], "end": [4], "strides": [0]}, "strides",
     "a stride is 0"),
    ("concatenation", "CONCATENATION", {"axis": 0}, {"values": [(2, 3), (2, 4)]}, "values",
     "the values are [2, 3] and [2, 4]"),
    ("pack", "PACK", {"values_count": 3}, {"values": [(2,), (2,)]}, None, "values_count is 3, there are 2 values"),
    ("pad", "PAD", {}, {"input": (2,), "paddings": [[-1, 0]]}, "paddings",
     "the paddings are [-1, 0], with negative ones"),
    ("gather", "GATHER", {}, {"input": (3,), "indices": [1, 3]}, "indices", "index 3 is outside a length of 3"),
    ("space_to_depth", "SPACE_TO_DEPTH", {"block_size": 2}, {"input": (1, 3, 4, 1)}, "input",
     "a length of 3 is not a multiple of 2"),
    ("top_k", "TOPK_V2", {}, {"input": (2, 3), "k": 4}, "k", "k is 4, the last dimension 3"),
    ("svdf", "SVDF", {"rank": 3}, {"input": (1, 3), "weights_feature": (8, 3), "weights_time": (8, 5)}, None,
     "rank is 3, the feature weights have 8 filters"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("law", "opcode", "options", "operands", "role", "found"),
    MISFITS,
    ids=lambda v: v if isinstance(v, str) else "",
)
def test_misfits_of_laws(
    law: str, opcode: str, options: dict, operands: dict, role: str | None, found: str
) -> None:
    with pytest.raises(ShapeError) as caught:
        shapes_of_law(law, opcode, options, **operands)
    assert (caught.value.role, caught.value.found) == (role, found)


def test_split_gives_as_many_shapes_as_results() -> None:
    assert shapes_of_law(
        "split_v", "SPLIT_V", {"num_splits": 2}, 2, input=(2, 7), size_splits=[3, -1], axis=1
    ) == (
        (2, 3),
        (2, 4),
    )
    assert shapes_of_law("unpack", "UNPACK", {"num": 2}, 2, input=(2, 7)) == ((7,), (7,))
    with pytest.raises(ShapeError, match="num_splits is 2, there are 3 outputs"):
        shapes_of_law("split", "SPLIT", {"num_splits": 2}, 3, axis=0, input=(4,))


@pytest.mark.parametrize("law", sorted(LAWS))
def test_unknown_operands_raise_only_misfits(law: str) -> None:
    for roles in ({}, {"input": (ShapedOperand(Tensor(0, "", "float32", ()), None),)}):
        try:
            answer = LAWS[law](Call("X", roles, None, 1))
        except ShapeError:
            continue
        assert isinstance(answer, tuple)


@pytest.mark.parametrize("damage", [np.zeros(3, np.uint8), np.zeros(0, np.uint8), None])
def test_a_damaged_constant_counts_as_not_known(damage: np.ndarray | None) -> None:
    perm = ShapedOperand(Tensor(0, "", "int32", (2,), data=damage), (2,))
    call = Call("TRANSPOSE", {"input": (operand((2, 3)),), "perm": (perm,)}, None, 1)
    assert LAWS["transpose"](call) == ((None, None),)


def test_huge_stated_shapes_are_not_allocated() -> None:
    huge = (2**31 - 1,) * 6
    assert (
        shapes_of_law("tile", "TILE", {}, input=huge, multiples=[2**31 - 1] * 6)[0]
        == (((2**31 - 1) ** 2),) * 6
    )
    assert shapes_of_law("fill", "FILL", {}, dims=[2**31 - 1] * 5, value=())[0] == (2**31 - 1,) * 5
