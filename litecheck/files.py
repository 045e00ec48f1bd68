"""Reading of regular files of bounded size, and atomic writing of files."""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Iterable
from functools import lru_cache
from pathlib import Path, PurePath, PurePosixPath, PureWindowsPath
from typing import BinaryIO

from litecheck.errors import ConfigError, OutputError
from litecheck.spelling import similar_file

#: Suffixes for which a folder is searched. A file that is named explicitly may have any suffix.
MODEL_SUFFIXES = (".tflite", ".lite", ".tfl", ".task", ".litertlm")
#: Name of standard input in place of a file.
STDIN = "-"
#: Error numbers of a device without free space, and the reason in words.
_FULL = {
    getattr(errno, "EDQUOT", errno.ENOSPC): "the disk quota is used up",
    errno.EFBIG: "the limit for the size of a file is reached",
    errno.ENOSPC: "the disk is full",
}
#: Maximum size of a document (JSON, TOML). A suite of 10,000 cases has a manifest of 45 MB.
DOCUMENT_LIMIT = 64 << 20
#: Bytes per read.
_CHUNK = 1 << 20
#: Pipes that the shell passes by name. Example: ``<(program)``.
_HANDED_OVER = re.compile(r"/dev/(stdin|fd/\d+)|/proc/self/fd/\d+")
#: Prefixes of URLs, which are not files.
URLS = ("http://", "https://", "ftp://", "s3://", "gs://", "hf://")


class NotRegularError(OSError):
    """A path that names a device, a pipe or a socket where a regular file is expected."""


def open_file(path: str | Path, piped: bool = False) -> BinaryIO:
    """Open a regular file for reading. ``piped`` also accepts a pipe that the shell names (``/dev/fd/63``).

    Every file that litecheck reads by name is opened here. A pipe without a writer is not waited for, and a device
    (``/dev/zero`` behind a link) is not read. Raise OSError, also for a name that no file can have.
    """
    return os.fdopen(_descriptor(path, piped and bool(_HANDED_OVER.fullmatch(str(path)))), "rb")


def _descriptor(path: str | Path, piped: bool) -> int:
    """Return the descriptor of a regular file, or of a pipe if ``piped``."""
    flags = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NOCTTY", 0)
    try:
        # Non-blocking, because open() of a named pipe would wait for a writer.
        handle = os.open(path, flags | (0 if piped else getattr(os, "O_NONBLOCK", 0)))
    except ValueError as error:
        raise OSError(errno.EINVAL, f"got a name that no file can have ({error}), expected a path") from error
    except PermissionError:
        if os.path.isdir(path):  # as Windows reports a folder
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR)) from None
        raise
    try:
        check_regular(handle, piped)
    except OSError:
        os.close(handle)
        raise
    return handle


def check_regular(descriptor: int, piped: bool = False) -> None:
    """Raise OSError if a descriptor is neither a regular file nor, with ``piped``, a pipe."""
    mode = os.fstat(descriptor).st_mode
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not stat.S_ISREG(mode) and not (piped and (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode))):
        raise NotRegularError(errno.EINVAL, "got a device, pipe or socket, expected a regular file")


def read_file(
    path: str | Path, limit: int = DOCUMENT_LIMIT, error: type[ConfigError] = ConfigError, piped: bool = False
) -> bytes:
    """Return the bytes of a regular file. Raise ``error`` for a file that cannot be read or exceeds ``limit`` bytes.

    The file is read to its end, not to the size that the system states.
    """
    content = bytearray()
    try:
        with open_file(path, piped) as file:
            while piece := file.read(min(_CHUNK, limit + 1 - len(content))):
                content += piece
    except OSError as fault:
        mark = ":" if isinstance(fault, NotRegularError) else ","
        raise error(f"{path}: cannot be read{mark} {reason(fault)}") from fault
    if len(content) > limit:
        raise error(f"{path}: the file is too large: got more than the limit of {bytes_text(limit)}")
    return bytes(content)


