"""Drawn inputs are the same each time, reach every code and come more often where outputs are few."""

from __future__ import annotations

import numpy as np
import pytest

from litecheck.cases.inputs import DrawnInputs, draw_inputs, draw_stimuli, draws
from litecheck.cases.stimulus import Stimuli
from tests.cases.elements import unary


def test_equal_seeds_draw_equal_inputs_and_different_seeds_different_inputs() -> None:
    case = unary("RELU")
    first, again, other = (draw_inputs(case, {}, seed) for seed in (1, 1, 2))
    assert first is not None
    assert again is not None
    assert other is not None
    assert np.array_equal(first.arrays[0], again.arrays[0])
    assert not np.array_equal(first.arrays[0], other.arrays[0])


def test_drawn_values_reach_every_code() -> None:
    made = draw_inputs(unary("RELU", 20_000), {}, 0)
    assert made is not None
    assert len(np.unique(made.arrays[0])) == 256


def test_operators_with_few_outputs_have_more_stimuli() -> None:
    few = unary("RELU", 100)
    assert draws(few) == 81
    assert draws(unary("RELU", 20_000)) == draws(unary("EXP", dtype="float32")) == 1
    made = [stimulus.arrays[0] for stimulus in draw_stimuli(few, {}, 0, 81)]
    assert any((abs(a.astype(int) + 5) < 20).all() for a in made)
    assert any(set(np.unique(a)) == {-128, -5, 127} for a in made)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16"])
def test_inputs_drawn_as_a_batch_equal_inputs_drawn_separately(dtype: str) -> None:
    case = unary("RELU", 100, dtype=dtype)
    together, alone = DrawnInputs(case, {}, 5), DrawnInputs(case, {}, 5)
    single = [Stimuli.join(alone.first(n + 1))[n] for n in range(40)]
    for one, other in zip(Stimuli.join(together.first(40)), single, strict=True):
        assert np.array_equal(one.arrays[0], other.arrays[0])
        assert one.arrays[0].dtype == other.arrays[0].dtype == dtype
