"""int8 weights with float activations: a scale per channel or row, or per tensor as TensorFlow's old converter
writes."""

from __future__ import annotations

import numpy as np
import pytest

from litecheck import convert_model
from litecheck.conversion.formulas import Generation
from litecheck.model.build import ModelBuilder
from litecheck.model.types import Model


def lookup() -> Model:
    """Return an EMBEDDING_LOOKUP of 64 rows, in which a row is 100 times as large as the rest, and a FULLY_CONNECTED."""
    main = (builder := ModelBuilder()).subgraph()
    rng = np.random.default_rng(0)
    table = rng.normal(0, 1, (64, 32)).astype(np.float32)
    table[7] *= 100
    indices = main.tensor("indices", (4,), "int32")
    rows, y = main.tensor("rows", (4, 32), "float32"), main.tensor("y", (4, 48), "float32")
    main.add("EMBEDDING_LOOKUP", [indices, main.constant("table", table)], [rows])
    weights = main.constant("weights", rng.normal(0, 1, (48, 32)).astype(np.float32))
    main.add("FULLY_CONNECTED", [rows, weights, -1], [y])
    main.inputs(indices)
    main.outputs(y)
    return builder.finish()


@pytest.mark.parametrize(
    ("generation", "rows", "units"), [("new", 64, 48), ("verbatim", 64, 48), ("old", 1, 1)]
)
def test_granularity(generation: Generation, rows: int, units: int) -> None:
    record = convert_model(lookup(), to="dynamic", generation=generation)
    assert record.verdict == "conforms"
    stored = {t.name: t for t in record.conversion.model.subgraphs[0].tensors if t.dtype == "int8"}
    assert stored["table"].quantization.scale.size == rows
    assert stored["weights"].quantization.scale.size == units


def test_an_outlier_row_does_not_change_further_rows() -> None:
    (tensor,) = (
        t
        for t in convert_model(lookup(), to="dynamic").conversion.model.subgraphs[0].tensors
        if t.name == "table"
    )
    scale = tensor.quantization.scale
    assert tensor.quantization.axis == 0
    assert scale[7] == scale.max()
    assert np.delete(scale, 7).max() < scale[7] / 20
