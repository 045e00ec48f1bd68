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
    ``remade`` (a part of a suite that its settings do not give), ``version`` (another version made the suite),
    ``expired`` (a waiver, since the certificate) or ``later`` (a certificate with a date after the check). ``what`` names
    the number or part; ``stated`` and ``found`` are both values.
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
    for stated in listed_files(suite):
        yield from _member(suite, stated)


def listed_files(suite: Suite) -> Iterator[FileDigest]:
    """Yield the files of a manifest, in its order."""
    for case in suite.manifest.cases:
        yield FileDigest(case.model, case.sha256)
        for entry in (*case.inputs, *(output for answer in case.answers for output in answer.outputs)):
            yield FileDigest(entry.file, entry.sha256)


def unlisted_files(suite: Suite) -> Iterator[Discrepancy]:
    """Yield the files below ``cases`` that the manifest does not list: a device could read them."""
    listed = {stated.file for stated in listed_files(suite)}
    for path in _files_below(suite.folder / "cases"):
        if path.relative_to(suite.folder).as_posix() not in listed:
            yield Discrepancy(str(path), "unknown")


def unlisted_outputs(folder: Path, cases: Iterable[str], outputs: Iterable[str]) -> Iterator[Discrepancy]:
    """Yield the files below ``outputs`` in the folder of no case, and outputs that are not listed.

    An output can have a ``.npy`` and a ``.bin`` file with the same values, of which one is listed. Logs of a device
    beside its outputs are ignored.
    """
    known = {f"outputs/{name}" for name in cases}
    listed = {Path(name).with_suffix("").as_posix() for name in outputs}
    for path in _files_below(folder / "outputs"):
        place = path.relative_to(folder)
        output = path.name.startswith("output-") and path.suffix in (".npy", ".bin")
        unlisted = output and place.with_suffix("").as_posix() not in listed
        if place.parent.as_posix() not in known or unlisted:
            yield Discrepancy(str(path), "unknown")


def _files_below(folder: Path) -> list[Path]:
    return [path for path in sorted(folder.rglob("*")) if not os.path.isdir(path)]


def _member(suite: Suite, stated: FileDigest) -> Iterator[Discrepancy]:
    path = suite.folder / stated.file
    if is_inside(path, suite.folder):
        yield from differing(stated, path)
    else:
        yield Discrepancy(stated.file, "unreadable", found="the link leaves the suite's folder")
