"""Output shapes of concatenation, pack, unpack, tile, broadcast, pad and resize, and the text of each misfit."""

from __future__ import annotations

from typing import Any

import pytest

from tests.model.shapes.tables import misfit_of, shapes_of

REFLECT, SYMMETRIC = {"mode": "REFLECT"}, {"mode": "SYMMETRIC"}


@pytest.mark.parametrize(
    ("axis", "values", "shape"),
    [
        (0, [(2, 3), (4, 3), (1, 3)], (7, 3)),
        (1, [(2, 3, 4), (2, 5, 4)], (2, 8, 4)),
        (-1, [(2, 3, 4), (2, 3, 1)], (2, 3, 5)),
        (-3, [(2, 3, 4), (2, 3, 4)], (4, 3, 4)),
        (1, [(None, 3), (2, None)], (2, None)),
        (0, [(2, None), None], (None, None)),
        (0, [None, (2, 3)], (None, 3)),
        (0, [None, None], None),
        (0, [7, 8, 9], (3,)),
        (0, [[7], [8, 9]], (3,)),
    ],
)
def test_concatenation(axis: int, values: Any, shape: Any) -> None:
    assert shapes_of(("concatenation", "CONCATENATION", {"axis": axis}, {"values": values})) == (shape,)


@pytest.mark.parametrize(
    ("axis", "values", "role", "found"),
    [
        (1, [(2, 3), (3, 3)], "values", "the values are [2, 3] and [3, 3]"),
        (0, [(2, 3), (2, 3, 1)], "values", "the values are [2, 3] and [2, 3, 1]"),
        (0, [(None, 3), (2, 3), (2, 4)], "values", "the values are [2, 3] and [2, 4]"),
        (1, [(None, 3), (2, 3), (4, 3)], "values", "the values are [2, 3] and [4, 3]"),
        (2, [(2, 3), (2, 3)], None, "axis 2 is outside a tensor of 2 dimensions"),
        (1, [7, 8], None, "axis 1 is outside a tensor of 0 dimensions"),
        (0, [(), ()], None, "axis 0 is outside a tensor of 0 dimensions"),
        (0, [7, [8]], None, "axis 0 is outside a tensor of 0 dimensions"),
    ],
)
def test_misfits_of_concatenation(axis: int, values: Any, role: str | None, found: str) -> None:
    assert misfit_of(("concatenation", "CONCATENATION", {"axis": axis}, {"values": values})) == (role, found)


@pytest.mark.parametrize(
    ("axis", "values", "shape"),
    [
        (0, [(3, 4), (3, 4)], (2, 3, 4)),
        (2, [(3, 4), (None, 4)], (3, 4, 2)),
        (-1, [(3, 4), (3, 4)], (3, 4, 2)),
        (-3, [(3, 4), (3, 4)], (2, 3, 4)),
        (0, [(), ()], (2,)),
        (0, [None, None], None),
        (1, [None, (3,)], (3, 2)),
    ],
)
def test_pack(axis: int, values: Any, shape: Any) -> None:
    assert shapes_of(("pack", "PACK", {"axis": axis, "values_count": 2}, {"values": values})) == (shape,)


@pytest.mark.parametrize(
    ("options", "values", "role", "found"),
    [
        ({"values_count": 1}, [(2,), (2,)], None, "values_count is 1, there are 2 values"),
        ({"values_count": 2}, [(2,), (3,)], "values", "the values are [2] and [3]"),
        ({"values_count": 2, "axis": 2}, [(2,), (2,)], None, "axis 2 is outside a tensor of 2 dimensions"),
        ({"values_count": 2, "axis": -3}, [(2,), (2,)], None, "axis -3 is outside a tensor of 2 dimensions"),
    ],
)
def test_misfits_of_pack(options: dict[str, Any], values: Any, role: str | None, found: str) -> None:
    assert misfit_of(("pack", "PACK", options, {"values": values})) == (role, found)


