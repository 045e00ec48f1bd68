"""Measurements of intermediate tensors."""

from __future__ import annotations

import pytest

from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.types import Operator
from litecheck.profile.measurements.intermediates import intermediate_elements, lstm_extensions
from litecheck.profile.measurements.measured_operator import Operands


@pytest.mark.parametrize(
    ("shapes", "expected"), [((), None), (((0,),), 0), (((0,), (4,)), 4), (((2, 3), ()), 6)], ids=str
)
def test_the_largest_intermediate_counts(shapes: tuple[tuple[int, ...], ...], expected: int | None) -> None:
    builder = ModelBuilder("lstm")
    main = builder.subgraph()
    x, y = (main.tensor(name, (1, 4), "int8", qparams(0.5)) for name in "xy")
    steps = [main.tensor(f"step {n}", shape, "int16", qparams(0.5)) for n, shape in enumerate(shapes)]
    main.add("LSTM", [x], [y], intermediates=steps)
    model = builder.finish()
    graph = model.subgraphs[0]
    assert intermediate_elements(Operands(graph.operators[0], {}, graph, model)) == expected


def test_peepholes_projections_and_normalization_are_extensions() -> None:
    builder = ModelBuilder("lstm")
    main = builder.subgraph()
    x = main.tensor("x", (4,), "int16", qparams(0.5))
    graph = builder.finish().subgraphs[0]
    tensor = (graph.tensors[x],)
    roles = dict.fromkeys(("input", "cell_to_input_weights", "projection_bias"), tensor)
    operator = Operator(0, "LSTM", (), ())
    assert lstm_extensions(Operands(operator, roles, graph, builder.finish())) == 2
