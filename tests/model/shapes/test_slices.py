"""Output shapes of slices, splits, updates and TOPK_V2, and the text of each misfit."""

from __future__ import annotations

from typing import Any

import pytest

from tests.model.shapes.tables import misfit_of, shapes_of


@pytest.mark.parametrize(
    ("source", "begin", "size", "shape"),
    [
        ((4, 5), [0, 0], [4, 5], (4, 5)),
        ((4, 5), [1, 4], [2, 1], (2, 1)),
        ((4, 5), [4, 0], [-1, 0], (0, 0)),
        ((None, 5), [3, 2], [2, -1], (2, 3)),
        ((None, 5), [3, 2], [-1, 3], (None, 3)),
        ((2,) * 5, [1] * 5, [1] * 5, (1,) * 5),
        ((4, 5), (2,), [1, 1], (None, None)),
        ((4, 5), [1, 1], (2,), (None, None)),
        (None, [1, 1, 1], [1, 1, 1], (None,) * 3),
        (None, None, None, None),
    ],
)
def test_slice(source: Any, begin: Any, size: Any, shape: Any) -> None:
    assert shapes_of(("slice", "SLICE", {}, {"input": source, "begin": begin, "size": size})) == (shape,)


@pytest.mark.parametrize(
    ("source", "begin", "size", "role", "found"),
    [
        ((2,) * 6, [0] * 6, [1] * 6, "input", "the input has 6 dimensions, 0 to 5 wanted"),
        ((4,), [[0]], [1], "begin", "the begin has 2 dimensions, 1 wanted"),
        ((4,), [0], 1, "size", "the size has 0 dimensions, 1 wanted"),
        ((4, 5), [0], [1, 1], "begin", "the begin has 1 values, 2 wanted"),
        ((4, 5), [0, 0], [1, 1, 1], "size", "the size has 3 values, 2 wanted"),
        ((4,), [0], [-2], "size", "a size of -2 is neither a length nor -1"),
        ((4,), [-1], [2], "begin", "begin -1 is before the start"),
        ((4,), [5], [-1], "begin", "begin 5 is behind the end of a length of 4"),
        ((4,), [2], [3], "size", "3 elements from 2 on reach beyond a length of 4"),
    ],
)
def test_misfits_of_slice(source: Any, begin: Any, size: Any, role: str, found: str) -> None:
    asked = {"input": source, "begin": begin, "size": size}
    assert misfit_of(("slice", "SLICE", {}, asked)) == (role, found)


def strided(source: Any, begin: Any, end: Any, strides: Any, /, **masks: int) -> Any:
    operands = {"input": source, "begin": begin, "end": end, "strides": strides}
    return (
        "strided_slice",
        "STRIDED_SLICE",
        {f"{name}_mask": mask for name, mask in masks.items()},
        operands,
    )


@pytest.mark.parametrize(
    ("begin", "end", "stride", "masks", "length"),
    [
        (0, 7, 1, {}, 7),
        (2, 5, 1, {}, 3),
        (0, 7, 2, {}, 4),
        (0, 6, 2, {}, 3),
        (1, 7, 3, {}, 2),
        (-3, -1, 1, {}, 2),
        (-9, 99, 1, {}, 7),
        (5, 2, 1, {}, 0),
        (7, 7, 1, {}, 0),
        (6, -8, -1, {}, 7),
        (9, 0, -2, {}, 3),
        (5, 1, -3, {}, 2),
        (1, 5, -1, {}, 0),
        (3, 5, 1, {"begin": 1}, 5),
        (3, 5, 1, {"end": 1}, 4),
        (3, 1, -1, {"begin": 1}, 5),
        (3, 1, -1, {"end": 1}, 4),
        (3, 1, -2, {"begin": 1, "end": 1}, 4),
        (3, 5, 1, {"begin": 2, "end": 2}, 2),
    ],
)
def test_strided_slice_of_seven_values(
    begin: int, end: int, stride: int, masks: dict[str, int], length: int
) -> None:
    assert shapes_of(strided((7,), [begin], [end], [stride], **masks)) == ((length,),)


