"""Calibration by LiteRT in a device's child process: statistics of every tensor after every inference."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from litecheck.conversion.calibration.all_tensors_interpreter import AllTensorsInterpreter
from litecheck.conversion.calibration.running_stats import RunningStats
from litecheck.conversion.calibration.statistics import Place
from litecheck.devices.port import Series

if TYPE_CHECKING:
    from litecheck.model.types import Operator


class LitertObserver:
    """The calibration question of a child process.

    Facts: ``file``, ``kernels``, ``signatures`` (keys and subgraphs), and the ``places`` of observed tensors.
    ``sketched``, ``resources``, ``unpacks`` and ``recurrent`` are True for histograms, resource variables, operators that
    unpack constants, and operators with values that are in no tensor. A run starts with the number of the entry point. The
    answer is statistics as plain values.
    """

    def __init__(self, facts: Mapping[str, Any]) -> None:
        self._facts = facts
        self._interpreter: AllTensorsInterpreter | None = None

    def answer(self, several: Iterable[Series]) -> dict[str, Any]:
        """Return the statistics of all runs. Variables are reset for each series."""
        facts = self._facts
        places: list[Place] = [(subgraph, index) for subgraph, index in facts["places"]]
        tally, count = RunningStats(facts["sketched"]), 0
        interpreter = self._interpreter = self._open_interpreter()
        inside = _recurrent(facts["file"]) if facts["recurrent"] else {}
        for count, one in enumerate(several, 1):
            if count > 1 and facts["resources"]:  # reset() does not reset resources
                interpreter = self._interpreter = self._open_interpreter()
            interpreter.reset()
            tally.sample = count - 1
            for entered, *inputs in one.runs:
                states = _states(interpreter, inside)
                subgraph = interpreter.run(int(entered), tuple(inputs))
                tally.add_all(interpreter.tensors(places, subgraph))
                _add_inner(tally, interpreter, inside, states, subgraph)
        return tally.result(places, count, "", interpreter.kernels).to_plain()

    def _open_interpreter(self) -> AllTensorsInterpreter:
        facts = self._facts
        return AllTensorsInterpreter(facts["file"], facts["kernels"], facts["signatures"], facts["unpacks"])


def _recurrent(path: str) -> dict[Place, Operator]:
    # Only a few models need this import.
    from litecheck.conversion.calibration.recurrent_values import recurrent_operators
    from litecheck.model.load import load_model

    return recurrent_operators(load_model(path))


_States = dict[Place, dict[int, NDArray[Any]]]


def _states(interpreter: AllTensorsInterpreter, inside: Mapping[Place, Operator]) -> _States:
    """Return the current values of the variables of some operators."""
    if not inside:
        return {}
    from litecheck.conversion.calibration.recurrent_values import states_of

    return {
        place: {index: interpreter.copy((place[0], index)) for index in states_of(operator)}
        for place, operator in inside.items()
    }


def _add_inner(
    tally: RunningStats,
    interpreter: AllTensorsInterpreter,
    inside: Mapping[Place, Operator],
    states: _States,
    subgraph: int,
) -> None:
    """Add values inside the operators of the subgraph that ran."""
    if not inside:
        return
    from litecheck.conversion.calibration.recurrent_values import add_inner, operands_of

    for place, operator in inside.items():
        if place[0] == subgraph:
            operands = operands_of(operator, states[place], lambda index: interpreter.copy((subgraph, index)))
            add_inner(tally, subgraph, operator, operands)
