"""The same inputs again and again: what a device leaves behind, and what goes wrong now and then."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from litecheck.arrays import Array, Arrays
from litecheck.cases.probes.probe import Probe
from litecheck.diagnose.hypotheses import outputs
from litecheck.diagnose.result import Hypothesis
from litecheck.reference.operands import RunError

#: Inferences on one model: what goes wrong in one of 200 shows among them with a chance of 95 %.
REPEATS = 600
#: Different inputs among them.
_INPUTS = 4
#: The least share of elements in which the outputs of two inputs differ, so that one is not taken for the other.
_APART = 0.25
#: Probes of fewer outputs leave no room for a fault of position.
_LEAST = 16


def again(probe: Probe) -> Probe:
    """The probe with its first input asked for once more in the end; a series gives something else then."""
    return probe if probe.series else replace(probe, order=(*range(len(probe.runs)), 0))


def repeated(probes: Sequence[Probe], count: int, rng: np.random.Generator) -> Iterator[Probe]:
    """The smallest of these probes whose outputs depend on what is drawn, asked ``count`` times in irregular order; a
    designed one where there is one.

    Regular turns would hide a device that always gives the answer to the input before.
    """
    for probe in sorted(probes, key=lambda probe: (bool(probe.called), _size(probe))):
        if _size(probe) < _LEAST or probe.series:
            continue
        runs = tuple(_other(probe.runs[0], rng) for _ in range(_INPUTS))
        turned = replace(probe, runs=runs, accumulators=None)
        if _apart(turned):
            order = tuple(map(int, rng.integers(0, _INPUTS, max(count, 2 * _INPUTS))))
            name = f"{probe.name}, {_INPUTS} inputs {len(order)} times in irregular order"
            yield replace(turned, name=name, order=(*range(_INPUTS), *order[_INPUTS:]))
            return


def _size(probe: Probe) -> int:
    graph = probe.subgraph
    return sum(graph.tensors[i].size for i in (*graph.inputs, *graph.outputs))


def _other(inputs: Arrays, rng: np.random.Generator) -> Arrays:
    return tuple(_drawn(values, rng) for values in inputs)


def _drawn(values: Array, rng: np.random.Generator) -> Array:
    """Any codes of small integers; the same values elsewhere where what is allowed is not known."""
    if values.dtype.kind in "iu" and values.dtype.itemsize <= 2:
        limits = np.iinfo(values.dtype)
        return rng.integers(limits.min, limits.max, values.shape, values.dtype, endpoint=True)
    return rng.permutation(values.reshape(-1)).reshape(values.shape)


def _apart(probe: Probe) -> bool:
    try:
        made = list(outputs(probe, Hypothesis(())))
    except RunError:
        return False
    return all(
        np.mean(one != other) > _APART
        for at, first in enumerate(made)
        for second in made[:at]
        for one, other in zip(first, second, strict=True)
    )
