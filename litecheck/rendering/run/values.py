"""A run as plain values: what was asked for, inputs, outputs, and what its tensors look like."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from numpy.typing import NDArray

from litecheck.reference.engine.statistics import Statistics
from litecheck.rendering.escape import visible
from litecheck.rendering.records import RunRecord

#: Raised when a key changes its meaning or goes away.
VERSION = 1


def values(told: RunRecord) -> dict[str, Any]:
    """What was asked for, what went in and came out."""
    run, recorder = told.run, told.recorder
    subgraph = recorder.entry.subgraph
    inputs = [
        {"name": name, "tensor": i, "dtype": subgraph.tensors[i].dtype, "source": told.sources.get(name, "")}
        for name, i in recorder.entry.inputs
    ]
    outputs = [
        {"name": name, "tensor": i, "dtype": subgraph.tensors[i].dtype, "shape": run.outputs[name].shape}
        for name, i in recorder.entry.outputs
    ]
    document: dict[str, Any] = {
        "litecheck_run": VERSION,
        "file": visible(told.file),
        "arithmetic": told.arithmetic,
        "signature": told.signature,
        "subgraph": run.subgraph,
        "operators": recorder.operators,
        "inputs": inputs,
        "outputs": outputs,
        "written": None,
    }
    if told.target is not None:
        document["written"] = {"file": visible(told.target), "arrays": _arrays(recorder.named(run))}
    if recorder.stats:
        document["statistics"] = [_values(s) for s in recorder.statistics]
    return document


def _arrays(arrays: Mapping[str, NDArray[Any]]) -> dict[str, Any]:
    return {name: {"dtype": array.dtype.name, "shape": array.shape} for name, array in arrays.items()}


def _values(s: Statistics) -> dict[str, Any]:
    shares = s.saturation or (None, None)
    return {
        "tensor": s.index,
        "name": s.name,
        "operator": s.operator,
        "dtype": s.dtype,
        "shape": s.shape,
        "size": s.size,
        "not_finite": s.not_finite,
        "stored": [s.low, s.high],
        "real": [s.real_low, s.real_high],
        "saturated": {"low": s.at_low, "high": s.at_high, "low_share": shares[0], "high_share": shares[1]},
        "codes": {"used": s.used, "unused": s.unused, "of": s.codes},
    }
