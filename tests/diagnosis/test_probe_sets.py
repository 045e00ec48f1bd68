"""What a device is asked, and what belongs together."""

from __future__ import annotations

import pytest

from litecheck.diagnosis.probe_sets import prepared
from litecheck.errors import ConfigError
from litecheck.model.build import ModelBuilder
from litecheck.reference.runtime_tensors import RunError
from tests.verification.planted import two_operators


def test_probes_that_the_same_stages_decide_go_together() -> None:
    ordinary, grouped = prepared((), ["CONV_2D"])
    assert {stage for way in ordinary.hypotheses for stage, _ in way.stages} == {"requantize"}
    assert {stage for way in grouped.hypotheses for stage, _ in way.stages} == {"requantize/grouped"}
    assert all("groups" in probe.name for probe in grouped.probes)
    assert len(ordinary.hypotheses) == len(ordinary.kernel.steps["requantize"].variants)


def test_probes_that_fewer_stages_decide_go_with_others() -> None:
    """With a scale for each unit the width of the scales' product does not count."""
    (every,) = prepared((), ["FULLY_CONNECTED"])
    assert {stage for way in every.hypotheses for stage, _ in way.stages} == {"requantize", "multiplier"}
    assert {len(probe.subgraph.tensors[1].quantization.scale) > 1 for probe in every.probes} == {True, False}


def test_a_model_adds_its_own_operators_and_selects_their_kinds() -> None:
    groups = prepared([two_operators()])
    assert [group.opcode for group in groups] == ["ADD", "LEAKY_RELU"]
    names = [probe.name for group in groups for probe in group.probes if probe.called]
    assert names == [
        "#0, random values", "#0, edges", "#1, random values", "#1, edges",
    ]  # fmt: skip


def test_an_unknown_operator_is_refused() -> None:
    with pytest.raises(ConfigError, match="there are no probes for 'RESHAPE'; available: CONV_2D"):
        prepared((), ["RESHAPE"])
    with pytest.raises(ConfigError, match="the model has no 'CONV_2D'; available: ADD, LEAKY_RELU"):
        prepared([two_operators()], ["CONV_2D"])


def test_a_model_without_anything_to_try_is_refused() -> None:
    builder = ModelBuilder()
    main = builder.subgraph()
    ends = [main.tensor(name, (2, 2), "float32") for name in ("x", "y")]
    main.add("RELU", ends[:1], ends[1:])
    main.inputs(ends[0])
    main.outputs(ends[1])
    with pytest.raises(RunError, match="no operator in it can be diagnosed"):
        prepared([builder.finish()])
