"""Two models run side by side, pairs of their tensors compared after every inference: by LiteRT in a child process, or
by litecheck's own kernels."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.arrays import Arrays
from litecheck.cases.memory import Memory
from litecheck.convert.calibration.preserving import PreservingInterpreter
from litecheck.convert.calibration.statistics import CalibrationError, Place
from litecheck.convert.distortion import PairTally
from litecheck.devices.adapters.litert import RUNTIME
from litecheck.devices.port import AdapterAnswer, Series
from litecheck.model.load import load_model
from litecheck.model.types import Model, Subgraph, Tensor
from litecheck.reference.engine.interpreter import Machine
from litecheck.reference.operands import RunError

#: (float, converted).
Pair = tuple[Place, Place]


class LitertPairs:
    """Options: ``kernels``, ``signatures`` (keys and subgraphs of both models, as JSON), ``resources`` and ``stored`` (``1``
    for yes: resource variables, a first model that stores integers).

    A job's model is the paths of two models as JSON. Its first run is three arrays: the pairs of places, the numbers of
    those that are outputs, and of those whose errors are wanted by channel. Every other begins with the number of where the
    models are entered, and has the inputs of the first, then of the second. The answer is one array: distortions as JSON.
    """

    memory = Memory.KEPT
    runtime = RUNTIME

    def __init__(self, options: Mapping[str, str]) -> None:
        self._kernels = options["kernels"]
        self._signatures: list[list[tuple[str, int]]] = json.loads(options["signatures"])
        self._resources = options["resources"] == "1"
        self._stored = options["stored"] == "1"
        self._interpreters: list[PreservingInterpreter] = []

    def run(self, model: bytes, runs: Sequence[Arrays]) -> AdapterAnswer:
        """As ``series``, each run from a fresh state."""
        return self.series(model, (Series((run,)) for run in runs))

    def series(self, model: bytes, series: Iterable[Series]) -> AdapterAnswer:
        """The distortions over all runs; variables begin anew with each series."""
        several = iter(series)
        paths: list[str] = json.loads(model)
        ((places, outputs, channelled),) = next(several).runs
        pairs: list[Pair] = [((int(a), int(b)), (int(c), int(d))) for a, b, c, d in places]
        ends, by_channel = (frozenset(map(int, numbers)) for numbers in (outputs, channelled))
        references = tensors_of(load_model(paths[0]), pairs, 0) if self._stored else ()
        tally = PairTally(tensors_of(load_model(paths[1]), pairs), ends, by_channel, references)
        count = 0
        for count, one in enumerate(several, 1):
            self._begin(paths, count == 1)
            for entered, *inputs in one.runs:
                half = len(inputs) // 2
                parts = zip(self._interpreters, (inputs[:half], inputs[half:]), strict=True)
                ran = [interpreter.run(int(entered), tuple(arrays)) for interpreter, arrays in parts]
                self._compare(pairs, ran, tally)
        facts = {"samples": count, "kernels": self._interpreters[0].kernels, **tally.to_plain()}
        return AdapterAnswer(((np.frombuffer(json.dumps(facts).encode(), np.uint8),),))

    def _begin(self, paths: Sequence[str], first: bool) -> None:
        """Variables as they are at first; nothing but a new interpreter resets resources."""
        if first or self._resources:
            pairs = zip(paths, self._signatures, strict=True)
            self._interpreters = [PreservingInterpreter(path, self._kernels, own) for path, own in pairs]
        for interpreter in self._interpreters:
            interpreter.reset()

    def _compare(self, pairs: Sequence[Pair], subgraphs: Sequence[int], tally: PairTally) -> None:
        """One inference; no reference to memory of the interpreters outlives the call."""
        reference, converted = (
            dict(interpreter.tensors([pair[side] for pair in pairs], subgraph))
            for side, (interpreter, subgraph) in enumerate(zip(self._interpreters, subgraphs, strict=True))
        )
        for number, (one, other) in enumerate(pairs):
            if one in reference and other in converted:
                tally.add(number, reference[one], converted[other])


def tensors_of(model: Model, pairs: Iterable[Pair], side: int = 1) -> list[Tensor]:
    """The tensors on one side of pairs: of the converted model, or of the first for 0."""
    places = (pair[side] for pair in pairs)
    return [model.subgraphs[subgraph].tensors[index] for subgraph, index in places]


class MachinePairs:
    """Two machines side by side. What a loop's body holds is compared turn by turn, as far as both take turns."""

    def __init__(self, machines: tuple[Machine, Machine], pairs: Sequence[Pair], tally: PairTally) -> None:
        self._machines = machines
        self._pairs, self._tally = pairs, tally
        self._held: list[dict[Place, list[NDArray[Any]]]] = [{}, {}]
        for side, machine in enumerate(self._machines):
            machine.watch = partial(self._hold, side, frozenset(pair[side] for pair in pairs))

    def run(self, number: int, runs: Sequence[tuple[tuple[int, Arrays], tuple[int, Arrays]]]) -> None:
        """A chain of samples from a fresh state; each is a subgraph and its inputs, for both. Raises CalibrationError."""
        for machine in self._machines:
            machine.restart()
        for run in runs:
            for machine, (subgraph, arrays) in zip(self._machines, run, strict=True):
                try:
                    machine.run(machine.model.subgraphs[subgraph], arrays)
                except RunError as error:
                    raise CalibrationError(f"sample {number}: {error}") from error
            self._compare()

    def _hold(
        self,
        side: int,
        places: frozenset[Place],
        subgraph: Subgraph,
        indexes: Sequence[int],
        arrays: Sequence[NDArray[Any]],
    ) -> None:
        for index, values in zip(indexes, arrays, strict=True):
            if (subgraph.index, index) in places:
                self._held[side].setdefault((subgraph.index, index), []).append(values)

    def _compare(self) -> None:
        reference, converted = self._held
        for number, (one, other) in enumerate(self._pairs):
            # zip ends with the shorter: a loop may take fewer turns in one of the models.
            for x, stored in zip(reference.get(one, ()), converted.get(other, ()), strict=False):
                if x.shape == stored.shape:
                    self._tally.add(number, x, stored)
        for held in self._held:
            held.clear()
