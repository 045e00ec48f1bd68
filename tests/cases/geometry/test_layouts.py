"""Operands and options that factors give, and their cost."""

from __future__ import annotations

import numpy as np
import pytest

from litecheck.cases.geometry.layout import Layout
from litecheck.cases.geometry.layouts import LAYOUTS

IMAGE = {"batch": "2", "height": "6", "width": "9", "channels": "3"}
WINDOW = {"kernel": "3 2", "stride_h": "2", "stride_w": "1", "padding": "VALID"}
DILATED = {**WINDOW, "dilation_h": "2", "dilation_w": "1"}


def laid_out(layout: str, **row: str) -> Layout:
    made = LAYOUTS[layout](row)
    assert made is not None
    return made


@pytest.mark.parametrize(
    ("layout", "row", "shapes", "cost"),
    [
        # A window of 5 x 2 on 6 x 9: 2 / 2 rows of 8 places; 2 images, 10 outputs, 6 products of 3 channels.
        (
            "convolution",
            {**IMAGE, **DILATED, "outputs": "5", "groups": "2"},
            {"input": [(2, 6, 9, 6)], "weight": [(10, 3, 2, 3)], "bias": [(10,)]},
            2 * 8 * 10 * 6 * 3,
        ),
        (
            "depthwise",
            {**IMAGE, **DILATED, "multiplier": "4"},
            {"input": [(2, 6, 9, 3)], "weight": [(1, 3, 2, 12)], "bias": [(12,)]},
            2 * 8 * 12 * 6,
        ),
        # Without padding, 6 rows with stride 2 and a filter height of 3 give 13; 9 columns with stride 1 and
        # a width of 2 give 10.
        (
            "transposed_convolution",
            {**IMAGE, **WINDOW, "outputs": "5"},
            {"output_shape": [(4,)], "weight": [(5, 3, 2, 3)], "input": [(2, 6, 9, 3)], "bias": [(5,)]},
            2 * 54 * 3 * 5 * 6,
        ),
        (
            "batch_matmul",
            {"batch": "2", "rows": "3", "depth": "4", "columns": "5", "turned": "lhs", "weights": "shared"},
            {"lhs": [(2, 4, 3)], "rhs": [(1, 4, 5)]},
            2 * 3 * 4 * 5,
        ),
        (
            "batch_matmul",
            {"batch": "2", "rows": "3", "depth": "4", "columns": "5", "turned": "both", "weights": "constant"},
            {"lhs": [(2, 4, 3)], "rhs": [(5, 4)]},
            2 * 3 * 4 * 5,
        ),
        ("pool", {**IMAGE, **WINDOW, "padding": "SAME"}, {"input": [(2, 6, 9, 3)]}, 2 * 27 * 3 * 6),
        (
            "matmul",
            {"batch": "2", "depth": "7", "units": "5"},
            {"input": [(2, 7)], "weight": [(5, 7)], "bias": [(5,)]},
            70,
        ),
        ("binary", {**IMAGE, "broadcast": "none"}, {"lhs": [(2, 6, 9, 3)], "rhs": [(2, 6, 9, 3)]}, 324),
        ("binary", {**IMAGE, "broadcast": "lhs element"}, {"lhs": [(1,)], "rhs": [(2, 6, 9, 3)]}, 324),
        ("binary", {**IMAGE, "broadcast": "rhs rows"}, {"lhs": [(2, 6, 9, 3)], "rhs": [(1, 1, 9, 3)]}, 324),
        ("binary", {**IMAGE, "broadcast": "both column rows"}, {"lhs": [(2, 6, 1, 1)], "rhs": [(1, 1, 9, 3)]}, 324),
        ("binary", {**IMAGE, "broadcast": "same tensor"}, {"lhs": [(2, 6, 9, 3)], "rhs": [(2, 6, 9, 3)]}, 324),
        ("transposition", {**IMAGE, "order": "1 0"}, {"input": [(9, 3)], "perm": [(2,)]}, 27),
        ("transposition", {**IMAGE, "order": "0 1 4 2 3"}, {"input": [(2, 6, 2, 9, 3)], "perm": [(5,)]}, 648),
        ("picking", {"outer": "2", "length": "7", "inner": "3", "count": "1", "axis": "-1"},
         {"input": [(2, 3, 7)], "indices": [(1,)]}, 42),
        ("squeezing", {"elements": "35", "removed": "0 3"}, {"input": [(1, 1, 35, 1)]}, 35),
        ("depth_blocks", {"batch": "2", "rows": "3", "columns": "1", "channels": "4", "block": "5"},
         {"input": [(2, 15, 5, 4)]}, 600),
        ("to_batch", {**IMAGE, "rows": "2", "columns": "3", "block": "2 3", "before": "1 0", "after": "1"},
         {"input": [(2, 2, 8, 3)], "block_shape": [(2,)], "paddings": [(2, 2)]}, 96),
        ("to_space", {**IMAGE, "rows": "2", "columns": "3", "block": "2 3", "before": "0 2", "after": "1"},
         {"input": [(12, 2, 3, 3)], "block_shape": [(2,)], "crops": [(2, 2)]}, 216),
        ("rows", {"rows": "5", "depth": "7", "rank": "4"}, {"input": [(5, 1, 2, 7)]}, 70),
        ("concatenation", {**IMAGE, "count": "3", "axis": "3"},
         {"values": [(2, 6, 9, 3), (2, 6, 9, 4), (2, 6, 9, 5)]}, 108 * 12),
    ],
)  # fmt: skip
def test_shapes_and_cost(
    layout: str, row: dict[str, str], shapes: dict[str, list[tuple[int, ...]]], cost: int
) -> None:
    made = laid_out(layout, **row)
    assert {role: [part.shape for part in parts] for role, parts in made.operands.items()} == shapes
    assert made.cost == cost


