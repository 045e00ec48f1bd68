"""Impacts of mutants that depend on the delegate, the values or the neighbors of the faulty tensor, against LiteRT."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("ai_edge_litert", reason="needs ai-edge-litert")

from litecheck.finding import IGNORED, Effect
from tests.differential.structure.campaign import Outcome, in_process
from tests.differential.structure.mutants import mutants
from tests.differential.structure.oracle import LiteRT
from tests.differential.structure.sketch import Specimen
from tests.differential.structure.specimens import specimens

pytestmark = [pytest.mark.runtime, pytest.mark.slow]
LOAD, CRASH, RUN = "fails to load", "crashes", "fails at run time"
NO_DELEGATE: Effect = "rejected without the default delegate"
#: Model, type, mutant, impact.
CASES = [
    ("CONV_2D", "int8", "CONV_2D input2 dimension 0: 5 -> 6", NO_DELEGATE),
    ("CONV_2D", "int8", "CONV_2D input2 dimension 0: 5 -> 1", LOAD),
    ("CONV_2D", "int16", "CONV_2D input2 dimension 0: 5 -> 6", LOAD),
    ("CONV_2D per-tensor", "int8", "CONV_2D input1 dimension 0: 5 -> 1", NO_DELEGATE),
    ("CONV_2D per-tensor", "int8", "CONV_2D input1 dimension 0: 5 -> 0", LOAD),
    ("DEPTHWISE_CONV_2D", "int8", "DEPTHWISE_CONV_2D input2 dimension 0: 6 -> 5", NO_DELEGATE),
    ("DEPTHWISE_CONV_2D", "int8", "DEPTHWISE_CONV_2D input2 dimension 0: 6 -> 1", LOAD),
    ("SLICE", "int8", "SLICE output0 dimension 2: 3 -> 2", NO_DELEGATE),
    ("SLICE", "int8", "SLICE input2 [2] 3 -> 100", NO_DELEGATE),
    ("SLICE", "int8", "SLICE input2 [2] 3 -> -1", LOAD),
    ("SLICE", "int8", "SLICE input2 one element less", LOAD),
    ("SLICE", "int16", "SLICE output0 dimension 2: 3 -> 2", LOAD),
    ("SPLIT", "int8", "SPLIT options empty", CRASH),
    ("SPLIT", "int16", "SPLIT options missing", CRASH),
    ("SELECT_V2", "int8", "SELECT_V2 input0 dimension 0: 4 -> 3", LOAD),
    ("SELECT", "int8", "SELECT input0 dimension 1: 3 -> 2", LOAD),
    ("MEAN, RESHAPE", "int16", "RESHAPE inputs one more, absent", LOAD),
    ("LESS", "int8", "LESS input1 is the output too", RUN),
    ("MATRIX_SET_DIAG", "int8", "MATRIX_SET_DIAG input1 dimension 0: 3 -> 4", IGNORED),
    ("MATRIX_SET_DIAG", "int8", "MATRIX_SET_DIAG input1 dimension 0: 3 -> 2", "wrong results"),
    ("MATRIX_SET_DIAG", "int8", "MATRIX_SET_DIAG input1 dimension 0: 3 -> 0", CRASH),
    ("MATRIX_SET_DIAG", "int8", "MATRIX_SET_DIAG input0 dimension 0: 3 -> 2", "wrong results"),
    ("DEPTHWISE_CONV_2D", "int8", "DEPTHWISE_CONV_2D input2 absent (-1)", LOAD),
    ("CALL_ONCE, variables", "int8", "ASSIGN_VARIABLE input1 absent (-1)", RUN),
    ("MEAN, FULLY_CONNECTED", "int16", "FULLY_CONNECTED input2 type int32", IGNORED),
]


@pytest.fixture(scope="module")
def litert() -> Iterator[LiteRT]:
    with LiteRT() as server:
        yield server


def outcome_of(litert: LiteRT, folder: Path, name: str, dtype: str, mutant: str) -> Outcome:
    """Return the outcome of a mutant of a specimen."""
    found: Specimen = next(s for s in specimens() if (s.name, s.dtype) == (name, dtype))
    number = next(n for n, m in enumerate(mutants(found.model)) if m.name == mutant)
    (outcome,) = in_process(found, [number], litert, folder)
    return outcome


@pytest.mark.parametrize("case", CASES, ids=lambda case: " ".join(case[:3]))
def test_stated_impacts_are_measured(
    litert: LiteRT, tmp_path: Path, case: tuple[str, str, str, Effect]
) -> None:
    *mutant, impact = case
    outcome = outcome_of(litert, tmp_path, *mutant)
    assert outcome.verdict.said == "violation"
    assert outcome.impacts == (impact, impact), outcome.verdict.violations
