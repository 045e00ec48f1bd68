"""Stacks contain the arrays of their inferences, and only inferences of equal shapes and types are stacked."""

from __future__ import annotations

import numpy as np
import pytest

from litecheck.arrays import (
    Arrays,
    StackedRuns,
    blocks,
    column,
    has_equal_layout,
    join_inferences,
    same,
    stack_inferences,
)

RUNS: list[Arrays] = [(np.full((1, 2), n, np.int8), np.array(n / 2, np.float32)) for n in range(3)]


def as_lists(runs) -> list[list[object]]:
    return [[array.tolist() for array in run] for run in runs]


@pytest.mark.parametrize("runs", [RUNS, stack_inferences(RUNS)])
def test_a_stack_reads_like_its_runs(runs) -> None:
    assert as_lists(runs) == as_lists(RUNS)
    assert as_lists([runs[2]]) == as_lists(RUNS[2:])
    assert as_lists(runs[1:]) == as_lists(RUNS[1:])
    assert [a.tolist() for a in column(runs, 1)] == [0, 0.5, 1]
    assert [x for block in blocks(runs, 0) for x in block.reshape(-1).tolist()] == [0, 0, 1, 1, 2, 2]


def test_a_stack_is_one_block() -> None:
    assert len(blocks(stack_inferences(RUNS), 0)) == 1
    assert len(blocks(RUNS, 0)) == 3


def test_a_stack_takes_runs_in_any_order() -> None:
    assert as_lists(StackedRuns((np.arange(3),))[[2, 0, 2]]) == [[2], [0], [2]]


@pytest.mark.parametrize(
    "runs",
    [
        RUNS[:1],
        [(), ()],
        [*RUNS, (RUNS[0][0].T, RUNS[0][1])],
        [*RUNS, (RUNS[0][0].astype(np.int16), RUNS[0][1])],
        [*RUNS, RUNS[0][:1]],
        [(np.zeros((1 << 16) + 1, np.int8),)] * 2,
    ],
)
def test_runs_of_different_shapes_or_types_are_not_stacked(runs) -> None:
    assert stack_inferences(runs) is runs


def test_parts_are_joined_in_order() -> None:
    whole = stack_inferences(RUNS)
    assert join_inferences([whole]) is whole
    assert as_lists(join_inferences([whole, RUNS[:1]])) == as_lists([*RUNS, RUNS[0]])
    assert isinstance(join_inferences([whole, RUNS[:1]]), StackedRuns)


def test_equal_runs_are_the_same() -> None:
    changed = [*RUNS[:2], (RUNS[2][0], np.array(9, np.float32))]
    for one in (RUNS, stack_inferences(RUNS)):
        assert same(one, RUNS)
        assert same(one, stack_inferences(RUNS))
        assert not same(one, changed)
        assert not same(one, stack_inferences(changed))
        assert not same(one, RUNS[:2])
        assert not same(one, [run[:1] for run in RUNS])
    assert not same(stack_inferences(RUNS), stack_inferences([run[:1] for run in RUNS]))


def test_stacks_match_only_with_equal_shapes_and_types() -> None:
    stack = stack_inferences(RUNS)
    assert has_equal_layout(stack, stack[1:])
    assert not has_equal_layout(stack, RUNS)
    assert not has_equal_layout(stack, StackedRuns((stack.columns[0], stack.columns[1].astype(np.float64))))
    assert not has_equal_layout(stack, StackedRuns((stack.columns[0].reshape(3, 2), stack.columns[1])))