@pytest.mark.parametrize(
    ("layout", "row", "constant", "aliased"),
    [
        ("binary", {"broadcast": "none"}, [], False),
        ("binary", {"broadcast": "rhs constant"}, ["rhs"], False),
        ("binary", {"broadcast": "lhs constant"}, ["lhs"], False),
        ("binary", {"broadcast": "rhs constant channels"}, ["rhs"], False),
        ("concatenation", {"count": "3 equal", "axis": "3"}, [], False),
        ("concatenation", {"count": "3 same", "axis": "3"}, [], True),
        ("binary", {"broadcast": "same tensor"}, [], True),
        ("concatenation", {"count": "2 same", "axis": "-1"}, [], True),
        ("concatenation", {"count": "2", "axis": "-1"}, [], False),
    ],
)
def test_constants_and_one_tensor_as_several_operands(
    layout: str, row: dict[str, str], constant: list[str], aliased: bool
) -> None:
    made = laid_out(layout, **IMAGE, **row)
    assert [role for role, parts in made.operands.items() if parts[0].constant] == constant
    assert made.aliased == aliased


def test_a_window_beyond_the_image_has_no_layout() -> None:
    row = {**IMAGE, **DILATED, "height": "4", "outputs": "1", "groups": "1"}
    assert LAYOUTS["convolution"](row) is None
    assert LAYOUTS["convolution"]({**row, "padding": "SAME"}) is not None


