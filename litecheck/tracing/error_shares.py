"""Shares of the outputs' error: the float model computes everything but one tensor, which has its error in the quantized
model."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from litecheck.conversion.powers import Values, power, squares
from litecheck.model.matching import ModelMatch
from litecheck.reference.engine.interpreter import ReferenceInterpreter
from litecheck.reference.runtime_tensors import RunError
from litecheck.tracing.bench import Bench
from litecheck.tracing.fed_operators import FedOperator
from litecheck.tracing.measures import Tensors
from litecheck.tracing.storage import in_tensor, meaning


class ErrorShares:
    """Errors of an entry point's outputs on some samples that come from a single operator or tensor."""

    def __init__(self, match: ModelMatch, bench: Bench, samples: Sequence[Tensors]) -> None:
        self._bench, self._samples = bench, samples
        self._interpreter = ReferenceInterpreter(match.first)
        self._whole = sum(errors.ratio("accumulated") or 0.0 for errors in bench.ends.values())
        self._ends = [bench.part.tensors[index] for index in bench.ends]

    def of_operator(self, number: int, with_inputs: bool = False) -> float | None:
        """Return the share that comes from an operator, 0 to 1, or None if it is not known.

        The storage of its inputs belongs to their producers, and counts only ``with_inputs``. Example: 0.9 if the
        outputs have 90 % of their squared error when only this operator has its error.
        """
        fed = next(one for one in self._bench.operators if one.other == number)
        tensors = self._bench.part.second.tensors
        changed = []
        for real in self._samples:
            alone = self._bench.run_alone(fed, real)
            made = {old: meaning(alone[new], tensors[new]) for old, new in fed.outputs if new in alone}
            if not with_inputs:
                before = self._from_stored_inputs(fed, real)
                made = {old: real[old] + (made[old] - before[old]) for old in made if old in before}
            changed.append(made)
        return self._share(changed)

    def _from_stored_inputs(self, fed: FedOperator, real: Tensors) -> Tensors:
        """Return the outputs of the float operator from the real values of the stored inputs."""
        tensors = self._bench.part.second.tensors
        stored = {
            fed.reads.get(old, old): in_tensor(real[old], tensors[new])
            for new, old in fed.feeds
            if _is_float(real, old)
        }
        try:
            return self._recomputed(real, stored, {fed.one, *self._bench.part.absorbed.get(fed.one, ())})
        except RunError:
            return {}

    def of_tensor(self, index: int) -> float | None:
        """Return the share that comes from the storage of a tensor."""
        old, tensor = self._bench.part.tensors[index], self._bench.part.second.tensors[index]
        return self._share([{old: in_tensor(real[old], tensor)} for real in self._samples if old in real])

    def _share(self, changed: Sequence[Mapping[int, Values]]) -> float | None:
        if not self._whole or not any(changed):
            return None
        signal, noise = dict.fromkeys(self._ends, 0.0), dict.fromkeys(self._ends, 0.0)
        for real, other in zip(self._samples, changed, strict=False):
            try:
                made = self._recomputed(real, other)
            except RunError:
                return None
            for end in self._ends:
                if _is_float(real, end):
                    signal[end] += power(real[end])
                    noise[end] += squares(real[end], made[end])
        ratios = (noise[end] / signal[end] for end in self._ends if signal[end])
        return min(1.0, sum(ratios) / self._whole)

    def _recomputed(
        self, real: Tensors, changed: Mapping[int, Values], only: Collection[int] | None = None
    ) -> Tensors:
        """Return the float model's tensors with changed ones and everything that follows, or that ``only`` these
        operators compute from them."""
        subgraph, made, behind = self._bench.part.first, {**real, **changed}, set(changed)
        self._interpreter.restart()
        for operator in subgraph.operators:
            if only is not None and operator.index not in only:
                continue
            if behind.isdisjoint(operator.inputs) or any(i in changed for i in operator.outputs):
                continue
            outputs = self._interpreter.step(subgraph, operator, made).outputs
            made.update(zip(operator.outputs, outputs, strict=True))
            behind.update(operator.outputs)
        return made


def _is_float(real: Tensors, index: int) -> bool:
    return index in real and real[index].dtype.kind == "f"
