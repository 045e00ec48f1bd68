"""What went into a run and came out of it, and what its tensors look like: for people and for programs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from litecheck.reference.engine.interpreter import Run
from litecheck.reference.engine.recording import Recorder
from litecheck.reference.engine.statistics import Statistics
from litecheck.render.columns import table
from litecheck.render.escape import visible
from litecheck.report import counted

#: Raised when a key changes its meaning or goes away.
VERSION = 1
_HEADS = (">#", "operator", "type", ">stored", ">real", ">low rail", ">high rail", ">unused codes", "name")


@dataclass(frozen=True, slots=True)
class Told:
    """What was asked for: the model's file, the arithmetic, where inputs come from, where arrays go."""

    file: str
    arithmetic: str
    signature: str | None
    sources: Mapping[str, str]
    target: str | None


def described(told: Told, run: Run, recorder: Recorder, form: str, width: int | None = None) -> str:
    """A few lines of text and the table of statistics, or one JSON document."""
    return _json(told, run, recorder) if form == "json" else _text(told, run, recorder, width)


def _text(told: Told, run: Run, recorder: Recorder, width: int | None) -> str:
    where = f", signature '{visible(told.signature)}'" if told.signature else ""
    lines = [f"{visible(told.file)}: {counted(recorder.operators, 'operator')} by {told.arithmetic}{where}"]
    subgraph = recorder.entry.subgraph
    for name, index in recorder.entry.inputs:
        tensor, source = subgraph.tensors[index], visible(told.sources.get(name, ""))
        lines.append(f"  input   {tensor.dtype} {_shape(tensor.shape)} '{visible(name)}', {source}")
    for name, index in recorder.entry.outputs:
        lines.append(
            f"  output  {subgraph.tensors[index].dtype} {_shape(run.outputs[name].shape)} '{visible(name)}'"
        )
    if told.target is not None:
        lines.append(f"wrote {visible(told.target)}: {counted(len(recorder.named(run)), 'array')}")
    if recorder.stats:
        lines += ["", table(_HEADS, map(_row, recorder.statistics), width)]
    return "\n".join(lines) + "\n"


def _row(s: Statistics) -> tuple[str, ...]:
    stored = "" if s.low is None or s.dtype.startswith("float") else f"{s.low}..{s.high}"
    real = "" if s.real_low is None else f"{s.real_low:.4g}..{s.real_high:.4g}"
    low, high = (_percent(share) for share in s.saturation) if s.saturation else ("", "")
    unused = "" if s.unused is None else f"{s.unused:,} of {s.codes:,}"
    number = s.operator.rpartition("#")[2]
    name = visible(s.name) + (f" ({s.not_finite:,} not finite)" if s.not_finite else "")
    return (number, s.operator.partition(" ")[0], s.dtype, stored, real, low, high, unused, name)


def _percent(share: float) -> str:
    """Rounded, but never to nothing or to everything."""
    if not share:
        return "0 %"
    percent = 100 * share
    if percent < 0.01:
        return "< 0.01 %"
    return "> 99.9 %" if 99.9 < percent < 100 else f"{percent:.3g} %"


def _shape(shape: tuple[int, ...]) -> str:
    return "x".join(map(str, shape)) or "scalar"


def _json(told: Told, run: Run, recorder: Recorder) -> str:
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
        "written": None
        if told.target is None
        else {"file": visible(told.target), "arrays": _arrays(recorder.named(run))},
    }
    if told.target is not None:
        document["written"] = {"file": visible(told.target), "arrays": _arrays(recorder.named(run))}
    if recorder.stats:
        document["statistics"] = [_values(s) for s in recorder.statistics]
    return json.dumps(document, indent=2) + "\n"


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
