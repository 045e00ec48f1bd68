"""Probes of shapes: a probe for each row of the design, and plain models of operators that move data."""

from __future__ import annotations

import pytest

from litecheck.cases.geometry.design import ONCE, rows_of
from litecheck.cases.probes.catalogue import probes
from litecheck.cases.probes.shape_probes import moves, moving, vary_shapes
from litecheck.checks.validate import validate


@pytest.mark.parametrize("opcode", ["TRANSPOSE", "CONCATENATION", "PADV2", "SELECT", "MAXIMUM"])
def test_an_operator_that_moves_data_has_a_valid_probe_for_each_row(opcode: str) -> None:
    made = moves(opcode, 0)
    assert len(made) == len(rows_of(opcode, ONCE))
    for probe in made:
        assert validate(probe.model).coverage["conforms"] == 1
        ((*fed,),) = probe.runs
        shapes = [probe.subgraph.tensors[i].shape for i in probe.subgraph.inputs]
        assert [values.shape for values in fed] == shapes
        assert probe.resized
        assert probe.name.startswith("in shape ")


def test_operators_that_move_data_have_one_way_to_compute() -> None:
    names = moving()
    assert {"TRANSPOSE", "TILE", "SPLIT", "MINIMUM"} <= set(names)
    assert not {"ADD", "EQUAL", "SUM", "SVDF", "SHAPE"} & set(names)


def test_probes_of_a_models_operator_have_its_name() -> None:
    base = probes("RELU")[0]
    named = next(
        iter(
            vary_shapes(
                base.__class__("", "RELU", base.model, base.runs, operator_name="#3", source="a.tflite"), 0
            )
        )
    )
    assert (named.name, named.operator_name, named.source) == ("#3 in shape usual shape", "#3", "a.tflite")


def test_the_seed_draws_the_values() -> None:
    first, second, again = (moves("TRANSPOSE", seed)[0].runs[0][0] for seed in (0, 1, 0))
    assert (first != second).any()
    assert (first == again).all()


def test_conditions_alternate_in_pairs() -> None:
    for probe in moves("SELECT", 0):
        condition = probe.runs[0][0].reshape(-1)
        assert condition.dtype == bool
        assert condition.tolist() == [n % 4 < 2 for n in range(condition.size)]
