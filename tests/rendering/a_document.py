"""A document in which every kind of part and span occurs."""

from __future__ import annotations

from litecheck.rendering.document import (
    Bold,
    Code,
    Document,
    FactRows,
    Fold,
    Heading,
    ItemList,
    LineBreak,
    Link,
    Paragraph,
    Sign,
    TableGrid,
)

SPANS = (
    "plain *text* ",
    Code("a`b"),
    Bold("bold_"),
    Sign("fails"),
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
    Fold(
        "closed <b>",
        (" rest ", Sign("exact"), Link("https://e.org"), LineBreak(), Code("k")),
        (Paragraph(("in",)),),
    ),
    Fold("open", (), (Paragraph(("out",)),), True, "there"),
)
DOCUMENT = Document(
    "verify", (Code("m.tflite"), " on ", Bold("npu")), "fails", "2 of 3 <fail>", (("device", "npu_1"),), PARTS, "1.0"
)  # fmt: skip
