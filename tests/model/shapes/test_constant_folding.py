"""Values of integers that are sliced from shapes and joined, and the outputs with unknown values."""

from __future__ import annotations

from typing import Any

import pytest

from litecheck.model.build import options_table
from litecheck.model.shapes import LAWS, Call
from litecheck.model.shapes.constant_folding import fold, folds
from litecheck.model.stored_values import stored_integers
from litecheck.model.types import Tensor
from tests.model.shapes.test_laws import operand

Shape = tuple[int | None, ...]


def values_of(
    law: str, opcode: str, shape: Shape | None, options: dict[str, Any], dtype: str = "int32", **operands: Any
) -> list[int] | None:
    """Return the folded values of an output of this shape, or None if no values are folded."""
    roles = {
        role: tuple(map(operand, value)) if role == "values" else (operand(value),)
        for role, value in operands.items()
    }
    call = Call(opcode, roles, options_table(opcode, **options), 1)
    found = fold(LAWS[law], call, Tensor(0, "", dtype, (9,)), shape)
    if found is None:
        return None
    assert (found.shape, found.dtype) == (shape, dtype)
    stored = stored_integers(found)
    assert stored is not None
    return list(stored.reshape(-1).tolist())


def test_laws_with_values() -> None:
    followed = {name for name, law in LAWS.items() if folds(law, Tensor(0, "", "int32", ()))}
    assert followed == {
        "shape_of", "strided_slice", "slice", "pack", "concatenation", "gather", "reshape", "expand_dims", "squeeze",
        "cast", "product", "add", "subtract", "multiply", "floor_divide", "maximum", "minimum",
    }  # fmt: skip
    assert not folds(LAWS["add"], Tensor(0, "", "float32", ()))


@pytest.mark.parametrize(
    ("source", "shape", "dtype", "values"),
    [
        ((3, 4), (2,), "int32", [3, 4]),
        ((3, 4), (2,), "int64", [3, 4]),
        ((3, 4), (2,), "int16", None),
        ((3, 4), None, "int32", None),
        ((3, 4), (None,), "int32", None),
        ((3, None), (2,), "int32", None),
        (None, (2,), "int32", None),
        ((1,) * 32, (32,), "int32", [1] * 32),
        ((1,) * 33, (33,), "int32", None),
    ],
)
def test_values_of_a_shape(source: Any, shape: Any, dtype: str, values: Any) -> None:
    assert values_of("shape_of", "SHAPE", shape, {}, dtype, input=source) == values


@pytest.mark.parametrize(
    ("begin", "end", "stride", "masks", "values"),
    [
        (1, 3, 1, {}, [20, 30]),
        (0, 4, 2, {}, [10, 30]),
        (-2, 4, 1, {}, [30, 40]),
        (3, 0, -1, {}, [40, 30, 20]),
        (2, 3, 1, {"begin_mask": 1}, [10, 20, 30]),
        (1, 2, 1, {"end_mask": 1}, [20, 30, 40]),
        (2, 9, 1, {"shrink_axis_mask": 1}, [30]),
        (0, 9, 1, {"shrink_axis_mask": 1}, [10]),
        (-1, 9, 1, {"shrink_axis_mask": 1}, [40]),
        (-4, 9, 1, {"shrink_axis_mask": 1}, [10]),
        (4, 9, 1, {"shrink_axis_mask": 1}, None),
        (-5, 9, 1, {"shrink_axis_mask": 1}, None),
        (1, 3, 1, {"new_axis_mask": 1}, None),
        (1, 3, 1, {"ellipsis_mask": 1}, None),
        (1, 3, 0, {}, None),
    ],
)
def test_values_of_a_slice(begin: int, end: int, stride: int, masks: dict[str, int], values: Any) -> None:
    shape = (len(values or ()),)
    found = values_of("strided_slice", "STRIDED_SLICE", shape, masks,
                      input=[10, 20, 30, 40], begin=[begin], end=[end], strides=[stride])  # fmt: skip
    assert found == values


