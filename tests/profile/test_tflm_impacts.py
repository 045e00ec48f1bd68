"""Impacts of the profile tflm against LiteRT for Microcontrollers: a violating model ends as its finding states."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

pytest.importorskip("ai_edge_litert", reason="needs ai-edge-litert")
pytest.importorskip("tflite_micro", reason="needs tflite_micro")

import litecheck
from litecheck.finding import IGNORED
from litecheck.model.save import model_bytes
from tests.differential.oracle import Refused
from tests.differential.structure_oracle import StructureOracle
from tests.differential.tflm import Tflm
from tests.profile.impact_models import ImpactModel, tflm_models

MODELS = tuple(tflm_models())
#: Start of the message of each impact; a crash has no stage.
STAGES = {"fails to load": "load:", "fails at run time": "run:", "crashes": "process ended"}


@pytest.fixture(scope="module")
def tflm() -> Iterator[Tflm]:
    with Tflm(20) as started:
        yield started


@pytest.fixture(scope="module")
def litert() -> Iterator[StructureOracle]:
    with StructureOracle(20) as started:
        yield started


@pytest.mark.parametrize("case", MODELS, ids=lambda case: case.name)
def test_a_model_ends_as_stated(tflm: Tflm, litert: StructureOracle, case: ImpactModel) -> None:
    profile = litecheck.load_profile("tflm")
    found = {
        f.path: f.effect for f in litecheck.validate(case.broken, [profile]).findings if f.level != "note"
    }
    assert found.get(case.path) == case.impact if case.path else not found
    got = tflm.run(model_bytes(case.broken), case.inputs)
    if case.impact in STAGES:
        assert isinstance(got, Refused)
        assert STAGES[case.impact] in got.message
        return
    assert not isinstance(got, Refused)
    if case.impact == IGNORED:
        assert case.sound is not None
        np.testing.assert_array_equal(got, tflm.run(model_bytes(case.sound), case.inputs))
    elif not case.impact:
        np.testing.assert_array_equal(got[0], _of_litert(litert, case))
    else:
        assert not np.array_equal(got[0], _of_litert(litert, case))


def _of_litert(litert: StructureOracle, case: ImpactModel) -> np.ndarray:
    """Return the output of LiteRT's default interpreter, which computes shapes itself."""
    (output,) = litert.fate(model_bytes(case.broken), case.inputs, "xnnpack").outputs
    return output
