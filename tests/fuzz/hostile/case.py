"""A case: hostile files in a folder of their own, one command line, and the files that the command may write."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Literal

from tests.fuzz.hostile.sandbox import Sandbox

#: Destination of stdout: a file, a device that is always full, a pipe without a reader, or a closed descriptor.
Stdout = Literal["file", "full", "broken pipe", "closed"]


@dataclass(frozen=True, slots=True)
class Case:
    """One command on hostile input.

    ``subject`` names the input. ``writes`` are the files and folders that the command is told to write, relative to the
    current folder. ``alone`` asks for a new Python process, because a fork of the server has imported its modules already.
    """

    subject: str
    argv: tuple[str, ...]
    writes: tuple[str, ...] = ()
    alone: bool = False
    stdin: bytes = b""
    stdout: Stdout = "file"
    closed_stderr: bool = False
    environment: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Fault:
    """A broken promise: the name of the check (a key of checks.CHECKS) and the evidence."""

    check: str
    evidence: str


@dataclass(frozen=True, slots=True)
class Ending:
    """The end of a run: exit code (None if the run had to be ended, with the reason), output, and processes left over.

    ``peak`` is the memory in bytes of the largest process that the run waited for.
    """

    code: int | None
    ended: str
    stdout: bytes
    stderr: bytes
    leftovers: tuple[str, ...]
    seconds: float
    peak: int


@dataclass(frozen=True, slots=True)
class Result:
    """The outcome of one case. ``kept`` is the folder with its files."""

    number: int
    kind: str
    case: Case
    faults: tuple[Fault, ...]
    ending: Ending
    kept: Path | None = None


#: Writes the files of a case into a sandbox and returns the command. The path is the folder of sound files (stock.py).
Make = Callable[[Random, Sandbox, Path], Case]
