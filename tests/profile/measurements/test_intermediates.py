"""Measurements of intermediate tensors."""

from __future__ import annotations

import pytest

from litecheck.model.build import ModelBuilder, quantized
from litecheck.profile.measurements.bound import Operands
from litecheck.profile.measurements.intermediates import intermediate_elements


@pytest.mark.parametrize(
    ("shapes", "expected"), [((), None), (((0,),), 0), (((0,), (4,)), 4), (((2, 3), ()), 6)], ids=str
)
def test_the_largest_intermediate_counts(shapes: tuple[tuple[int, ...], ...], expected: int | None) -> None:
    builder = ModelBuilder("lstm")
    main = builder.subgraph()
    x, y = (main.tensor(name, (1, 4), "int8", quantized(0.5)) for name in "xy")
    steps = [main.tensor(f"step {n}", shape, "int16", quantized(0.5)) for n, shape in enumerate(shapes)]
    main.add("LSTM", [x], [y], intermediates=steps)
    model = builder.finish()
    graph = model.subgraphs[0]
    assert intermediate_elements(Operands(graph.operators[0], {}, graph, model)) == expected
