"""Output shapes of the StableHLO operators that pad, dilate, gather and reduce windows, and the text of each misfit."""

from __future__ import annotations

from typing import Any

import pytest

from tests.model.shapes.tables import misfit_of, shapes_of


def padded(source: Any, low: list[int], high: list[int], inner: list[int], value: Any = ()) -> Any:
    options = {"edge_padding_low": low, "edge_padding_high": high, "interior_padding": inner}
    return ("stablehlo_pad", "STABLEHLO_PAD", options, {"input": source, "padding_value": value})


@pytest.mark.parametrize(
    ("asked", "shape"),
    [
        (padded((4, 5), [1, 0], [2, 3], [0, 2]), (7, 16)),
        (padded((1, 4), [0, -1], [0, -2], [9, 0]), (1, 1)),
        (padded((0, 4), [1, 0], [1, 0], [3, 0]), (2, 4)),
        (padded((3, 4), [-1, 0], [-2, 0], [0, 0]), (0, 0)),
        (padded((3, 4), [-2, 0], [0, 0], [0, 0]), (1, 4)),
        (padded((None, 4), [1, 1], [1, 1], [0, 0]), (None, None)),
        (padded((None, 4), [1, -4], [1, 0], [0, 0]), (0, 0)),
        (padded((), [], [], []), ()),
        (padded(None, [1], [1], [0]), None),
    ],
)
def test_pad(asked: Any, shape: Any) -> None:
    assert shapes_of(asked) == (shape,)


@pytest.mark.parametrize(
    ("asked", "role", "found"),
    [
        (padded((4,), [1], [1], [0], [1, 2]), "padding_value", "the padding value has 2 values, 1 wanted"),
        (padded((4, 5), [1], [1, 1], [0, 0]), None, "edge_padding_low has 1 values for 2 dimensions"),
        (padded((4, 5), [1, 1], [1], [0, 0]), None, "edge_padding_high has 1 values for 2 dimensions"),
        (padded((4, 5), [1, 1], [1, 1], []), None, "interior_padding has 0 values for 2 dimensions"),
        (padded((4, 5), [1, 1], [1, 1], [0, -1]), None, "interior_padding is [0, -1], with negative ones"),
    ],
)
def test_misfits_of_pad(asked: Any, role: str | None, found: str) -> None:
    assert misfit_of(asked) == (role, found)


@pytest.mark.parametrize(
    ("source", "dilations", "shape"),
    [
        ((4, 5), [1, 3], (4, 13)),
        ((0, 1), [3, 3], (0, 1)),
        ((None, 5), [2, 2], (None, 9)),
        ((2,) * 6, [2] * 6, (3,) * 6),
        ((4, 5), (2,), (None, None)),
        (None, [1, 3], None),
    ],
)
def test_dilate(source: Any, dilations: Any, shape: Any) -> None:
    assert shapes_of(("dilate", "DILATE", {}, {"input": source, "dilations": dilations})) == (shape,)


@pytest.mark.parametrize(
    ("source", "dilations", "role", "found"),
    [
        ((2,) * 7, [1] * 7, "input", "the input has 7 dimensions, 0 to 6 wanted"),
        ((4,), 2, "dilations", "the dilations has 0 dimensions, 1 wanted"),
        ((4, 5), [2], "dilations", "the dilations has 1 values, 2 wanted"),
        ((4, 5), [1, 0], "dilations", "the dilations are [1, 0], at least 1 wanted"),
    ],
)
def test_misfits_of_dilate(source: Any, dilations: Any, role: str, found: str) -> None:
    assert misfit_of(("dilate", "DILATE", {}, {"input": source, "dilations": dilations})) == (role, found)


def reduced(source: Any, window: Any, strides: Any, dilations: Any) -> Any:
    operands = {"input": source, "window_shape": window}
    operands |= {"window_strides": strides, "window_dilations": dilations}
    return ("reduce_window", "REDUCE_WINDOW", {}, operands)


