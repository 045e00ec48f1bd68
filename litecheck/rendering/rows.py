"""Result rows of validate, verify, diagnose and compare, for code hosting services and CI servers."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain

from litecheck.finding import Level

#: A label and its lines.
Detail = tuple[str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class RowRule:
    """Common properties of all rows with the same id: a requirement or an outcome. ``level`` is the highest of the
    rows."""

    id: str
    title: str
    text: str
    level: Level = "violation"
    see: str = ""
    properties: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RowPlace:
    """Location of a row: the file, a description, the path as (name, step, kind), and the byte offset in the file."""

    file: str
    text: str = ""
    steps: tuple[tuple[str, str, str], ...] = ()
    offset: int | None = None


@dataclass(frozen=True, slots=True)
class ResultRow:
    """A result. ``message`` is a sentence without the location, ``summary`` a phrase with the reason.

    ``details`` has all facts. ``fails`` is True if the row makes its subject fail, ``silent`` if the device gave no
    answer that could be compared. ``waiver`` has the author and the reason of an exception. ``title`` is the row's line
    in a list of failures, ``full`` its lines in a format with more room. Services track rows by ``identity``, which is
    unique; a row without identity is a remark.
    """

    id: str
    level: Level
    message: str
    where: RowPlace
    effect: str = ""
    summary: str = ""
    details: tuple[Detail, ...] = ()
    title: str = ""
    full: tuple[str, ...] = ()
    fails: bool = False
    silent: bool = False
    waiver: str = ""
    fingerprint: str = ""
    identity: str = ""


@dataclass(frozen=True, slots=True)
class JudgedCase:
    """A checked object, for example an operator, with its rows.

    ``reason`` is that of an incomplete check; ``required`` names the failure if the run requires a complete check.
    ``aside`` has lines about an object that conforms.
    """

    name: str
    rows: tuple[ResultRow, ...] = ()
    reason: str = ""
    required: str = ""
    aside: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Subject:
    """Subject of a verdict: a model, a model on a device, or a device. ``group`` is the common name of its cases.

    ``obstacles`` are reasons for a missing verdict, ``remarks`` are notes that are not results.
    """

    name: str
    group: str
    facts: tuple[tuple[str, str], ...]
    rows: tuple[ResultRow, ...] = ()
    cases: tuple[JudgedCase, ...] = ()
    obstacles: tuple[ResultRow, ...] = ()
    remarks: tuple[ResultRow, ...] = ()


@dataclass(frozen=True, slots=True)
class Annotation:
    """Rows of a kind as a note on a file, in visible characters."""

    level: Level
    file: str
    title: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Results:
    """The rows of a run of a command, and remarks on all of them.

    ``rules`` has a rule for each id among the rows, in the order in which they are listed. ``remarks`` concern the run.
    ``readable`` is True if every file could be read.
    """

    program: str
    version: str
    exit_code: int
    summary: str
    subjects: tuple[Subject, ...]
    rules: tuple[RowRule, ...]
    annotations: tuple[Annotation, ...]
    properties: Mapping[str, object]
    remarks: tuple[ResultRow, ...] = ()
    readable: bool = True

    @property
    def rows(self) -> Iterator[ResultRow]:
        """Yield the rows of every subject."""
        return chain.from_iterable(subject.rows for subject in self.subjects)


def lines_of(details: Iterable[Detail]) -> tuple[str, ...]:
    """Return details as lines, each after its label."""
    return tuple(f"{label}: {line}" for label, lines in details for line in lines)


def annotate_rows(rows: Iterable[ResultRow]) -> Iterator[Annotation]:
    """Yield an annotation for each row."""
    for row in rows:
        lines = (row.message, *lines_of(row.details))
        yield Annotation(row.level, row.where.file, row.title or row.message, lines)


def digest(*parts: str) -> str:
    """Return a fingerprint of texts: 32 hexadecimal digits."""
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:32]


def not_judged(command: str, where: RowPlace, text: str, title: str, *parts: str) -> ResultRow:
    """Return the row of a subject that was not judged; ``parts`` identify the subject."""
    return ResultRow(f"{command}/not-judged", "violation", text, where, title=title, identity=digest(*parts))
