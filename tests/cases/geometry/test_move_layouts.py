"""Operands and options of operators that move data."""

from __future__ import annotations

import numpy as np
import pytest

from litecheck.cases.geometry.layout import Layout
from litecheck.cases.geometry.layouts import LAYOUTS

IMAGE = {"batch": "2", "height": "6", "width": "9", "channels": "3"}


def laid_out(layout: str, **row: str) -> Layout:
    made = LAYOUTS[layout]({**IMAGE, **row})
    assert made is not None
    return made


@pytest.mark.parametrize(
    ("layout", "row", "shapes", "outputs"),
    [
        ("packing", {"count": "3", "axis": "1"}, {"values": [(6, 9, 3)] * 3}, 1),
        ("unpacking", {"axis": "-1"}, {"input": [(2, 6, 9, 3)]}, 3),
        ("splitting", {"axis": "2", "count": "3"}, {"axis": [()], "input": [(2, 6, 27, 3)]}, 3),
        (
            "uneven_splitting",
            {"axis": "3", "count": "3", "last": "stated"},
            {"input": [(2, 6, 9, 12)], "size_splits": [(3,)], "axis": [()]},
            3,
        ),
        ("filling", {}, {"dims": [(4,)], "value": [()]}, 1),
        ("expanding", {"axis": "-1"}, {"input": [(6, 9, 3)], "axis": [()]}, 1),
        (
            "space_blocks",
            {"rows": "4", "columns": "5", "block": "3"},
            {"input": [(2, 4, 5, 27)]},
            1,
        ),
        (
            "scattering",
            {"count": "2", "indexed": "1"},
            {"indices": [(2, 1)], "updates": [(2, 6, 9, 3)], "shape": [(4,)]},
            1,
        ),
        (
            "selecting",
            {"broadcast": "condition column"},
            {"condition": [(2, 6, 1, 1)], "on_true": [(2, 6, 9, 3)], "on_false": [(2, 6, 9, 3)]},
            1,
        ),
        ("broadcasting", {"along": "rows"}, {"input": [(1, 1, 9, 3)], "shape": [(4,)]}, 1),
        (
            "updating",
            {"start": "0 0 0 0"},
            {"input": [(2, 6, 9, 3)], "update": [(1, 3, 4, 1)], "start_indices": [(4,)]},
            1,
        ),
        ("slopes", {"slopes": "channels"}, {"input": [(2, 6, 9, 3)], "alpha": [(1, 1, 3)]}, 1),
        ("slopes", {"slopes": "elements"}, {"input": [(2, 6, 9, 3)], "alpha": [(6, 9, 3)]}, 1),
        ("diagonal", {}, {"diagonal": [(2, 3)]}, 1),
        ("new_diagonal", {}, {"input": [(2, 9, 3)], "diagonal": [(2, 3)]}, 1),
    ],
)
def test_shapes_and_number_of_outputs(
    layout: str, row: dict[str, str], shapes: dict[str, list[tuple[int, ...]]], outputs: int
) -> None:
    made = laid_out(layout, **row)
    assert {role: [part.shape for part in parts] for role, parts in made.operands.items()} == shapes
    assert made.results == outputs


@pytest.mark.parametrize(
    ("layout", "row", "role", "values"),
    [
        ("uneven_splitting", {"axis": "3", "count": "2", "last": "stated"}, "size_splits", [3, 4]),
        ("uneven_splitting", {"axis": "3", "count": "2", "last": "open"}, "size_splits", [3, -1]),
        ("picking_places", {"count": "3", "indexed": "2"}, "indices", [[1, 5], [0, 4], [1, 3]]),
        ("scattering", {"count": "2", "indexed": "4"}, "indices", [[1, 5, 8, 2], [1, 5, 6, 1]]),
        ("mirroring", {"pad_h": "5 0", "pad_w": "0 8", "pad_c": "1 2", "mode": "REFLECT"}, "paddings",
         [[0, 0], [5, 0], [0, 8], [1, 2]]),
        ("ranking", {"rows": "3", "depth": "7", "largest": "all"}, "k", 7),
        ("spacing", {"steps": "1 2 3 1"}, "dilations", [1, 2, 3, 1]),
        ("tiling", {"copies": "1 2 3 1"}, "multiples", [1, 2, 3, 1]),
    ],
)  # fmt: skip
def test_values_that_steer(layout: str, row: dict[str, str], role: str, values: list[int]) -> None:
    (operand,) = laid_out(layout, **row).operands[role]
    assert np.array_equal(np.asarray(operand.values), values)


@pytest.mark.parametrize(
    ("layout", "row"),
    [
        ("unpacking", {"channels": "10", "axis": "3"}),
        ("mirroring", {"pad_h": "6 0", "pad_w": "0 0", "pad_c": "0 0", "mode": "REFLECT"}),
        ("mirroring", {"pad_h": "7 0", "pad_w": "0 0", "pad_c": "0 0", "mode": "SYMMETRIC"}),
        ("picking_places", {"count": "3", "indexed": "1"}),
        ("scattering", {"height": "7", "count": "2", "indexed": "2"}),
        ("ranking", {"rows": "3", "depth": "2", "largest": "3"}),
        ("inner_padding", {"low": "0 0 0 -2", "high": "0 0 0 -1", "between": "0 0 0 0"}),
    ],
)
def test_an_impossible_row_has_no_layout(layout: str, row: dict[str, str]) -> None:
    assert LAYOUTS[layout]({**IMAGE, **row}) is None


def test_options() -> None:
    padded = laid_out("inner_padding", low="0 1 0 0", high="0 0 -1 0", between="0 0 0 2")
    options = {name: np.asarray(value).tolist() for name, value in padded.options.items()}
    assert options == {
        "edge_padding_low": [0, 1, 0, 0],
        "edge_padding_high": [0, 0, -1, 0],
        "interior_padding": [0, 0, 0, 2],
    }
    assert padded.cost == 2 * 7 * 8 * 7
    assert laid_out("packing", count="2 same", axis="3").aliased