@pytest.mark.parametrize(
    "changed",
    [
        {"input": (4,)},
        {"begin": (1,)},
        {"end": (1,)},
        {"strides": (1,)},
        {"input": [[10, 20], [30, 40]]},
        {"input": 10},
        {"begin": [1, 1]},
        {"end": [1, 1]},
        {"strides": [1, 1]},
        {"begin": [0, 0], "end": [2, 2], "strides": [1, 1]},
    ],
)
def test_slices_without_values(changed: dict[str, Any]) -> None:
    sound = {"input": [10, 20, 30, 40], "begin": [1], "end": [2], "strides": [1]}
    assert values_of("strided_slice", "STRIDED_SLICE", (1,), {}, **sound) == [20]
    assert values_of("strided_slice", "STRIDED_SLICE", (1,), {}, **{**sound, **changed}) is None


@pytest.mark.parametrize(
    ("law", "values", "expected"),
    [
        ("pack", [3, 4, 5], [3, 4, 5]),
        ("concatenation", [[3, 4], [5]], [3, 4, 5]),
        ("concatenation", [[], [5]], [5]),
        ("pack", [3, ()], None),
        ("concatenation", [[[3, 4]], [[5, 6]]], None),
        ("pack", [], None),
    ],
)
def test_values_of_a_join(law: str, values: Any, expected: Any) -> None:
    opcode, shape = {"pack": "PACK"}.get(law, "CONCATENATION"), (len(expected or ()),)
    assert values_of(law, opcode, shape, {}, values=values) == expected


@pytest.mark.parametrize(
    ("law", "opcode", "operands", "expected"),
    [
        ("slice", "SLICE", {"input": [7, 8, 9], "begin": [1], "size": [1]}, [8]),
        ("slice", "SLICE", {"input": [7, 8, 9], "begin": [1], "size": [-1]}, [8, 9]),
        ("slice", "SLICE", {"input": [7, 8, 9], "begin": [0], "size": (1,)}, None),
        ("gather", "GATHER", {"input": [7, 8, 9], "indices": [2, 0]}, [9, 7]),
        ("gather", "GATHER", {"input": [7, 8, 9], "indices": [3]}, None),
        ("gather", "GATHER", {"input": [7, 8, 9], "indices": [-1]}, None),
        ("gather", "GATHER", {"input": [[7], [8]], "indices": [1]}, None),
        ("product", "REDUCE_PROD", {"input": [7, 8, 9], "axis": [0]}, [504]),
        ("product", "REDUCE_PROD", {"input": [7, 8, 9], "axis": []}, None),
        ("product", "REDUCE_PROD", {"input": [[7, 8]], "axis": [0]}, None),
        ("reshape", "RESHAPE", {"input": [7, 8]}, [7, 8]),
        ("cast", "CAST", {"input": [7, 8]}, [7, 8]),
        ("add", "ADD", {"lhs": [7, 8], "rhs": 1}, [8, 9]),
        ("subtract", "SUB", {"lhs": [7, 8], "rhs": [1, 2]}, [6, 6]),
        ("multiply", "MUL", {"lhs": [7, 8], "rhs": 2}, [14, 16]),
        ("multiply", "MUL", {"lhs": [7, 8], "rhs": ()}, None),
        ("floor_divide", "FLOOR_DIV", {"lhs": [7, -7], "rhs": 2}, [3, -4]),
        ("floor_divide", "FLOOR_DIV", {"lhs": [7, 8], "rhs": [1, 0]}, None),
        ("maximum", "MAXIMUM", {"lhs": [7, 9], "rhs": 8}, [8, 9]),
        ("minimum", "MINIMUM", {"lhs": [7, 9], "rhs": 8}, [7, 8]),
    ],
)
def test_values_of_lengths(law: str, opcode: str, operands: dict[str, Any], expected: Any) -> None:
    assert values_of(law, opcode, (len(expected or ()),), {}, **operands) == expected


def test_a_fused_activation_gives_no_values() -> None:
    fused = {"fused_activation_function": 1}
    assert values_of("add", "ADD", (1,), fused, lhs=[7], rhs=[1]) is None


def test_operators_without_values() -> None:
    assert values_of("transpose", "TRANSPOSE", (2,), {}, input=[3, 4], perm=[0]) is None


def test_a_join_reads_the_values() -> None:
    """An output that depends on constants is not valid for all calls with the same shapes."""
    call = Call("PACK", {"values": (operand(3),)}, None, 1)
    assert fold(LAWS["pack"], call, Tensor(0, "", "int32", (1,)), (1,)) is not None
    assert call.other_reads == ["values"]
