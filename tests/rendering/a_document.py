"""A document with every kind of part and span."""

from __future__ import annotations

from litecheck.rendering.document import (
    Bold,
    Code,
    Collapsible,
    Document,
    FactRows,
    Heading,
    ItemList,
    LineBreak,
    Link,
    Paragraph,
    StatusIcon,
    TableGrid,
)

SPANS = (
    "plain *text* ",
    Code("a`b"),
    Bold("bold_"),
    StatusIcon("fails"),
    Link("https://example.org/a", "page"),
    LineBreak(),
    Link("#part", "a|part"),
    Link("javascript:x"),
)
PARTS = (
    Heading(("First ", Code("x"))),
    Heading(("Second",), 2),
    Paragraph(SPANS),
    ItemList((("one",), (Bold("two"),)), 1_200),
    ItemList((("all",),)),
    FactRows((("label_", ("fact", Code("c"))),)),
    TableGrid(("name", ">count"), (((Code("a|b"),), ("1|2", LineBreak(), "3")),)),
    Collapsible(
        "closed <b>",
        (" rest ", StatusIcon("exact"), Link("https://e.org"), LineBreak(), Code("k")),
        (Paragraph(("in",)),),
    ),
    Collapsible("open", (), (Paragraph(("out",)),), True, "there"),
)
DOCUMENT = Document(
    "verify", (Code("m.tflite"), " on ", Bold("npu")), "fails", "2 of 3 <fail>", (("device", "npu_1"),), PARTS, "1.0"
)  # fmt: skip
