"""Interpreter of a quantized model that takes the outputs of operators without a kernel from the float model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

from litecheck.cases.inputs import quantize_input
from litecheck.model.matching import SubgraphMatch
from litecheck.model.types import Model, Operator, Subgraph
from litecheck.reference.compute_limits import LimitError
from litecheck.reference.engine.arithmetic import Arithmetic
from litecheck.reference.engine.interpreter import ReferenceInterpreter
from litecheck.reference.runtime_tensors import Outputs, RunError
from litecheck.tracing.measures import Tensors


class BridgedInterpreter(ReferenceInterpreter):
    """An interpreter in which operators of an entry point that cannot run have the outputs of the float model.

    ``bridged`` are these operators with the reason, by subgraph and number.
    """

    def __init__(
        self, model: Model, parts: Mapping[int, SubgraphMatch], arithmetic: Arithmetic | str
    ) -> None:
        super().__init__(model, arithmetic)
        self._parts, self._entry = parts, -1
        self._real: Tensors = {}
        self.bridged: dict[tuple[int, int], str] = {}

    def run_beside(self, number: int, real: Tensors) -> dict[int, NDArray[Any]]:
        """Return all tensors of an entry point that runs on the inputs of the float model; ``real`` are the float
        tensors."""
        self._entry, self._real = number, real
        part = self._parts[number]
        self.restart()
        inputs = tuple(
            quantize_input(part.second.tensors[i], real[part.tensors[i]]) for i in part.second.inputs
        )
        return self.run(part.second, inputs, keep_all=True)

    def step(self, subgraph: Subgraph, operator: Operator, tensors: Mapping[int, NDArray[Any]]) -> Outputs:
        """Run one operator on the available tensors, or return the outputs of the float model. Raises RunError."""
        key = subgraph.index, operator.index
        if subgraph.index != self._entry:
            return super().step(subgraph, operator, tensors)
        if key not in self.bridged:
            try:
                return super().step(subgraph, operator, tensors)
            except LimitError:
                raise
            except RunError as error:
                if not self._is_known(operator):
                    raise
                self.bridged[key] = str(error)
        homes = self._parts[self._entry].tensors
        outputs = (quantize_input(subgraph.tensors[i], self._real[homes[i]]) for i in operator.outputs)
        return Outputs(tuple(outputs), {})

    def _is_known(self, operator: Operator) -> bool:
        homes = self._parts[self._entry].tensors
        return all(homes.get(i, -1) in self._real for i in operator.outputs)
