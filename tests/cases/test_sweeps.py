"""Directed inputs contain limits of the type, and sweeps contain every stored value."""

from __future__ import annotations

import numpy as np

from litecheck.cases.model_parts import Case
from litecheck.cases.stimulus import Stimuli
from litecheck.cases.sweeps import directed_stimuli, exhaustive
from tests.cases.elements import binary, unary


def test_directed_inputs_contain_both_limits_and_the_zero_point() -> None:
    found = [f.arrays[0] for f in directed_stimuli(unary("RELU"), {})]
    assert [set(np.unique(a)) for a in found[:4]] == [{-128}, {127}, {-128, 127}, {-5}]
    assert len(np.unique(found[4])) == 256


def test_a_sweep_of_two_operands_contains_every_pair() -> None:
    sweep = list(directed_stimuli(binary("ADD"), {}))[-1]
    pairs = sweep.arrays[0].astype(np.int32) * 256 + sweep.arrays[1]
    assert len(np.unique(pairs)) == 65_536


def test_exhaustive_is_reported_only_for_complete_sweeps() -> None:
    def told(case: Case) -> str:
        return exhaustive(case, Stimuli.of(directed_stimuli(case, {})))

    assert told(unary("LOGISTIC")) == "all 256 values"
    assert told(unary("LOGISTIC", 255)) == told(unary("LOGISTIC", 7)) == "all 256 values"
    assert told(unary("LOGISTIC", 3)) == ""
    assert told(unary("LOG")) == ""
    assert told(unary("LOGISTIC", 1024, 0, "int16")) == "all 65,536 values"
    assert told(unary("LOGISTIC", 1023 // 4, 0, "int16")) == ""
    assert told(unary("SOFTMAX")) == ""
    assert told(binary("ADD")) == "all 65,536 pairs"
    assert told(binary("ADD", (255, 256))) == ""
    assert exhaustive(unary("LOGISTIC"), Stimuli()) == ""


def test_a_short_sweep_is_spread_over_all_pairs() -> None:
    *_, sweep = directed_stimuli(binary("ADD", (20, 20)), {})
    assert len(np.unique(sweep.arrays[0])) == 256
    assert len(np.unique(sweep.arrays[1])) > 200


def test_float_operators_have_no_limits() -> None:
    assert list(directed_stimuli(unary("EXP", dtype="float32"), {})) == []
