"""Runs of both models on the same samples: all tensors of the entry point, and of the subgraphs that it calls."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from numpy.typing import NDArray

from litecheck.arrays import Arrays
from litecheck.model.matching import ModelMatch
from litecheck.model.types import Subgraph
from litecheck.reference.engine.arithmetic import Arithmetic
from litecheck.reference.engine.interpreter import ReferenceInterpreter
from litecheck.tracing.bridged_interpreter import BridgedInterpreter
from litecheck.tracing.measures import Tensors

#: Calls of a subgraph in one sample whose tensors are kept: a loop may have thousands.
_CALLS = 4


class CallRecorder:
    """Tensors of called subgraphs, by subgraph and call."""

    def __init__(self, entry: int) -> None:
        self._entry = entry
        self.calls: dict[int, list[dict[int, NDArray[Any]]]] = {}

    def __call__(self, subgraph: Subgraph, indices: Sequence[int], arrays: Sequence[NDArray[Any]]) -> None:
        """Record the tensors that an operator computed, or the inputs of a new call, for called subgraphs."""
        if subgraph.index == self._entry:
            return
        calls = self.calls.setdefault(subgraph.index, [])
        if indices is subgraph.inputs:
            calls.append({})
        if calls and len(calls) <= _CALLS:
            calls[-1].update(zip(indices, arrays, strict=True))


class RecordedRuns:
    """Runs of both models, with the number of samples so far."""

    def __init__(self, match: ModelMatch, arithmetic: Arithmetic | str) -> None:
        self._parts = {part.first.index: part for part in match.subgraphs}
        self._real = ReferenceInterpreter(match.first)
        self.stored = BridgedInterpreter(match.second, self._parts, arithmetic)
        self.arithmetic, self.samples = arithmetic, 0

    def run(self, number: int, arrays: Arrays) -> Iterator[tuple[int, Tensors, Tensors]]:
        """Yield all tensors of the float and of the quantized model, by subgraph and call, the entry point first.

        The tensors of the quantized model are empty for a call that it does not make.
        """
        self.samples += 1
        recorders = self._real.watch, self.stored.watch = CallRecorder(number), CallRecorder(number)
        self._real.restart()
        real = self._real.run(self._parts[number].first, arrays, keep_all=True)
        yield number, real, self.stored.run_beside(number, real)
        for index, calls in recorders[0].calls.items():
            others = recorders[1].calls.get(index, [])
            same = len(calls) == len(others)
            for one, other in zip(calls, others if same else [{}] * len(calls), strict=True):
                if one and index in self._parts:
                    yield index, one, other
