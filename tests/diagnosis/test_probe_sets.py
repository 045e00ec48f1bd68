"""Probes of a diagnosis, and their groups."""

from __future__ import annotations

import pytest

from litecheck.cases.geometry.design import rows_of
from litecheck.diagnosis.probe_sets import prepare_probes
from litecheck.errors import ConfigError
from litecheck.model.build import ModelBuilder
from litecheck.reference.runtime_tensors import RunError
from tests.verification.planted import two_operators


def test_probes_that_the_same_stages_decide_go_together() -> None:
    ordinary, grouped = prepare_probes((), ["CONV_2D"])
    assert {stage for way in ordinary.hypotheses for stage, _ in way.stages} == {"requantize"}
    assert {stage for way in grouped.hypotheses for stage, _ in way.stages} == {"requantize/grouped"}
    assert all("groups" in probe.name for probe in grouped.probes)
    assert len(ordinary.hypotheses) == len(ordinary.kernel.steps["requantize"].variants)


def test_probes_of_fewer_stages_join_a_group() -> None:
    """With a scale per unit, the width of the product of scales has no effect."""
    (every,) = prepare_probes((), ["FULLY_CONNECTED"])
    assert {stage for way in every.hypotheses for stage, _ in way.stages} == {"requantize", "multiplier"}
    assert {len(probe.subgraph.tensors[1].quantization.scale) > 1 for probe in every.probes} == {True, False}


def test_a_model_adds_its_own_operators_and_selects_their_kinds() -> None:
    groups = prepare_probes([two_operators()])
    assert [group.opcode for group in groups] == ["ADD", "LEAKY_RELU"]
    names = [
        probe.name for group in groups for probe in group.probes if probe.operator_name and not probe.resized
    ]
    assert names == [
        "#0, random values", "#0, edges", "#1, random values", "#1, edges",
    ]  # fmt: skip


def test_an_unknown_operator_is_refused() -> None:
    with pytest.raises(ConfigError, match="there are no probes for 'IF'; available: CONV_2D"):
        prepare_probes((), ["IF"])
    with pytest.raises(ConfigError, match="the model has no 'CONV_2D'; available: ADD, LEAKY_RELU"):
        prepare_probes([two_operators()], ["CONV_2D"])


def test_a_model_without_a_testable_operator_is_an_error() -> None:
    builder = ModelBuilder()
    main = builder.subgraph()
    ends = [main.tensor(name, (2, 2), "float32") for name in ("x", "y")]
    main.add("RELU", ends[:1], ends[1:])
    main.inputs(ends[0])
    main.outputs(ends[1])
    with pytest.raises(RunError, match="no operator in it can be diagnosed"):
        prepare_probes([builder.finish()])


def test_operators_that_move_data_are_tried_in_the_shapes_of_their_design() -> None:
    (group,) = prepare_probes((), ["TRANSPOSE"])
    assert len(group.probes) == len(rows_of("TRANSPOSE", 1))
    assert all(probe.resized and len(probe.run_order) == 1 for probe in group.probes)
    usual = {group.opcode for group in prepare_probes(repeats=0)}
    assert {"TRANSPOSE", "PAD", "CONV_2D"} <= usual
    assert not {"TILE", "SHAPE"} & usual


def test_an_operator_of_a_model_is_tested_in_further_shapes() -> None:
    own = [
        p
        for group in prepare_probes([two_operators()], ["ADD"], repeats=0)
        for p in group.probes
        if p.resized
    ]
    assert {probe.operator_name for probe in own} == {"#0"}
    shapes = {probe.subgraph.tensors[probe.subgraph.inputs[0]].shape for probe in own}
    assert len(shapes) > 5
    scales = {
        float(probe.subgraph.tensors[i].quantization.scale[0]) for probe in own for i in probe.subgraph.inputs
    }
    main = two_operators().subgraphs[0]
    assert scales == {float(main.tensors[i].quantization.scale[0]) for i in main.operators[0].inputs}
