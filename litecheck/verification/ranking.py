"""Ranking of inputs by the number of variants and defects that they detect; a budget is spent on the best inputs
first."""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from litecheck.arrays import Arrays
from litecheck.cases.inputs import DIRECTED, PROPAGATED, RANDOM
from litecheck.cases.merged_inferences import outputs_of, together
from litecheck.cases.model_parts import Case
from litecheck.cases.stimulus import Stimuli
from litecheck.reference.defects.defects import defects_of
from litecheck.reference.engine.arithmetic import Arithmetic
from litecheck.reference.engine.dispatch import slots_of
from litecheck.reference.engine.interpreter import ReferenceInterpreter
from litecheck.reference.registry import Variants
from litecheck.reference.runtime_tensors import RunError
from litecheck.verification.jobs import CaseJob

#: Number of compared inputs; number of first inputs compared under every suspect; limit of multiplications per case.
_LOOKED, _FIRST, _WORK = 12, 3, 1 << 29
#: Purposes of an invocation, in order of priority: a first operator of its kind, a first run of an operator, suspects
#: that no earlier input detects, different inputs (they detect outputs left over from an earlier inference), the same
#: inputs again, all remaining inputs, all inputs again.
_KIND, _CASE, _FAULTS, _OTHER, _AGAIN, _MORE, _ALL_AGAIN = range(7)


@dataclass(frozen=True, slots=True)
class Ranking:
    """Numbers of a case's inputs, the most sensitive first, and the number of suspects that each is the first to
    detect.

    ``kind`` is equal for cases with the same operators and types.
    """

    case: str
    kind: str
    stimuli: tuple[int, ...]
    notices: tuple[int, ...]

    def visits(self, repeat: int) -> Iterator[tuple[int, int, int]]:
        """Yield (purpose, number of suspects, input) of every useful invocation, in order of priority within the
        case."""
        telling = [n for n, count in zip(self.stimuli, self.notices, strict=True) if count]
        if not self.stimuli:
            return
        first, *others = self.stimuli
        yield _CASE, 0, first
        counts = dict(zip(self.stimuli, self.notices, strict=True))
        yield from ((_FAULTS, counts[n], n) for n in others if n in telling)
        left = [n for n in others if n not in telling]
        if left and len(telling) < 2:
            yield _OTHER, 0, left.pop(0)
        if repeat > 1:
            yield _AGAIN, 0, first
        yield from ((_MORE, 0, n) for n in left)
        for number in range(1, repeat):
            yield from ((_ALL_AGAIN, 0, n) for n in (*reversed(others), *([first] if number > 1 else [])))


@dataclass(frozen=True, slots=True)
class Share:
    """Share of a case: numbers of inputs that are run once, and of inputs that are run once more."""

    stimuli: tuple[int, ...]
    again: tuple[int, ...]

    @property
    def invocations(self) -> int:
        """Number of invocations."""
        return len(self.stimuli) + len(self.again)


def shares(rankings: Sequence[Ranking], invocations: int, repeat: int) -> tuple[Share, ...]:
    """Distribute invocations among cases, the most sensitive inputs first; earlier cases win ties."""
    visits = [list(ranking.visits(repeat)) for ranking in rankings]
    given = [0] * len(rankings)
    kinds: set[str] = set()
    waiting: list[tuple[int, int, int, int]] = []
    for at, ranking in enumerate(rankings):
        if visits[at]:
            tier = _CASE if ranking.kind in kinds else _KIND
            kinds.add(ranking.kind)
            heapq.heappush(waiting, (tier, 0, 0, at))
    for _ in range(invocations):
        if not waiting:
            break
        at = heapq.heappop(waiting)[3]
        given[at] += 1
        if given[at] < len(visits[at]):
            tier, count, _ = visits[at][given[at]]
            heapq.heappush(waiting, (tier, -count, given[at] if tier >= _MORE else 0, at))
    return tuple(_share([n for *_, n in own[:count]]) for own, count in zip(visits, given, strict=True))


def _share(numbers: Sequence[int]) -> Share:
    stimuli = tuple(dict.fromkeys(numbers))
    again = list(numbers)
    for number in stimuli:
        again.remove(number)
    return Share(stimuli, tuple(again))


def rank(case_job: CaseJob, arithmetic: Arithmetic) -> Ranking:
    """Rank the inputs of a case by the number of variants and defects that they distinguish from the arithmetic."""
    case, fed = case_job.case, case_job.stimuli
    usual = _default_order(fed)
    suspects = list(_suspects(case, arithmetic))
    expected = case_job.expected(arithmetic)
    alone = not fed.follows  # an inference that continues a series cannot be ranked alone
    looked = usual[:_LOOKED] if expected is not None and suspects and alone else []
    seen = _detection_masks(case, looked, fed, expected or (), suspects)
    order: list[int] = []
    counts: list[int] = []
    left = np.ones(len(suspects), np.bool_)
    while looked:
        news = [int((seen[n] & left).sum()) for n in looked]
        best = looked[int(np.argmax(news))]
        if order and not max(news):
            break
        order.append(best)
        counts.append(max(news))
        left &= ~seen[best]
        looked.remove(best)
    others = [n for n in usual if n not in order]
    return Ranking(case.name, _kind(case), (*order, *others), (*counts, *[0] * len(others)))


