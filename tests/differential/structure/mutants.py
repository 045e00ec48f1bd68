"""All mutants of a model, and an even selection of them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import zip_longest

import numpy as np

from litecheck.model.types import Model
from tests.differential.structure.edit import Mutant
from tests.differential.structure.mutants_graph import changed_graph
from tests.differential.structure.mutants_operands import changed_operands
from tests.differential.structure.mutants_quantization import changed_quantization


def mutants(model: Model) -> Iterator[Mutant]:
    """Yield every mutant of a model, always in the same order."""
    yield from changed_operands(model)
    yield from changed_quantization(model)
    yield from changed_graph(model)


def chosen(kinds: Sequence[Sequence[str]], cases: int, seed: int) -> list[tuple[int, int]]:
    """Return ``cases`` pairs (model, index of its mutant), evenly from every kind of every model; all for 0.

    ``kinds`` lists the kind of each model's mutants; mutants of the kind "" are left out.
    """
    rng = np.random.default_rng(seed)
    cells: dict[tuple[int, str], list[tuple[int, int]]] = defaultdict(list)
    for number, found in enumerate(kinds):
        for at, kind in enumerate(found):
            if kind:
                cells[number, kind].append((number, at))
    shuffled = [[cell[i] for i in rng.permutation(len(cell))] for cell in cells.values()]
    shuffled = [shuffled[i] for i in rng.permutation(len(shuffled))]
    turns = [pair for turn in zip_longest(*shuffled) for pair in turn if pair is not None]
    return sorted(turns[:cases] if cases else turns)
