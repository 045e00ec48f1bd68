"""Measurements of kernels that shift: an ADD of int16 with power-of-two scales that broadcasts."""

from __future__ import annotations

import pytest

from litecheck.cases.one_operator import one_operator, run_time
from litecheck.model.build import qparams
from litecheck.profile.measurements.measured_operator import Operands
from litecheck.profile.measurements.power_of_two_scales import shifted_broadcasts

Shape = tuple[int, ...]


@pytest.mark.parametrize(
    ("lhs", "rhs", "scale", "options", "expected"),
    [
        ((1, 4), (4, 4), 0.125, {}, 1),
        ((4, 4), (), 0.125, {"pot_scale_int16": True}, 1),
        ((1, 4), (4,), 0.125, {}, 0),
        ((4, 4), (4, 4), 0.125, {}, 0),
        ((1, 4), (4, 4), 0.125, {"pot_scale_int16": False}, None),
        ((1, 4), (4, 4), 0.1, {}, None),
    ],
)
def test_inputs_that_broadcast_count_under_powers_of_two(
    lhs: Shape, rhs: Shape, scale: float, options: dict[str, bool], expected: int | None
) -> None:
    inputs = [run_time(n, s, "int16", qparams(q)) for n, s, q in (("a", lhs, 0.25), ("b", rhs, scale))]
    model = one_operator("ADD", inputs, [run_time("y", (4, 4), "int16", qparams(0.25))], options)
    graph = model.subgraphs[0]
    a, b, y = graph.tensors
    roles = {"lhs": (a,), "rhs": (b,), "output": (y,)}
    assert shifted_broadcasts(Operands(graph.operators[0], roles, graph, model)) == expected