@pytest.mark.parametrize(
    ("axis", "num", "source", "shapes"),
    [
        (0, 2, (2, 3, 4), ((3, 4),) * 2),
        (1, 3, (2, 3, 4), ((2, 4),) * 3),
        (-1, 4, (2, 3, 4), ((2, 3),) * 4),
        (0, 2, (None, 3), ((3,),) * 2),
        (0, 2, None, (None, None)),
    ],
)
def test_unpack(axis: int, num: int, source: Any, shapes: Any) -> None:
    assert shapes_of(("unpack", "UNPACK", {"axis": axis, "num": num}, {"input": source}), num) == shapes


@pytest.mark.parametrize(
    ("options", "source", "role", "found"),
    [
        ({"num": 3}, (3, 4), None, "num is 3, there are 2 outputs"),
        ({"num": 2}, (0, 4), "input", "the input is [0, 4], with nothing to unpack"),
        ({"num": 2, "axis": 2}, (2, 4), None, "axis 2 is outside a tensor of 2 dimensions"),
        ({"num": 2, "axis": 1}, (2, 4), None, "num is 2, dimension 1 of the input is 4"),
    ],
)
def test_misfits_of_unpack(options: dict[str, Any], source: Any, role: str | None, found: str) -> None:
    assert misfit_of(("unpack", "UNPACK", options, {"input": source}), 2) == (role, found)


@pytest.mark.parametrize(
    ("law", "operands", "shape"),
    [
        ("tile", {"input": (2, 3), "multiples": [3, 2]}, (6, 6)),
        ("tile", {"input": (None, 3), "multiples": [3, 0]}, (None, 0)),
        ("tile", {"input": (2, 3), "multiples": (2,)}, (None, None)),
        ("tile", {"input": None, "multiples": (3,)}, (None,) * 3),
        ("tile", {"input": None, "multiples": None}, None),
        ("broadcast_to", {"input": (3, 1), "shape": [2, 3, 5]}, (2, 3, 5)),
        ("broadcast_to", {"input": (None,), "shape": [4]}, (4,)),
        ("broadcast_to", {"input": (), "shape": [4, 0]}, (4, 0)),
        ("broadcast_to", {"input": (2,) * 8, "shape": [2] * 8}, (2,) * 8),
        ("broadcast_to", {"input": (2,), "shape": (3,)}, (None,) * 3),
        ("broadcast_to", {"input": (2,), "shape": (None,)}, None),
        ("broadcast_to", {"input": None, "shape": [4, 5]}, (4, 5)),
        ("broadcast_args", {"shape1": [2, 1, 3], "shape2": [5, 3]}, (3,)),
        ("broadcast_args", {"shape1": [5, 3], "shape2": [2, 5, 1]}, (3,)),
        ("broadcast_args", {"shape1": (2,), "shape2": (4,)}, (4,)),
        ("broadcast_args", {"shape1": (2,), "shape2": (None,)}, (None,)),
        ("broadcast_args", {"shape1": (0,), "shape2": (0,)}, (0,)),
        ("broadcast_args", {"shape1": None, "shape2": (4,)}, (None,)),
        ("broadcast_args", {"shape1": (4,), "shape2": None}, (None,)),
        ("resize_nearest", {"input": (1, 4, 6, 3), "size": [8, 9]}, (1, 8, 9, 3)),
        ("resize_nearest", {"input": (1, 4, 6, 3), "size": [0, 9]}, (1, 0, 9, 3)),
        ("resize_nearest", {"input": (2, 4, 6, 3), "size": (2,)}, (2, None, None, 3)),
        ("resize_nearest", {"input": (0, 0, 6, 3), "size": (2,)}, (0, None, None, 3)),
        ("resize_nearest", {"input": (0, 4, 6, 0), "size": [2, 3]}, (0, 2, 3, 0)),
        ("resize_nearest", {"input": None, "size": [8, 9]}, (None, 8, 9, None)),
        ("resize_bilinear", {"input": (1, 4, 6, 3), "size": [1, 9]}, (1, 1, 9, 3)),
        ("resize_bilinear", {"input": (1, 4, 6, 3), "size": (2,)}, (1, None, None, 3)),
    ],
)
def test_repeated_and_resized(law: str, operands: dict[str, Any], shape: Any) -> None:
    assert shapes_of((law, OPCODES[law], {}, operands)) == (shape,)


