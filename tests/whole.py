"""Numbers and models as short text, equal on every machine, for golden files."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from litecheck.arrays import Array
from litecheck.model.types import Operator, Subgraph


def digits(value: Any, significant: int = 4, longest: int | None = None, places: int = 12) -> Any:
    """Return real numbers with few digits, because the last bits of sums differ between machines.

    Example: 0.12346 gives 0.1235. At most ``places`` digits follow the decimal point. Of lists longer than
    ``longest``, the first elements and the number of further elements are returned.
    """
    if isinstance(value, dict):
        return {key: digits(each, significant, longest, places) for key, each in value.items()}
    if isinstance(value, list | tuple):
        shown = value if longest is None else value[:longest]
        more = [f"{len(value) - len(shown)} more"] if len(shown) < len(value) else []
        return [*(digits(each, significant, longest, places) for each in shown), *more]
    return round(float(f"{value:.{significant}g}"), places) if isinstance(value, float) else value


def summed(array: Array) -> str:
    """Return type, shape and weighted sum of an array: ``int8 1x2 5``. The order of elements changes the sum."""
    flat = np.asarray(array, np.float64).reshape(-1)
    total = float((flat * (np.arange(flat.size) % 7 + 1)).sum())
    return f"{array.dtype} {'x'.join(map(str, array.shape))} {total:.5g}"


def summed_runs(runs: Iterable[Iterable[Array]]) -> str:
    """Return the number of runs and the weighted sum of their elements: ``3 runs 5``. The order of runs counts."""
    weights = [
        float((flat * (np.arange(flat.size) % 7 + 1)).sum())
        for run in runs
        for flat in [np.concatenate([np.asarray(a, np.float64).reshape(-1) for a in run] or [np.zeros(0)])]
    ]
    total = sum(weight * (number % 11 + 1) for number, weight in enumerate(weights))
    return f"{len(weights)} runs {total:.6g}"


def operator_text(operator: Operator) -> str:
    """Return e.g. ``ADD 2: (0, 1) -> (2,), {'fused_activation_function': 1}``."""
    fields = {} if operator.options is None else operator.options.fields
    stated = {name: v.tolist() if isinstance(v, np.ndarray) else v for name, v in fields.items()}
    return f"{operator.opcode} {operator.version}: {operator.inputs} -> {operator.outputs}, {stated}"


def subgraph_lines(subgraph: Subgraph) -> Iterator[str]:
    """Yield the operators of a subgraph, then its tensors: three scales and zero points, the bytes of a constant."""
    yield from map(operator_text, subgraph.operators)
    for tensor in subgraph.tensors:
        q = tensor.quantization
        scales = " ".join(f"{scale:.4g}" for scale in q.scale[:3])
        held = "" if tensor.data is None else f" constant {tensor.data.size}"
        yield f"{tensor.index} {tensor.dtype} {tensor.shape} ({scales}) {q.zero_point[:3].tolist()} {q.axis}{held}"
