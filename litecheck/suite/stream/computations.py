"""Candidates of a stream's operator: the stream's own variants, and mutants."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace

import numpy as np

from litecheck.arrays import Array
from litecheck.cases.probes.probe import Probe
from litecheck.diagnosis.hypotheses import (
    defective,
    hypotheses,
    kernel_of,
    name_hypothesis,
    published_variants,
)
from litecheck.diagnosis.result import Hypothesis
from litecheck.errors import ConfigError
from litecheck.reference.defects.defects import with_defect
from litecheck.reference.defects.registry import DEFECTS
from litecheck.reference.engine.arithmetic import Arithmetic, load_arithmetic
from litecheck.reference.engine.dispatch import bind, compute
from litecheck.reference.engine.interpreter import ReferenceInterpreter
from litecheck.reference.runtime_tensors import RunError
from litecheck.suite.stream.batch import Ints

#: Variants and defects whose outputs depend on the position in a tensor, or on neighbors, which a line does not have.
BY_PLACE = frozenset(
    (
        "vectors", "double-by-eight", "double-by-sixteen", "half-up-body", "half-even-body", "split-body",
        "neighbour-bias", "swapped-weight-scales", "first-weight-scale", "largest-weight-scale",
    )
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class VectorMutant:
    """A mutant that vectors detect.

    ``same`` are the names of mutants with equal answers in all lines of the first batches.
    """

    name: str
    does: str
    hypothesis: Hypothesis
    same: tuple[str, ...] = ()

    @property
    def published(self) -> tuple[str, ...]:
        """Published arithmetics that compute like the mutant."""
        return self.hypothesis.published


@dataclass(frozen=True, slots=True)
class Candidates:
    """A probe, the candidate that computes its answers, and all mutants."""

    probe: Probe
    own: Hypothesis
    others: tuple[VectorMutant, ...]

    @staticmethod
    def of(probe: Probe, arithmetic: str = "litert-reference", without: Collection[str] = ()) -> Candidates:
        """Return the candidates of an operator: the arithmetic's own, and all others except the defects in ``without``.

        Raise ConfigError if the arithmetic depends on positions in a tensor.
        """
        known = published_variants(probe.opcode, kernel_of(probe))
        possible = [name_hypothesis(hypothesis, known) for hypothesis in hypotheses(probe)]
        own = _own_candidate(probe, load_arithmetic(arithmetic, quoting=False), possible)
        by_place = [variant for _, variant in own.stages if variant in BY_PLACE]
        if by_place:
            raise ConfigError(
                f"{arithmetic} computes {probe.opcode} as '{by_place[0]}', by places in a tensor; a line of a stream "
                "has none"
            )
        unfit = BY_PLACE.union(without)
        return Candidates(probe, own, (*_variants(own, possible), *_defects(own, probe.opcode, unfit)))


def _own_candidate(probe: Probe, arithmetic: Arithmetic, possible: list[Hypothesis]) -> Hypothesis:
    variants = arithmetic.variants_of(probe.subgraph, probe.subgraph.operators[0])
    chosen = {cell.path: cell.variant(variants) for cell in kernel_of(probe).slots()}
    return next(
        hypothesis
        for hypothesis in possible
        if all(chosen[step] == variant for step, variant in hypothesis.stages)
    )


def _variants(own: Hypothesis, possible: list[Hypothesis]) -> Iterator[VectorMutant]:
    """Yield candidates with a single step changed, or equal to a published arithmetic."""
    mine = dict(own.stages)
    for hypothesis in possible:
        other = [(step, variant) for step, variant in hypothesis.stages if mine.get(step) != variant]
        single = len(other) == 1 or hypothesis.published
        if other and single and not BY_PLACE.intersection(variant for _, variant in other):
            name = "+".join(f"{step.split('/')[0]}={variant}" for step, variant in other)
            told = ", ".join(f"{step} is {variant}" for step, variant in other)
            yield VectorMutant(name, told, hypothesis)


def _defects(own: Hypothesis, opcode: str, unfit: Collection[str]) -> Iterator[VectorMutant]:
    for hypothesis in defective(own, opcode):
        if hypothesis.defect not in unfit:
            yield VectorMutant(hypothesis.defect, DEFECTS[hypothesis.defect].description, hypothesis)


class Computation:
    """A probe's operator, bound to its kernel once, for computations under several candidates."""

    def __init__(self, probe: Probe) -> None:
        interpreter, graph = ReferenceInterpreter(probe.model), probe.subgraph
        (operator,) = graph.operators
        given = dict(zip(graph.inputs, probe.runs[0], strict=True))
        self._bound = bind(graph, operator, interpreter.arithmetic, interpreter)
        self._operands = [interpreter.operand(graph, i, given) if i >= 0 else None for i in operator.inputs]

    def answers(self, hypothesis: Hypothesis) -> Array | None:
        """Return the output; None if it cannot be computed."""
        chosen = dict(hypothesis.stages)
        bound = self._bound.under({cell.step: cell.variant(chosen) for cell in self._bound.slots})
        if hypothesis.defect:
            bound = replace(bound, kernel=with_defect(bound.kernel, hypothesis.defect))
        try:
            return compute(bound, self._operands).outputs[0]
        except RunError:
            return None


def distinguishing(candidates: Candidates, lines: int, most: int, rng: np.random.Generator) -> Ints:
    """Return up to ``most`` of the lines (rows of the output) that detect mutants: rare mutants first, in equal
    shares.

    Random further lines fill the rest.
    """
    probe = candidates.probe
    computation = Computation(probe)
    right = computation.answers(candidates.own)
    if right is None:
        raise ConfigError(f"{probe.opcode} cannot be computed as {candidates.own}")
    found = []
    for mutant in candidates.others:
        made = computation.answers(mutant.hypothesis)
        if made is not None and (made != right).any():
            found.append(np.flatnonzero((made != right).reshape(lines, -1).any(axis=1)))
    chosen = np.zeros(lines, np.bool_)
    share = most // max(1, len(found))
    for places in sorted(found, key=len):
        chosen[rng.permutation(places)[:share]] = True
    rest = rng.permutation(np.flatnonzero(~chosen))[: most - int(chosen.sum())]
    return np.sort(np.append(np.flatnonzero(chosen), rest)).astype(np.int64)
