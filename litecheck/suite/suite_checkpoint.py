"""Unfinished suite: a hidden folder beside the suite's own, with a journal of complete operators."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from litecheck.files import make_folder, unwritable
from litecheck.suite.manifest import CaseEntry
from litecheck.suite.missing_case import MissingCase
from litecheck.typed_json import decode, encode
from litecheck.verification.journal import Journal

_JOURNAL = "made.jsonl"


@dataclass(frozen=True, slots=True)
class CompleteOperator:
    """Cases and gaps of an operator whose files are complete."""

    opcode: str
    cases: tuple[CaseEntry, ...]
    uncovered: tuple[MissingCase, ...]


class UnfinishedSuite:
    """A folder in which a suite is written, and the operators that are complete in it."""

    def __init__(self, folder: Path, about: Mapping[str, Any], resume: bool) -> None:
        self.folder = folder
        self._book: Journal[CompleteOperator] = Journal(folder / _JOURNAL, about, resume, _read)
        self.made = dict(self._book.known)

    def note(self, made: CompleteOperator) -> None:
        """Record an operator whose files are complete."""
        self._book.note(encode(made, CompleteOperator))
        self.made[made.opcode] = made

    def close(self, complete: bool) -> None:
        """Close the journal; remove the journal of a complete suite."""
        self._book.close(remove=complete)


@contextmanager
def open_unfinished_suite(target: Path, about: Mapping[str, Any], resume: bool) -> Iterator[UnfinishedSuite]:
    """Provide a folder that replaces ``target`` at the end of the block.

    After an exception the folder is removed. With ``resume`` it remains, and the next call continues with it, if
    ``about`` is the same. Raise ConfigError for a folder that cannot be written, or that belongs to a suite with other
    options.
    """
    make_folder(target.parent)
    scratch = target.with_name(f".{target.name}-{'unfinished' if resume else os.urandom(4).hex()}")
    make_folder(scratch)
    try:
        suite = UnfinishedSuite(scratch, about, resume)
        complete = False
        try:
            yield suite
            complete = True
        finally:
            suite.close(complete)
        if os.path.exists(target):
            target.rmdir()
        scratch.replace(target)
    except OSError as error:
        raise unwritable(target, error) from error
    finally:
        if not resume:
            shutil.rmtree(scratch, ignore_errors=True)


def _read(line: Mapping[str, Any]) -> tuple[str, CompleteOperator]:
    made: CompleteOperator = decode(line, CompleteOperator, "operator of a suite")
    return made.opcode, made
