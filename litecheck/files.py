"""Files on the way in and out: which ones a user means, and writing them whole or not at all."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePath

from litecheck.errors import ConfigError, ModelError, OutputError, Problem

#: What a folder is searched for. A file named outright may have any suffix.
MODEL_SUFFIXES = (".tflite", ".lite", ".tfl", ".task", ".litertlm")
#: Instead of a file: what a program pipes to this one.
STDIN = "-"
#: Error numbers of a device without room, and the reason in words.
_FULL = {
    getattr(errno, "EDQUOT", errno.ENOSPC): "the disk quota is used up",
    errno.EFBIG: "the limit for the size of a file is reached",
    errno.ENOSPC: "the disk is full",
}
#: What is no file, though it names one.
URLS = ("http://", "https://", "ftp://", "s3://", "gs://", "hf://")


def find_models(arguments: Iterable[str]) -> tuple[str | ModelError, ...]:
    """The model files that files, folders and globs name: each once, in the order of the arguments.

    A folder is searched recursively for ``MODEL_SUFFIXES`` (hidden folders are left out); a glob takes
    whatever it matches, ``**`` included. An argument that yields no file, and a folder that cannot be read, is the
    ModelError that says why: it costs none of the others.
    """
    found: dict[str, str | ModelError] = {}
    for argument in arguments:
        for one in _named_by(argument):
            found.setdefault(one.file if isinstance(one, ModelError) else one, one)
    return tuple(found.values())


def _named_by(argument: str) -> Iterator[str | ModelError]:
    if argument == STDIN or is_url(argument) or os.path.lexists(argument):
        yield from _models_below(argument) if os.path.isdir(argument) else (argument,)
    elif _is_glob(argument):
        from glob import glob

        matches = sorted(glob(argument, recursive=True))
        for match in matches:
            yield from _models_below(match) if os.path.isdir(match) else (match,)
        if not matches:
            yield _nothing(argument, "file-not-found", "no file matches")
    else:
        yield _nothing(argument, "file-not-found", "no such file or folder")


def _models_below(folder: str) -> Iterator[str | ModelError]:
    refused: list[OSError] = []
    found = False
    for root, folders, files in os.walk(folder, onerror=refused.append):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            if name.lower().endswith(MODEL_SUFFIXES):
                found = True
                yield os.path.join(root, name)
    for error in refused:
        where = str(error.filename or folder)
        yield _nothing(where, "unreadable-folder", f"the folder cannot be read: {reason(error)}")
    if not found and not refused:
        if os.path.isfile(os.path.join(folder, "saved_model.pb")):
            yield folder
        else:
            suffixes = " ".join(MODEL_SUFFIXES)
            yield _nothing(folder, "no-model", f"no model in this folder (looked for {suffixes})")


def _nothing(argument: str, code: str, message: str) -> ModelError:
    return ModelError(argument, (Problem(code, "", None, message),))


def is_url(argument: str) -> bool:
    """Whether the argument is an address and no file."""
    return argument.lower().startswith(URLS)


def from_here(file: str) -> str:
    """The path with forward slashes, as seen from the current folder where it lies below it: services know no other."""
    if not file or file == STDIN or is_url(file):
        return file
    path = os.path.normpath(file)
    if os.path.isabs(path):
        same_drive = os.path.splitdrive(path)[0] == os.path.splitdrive(os.getcwd())[0]
        below = os.path.relpath(path) if same_drive else path
        path = path if below.startswith("..") else below
    return PurePath(path).as_posix()


def _is_glob(argument: str) -> bool:
    return any(mark in argument for mark in "*?[")


def reason(error: OSError) -> str:
    """Why the system refused, in words; of a full disk its own words would speak of a device."""
    if _has_no_scratch(error):
        return "no folder for temporary files can be written; the disk may be full"
    return _FULL.get(error.errno or 0) or error.strerror or str(error)


def is_full(error: OSError) -> bool:
    """Return True if the system refused to write because there is no room left: the command itself may be right."""
    return error.errno in _FULL or _has_no_scratch(error)


def _has_no_scratch(error: OSError) -> bool:
    """Return True for the error of Python's tempfile where it can write a file nowhere."""
    return (error.strerror or "").startswith("No usable temporary directory")


def unwritable(path: str | Path, error: OSError) -> ConfigError:
    """Return the error of an output that the system refuses to write: OutputError for a full disk, else ConfigError."""
    return (OutputError if is_full(error) else ConfigError)(f"{path}: cannot be written, {reason(error)}")


def check_writable(path: str | Path) -> None:
    """Raise ConfigError if a file could not be written at ``path``: better now than after the work."""
    target = Path(path)
    if target.is_dir():
        raise ConfigError(f"{path}: cannot be written, it is a folder")
    if not target.parent.is_dir():
        check_folder(target.parent)
    elif not os.access(target if target.exists() else target.parent, os.W_OK):
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
    """Make a folder and those it lies in, where they are missing. Raises OutputError and ConfigError."""
    try:
        Path(path).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise unwritable(path, error) from error


def atomic_write(path: str | Path, data: bytes | str | Iterable[bytes | bytearray | memoryview]) -> None:
    """Write a file whole or not at all: a temporary one beside it, then a rename. Text becomes UTF-8.

    Folders that are missing above it are made.
    Content that need not be in memory at once may come in pieces.
    Links are followed, an existing file keeps its permissions, and what is no regular file (a device, a
    pipe) is written to directly. Raises OutputError where the disk is full, ConfigError where the system refuses.
    """
    # A name that is no UTF-8 has surrogates: written as JSON and YAML escape them.
    whole = data.encode("utf-8", "backslashreplace") if isinstance(data, str) else data
    pieces = (whole,) if isinstance(whole, bytes) else whole
    target = Path(os.path.realpath(path))
    try:
        mode = target.stat().st_mode if target.exists() else None
        if mode is not None and not stat.S_ISREG(mode):
            # Opened by the name given: resolving /dev/fd/3 would name a pipe that has no path.
            with open(path, "wb") as file:
                file.writelines(pieces)
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        _replace(target, pieces, mode)
    except OSError as error:
        raise unwritable(path, error) from error


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


def bytes_text(number: int) -> str:
    """A size as people say it: ``54.3 kB``, in powers of 1000."""
    size = float(number)
    for unit in ("bytes", "kB", "MB", "GB"):
        if size < 999.95 or unit == "GB":
            break
        size /= 1000
    return f"{size:.0f} {unit}" if unit == "bytes" else f"{size:.1f} {unit}"