def file_digest(path: str | Path) -> str:
    """Return the SHA-256 of a regular file in hexadecimal, read piece by piece. Raise OSError."""
    import hashlib

    digest = hashlib.sha256()
    with open_file(path) as file:
        while piece := file.read(_CHUNK):
            digest.update(piece)
    return digest.hexdigest()


def member_path(folder: str | Path, name: str, error: type[ConfigError] = ConfigError) -> Path:
    """Return the path of a file inside a folder by its relative name. Raise ``error`` for a name that leaves the folder.

    Absolute names, drive letters, ``..`` and links to a place outside the folder leave it, on every system.
    """
    if not is_relative(name):
        shown = name if name.isprintable() else repr(name)
        raise error(
            f"{folder}: the file name leaves the folder: got {shown}, expected a path inside the folder"
        )
    path = Path(folder, name)
    if not is_inside(path, folder):
        raise error(f"{path}: the link leaves the folder {folder}: expected a file inside the folder")
    return path


@lru_cache(1 << 14)
def is_relative(name: str) -> bool:
    """Return True if a name is a path below a folder on every system. *Example:* ``C:x`` and ``a/../b`` are not."""
    flavors = (PurePosixPath(name), PureWindowsPath(name))
    return bool(name) and "\0" not in name and not any(p.anchor or ".." in p.parts for p in flavors)


def is_inside(path: str | Path, folder: str | Path) -> bool:
    """Return True if a path, links followed, is the folder or is below it."""
    try:
        return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))
    except (OSError, ValueError):
        return False


def files_in(folder: str | Path, error: type[ConfigError] = ConfigError) -> list[Path]:
    """Return the files and folders directly in a folder, sorted by name, without hidden entries.

    Raise ``error`` for a folder that cannot be listed and for a link that leaves the folder.
    """
    try:
        found = sorted(path for path in Path(folder).iterdir() if not path.name.startswith("."))
    except (OSError, ValueError) as fault:
        why = reason(fault) if isinstance(fault, OSError) else str(fault)
        raise error(f"{folder}: cannot be listed, {why}") from fault
    for path in found:
        if path.is_symlink():
            member_path(folder, path.name, error)
    return found


def is_url(argument: str) -> bool:
    """Return True if the argument is a URL."""
    return argument.lower().startswith(URLS)


def from_here(file: str) -> str:
    """Return the path with forward slashes, relative to the current folder if it is below it.

    External services only accept such paths. For example, ``/home/me/project/a.tflite`` in ``/home/me/project`` gives
    ``a.tflite``. URLs, ``-`` and empty paths are unchanged.
    """
    if not file or file == STDIN or is_url(file):
        return file
    path = os.path.normpath(file)
    if os.path.isabs(path):
        same_drive = os.path.splitdrive(path)[0] == os.path.splitdrive(os.getcwd())[0]
        below = os.path.relpath(path) if same_drive else path
        path = path if below.startswith("..") else below
    return PurePath(path).as_posix()


def reason(error: OSError) -> str:
    """Return the reason for an OSError in words. A full disk has its own text, without the word "device"."""
    if _has_no_scratch(error):
        return "no folder for temporary files can be written; the disk may be full"
    if isinstance(error, IsADirectoryError):
        return "it is a folder"
    text = _FULL.get(error.errno or 0) or error.strerror or str(error)
    return text + (similar_file(error.filename) if isinstance(error, FileNotFoundError) else "")


def is_full(error: OSError) -> bool:
    """Return True if the system refused to write because there is no free space: the command itself can be correct."""
    return error.errno in _FULL or _has_no_scratch(error)


def _has_no_scratch(error: OSError) -> bool:
    """Return True for the error of Python's tempfile if no folder is writable."""
    return (error.strerror or "").startswith("No usable temporary directory")


