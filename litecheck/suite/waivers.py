"""Waivers: cases that can fail until a date, each with a reason; read from claims or from a separate file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from litecheck.dates import iso_date
from litecheck.errors import ConfigError, ProfileError
from litecheck.profile.paths import path_matches
from litecheck.profile.rule_file import read_document
from litecheck.profile.yaml_reader import MappingNode, Node, SequenceNode, text, texts

_KEYS = ("cases", "reason", "expires")


@dataclass(frozen=True, slots=True)
class CaseWaiver:
    """A waiver for failing cases. ``cases`` are patterns of names, ``expires`` is its last valid day (ISO).

    The parts of a pattern are compared with shell wildcards; a pattern with fewer parts matches everything below:
    ``CONV_2D``, ``CONV_2D/int8``, ``*/int8/ties-*``. ``file`` and ``line`` are its location.
    """

    cases: tuple[str, ...]
    reason: str
    expires: str
    file: str
    line: int

    def covers(self, name: str) -> bool:
        """Return True if the waiver covers a case."""
        return any(path_matches(name, pattern) for pattern in self.cases)

    def is_expired(self, on: str) -> bool:
        """Return True if the waiver has expired on a day, an ISO date."""
        return on > self.expires

    def __str__(self) -> str:
        return f"{', '.join(self.cases)} ({self.file}:{self.line})"


@dataclass(frozen=True, slots=True)
class WaiverRecord:
    """The state of a waiver: ``used``, ``expired``, ``unneeded`` (none of its cases fails), or ``matches nothing``.

    ``cases`` is the number of cases that it excuses, or would excuse.
    """

    waiver: CaseWaiver
    state: str
    cases: int


def read_waivers(node: Node | None, file: str) -> tuple[CaseWaiver, ...]:
    """Read a list of waivers. Raise ProfileError, with the line, for a waiver without cases, reason or expiry date."""
    if node is None:
        return ()
    if not isinstance(node, SequenceNode):
        raise ProfileError(file, node.line, "waivers are a list, each with cases, reason and expires")
    return tuple(_waivers(node, file))


def _waivers(node: SequenceNode, file: str) -> Iterator[CaseWaiver]:
    for item in node:
        if not isinstance(item, MappingNode):
            raise ProfileError(file, item.line, "a waiver is a mapping with cases, reason and expires")
        item.only(_KEYS)
        cases, reason = texts(item.get("cases")), text(item.get("reason"))
        if not cases or not all(cases):
            raise ProfileError(file, item.line, "a waiver names the cases it is about: cases: CONV_2D/int8/*")
        if not reason:
            raise ProfileError(file, item.line, "a waiver needs a reason")
        yield CaseWaiver(cases, reason, _expiry(item, file), Path(file).name, item.line)


def _expiry(item: MappingNode, file: str) -> str:
    word = text(item.get("expires"))
    line = item.lines.get("expires", item.line)
    if not word:
        raise ProfileError(file, line, "a waiver needs the last day it holds: expires: 2027-03-31")
    try:
        return iso_date(word)
    except ConfigError as error:
        raise ProfileError(file, line, f"expires: {error}") from None


def load_waivers(path: str | Path) -> tuple[CaseWaiver, ...]:
    """Load the waivers of a file under its only key ``waivers``. Raise ProfileError."""
    top = read_document(Path(path), str(path), ("waivers",), "waivers")
    if "waivers" not in top:
        raise ProfileError(str(path), top.line, "the key waivers is missing")
    return read_waivers(top.get("waivers"), str(path))
