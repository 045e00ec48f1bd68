"""A run as a document: inputs, outputs, and a table of what its tensors look like."""

from __future__ import annotations

from litecheck.rendering.document import Code, Document, Heading, Part, TableGrid
from litecheck.rendering.records import RunRecord
from litecheck.rendering.run.text import HEADS, row, shape
from litecheck.report import counted


def document(told: RunRecord) -> Document:
    """Nothing is judged, so there is no verdict."""
    from litecheck.version import __version__

    recorder = told.recorder
    tensors = recorder.entry.subgraph.tensors
    facts = [("signature", told.signature)] if told.signature else []
    for name, index in recorder.entry.inputs:
        tensor = tensors[index]
        source = told.sources.get(name, "")
        facts.append(("input", f"{tensor.dtype} {shape(tensor.shape)} '{name}', {source}"))
    for name, index in recorder.entry.outputs:
        facts.append(("output", f"{tensors[index].dtype} {shape(told.run.outputs[name].shape)} '{name}'"))
    if told.target is not None:
        facts.append(("wrote", f"{told.target}: {counted(len(recorder.named(told.run)), 'array')}"))
    parts: tuple[Part, ...] = ()
    if recorder.stats:
        rows = tuple(tuple((cell,) for cell in row(s)) for s in recorder.statistics)
        parts = (Heading(("Tensors",)), TableGrid(HEADS, rows))
    summary = f"{counted(recorder.operators, 'operator')} by {told.arithmetic}"
    return Document("run", (Code(told.file),), "", summary, tuple(facts), parts, __version__)
