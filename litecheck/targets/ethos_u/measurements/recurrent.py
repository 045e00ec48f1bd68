"""Measurements of the state sizes of recurrent layers."""

from __future__ import annotations

from math import prod
from typing import Any

from litecheck.profile.measurements.measured_operator import Measured, Operands
from litecheck.profile.measurements.register import dimensions, measures
from litecheck.profile.operator_plan import Plan


def _count_sequences(operands: Operands) -> int:
    """Count the sequences of an input of rank 3, else return 0."""
    source = operands.one("input")
    if source is None or len(source.shape) != 3:
        return 0
    return source.shape[1 if operands.option("time_major") else 0]


def _set_state_size(plan: Plan, value: Any) -> Plan | None:
    if "output_state" not in plan.inputs or value < 1:
        return None
    return plan.edit("output_state", lambda t: t.but(shape=(1, int(value)))).option(time_major=True)


def _set_single_sequence_state_size(plan: Plan, value: Any) -> Plan | None:
    changed = _set_state_size(plan, value)
    return changed and changed.edit("input", lambda t: dimensions(t, (t.shape[0], 1, t.shape[-1])))


def _is_batch_major(operands: Operands) -> bool:
    """Return True for several sequences with time_major false: the compiler computes them in sequence."""
    return not operands.option("time_major") and _count_sequences(operands) > 1


@measures(_set_state_size)
def min_state_size(operands: Operands) -> Measured:
    """Elements of the smaller of output_state and cell_state; of cell_state for several sequences with time_major false.
    Example: output_state (1, 4) and cell_state (1, 2) give 2."""
    state, cell = operands.one("output_state"), operands.one("cell_state")
    states = (cell,) if _is_batch_major(operands) else (state, cell)
    return min((prod(t.shape) for t in states if t is not None), default=None)


@measures(_set_single_sequence_state_size)
def single_sequence_state_size(operands: Operands) -> Measured:
    """Elements of output_state for one sequence, and of cell_state for several sequences with time_major false; none for
    several sequences with time_major true. Example: one sequence and output_state (1, 4) give 4."""
    if _count_sequences(operands) > 1 and not _is_batch_major(operands):
        return None
    state = operands.one("cell_state" if _is_batch_major(operands) else "output_state")
    return None if state is None else prod(state.shape)
