"""A small fixed slice of ``python -m tests.differential hybrid``, and negative controls."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tests.differential.hybrid import FAMILY, MAKERS
from tests.differential.one_operator import Trial, answers, changed, compare, outputs, score
from tests.differential.oracle import RESOLVERS, Oracle
from tests.differential.sweep import right, sweep, trials

pytestmark = pytest.mark.runtime
FULLY, CONV = "FULLY_CONNECTED", "CONV_2D"


@pytest.mark.parametrize("resolver", RESOLVERS)
@pytest.mark.parametrize("kind", MAKERS)
def test_outputs_are_within_the_bound_and_differ_for_a_changed_input(
    oracle: Oracle, kind: str, resolver: str
) -> None:
    if (kind, resolver) in FAMILY.faulty:
        pytest.skip("a known fault, see rules/arithmetic/known-faults.yaml")
    found = sweep(FAMILY, kind, resolver, oracle, 15, 1000)
    assert found.score.trials == 15
    assert found.score.different == 0, found.score.examples
    assert found.noticed["other input"] > 10


@pytest.mark.parametrize(
    ("kind", "resolver", "stages"),
    [
        ("FULLY_CONNECTED x int8", "reference", {FULLY: {"dynamic": "xnnpack"}}),
        ("FULLY_CONNECTED x int8", "xnnpack", {FULLY: {"dynamic": "as-asked"}}),
        ("FULLY_CONNECTED x int4", "optimized", {FULLY: {"dynamic/int4": "as-asked"}}),
        ("FULLY_CONNECTED x blocks of int4", "optimized", {FULLY: {"dynamic/blocks": "xnnpack"}}),
        ("FULLY_CONNECTED x blocks of int4", "xnnpack", {FULLY: {"dynamic/blocks": "asymmetric"}}),
        ("CONV_2D x int8", "optimized", {CONV: {"dynamic": "xnnpack"}}),
        ("CONV_2D x int8", "xnnpack", {CONV: {"dynamic": "by-scales"}}),
        ("BATCH_MATMUL x int8", "xnnpack", {"BATCH_MATMUL": {"dynamic": "as-asked"}}),
    ],
)
def test_a_wrong_quantization_of_rows_is_noticed(
    oracle: Oracle, kind: str, resolver: str, stages: dict[str, dict[str, str]]
) -> None:
    wrong = changed(right(FAMILY, resolver), stages)
    different = [
        score(t, oracle, resolver, wrong, FAMILY.far(kind, resolver, t)).different
        for t in trials(FAMILY, kind, 20, 1000)
    ]
    assert sum(d > 0 for d in different) > 2


@pytest.mark.parametrize("kind", [k for k in MAKERS if "blocks" not in k])
def test_scales_off_by_a_thousandth_are_noticed(oracle: Oracle, kind: str) -> None:
    arithmetic, noticed = right(FAMILY, "optimized"), 0
    for trial in trials(FAMILY, kind, 10, 1000):
        theirs = answers(trial, oracle, "optimized")
        assert isinstance(theirs, list)
        far = FAMILY.far(kind, "optimized", trial)
        noticed += compare(trial.title, outputs(_coarser(trial), arithmetic), theirs, far).different > 0
    assert noticed > 5


def _coarser(trial: Trial) -> Trial:
    """Return the trial with the weight scales multiplied by 1.001."""
    graph = trial.model.subgraphs[0]
    tensors = tuple(
        replace(t, quantization=replace(t.quantization, scale=t.quantization.scale * np.float32(1.001)))
        for t in graph.tensors
    )
    return replace(trial, model=replace(trial.model, subgraphs=(replace(graph, tensors=tensors),)))
