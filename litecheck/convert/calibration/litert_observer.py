"""Calibration by LiteRT, in a device's child process: statistics of every tensor after every inference."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.arrays import Arrays
from litecheck.cases.memory import Memory
from litecheck.convert.calibration.preserving import PreservingInterpreter
from litecheck.convert.calibration.recurrent import add_inner, operands_of, recurrent_operators, states_of
from litecheck.convert.calibration.statistics import Place
from litecheck.convert.calibration.tally import Tally
from litecheck.devices.adapters.litert import RUNTIME
from litecheck.devices.port import AdapterAnswer, Series
from litecheck.model.types import Operator


class LitertObserver:
    """Options: ``kernels``, ``signatures`` (keys and subgraphs, as JSON); ``sketched``, ``resources`` and ``recurrent``
    (``1`` for yes: histograms, resource variables, operators with values that no tensor holds).

    A job's model is the path of its file. Its first run is one array, the places to look at; every other begins with the
    number of where the model is entered. The answer is one array: statistics as JSON.
    """

    memory = Memory.KEPT
    runtime = RUNTIME

    def __init__(self, options: Mapping[str, str]) -> None:
        self._kernels = options["kernels"]
        self._signatures: list[tuple[str, int]] = json.loads(options["signatures"])
        self._sketched = options["sketched"] == "1"
        self._resources = options["resources"] == "1"
        self._recurrent = options["recurrent"] == "1"
        self._interpreter: PreservingInterpreter | None = None

    def run(self, model: bytes, runs: Sequence[Arrays]) -> AdapterAnswer:
        """As ``series``, each run from a fresh state."""
        return self.series(model, (Series((run,)) for run in runs))

    def series(self, model: bytes, series: Iterable[Series]) -> AdapterAnswer:
        """The statistics of all runs; variables begin anew with each series."""
        several = iter(series)
        ((wanted,),) = next(several).runs
        places: list[Place] = [(int(s), int(t)) for s, t in wanted]
        tally, count = Tally(self._sketched), 0
        interpreter = self._interpreter = self._opened(model)
        inside = _recurrent(model.decode()) if self._recurrent else {}
        for count, one in enumerate(several, 1):
            if count > 1 and self._resources:  # nothing resets those
                interpreter = self._interpreter = self._opened(model)
            interpreter.reset()
            tally.sample = count - 1
            for entered, *inputs in one.runs:
                states = _states(interpreter, inside)
                subgraph = interpreter.run(int(entered), tuple(inputs))
                tally.look(interpreter.tensors(places, subgraph))
                _add_inner(tally, interpreter, inside, states, subgraph)
        made = tally.result(places, count, "", interpreter.kernels)
        return AdapterAnswer(((np.frombuffer(made.to_json().encode(), np.uint8),),))

    def _opened(self, model: bytes) -> PreservingInterpreter:
        return PreservingInterpreter(model.decode(), self._kernels, self._signatures)


def _recurrent(path: str) -> dict[Place, Operator]:
    from litecheck.model.load import load_model  # for the few models that need it

    return recurrent_operators(load_model(path))


_States = dict[Place, dict[int, NDArray[Any]]]


def _states(interpreter: PreservingInterpreter, inside: Mapping[Place, Operator]) -> _States:
    """What the variables of these operators hold now."""
    return {
        place: {index: interpreter.copy((place[0], index)) for index in states_of(operator)}
        for place, operator in inside.items()
    }


def _add_inner(
    tally: Tally,
    interpreter: PreservingInterpreter,
    inside: Mapping[Place, Operator],
    states: _States,
    subgraph: int,
) -> None:
    """Values inside the operators of the subgraph that ran."""
    for place, operator in inside.items():
        if place[0] == subgraph:
            operands = operands_of(operator, states[place], lambda index: interpreter.copy((subgraph, index)))
            add_inner(tally, subgraph, operator, operands)
