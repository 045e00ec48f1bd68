"""Case: hostile files in a separate folder, one command line, and the files that the command may write."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Literal

from tests.fuzz.hostile.sandbox import Sandbox

#: Target of stdout: a file, a device that is always full, a pipe without a reader, or a closed descriptor.
Stdout = Literal["file", "full", "broken pipe", "closed"]


@dataclass(frozen=True, slots=True)
class Case:
    """Command on hostile input.

    ``writes`` are the output files and folders of the command, relative to the working folder. ``alone`` starts a new
    Python process; a fork of the server has already imported its modules.
    """

    title: str
    argv: tuple[str, ...]
    writes: tuple[str, ...] = ()
    alone: bool = False
    stdin: bytes = b""
    stdout: Stdout = "file"
    closed_stderr: bool = False
    environment: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Fault:
    """Broken promise: the name of its check in checks.CHECKS, and the evidence."""

    check: str
    evidence: str


@dataclass(frozen=True, slots=True)
class Result:
    """Outcome of a single case."""

    number: int
    kind: str
    case: Case
    faults: tuple[Fault, ...]
    code: int | None
    seconds: float
    peak: int
    where: Path | None = None


#: Function that writes the files of a case into a sandbox and returns the command. ``stock`` is a folder of valid
#: files.
Make = Callable[[Random, Sandbox, Path], Case]
