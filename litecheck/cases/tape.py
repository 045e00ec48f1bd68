"""One sample's tensors on their way through a model: what the reference hands on from operator to operator."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from litecheck.model.types import Model, Operator, Subgraph
from litecheck.reference.engine.arithmetic import Arithmetic
from litecheck.reference.engine.interpreter import Machine, last_use
from litecheck.reference.operands import Array, RunError


class Tape:
    """One sample's tensors on their way through a subgraph: what the reference computed and somebody still needs."""

    def __init__(
        self, model: Model, subgraph: Subgraph, inputs: Mapping[int, Array], arithmetic: Arithmetic
    ) -> None:
        self.subgraph = subgraph
        self.machine = Machine(model, arithmetic)
        self.tensors: dict[int, Array] = dict(inputs)
        self._last = last_use(subgraph)
        self.kept: frozenset[int] = frozenset()
        """Tensors that somebody needs at the end."""

    def step(self, operator: Operator) -> None:
        """Compute an operator in the whole model's machine, where handles of resources live too; none that fails."""
        try:
            made = self.machine.step(self.subgraph, operator, self.tensors)
        except RunError:
            return
        self.tensors.update((i, o) for i, o in zip(operator.outputs, made.outputs, strict=True) if i >= 0)

    def note(self, made: Mapping[int, Array]) -> None:
        """Tensors that a case made."""
        self.tensors.update(made)

    def forget(self, operators: Sequence[Operator]) -> None:
        """Drop what nobody needs behind these operators."""
        for index in _behind(self._last, operators):
            if index not in self.kept:
                self.tensors.pop(index, None)


def chained(
    model: Model, subgraph: Subgraph, samples: Sequence[Mapping[int, Array]], arithmetic: Arithmetic
) -> list[Tape]:
    """Samples one after the other, each from the state that the model is in behind the one before."""
    ahead = Machine(model, arithmetic)
    tapes: list[Tape] = []
    for inputs in samples:
        tapes.append(Tape(model, subgraph, inputs, arithmetic))
        tapes[-1].machine.restore(ahead.state())
        scratch = Tape(model, subgraph, inputs, arithmetic)
        scratch.machine = ahead
        for operator in subgraph.operators:
            scratch.step(operator)
            scratch.forget((operator,))
    return tapes


def _behind(last: Mapping[int, tuple[int, ...]], operators: Sequence[Operator]) -> Iterator[int]:
    for operator in operators:
        yield from last.get(operator.index, ())
