"""Integrity of files: a suite against its manifest, further files against their SHA-256."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from litecheck.files import file_digest, is_inside
from litecheck.suite.manifest import Suite


@dataclass(frozen=True, slots=True)
class Discrepancy:
    """A difference between a statement and a file.

    ``kind`` is ``changed``, ``missing``, ``unknown`` (an unlisted file), ``unreadable``, ``number``, ``signature``,
    ``remade`` (a part of a suite that its settings do not give), ``version`` (another version made the suite) or
    ``expired`` (a waiver, since the certificate). ``what`` names the number or part; ``stated`` and ``found`` are both
    values.
    """

    file: str
    kind: str
    what: str = ""
    stated: str = ""
    found: str = ""


@dataclass(frozen=True, slots=True)
class FileDigest:
    """A file and the SHA-256 of its bytes."""

    file: str
    sha256: str


def digest_of(path: Path) -> str:
    """Return the SHA-256 of a regular file; empty if the file cannot be read."""
    try:
        return file_digest(path)
    except OSError:
        return ""


def differing(stated: FileDigest, path: Path, shown: str = "") -> Iterator[Discrepancy]:
    """Yield a discrepancy if a file's hash differs; ``shown`` is the displayed name."""
    found = digest_of(path)
    if found != stated.sha256:
        kind = "changed" if found else "missing"
        yield Discrepancy(shown or str(path), kind, "SHA-256", stated.sha256, found)


def suite_discrepancies(suite: Suite) -> Iterator[Discrepancy]:
    """Yield every file of a suite that differs from its manifest, in the manifest's order."""
    for case in suite.manifest.cases:
        yield from _member(suite, FileDigest(case.model, case.sha256))
        arrays = (*case.inputs, *(output for answer in case.answers for output in answer.outputs))
        for entry in arrays:
            yield from _member(suite, FileDigest(entry.file, entry.sha256))


def unlisted_files(folder: Path, within: str, cases: Iterable[str]) -> Iterator[Discrepancy]:
    """Yield the files below ``folder/within`` that are in the folder of no case."""
    known = {f"{within}/{name}" for name in cases}
    for path in sorted((folder / within).rglob("*")):
        if not os.path.isdir(path) and path.parent.relative_to(folder).as_posix() not in known:
            yield Discrepancy(str(path), "unknown")


def _member(suite: Suite, stated: FileDigest) -> Iterator[Discrepancy]:
    path = suite.folder / stated.file
    if is_inside(path, suite.folder):
        yield from differing(stated, path)
    else:
        yield Discrepancy(stated.file, "unreadable", found="the link leaves the suite's folder")
