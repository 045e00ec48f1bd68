"""A case: hostile files in a folder of their own, one command line, and the files that the command may write."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Literal

from tests.fuzz.hostile.sandbox import Sandbox

#: Where stdout goes: a file, a device that is always full, a pipe without a reader, or nowhere at all.
Stdout = Literal["file", "full", "broken pipe", "closed"]


@dataclass(frozen=True, slots=True)
class Case:
    """One command on hostile input.

    ``writes`` are the files and folders, seen from the working folder, that the command is told to write. ``alone`` asks
    for a process of its own, which starts Python anew: a fork of the server has imported its modules already.
    """

    what: str
    argv: tuple[str, ...]
    writes: tuple[str, ...] = ()
    alone: bool = False
    stdin: bytes = b""
    stdout: Stdout = "file"
    closed_stderr: bool = False
    environment: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Fault:
    """A broken promise: which one (a name of checks.CHECKS), and the evidence."""

    check: str
    evidence: str


@dataclass(frozen=True, slots=True)
class Result:
    """The outcome of one case."""

    number: int
    kind: str
    case: Case
    faults: tuple[Fault, ...]
    code: int | None
    seconds: float
    peak: int
    where: Path | None = None


#: Writes the files of a case into a sandbox, and returns the command. ``stock`` is a folder of sound files.
Make = Callable[[Random, Sandbox, Path], Case]