@pytest.mark.parametrize(
    ("asked", "shape"),
    [
        (reduced((7, 8), [3, 2], [1, 2], [1, 1]), (5, 4)),
        (reduced((7, 8), [3, 2], [2, 1], [2, 3]), (2, 5)),
        (reduced((7, 3), [1, 3], [3, 1], [1, 1]), (3, 1)),
        (reduced((4, 8), [3, 8], [1, 1], [2, 1]), (0, 1)),
        (reduced((None, 8), [3, 9], [1, 1], [1, 1]), (None, 0)),
        (reduced((7,), [3, 2], [1, 1], [1, 1]), (5,)),
        (reduced(None, [3], [1], [1]), None),
    ],
)
def test_reduced_window(asked: Any, shape: Any) -> None:
    assert shapes_of(asked) == (shape,)


@pytest.mark.parametrize(
    ("asked", "role", "found"),
    [
        (reduced((), [3], [1], [1]), "input", "the input has 0 dimensions, at least 1 wanted"),
        (reduced((7,), (1,), [1], [1]), "window_shape", "the window shape is computed, a constant wanted"),
        (reduced((7,), [3], (1,), [1]), "window_strides", "the window strides is computed, a constant wanted"),
        (reduced((7,), [3], [1], (1,)), "window_dilations", "the window dilations is computed, a constant wanted"),
        (reduced((7, 8), [3], [1, 1], [1, 1]), "window_shape", "the window shape has 1 values for 2 dimensions"),
        (reduced((7, 8), [3, 3], [1], [1, 1]), "window_strides", "the window strides has 1 values for 2 dimensions"),
        (reduced((7, 8), [3, 3], [1, 1], [1]), "window_dilations", "the window dilations has 1 values for 2 dimensions"),
        (reduced((7, 8), [3, 3], [0, 1], [1, 1]), "window_strides", "the window strides are [0, 1], at least 1 wanted"),
        (reduced((7, 8), [3, 3], [1, 1], [1, 0]), "window_dilations",
         "the window dilations are [1, 0], at least 1 wanted"),
    ],
)  # fmt: skip
def test_misfits_of_reduced_window(asked: Any, role: str, found: str) -> None:
    assert misfit_of(asked) == (role, found)


def of_stablehlo(source: Any, **options: list[int]) -> Any:
    return ("stablehlo_reduce_window", "STABLEHLO_REDUCE_WINDOW", options, {"input": source})


@pytest.mark.parametrize(
    ("asked", "shape"),
    [
        (of_stablehlo((7, 8)), (7, 8)),
        (of_stablehlo((7, 8), window_dimensions=[3, 2], window_strides=[1, 2]), (5, 4)),
        (of_stablehlo((7, 8), window_dimensions=[3, 2], padding=[1, 0, 2, 3]), (6, 12)),
        (of_stablehlo((4, 5), base_dilations=[3, 1]), (10, 5)),
        (of_stablehlo((9, 5), window_dimensions=[3, 1], window_dilations=[4, 2]), (1, 5)),
        (of_stablehlo((8, 5), window_dimensions=[3, 1], window_dilations=[4, 2]), (0, 5)),
        (of_stablehlo((None, 5), window_dimensions=[3, 1]), (None, 5)),
        (of_stablehlo((0, 5)), (0, 5)),
        (of_stablehlo((0, 5), padding=[2, 0, 0, 0]), (2, 5)),
        (of_stablehlo(()), ()),
        (of_stablehlo(None), None),
    ],
)
def test_window_of_stablehlo(asked: Any, shape: Any) -> None:
    assert shapes_of(asked) == (shape,)


@pytest.mark.parametrize(
    ("options", "found"),
    [
        ({"padding": [0, 0]}, "padding has 2 values for 4 dimensions"),
        ({"window_dimensions": [3]}, "window_dimensions has 1 values for 2 dimensions"),
        ({"window_dimensions": [3, 0]}, "a window length, stride or dilation is less than 1"),
        ({"window_strides": [0, 1]}, "a window length, stride or dilation is less than 1"),
        ({"base_dilations": [1, 0]}, "a window length, stride or dilation is less than 1"),
        ({"window_dilations": [0, 1]}, "a window length, stride or dilation is less than 1"),
        ({"padding": [-7, 0, 0, 0]}, "base_dilations spread no elements, or padding leaves none"),
    ],
)
def test_misfits_of_window_of_stablehlo(options: dict[str, list[int]], found: str) -> None:
    assert misfit_of(of_stablehlo((7, 8), **options)) == (None, found)


