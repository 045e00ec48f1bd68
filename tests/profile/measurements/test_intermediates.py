"""Measurements of intermediate tensors."""

from __future__ import annotations

from dataclasses import replace

import pytest

from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.types import Operator
from litecheck.profile.measurements.intermediates import (
    blockwise_gates,
    intermediate_elements,
    lstm_extensions,
    multi_axis_gates,
)
from litecheck.profile.measurements.measured_operator import Operands
from litecheck.quantization import Blockwise, MultiAxis, Quantization


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


@pytest.mark.parametrize(("gates", "expected"), [((), 0), ((1,), 1), ((0, 3), 2), ((4,), 0)], ids=str)
def test_blockwise_gates_are_the_first_four_intermediate_tensors(
    gates: tuple[int, ...], expected: int
) -> None:
    builder = ModelBuilder("lstm")
    main = builder.subgraph()
    x, y = (main.tensor(name, (1, 4), "int8", qparams(0.5)) for name in "xy")
    scales = main.tensor("scales", (1,), "float16")
    blocks = Quantization(details=Blockwise(scales, -1, 32))
    steps = [
        main.tensor(f"step {n}", (4,), "int16", blocks if n in gates else qparams(0.5)) for n in range(5)
    ]
    main.add("LSTM", [x], [y], intermediates=steps)
    model = builder.finish()
    graph = model.subgraphs[0]
    assert blockwise_gates(Operands(graph.operators[0], {}, graph, model)) == expected


@pytest.mark.parametrize(
    ("gates", "expected"), [((), 0), (("input",), 1), (("forget", "output"), 2)], ids=str
)
def test_multi_axis_gates(gates: tuple[str, ...], expected: int) -> None:
    builder = ModelBuilder("lstm")
    main = builder.subgraph()
    for name in ("input", "forget", "cell", "output"):
        details = MultiAxis(0, -1, 0, (0,)) if name in gates else None
        main.tensor(name, (0,), "int16", replace(qparams(0.5), details=details))
    model = builder.finish()
    graph = model.subgraphs[0]
    roles = {f"{t.name}_gate_intermediate": (t,) for t in graph.tensors}
    assert multi_axis_gates(Operands(Operator(0, "LSTM", (), ()), roles, graph, model)) == expected