OPCODES = {
    "tile": "TILE", "broadcast_to": "BROADCAST_TO", "broadcast_args": "BROADCAST_ARGS", "pad": "PAD",
    "resize_nearest": "RESIZE_NEAREST_NEIGHBOR", "resize_bilinear": "RESIZE_BILINEAR",
}  # fmt: skip


@pytest.mark.parametrize(
    ("law", "operands", "role", "found"),
    [
        ("tile", {"input": (2, 3), "multiples": [3]}, "multiples", "the multiples has 1 values, 2 wanted"),
        ("tile", {"input": (2, 3), "multiples": [3, -1]}, "multiples", "the multiples are [3, -1], with negative ones"),
        ("broadcast_to", {"input": (2, 3), "shape": [3]}, "shape", "the shape has 1 dimensions, the input 2"),
        ("broadcast_to", {"input": (2,), "shape": [2] * 9}, "shape", "the shape has 9 dimensions, the input 1"),
        ("broadcast_to", {"input": (2,) * 9, "shape": [2] * 9}, "input", "the input has 9 dimensions, 0 to 8 wanted"),
        ("broadcast_to", {"input": (2,), "shape": 2}, "shape", "the shape has 0 dimensions, 1 wanted"),
        ("broadcast_to", {"input": (2,), "shape": [-1, 2]}, "shape", "the shape is [-1, 2], with negative lengths"),
        ("broadcast_to", {"input": (2, 1), "shape": [3, 4]}, "shape", "[2, 1] does not broadcast to [3, 4]"),
        ("broadcast_to", {"input": (2, 3), "shape": [2, 1]}, "shape", "[2, 3] does not broadcast to [2, 1]"),
        ("broadcast_args", {"shape1": [2, 3], "shape2": [4, 3]}, "shape2", "[2, 3] and [4, 3] do not broadcast"),
        ("broadcast_args", {"shape1": (2, 2), "shape2": [4]}, "shape1", "the shape1 has 2 dimensions, 1 wanted"),
        ("broadcast_args", {"shape1": [4], "shape2": 4}, "shape2", "the shape2 has 0 dimensions, 1 wanted"),
        ("resize_nearest", {"input": (1, 4, 6), "size": [8, 9]}, "input", "the input has 3 dimensions, 4 wanted"),
        ("resize_nearest", {"input": (1, 4, 6, 3), "size": [[8, 9]]}, "size", "the size has 2 dimensions, 1 wanted"),
        ("resize_nearest", {"input": (1, 4, 6, 3), "size": [8]}, "size", "the size has 1 values, 2 wanted"),
        ("resize_nearest", {"input": (1, 4, 6, 3), "size": [8, -1]}, "size",
         "the size is [8, -1], of an input [1, 4, 6, 3]"),
        ("resize_nearest", {"input": (1, 0, 6, 3), "size": [8, 9]}, "size", "the size is [8, 9], of an input [1, 0, 6, 3]"),
        ("resize_nearest", {"input": (1, 4, 0, 3), "size": [8, 9]}, "size", "the size is [8, 9], of an input [1, 4, 0, 3]"),
        ("resize_bilinear", {"input": (1, 4, 6, 3), "size": [0, 9]}, "size", "the size is [0, 9], at least 1 wanted"),
        ("resize_bilinear", {"input": (1, 4, 6, 3), "size": [0, 9, 1, 2, 3]}, "size",
         "the size is [0, 9, 1, 2], at least 1 wanted"),
    ],
)  # fmt: skip
def test_misfits_of_repeated_and_resized(
    law: str, operands: dict[str, Any], role: str | None, found: str
) -> None:
    assert misfit_of((law, OPCODES[law], {}, operands)) == (role, found)


def test_both_corner_options_of_a_bilinear_resize() -> None:
    """Either option is allowed alone; a computed size is not checked."""
    both = {"align_corners": True, "half_pixel_centers": True}
    given = {"input": (1, 4, 6, 3), "size": [8, 9]}
    for name in both:
        assert shapes_of(("resize_bilinear", "RESIZE_BILINEAR", {name: True}, given)) == ((1, 8, 9, 3),)
    computed = {**given, "size": (2,)}
    assert shapes_of(("resize_bilinear", "RESIZE_BILINEAR", both, computed)) == ((1, None, None, 3),)
    assert misfit_of(("resize_bilinear", "RESIZE_BILINEAR", both, given)) == (
        None,
        "align_corners and half_pixel_centers are both set",
    )


