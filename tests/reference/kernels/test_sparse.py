"""Sparse constants that DENSIFY unpacks."""

from __future__ import annotations

import numpy as np
import pytest

from litecheck.flatbuffer.table import Table
from litecheck.model.build import ModelBuilder
from litecheck.model.types import Model
from litecheck.reference.engine.interpreter import run
from litecheck.reference.kernels.sparse import places
from litecheck.reference.runtime_tensors import RunError


def listed(segments: list[int], indices: list[int]) -> Table:
    def vector(numbers: list[int]) -> Table:
        return Table("Uint8Vector", {"values": np.array(numbers, np.uint8)})

    lists = {"array_segments": vector(segments), "array_indices": vector(indices)}
    return Table("DimensionMetadata", {"format": 1, **lists})


def dense(size: int) -> Table:
    return Table("DimensionMetadata", {"dense_size": size})


def sparsity(order: list[int], levels: list[Table], blocks: list[int] | None = None) -> Table:
    fields = {"traversal_order": np.array(order), "dim_metadata": tuple(levels)}
    return Table("SparsityParameters", {**fields, **({"block_map": np.array(blocks)} if blocks else {})})


def model(stored: list[int], shape: tuple[int, ...], folded: Table, reader: str = "DENSIFY") -> Model:
    builder = ModelBuilder()
    main = builder.subgraph("main")
    held = main.constant("values", np.array(stored, np.int8))
    tensor = main.finish().tensors[held]
    w = main.tensor("w", shape, "int8", buffer=tensor.buffer, data=tensor.data, sparsity=folded)
    y = main.tensor("y", shape, "int8")
    main.add(reader, [w], [y])
    main.outputs(y)
    return builder.finish()


def unfolded(stored: list[int], shape: tuple[int, ...], folded: Table) -> list[object]:
    return run(model(stored, shape, folded), ()).outputs["y"].tolist()


def test_rows_list_their_columns() -> None:
    rows = sparsity([0, 1], [dense(3), listed([0, 2, 2, 3], [0, 3, 1])])
    assert unfolded([5, 6, 7], (3, 4), rows) == [[5, 0, 0, 6], [0, 0, 0, 0], [0, 7, 0, 0]]


def test_columns_may_come_first() -> None:
    columns = sparsity([1, 0], [listed([0, 2], [1, 3]), dense(2)])
    assert unfolded([5, 6, 7, 8], (2, 4), columns) == [[0, 5, 0, 7], [0, 6, 0, 8]]


def test_blocks_stay_whole() -> None:
    blocks = sparsity([0, 1, 2], [dense(2), listed([0, 1, 1], [1]), dense(2)], [1])
    assert unfolded([5, 6], (2, 4), blocks) == [[0, 0, 5, 6], [0, 0, 0, 0]]


def test_blocks_may_have_two_dimensions_in_any_order() -> None:
    levels = [dense(1), listed([0, 1], [1]), dense(2), dense(3)]
    straight = sparsity([0, 1, 2, 3], levels, [0, 1])
    assert unfolded([1, 2, 3, 4, 5, 6], (2, 6), straight) == [[0, 0, 0, 1, 2, 3], [0, 0, 0, 4, 5, 6]]


def test_lists_may_nest() -> None:
    at = places(sparsity([0, 1], [listed([0, 2], [1, 4]), listed([0, 1, 3], [2, 0, 5])]), 2)
    assert [v.tolist() for v in at] == [[1, 4, 4], [2, 0, 5]]


def test_invalid_sparsity_is_rejected() -> None:
    outside = sparsity([0, 1], [dense(1), listed([0, 1], [9])])
    with pytest.raises(RunError, match="sparse tensor 1 'w' does not unfold"):
        unfolded([5], (1, 4), outside)
    few = sparsity([0, 1], [dense(1), listed([0, 2], [0, 1])])
    with pytest.raises(RunError, match="sparse tensor 1 'w' does not unfold"):
        unfolded([5], (1, 4), few)


def test_only_densify_reads_sparse_constants() -> None:
    rows = sparsity([0, 1], [dense(1), listed([0, 1], [0])])
    with pytest.raises(RunError, match="has no values"):
        run(model([5], (1, 4), rows, "NEG"), ())
