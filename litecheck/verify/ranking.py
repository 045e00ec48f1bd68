"""Which of a case's feeds notice most: tried on the reference under every way to compute otherwise that it knows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from math import prod

import numpy as np
from numpy.typing import NDArray

from litecheck.arrays import Arrays
from litecheck.cases.inputs import DIRECTED, PROPAGATED, RANDOM, Feed, series
from litecheck.cases.parts import Case
from litecheck.reference.defects.defects import defects_of
from litecheck.reference.engine.arithmetic import Arithmetic
from litecheck.reference.engine.dispatch import cells_of
from litecheck.reference.engine.interpreter import Machine
from litecheck.reference.operands import RunError
from litecheck.verify.budget import Ranking
from litecheck.verify.questions import Question

#: So many feeds are looked at, the first of them under every suspect; so many multiplications are made for one case.
_LOOKED, _FIRST, _WORK = 12, 3, 1 << 29


def rank(question: Question, arithmetic: Arithmetic) -> Ranking:
    """The feeds of a case, those first that tell most of the ways to compute otherwise from the arithmetic's."""
    case, fed = question.case, question.feeds
    usual = _usual(fed)
    suspects = list(_suspects(case, arithmetic))
    expected = question.expected(arithmetic)
    alone = len(series(fed)) == len(fed)  # what follows another inference says nothing by itself
    looked = usual[:_LOOKED] if expected is not None and suspects and alone else []
    seen = _noticed(case, looked, fed, expected or (), suspects)
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


def _usual(feeds: Sequence[Feed]) -> list[int]:
    """Without knowing better: one of each kind in turn, drawn over the whole range first; what differs only by chance
    comes last."""
    by_kind = {
        kind: [n for n, feed in enumerate(feeds) if feed.kind == kind]
        for kind in (RANDOM, DIRECTED, PROPAGATED)
    }
    longest = max(map(len, by_kind.values()), default=0)
    return [numbers[at] for at in range(longest) for numbers in by_kind.values() if at < len(numbers)]


def _suspects(case: Case, arithmetic: Arithmetic) -> Iterator[Arithmetic]:
    """The arithmetic with one operator computed in another way, for each that the reference knows."""
    main, found = case.cut.model.subgraphs[0], {}
    for operator in main.operators:
        variants = arithmetic.variants(operator.opcode)
        with suppress(RunError):
            for cell in cells_of(main, operator):
                found.update(
                    dict.fromkeys((operator.opcode, cell.path, other) for other in cell.others(variants))
                )
        named = defects_of(operator.opcode)
        found.update(dict.fromkeys((operator.opcode, "departure", name) for name in named))
    for opcode, stage, variant in found:
        own = {**arithmetic.variants(opcode), stage: variant}
        yield replace(arithmetic, stages={**arithmetic.stages, opcode: own})


def _noticed(
    case: Case,
    looked: Sequence[int],
    feeds: Sequence[Feed],
    expected: Sequence[Arrays],
    suspects: Sequence[Arithmetic],
) -> dict[int, NDArray[np.bool_]]:
    """For each feed looked at, which suspects it tells from what is expected. What the first ones tell is not tried on
    the others, and no more is computed than a bounded amount of work."""
    seen = {n: np.zeros(len(suspects), np.bool_) for n in looked}
    trials = max(len(suspects), _WORK // _work(case))
    told: NDArray[np.bool_] = np.zeros(len(suspects), np.bool_)
    machines = [Machine(case.cut.model, suspect) for suspect in suspects]
    for at, number in enumerate(looked):
        for k, machine in enumerate(machines):
            if (at < _FIRST or not told[k]) and trials > 0:
                trials -= 1
                seen[number][k] = _differs(machine, feeds[number].arrays, expected[number])
        told |= seen[number]
    return seen


def _differs(machine: Machine, inputs: Arrays, expected: Arrays) -> bool:
    main = machine.model.subgraphs[0]
    machine.restart()
    try:
        tensors = machine.run(main, inputs)
    except (RunError, ValueError, ArithmeticError):
        return False
    return any(not np.array_equal(tensors[i], e) for i, e in zip(main.outputs, expected, strict=True))


def _work(case: Case) -> int:
    """About how many multiplications one run of a case makes."""
    tensors, work = case.subgraph.tensors, 1
    for operator in case.operators:
        made = sum(prod(tensors[i].shape) for i in operator.outputs if i >= 0)
        weights = [tensors[i].shape for i in operator.inputs[1:2] if i >= 0]
        work += made * max([prod(shape) // max(max(shape, default=1), 1) for shape in weights], default=1)
    return work


def _kind(case: Case) -> str:
    """The same for cases of the same operators on the same types."""
    types = [case.subgraph.tensors[i].dtype for i in (*case.cut.inputs, *case.cut.outputs)]
    return " ".join((*case.opcodes, *types))