@pytest.mark.parametrize(
    ("law", "options", "operands", "shape"),
    [
        ("pad", {}, {"input": (2, 3), "paddings": [[1, 2], [3, 4]]}, (5, 10)),
        ("pad", {}, {"input": (None, 3), "paddings": [[1, 2], [3, 4]]}, (None, 10)),
        ("pad", {}, {"input": (1,) * 5, "paddings": [[1, 0]] * 5, "constant_values": 3}, (2,) * 5),
        ("pad", {}, {"input": (2, 3), "paddings": (2, 2)}, (None, None)),
        ("pad", {}, {"input": None, "paddings": (3, 2)}, (None,) * 3),
        ("pad", {}, {"input": None, "paddings": None}, None),
        ("pad", {}, {"input": (2, 3), "paddings": (None, None)}, (None, None)),
        ("mirror_pad", REFLECT, {"input": (3, 4), "paddings": [[2, 2], [0, 3]]}, (7, 7)),
        ("mirror_pad", REFLECT, {"input": (None, 4), "paddings": [[9, 2], [0, 3]]}, (None, 7)),
        ("mirror_pad", SYMMETRIC, {"input": (3, 4), "paddings": [[3, 0], [4, 4]]}, (6, 12)),
        ("mirror_pad", SYMMETRIC, {"input": None, "paddings": [[3, 0], [4, 4]]}, (None, None)),
        ("mirror_pad", SYMMETRIC, {"input": (3, 4), "paddings": (2, 2)}, (None, None)),
    ],
)
def test_padded(law: str, options: dict[str, Any], operands: dict[str, Any], shape: Any) -> None:
    assert shapes_of((law, law.upper(), options, operands)) == (shape,)


@pytest.mark.parametrize(
    ("law", "options", "operands", "role", "found"),
    [
        ("pad", {}, {"input": (1,) * 6, "paddings": [[0, 0]] * 6}, "input", "the input has 6 dimensions, 0 to 5 wanted"),
        ("pad", {}, {"input": (2,), "paddings": [[0, 0]], "constant_values": [1, 2]}, "constant_values",
         "the constant values has 2 values, 1 wanted"),
        ("pad", {}, {"input": (2,), "paddings": [0, 0]}, "paddings", "the paddings has 1 dimensions, 2 wanted"),
        ("pad", {}, {"input": (2, 3), "paddings": [[0, 0]]}, "paddings", "the paddings are [1, 2], [2, 2] wanted"),
        ("pad", {}, {"input": (2, 3), "paddings": (2, 3)}, "paddings", "the paddings are [2, 3], [2, 2] wanted"),
        ("pad", {}, {"input": None, "paddings": (2, 3)}, "paddings", "the paddings are [2, 3], [rank, 2] wanted"),
        ("pad", {}, {"input": (2,), "paddings": [[0, -2]]}, "paddings", "the paddings are [0, -2], with negative ones"),
        ("mirror_pad", {"mode": 2}, {"input": (3,), "paddings": [[0, 0]]}, None,
         "mode is 2, neither REFLECT (0) nor SYMMETRIC (1)"),
        ("mirror_pad", REFLECT, {"input": (3, 4), "paddings": [[0, 3], [0, 0]]}, "paddings",
         "paddings [0, 3] mirror more than a length of 3"),
        ("mirror_pad", REFLECT, {"input": (3, 4), "paddings": [[0, 0], [4, 0]]}, "paddings",
         "paddings [4, 0] mirror more than a length of 4"),
        ("mirror_pad", SYMMETRIC, {"input": (3, 4), "paddings": [[0, 0], [1, 5]]}, "paddings",
         "paddings [1, 5] mirror more than a length of 4"),
    ],
)  # fmt: skip
def test_misfits_of_padded(
    law: str, options: dict[str, Any], operands: dict[str, Any], role: str | None, found: str
) -> None:
    assert misfit_of((law, law.upper(), options, operands)) == (role, found)
