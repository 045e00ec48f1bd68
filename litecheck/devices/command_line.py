"""Command line as a device, before it runs: its words, its files and its version."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from pathlib import Path

from litecheck.files import open_file
from litecheck.spelling import similar_file

#: Placeholders of the command: files of a single run, or a folder with all runs of a case.
MODEL, INPUTS, OUTPUTS, RUNS = "{model}", "{inputs}", "{outputs}", "{runs}"
_EXAMPLE = '"run_on_board {model} {runs}"'
#: Time limit of ``--version`` in seconds, and maximum length of the version in characters.
_PATIENCE, _LONGEST = 10.0, 100
#: Interpreters, and suffixes of their scripts.
_INTERPRETERS = re.compile(r"(python|pypy|perl|ruby|node|lua)[\d.]*|(ba|da|z|k)?sh")
_SCRIPTS = (".py", ".sh", ".pl", ".rb", ".js", ".lua")
#: Maximum length of the first line of a script, in bytes.
_LONGEST_LINE = 4096


class MissingFileError(ValueError):
    """Error for a file of a device that does not exist."""


def words(command: str) -> list[str]:
    """Return the words of the command line.

    Raises ValueError for a wrong command line, and MissingFileError if the program or its script does not exist.
    """
    parts = split_command(command)
    if not parts:
        raise ValueError(f"a program is missing, as in command:{_EXAMPLE}")
    missing = [name for name in (INPUTS, OUTPUTS) if name not in command]
    if RUNS in command:
        if len(missing) < 2:
            raise ValueError(f"{RUNS} is instead of {INPUTS} and {OUTPUTS}")
    elif missing:
        raise ValueError(f"the command does not say where {' and '.join(missing)} go, nor {RUNS}")
    program = shutil.which(parts[0])
    if program is None:
        raise MissingFileError(f"there is no program {parts[0]!r}")
    if interpreter := _missing_interpreter(program):
        raise MissingFileError(
            f"{parts[0]}: there is no interpreter {interpreter!r}, which its first line names"
        )
    script = _script(parts)
    if script and not os.path.isfile(script):
        raise MissingFileError(f"there is no file {script!r} for {parts[0]}{similar_file(script)}")
    return parts


def _missing_interpreter(program: str) -> str:
    """Return the interpreter in the first line of a program if it does not exist, else "".

    Example: ``/opt/python`` for ``#!/opt/python -u``. The interpreter of ``#!/usr/bin/env python3`` is ``python3``.
    """
    try:
        with open_file(program) as file:
            line = file.readline(_LONGEST_LINE)
    except OSError:
        return ""
    named = (
        line[2:].decode("utf-8", "replace").split() if line.startswith(b"#!") and os.name == "posix" else []
    )
    if named and os.path.basename(named[0]) == "env":
        named = [word for word in named[1:] if not word.startswith("-") and "=" not in word] or named
    return named[0] if named and shutil.which(named[0]) is None else ""


def _script(parts: Sequence[str]) -> str:
    """Return the script that an interpreter of the command line starts, or "" if there is none.

    Examples: ``device.py`` for ``python3 -u device.py {model} {runs}``, "" for ``python3 -m device {runs}``.
    """
    name = os.path.basename(parts[0]).lower().removesuffix(".exe")
    if not _INTERPRETERS.fullmatch(name):
        return ""
    for word in _words_before_placeholder(parts[1:]):
        if word.startswith("-"):
            if not word.startswith("--") and {*word} & {*"cme"}:
                return ""
        elif word.lower().endswith(_SCRIPTS):
            return word
    return ""


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