@pytest.mark.parametrize(
    ("source", "begin", "end", "masks", "shape"),
    [
        ((4, 5, 6), [1], [3], {}, (2, 5, 6)),
        ((4, 5, 6), [1, 1], [3, 4], {"shrink_axis": 2}, (2, 6)),
        ((4, 5, 6), [1, 1], [3, 4], {"shrink_axis": 3}, (6,)),
        ((4, None), [1, 0], [3, 2], {}, (2, None)),
        ((4, 5), [0, 1], [0, 3], {"new_axis": 1}, (1, 2, 5)),
        ((4, 5), [1, 0, 1], [3, 0, 2], {"new_axis": 2}, (2, 1, 1)),
        ((4, 5, 6, 7), [1, 0, 2], [2, 0, 5], {"ellipsis": 2}, (1, 5, 6, 3)),
        ((4, 5, 6), [0, 2], [0, 5], {"ellipsis": 1}, (4, 5, 3)),
        ((4, 5, 6), [1, 0], [2, 0], {"ellipsis": 2}, (1, 5, 6)),
        ((4, 5), [1, 0, 2], [3, 0, 3], {"ellipsis": 2}, (2, 1)),
        ((4, 5, 6), [0, 0, 2], [0, 0, 5], {"ellipsis": 1, "new_axis": 2}, (4, 5, 1, 3)),
        ((4, 5, 6), [0, 0, 2], [0, 0, 5], {"ellipsis": 2, "new_axis": 1}, (1, 4, 5, 3)),
        ((4, 5, 6), [2, 0, 0, 0], [4, 0, 0, 0], {"ellipsis": 2, "new_axis": 12}, (2, 5, 6, 1, 1)),
    ],
)
def test_masks_of_strided_slice(
    source: Any, begin: list[int], end: list[int], masks: dict[str, int], shape: Any
) -> None:
    assert shapes_of(strided(source, begin, end, [1] * len(begin), **masks)) == (shape,)


def test_strided_slice_with_computed_operands() -> None:
    assert shapes_of(strided((4, 5), [0, 0], [2, 2], [1, 1, 1])) == ((2, 2),)
    assert shapes_of(strided(None, [0, 0], [2, 2], [1, 1])) == (None,)
    assert shapes_of(strided((4, 5), (2,), [2, 2], [1, 1])) == (None,)
    assert shapes_of(strided((4, 5), [0, 0], (2,), [1, 1])) == (None,)
    assert shapes_of(strided((4, 5), [0, 0], [2, 2], (2,))) == (None,)


@pytest.mark.parametrize(
    ("asked", "role", "found"),
    [
        (strided((4,), 0, [1], [1]), "begin", "the begin has 0 dimensions, 1 wanted"),
        (strided((4,), [0], [[1]], [1]), "end", "the end has 2 dimensions, 1 wanted"),
        (strided((4,), [0], [1], 1), "strides", "the strides has 0 dimensions, 1 wanted"),
        (strided((4, 5), [0, 0], [1], [1, 1]), "end", "the end has 1 values, 2 wanted"),
        (strided((4, 5), [0, 0], [1, 1], [1]), "strides", "the strides has 1 values, 2 wanted"),
        (strided((4, 5), [0, 0], [1, 1], [1, 0]), "strides", "a stride is 0"),
        (strided((4,), [0, 0], [1, 1], [1, 1]), "begin", "begin has 2 values for a tensor of 1 dimensions"),
        (strided((4,), [0] * 3, [1] * 3, [1] * 3, new_axis=1), "begin",
         "begin has 2 values for a tensor of 1 dimensions"),
        (strided((4, 5), [0, 0], [1, 1], [1, 1], ellipsis=3), None, "ellipsis_mask has more than one bit"),
    ],
)  # fmt: skip
def test_misfits_of_strided_slice(asked: Any, role: str | None, found: str) -> None:
    assert misfit_of(asked) == (role, found)


@pytest.mark.parametrize(
    ("axis", "source", "shape"),
    [
        (0, (6, 4), (3, 4)),
        (1, (6, 4), (6, 2)),
        (-2, (6, 4), (3, 4)),
        (0, (None, 4), (None, 4)),
        ((), (6, 4), (None, None)),
        (0, None, None),
        ([1, 0], (6, 4), (6, 2)),
    ],
)
def test_split(axis: Any, source: Any, shape: Any) -> None:
    asked = ("split", "SPLIT", {"num_splits": 2}, {"axis": axis, "input": source})
    assert shapes_of(asked, 2) == (shape, shape)


@pytest.mark.parametrize(
    ("options", "axis", "role", "found"),
    [
        ({"num_splits": 0}, 0, None, "num_splits is 0, there are 2 outputs"),
        ({"num_splits": 3}, 0, None, "num_splits is 3, there are 2 outputs"),
        ({"num_splits": 2}, 2, "axis", "axis 2 is outside a tensor of 2 dimensions"),
        ({"num_splits": 2}, 1, "axis", "a length of 5 does not split into 2 equal parts"),
        ({"num_splits": 2}, [], "axis", "the axis is empty"),
    ],
)
def test_misfits_of_split(options: dict[str, Any], axis: Any, role: str | None, found: str) -> None:
    assert misfit_of(("split", "SPLIT", options, {"axis": axis, "input": (4, 5)}), 2) == (role, found)


def test_split_into_no_parts() -> None:
    asked = ("split", "SPLIT", {"num_splits": 0}, {"axis": 0, "input": (4,)})
    assert misfit_of(asked, 0) == (None, "num_splits is 0, there are 0 outputs")


