"""Calibration by litecheck's own float kernels: statistics of every tensor of every subgraph when it is computed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numpy.typing import NDArray

from litecheck.conversion.calibration.recurrent_values import add_inner, recurrent_operators
from litecheck.conversion.calibration.running_stats import RunningStats, observed_tensors
from litecheck.conversion.calibration.samples import Chain
from litecheck.conversion.calibration.statistics import CalibrationError
from litecheck.model.types import Operator, Subgraph
from litecheck.reference.engine.interpreter import ReferenceInterpreter
from litecheck.reference.runtime_tensors import Operand, RunError


class ReferenceObserver:
    """An interpreter with observed tensors. Tensors in the body of a loop are observed in every turn."""

    def __init__(self, interpreter: ReferenceInterpreter, sketched: bool) -> None:
        model = interpreter.model
        self.tally = RunningStats(sketched)
        self._interpreter = interpreter
        self._interpreter.watch = self._watch
        self._interpreter.enter = self._enter
        self._places = frozenset(observed_tensors(model))
        self._recurrent = recurrent_operators(model)

    def run(self, chain: Chain, number: int) -> None:
        """Run a chain of samples from a fresh state. Raises CalibrationError and ConfigError."""
        self._interpreter.restart()
        self.tally.sample = number
        for sample in chain:
            subgraph, arrays = sample.arrange(self._interpreter.model)
            try:
                self._interpreter.run(self._interpreter.model.subgraphs[subgraph], arrays)
            except RunError as error:
                raise CalibrationError(f"sample {number}: {error}") from error

    def _enter(self, subgraph: Subgraph, operator: Operator, operands: Sequence[Operand | None]) -> None:
        if (subgraph.index, operator.index) in self._recurrent:
            add_inner(self.tally, subgraph.index, operator, operands)

    def _watch(self, subgraph: Subgraph, indexes: Sequence[int], arrays: Sequence[NDArray[Any]]) -> None:
        for index, values in zip(indexes, arrays, strict=True):
            if (subgraph.index, index) in self._places:
                self.tally.add((subgraph.index, index), values)
