"""Drawn inputs are the same each time, reach every code and come more often where outputs are few."""

from __future__ import annotations

import numpy as np

from litecheck.cases.inputs import drawn, redrawn
from tests.cases.elements import unary


def test_the_same_seed_draws_the_same_and_another_another() -> None:
    case = unary("RELU")
    first, again, other = (drawn(case, {}, seed) for seed in (1, 1, 2))
    assert first is not None
    assert again is not None
    assert other is not None
    assert np.array_equal(first.arrays[0], again.arrays[0])
    assert not np.array_equal(first.arrays[0], other.arrays[0])


def test_drawn_values_reach_every_code() -> None:
    made = drawn(unary("RELU", 20_000), {}, 0)
    assert made is not None
    assert len(np.unique(made.arrays[0])) == 256


def test_few_outputs_are_asked_for_more_often() -> None:
    few, many = unary("RELU", 100), unary("RELU", 20_000)
    assert len(list(redrawn(few, {}, 0))) == 80
    assert list(redrawn(many, {}, 0)) == []
    assert list(redrawn(unary("EXP", dtype="float32"), {}, 0)) == []
    made = [stimulus.arrays[0] for stimulus in redrawn(few, {}, 0)]
    assert any((abs(a.astype(int) + 5) < 20).all() for a in made)
    assert any(set(np.unique(a)) == {-128, -5, 127} for a in made)
