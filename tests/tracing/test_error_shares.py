"""Shares of the outputs' error: a faulty operator has nearly all, and those of a sound pair add up to 1."""

from __future__ import annotations

import numpy as np
import pytest

from litecheck.model.matching import match
from litecheck.model.types import Model
from litecheck.tracing.bench import Bench
from litecheck.tracing.error_shares import ErrorShares
from litecheck.tracing.recorded_runs import RecordedRuns
from tests.differential.faults import Pair, by_tensorflow
from tests.differential.planted_faults import FAULTS


@pytest.fixture(scope="module")
def residual() -> Pair:
    return by_tensorflow("residual")


def shares_of(pair: Pair, model: Model) -> dict[int, float]:
    found = match(pair.real, model)
    bench, runs = (
        Bench(found, found.subgraphs[0], None, "litert-reference"),
        RecordedRuns(found, "litert-reference"),
    )
    samples = []
    for (sample,) in pair.data:
        number, arrays = sample.arrange(pair.real)
        for _, real, stored in runs.run(number, arrays):
            bench.measure(real, stored)
            samples.append(real)
    shares = ErrorShares(found, bench, samples)
    return {fed.other: shares.of_operator(fed.other) or 0.0 for fed in bench.operators}


@pytest.mark.parametrize("name", ["residual", "separable", "transpose_conv"])
def test_shares_of_a_sound_pair_add_up(name: str) -> None:
    """Errors that are not independent add up to a little more or less: 0.75 to 1.44 here."""
    pair = by_tensorflow(name)
    found = shares_of(pair, pair.quantized)
    assert sum(found.values()) == pytest.approx(1, abs=0.5)
    assert max(found.values()) < 0.6


@pytest.mark.parametrize("number", [0, 1, 2, 4])
def test_the_faulty_operator_has_nearly_all(number: int, residual: Pair) -> None:
    main = residual.quantized.subgraphs[0]
    planted = FAULTS["weight_scales"](residual.quantized, main.operators[number], np.random.default_rng(1))
    assert planted is not None
    found = shares_of(residual, planted.model)
    assert found[number] > 0.8
    assert all(share < 0.3 for other, share in found.items() if other != number)
