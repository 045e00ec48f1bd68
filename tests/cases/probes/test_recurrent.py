"""Shapes, state and ranges of probes of operators with a memory."""

from __future__ import annotations

import re

import numpy as np
import pytest

from litecheck.cases.probes.probe import Probe
from litecheck.reference.engine.interpreter import ReferenceInterpreter
from tests.cases.probes.fingerprint import fingerprint, of_family

#: The same options give the same bytes (docs/suite.md).
RECORDED = {
    ("svdf", "SVDF"): "ccb837006e06",
    ("lstm", "UNIDIRECTIONAL_SEQUENCE_LSTM"): "3d17d5a90d29",
}


@pytest.mark.parametrize(("family", "opcode"), RECORDED)
def test_the_same_seed_draws_the_same_probes(family: str, opcode: str) -> None:
    assert fingerprint(of_family(family, opcode)) == RECORDED[family, opcode]


def by_name(probe: Probe) -> dict[str, tuple[int, ...]]:
    return {t.name: t.shape for t in probe.subgraph.tensors}


@pytest.mark.parametrize(("family", "opcode"), RECORDED)
def test_inferences_from_the_initial_state_and_in_series(family: str, opcode: str) -> None:
    """A series of 12 inferences is longer than the longest memory of an SVDF here, 10 entries."""
    made = of_family(family, opcode)
    assert [p.series for p in made] == [False, True] * (len(made) // 2)
    for alone, series in zip(made[::2], made[1::2], strict=True):
        assert (len(alone.runs), len(series.runs)) == (4, 12)
        assert alone.runs == series.runs[:4]
        assert alone.model is series.model
        assert alone.name.endswith(", each from the initial state")
        assert series.name == alone.name.replace("each from the initial state", "a series of 12")


def test_shapes_of_svdf() -> None:
    """The number of filters is units times rank; the state stores the memory of each filter."""
    ranks = set()
    for each in of_family("svdf", "SVDF"):
        stated = re.fullmatch(r"(\d+) x (\d+) to (\d+) of rank (\d), memory (\d+), .*", each.name)
        assert stated is not None
        batch, features, units, rank, memory = map(int, stated.groups())
        ranks.add(rank)
        assert by_name(each) == {
            "input": (batch, features),
            "weights_feature": (units * rank, features),
            "weights_time": (units * rank, memory),
            "bias": (units,),
            "state": (batch, units * rank * memory),
            "output": (batch, units),
        }
        assert memory < 12
        options = each.subgraph.operators[0].options
        assert options is not None
        assert (options.get("rank"), options.get("fused_activation_function")) == (rank, 1)
    assert ranks == {1, 2}


def test_shapes_of_lstm() -> None:
    for each in of_family("lstm", "UNIDIRECTIONAL_SEQUENCE_LSTM"):
        stated = re.match(r"(\d+) x (\d+) steps x (\d+) to (\d+) cells", each.name)
        assert stated is not None
        batch, time, features, cells = map(int, stated.groups())
        shapes = by_name(each)
        assert shapes["input"] == (batch, time, features)
        assert shapes["output"] == (batch, time, cells)
        assert shapes["output_state"] == shapes["cell_state"] == (batch, cells)
        for gate in ("input", "forget", "cell", "output"):
            assert shapes[f"weights 0 {gate}"] == (cells, features)
            assert shapes[f"weights 1 {gate}"] == (cells, cells)
            assert shapes[f"bias {gate}"] == (cells,)
        inputs = each.subgraph.operators[0].inputs
        named = ["" if i < 0 else each.subgraph.tensors[i].name.split()[0] for i in inputs]
        assert named == [
            "input", *["weights"] * 8, *[""] * 3, *["bias"] * 4, "", "", "output_state", "cell_state", *[""] * 4,
        ]  # fmt: skip


@pytest.mark.parametrize(("family", "opcode"), RECORDED)
def test_outputs_use_most_of_int8(family: str, opcode: str) -> None:
    """A wrong state shows only if the output depends on it and is not clipped everywhere."""
    for each in of_family(family, opcode):
        if not each.series:
            run = ReferenceInterpreter(each.model).run(each.subgraph, each.runs[0])
            found = run[each.subgraph.outputs[0]].astype(int)
            assert len({*found.ravel().tolist()}) > 3
            assert np.abs(found - 5).max() > 30