def gathered(
    source: Any, indices: Any, vector: int, sizes: list[int], offset: list[int], gone: list[int]
) -> Any:
    options = {"index_vector_dim": vector, "slice_sizes": sizes}
    options |= {"offset_dims": offset, "collapsed_slice_dims": gone}
    return ("stablehlo_gather", "STABLEHLO_GATHER", options, {"input": source, "indices": indices})


@pytest.mark.parametrize(
    ("asked", "shape"),
    [
        (gathered((5, 6), (7, 1), 1, [1, 6], [1], [0]), (7, 6)),
        (gathered((5, 6), (7, 1), 1, [2, 3], [0, 2], []), (2, 7, 3)),
        (gathered((5, 6), (7, 1), 1, [2, 3], [2, 0], []), (3, 7, 2)),
        (gathered((5, 6), (2, 7, 8), 0, [1, 4], [1], [0]), (7, 4, 8)),
        (gathered((5, 6), (2, 7), 0, [0, 6], [0], [1]), (0, 7)),
        (gathered((5, None), (7, 2), 1, [5, 9], [1, 2], []), (7, 5, 9)),
        (gathered(None, (7, 1), 1, [1], [], [0]), None),
        (gathered((5, 6), None, 1, [1, 6], [1], [0]), None),
    ],
)
def test_gather_of_stablehlo(asked: Any, shape: Any) -> None:
    assert shapes_of(asked) == (shape,)


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        (gathered((5, 6), (7, 1), 2, [1, 6], [1], [0]), "index_vector_dim is 2, the indices have 2 dimensions"),
        (gathered((5, 6), (7, 1), -1, [1, 6], [1], [0]), "index_vector_dim is -1, the indices have 2 dimensions"),
        (gathered((5, 6), (7, 1), 1, [6, 6], [1], [0]), "slice_sizes is [6, 6], the input [5, 6]"),
        (gathered((5, 6), (7, 1), 1, [-1, 6], [1], [0]), "slice_sizes is [-1, 6], the input [5, 6]"),
        (gathered((5, 6), (7, 1), 1, [1], [1], [0]), "slice_sizes is [1], the input [5, 6]"),
        (gathered((5, 6), (7, 1), 1, [1, 6], [1], [0, 0]), "collapsed_slice_dims [0, 0] names a dimension twice"),
        (gathered((5, 6), (7, 1), 1, [1, 6], [1, 2], [0]), "offset_dims has 2 dimensions, the slices keep 1"),
        (gathered((5, 6), (7, 1), 1, [1, 6], [1, 1], []), "offset_dims is [1, 1], of a result of 3 dimensions"),
        (gathered((5, 6), (7, 1), 1, [1, 6], [1, 3], []), "offset_dims is [1, 3], of a result of 3 dimensions"),
        (gathered((5, 6), (7, 1), 1, [1, 6], [-1, 1], []), "offset_dims is [-1, 1], of a result of 3 dimensions"),
    ],
)  # fmt: skip
def test_misfits_of_gather_of_stablehlo(asked: Any, found: str) -> None:
    assert misfit_of(asked) == (None, found)


def test_scatter_has_the_shape_of_its_input() -> None:
    assert shapes_of(("scatter", "STABLEHLO_SCATTER", {}, {"input": (3, None)})) == ((3, None),)


@pytest.mark.parametrize("state", [(2,), (3,), (None,), None])
def test_random_bits(state: Any) -> None:
    operands = {"state": state, "output": (4, 5)}
    asked = ("random_bits", "STABLEHLO_RNG_BIT_GENERATOR", {}, operands)
    assert shapes_of(asked, 2) == (state, (4, 5))


@pytest.mark.parametrize(
    ("state", "shown"), [((4,), "[4]"), ((1,), "[1]"), ((2, 1), "[2, 1]"), ((None, 2), "[?, 2]"), ((), "[]")]
)
def test_random_state_of_another_shape(state: Any, shown: str) -> None:
    asked = ("random_bits", "STABLEHLO_RNG_BIT_GENERATOR", {}, {"state": state, "output": (4,)})
    assert misfit_of(asked, 2) == ("state", f"the state is {shown}, [2] or [3] wanted")
