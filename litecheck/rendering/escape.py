"""Escaping of names from untrusted files: visible, short, and harmless in every output."""

from __future__ import annotations

import dataclasses
import os
import re
from math import isfinite
from pathlib import PurePath
from typing import Any

from litecheck.finding import Where

#: Largest number of displayed characters of a name; machine formats have complete names.
NAME = 60
#: Largest number of displayed characters of a found or required value, which may contain names.
PHRASE = 300


#: Azure Pipelines looks for ``##vso[`` anywhere in a line, GitHub's runner for ``##[``, TeamCity for ``##teamcity[``.
_LOG_COMMAND = r"##\w{0,30}\["
#: Letters and marks that Unicode lists as Default_Ignorable: fonts draw nothing for them.
_BLANK = "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u180f\u3164\ufe00-\ufe0d\uffa0\U000e0100-\U000e01ef]"
_JSON_LOG_COMMAND = re.compile(r"##(?=\w{0,30}\[)")
_PRINTABLE_BUT_UNSAFE = re.compile(f"{_LOG_COMMAND}|{_BLANK}")
#: GitHub's runner removes white space before it looks for the two colons of a workflow command.
_WORKFLOW_COMMAND = re.compile("^( *:):", re.M)


def escape_text(text: str, *, lines: bool = False, before: str | None = None) -> str:
    """Return ``text`` with backslash escapes in place of unsafe characters. All output is escaped here.

    Unsafe are control, format, surrogate, private and unassigned characters, white space except the space, invisible
    characters, and the bracket of a command in a build log (``##vso[``). The result is printable: it moves no cursor,
    reverses no line and is valid in XML 1.0. Example: ``a\\x1b[31m`` for an ESC between ``a`` and ``[31m``.

    ``lines`` keeps line feeds, which are then the layout's own. ``before`` is the unfinished line that ``text``
    continues, already escaped: if it is given, no line of ``text`` begins like a workflow command of GitHub (``::``).
    """
    start = before or ""
    text = start + text
    if not (text.replace("\n", "") if lines else text).isprintable():
        text = "".join(c if c.isprintable() or (lines and c == "\n") else _escape_character(c) for c in text)
    text = _PRINTABLE_BUT_UNSAFE.sub(lambda found: found[0][:-1] + _escape_character(found[0][-1]), text)
    if before is not None:
        text = _WORKFLOW_COMMAND.sub(lambda found: found[1] + _escape_character(":"), text)
    return text[len(start) :]


def _escape_character(character: str) -> str:
    """Return the escape of a character, as Python writes it."""
    return f"\\x{ord(character):02x}" if character in ":[" else character.encode("unicode_escape").decode()


def visible(text: str) -> str:
    """Return a name, or a sentence with names in it, escaped and in a single line."""
    return escape_text(text)


def safe_json(text: str) -> str:
    """Return a JSON document with the same values and no command of a build log in it."""
    return _JSON_LOG_COMMAND.sub(r"#\\u0023", text)


def json_values(value: Any) -> Any:
    """Return plain values with null in place of numbers that JSON lacks, and with visible text."""
    if isinstance(value, dict):
        return {key: json_values(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [json_values(inner) for inner in value]
    if isinstance(value, float):
        return value if isfinite(value) else None
    return visible(value) if isinstance(value, str) else value


def json_document(values: object, allow_nan: bool = True) -> str:
    """Return plain values as a JSON document without a command of a build log."""
    import json

    return safe_json(json.dumps(values, indent=2, allow_nan=allow_nan)) + "\n"


def shorten(text: str, limit: int = NAME) -> str:
    """Return ``text`` made visible, its middle omitted if it is longer than ``limit``: names differ at their ends.

    For example, ``model/block_1/conv_2d/kernel`` and a limit of 16 give ``model/bl…/kernel``.
    """
    text = visible(text)
    if len(text) <= limit:
        return text
    head = limit // 2
    return f"{text[:head]}…{text[head + 1 - limit :]}"


def escape_control(where: Where, limit: int | None = None) -> Where:
    """Return the location with visible names, shortened to ``limit`` if given."""

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
    """Describe operator and tensor: ``CONV_2D #12 'block3/conv', weight 'block3/kernel'``."""
    tamed = escape_control(where, limit)
    return joint.join(part for part in (str(tamed), tamed.operand) if part)


def use_forward_slashes(file: str) -> str:
    """Return the path with forward slashes, as web services expect it."""
    return PurePath(file).as_posix() if file else file


def uri(file: str) -> str:
    """Return the file as a URI: relative and percent-encoded for a relative path, else ``file:///...``."""
    from urllib.parse import quote

    path = PurePath(file)
    return path.as_uri() if path.is_absolute() else quote(os.fsencode(use_forward_slashes(file)))