@pytest.mark.parametrize(
    ("layout", "row", "role", "values"),
    [
        ("reduction", {"axes": "0 3", "keep_dims": "yes"}, "axis", [0, 3]),
        ("padding", {"pad_n": "0 1", "pad_h": "1 2", "pad_w": "0 0", "pad_c": "3 0"}, "paddings",
         [[0, 1], [1, 2], [0, 0], [3, 0]]),
        ("search", {"lines": "4", "axis": "-2"}, "axis", -2),
        ("transposed_convolution", {**WINDOW, "outputs": "5"}, "output_shape", [2, 13, 10, 5]),
        ("transposed_convolution", {**WINDOW, "outputs": "5", "padding": "SAME"}, "output_shape", [2, 12, 9, 5]),
        ("section", {"begin": "1 0 2 0", "end": "early"}, "size", [1, 5, 6, 2]),
        ("section", {"begin": "1 0 2 0", "end": "last"}, "size", [1, 6, 7, 3]),
        ("section", {"begin": "1 0 2 0", "end": "open"}, "size", [-1, -1, -1, -1]),
        ("picking", {"outer": "2", "length": "9", "inner": "3", "count": "4", "axis": "1"}, "indices", [[8, 1], [3, 5]]),
        ("reshaping", {"elements": "6", "from": "flat", "to": "rows"}, "shape", [2, 3]),
        ("to_batch", {"rows": "2", "columns": "3", "block": "2 3", "before": "1 0", "after": "1"},
         "paddings", [[1, 1], [0, 1]]),
        ("to_space", {"rows": "2", "columns": "3", "block": "2 3", "before": "0 2", "after": "1"},
         "crops", [[0, 1], [2, 1]]),
        ("transposition", {"order": "3 1 0 2"}, "perm", [3, 1, 0, 2]),
        ("resize", {"new_height": "8", "new_width": "5", "grid": "corners"}, "size", [8, 5]),
    ],
)  # fmt: skip
def test_values_that_steer(layout: str, row: dict[str, str], role: str, values: list[int]) -> None:
    (operand,) = laid_out(layout, **IMAGE, **row).operands[role]
    assert operand.constant
    assert np.array_equal(np.asarray(operand.values), values)


@pytest.mark.parametrize(
    ("grid", "corners", "half"),
    [("corners", True, False), ("half-pixels", False, True), ("plain", False, False)],
)
def test_options_of_a_resized_image(grid: str, corners: bool, half: bool) -> None:
    options = laid_out("resize", **IMAGE, new_height="8", new_width="5", grid=grid).options
    assert options == {"align_corners": corners, "half_pixel_centers": half}


@pytest.mark.parametrize(
    ("rank", "shape", "kept"),
    [
        ("2", (12, 8), False),
        ("3", (4, 3, 8), True),
        ("4", (2, 2, 3, 8), True),
        ("4 flat", (2, 2, 3, 8), False),
    ],
)
def test_a_matrix_product_has_inputs_of_ranks_2_to_4(rank: str, shape: tuple[int, ...], kept: bool) -> None:
    made = laid_out("matmul", batch="12", depth="8", units="5", rank=rank)
    assert [operand.shape for operand in made.operands["input"]] == [shape]
    assert made.options == {"keep_num_dims": kept}


def test_an_operand_of_one_pixel_has_the_rank_of_the_image() -> None:
    made = laid_out("binary", **IMAGE, broadcast="rhs pixel")
    assert [operand.shape for operand in made.operands["rhs"]] == [(1, 1, 1, 3)]


@pytest.mark.parametrize(
    ("rank", "broadcast", "lhs", "rhs"),
    [
        ("4", "rhs rows", (2, 6, 9, 3), (1, 1, 9, 3)),
        ("3", "none", (6, 9, 3), (6, 9, 3)),
        ("3", "rhs column", (6, 9, 3), (6, 1, 1)),
        ("3", "lhs rows", (1, 9, 3), (6, 9, 3)),
        ("2", "rhs channels", (9, 3), (3,)),
        ("2", "both planes rows", (9, 1), (9, 3)),
        ("1", "none", (3,), (3,)),
        ("5", "none", (2, 6, 2, 9, 3), (2, 6, 2, 9, 3)),
        ("5", "rhs plane", (2, 6, 2, 9, 3), (1, 6, 1, 9, 1)),
        ("5", "rhs channels", (2, 6, 2, 9, 3), (3,)),
    ],
)
def test_binary_operands_of_ranks_1_to_5(
    rank: str, broadcast: str, lhs: tuple[int, ...], rhs: tuple[int, ...]
) -> None:
    made = laid_out("binary", **IMAGE, broadcast=broadcast, rank=rank)
    assert {role: [one.shape for one in several] for role, several in made.operands.items()} == {
        "lhs": [lhs],
        "rhs": [rhs],
    }


def test_rows_of_three_images() -> None:
    made = laid_out("rows", rows="5", depth="7", rank="3 images")
    assert [operand.shape for operand in made.operands["input"]] == [(3, 5, 7)]
    assert made.cost == 105
