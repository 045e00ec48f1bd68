"""Output shapes of operators that make tensors from numbers, remove dimensions or depend on data, and their misfits."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from litecheck.model.shapes import LAWS, Call, ShapedOperand
from litecheck.model.types import Tensor
from tests.model.shapes.tables import misfit_of, shapes_of
from tests.model.shapes.test_laws import operand


@pytest.mark.parametrize(
    ("law", "opcode", "operands", "shape"),
    [
        ("fill", "FILL", {"dims": [2, 0, 3], "value": ()}, (2, 0, 3)),
        ("fill", "FILL", {"dims": (3,), "value": ()}, (None,) * 3),
        ("fill", "FILL", {"dims": (None,), "value": None}, None),
        ("random", "RANDOM_UNIFORM", {"shape": [4, 5]}, (4, 5)),
        ("random", "RANDOM_UNIFORM", {"shape": (2,)}, (None, None)),
        ("multinomial", "MULTINOMIAL", {"logits": (3, 7), "num_samples": 5}, (3, 5)),
        ("multinomial", "MULTINOMIAL", {"logits": (3, 7), "num_samples": 0}, (3, 0)),
        ("multinomial", "MULTINOMIAL", {"logits": None, "num_samples": ()}, (None, None)),
        ("where", "WHERE", {"condition": (4, 5, 6)}, (None, 3)),
        ("where", "WHERE", {"condition": None}, (None, None)),
        ("rfft_2d", "RFFT2D", {"input": (2, 9, 7), "fft_length": [8, 4]}, (2, 8, 3)),
        ("rfft_2d", "RFFT2D", {"input": (9, 7), "fft_length": [1, 1]}, (1, 1)),
        ("rfft_2d", "RFFT2D", {"input": (2, 9, 7), "fft_length": (2,)}, (2, None, None)),
        ("rfft_2d", "RFFT2D", {"input": None, "fft_length": [8, 4]}, None),
        ("one_number", "RANK", {}, (1,)),
        ("keys_found", "HASHTABLE_FIND", {"keys": (4, 2)}, (4, 2)),
        ("as_stated", "CUSTOM", {"output": (3, 4)}, (3, 4)),
        ("shape_of", "SHAPE", {"input": (3, None, 5)}, (3,)),
        ("shape_of", "SHAPE", {"input": None}, (None,)),
        ("rank", "RANK", {"input": (3, 4)}, ()),
        ("arg_extreme", "ARG_MAX", {"input": (3, 4, 5), "axis": 0}, (4, 5)),
        ("arg_extreme", "ARG_MAX", {"input": (3, 4, 5), "axis": [-2]}, (3, 5)),
        ("arg_extreme", "ARG_MAX", {"input": (3, None), "axis": 1}, (3,)),
        ("arg_extreme", "ARG_MAX", {"input": (3, 4, 5), "axis": ()}, (None, None)),
        ("arg_extreme", "ARG_MAX", {"input": (0, 4), "axis": 1}, (0,)),
        ("arg_extreme", "ARG_MAX", {"input": None, "axis": 0}, None),
    ],
)
def test_shapes(law: str, opcode: str, operands: dict[str, Any], shape: Any) -> None:
    assert shapes_of((law, opcode, {}, operands)) == (shape,)


@pytest.mark.parametrize(
    ("law", "opcode", "operands", "role", "found"),
    [
        ("fill", "FILL", {"dims": [[2, 3]], "value": ()}, "dims", "the dims has 2 dimensions, 1 wanted"),
        ("fill", "FILL", {"dims": [2, 3], "value": (1,)}, "value", "the value has 1 dimensions, 0 wanted"),
        ("fill", "FILL", {"dims": [2, -1], "value": ()}, "dims", "the dims are [2, -1], with negative lengths"),
        ("random", "RANDOM_UNIFORM", {"shape": 3}, "shape", "the shape has 0 dimensions, 1 wanted"),
        ("random", "RANDOM_UNIFORM", {"shape": [-3]}, "shape", "the shape are [-3], with negative lengths"),
        ("multinomial", "MULTINOMIAL", {"logits": (3, 7), "num_samples": [5]}, "num_samples",
         "the num samples has 1 dimensions, 0 wanted"),
        ("multinomial", "MULTINOMIAL", {"logits": (3,), "num_samples": 5}, "logits",
         "the logits has 1 dimensions, 2 wanted"),
        ("multinomial", "MULTINOMIAL", {"logits": (3, 7), "num_samples": -1}, "num_samples", "num_samples is -1"),
        ("where", "WHERE", {"condition": ()}, "condition", "the condition has 0 dimensions, at least 1 wanted"),
        ("unique", "UNIQUE", {"input": (3, 4)}, "input", "the input has 2 dimensions, 1 wanted"),
        ("rfft_2d", "RFFT2D", {"input": (9,), "fft_length": [8, 4]}, "input",
         "the input has 1 dimensions, at least 2 wanted"),
        ("rfft_2d", "RFFT2D", {"input": (9, 7), "fft_length": [[8, 4]]}, "fft_length",
         "the fft length has 2 dimensions, 1 wanted"),
        ("rfft_2d", "RFFT2D", {"input": (9, 7), "fft_length": [8]}, "fft_length",
         "the fft length has 1 values, 2 wanted"),
        ("rfft_2d", "RFFT2D", {"input": (9, 7), "fft_length": [8, 6]}, "fft_length",
         "fft_length is [8, 6], powers of two wanted"),
        ("rfft_2d", "RFFT2D", {"input": (9, 7), "fft_length": [0, 4]}, "fft_length",
         "fft_length is [0, 4], powers of two wanted"),
        ("arg_extreme", "ARG_MAX", {"input": (3, 4), "axis": 2}, "axis", "axis 2 is outside a tensor of 2 dimensions"),
        ("arg_extreme", "ARG_MAX", {"input": (3, 4), "axis": [0, 1]}, "axis", "the axis has 2 values, 1 wanted"),
        ("arg_extreme", "ARG_MAX", {"input": (), "axis": ()}, "input", "the input has no dimension to search along"),
        ("arg_extreme", "ARG_MAX", {"input": (4, 0), "axis": 1}, "input", "the input is [4, 0], with nothing along axis 1"),
    ],
)  # fmt: skip
def test_misfits(law: str, opcode: str, operands: dict[str, Any], role: str, found: str) -> None:
    assert misfit_of((law, opcode, {}, operands)) == (role, found)


@pytest.mark.parametrize(
    ("axis", "dropped", "kept"),
    [
        ([0], (4, 5), (1, 4, 5)),
        ([-1, 0], (4,), (1, 4, 1)),
        ([1, 1], (3, 5), (3, 1, 5)),
        ([], (3, 4, 5), (3, 4, 5)),
        ((1,), (None, None), (None,) * 3),
        ((2,), None, (None,) * 3),
        ((None,), None, (None,) * 3),
        ((0,), (3, 4, 5), (3, 4, 5)),
    ],
)
def test_reduced_dimensions(axis: Any, dropped: Any, kept: Any) -> None:
    operands = {"input": (3, 4, 5), "axis": axis}
    assert shapes_of(("reduce", "SUM", {}, operands)) == (dropped,)
    assert shapes_of(("reduce", "SUM", {"keep_dims": True}, operands)) == (kept,)


def test_reduction_of_a_scalar_and_of_an_unknown_rank() -> None:
    assert shapes_of(("reduce", "SUM", {}, {"input": (), "axis": [3]})) == ((),)
    assert shapes_of(("reduce", "SUM", {"keep_dims": True}, {"input": None, "axis": [3]})) == (None,)


@pytest.mark.parametrize(
    ("start", "limit", "delta", "length"),
    [
        (0, 6, 2, 3),
        (0, 7, 2, 4),
        (5, -2, -3, 3),
        (3, 3, 4, 0),
        (3, 3, -4, 0),
        (0, (), 1, None),
        ((), 3, 1, None),
        (0, 3, (), None),
    ],
)
def test_range(start: Any, limit: Any, delta: Any, length: int | None) -> None:
    operands = {"start": start, "limit": limit, "delta": delta}
    assert shapes_of(("range", "RANGE", {}, operands)) == ((length,),)


@pytest.mark.parametrize(
    ("start", "limit", "delta", "role", "found"),
    [
        (0, 6, 0, "delta", "delta is 0"),
        ((), (), 0, "delta", "delta is 0"),
        (0, 6, -2, "delta", "delta -2 does not lead from 0 to 6"),
        (6, 0, 2, "delta", "delta 2 does not lead from 6 to 0"),
        ([0], 6, 2, "start", "the start has 1 dimensions, 0 wanted"),
        (0, [6], 2, "limit", "the limit has 1 dimensions, 0 wanted"),
        (0, 6, [2], "delta", "the delta has 1 dimensions, 0 wanted"),
    ],
)
def test_misfits_of_range(start: Any, limit: Any, delta: Any, role: str, found: str) -> None:
    operands = {"start": start, "limit": limit, "delta": delta}
    assert misfit_of(("range", "RANGE", {}, operands)) == (role, found)


def stored(value: float, dtype: str = "float32", length: int = 1) -> ShapedOperand:
    """Return a constant scalar; with a length other than 1, its data does not fit a scalar."""
    data = np.full(length, value, dtype).view(np.uint8)
    return ShapedOperand(Tensor(0, "", dtype, (), data=data), ())


@pytest.mark.parametrize(
    ("numbers", "length"),
    [
        ([stored(0), stored(1), stored(0.3)], 4),
        ([stored(1), stored(-1), stored(-0.5)], 4),
        ([stored(0), stored(np.inf), stored(1)], None),
        ([stored(np.nan), stored(1), stored(1)], None),
        ([stored(0), stored(1), stored(np.inf)], None),
        ([stored(0, "float64"), stored(1), stored(1)], None),
        ([stored(0), stored(1, length=2), stored(1)], None),
        ([stored(0, "int32"), stored(4, "int32"), stored(1, "int32")], 4),
    ],
)
def test_range_of_floating_point_numbers(numbers: list[ShapedOperand], length: int | None) -> None:
    roles = {role: (number,) for role, number in zip(("start", "limit", "delta"), numbers, strict=True)}
    assert LAWS["range"](Call("RANGE", roles, None, 1)) == ((length,),)


def test_range_without_a_limit() -> None:
    roles = {"start": (operand(0),), "delta": (operand(1),)}
    assert LAWS["range"](Call("RANGE", roles, None, 1)) == ((None,),)


def test_several_outputs() -> None:
    assert shapes_of(("unique", "UNIQUE", {}, {"input": (7,)}), 2) == ((None,), (7,))
    assert shapes_of(("unique", "UNIQUE", {}, {"input": None}), 2) == ((None,), (None,))
    assert shapes_of(("nothing_known", "IF", {}, {}), 3) == (None, None, None)


@pytest.mark.parametrize(
    ("operands", "results", "shapes"),
    [
        ({"boxes": (9, 4), "scores": (9,), "max_output_size": 5}, 2, ((5,), ())),
        ({"boxes": (9, 4), "scores": (9,), "max_output_size": 5}, 3, ((5,), (5,), ())),
        ({"boxes": (9, 4), "scores": (None,), "max_output_size": 0}, 2, ((0,), ())),
        ({"boxes": (None, 4), "scores": (9,), "max_output_size": ()}, 2, ((None,), ())),
        ({"boxes": (9, None), "scores": None, "max_output_size": 5}, 2, ((5,), ())),
        ({"boxes": None, "scores": (9,), "max_output_size": 5, "sigma": ()}, 2, ((5,), ())),
    ],
)
def test_non_max_suppression(operands: dict[str, Any], results: int, shapes: Any) -> None:
    assert shapes_of(("non_max_suppression", "NON_MAX_SUPPRESSION_V4", {}, operands), results) == shapes


@pytest.mark.parametrize(
    ("changed", "role", "found"),
    [
        ({"boxes": (9,)}, "boxes", "the boxes has 1 dimensions, 2 wanted"),
        ({"boxes": (9, 5)}, "boxes", "a box has 5 numbers, 4 wanted"),
        ({"scores": (8,)}, "scores", "there are 8 scores for 9 boxes"),
        ({"scores": (9, 1)}, "scores", "the scores has 2 dimensions, 1 wanted"),
        ({"max_output_size": [5]}, "max_output_size", "the max output size has 1 dimensions, 0 wanted"),
        ({"max_output_size": -1}, "max_output_size", "max_output_size is -1"),
        ({"iou_threshold": (1,)}, "iou_threshold", "the iou threshold has 1 dimensions, 0 wanted"),
        ({"score_threshold": (1,)}, "score_threshold", "the score threshold has 1 dimensions, 0 wanted"),
        ({"sigma": (1,)}, "sigma", "the sigma has 1 dimensions, 0 wanted"),
    ],
)
def test_misfits_of_non_max_suppression(changed: dict[str, Any], role: str, found: str) -> None:
    operands = {"boxes": (9, 4), "scores": (9,), "max_output_size": 5, **changed}
    asked = ("non_max_suppression", "NON_MAX_SUPPRESSION_V5", {}, operands)
    assert misfit_of(asked, 3) == (role, found)
