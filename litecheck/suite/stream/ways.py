"""The ways in which a stream's operator can be computed: the stream's own, and those that are mistakes beside it."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace

import numpy as np

from litecheck.arrays import Array
from litecheck.cases.probes.probe import Probe
from litecheck.diagnose.hypotheses import defective, hypotheses, kernel_of, named, published
from litecheck.diagnose.result import Hypothesis
from litecheck.errors import ConfigError
from litecheck.reference.defects.defects import with_defect
from litecheck.reference.defects.registry import DEFECTS
from litecheck.reference.engine.arithmetic import Arithmetic, load_arithmetic
from litecheck.reference.engine.dispatch import bind, compute
from litecheck.reference.engine.interpreter import Machine
from litecheck.reference.operands import RunError
from litecheck.suite.stream.batch import Ints

#: Variants and defects by which a result depends on where in a tensor it stands, or on its neighbours: a line has
#: neither.
BY_PLACE = frozenset(
    (
        "vectors", "double-by-eight", "double-by-sixteen", "half-up-body", "half-even-body", "split-body",
        "neighbour-bias", "swapped-weight-scales", "first-weight-scale", "largest-weight-scale",
    )
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class VectorFlag:
    """A mistake that vectors catch: a way to compute that is not the stream's own.

    ``same`` are the names of others that give the same answer to every line in which everything is met once.
    """

    name: str
    does: str
    way: Hypothesis
    same: tuple[str, ...] = ()

    @property
    def published(self) -> tuple[str, ...]:
        """The arithmetics in which it is no mistake."""
        return self.way.published


@dataclass(frozen=True, slots=True)
class Candidates:
    """A probe, the way its answers are computed, and all others there are."""

    probe: Probe
    own: Hypothesis
    others: tuple[VectorFlag, ...]

    @staticmethod
    def of(probe: Probe, arithmetic: str = "litert-reference", without: Collection[str] = ()) -> Candidates:
        """The ways of an operator beside an arithmetic's own, but for defects ``without`` meaning here.

        Raises ConfigError where the arithmetic goes by places in a tensor.
        """
        known = published(probe.opcode, kernel_of(probe))
        possible = [named(way, known) for way in hypotheses(probe)]
        own = _own(probe, load_arithmetic(arithmetic, quoting=False), possible)
        by_place = [variant for _, variant in own.stages if variant in BY_PLACE]
        if by_place:
            raise ConfigError(
                f"{arithmetic} computes {probe.opcode} as '{by_place[0]}', by places in a tensor; a line of a stream "
                "has none"
            )
        unfit = BY_PLACE.union(without)
        return Candidates(probe, own, (*_variants(own, possible), *_defects(own, probe.opcode, unfit)))


def _own(probe: Probe, arithmetic: Arithmetic, possible: list[Hypothesis]) -> Hypothesis:
    variants = arithmetic.variants(probe.opcode)
    chosen = {cell.path: cell.variant(variants) for cell in kernel_of(probe).cells()}
    return next(way for way in possible if all(chosen[step] == variant for step, variant in way.stages))


def _variants(own: Hypothesis, possible: list[Hypothesis]) -> Iterator[VectorFlag]:
    """One step in another variant, or everything as a published arithmetic has it."""
    mine = dict(own.stages)
    for way in possible:
        other = [(step, variant) for step, variant in way.stages if mine.get(step) != variant]
        single = len(other) == 1 or way.published
        if other and single and not BY_PLACE.intersection(variant for _, variant in other):
            name = "+".join(f"{step.split('/')[0]}={variant}" for step, variant in other)
            told = ", ".join(f"{step} is {variant}" for step, variant in other)
            yield VectorFlag(name, told, way)


def _defects(own: Hypothesis, opcode: str, unfit: Collection[str]) -> Iterator[VectorFlag]:
    for way in defective(own, opcode):
        if way.defect not in unfit:
            yield VectorFlag(way.defect, DEFECTS[way.defect].does, way)


class Computation:
    """A probe's operator, bound to its kernel once, to be computed in one way after the other."""

    def __init__(self, probe: Probe) -> None:
        machine, graph = Machine(probe.model), probe.subgraph
        (operator,) = graph.operators
        given = dict(zip(graph.inputs, probe.runs[0], strict=True))
        self._bound = bind(graph, operator, machine.arithmetic, machine)
        self._operands = [machine.operand(graph, i, given) if i >= 0 else None for i in operator.inputs]

    def answers(self, way: Hypothesis) -> Array | None:
        """The output; None where it cannot be computed."""
        chosen = dict(way.stages)
        bound = self._bound.under({cell.step: cell.variant(chosen) for cell in self._bound.cells})
        if way.defect:
            bound = replace(bound, kernel=with_defect(bound.kernel, way.defect))
        try:
            return compute(bound, self._operands).outputs[0]
        except RunError:
            return None


def telling(candidates: Candidates, lines: int, most: int, rng: np.random.Generator) -> Ints:
    """Which of so many lines, rows of the output, tell mistakes from the own way: rare mistakes first, shared out
    among them; any others where they do not suffice."""
    probe = candidates.probe
    computation = Computation(probe)
    right = computation.answers(candidates.own)
    if right is None:
        raise ConfigError(f"{probe.opcode} cannot be computed as {candidates.own}")
    found = []
    for flag in candidates.others:
        made = computation.answers(flag.way)
        if made is not None and (made != right).any():
            found.append(np.flatnonzero((made != right).reshape(lines, -1).any(axis=1)))
    chosen = np.zeros(lines, np.bool_)
    share = most // max(1, len(found))
    for places in sorted(found, key=len):
        chosen[rng.permutation(places)[:share]] = True
    rest = rng.permutation(np.flatnonzero(~chosen))[: most - int(chosen.sum())]
    return np.sort(np.append(np.flatnonzero(chosen), rest)).astype(np.int64)