@pytest.mark.parametrize(
    ("axis", "source", "sizes", "shapes"),
    [
        (0, (6, 4), [2, 4], ((2, 4), (4, 4))),
        (-1, (6, 4), [3, 1], ((6, 3), (6, 1))),
        (1, (6, 4), [-1, 1], ((6, 3), (6, 1))),
        (1, (6, 4), [4, -1], ((6, 4), (6, 0))),
        (0, (None, 4), [2, -1], ((2, 4), (None, 4))),
        (0, (None, 4), [2, 9], ((2, 4), (9, 4))),
        (0, (6, 4), (2,), ((None, 4), (None, 4))),
        ((), (6, 4), [2, 4], ((None, None), (None, None))),
        (0, None, [2, 4], (None, None)),
    ],
)
def test_split_by_sizes(axis: Any, source: Any, sizes: Any, shapes: Any) -> None:
    operands = {"input": source, "size_splits": sizes, "axis": axis}
    assert shapes_of(("split_v", "SPLIT_V", {"num_splits": 2}, operands), 2) == shapes


@pytest.mark.parametrize(
    ("axis", "sizes", "role", "found"),
    [
        (0, [[2, 2]], "size_splits", "the size splits has 2 dimensions, 1 wanted"),
        (0, [2, 1, 1], "size_splits", "the size splits has 3 values, 2 wanted"),
        (2, [2, 2], "axis", "axis 2 is outside a tensor of 2 dimensions"),
        (0, [-1, -1], "size_splits", "size_splits is [-1, -1]: one may be -1, none less"),
        (0, [-2, 4], "size_splits", "size_splits is [-2, 4]: one may be -1, none less"),
        (0, [2, 1], "size_splits", "size_splits is [2, 1], to split a length of 4"),
        (0, [2, 3], "size_splits", "size_splits is [2, 3], to split a length of 4"),
        (0, [5, -1], "size_splits", "size_splits is [5, -1], to split a length of 4"),
    ],
)
def test_misfits_of_split_by_sizes(axis: int, sizes: Any, role: str, found: str) -> None:
    operands = {"input": (4, 5), "size_splits": sizes, "axis": axis}
    assert misfit_of(("split_v", "SPLIT_V", {"num_splits": 2}, operands), 2) == (role, found)


@pytest.mark.parametrize(
    ("source", "update", "start", "shape"),
    [
        ((4, 5), (2, 5), [0, 0], (4, 5)),
        ((4, None), (4, 9), (2,), (4, None)),
        ((4, 5), (None, 5), None, (4, 5)),
        ((4, 5), None, (None,), (4, 5)),
        (None, (2, 5), [0, 0], None),
    ],
)
def test_dynamic_update_slice(source: Any, update: Any, start: Any, shape: Any) -> None:
    operands = {"input": source, "update": update, "start_indices": start}
    assert shapes_of(("dynamic_update_slice", "DYNAMIC_UPDATE_SLICE", {}, operands)) == (shape,)


@pytest.mark.parametrize(
    ("update", "start", "role", "found"),
    [
        ((2, 2), 0, "start_indices", "the start indices has 0 dimensions, 1 wanted"),
        ((2, 2), [0, 0, 0], "start_indices", "there are 3 start indices for 2 dimensions"),
        ((2,), [0, 0], "update", "the update is [2], the input [4, 5]"),
        ((2, 5, 1), [0, 0], "update", "the update is [2, 5, 1], the input [4, 5]"),
        ((2, 6), [0, 0], "update", "the update is [2, 6], the input [4, 5]"),
        ((5, 5), [0, 0], "update", "the update is [5, 5], the input [4, 5]"),
    ],
)
def test_misfits_of_dynamic_update_slice(update: Any, start: Any, role: str, found: str) -> None:
    operands = {"input": (4, 5), "update": update, "start_indices": start}
    assert misfit_of(("dynamic_update_slice", "DYNAMIC_UPDATE_SLICE", {}, operands)) == (role, found)


@pytest.mark.parametrize(
    ("source", "k", "shape"),
    [
        ((2, 3), 3, (2, 3)),
        ((2, 3), [1], (2, 1)),
        ((2, 3), -4, (2, 0)),
        ((2, None), 9, (2, 9)),
        ((2, 3), (), (2, None)),
        ((5,), 0, (0,)),
        (None, 2, None),
    ],
)
def test_top_k(source: Any, k: Any, shape: Any) -> None:
    assert shapes_of(("top_k", "TOPK_V2", {}, {"input": source, "k": k}), 2) == (shape, shape)


@pytest.mark.parametrize(
    ("source", "k", "role", "found"),
    [
        ((), 0, "input", "the input has 0 dimensions, at least 1 wanted"),
        ((2, 3), [1, 2], "k", "the k has 2 values, 1 wanted"),
        ((2, 3), 4, "k", "k is 4, the last dimension 3"),
    ],
)
def test_misfits_of_top_k(source: Any, k: Any, role: str, found: str) -> None:
    assert misfit_of(("top_k", "TOPK_V2", {}, {"input": source, "k": k}), 2) == (role, found)
