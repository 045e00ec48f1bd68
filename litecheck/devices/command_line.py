"""Command line as a device, before it runs: its words, its files and its version."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

#: Placeholders of the command: files of a single run, or a folder with all runs of a case.
MODEL, INPUTS, OUTPUTS, RUNS = "{model}", "{inputs}", "{outputs}", "{runs}"
_EXAMPLE = '"run_on_board {model} {runs}"'
#: Time limit of ``--version`` in seconds, and maximum length of the version in characters.
_PATIENCE, _LONGEST = 10.0, 100


def words(command: str) -> list[str]:
    """Return the words of the command line. Raises ValueError if the program cannot be started."""
    parts = split_command(command)
    if not parts:
        raise ValueError(f"a program is missing, as in command:{_EXAMPLE}")
    missing = [name for name in (INPUTS, OUTPUTS) if name not in command]
    if RUNS in command:
        if len(missing) < 2:
            raise ValueError(f"{RUNS} is instead of {INPUTS} and {OUTPUTS}")
    elif missing:
        raise ValueError(f"the command does not say where {' and '.join(missing)} go, nor {RUNS}")
    if shutil.which(parts[0]) is None:
        raise ValueError(f"there is no program {parts[0]!r}")
    return parts


def split_command(command: str, windows: bool = os.name == "nt") -> list[str]:
    """Split a command line into words. On Windows, backslashes separate folders, and only double quotes join words.

    Example: ``"C:\\My tools\\run.exe" {model}`` gives two words on Windows. Raises ValueError for an open quote.
    """
    if not windows:
        return shlex.split(command)
    lexer = shlex.shlex(command, posix=True, punctuation_chars=False)
    lexer.whitespace_split, lexer.escape, lexer.quotes, lexer.commenters = True, "", '"', ""
    return list(lexer)


def version(command: str) -> str:
    """Return the first line that the program prints for ``--version``, in visible characters; "" if there is none.

    The program is called only if the words before the first placeholder are the program, options and files. The text
    after ``sh -c`` would be executed, so it prevents the call.
    """
    parts = list(_words_before_placeholder(words(command)))
    if not all(part.startswith("-") or os.path.isfile(part) for part in parts[1:]) or "-c" in parts:
        return ""
    try:
        done = subprocess.run(
            [*parts, "--version"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_PATIENCE,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    lines = done.stdout.decode("utf-8", "replace").split("\n") if not done.returncode else []
    first = next((line.strip() for line in lines if line.strip()), "")
    return re.sub(r"[^ -~\u00a0-\uffff]", "", first)[:_LONGEST]


def files(parts: Sequence[str]) -> Iterator[Path]:
    """Yield the program of a command line, and every other file in it."""
    program = shutil.which(parts[0])
    yield from (Path(part) for part in (program or parts[0], *parts[1:]) if os.path.isfile(part))


def _words_before_placeholder(parts: Sequence[str]) -> Iterator[str]:
    """Yield the words before the first word with a placeholder."""
    for part in parts:
        if any(name in part for name in (MODEL, INPUTS, OUTPUTS, RUNS)):
            return
        yield part
