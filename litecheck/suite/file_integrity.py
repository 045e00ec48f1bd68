"""Integrity of files: a suite against its manifest, further files against their SHA-256."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import prod
from pathlib import Path

import numpy as np

from litecheck.errors import ConfigError
from litecheck.files import file_digest, is_inside, read_file
from litecheck.suite.manifest import ArrayEntry, Suite

_NPY = b"\x93NUMPY\x01\x00"
#: Largest size of the header of a .npy file: its length has 16 bits.
_HEADER_LIMIT = 10 + (1 << 16)


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
            yield from _member(suite, FileDigest(entry.raw, entry.sha256))
            path = suite.folder / entry.file
            if entry.file == entry.raw:
                continue
            yield from _npy(path, entry) if is_inside(path, suite.folder) else (_outside(entry.file),)


def unlisted(folder: Path, within: str, cases: Iterable[str]) -> Iterator[Discrepancy]:
    """Yield the files below ``folder/within`` that lie in the folder of no case."""
    known = {f"{within}/{name}" for name in cases}
    for path in sorted((folder / within).rglob("*")):
        if not path.is_dir() and path.parent.relative_to(folder).as_posix() not in known:
            yield Discrepancy(str(path), "unknown")


def _member(suite: Suite, stated: FileDigest) -> Iterator[Discrepancy]:
    path = suite.folder / stated.file
    yield from differing(stated, path) if is_inside(path, suite.folder) else (_outside(stated.file),)


def _outside(file: str) -> Discrepancy:
    return Discrepancy(file, "unreadable", found="the link leaves the suite's folder")


def _npy(path: Path, entry: ArrayEntry) -> Iterator[Discrepancy]:
    """Check the values of a .npy file against their hash, and its header against dtype and shape."""
    try:
        content = read_file(path, prod(entry.shape) * np.dtype(entry.dtype).itemsize + _HEADER_LIMIT)
    except ConfigError:
        kind = "changed" if os.path.isfile(path) else "missing"
        yield Discrepancy(str(path), kind, "SHA-256", entry.sha256)
        return
    length = int.from_bytes(content[8:10], "little")
    values = hashlib.sha256(content[10 + length :]).hexdigest()
    if values != entry.sha256 or not _heads(content[: 10 + length], entry):
        yield Discrepancy(str(path), "changed", "SHA-256", entry.sha256, values)


def _heads(header: bytes, entry: ArrayEntry) -> bool:
    """Return True if a .npy header is that of numpy for the array, with any number of padding spaces."""
    descr = np.dtype(entry.dtype).newbyteorder("<").str
    wanted = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': {entry.shape}, }}".encode()
    start = len(_NPY) + 2
    stated, rest = header[start : start + len(wanted)], header[start + len(wanted) :]
    return header.startswith(_NPY) and stated == wanted and rest.strip(b" ") == b"\n" and rest[-1:] == b"\n"
