"""What is noted of a run while it goes on: statistics of every tensor, and names for what was kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from numpy.typing import NDArray

from litecheck.model.types import Operator
from litecheck.reference.engine.entry import EntryPoint, named
from litecheck.reference.engine.interpreter import Run
from litecheck.reference.engine.statistics import Statistics, statistics


class Recorder:
    """A Progress for :meth:`Machine.invoke`; ``advance`` hears of each operator."""

    def __init__(
        self, entry: EntryPoint, stats: bool = False, advance: Callable[[str], None] | None = None
    ) -> None:
        self.entry = entry
        self.stats = stats
        self.advance = advance
        self.operators = 0
        self.statistics: list[Statistics] = []

    def __call__(self, operator: Operator, outputs: tuple[NDArray[Any], ...]) -> None:
        """Note one operator's outputs."""
        self.operators += 1
        if self.stats:
            self.statistics += statistics(self.entry.subgraph, operator, outputs)
        if self.advance:
            self.advance(f"{operator.opcode} #{operator.index}")

    def named(self, run: Run) -> dict[str, NDArray[Any]]:
        """The kept arrays under names that differ: the outputs' as they are known, the tensors' own for the rest."""
        outputs = dict(self.entry.outputs)
        rest = [i for i in sorted(run.tensors) if i not in set(outputs.values())]
        arrays = dict(run.outputs)
        for name, index in named(self.entry.subgraph, rest):
            arrays[f"{name} (tensor {index})" if name in outputs else name] = run.tensors[index]
        return arrays
