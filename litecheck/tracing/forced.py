"""Runs of the quantized model in which one operator's outputs are the float model's: the share of the error it causes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from numpy.typing import NDArray

from litecheck.cases.inputs import requantized
from litecheck.model.matching import SubgraphMatch
from litecheck.model.types import Model, Operator, Subgraph
from litecheck.reference.engine.arithmetic import Arithmetic
from litecheck.reference.engine.interpreter import ReferenceInterpreter
from litecheck.reference.runtime_tensors import Computed
from litecheck.tracing.measures import Tensors, power, squares
from litecheck.tracing.storage import meaning


class ForcedMachine(ReferenceInterpreter):
    """A machine that returns given outputs for some operators of its first subgraph, by number."""

    def __init__(self, model: Model, arithmetic: Arithmetic | str) -> None:
        super().__init__(model, arithmetic)
        self.given: dict[int, tuple[NDArray[Any], ...]] = {}

    def step(self, subgraph: Subgraph, operator: Operator, tensors: Mapping[int, NDArray[Any]]) -> Computed:
        """Run one operator on the available tensors, or return its given outputs."""
        given = self.given.get(operator.index) if subgraph.index == 0 else None
        return super().step(subgraph, operator, tensors) if given is None else Computed(given, {})


class ErrorShares:
    """The error of the model's outputs over some samples, as it is and with an operator computed in float."""

    def __init__(
        self, model: Model, part: SubgraphMatch, samples: Sequence[Tensors], arithmetic: Arithmetic | str
    ) -> None:
        self._part, self._samples = part, samples
        self._machine = ForcedMachine(model, arithmetic)
        self._whole = self._error(-1)

    def share(self, number: int) -> float | None:
        """Return the share of the squared error that ends with an operator's, 0 to 1, or None if it is not known.

        Example: 0.9 if the SNR of the outputs rises by 10 dB.
        """
        operator = self._part.second.operators[number]
        if not self._whole or any(i not in self._part.tensors for i in operator.outputs):
            return None
        return max(0.0, 1 - self._error(number) / self._whole)

    def _error(self, number: int) -> float:
        second, homes = self._part.second, self._part.tensors
        total = 0.0
        for real in self._samples:
            self._machine.restart()
            self._machine.given = {}
            if number >= 0:
                outputs = second.operators[number].outputs
                self._machine.given[number] = tuple(
                    requantized(second.tensors[i], real[homes[i]]) for i in outputs
                )
            fed = tuple(requantized(second.tensors[i], real[homes[i]]) for i in second.inputs)
            made = self._machine.run(second, fed)
            for index in second.outputs:
                want = real.get(homes.get(index, -1))
                if want is not None and want.dtype.kind == "f":
                    signal = power(want)
                    total += squares(want, meaning(made[index], second.tensors[index])) / (signal or 1.0)
        return total
