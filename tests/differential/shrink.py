"""Minimization of failing trials, as in hypothesis: the generator runs again on simpler draws while the failure
persists.

Generators draw from :class:`tests.differential.draws.Draws` in place of numpy's Generator, so that every smaller trial
is a possible trial. Afterwards inputs are cut, and values set to 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from litecheck.errors import LitecheckError
from litecheck.model.stored_values import pack, stored_integers
from litecheck.model.types import Buffer, Tensor
from litecheck.quantization import BITS, Quantization
from litecheck.reference.engine.interpreter import run
from tests.differential.draws import FEW, Draws, Place, Random, Record
from tests.differential.one_operator import Trial

Make = Callable[[Random], Trial]
#: Function that returns the failure of a trial as a word, "" for success. A smaller trial must have the same failure.
Outcome = Callable[[Trial], str]
#: Limit of the number of compared trials in a search.
LIMIT = 2000
#: Limit of the number of drawn trials in a search, for each compared trial. Most are larger than the smallest so far.
DRAWN = 2
#: Number of repetitions of a smaller trial with different blocks: fewer values are ties less often.
AGAIN = 8


def weight(trial: Trial) -> int:
    """Return the size of a trial: elements of all tensors."""
    graph = trial.model.subgraphs[0]
    return sum(t.size for t in graph.tensors) + len(graph.tensors)


@dataclass
class _Search:
    outcome: Outcome
    wanted: str
    left: int
    drawn: int = 0

    def fails(self, trial: Trial) -> bool:
        """Return True if a trial has the failure of the first trial; each call counts."""
        self.left -= 1
        return self.left >= 0 and self.outcome(trial) == self.wanted


def smallest(make: Make, start: Random, outcome: Outcome, limit: int = LIMIT) -> Trial:
    """Return the smallest trial with the failure of ``make(start)`` within ``limit`` calls; ``start`` is not advanced.

    Raises ValueError if that trial does not fail.
    """
    draws = Draws(start)
    trial = make(draws)
    search = _Search(outcome, outcome(trial), limit)
    if not search.wanted:
        raise ValueError("this trial does not fail")
    trial = _simpler_draws(make, start, draws.made, trial, search)
    large = weight(trial) + 1
    while weight(trial) < large:
        large = weight(trial)
        trial = _smaller_values(_cut(trial, search), search)
    return trial


def _simpler_draws(make: Make, start: Random, made: Record, trial: Trial, search: _Search) -> Trial:
    """Return a trial of simpler draws: many at once, then one by one, then each in smaller steps."""

    def price(record: Record, of: Trial) -> tuple[float, float]:
        return weight(of), sum(d.cost for d in record.draws.values())

    def attempt(changes: Mapping[Place, float]) -> bool:
        changed_record = made.with_numbers(changes)
        return one(Draws(start, changed_record)) or any(
            one(Draws(start, Record(changed_record.draws), skip), True)
            for skip in range(1, AGAIN)
            if changed_record.blocks
        )

    def one(draws: Draws, again: bool = False) -> bool:
        nonlocal made, trial, best
        search.drawn += 1
        if search.drawn > most:
            return False
        try:
            other = make(draws)
            cost = price(draws.made, other)
            if cost >= best or (again and cost[0] == best[0]) or not search.fails(other):
                return False
        except (ArithmeticError, AssertionError, LookupError, TypeError, ValueError):
            return False  # the generator rejects such numbers, or has no outputs for them
        made, trial, best = draws.made, other, cost
        return True

    best, again, most = price(made, trial), True, DRAWN * search.left
    while again and search.left > 0 and search.drawn < most:
        again, size = False, len(made.draws)
        while size:
            places = list(made.draws)
            for first in range(0, len(places), size):
                chunk = [p for p in places[first : first + size] if p in made.draws]
                again |= attempt({p: made.draws[p].simplest for p in chunk})
            size //= 2
        for place in list(made.draws):
            values = made.draws[place].simpler() if place in made.draws else ()
            again |= any(attempt({place: value}) for value in values if place in made.draws)
    return trial


def _arrays(trial: Trial) -> dict[tuple[int, int], np.ndarray]:
    """Return inputs by inference and tensor, and constants (inference -1) except axes, shapes and indices."""
    graph = trial.model.subgraphs[0]
    given = {(n, i): x for n, run_ in enumerate(trial.runs) for i, x in zip(graph.inputs, run_, strict=True)}
    real = [t for t in graph.tensors if t.is_constant and (t.quantization.scale.size or t.dtype == "float32")]
    return {**given, **{(-1, t.index): np.asarray(stored_integers(t)) for t in real}}


def _with_arrays(trial: Trial, other: Mapping[tuple[int, int], np.ndarray]) -> Trial:
    """Return the trial with changed values, and possibly shapes, of some inputs and constants."""
    graph, buffers, tensors = trial.model.subgraphs[0], list(trial.model.buffers), []
    for tensor in graph.tensors:
        found = next((x for (_, i), x in other.items() if i == tensor.index), None)
        if found is not None:
            tensor = replace(tensor, shape=found.shape)
            if tensor.is_constant:
                raw = (
                    pack(found, tensor.dtype) if BITS[tensor.dtype] < 8 else found.reshape(-1).view(np.uint8)
                )
                tensor, buffers[tensor.buffer] = replace(tensor, data=raw), Buffer(raw)
        tensors.append(tensor)
    graphs = (replace(graph, tensors=tuple(tensors)),)
    runs = tuple(
        tuple(other.get((n, i), x) for i, x in zip(graph.inputs, run_, strict=True))
        for n, run_ in enumerate(trial.runs)
    )
    return replace(trial, model=replace(trial.model, subgraphs=graphs, buffers=tuple(buffers)), runs=runs)


def _cut(trial: Trial, search: _Search) -> Trial:
    """Reduce the trial to a single inference, and cut its inputs in half along axes that may belong together."""
    alone = next((t for t in (replace(trial, runs=(one,)) for one in trial.runs) if search.fails(t)), trial)
    again = len(alone.runs) == 1
    while again and search.left > 0:
        again = False
        for axes in _axes(alone):
            for first in (True, False):
                smaller = _halved(alone, axes, first, search)
                again, alone = again or smaller is not None, smaller or alone
    return alone


def _axes(trial: Trial) -> Iterator[dict[tuple[int, int], int]]:
    """Yield axes to cut together: equal lengths at the same position, equal lengths of all constants, single axes."""
    arrays = _arrays(trial)
    for length in sorted({n for x in arrays.values() for n in x.shape if n > 1}, reverse=True):
        for axis in range(-max(x.ndim for x in arrays.values()), 0):
            yield {k: axis for k, x in arrays.items() if x.ndim >= -axis and x.shape[axis] == length}
        for order in (1, -1):
            fixed = {k: x.shape[::order] for k, x in arrays.items() if k[0] < 0 and length in x.shape}
            yield {
                k: s.index(length) if order > 0 else len(s) - 1 - s.index(length) for k, s in fixed.items()
            }
    for key, x in arrays.items():
        if key[0] >= 0 or x.ndim > 1:  # a bias has as many values as there are outputs
            yield from ({key: axis} for axis in range(-x.ndim, 0))


def _halved(trial: Trial, axes: Mapping[tuple[int, int], int], first: bool, search: _Search) -> Trial | None:
    arrays = _arrays(trial)
    length = max(
        (arrays[k].shape[axis] for k, axis in axes.items() if k in arrays and arrays[k].ndim >= -axis),
        default=0,
    )
    for part in (length // 2, 1) if length > 1 else ():
        keep = np.arange(length - part) if first else np.arange(part, length)
        try:
            cut = {k: arrays[k].take(keep, axis) for k, axis in axes.items()}
            smaller = _reshaped(_with_arrays(_scales(trial, axes, length, keep), cut))
        except (ArithmeticError, KeyError, LitecheckError, LookupError, ValueError):
            continue
        if search.fails(smaller):
            return smaller
    return None


def _scales(trial: Trial, axes: Mapping[tuple[int, int], int], length: int, keep: np.ndarray) -> Trial:
    """Cut the scales of slices with the slices."""
    graph = trial.model.subgraphs[0]
    tensors = list(graph.tensors)
    for (_, index), axis in axes.items():
        tensor, q = tensors[index], tensors[index].quantization
        if q.scale.size == length and q.axis == axis % max(1, len(tensor.shape)):
            q = replace(q, scale=q.scale[keep], zero_point=q.zero_point[keep])
            tensors[index] = replace(tensor, quantization=q)
    return replace(trial, model=replace(trial.model, subgraphs=(replace(graph, tensors=tuple(tensors)),)))


def _reshaped(trial: Trial) -> Trial:
    """Return the trial with its outputs in their computed shapes."""
    graph = trial.model.subgraphs[0]
    made = run(trial.model, trial.inputs).outputs.values()
    shapes = {i: y.shape for i, y in zip(graph.outputs, made, strict=True)}
    tensors = tuple(replace(t, shape=shapes.get(t.index, t.shape)) for t in graph.tensors)
    return replace(trial, model=replace(trial.model, subgraphs=(replace(graph, tensors=tensors),)))


def _smaller_values(trial: Trial, search: _Search) -> Trial:
    """Set real-valued inputs and constants to 0, in blocks and one by one; divide the remaining integers."""
    for key, given in _arrays(trial).items():
        size = given.size
        while size:
            for at in range(0, given.size, size):
                trial = _with_values(trial, key, slice(at, at + size), 0, search)
            size //= 2
        for at in np.flatnonzero(_arrays(trial)[key])[:FEW] if given.dtype.kind in "iu" else ():
            for divisor in (16, 4, 2, 2):
                value = int(int(_arrays(trial)[key].reshape(-1)[at]) / divisor)
                trial = _with_values(trial, key, slice(at, at + 1), value, search)
    return trial


def _with_values(trial: Trial, key: tuple[int, int], part: slice, value: int, search: _Search) -> Trial:
    array = _arrays(trial)[key].copy()
    if search.left <= 0 or not (array.reshape(-1)[part] != value).any():
        return trial
    array.reshape(-1)[part] = value
    other = _with_arrays(trial, {key: array})
    return other if search.fails(other) else trial


def described(trial: Trial) -> str:
    """Return the operator, options, and every tensor with its shape, parameters and, if few, values."""
    graph = trial.model.subgraphs[0]
    given = dict(zip(graph.inputs, trial.inputs, strict=False))
    lines = []
    for operator in graph.operators:
        ends = [("input", i) for i in operator.inputs if i >= 0] + [("output", i) for i in operator.outputs]
        options = dict(operator.options.fields) if operator.options is not None else {}
        lines.append(f"{operator.opcode} {options}")
        lines += [f"  {kind} {_tensor(graph.tensors[i], given.get(i))}" for kind, i in ends]
    return "\n".join([*lines, *(f"  then {[x.tolist() for x in more]}" for more in trial.runs[1:4])])


def _tensor(tensor: Tensor, given: np.ndarray | None) -> str:
    q: Quantization = tensor.quantization
    if given is None and tensor.is_constant:
        given = stored_integers(tensor)
    parameters = (
        f" scale {q.scale.tolist()[:FEW]} zero point {q.zero_point.tolist()[:FEW]}" if q.scale.size else ""
    )
    shown = "" if given is None else f" {given.tolist()}" if given.size <= 2 * FEW else _sparse(given)
    return f"{tensor.name}: {tensor.dtype}{list(tensor.shape)}{parameters}{shown}"


def _sparse(given: np.ndarray) -> str:
    """Return the values that are not 0, if they are few."""
    there = np.argwhere(given)
    if len(there) > FEW:
        return ""
    return (
        f" 0 but for { ({tuple(at.tolist()): given[tuple(at)].item() for at in there}) }"
        if len(there)
        else " 0"
    )
