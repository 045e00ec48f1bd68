"""An interpreter in which LiteRT computes operators without a litecheck kernel, individually in a child process."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from types import TracebackType
from typing import Any

from numpy.typing import NDArray

from litecheck.devices.port import Device, Failure, Job, Limits
from litecheck.devices.registry import open_device
from litecheck.model.save import model_bytes
from litecheck.model.submodels import Submodel, cut_operators
from litecheck.model.types import Model, Operator, Subgraph
from litecheck.reference.engine.dispatch import find_kernel
from litecheck.reference.engine.interpreter import ReferenceInterpreter
from litecheck.reference.runtime_tensors import Outputs, RunError

_DEVICE = "litert:optimized"


class FallbackInterpreter(ReferenceInterpreter):
    """An interpreter that runs operators without a kernel in LiteRT, if they keep no state and LiteRT is installed."""

    def __init__(self, model: Model, limits: Limits) -> None:
        super().__init__(model)
        self._limits = limits
        self._device: Device | None = None
        self._lent: dict[tuple[int, int], Submodel | None] = {}

    def __enter__(self) -> FallbackInterpreter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._device is not None:
            self._device.close()

    @property
    def lenders(self) -> str:
        """The runtime of operators without a litecheck kernel, in words, or "" if there were none."""
        return "" if self._device is None else f", where there is none {self._device.described}"

    def step(self, subgraph: Subgraph, operator: Operator, tensors: Mapping[int, NDArray[Any]]) -> Outputs:
        """Run an operator on the available tensors."""
        key = subgraph.index, operator.index
        if key not in self._lent:
            self._lent[key] = self._cut_operator(subgraph, operator)
        part = self._lent[key]
        return (
            super().step(subgraph, operator, tensors)
            if part is None
            else self._run_in_litert(subgraph, part, tensors)
        )

    def _cut_operator(self, subgraph: Subgraph, operator: Operator) -> Submodel | None:
        """Return the operator as an isolated model, or None if it has a kernel or cannot run in LiteRT."""
        try:
            find_kernel(subgraph, operator)
        except RunError:
            states = [i for i in operator.inputs if i >= 0 and subgraph.tensors[i].is_variable]
            if not states and find_spec("ai_edge_litert") is not None:
                return cut_operators(self.model, subgraph, [operator], operator.outputs)
        return None

    def _run_in_litert(
        self, subgraph: Subgraph, part: Submodel, tensors: Mapping[int, NDArray[Any]]
    ) -> Outputs:
        if self._device is None:
            self._device = open_device(_DEVICE, self._limits)
        operator = subgraph.operators[part.operators[0]]
        name = f"{operator.opcode} #{operator.index}"
        inputs = tuple(self.operand(subgraph, index, tensors).data for index in part.inputs)
        content = model_bytes(part.model, drop_unknown=True)
        answer = self._device.run(Job(name, part.model, content, (inputs,)))
        if isinstance(answer, Failure):
            raise RunError(f"{name}: {_DEVICE}: {answer.outcome.value}: {answer.message}")
        return Outputs(answer.runs[0], {})
