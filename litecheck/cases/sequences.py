"""Inputs of models with state: consecutive inferences that change the state, drive it to its limits, and start
there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from math import prod

import numpy as np

from litecheck.cases import inputs
from litecheck.cases.distinguishing_inputs import extreme_inputs
from litecheck.cases.expectation import Expectation
from litecheck.cases.inputs import draw_stimuli, draws
from litecheck.cases.model_parts import Case
from litecheck.cases.stimulus import Stimuli, Stimulus
from litecheck.cases.sweeps import directed_stimuli
from litecheck.cases.variable_state import Reach, StateSupport, TriedSeries
from litecheck.model.types import Model, Tensor
from litecheck.quantization import INTEGER_RANGES
from litecheck.reference.engine.arithmetic import Arithmetic
from litecheck.reference.engine.entry_point import affordable
from litecheck.reference.engine.interpreter import ReferenceInterpreter
from litecheck.reference.runtime_tensors import NUMPY_TYPES, Array, RunError

#: Inferences of a series if the influence of a state lasts longer, and inferences after which the search ends.
LENGTH, PATIENCE = 16, 48
#: Inferences beyond the influence of a state, and inferences after inputs at a limit.
_MORE, _AFTER = 4, 3
#: Largest number of elements of inputs and outputs in a series, unless it has at most ``_FEWEST`` inferences.
_ELEMENTS, _FEWEST = 1 << 18, 4
#: Number of consecutive inputs at limits in a series.
_EDGES = 8


def remembers(model: Model) -> bool:
    """Return True if an inference can depend on earlier ones: the model has variable tensors or resource handles."""
    return any(t.is_variable or t.dtype == "resource" for s in model.subgraphs for t in s.tensors)


def variables(model: Model) -> tuple[Tensor, ...]:
    """Return the variable tensors that can be given contents: those of the first subgraph with a numpy type."""
    return tuple(t for t in model.subgraphs[0].tensors if t.is_variable and t.dtype in NUMPY_TYPES)


def sequence(several: Sequence[Stimulus], start: Mapping[int, Array] | None = None) -> tuple[Stimulus, ...]:
    """Return inferences as a series: each but the first starts from the state that the inference before left."""
    first = replace(several[0], start=start or {})
    return (first, *(replace(stimulus, follows=True) for stimulus in several[1:]))


def sequences(
    case: Case, tensors: Mapping[int, Array], seed: int, arithmetic: Arithmetic, memory: StateSupport
) -> Callable[[str], Iterator[tuple[Stimulus, ...]]]:
    """Return a function from kind (random, directed) to series for a case with state; ``memory`` is the device's
    support."""
    pool = list(draw_stimuli(case, tensors, seed, PATIENCE + 1))
    length = _series_length(case, pool, arithmetic)
    drawn = list(draw_stimuli(case, tensors, seed, max(2 * length, draws(case))))

    def of(kind: str) -> Iterator[tuple[Stimulus, ...]]:
        if kind == inputs.RANDOM:
            yield from (sequence(drawn[at : at + length]) for at in range(0, len(drawn), length))
            return
        edges = list(islice(directed_stimuli(case, tensors), _EDGES))
        if edges:
            yield sequence([*edges, *edges[::-1]])
            rails = [replace(stimulus, kind=inputs.DIRECTED) for stimulus in drawn[:_AFTER]]
            driven = [*islice(extreme_inputs(case, tensors), 2), *edges[:2]]
            yield from (sequence([rail] * length + rails) for rail in driven)
        if memory is StateSupport.SET:
            after = [replace(stimulus, kind=inputs.DIRECTED) for stimulus in drawn[:_AFTER]] + edges[:2]
            yield from (sequence(after, start) for start in _start_states(case, seed) if after)

    return of


def _series_length(case: Case, pool: Sequence[Stimulus], arithmetic: Arithmetic) -> int:
    """Return the length of a series: a few inferences more than the influence of a state lasts, fewer for large
    tensors."""
    ends = (*case.submodel.inputs, *case.submodel.outputs)
    size = sum(prod(max(n, 1) for n in case.subgraph.tensors[i].shape) for i in ends)
    most = max(_FEWEST, _ELEMENTS // max(size, 1))
    return min(most, _influence_length(case, pool, arithmetic) + _MORE if most > LENGTH else LENGTH)


def _influence_length(case: Case, pool: Sequence[Stimulus], arithmetic: Arithmetic) -> int:
    """Return the number of inferences after which two interpreters with different pasts have the same state.

    Return LENGTH - _MORE if their states stay different.
    """
    one, other = (ReferenceInterpreter(case.submodel.model, arithmetic) for _ in range(2))
    main = case.submodel.model.subgraphs[0]
    with suppress(RunError, IndexError):
        one.run(main, pool[0].arrays)
        other.run(main, pool[-1].arrays)
        for number, stimulus in enumerate(pool[1:], 1):
            for interpreter in (one, other):
                interpreter.run(main, stimulus.arrays)
            if one.state().same(other.state()):
                return number
    return LENGTH - _MORE


def _start_states(case: Case, seed: int) -> Iterator[dict[int, Array]]:
    """Yield contents of the variables: all lowest, all highest, both alternating, and random values."""
    tensors = variables(case.submodel.model)
    if not tensors or not all(map(affordable, tensors)):
        return
    rng = np.random.default_rng([seed, len(case.name)])
    if any(map(inputs.has_codes, tensors)):
        for pattern in ((0, 0), (1, 1), (0, 1), (1, 0)):
            yield {t.index: _alternating_limits(t, pattern) for t in tensors}
    yield {t.index: _draw_state(t, rng) for t in tensors}


def _alternating_limits(tensor: Tensor, pattern: tuple[int, int]) -> Array:
    """Return both limits of the type in alternation; zeros for a type of more than 16 bits or without scale."""
    ends = INTEGER_RANGES[tensor.dtype] if inputs.has_codes(tensor) else (0, 0)
    turns = np.arange(tensor.size) // 3 % 2
    values: Array = np.where(turns, ends[pattern[1]], ends[pattern[0]]).astype(NUMPY_TYPES[tensor.dtype])
    return values.reshape(tensor.shape)


def _draw_state(tensor: Tensor, rng: np.random.Generator) -> Array:
    if tensor.dtype in INTEGER_RANGES:
        low, high = INTEGER_RANGES[tensor.dtype] if inputs.has_codes(tensor) else (0, 9)
        return rng.integers(low, high, tensor.shape, endpoint=True).astype(NUMPY_TYPES[tensor.dtype])
    return rng.normal(size=tensor.shape).astype(NUMPY_TYPES[tensor.dtype])


def series_tried(several: Stimuli, memory: StateSupport, reached: Sequence[Reach] = ()) -> TriedSeries:
    """Return the series that tested a case's state; ``reached`` holds the range of each variable."""
    if memory is StateSupport.NONE:
        return TriedSeries(because="device")
    lengths = list(map(len, several.series))
    return TriedSeries(len(lengths), max(lengths), bool(several.starts), reached=tuple(reached))


def access_pattern(
    case: Case, several: Sequence[Stimulus], given: Sequence[Sequence[Array]], arithmetic: Arithmetic
) -> str:
    """Return the device's use of state as shown by its outputs, if it does not pass state on; else ""."""
    known = {
        "its past is ignored: every inference is as if it were the first": [
            replace(stimulus, follows=False, start={}) for stimulus in several
        ],
        "its state is never reset: every series goes on from the one before": [
            replace(stimulus, follows=bool(number), start={}) for number, stimulus in enumerate(several)
        ],
        "it does not begin at the contents it is given": [
            replace(stimulus, start={}) for stimulus in several
        ],
    }
    for words, other in known.items():
        with suppress(RunError):
            made = Expectation(case, other).compute(arithmetic)
            if all(
                np.array_equal(a, b)
                for pair in zip(made, given, strict=True)
                for a, b in zip(*pair, strict=True)
            ):
                return words
    return ""
