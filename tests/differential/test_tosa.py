"""A small slice of ``python -m tests.differential.tosa``, and negative controls."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("tosa_converter_for_tflite", reason="needs the extra 'tosa'")
pytest.importorskip("tosa_reference_model", reason="needs the extra 'tosa'")

from litecheck.model.save import model_bytes
from litecheck.reference.engine.arithmetic import load_arithmetic
from litecheck.reference.engine.interpreter import run
from tests.differential.one_operator import Trial, changed, compare, noticed, perturbed
from tests.differential.oracle import Refused
from tests.differential.tosa import KINDS, MODELS, STOPPED, Tosa, drawn, kind, whole
from tests.differential.tosa_reasons import EXPLAIN, REASONS, as_tosa, explained


@pytest.fixture(scope="module")
def tosa() -> Iterator[Tosa]:
    with Tosa() as started:
        yield started


@pytest.mark.parametrize("name", [name for name in KINDS if name not in STOPPED])
def test_equal_or_explained(tosa: Tosa, name: str) -> None:
    score = kind(name, 5, tosa, seed=1)
    assert score.wrong == []
    assert score.compared > 0, score.refused
    assert set(score.reasons) <= set(REASONS)


@pytest.mark.parametrize("name", STOPPED)
def test_stopped_kinds_are_refused(tosa: Tosa, name: str) -> None:
    assert kind(name, 3, tosa, seed=2).models == 0


def test_every_reason_is_used() -> None:
    assert {reason for functions in EXPLAIN.values() for reason, _ in functions} == set(REASONS)


@pytest.mark.models
@pytest.mark.parametrize("name", MODELS)
def test_every_tensor_of_a_model(tosa: Tosa, models: Path, name: str) -> None:
    compared, off = whole(models / name, tosa, as_tosa(), runs=1)
    assert compared > 70_000
    assert off == 0


@pytest.mark.parametrize("name", ["CONV_2D", "FULLY_CONNECTED", "ADD", "MUL", "RELU", "QUANTIZE from int8"])
def test_a_shifted_zero_point_is_noticed(tosa: Tosa, name: str) -> None:
    """A changed zero point differs, and no reason explains it (negative control)."""
    case = next(case for case in _trials(name, 20) if _zero_point(case) < 127 and case.inputs[0].size > 4)
    theirs = tosa.run(model_bytes(case.model), case.inputs)
    assert not isinstance(theirs, Refused)
    assert noticed(case, case, tosa, "reference", as_tosa()) == 0
    other = perturbed(case, zero_point=1)
    assert noticed(case, other, tosa, "reference", as_tosa()) > 0
    assert explained(other, list(run(other.model, other.inputs).outputs.values()), theirs) == ""


@pytest.mark.parametrize("name", ["CONV_2D", "DEPTHWISE_CONV_2D", "ADD", "MUL"])
def test_a_wrong_rounding_is_noticed(tosa: Tosa, name: str) -> None:
    """A single rounding differs in some output: TOSA rounds these operators twice (negative control)."""
    once = changed(load_arithmetic("litert-reference"), {name: {"requantize": "single"}})
    off = 0
    for case in _trials(name, 30):
        theirs = tosa.run(model_bytes(case.model), case.inputs)
        if not isinstance(theirs, Refused):
            ours = list(run(case.model, case.inputs, arithmetic=once).outputs.values())
            off += compare(name, [ours], [theirs]).different
    assert off > 0


def _trials(name: str, count: int) -> Iterator[Trial]:
    return (drawn(name, np.random.default_rng([3, i, *name.encode()])) for i in range(count))


def _zero_point(case: Trial) -> int:
    graph = case.model.subgraphs[0]
    return int(graph.tensors[graph.outputs[0]].quantization.zero_point[0])
