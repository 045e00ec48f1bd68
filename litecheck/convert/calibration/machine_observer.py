"""Calibration by litecheck's own float kernels: statistics of every tensor of every subgraph as it is computed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numpy.typing import NDArray

from litecheck.convert.calibration.samples import Chain
from litecheck.convert.calibration.statistics import CalibrationError
from litecheck.convert.calibration.tally import Tally, observed
from litecheck.model.types import Model, Subgraph
from litecheck.reference.engine.interpreter import Machine
from litecheck.reference.operands import RunError


class MachineObserver:
    """A machine whose tensors are looked at, in bodies of loops in every turn."""

    def __init__(self, model: Model, sketched: bool) -> None:
        self.tally = Tally(sketched)
        self._machine = Machine(model)
        self._machine.watch = self._watch
        self._places = frozenset(observed(model))

    def run(self, chain: Chain, number: int) -> None:
        """One chain of samples from a fresh state. Raises CalibrationError and ConfigError."""
        self._machine.restart()
        self.tally.sample = number
        for sample in chain:
            subgraph, arrays = sample.arrange(self._machine.model)
            try:
                self._machine.run(self._machine.model.subgraphs[subgraph], arrays)
            except RunError as error:
                raise CalibrationError(f"sample {number}: {error}") from error

    def _watch(self, subgraph: Subgraph, indexes: Sequence[int], arrays: Sequence[NDArray[Any]]) -> None:
        for index, values in zip(indexes, arrays, strict=True):
            if (subgraph.index, index) in self._places:
                self.tally.add((subgraph.index, index), values)