def unwritable(path: str | Path, error: OSError) -> ConfigError:
    """Return the error of an output that the system refuses to write: OutputError for a full disk, else ConfigError."""
    return (OutputError if is_full(error) else ConfigError)(f"{path}: cannot be written, {reason(error)}")


def check_writable(path: str | Path) -> None:
    """Raise ConfigError if a file could not be written at ``path``, before any work is done."""
    _check_name(path)
    target = Path(path)
    if os.path.isdir(target):
        raise ConfigError(f"{path}: cannot be written, it is a folder")
    if not os.path.isdir(target.parent):
        check_folder(target.parent)
    elif not os.access(target if os.path.exists(target) else target.parent, os.W_OK):
        raise ConfigError(f"{path}: cannot be written, permission denied")


def check_folder(path: str | Path) -> None:
    """Raise ConfigError if no files could be written into the folder ``path``, which need not exist yet."""
    _check_name(path)
    there = os.path.abspath(path)
    while not os.path.lexists(there):
        there = os.path.dirname(there)
    if not os.path.isdir(there):
        raise ConfigError(f"{path}: cannot be written, {there} is not a folder")
    if not os.access(there, os.W_OK):
        raise ConfigError(f"{path}: cannot be written, permission denied")


def _check_name(path: str | Path) -> None:
    if "\0" in str(path):
        raise ConfigError(f"{str(path)!r}: cannot be written, no file name holds a NUL")
    if str(path) == "-":
        raise ConfigError("-: this output is not written to stdout. Give a file name")


def make_folder(path: str | Path, rights: int = 0o777) -> None:
    """Make a folder and its missing parents. Raise OutputError and ConfigError."""
    _check_name(path)
    folder = Path(path)
    try:
        for missing in reversed([one for one in (folder, *folder.parents) if not os.path.exists(one)]):
            missing.mkdir(rights, exist_ok=True)
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise unwritable(path, error) from error


def atomic_write(path: str | Path, data: bytes | str | Iterable[bytes | bytearray | memoryview]) -> None:
    """Write a file atomically: a temporary file beside it is renamed. Text becomes UTF-8.

    Missing parent folders are made. Content may be an iterable of pieces, so that it need not fit in memory. Links are
    followed, and an existing file keeps its permissions. A path that is not a regular file (a device, a pipe) is
    written directly. Raise OutputError if the disk is full, ConfigError for every other OSError.
    """
    _check_name(path)
    # A name that is not UTF-8 contains surrogates. They are written escaped, as JSON and YAML escape them.
    whole = data.encode("utf-8", "backslashreplace") if isinstance(data, str) else data
    pieces = (whole,) if isinstance(whole, bytes) else whole
    target = Path(os.path.realpath(path))
    try:
        mode = target.stat().st_mode if os.path.exists(target) else None
        if mode is not None and not stat.S_ISREG(mode):
            # Open the given name: resolving /dev/fd/3 would give the name of a pipe that has no path.
            with open(path, "wb") as file:
                file.writelines(pieces)
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        _replace(target, pieces, mode)
    except OSError as error:
        raise unwritable(path, error) from error


def _replace(target: Path, pieces: Iterable[bytes | bytearray | memoryview], mode: int | None) -> None:
    temporary = target.with_name(f".litecheck-{os.urandom(8).hex()}")
    # No wider permissions than those of the replaced file, also during writing.
    rights = 0o666 if mode is None else 0o600
    try:
        with open(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, rights), "wb") as file:
            file.writelines(pieces)
        if mode is not None:
            os.chmod(temporary, stat.S_IMODE(mode))
        os.replace(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def bytes_text(number: int) -> str:
    """Return a size in powers of 1000. Example: 54,300 gives ``54.3 kB``."""
    size = float(number)
    for unit in ("bytes", "kB", "MB", "GB"):
        if size < 999.95 or unit == "GB":
            break
        size /= 1000
    return f"{size:.0f} {unit}" if unit == "bytes" else f"{size:,.1f} {unit}"
