"""Failures become as small as they can be, and stay failures."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from litecheck.model.build import qparams
from litecheck.reference.engine.interpreter import ReferenceInterpreter
from litecheck.verification.reproducers.model_reduction import Trial, with_tensors
from litecheck.verification.reproducers.shrink import shrink
from tests.verification.reproducers.test_model_reduction import trial


def outputs(t: Trial, arithmetic: str) -> np.ndarray:
    main = t.model.subgraphs[0]
    return ReferenceInterpreter(t.model, arithmetic).run(main, t.inputs)[main.outputs[0]]


def differs(t: Trial) -> bool:
    return not np.array_equal(outputs(t, "litert-reference"), outputs(t, "litert-xnnpack"))


def test_a_rounding_difference_shrinks_to_a_few_elements() -> None:
    whole = trial("CONV_2D")
    assert differs(whole)
    small = shrink(whole, differs)
    assert differs(small)
    shapes = [t.shape for t in small.model.subgraphs[0].tensors]
    assert shapes[1][0] == 1  # a single filter
    assert small.size < whole.size / 5


def test_values_that_do_not_matter_become_zero_points() -> None:
    whole = trial("ADD")

    def fails(t: Trial) -> bool:
        return bool((t.inputs[0] == 77).any())

    assert fails(whole)
    small = shrink(whole, fails)
    assert small.inputs[0].size == 1
    assert small.inputs[0].item() == 77
    assert small.inputs[1].item() == 2  # the zero point of the second operand


def test_the_budget_is_kept() -> None:
    tried = []

    def fails(t: Trial) -> bool:
        tried.append(t)
        return True

    shrink(trial("CONV_2D"), fails, budget=5)
    assert len(tried) == 5


def test_a_trial_that_cannot_shrink_stays() -> None:
    whole = trial("SOFTMAX")
    assert shrink(whole, lambda t: False) is whole or shrink(whole, lambda t: False).size == whole.size


@pytest.mark.parametrize(("zero_point", "nearest"), [(1 << 35, 127), (-1000, -128)])
def test_a_zero_point_outside_the_type_becomes_its_nearest_value(zero_point: int, nearest: int) -> None:
    whole = trial("ADD")
    second = whole.model.subgraphs[0].tensors[1]
    invalid = replace(second, quantization=qparams(0.5, zero_point))
    whole = replace(whole, model=with_tensors(whole.model, {1: invalid}))
    small = shrink(whole, lambda t: bool((t.inputs[0] == 77).any()))
    assert small.inputs[1].item() == nearest
