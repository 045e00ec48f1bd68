"""Judgment of written reports: the content that each format allows."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from xml.etree import ElementTree

from tests.fuzz.hostile.printed import characters, raw

#: Markup of a hostile name that a page or a table must not hold. The words are those of words.PIECES.
_MARKUP = re.compile(r"<script>pwned|<img src=x onerror|<pwned")
_LINK = re.compile(r"(?<!\\)\]\(javascript:")
#: Text that Markdown shows as it is.
_CODE = re.compile(r"(?<!`)(`+)(?!`).+?(?<!`)\1(?!`)", re.DOTALL)
#: Cells that a spreadsheet computes.
_FORMULA = re.compile(r"^[=@+\t\r]|^-[^0-9.]")


def report_faults(path: str, content: bytes) -> Iterator[str]:
    """Yield the faults of a written file by the suffix of its name; a file of another kind has none."""
    check = _CHECKS.get(Path(path).suffix)
    if check is not None:
        yield from check(content)


def json_faults(content: bytes) -> Iterator[str]:
    """Yield the faults of a JSON document, or of lines of JSON. JSON allows all characters but those below U+0020."""
    try:
        json.loads(content)
    except (ValueError, RecursionError) as whole:
        try:
            for line in content.splitlines():
                json.loads(line)
        except (ValueError, RecursionError):
            yield f"not JSON: {whole}"


def _text(content: bytes) -> Iterator[str]:
    yield from raw(content)


def _markdown(content: bytes) -> Iterator[str]:
    yield from raw(content)
    bare = _CODE.sub("", content.decode("utf-8", "replace"))
    if found := _MARKUP.search(bare) or _LINK.search(bare):
        yield f"markup of a name: {found.group()!r}"


def _page(content: bytes) -> Iterator[str]:
    yield from characters(content)
    if found := _MARKUP.search(content.decode("utf-8", "replace")):
        yield f"markup of a name: {found.group()!r}"


def _xml(content: bytes) -> Iterator[str]:
    yield from characters(content)
    try:
        ElementTree.fromstring(content)
    except ElementTree.ParseError as error:
        yield f"not XML: {error}"


def _csv(content: bytes) -> Iterator[str]:
    yield from raw(content)
    for row in csv.reader(io.StringIO(content.decode("utf-8", "replace"))):
        for cell in row:
            if _FORMULA.match(cell) and len(cell) > 1:
                yield f"a cell that a spreadsheet computes: {cell[:80]!r}"


def _python(content: bytes) -> Iterator[str]:
    try:
        compile(content, "written.py", "exec")
    except (SyntaxError, ValueError) as error:
        yield f"not Python: {error}"


_CHECKS: dict[str, Callable[[bytes], Iterator[str]]] = {
    ".txt": _text, ".md": _markdown, ".csv": _csv, ".html": _page, ".json": json_faults, ".jsonl": json_faults,
    ".sarif": json_faults, ".xml": _xml, ".py": _python, ".yaml": _text,
}  # fmt: skip
