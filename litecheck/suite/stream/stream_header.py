"""Header of a stream, from which its vectors can be made again; errors with their location."""

from __future__ import annotations

import re
from dataclasses import dataclass, fields

from litecheck.errors import LitecheckError

#: Version of the format; it increases when the meaning of a line changes.
VERSION = 1
MARK, END = "#litecheck-stream", "#end"
#: Upper limit of the seed and of the number of vectors.
MOST = 1 << 40


class StreamError(LitecheckError):
    """Error: answers cannot be judged, with source, line and reason."""

    def __init__(self, source: str, line: int, message: str) -> None:
        self.source, self.line, self.message = source, line, message
        super().__init__(f"{source}, line {line}: {message}")


@dataclass(frozen=True, slots=True)
class Header:
    """Origin of a stream. ``variants`` are the arithmetic's variants of the operator, ``litecheck`` is the version."""

    name: str
    kind: str
    operator: str
    arithmetic: str
    variants: str
    level: str
    seed: int
    count: int
    litecheck: str

    def text(self) -> str:
        """Return the header as a line."""
        words = (f"{field.name}={getattr(self, field.name)}" for field in fields(self))
        return f"{MARK} {VERSION} {' '.join(words)}"


def parse_header(line: str, source: str, number: int) -> Header:
    """Parse a header line. Raise StreamError for a line that is not a header and for unsupported versions."""
    mark, _, rest = line.strip().partition(" ")
    if mark != MARK:
        raise StreamError(source, number, f"a stream's answers begin with the line {MARK} ..., as it came")
    version, *words = rest.split() or [""]
    if version != str(VERSION):
        raise StreamError(
            source, number, f"this is format {version or 'nothing'}; only {VERSION} can be read"
        )
    found = dict(word.partition("=")[::2] for word in words)
    wanted = [field.name for field in fields(Header)]
    missing = [name for name in wanted if name not in found]
    if missing:
        raise StreamError(source, number, f"the header does not say {missing[0]}")
    for name in ("seed", "count"):
        if not re.fullmatch("[0-9]{1,18}", found[name]) or int(found[name]) >= MOST:
            raise StreamError(
                source, number, f"the header's {name} is {found[name]!r}, which is not a number for it"
            )
    return Header(
        found["name"],
        found["kind"],
        found["operator"],
        found["arithmetic"],
        found["variants"],
        found["level"],
        int(found["seed"]),
        int(found["count"]),
        found["litecheck"],
    )
