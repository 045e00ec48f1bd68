"""What went into a run and came out of it, and what its tensors look like, for people at a terminal."""

from __future__ import annotations

from litecheck.reference.engine.statistics import Statistics
from litecheck.rendering.columns import table
from litecheck.rendering.escape import visible
from litecheck.rendering.records import RunRecord
from litecheck.report import counted

HEADS = (">#", "operator", "type", ">stored", ">real", ">low rail", ">high rail", ">unused codes", "name")


def text(told: RunRecord, width: int | None = None) -> str:
    """What went in and came out, and a table of statistics where they were asked for."""
    run, recorder = told.run, told.recorder
    where = f", signature '{visible(told.signature)}'" if told.signature else ""
    lines = [f"{visible(told.file)}: {counted(recorder.operators, 'operator')} by {told.arithmetic}{where}"]
    subgraph = recorder.entry.subgraph
    for name, index in recorder.entry.inputs:
        tensor, source = subgraph.tensors[index], visible(told.sources.get(name, ""))
        lines.append(f"  input   {tensor.dtype} {shape(tensor.shape)} '{visible(name)}', {source}")
    for name, index in recorder.entry.outputs:
        lines.append(
            f"  output  {subgraph.tensors[index].dtype} {shape(run.outputs[name].shape)} '{visible(name)}'"
        )
    if told.target is not None:
        lines.append(f"wrote {visible(told.target)}: {counted(len(recorder.named(run)), 'array')}")
    if recorder.stats:
        lines += ["", table(HEADS, map(row, recorder.statistics), width)]
    return "\n".join(lines) + "\n"


def row(s: Statistics) -> tuple[str, ...]:
    """A line of the table."""
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


def shape(shape: tuple[int, ...]) -> str:
    """``1x2x3``, or ``scalar``."""
    return "x".join(map(str, shape)) or "scalar"
