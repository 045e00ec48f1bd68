"""Files on the way in and out: which ones a user means, and writing them whole or not at all."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path

from litecheck.errors import ConfigError

#: What a folder is searched for. A file named outright may have any suffix.
MODEL_SUFFIXES = (".tflite", ".lite", ".tfl", ".task", ".litertlm")


def find_models(arguments: Iterable[str]) -> tuple[str, ...]:
    """The model files that files, folders and globs name: each once, in the order of the arguments.

    A folder is searched recursively for ``MODEL_SUFFIXES`` (hidden folders are left out); a glob takes
    whatever it matches, ``**`` included. Raises ConfigError for an argument that yields no file.
    """
    found: dict[str, None] = {}
    for argument in arguments:
        files = tuple(_named_by(argument))
        if not files and os.path.isdir(argument):
            suffixes = " ".join(MODEL_SUFFIXES)
            raise ConfigError(f"{argument}: no model in this folder (looked for {suffixes})")
        if not files:
            what = "file matches" if _is_glob(argument) else "such file or folder"
            raise ConfigError(f"{argument}: no {what}")
        found.update(dict.fromkeys(files))
    return tuple(found)


def _named_by(argument: str) -> Iterator[str]:
    if os.path.isdir(argument):
        yield from _models_below(argument)
    elif os.path.exists(argument):
        yield argument
    elif _is_glob(argument):
        from glob import glob

        for match in sorted(glob(argument, recursive=True)):
            yield from _models_below(match) if os.path.isdir(match) else (match,)


def _models_below(folder: str) -> Iterator[str]:
    for root, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield from (
            os.path.join(root, name) for name in sorted(files) if name.lower().endswith(MODEL_SUFFIXES)
        )


def _is_glob(argument: str) -> bool:
    return any(mark in argument for mark in "*?[")


def reason(error: OSError) -> str:
    """Why the system refused, in words; of a full disk its own words would speak of a device."""
    if error.errno == errno.ENOSPC:
        return "the disk is full"
    if error.errno == getattr(errno, "EDQUOT", None):
        return "the disk quota is used up"
    return error.strerror or str(error)


def check_writable(path: str | Path) -> None:
    """Raise ConfigError if a file could not be written at ``path``: better now than after the work."""
    target = Path(path)
    if target.is_dir():
        raise ConfigError(f"{path}: cannot be written, it is a folder")
    if not target.parent.is_dir():
        raise ConfigError(f"{path}: cannot be written, there is no folder {target.parent}")
    if not os.access(target if target.exists() else target.parent, os.W_OK):
        raise ConfigError(f"{path}: cannot be written, permission denied")


def check_folder(path: str | Path) -> None:
    """Raise ConfigError if no files could be written into the folder ``path``, which need not be there yet."""
    there = os.path.abspath(path)
    while not os.path.lexists(there):
        there = os.path.dirname(there)
    if not os.path.isdir(there):
        raise ConfigError(f"{path}: cannot be written, {there} is no folder")
    if not os.access(there, os.W_OK):
        raise ConfigError(f"{path}: cannot be written, permission denied")


def make_folder(path: str | Path) -> None:
    """Make a folder and those it lies in, where they are missing. Raises ConfigError where the system refuses."""
    try:
        Path(path).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigError(f"{path}: cannot be written, {reason(error)}") from error


def atomic_write(path: str | Path, data: bytes | str | Iterable[bytes | bytearray | memoryview]) -> None:
    """Write a file whole or not at all: a temporary one beside it, then a rename. Text becomes UTF-8.

    Content that need not be in memory at once may come in pieces.
    Links are followed, an existing file keeps its permissions, and what is no regular file (a device, a
    pipe) is written to directly. Raises ConfigError where the system refuses.
    """
    whole = data.encode() if isinstance(data, str) else data
    pieces = (whole,) if isinstance(whole, bytes) else whole
    target = Path(os.path.realpath(path))
    try:
        mode = target.stat().st_mode if target.exists() else None
        if mode is not None and not stat.S_ISREG(mode):
            # Opened by the name given: resolving /dev/fd/3 would name a pipe that has no path.
            with open(path, "wb") as file:
                file.writelines(pieces)
            return
        _replace(target, pieces, mode)
    except OSError as error:
        raise ConfigError(f"{path}: cannot be written, {reason(error)}") from error


def _replace(target: Path, pieces: Iterable[bytes | bytearray | memoryview], mode: int | None) -> None:
    temporary = target.with_name(f".litecheck-{os.urandom(8).hex()}")
    try:
        with open(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666), "wb") as file:
            file.writelines(pieces)
        if mode is not None:
            os.chmod(temporary, stat.S_IMODE(mode))
        os.replace(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
