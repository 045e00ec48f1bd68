"""Inputs for operators on elements at which ways to compute them differ: ties of the model's own multipliers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.arrays import Arrays
from litecheck.cases.drawn import tried
from litecheck.cases.inputs import DIRECTED, Feed, only
from litecheck.cases.parts import Case
from litecheck.cases.side_by_side import outputs_of
from litecheck.reference.engine.arithmetic import Arithmetic
from litecheck.reference.engine.dispatch import cells_of
from litecheck.reference.engine.interpreter import Machine
from litecheck.reference.operands import RunError

#: Tensors larger than this hold enough values as it is; so many values are looked at, in so many candidates.
_LARGEST, _POOL, _CANDIDATES = 1 << 14, 1 << 16, 128


def discriminating(
    case: Case, tensors: Mapping[int, NDArray[Any]], seed: int, arithmetic: Arithmetic
) -> Iterator[Feed]:
    """One feed, each element of which tells a variant of the operator's kernel from the arithmetic's, as far as such
    values were found; rare variants first. Nothing where the operator does not work on single elements."""
    size = int(np.prod(case.subgraph.tensors[case.cut.outputs[0]].shape))
    if not only(case).elementwise or not 0 < size <= _LARGEST:
        return
    pool = [feed.arrays for feed in tried(case, tensors, seed, min(_CANDIDATES, -(-_POOL // size)))]
    expected = _outputs(case, arithmetic, pool)
    if expected is None:
        return
    differs = []
    for other in _others(case, arithmetic):
        made = _outputs(case, other, pool)
        if made is not None and made.shape == expected.shape and (made != expected).any():
            differs.append(made != expected)
    if differs:
        yield Feed(DIRECTED, _chosen(pool, differs))


def _others(case: Case, arithmetic: Arithmetic) -> Iterator[Arithmetic]:
    """The arithmetic with one step of the operator changed, for every variant there is."""
    model = case.cut.model
    opcode = case.operators[0].opcode
    variants = arithmetic.variants(opcode)
    try:
        cells = cells_of(model.subgraphs[0], model.subgraphs[0].operators[0])
    except RunError:
        return
    for cell in cells:
        for variant in cell.others(variants):
            yield replace(arithmetic, stages={**arithmetic.stages, opcode: {**variants, cell.path: variant}})


def _outputs(case: Case, arithmetic: Arithmetic, pool: list[Arrays]) -> NDArray[Any] | None:
    """The operator's first output for every candidate, (candidates, elements)."""
    machine = Machine(case.cut.model, arithmetic)
    try:
        return np.stack([outputs[0].reshape(-1) for outputs in outputs_of(machine, case, pool)])
    except (RunError, ValueError):
        return None


def _chosen(pool: list[Arrays], differs: list[NDArray[np.bool_]]) -> Arrays:
    """A candidate for each element: variants take turns, those that differ least often come first."""
    elements = differs[0].shape[1]
    source = np.zeros(elements, np.int64)
    free = np.ones(elements, np.bool_)
    share = -(-elements // len(differs))
    for found in sorted(differs, key=np.count_nonzero):
        places = np.flatnonzero(found.any(0) & free)[:share]
        source[places] = found[:, places].argmax(0)
        free[places] = False
    at = np.arange(elements)
    return tuple(
        np.stack([arrays[n].reshape(-1) for arrays in pool])[source, at].reshape(first.shape)
        if first.size == elements
        else first
        for n, first in enumerate(pool[0])
    )
