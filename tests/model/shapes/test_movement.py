"""Shapes of operators that rearrange elements, and the text of each misfit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from litecheck.model.build import options_table
from litecheck.model.shapes import LAWS, Call, ShapedOperand, ShapeError
from litecheck.model.types import Tensor
from tests.model.shapes.test_laws import shapes_of_law

BLOCKS = {"block_shape": [2, 3], "paddings": [[1, 0], [2, 1]]}


@pytest.mark.parametrize(
    ("law", "opcode", "options", "operands", "shape"),
    [
        ("reshape", "RESHAPE", {"new_shape": [3, 2]}, {"input": (2, 3)}, (3, 2)),
        ("reshape", "RESHAPE", {"new_shape": [0, 5]}, {"input": (0, 4)}, (0, 5)),
        ("reshape", "RESHAPE", {"new_shape": [-1, 0]}, {"input": (0, 4)}, (0, 0)),
        ("squeeze", "SQUEEZE", {}, {"input": (1, None, 3)}, None),
        ("squeeze", "SQUEEZE", {"squeeze_dims": [0, 2]}, {"input": (1, 3, None)}, (3,)),
        ("squeeze", "SQUEEZE", {}, {"input": None}, None),
        ("expand_dims", "EXPAND_DIMS", {}, {"input": (3, 4), "axis": 0}, (1, 3, 4)),
        ("expand_dims", "EXPAND_DIMS", {}, {"input": (3, 4), "axis": -2}, (3, 1, 4)),
        ("expand_dims", "EXPAND_DIMS", {}, {"input": (3, 4), "axis": ()}, (None,) * 3),
        ("expand_dims", "EXPAND_DIMS", {}, {"input": None, "axis": 0}, None),
        ("transpose", "TRANSPOSE", {}, {"input": (2, 3), "perm": [-1, 0]}, (3, 2)),
        ("transpose", "TRANSPOSE", {}, {"input": (2, 3), "perm": (2,)}, (None, None)),
        ("transpose", "TRANSPOSE", {}, {"input": None, "perm": [1, 0, 2]}, (None,) * 3),
        ("reverse", "REVERSE_V2", {}, {"input": (2, 3, 4), "axis": [2, 1]}, (2, 3, 4)),
        ("reverse", "REVERSE_V2", {}, {"input": (2, 3, 4), "axis": [-1]}, (2, 3, 4)),
        ("reverse_sequence", "REVERSE_SEQUENCE", {"seq_dim": 1, "batch_dim": 0},
         {"input": (2, 3), "lengths": [3, 0]}, (2, 3)),
        ("space_to_depth", "SPACE_TO_DEPTH", {"block_size": 2}, {"input": (1, 4, 6, 3)}, (1, 2, 3, 12)),
        ("space_to_depth", "SPACE_TO_DEPTH", {"block_size": 2}, {"input": (1, None, 6, None)}, (1, None, 3, None)),
        ("depth_to_space", "DEPTH_TO_SPACE", {"block_size": 3}, {"input": (1, None, 2, 18)}, (1, None, 6, 2)),
        ("space_to_batch", "SPACE_TO_BATCH_ND", {}, {"input": (1, 3, 6, 5), **BLOCKS}, (6, 2, 3, 5)),
        ("space_to_batch", "SPACE_TO_BATCH_ND", {}, {"input": (None, None, 6, 5), **BLOCKS}, (None, None, 3, 5)),
        ("space_to_batch", "SPACE_TO_BATCH_ND", {},
         {"input": (1, 3, 6, 5), "block_shape": (2,), "paddings": [[0, 0], [0, 0]]}, (None, None, None, 5)),
        ("space_to_batch", "SPACE_TO_BATCH_ND", {},
         {"input": (1, 3, 5), "block_shape": [2], "paddings": [[1, 0]]}, (2, 2, 5)),
        ("space_to_batch", "SPACE_TO_BATCH_ND", {}, {"input": None, **BLOCKS}, None),
        ("batch_to_space", "BATCH_TO_SPACE_ND", {},
         {"input": (12, 2, 3, 5), "block_shape": [2, 3], "crops": [[1, 0], [2, 1]]}, (2, 3, 6, 5)),
        ("batch_to_space", "BATCH_TO_SPACE_ND", {},
         {"input": (12, 2, 3, 5), "block_shape": [2, 3], "crops": (2, 2)}, (None, None, None, 5)),
        ("matrix_diag", "MATRIX_DIAG", {}, {"diagonal": (2, 3)}, (2, 3, 3)),
        ("matrix_diag", "MATRIX_DIAG", {}, {"diagonal": None}, None),
        ("matrix_set_diag", "MATRIX_SET_DIAG", {}, {"input": (5, 2, 3), "diagonal": (5, 2)}, (5, 2, 3)),
        ("matrix_set_diag", "MATRIX_SET_DIAG", {}, {"input": (2, None), "diagonal": (9,)}, (2, None)),
    ],
)  # fmt: skip
def test_shapes(law: str, opcode: str, options: dict[str, Any], operands: dict[str, Any], shape: Any) -> None:
    assert shapes_of_law(law, opcode, options, **operands) == (shape,)


@pytest.mark.parametrize(
    ("law", "opcode", "options", "operands", "role", "found"),
    [
        ("reshape", "RESHAPE", {"new_shape": [-1, -1]}, {"input": (2, 3)}, "shape",
         "the new shape is [-1, -1], with more to infer than one length"),
        ("reshape", "RESHAPE", {"new_shape": [-2, 3]}, {"input": (2, 3)}, "shape",
         "the new shape is [-2, 3], with more to infer than one length"),
        ("reshape", "RESHAPE", {"new_shape": [-1, 0]}, {"input": (2, 3)}, "shape",
         "the input has 6 elements, the new shape [-1, 0] wants a multiple of 0"),
        ("squeeze", "SQUEEZE", {"squeeze_dims": [1]}, {"input": (1, 3)}, None,
         "squeeze_dims names dimension 1 of [1, 3], which is not 1"),
        ("squeeze", "SQUEEZE", {}, {"input": (1,) * 9}, "input", "the input has 9 dimensions, 0 to 8 wanted"),
        ("expand_dims", "EXPAND_DIMS", {}, {"input": (3, 4), "axis": 3}, "axis",
         "axis 3 is outside a tensor of 3 dimensions"),
        ("transpose", "TRANSPOSE", {}, {"input": (1,) * 7, "perm": [0] * 7}, "input",
         "the input has 7 dimensions, 0 to 6 wanted"),
        ("reverse", "REVERSE_V2", {}, {"input": (2, 3, 4), "axis": [0, 2]}, "axis",
         "the axes [0, 2] are not neighbours, each once"),
        ("reverse", "REVERSE_V2", {}, {"input": (2, 3, 4), "axis": [1, 1]}, "axis",
         "the axes [1, 1] are not neighbours, each once"),
        ("reverse", "REVERSE_V2", {}, {"input": (2,), "axis": [0, 0]}, "axis", "there are 2 axes, the input [2] has 1"),
        ("reverse_sequence", "REVERSE_SEQUENCE", {"seq_dim": 2}, {"input": (2, 3), "lengths": [3, 0]}, None,
         "seq_dim is 2, outside a tensor of 2 dimensions"),
        ("reverse_sequence", "REVERSE_SEQUENCE", {"seq_dim": 1, "batch_dim": -1}, {"input": (2, 3), "lengths": [3, 0]}, None,
         "batch_dim is -1, outside a tensor of 2 dimensions"),
        ("reverse_sequence", "REVERSE_SEQUENCE", {"seq_dim": 1, "batch_dim": 1}, {"input": (2, 3), "lengths": [3, 0]}, None,
         "seq_dim and batch_dim are both 1"),
        ("reverse_sequence", "REVERSE_SEQUENCE", {"seq_dim": 1}, {"input": (2, 3), "lengths": [3]}, "lengths",
         "there are 1 lengths for 2 batches"),
        ("reverse_sequence", "REVERSE_SEQUENCE", {"seq_dim": 1}, {"input": (2, 3), "lengths": [3, 4]}, "lengths",
         "a length of 4 is beyond dimension 1 of [2, 3]"),
        ("space_to_depth", "SPACE_TO_DEPTH", {}, {"input": (1, 4, 6, 3)}, None, "block_size is 0, at least 1 wanted"),
        ("depth_to_space", "DEPTH_TO_SPACE", {"block_size": 2}, {"input": (1, 4, 6, 6)}, "input",
         "a length of 6 is not a multiple of 4"),
        ("space_to_batch", "SPACE_TO_BATCH_ND", {}, {"input": (1, 4, 6, 5), **BLOCKS}, "input",
         "a length of 5 is not a multiple of 2"),
        ("space_to_batch", "SPACE_TO_BATCH_ND", {},
         {"input": (1, 3, 6, 5), "block_shape": [2, 3], "paddings": [[-2, -2], [0, 0]]}, "paddings",
         "paddings of -2 and -2 leave less than nothing of 3"),
        ("space_to_batch", "SPACE_TO_BATCH_ND", {},
         {"input": (1, 3, 6, 5), "block_shape": [2, 0], "paddings": [[0, 0], [0, 0]]}, "block_shape",
         "the block shape is [2, 0], all at least 1 wanted"),
        ("space_to_batch", "SPACE_TO_BATCH_ND", {},
         {"input": (1, 3, 6, 5), "block_shape": [2, 1], "paddings": [[0, 0, 0], [0, 0, 0]]}, "paddings",
         "the paddings are [2, 3], [2, 2] wanted"),
        ("space_to_batch", "SPACE_TO_BATCH_ND", {},
         {"input": (1, 3, 6, 5), "block_shape": [2, 1], "paddings": [[0, 0]]}, "paddings",
         "the paddings are [1, 2], [2, 2] wanted"),
        ("batch_to_space", "BATCH_TO_SPACE_ND", {},
         {"input": (4, 1, 1, 5), "block_shape": [2, 2], "crops": [[0, -1], [0, 0]]}, "crops",
         "the crops are [(0, -1), (0, 0)], with negative ones"),
        ("batch_to_space", "BATCH_TO_SPACE_ND", {},
         {"input": (4, 1, 1, 5), "block_shape": [2, 2], "crops": [[1, 2], [0, 0]]}, "crops",
         "crops of 1 and 2 leave less than nothing of 1 times 2"),
        ("batch_to_space", "BATCH_TO_SPACE_ND", {},
         {"input": (6, 1, 1, 5), "block_shape": [2, 2], "crops": [[0, 0], [0, 0]]}, "input",
         "a length of 6 is not a multiple of 4"),
        ("matrix_set_diag", "MATRIX_SET_DIAG", {}, {"input": (5, 4, 3), "diagonal": (5, 4)}, "diagonal",
         "the diagonal is [5, 4], [5, 3] wanted"),
        ("matrix_set_diag", "MATRIX_SET_DIAG", {}, {"input": (5, 2, 3), "diagonal": (2,)}, "diagonal",
         "the diagonal is [2], [5, 2] wanted"),
    ],
)  # fmt: skip
def test_misfits(
    law: str, opcode: str, options: dict[str, Any], operands: dict[str, Any], role: str | None, found: str
) -> None:
    with pytest.raises(ShapeError) as raised:
        shapes_of_law(law, opcode, options, **operands)
    assert (raised.value.role, raised.value.found) == (role, found)


@pytest.mark.parametrize(
    ("before", "after", "shape", "expected"),
    [
        ("int32", "float32", (2, 3), (2, 3)),
        ("int32", "int8", (2, 3), (2, 3, 4)),
        ("int8", "int32", (2, 4), (2,)),
        ("int8", "int16", (2, None), (2,)),
        ("int2", "int4", (2, 8), (2, 8)),
        ("int16", "int4", (2,), (2, 2)),
        ("string", "int16", (2, 2), None),
        ("int8", "string", (2, 2), None),
    ],
)
def test_a_bitcast(before: str, after: str, shape: Any, expected: Any) -> None:
    roles = {
        "input": (ShapedOperand(Tensor(0, "", before, (1,)), shape),),
        "output": (ShapedOperand(Tensor(1, "", after, ()), None),),
    }
    assert LAWS["bitcast"](Call("BITCAST", roles, options_table("BITCAST"), 1)) == (expected,)


@pytest.mark.parametrize("shape", [(2, 3), ()])
def test_a_bitcast_without_the_dimension_that_it_takes(shape: Any) -> None:
    roles = {
        "input": (ShapedOperand(Tensor(0, "", "int8", (1,)), shape),),
        "output": (ShapedOperand(Tensor(1, "", "int32", ()), None),),
    }
    with pytest.raises(ShapeError, match="a last dimension of 4 wanted"):
        LAWS["bitcast"](Call("BITCAST", roles, options_table("BITCAST"), 1))


def test_a_new_shape_of_another_type_is_not_read() -> None:
    """The option counts where the operand is not int32."""
    data = np.frombuffer(np.array([6], np.int64).tobytes(), np.uint8)
    roles = {
        "input": (ShapedOperand(Tensor(0, "", "int8", (2, 3)), (2, 3)),),
        "shape": (ShapedOperand(Tensor(1, "", "int64", (1,), data=data), (1,)),),
    }
    assert LAWS["reshape"](Call("RESHAPE", roles, options_table("RESHAPE", new_shape=[3, 2]), 1)) == ((3, 2),)


@pytest.mark.parametrize("length", [0, 3])
def test_a_sequence_as_long_as_its_dimension_fits(length: int) -> None:
    made = shapes_of_law(
        "reverse_sequence", "REVERSE_SEQUENCE", {"seq_dim": 1}, input=(2, 3), lengths=[length, length]
    )
    assert made == ((2, 3),)
