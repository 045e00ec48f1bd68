"""Measurements of recurrent layers as an accelerator's compiler steps them."""

from __future__ import annotations

from math import prod
from typing import Any

from litecheck.profile.measurements.bound import Measured, Operands
from litecheck.profile.measurements.register import dimensions, measures
from litecheck.profile.plan import Plan


def _sequences(operands: Operands) -> int:
    """How many sequences an input holds of three dimensions; else 0."""
    source = operands.one("input")
    if source is None or len(source.shape) != 3:
        return 0
    return source.shape[1 if operands.option("time_major") else 0]


def _state(plan: Plan, value: Any) -> Plan | None:
    if "output_state" not in plan.inputs or value < 1:
        return None
    return plan.edit("output_state", lambda t: t.but(shape=(1, int(value)))).option(time_major=True)


def _single_state(plan: Plan, value: Any) -> Plan | None:
    made = _state(plan, value)
    return made and made.edit("input", lambda t: dimensions(t, (t.shape[0], 1, t.shape[-1])))


def _alone(operands: Operands) -> bool:
    """Whether one of several sequences is stepped at a time, as they do not lie side by side."""
    return not operands.option("time_major") and _sequences(operands) > 1


@measures(_state)
def min_state_size(operands: Operands) -> Measured:
    """The fewest numbers that a recurrent layer hands from one step to the next in one state; where one of several
    sequences is stepped at a time, of the cell's state alone."""
    state, cell = operands.one("output_state"), operands.one("cell_state")
    states = (cell,) if _alone(operands) else (state, cell)
    return min((prod(t.shape) for t in states if t is not None), default=None)


@measures(_single_state)
def single_sequence_state_size(operands: Operands) -> Measured:
    """How many numbers a recurrent layer hands from one step of a single sequence to the next; of the cell's state where
    one of several sequences is stepped at a time, None where they lie side by side."""
    if _sequences(operands) > 1 and not _alone(operands):
        return None
    state = operands.one("cell_state" if _alone(operands) else "output_state")
    return None if state is None else prod(state.shape)
