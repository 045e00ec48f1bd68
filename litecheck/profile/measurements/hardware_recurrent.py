"""Measurements of recurrent layers as an accelerator's compiler steps them."""

from __future__ import annotations

from math import prod
from typing import Any

from litecheck.profile.measurements.bound import Measured, Operands
from litecheck.profile.measurements.register import dimensions, measures
from litecheck.profile.operators import facts_of
from litecheck.profile.plan import Plan
from litecheck.quantization import Quantization


def _sequences(operands: Operands) -> int:
    """How many sequences an input holds of three dimensions; else 0."""
    source = operands.one("input")
    if source is None or len(source.shape) != 3:
        return 0
    return source.shape[1 if operands.option("time_major") else 0]


def _computed_recurrent(plan: Plan, value: Any) -> Plan | None:
    roles = [role for role in plan.inputs if role.startswith("recurrent_") and plan.operands.get(role)]
    if not 0 <= value <= len(roles):
        return None
    plan = plan.edit("input", lambda t: dimensions(t, (1, *t.shape[1:]))).option(time_major=False)
    return plan.edit_all(lambda t: t.but(values=None), roles[: int(value)])


@measures(_computed_recurrent)
def computed_recurrent_weights(operands: Operands) -> Measured:
    """How many weights are computed that a recurrent layer's state is multiplied with; 0 where several sequences are
    int16."""
    source = operands.one("input")
    if source is not None and source.dtype == "int16" and _sequences(operands) > 1:
        return 0
    roles = operands.roles.items()
    return sum(t.data is None for role, ts in roles if role.startswith("recurrent_") for t in ts)


@measures(
    lambda plan, value: (
        plan.edit("cell_state", lambda t: t.but(quantization=Quantization())) if value else plan
    )
)
def unscaled_parameters(operands: Operands) -> Measured:
    """How many weights behind an LSTM's first state no scale, and whether its cell's state does not."""
    facts = facts_of(operands.operator.kind).inputs
    weights = [role for role in operands.roles if facts.get(role) == "weight"][1:]
    return sum(
        not t.quantization.scale.size
        for role in (*weights, "cell_state")
        for t in operands.roles.get(role, ())
    )


def _state(plan: Plan, value: Any) -> Plan | None:
    if "output_state" not in plan.inputs or value < 1:
        return None
    return plan.edit("output_state", lambda t: t.but(shape=(1, int(value)))).option(time_major=True)


def _single_state(plan: Plan, value: Any) -> Plan | None:
    made = _state(plan, value)
    return made and made.edit("input", lambda t: dimensions(t, (t.shape[0], 1, t.shape[-1])))


def _flat_state(plan: Plan, value: Any) -> Plan | None:
    made = _state(plan, 4)
    return made and (made.edit("output_state", lambda t: t.but(shape=(4,))) if value else made)


def _alone(operands: Operands) -> bool:
    """Whether one of several sequences is stepped at a time, as they do not lie side by side."""
    return not operands.option("time_major") and _sequences(operands) > 1


@measures(_state)
def state_elements(operands: Operands) -> Measured:
    """The fewest numbers that a recurrent layer hands from one step to the next in one state; where one of several
    sequences is stepped at a time, of the cell's state alone."""
    state, cell = operands.one("output_state"), operands.one("cell_state")
    states = (cell,) if _alone(operands) else (state, cell)
    return min((prod(t.shape) for t in states if t is not None), default=None)


@measures(_single_state)
def single_states(operands: Operands) -> Measured:
    """How many numbers a recurrent layer hands from one step of a single sequence to the next; of the cell's state where
    one of several sequences is stepped at a time, None where they lie side by side."""
    if _sequences(operands) > 1 and not _alone(operands):
        return None
    state = operands.one("cell_state" if _alone(operands) else "output_state")
    return None if state is None else prod(state.shape)


@measures(_flat_state)
def flat_states(operands: Operands) -> Measured:
    """1 where sequences lie side by side and a recurrent layer's state has one dimension, else 0."""
    state = operands.one("output_state")
    return int(state is not None and len(state.shape) == 1 and bool(operands.option("time_major")))


def _offset_cells(plan: Plan, value: Any) -> Plan | None:
    state, source = plan.one("cell_state"), plan.one("input")
    if state is None or source is None or value not in (0, 1):
        return None
    plan = plan.edit("input", lambda t: dimensions(t, (2, 3, t.shape[-1]))).option(time_major=False)
    plan = plan.edit_all(lambda t: dimensions(t, (2, *t.shape[1:])), ["output_state", "cell_state"])
    plan = plan.edit_all(lambda t: dimensions(t, (2, 3, t.shape[-1])), plan.outputs)
    return plan.edit("cell_state", lambda t: t.scaled([0.5], [1])) if value else plan


@measures(_offset_cells)
def offset_cells(operands: Operands) -> Measured:
    """1 where the cells of several sequences state a zero point above 0, else 0."""
    state = operands.one("cell_state")
    if state is None or not state.quantization.zero_point.size or _sequences(operands) < 2:
        return 0
    return int(state.quantization.zero_point[0] > 0)


@measures(lambda plan, value: plan.edit("cell_state", lambda t: t.but(dtype="int8")) if value else plan)
def byte_cells(operands: Operands) -> Measured:
    """1 where a cell's state is int8, else 0."""
    state = operands.one("cell_state")
    return int(state is not None and state.dtype == "int8")


def _longer(plan: Plan, value: Any) -> Plan | None:
    roles = [role for role in plan.inputs if role.startswith("input_to_") and plan.operands.get(role)]
    if not 0 <= value <= len(roles):
        return None
    return plan.edit_all(lambda t: dimensions(t, (t.shape[0], t.shape[1] + 1)), roles[: int(value)])


@measures(_longer)
def starved_gates(operands: Operands) -> Measured:
    """How many weights of an LSTM have longer rows than a step has inputs, or states. A step takes all sequences where they
    lie side by side, else one, and then the states of several are not counted."""
    source, state = operands.one("input"), operands.one("output_state")
    if source is None or state is None or not source.shape:
        return None
    together = max(_sequences(operands), 1) if operands.option("time_major") else 1
    given = {"input_to_": source.shape[-1] * together}
    if not _alone(operands):
        given["recurrent_to_"] = prod(state.shape)
    return sum(
        bool(t.shape) and t.shape[-1] > length
        for start, length in given.items()
        for role, tensors in operands.roles.items()
        if role.startswith(start)
        for t in tensors
    )
