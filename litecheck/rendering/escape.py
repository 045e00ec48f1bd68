"""Names come from untrusted files: made visible, short, and harmless wherever they are shown."""

from __future__ import annotations

import dataclasses
import os
from pathlib import PurePath

from litecheck.finding import Where

#: Characters of a name that people get to see; machines get all of them.
NAME = 60
#: The same for what was found and required, which may quote names.
PHRASE = 300


def visible(text: str) -> str:
    """Control, format, surrogate and unassigned characters as backslash escapes; the result is one line.

    What remains is printable, so it moves no cursor, reverses no line and is valid in XML 1.0.
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def shorten(text: str, limit: int = NAME) -> str:
    """``text`` made visible, its middle left out when longer than ``limit``: names differ at their ends."""
    text = visible(text)
    if len(text) <= limit:
        return text
    head = limit // 2
    return f"{text[:head]}…{text[head + 1 - limit :]}"


def tame(where: Where, limit: int | None = None) -> Where:
    """The same place with visible names, and short ones where a limit is given."""

    def name(text: str) -> str:
        return visible(text) if limit is None else shorten(text, limit)

    return dataclasses.replace(
        where,
        subgraph_name=name(where.subgraph_name),
        opcode=name(where.opcode),
        name=name(where.name),
        tensor_name=None if where.tensor_name is None else name(where.tensor_name),
    )


def place(where: Where, limit: int | None = None, joint: str = ", ") -> str:
    """Operator and operand in words: ``CONV_2D #12 'block3/conv', weight 'block3/kernel'``."""
    tamed = tame(where, limit)
    return joint.join(part for part in (str(tamed), tamed.operand) if part)


def slashed(file: str) -> str:
    """The path with forward slashes, as web services expect it."""
    return PurePath(file).as_posix() if file else file


def uri(file: str) -> str:
    """The file as a URI: relative and percent-encoded where the path is relative, else ``file:///...``."""
    from urllib.parse import quote

    path = PurePath(file)
    return path.as_uri() if path.is_absolute() else quote(os.fsencode(slashed(file)))
