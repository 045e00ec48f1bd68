"""A comparison as a document."""

from __future__ import annotations

from litecheck.rendering.document import Code, Document, FactRows, broken
from litecheck.rendering.records import ComparedTensors
from litecheck.rendering.wording.differences import labelled, verdict


def document(compared: ComparedTensors) -> Document:
    """The verdict, how far the tensors are apart, the first and the worst element, and causes."""
    from litecheck.version import __version__

    rows = tuple((label, broken(lines)) for label, lines in labelled(compared.comparison))
    (_, (tensor,)), *_ = labelled(compared.comparison)
    title = (Code(compared.actual), " against ", Code(compared.expected))
    word = verdict(compared.comparison)
    return Document(
        "compare", title, word, tensor, (), (FactRows(rows[1:]),) if rows[1:] else (), __version__
    )
