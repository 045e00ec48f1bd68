"""Inputs of suite cases: random values, edge values, sweeps, and values that distinguish variants."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, islice

from litecheck.arrays import Array, Arrays
from litecheck.cases import inputs, model_parts, sequences
from litecheck.cases.distinguishing_inputs import distinguishing, extreme_inputs
from litecheck.cases.expectation import Expectation
from litecheck.cases.stimulus import Stimulus
from litecheck.cases.sweeps import directed_stimuli
from litecheck.cases.variable_state import StateSupport
from litecheck.model.types import Model
from litecheck.reference.engine.arithmetic import Arithmetic

#: Arithmetic that decides if inputs can be computed.
ARITHMETIC = "litert-reference"
#: Number of random inputs before the directed inputs; largest number of series of each kind.
_DRAWN, _SERIES = 2, 6
#: Bytes of all pairs of 8-bit values: a sweep comes first if an input is at least as large.
_LARGE = 1 << 16


def case_of(model: Model, name: str) -> model_parts.Case:
    """Return a one-operator model as a case; its name seeds the random values."""
    return replace(next(model_parts.operators(model, model.subgraphs[0])), name=name)


def known_inputs(model: Model, fed: Mapping[str, Array]) -> dict[int, Array]:
    """Return the values of steering inputs, by tensor."""
    main = model.subgraphs[0]
    return {i: fed[main.tensors[i].name] for i in main.inputs if main.tensors[i].name in fed}


def inputs_by_inference(model: Model, several: Mapping[str, Arrays]) -> dict[int, Arrays]:
    """Return the values of steering inputs that differ between inferences, by their place in the model's inputs."""
    main = model.subgraphs[0]
    names = enumerate(main.tensors[i].name for i in main.inputs)
    return {place: several[name] for place, name in names if name in several}


def stimuli(
    case: model_parts.Case,
    known: Mapping[int, Array],
    seed: int,
    budget: int,
    arithmetic: Arithmetic,
    sharp: bool,
    by_inference: Mapping[int, Arrays] | None = None,
) -> Expectation:
    """Return inputs within a budget of bytes (at least one), with their expected outputs.

    ``sharp`` adds inputs that distinguish variants. ``by_inference`` has the values of inputs, by place, that inferences
    repeat in order; all of them occur, whatever the budget. Raise RunError if the reference computes none of them.
    """
    several = by_inference or {}
    least = max(map(len, several.values()), default=1)
    if sequences.remembers(case.submodel.model):
        drawn = sequences.sequences(case, known, seed, arithmetic, StateSupport.KEPT)
        series = [*islice(drawn(inputs.RANDOM), _SERIES), *islice(drawn(inputs.DIRECTED), _SERIES)]
        found: Iterable[Sequence[Stimulus]] = [list(row) for row in series]
    else:
        single = _single(case, known, seed, arithmetic, sharp, max(_DRAWN, least))
        found = ([stimulus] for stimulus in set_values(single, several))
    rows = _within_budget(found, budget, least)
    expectation = Expectation(case, [stimulus for row in rows for stimulus in row])
    expectation.usable(arithmetic)
    return expectation


def set_values(several: Iterable[Stimulus], by_inference: Mapping[int, Arrays]) -> Iterator[Stimulus]:
    """Yield inferences with the values that inputs have in turn; equal inferences once, if there are such inputs."""
    seen: set[bytes] = set()
    for number, stimulus in enumerate(several):
        arrays = list(stimulus.arrays)
        for place, values in by_inference.items():
            arrays[place] = values[number % len(values)]
        key = b"".join(array.tobytes() for array in arrays) if by_inference else b""
        if not by_inference or key not in seen:
            seen.add(key)
            yield replace(stimulus, arrays=tuple(arrays))


def _single(
    case: model_parts.Case,
    known: Mapping[int, Array],
    seed: int,
    arithmetic: Arithmetic,
    sharp: bool,
    first: int,
) -> Iterator[Stimulus]:
    """Yield at least ``first`` random inferences, and directed inferences."""
    edges, drawn = list(directed_stimuli(case, known)), inputs.DrawnInputs(case, known, seed)
    large = bool(edges) and _bytes(edges[0].arrays) >= _LARGE
    if large:
        yield from edges[4:]
    yield from chain.from_iterable(drawn.first(first))
    if sharp:
        yield from distinguishing(case, drawn, arithmetic)
        yield from extreme_inputs(case, known)
    if not large:
        yield from edges[4:]
    yield from edges[:4]
    yield from islice(chain.from_iterable(drawn.first(inputs.draws(case))), first, None)


def _within_budget(
    several: Iterable[Sequence[Stimulus]], budget: int, least: int
) -> Iterator[Sequence[Stimulus]]:
    """Yield items from the first on within a budget of bytes; at least ``least``."""
    spent = 0
    for number, row in enumerate(several):
        spent += sum(_bytes(stimulus.arrays) for stimulus in row)
        if number >= least and spent > budget:
            return
        yield row


def _bytes(arrays: Arrays) -> int:
    return sum(array.nbytes for array in arrays)
