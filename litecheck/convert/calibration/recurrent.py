"""Values inside recurrent float operators that no tensor holds, computed again from the operands: cells over all steps."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.convert.calibration.statistics import Place
from litecheck.convert.calibration.tally import Tally
from litecheck.model.types import Model, Operator, Subgraph
from litecheck.profile.operators import facts_of
from litecheck.reference.operands import Operand, RunError

#: What a variable tensor of the operator holds behind its last step only: the name of its values, and the operand's role.
_CELL, _CELL_STATE = "cell", "cell_state"


def recurrent_operators(model: Model) -> dict[Place, Operator]:
    """The operators that have such values, by (subgraph, operator)."""
    found = {}
    for subgraph in model.subgraphs:
        for operator in subgraph.operators:
            remembers = any(i >= 0 and subgraph.tensors[i].is_variable for i in operator.inputs)
            if remembers and _is_lstm(subgraph, operator):
                found[subgraph.index, operator.index] = operator
    return found


def _is_lstm(subgraph: Subgraph, operator: Operator) -> bool:
    # Kernels are loaded only for models that remember.
    from litecheck.reference.engine.dispatch import find_kernel
    from litecheck.reference.kernels.recurrent import lstm_float

    try:
        return find_kernel(subgraph, operator).function is lstm_float
    except RunError:
        return False


def add_inner(tally: Tally, subgraph: int, operator: Operator, operands: Sequence[Operand | None]) -> None:
    """One inference's values inside an operator, from its operands before it runs."""
    from litecheck.reference.kernels.recurrent import lstm_inner

    roles = tuple(facts_of(operator.kind).inputs)
    given: Mapping[str, Operand | None] = dict(zip(roles, operands, strict=False))
    for name, values in lstm_inner(given, operator.options).items():
        tally.add_inner((subgraph, operator.index, name), values)
        if name == _CELL:
            tally.add((subgraph, operator.inputs[roles.index(_CELL_STATE)]), values)


def states_of(operator: Operator) -> tuple[int, ...]:
    """The variable tensors of an operator, which change when it runs."""
    facts = facts_of(operator.kind)
    pairs = zip(facts.inputs.items(), operator.inputs, strict=False)
    return tuple(index for (_, kind), index in pairs if kind == "state" and index >= 0)


def operands_of(
    operator: Operator, states: Mapping[int, NDArray[Any]], read: Callable[[int], NDArray[Any]]
) -> list[Operand | None]:
    """The operands as they were before an inference: states as they were kept, the others as they are read now."""
    return [
        None
        if index < 0
        else Operand(np.asarray(states[index] if index in states else read(index)), "float32")
        for index in operator.inputs
    ]