def _default_order(stimuli: Stimuli) -> list[int]:
    """Return the default order: one input of each kind in turn, random before directed before propagated."""
    by_kind = {
        kind: [n for n, given in enumerate(stimuli.kinds) if given == kind]
        for kind in (RANDOM, DIRECTED, PROPAGATED)
    }
    longest = max(map(len, by_kind.values()))
    return [numbers[at] for at in range(longest) for numbers in by_kind.values() if at < len(numbers)]


def _suspects(case: Case, arithmetic: Arithmetic) -> Iterator[Arithmetic]:
    """Yield the arithmetic with a single operator changed, for each variant and each defect that the reference knows."""
    main, found = case.submodel.model.subgraphs[0], dict[tuple[str, str, str], Variants]()
    for operator in main.operators:
        variants = arithmetic.variants_of(main, operator)
        with suppress(RunError):
            for cell in slots_of(main, operator):
                found.update(
                    dict.fromkeys(
                        ((operator.opcode, cell.path, other) for other in cell.others(variants)), variants
                    )
                )
        named = defects_of(operator.opcode)
        found.update(dict.fromkeys(((operator.opcode, "defect", name) for name in named), variants))
    for (opcode, stage, variant), variants in found.items():
        yield arithmetic.under(opcode, {**variants, stage: variant})


def _detection_masks(
    case: Case,
    looked: Sequence[int],
    stimuli: Stimuli,
    expected: Sequence[Arrays],
    suspects: Sequence[Arithmetic],
) -> dict[int, NDArray[np.bool_]]:
    """Return, for each compared input, a mask of the suspects that it distinguishes from the expected outputs.

    Suspects detected by the first inputs are not tried on later inputs, and the amount of work is limited.
    """
    seen = {n: np.zeros(len(suspects), np.bool_) for n in looked}
    trials = max(len(suspects), _WORK // _work(case))
    told: NDArray[np.bool_] = np.zeros(len(suspects), np.bool_)
    interpreters = [ReferenceInterpreter(case.submodel.model, suspect) for suspect in suspects]
    if together(case.submodel.model) > 1 and len(looked) * len(suspects) <= trials:
        pairs = [(stimuli[n].arrays, expected[n]) for n in looked]
        differ = np.array([_find_differing(interpreter, pairs) for interpreter in interpreters]).T
        for at, number in enumerate(looked):
            seen[number] = differ[at] & ~told if at >= _FIRST else differ[at]
            told |= seen[number]
        return seen
    for at, number in enumerate(looked):
        for k, interpreter in enumerate(interpreters):
            if (at < _FIRST or not told[k]) and trials > 0:
                trials -= 1
                seen[number][k] = _differs(interpreter, stimuli[number].arrays, expected[number])
        told |= seen[number]
    return seen


def _find_differing(interpreter: ReferenceInterpreter, pairs: Sequence[tuple[Arrays, Arrays]]) -> list[bool]:
    """Return the results of :func:`_differs` for several pairs of inputs and expected outputs, computed together if
    possible."""
    try:
        made = list(outputs_of(interpreter, [inputs for inputs, _ in pairs]))
    except (RunError, ValueError, ArithmeticError):
        return [_differs(interpreter, *pair) for pair in pairs]
    return [_is_different(one, expected) for one, (_, expected) in zip(made, pairs, strict=True)]


def _differs(interpreter: ReferenceInterpreter, inputs: Arrays, expected: Arrays) -> bool:
    main = interpreter.model.subgraphs[0]
    interpreter.restart()
    try:
        tensors = interpreter.run(main, inputs)
    except (RunError, ValueError, ArithmeticError):
        return False
    return _is_different(tuple(tensors[index] for index in main.outputs), expected)


def _is_different(made: Arrays, expected: Arrays) -> bool:
    return not all(map(np.array_equal, made, expected))


def _work(case: Case) -> int:
    """Estimate the number of multiplications of one run of a case."""
    tensors, work = case.subgraph.tensors, 1
    for operator in case.operators:
        made = sum(prod(tensors[i].shape) for i in operator.outputs if i >= 0)
        weights = [tensors[i].shape for i in operator.inputs[1:2] if i >= 0]
        work += made * max([prod(shape) // max(max(shape, default=1), 1) for shape in weights], default=1)
    return work


def _kind(case: Case) -> str:
    """Return a key that is equal for cases with the same operators and types."""
    types = [case.subgraph.tensors[i].dtype for i in (*case.submodel.inputs, *case.submodel.outputs)]
    return " ".join((*case.opcodes, *types))
