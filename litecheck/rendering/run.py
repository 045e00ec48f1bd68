"""Report of a run: inputs, outputs and statistics of tensors, as document, plain values and text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from litecheck.reference.engine.interpreter import Run
from litecheck.reference.engine.run_statistics import Recorder, Statistics
from litecheck.rendering.columns import print_lines, table, width_of
from litecheck.rendering.document import Code, Document, Heading, Part, text_grid
from litecheck.rendering.escape import visible
from litecheck.summary_text import count_of
from litecheck.version import __version__

if TYPE_CHECKING:
    from rich.console import Console

#: Version of the format; it increases when a key changes its meaning or is removed.
VERSION = 1
_HEADS = (">#", "operator", "type", ">stored", ">real", ">at min", ">at max", ">unused levels", "name")


@dataclass(frozen=True, slots=True)
class RunRecord:
    """A run of the reference with its settings: file, arithmetic, sources of inputs, target of written arrays."""

    file: str
    arithmetic: str
    signature: str | None
    sources: Mapping[str, str]
    target: str | None
    run: Run
    recorder: Recorder


def document(told: RunRecord) -> Document:
    """Return the document, without a verdict because a run is not judged."""
    parts: tuple[Part, ...] = ()
    if told.recorder.stats:
        parts = (Heading(("Tensors",)), text_grid(_HEADS, map(_row, told.recorder.statistics)))
    signature = [("signature", told.signature)] if told.signature else []
    facts = (*signature, *_facts(told))
    return Document("run", (Code(told.file),), "", _summary(told), facts, parts, __version__)


def print_report(told: RunRecord, console: Console, verbose: bool = False) -> None:
    """Print inputs and outputs, and a table of statistics if they were recorded."""
    where = f", signature '{visible(told.signature)}'" if told.signature else ""
    lines = [f"{visible(told.file)}: {_summary(told)}{where}"]
    for label, fact in _facts(told):
        lines.append(f"wrote {fact}" if label == "wrote" else f"  {label:<7} {fact}")
    if told.recorder.stats:
        lines += ["", table(_HEADS, map(_row, told.recorder.statistics), width_of(console))]
    print_lines(lines, console)


def _summary(told: RunRecord) -> str:
    return f"{count_of(told.recorder.operators, 'operator')} by {told.arithmetic}"


def _facts(told: RunRecord) -> Iterator[tuple[str, str]]:
    """Yield the inputs with their sources, the outputs, and the written files."""
    entry = told.recorder.entry
    for name, index in entry.inputs:
        tensor, source = entry.subgraph.tensors[index], visible(told.sources.get(name, ""))
        yield "input", f"{tensor.dtype} {_shape(tensor.shape)} '{visible(name)}', {source}"
    for name, index in entry.outputs:
        shape = _shape(told.run.outputs[name].shape)
        yield "output", f"{entry.subgraph.tensors[index].dtype} {shape} '{visible(name)}'"
    if told.target is not None:
        yield (
            "wrote",
            f"{visible(told.target)}: {count_of(len(told.recorder.named_arrays(told.run)), 'array')}",
        )


def _row(s: Statistics) -> tuple[str, ...]:
    """Return a row of the table."""
    stored = "" if s.low is None or s.dtype.startswith("float") else f"{s.low}..{s.high}"
    real = "" if s.real_low is None else f"{s.real_low:.4g}..{s.real_high:.4g}"
    low, high = (_percent(share) for share in s.saturation) if s.saturation else ("", "")
    unused = "" if s.unused is None else f"{s.unused:,} of {s.codes:,}"
    opcode, number = s.operator.partition(" ")[0], s.operator.rpartition("#")[2]
    name = visible(s.name) + (f" ({s.not_finite:,} not finite)" if s.not_finite else "")
    return (number, opcode, s.dtype, stored, real, low, high, unused, name)


def _percent(share: float) -> str:
    """Return a rounded percentage, never 0 or 100 unless exact."""
    if not share:
        return "0 %"
    percent = 100 * share
    if percent < 0.01:
        return "< 0.01 %"
    return "> 99.9 %" if 99.9 < percent < 100 else f"{percent:.3g} %"


def _shape(shape: tuple[int, ...]) -> str:
    return "x".join(map(str, shape)) or "scalar"


def values(told: RunRecord) -> dict[str, Any]:
    """Return the settings, inputs, outputs and statistics as plain values."""
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
        named = recorder.named_arrays(run).items()
        arrays = {name: {"dtype": array.dtype.name, "shape": array.shape} for name, array in named}
        document["written"] = {"file": visible(told.target), "arrays": arrays}
    if recorder.stats:
        document["statistics"] = [_values(s) for s in recorder.statistics]
    return document


def _values(s: Statistics) -> dict[str, Any]:
    low, high = s.saturation or (None, None)
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
        "saturated": {"low": s.at_low, "high": s.at_high, "low_share": low, "high_share": high},
        "codes": {"used": s.used, "unused": s.unused, "of": s.codes},
    }
