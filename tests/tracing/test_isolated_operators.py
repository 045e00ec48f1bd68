"""Tensors before matched operators: the named reader uses the values."""

from __future__ import annotations

import pytest

from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.matching import match
from litecheck.model.types import Model
from litecheck.tracing.isolated_operators import edges_of


def shape_first(dtype: str, uses_values: bool) -> Model:
    """Return a model with an input that SHAPE reads and, with ``uses_values``, RELU too."""
    main = (builder := ModelBuilder()).subgraph()
    form = None if dtype == "float32" else qparams(0.5)
    x, y = (main.tensor(name, (1, 4), dtype, form) for name in "xy")
    main.add("SHAPE", [x], [shape := main.tensor("shape", (2,), "int32")])
    if uses_values:
        main.add("RELU", [x], [y])
    main.inputs(x)
    main.outputs(shape, *([y] if uses_values else []))
    return builder.finish()


@pytest.mark.parametrize(("uses_values", "edges"), [(True, [(0, 1)]), (False, [])])
def test_an_operator_that_reads_the_shape_is_no_reader(
    uses_values: bool, edges: list[tuple[int, int]]
) -> None:
    found = match(*(shape_first(dtype, uses_values) for dtype in ("float32", "int8")))
    assert list(edges_of(found.subgraphs[0])) == edges
