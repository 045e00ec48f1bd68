"""Values inside recurrent float operators that are in no tensor, computed again from the inputs: cells over all steps."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.conversion.calibration.running_stats import RunningStats
from litecheck.conversion.calibration.statistics import Place
from litecheck.model.types import Model, Operator, Subgraph
from litecheck.profile.operators import traits_of
from litecheck.reference.runtime_tensors import Operand, RunError

#: Value that a variable tensor has only after the last step: its name, and the role of the tensor.
_CELL, _CELL_STATE = "cell", "cell_state"


def recurrent_operators(model: Model) -> dict[Place, Operator]:
    """Return the operators with values that are in no tensor, by (subgraph, operator)."""
    found = {}
    for subgraph in model.subgraphs:
        for operator in subgraph.operators:
            remembers = any(i >= 0 and subgraph.tensors[i].is_variable for i in operator.inputs)
            if remembers and _is_lstm(subgraph, operator):
                found[subgraph.index, operator.index] = operator
    return found


def _is_lstm(subgraph: Subgraph, operator: Operator) -> bool:
    # Kernels are imported only for models with recurrent operators.
    from litecheck.reference.engine.dispatch import find_kernel
    from litecheck.reference.kernels.recurrent import lstm_float

    try:
        return find_kernel(subgraph, operator).function is lstm_float
    except RunError:
        return False


def add_inner(
    tally: RunningStats, subgraph: int, operator: Operator, operands: Sequence[Operand | None]
) -> None:
    """Add the values inside an operator in an inference, computed from its inputs before the inference."""
    from litecheck.reference.kernels.recurrent import lstm_inner

    roles = tuple(traits_of(operator.kind).inputs)
    given: Mapping[str, Operand | None] = dict(zip(roles, operands, strict=False))
    for name, values in lstm_inner(given, operator.options).items():
        tally.add_inner((subgraph, operator.index, name), values)
        if name == _CELL:
            tally.add((subgraph, operator.inputs[roles.index(_CELL_STATE)]), values)


def states_of(operator: Operator) -> tuple[int, ...]:
    """Return the variable tensors of an operator, which change when it runs."""
    facts = traits_of(operator.kind)
    pairs = zip(facts.inputs.items(), operator.inputs, strict=False)
    return tuple(index for (_, kind), index in pairs if kind == "state" and index >= 0)


def operands_of(
    operator: Operator, states: Mapping[int, NDArray[Any]], read: Callable[[int], NDArray[Any]]
) -> list[Operand | None]:
    """Return the inputs of an operator before an inference: saved states, and current values of the remaining inputs."""
    return [
        None
        if index < 0
        else Operand(np.asarray(states[index] if index in states else read(index)), "float32")
        for index in operator.inputs
    ]
