"""Outputs of matched operators of two models that run on the same random inputs."""

from __future__ import annotations

import numpy as np

from litecheck.differences.change import Change, OutputComparison
from litecheck.model.graph import name_of
from litecheck.model.matching import ModelMatch
from litecheck.reference.engine.entry_point import entry
from litecheck.reference.engine.interpreter import ReferenceInterpreter
from litecheck.reference.runtime_tensors import NUMPY_TYPES, Array, RunError


def output_changes(
    match: ModelMatch, seed: int, arithmetic: str
) -> tuple[OutputComparison, tuple[Change, ...]]:
    """Compare the outputs of matched operators of the first subgraphs in one inference.

    Return the numbers of operators, and each operator with different outputs once, with the largest difference. Both
    models get the same stored values. Raise RunError for a model that does not run, and for inputs of another type.
    """
    part = match.subgraphs[0]
    drawn = entry(match.first, None).random(seed)
    arrays = entry(match.first, None).arrange(drawn)
    by_home = dict(zip(part.first.inputs, arrays, strict=True))
    fed = tuple(by_home[part.tensors[i]] for i in part.second.inputs if i in part.tensors)
    types = [NUMPY_TYPES.get(part.second.tensors[i].dtype) for i in part.second.inputs]
    if [array.dtype for array in fed] != types:
        raise RunError("--run: both models need the same inputs, of the same types")
    sides = [
        ReferenceInterpreter(model, arithmetic).run(subgraph, given, keep_all=True)
        for model, subgraph, given in ((match.first, part.first, arrays), (match.second, part.second, fed))
    ]
    compared, changes = 0, []
    for one, other in part.operators:
        mine, theirs = part.first.operators[one], part.second.operators[other]
        pairs = [
            (sides[0].get(i), sides[1].get(j)) for i, j in zip(mine.outputs, theirs.outputs, strict=False)
        ]
        texts = [_difference(x, y) for x, y in pairs if x is not None and y is not None]
        compared += bool(texts)
        if text := next(filter(None, texts), ""):
            name = name_of(part.first, mine)
            changes.append(Change("output-values", part.first.index, one, other, mine.kind, name, text=text))
    return OutputComparison(seed, arithmetic, compared, len(changes)), tuple(changes)


def _difference(one: Array, other: Array) -> str:
    """Return the difference of two arrays in words, "" if they are equal."""
    if one.shape != other.shape or one.dtype != other.dtype:
        return f"{one.dtype}{list(one.shape)} -> {other.dtype}{list(other.shape)}"
    if one.tobytes() == other.tobytes():
        return ""
    with np.errstate(all="ignore"):
        off = np.abs(other.astype(np.float64) - one.astype(np.float64))
    unit = " LSB" if one.dtype.kind in "iu" else ""
    return f"{int(np.count_nonzero(off)):,} of {one.size:,} values, at most {np.nanmax(off, initial=0.0):.6g}{unit}"
