"""Search for variants and defects that explain the differences of an operator: a single cause, or two together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np

from litecheck.arrays import Arrays
from litecheck.cases.expectation import Expectation
from litecheck.cases.model_parts import Case
from litecheck.cases.stimulus import Stimuli
from litecheck.comparison.difference import difference
from litecheck.comparison.element_explanation import active_slots
from litecheck.comparison.types import Cause, MismatchCluster
from litecheck.reference.defects.defects import defects_of
from litecheck.reference.defects.registry import DEFECTS
from litecheck.reference.engine.arithmetic import Arithmetic
from litecheck.reference.runtime_tensors import RunError

#: A variant explains differences if this share of the values it changes becomes correct, and if it removes at least this
#: number and this share of the differences.
_RIGHT, _MANY, _SHARE = 0.75, 4, 0.01
#: Limits of the first comparison: number of inferences, multiply-accumulates in all, and for slow variants
#: multiply-accumulates in all and sequential products.
_FEEDS, _WORK, _SLOW, _STEPS = 64, 1 << 25, 1 << 22, 1 << 13
#: Largest number of listed causes that explain all differences.
_LISTED = 4


@dataclass(frozen=True, slots=True, eq=False)
class _Candidate:
    """A changed arithmetic for the case's operator, with the names of its changes."""

    names: tuple[str, ...]
    arithmetic: Arithmetic
    description: str = ""
    slow: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class CauseSearch:
    """A case of one operator with wrong integer outputs: its inputs, the outputs of each, and the candidates.

    ``nearest`` is the arithmetic of the verdict, ``arithmetics`` are further arithmetics to try besides its variants and
    defects. ``likely`` names causes that explained a similar case completely: if any of these explains this case
    completely, the search ends.
    """

    case: Case
    stimuli: Stimuli
    actual: Sequence[Arrays]
    nearest: Arithmetic
    arithmetics: tuple[Arithmetic, ...]
    likely: frozenset[tuple[str, ...]] = frozenset()

    def search(self) -> tuple[Cause, ...]:
        """Return every cause that explains all differences; else the best cause (or best pair), with patterns of the
        rest.

        Return nothing if no candidate explains any difference.
        """
        base = self._trial(tuple(range(len(self.stimuli))), self.nearest)
        if base is None or not base.remaining:
            return ()
        chosen = self._choose_inferences(base)
        near = self._trial(chosen, self.nearest)
        if near is None:
            return ()
        before = [
            candidate
            for candidate in self._candidate_arithmetics(self.nearest, ())
            if candidate.names in self.likely
        ]
        if whole := self._complete_causes(before, base.remaining):
            return whole
        first = self._best_candidates(chosen, near, self._candidate_arithmetics(self.nearest, ()))
        if not first:
            return self._hidden_pairs(base, chosen, near)
        if whole := self._complete_causes(first, base.remaining):
            return whole
        candidate = first[0]
        trial = self._trial(chosen, candidate.arithmetic)
        second = (
            self._best_candidates(
                chosen, trial, self._candidate_arithmetics(candidate.arithmetic, candidate.names)
            )
            if trial
            else []
        )
        return self._describe_pair(base.remaining, first, second)

    def _hidden_pairs(self, base: _Trial, chosen: tuple[int, ...], near: _Trial) -> tuple[Cause, ...]:
        """Return pairs of causes that explain all differences although neither alone makes values correct.

        The first of the pair at least halves the total difference, the second explains the rest.
        """
        candidates = [
            candidate for candidate in self._candidate_arithmetics(self.nearest, ()) if not candidate.slow
        ]
        trials = [(self._trial(chosen, candidate.arithmetic), candidate) for candidate in candidates]
        distances = [(trial.distance, n) for n, (trial, _) in enumerate(trials) if trial is not None]
        if not distances or 2 * min(distances)[0] > near.distance:
            return ()
        trial, candidate = trials[min(distances)[1]]
        second = (
            self._best_candidates(
                chosen, trial, self._candidate_arithmetics(candidate.arithmetic, candidate.names)
            )
            if trial
            else []
        )
        return self._complete_causes(second, base.remaining)

    def _complete_causes(self, candidates: Sequence[_Candidate], count: int) -> tuple[Cause, ...]:
        """Return the candidates that explain all differences."""
        every = (
            Cause(candidate.names, candidate.description, count, 0)
            for candidate in candidates
            if self._count_left(candidate) == 0
        )
        return tuple(islice(every, _LISTED))

    def _describe_pair(
        self, count: int, first: Sequence[_Candidate], second: Sequence[_Candidate]
    ) -> tuple[Cause, ...]:
        if both := self._complete_causes(second, count):
            return both
        others = second or first
        chosen, left = others[0], self._count_left(others[0])
        if left is None or left >= count:
            return ()
        alike = tuple(" and ".join(w.names) for w in others[1:] if self._count_left(w) == left)
        patterns = self._patterns(chosen.arithmetic)
        return (Cause(chosen.names, chosen.description, count - left, left, patterns, alike),)

    def _candidate_arithmetics(self, base: Arithmetic, names: tuple[str, ...]) -> Iterator[_Candidate]:
        """Yield the published arithmetics (for a first cause), then the base with a single step or defect changed."""
        opcode = self.case.operators[0].opcode
        main = self.case.submodel.model.subgraphs[0]
        variants = base.variants_of(main, main.operators[0])
        if not names:
            yield from (_Candidate((a.name,), a) for a in self.arithmetics if a.name != base.name)
        for cell in active_slots(self.case, self.stimuli[0].arrays, base):
            if any(name.startswith(f"{cell.path}: ") for name in names):
                continue
            for variant in cell.others(variants):
                changed = base.under(opcode, {**variants, cell.path: variant})
                yield _Candidate((*names, f"{cell.path}: {variant}"), changed)
        for name in defects_of(opcode) if "defect" not in variants else ():
            known = DEFECTS[name]
            changed = base.under(opcode, {**variants, "defect": name})
            yield _Candidate((*names, f"defect: {name}"), changed, known.description, known.windowed)

    def _best_candidates(
        self, chosen: tuple[int, ...], near: _Trial, candidates: Iterator[_Candidate]
    ) -> list[_Candidate]:
        """Return the candidates that explain differences of the chosen inferences, those with the fewest remaining
        differences first."""
        few = self._cheap_inferences(chosen)
        nearby = _compare_outputs(near.made[: len(few)], near.actual[: len(few)])
        scored = []
        for place, candidate in enumerate(candidates):
            numbers, beside = (few, nearby) if candidate.slow else (chosen, near)
            trial = self._trial(numbers, candidate.arithmetic) if numbers else None
            if trial is not None and trial.explains(beside):
                scored.append((trial.remaining / beside.remaining, len(candidate.names), place, candidate))
        scored.sort(key=lambda one: one[:3])
        return [candidate for *_, candidate in islice(scored, 2 * _LISTED)]

    def _choose_inferences(self, base: _Trial) -> tuple[int, ...]:
        """Return the inferences with the most differences, within the limit of work; at least one."""
        lefts = base.lefts
        order = sorted(range(len(self.stimuli)), key=lambda n: -lefts[n])
        kept, work = [order[0]], self._work(order[0])
        for number in order[1:_FEEDS]:
            work += self._work(number)
            if lefts[number] and work <= _WORK:
                kept.append(number)
        return tuple(kept)

    def _cheap_inferences(self, chosen: tuple[int, ...]) -> tuple[int, ...]:
        """Return the chosen inferences for a slow candidate, which computes product by product."""
        sums = sum(a.size for a in self.actual[chosen[0]])
        work = self._work(chosen[0])
        depth = work // max(sums, 1)
        return chosen[: min(_STEPS // max(depth, 1), _SLOW // max(work, 1))]

    def _work(self, number: int) -> int:
        """Estimate the number of multiply-accumulates of an inference."""
        main = self.case.submodel.model.subgraphs[0]
        weights = [main.tensors[i] for i in main.operators[0].inputs[1:2] if i >= 0]
        made = sum(a.size for a in self.actual[number])
        return made * max([w.size // max(w.quantization.scale.size, 1) for w in weights] or [1])

    def _count_left(self, candidate: _Candidate) -> int | None:
        """Count the differences that the candidate leaves in all inferences."""
        trial = self._trial(tuple(range(len(self.stimuli))), candidate.arithmetic)
        return None if trial is None else trial.remaining

    def _trial(self, numbers: tuple[int, ...], arithmetic: Arithmetic) -> _Trial | None:
        made = Expectation(self.case, self.stimuli.select(numbers))(arithmetic)
        if made is None:
            return None
        return _compare_outputs(tuple(made), tuple(self.actual[n] for n in numbers))

    def _patterns(self, arithmetic: Arithmetic) -> tuple[MismatchCluster, ...]:
        """Return the patterns of the differences that an arithmetic leaves, in the first output with differences."""
        trial = self._trial(tuple(range(len(self.stimuli))), arithmetic)
        kinds = self.stimuli.kinds
        for at, index in enumerate(self.case.submodel.outputs):
            if trial is not None:
                pair = [run[at] for run in trial.made], [run[at] for run in self.actual]
                found = difference(self.case.subgraph.tensors[index], *pair, 0, kinds)
                if found.mismatches:
                    return found.patterns
        return ()


@dataclass(frozen=True, slots=True, eq=False)
class _Trial:
    """Outputs of an arithmetic and of the device for some inferences; ``lefts`` counts the differing elements of each
    run."""

    made: tuple[Arrays, ...]
    actual: tuple[Arrays, ...]
    lefts: tuple[int, ...]

    @property
    def remaining(self) -> int:
        return sum(self.lefts)

    @property
    def distance(self) -> int:
        """Sum of the absolute differences."""
        return sum(
            int(np.abs(m.astype(np.int64) - a.astype(np.int64)).sum())
            for pair in zip(self.made, self.actual, strict=True)
            for m, a in zip(*pair, strict=True)
        )

    def explains(self, near: _Trial) -> bool:
        """Return True if enough differences disappear, and most values that differ from ``near`` are correct."""
        gained = near.remaining - self.remaining
        if gained < max(_MANY, _SHARE * near.remaining):
            return False
        changed = sum(_count_differences(*pair) for pair in zip(self.made, near.made, strict=True))
        right = sum(
            int(np.count_nonzero((m != n) & (m == a)))
            for made, old, actual in zip(self.made, near.made, self.actual, strict=True)
            for m, n, a in zip(made, old, actual, strict=True)
        )
        return bool(changed) and right >= _RIGHT * changed


def _compare_outputs(made: tuple[Arrays, ...], actual: tuple[Arrays, ...]) -> _Trial:
    return _Trial(made, actual, tuple(_count_differences(*pair) for pair in zip(made, actual, strict=True)))


def _count_differences(some: Arrays, others: Arrays) -> int:
    return sum(int(np.count_nonzero(a != b)) for a, b in zip(some, others, strict=True))


def find_causes(
    case: Case,
    stimuli: Stimuli,
    actual: Sequence[Arrays],
    nearest: Arithmetic,
    published: tuple[Arithmetic, ...],
    likely: frozenset[tuple[str, ...]] = frozenset(),
) -> tuple[Cause, ...]:
    """Return the causes of a case, see Causes; nothing for segments, for float outputs, and without a kernel."""
    main = case.submodel.model.subgraphs[0]
    real = any(main.tensors[i].dtype.startswith(("float", "bfloat")) for i in main.outputs)
    if len(case.operators) != 1 or real:
        return ()
    try:
        return CauseSearch(case, stimuli, actual, nearest, published, likely).search()
    except RunError:
        return ()
