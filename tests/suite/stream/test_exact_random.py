"""Numbers that streams draw."""

from __future__ import annotations

import numpy as np
import pytest

from litecheck.suite.stream.exact_random import ACTIVATIONS, draw_activation, reals


def test_reals_are_exact_and_lie_where_they_should() -> None:
    rng = np.random.default_rng(0)
    drawn = reals(rng, (-3, 1), 1000)
    assert (drawn.dtype, bool((drawn >= 0.125).all()), bool((drawn < 2).all())) == (np.float32, True, True)
    assert set(reals(rng, (-2, 1), 1000, powers=True).tolist()) == {0.25, 0.5, 1.0}


@pytest.mark.parametrize("turn", range(len(ACTIVATIONS)))
def test_activations_go_by_turns(turn: int) -> None:
    assert draw_activation(turn, 0.3, 5) == {"fused_activation_function": ACTIVATIONS[turn]}


def test_a_bound_in_the_middle_of_two_values_is_left_out() -> None:
    # 6 / 4 is 1.5 steps: runtimes round it to 2, or with an odd zero point to 1.
    assert ACTIVATIONS[1] == "RELU6"
    assert draw_activation(1, 2.4, 5) == {"fused_activation_function": "NONE"}
    assert draw_activation(1, 4.0, 5) == {"fused_activation_function": "RELU6"}
