"""Windows of StableHLO over any dimensions."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from litecheck.model.build import options_table
from litecheck.reference.kernels.stablehlo import stablehlo_pad
from litecheck.reference.kernels.stablehlo_regions import reduce_window, stablehlo_scatter
from litecheck.reference.runtime_tensors import Operand, OutputSpec, RunError

#: Interpreter whose subgraphs have no operators.
WITHOUT_BODY = SimpleNamespace(subgraph=lambda index: SimpleNamespace(operators=()))
X = np.array([[100, 50, -7, 3, 0, 9], [1, -2, 30, 4, 5, -128]], np.int8)


def reduced(
    function: str, window: list[int], strides: list[int], dilations: list[int], init: int = 0
) -> np.ndarray:
    sizes = (Operand(np.array(v, np.int64), "int64", constant=True) for v in (window, strides, dilations))
    options = options_table("REDUCE_WINDOW", reduce_function=function)
    first = Operand(np.array(init, np.int8), "int8")
    return reduce_window(Operand(X, "int8"), first, *sizes, OutputSpec("int8", ()), options)


def test_windows_follow_stride_and_dilation() -> None:
    assert reduced("MAXIMUM", [1, 2], [1, 2], [1, 3], -128).tolist() == [[100, 9], [4, 30]]
    assert reduced("MINIMUM", [2, 3], [1, 3], [1, 1], 127).tolist() == [[-7, -128]]


def test_the_first_value_counts_and_sums_wrap_around() -> None:
    assert reduced("ADD", [1, 2], [1, 4], [1, 1]).tolist() == [[-106, 9], [-1, -123]]
    assert reduced("ADD", [1, 2], [1, 4], [1, 1], 6).tolist() == [[-100, 15], [5, -117]]
    assert reduced("MUL", [2, 1], [1, 3], [1, 1], 2).tolist() == [[-56, 24]]


def test_all_and_any_convert_numbers_to_bool() -> None:
    assert reduced("ALL", [2, 2], [1, 2], [1, 1], 1).tolist() == [[1, 1, 0]]
    assert reduced("ANY", [1, 1], [1, 1], [1, 1]).tolist() == [[1, 1, 1, 1, 0, 1], [1] * 6]


def test_no_windows_in_a_short_dimension() -> None:
    assert reduced("ADD", [3, 1], [1, 1], [1, 1]).shape == (0, 6)
    assert reduced("ADD", [1, 3], [1, 1], [1, 3]).shape == (2, 0)


def test_a_reduction_without_a_function_is_refused() -> None:
    with pytest.raises(RunError, match="no reduction is called 0"):
        reduced("UNSUPPORTED", [1, 1], [1, 1], [1, 1])


def test_a_window_that_is_no_list_is_an_error() -> None:
    with pytest.raises(RunError, match="lists of numbers, of one dimension"):
        reduced("ADD", [[1, 1]], [1, 1], [1, 1])  # type: ignore[list-item]


@pytest.mark.parametrize(
    ("sizes", "low", "high", "interior", "expected"),
    [
        ((2, 3), (1, 0), (0, 2), (0, 1), (3, 7)),
        ((0, 3), (1, 0), (0, 0), (2, 0), (1, 3)),
        ((0, 3), (0, 1), (0, 1), (1, 0), (0, 0)),
        ((2, 3), (-2, 0), (0, 0), (0, 0), (0, 0)),
    ],
)
def test_padding_of_empty_dimensions(
    sizes: tuple[int, int],
    low: tuple[int, int],
    high: tuple[int, int],
    interior: tuple[int, int],
    expected: tuple[int, int],
) -> None:
    """Interior padding adds nothing to an empty dimension, and an output without elements is empty in all dimensions."""
    lists = {"edge_padding_low": low, "edge_padding_high": high, "interior_padding": interior}
    options = options_table("STABLEHLO_PAD", **{name: np.int64(v) for name, v in lists.items()})
    given = Operand(np.ones(sizes, np.int8), "int8"), Operand(np.int8(7), "int8")
    made = stablehlo_pad(*given, OutputSpec("int8", ()), options)
    assert made.shape == expected
    assert made.sum() == 7 * made.size - 6 * (np.prod(sizes) if made.size else 0)


def scattered(x: np.ndarray, indices: object, updates: object, at: int = 0, **lists: list[int]) -> list[int]:
    """Return the input with int8 updates written at the positions that ``indices`` states."""
    names = "update_window_dims", "inserted_window_dims", "scatter_dims_to_operand_dims"
    options = options_table(
        "STABLEHLO_SCATTER", index_vector_dim=at, **{name: np.int64(lists.get(name, [])) for name in names}
    )
    operands = (
        Operand(x, "int8"),
        Operand(np.array(indices, np.int32), "int32"),
        Operand(np.int8(updates), "int8"),
    )
    made = stablehlo_scatter(*operands, OutputSpec("int8", ()), options, WITHOUT_BODY)  # type: ignore[arg-type]
    return made.tolist()


def test_an_index_vector_of_length_0_scatters_from_the_origin() -> None:
    x = np.arange(4, dtype=np.int8)
    assert scattered(x, [], 9, inserted_window_dims=[0]) == [9, 1, 2, 3]
    assert scattered(x, [], [8, 9], update_window_dims=[0]) == [8, 9, 2, 3]
    square = scattered(x.reshape(2, 2), [], [[8, 9]], update_window_dims=[0, 1])
    assert square == [[8, 9], [2, 3]]


def test_an_update_of_an_empty_input_is_ignored() -> None:
    lists = {"inserted_window_dims": [0], "scatter_dims_to_operand_dims": [0]}
    assert scattered(np.zeros(0, np.int8), [0], 9, **lists) == []
    assert scattered(np.zeros(1, np.int8), [0], 9, **lists) == [9]


def test_updates_outside_the_input_are_ignored() -> None:
    x, lists = np.arange(4, dtype=np.int8), {"inserted_window_dims": [0], "scatter_dims_to_operand_dims": [0]}
    assert scattered(x, [[-1], [2], [4]], [7, 8, 9], 1, **lists) == [0, 1, 8, 3]


def test_a_scatter_of_no_updates_leaves_the_input() -> None:
    """A list without index vectors and an index vector without numbers both leave the input unchanged."""
    lists = {"update_window_dims": [0], "inserted_window_dims": [], "scatter_dims_to_operand_dims": []}
    options = options_table("STABLEHLO_SCATTER", **{name: np.int64(v) for name, v in lists.items()})
    none = Operand(np.zeros(0, np.int32), "int32"), Operand(np.zeros(0, np.int8), "int8")
    made = stablehlo_scatter(Operand(X, "int8"), *none, OutputSpec("int8", ()), options, None)  # type: ignore[arg-type]
    assert made.tolist() == X.tolist()
