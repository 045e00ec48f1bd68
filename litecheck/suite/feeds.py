"""What a model of one operator is fed in a suite: drawn values, edges, sweeps, and what tells variants apart."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice

from litecheck.arrays import Array, Arrays
from litecheck.cases import inputs, parts, sequences
from litecheck.cases.expectation import Expectation
from litecheck.cases.extremes import discriminating, extremes
from litecheck.cases.inputs import Feed
from litecheck.cases.memory import Memory
from litecheck.cases.sweeps import directed
from litecheck.model.types import Model
from litecheck.reference.engine.arithmetic import Arithmetic

#: What a suite's outputs are computed by where it matters which feeds can be computed at all.
ARITHMETIC = "litert-reference"
#: Drawn feeds in front of the directed ones, and series of inferences at most of each kind.
_DRAWN, _SERIES = 2, 6
#: So many bytes hold all pairs of codes: a sweep comes first where one feed is as large.
_LARGE = 1 << 16


def case_of(model: Model, name: str) -> parts.Case:
    """A model of one operator as a case, under the name that its numbers are drawn by."""
    return replace(next(parts.operators(model, model.subgraphs[0])), name=name)


def known_inputs(model: Model, fed: Mapping[str, Array]) -> dict[int, Array]:
    """What is given to operands that steer, by tensor."""
    main = model.subgraphs[0]
    return {i: fed[main.tensors[i].name] for i in main.inputs if main.tensors[i].name in fed}


def feeds(
    case: parts.Case, known: Mapping[int, Array], seed: int, budget: int, arithmetic: Arithmetic, sharp: bool
) -> Expectation:
    """Feeds whose bytes stay within a budget, unless one alone is more, and what comes of them; ``sharp`` adds those that
    tell variants apart.

    Raises RunError where the reference computes none of them.
    """
    if sequences.remembers(case.cut.model):
        rows = sequences.rows(case, known, seed, arithmetic, Memory.KEPT)
        series = [*islice(rows(inputs.RANDOM), _SERIES), *islice(rows(inputs.DIRECTED), _SERIES)]
        found: Iterable[Sequence[Feed]] = [list(row) for row in series]
    else:
        found = ([feed] for feed in _single(case, known, seed, arithmetic, sharp))
    expectation = Expectation(case, [feed for row in _within(found, budget) for feed in row])
    expectation.usable(arithmetic)
    return expectation


def _single(
    case: parts.Case, known: Mapping[int, Array], seed: int, arithmetic: Arithmetic, sharp: bool
) -> Iterator[Feed]:
    edges, drawn = list(directed(case, known)), inputs.Drawn(case, known, seed)
    large = bool(edges) and _bytes(edges[0].arrays) >= _LARGE
    if large:
        yield from edges[4:]
    yield from drawn.first(_DRAWN)
    if sharp:
        yield from discriminating(case, known, seed, arithmetic, drawn)
        yield from extremes(case, known)
    if not large:
        yield from edges[4:]
    yield from edges[:4]
    yield from islice(drawn.first(inputs.draws(case)), _DRAWN, None)


def _within(several: Iterable[Sequence[Feed]], budget: int) -> Iterator[Sequence[Feed]]:
    """As many, from the first on, as a budget of bytes allows; at least one."""
    spent = 0
    for number, row in enumerate(several):
        spent += sum(_bytes(feed.arrays) for feed in row)
        if number and spent > budget:
            return
        yield row


def _bytes(arrays: Arrays) -> int:
    return sum(array.nbytes for array in arrays)
