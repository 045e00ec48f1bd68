"""Journal: a line per verdict, in a file that one process writes, so that an interrupted verification can resume."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from io import BytesIO
from pathlib import Path
from typing import IO, Any, Generic, TypeVar

from litecheck.documents import decode_json
from litecheck.errors import ConfigError
from litecheck.files import check_regular, is_full, make_folder, open_file, read_file, reason, unwritable
from litecheck.processes.locks import LockedError, lock

#: Keys of a journal's header that differ between builds of a device: version and files.
BUILD = ("described", "program")


#: Largest number of characters of a value that an error shows.
_SHOWN = 80
#: Options of the command line that headers have by another name.
_OPTIONS = {"seconds": "--timeout", "memory": "--memory"}
#: Largest number of bytes read from a journal.
_LIMIT = 1 << 29


class JournalHeldError(ConfigError):
    """Error: another process is writing the journal."""


class JournalPlaceError(ConfigError):
    """Error: the journal's file cannot be created or written."""


Entry = TypeVar("Entry")


class Journal(Generic[Entry]):
    """A file with a JSON object on each line: a header that identifies the run, then the result of each case.

    ``read`` decodes an object to the case's name and an entry. ``known`` has the entries that the file held when it
    was opened, by case. A truncated last line is dropped. If only the device's build differs from the header, no entry
    is used and ``stale`` is True. Only the user can read a ``private`` journal. Raises JournalPlaceError if the file
    cannot be written or is not a journal, and ConfigError if the file cannot be read or belongs to another run.
    """

    def __init__(
        self,
        path: Path,
        about: Mapping[str, Any],
        resume: bool,
        read: Callable[[Mapping[str, Any]], tuple[str, Entry]],
        private: bool = False,
    ) -> None:
        self.path = path
        self.known: dict[str, Entry] = {}
        self._decoded = read
        self.stale, self.noted = False, 0
        self._file: IO[bytes] | None = None
        header = json.dumps(about, sort_keys=True).encode() + b"\n"
        try:
            self._open_file(header, resume, private)
        except LockedError as error:
            raise JournalHeldError(f"{path}: another run of litecheck is writing this journal") from error
        except OSError as error:
            self.close()
            if is_full(error) and not private:
                raise unwritable(path, error) from error
            raise JournalPlaceError(f"{path}: cannot be written, {reason(error)}") from error
        except ConfigError:
            self.close()
            raise

    def _open_file(self, header: bytes, resume: bool, private: bool) -> None:
        if not resume and not _is_journal(self.path):
            raise JournalPlaceError(f"{self.path}: is not a journal; it is not written over")
        _make_folder(self.path.parent, private)
        self._file = hold(self.path, 0o600 if private else 0o666)
        end = self._read(header) if resume else 0
        if os.fstat(self._file.fileno()).st_size:
            self._file.truncate(end)
            self._file.seek(end)
        if not end:
            self._write(header)

    def _read(self, header: bytes) -> int:
        """Read the entries of an existing file; return the number of bytes in complete lines."""
        if not os.path.exists(self.path):
            return 0
        lines = BytesIO(read_file(self.path, _LIMIT))
        first = lines.readline()
        if not first.endswith(b"\n"):
            if header.startswith(first):  # the process was killed while it wrote the first line
                return 0
            raise JournalPlaceError(f"{self.path}: is not a journal; it is not written over")
        if first != header:
            self.stale = _but_for_build(first, header)
            if self.stale:
                return 0
            raise ConfigError(
                f"{self.path}: is the checkpoint file of another run{_changes(first, header)}. "
                "Give the former options, or run without --resume"
            )
        end = len(header)
        for line in lines:
            try:
                case, entry = self._decoded(decode_json(line, "line"))
                if not line.endswith(b"\n"):
                    break
                self.known[case] = entry
            except (ConfigError, ValueError, KeyError, TypeError):
                break
            end += len(line)
        return end

    def note(self, entry: Mapping[str, Any]) -> None:
        """Append a result, as plain dicts and lists; it is flushed, so that it survives a crash of this process."""
        self._write(json.dumps(entry).encode() + b"\n")
        self.noted += 1

    def _write(self, line: bytes) -> None:
        if self._file is None:
            return
        try:
            self._file.write(line)
            self._file.flush()
        except OSError as error:
            raise unwritable(self.path, error) from error

    @property
    def results(self) -> int:
        """Number of results in the journal."""
        return len(self.known) + self.noted

    def close(self, remove: bool = False) -> None:
        """Close the file; ``remove`` deletes it because nothing is left to resume."""
        if remove:
            with suppress(PermissionError):  # some systems cannot delete open files
                self.path.unlink(missing_ok=True)
                remove = False
        if self._file is not None:
            # Closing writes the rest of a failed write, and fails again.
            with suppress(OSError):
                self._file.close()
            self._file = None
        if remove:
            self.path.unlink(missing_ok=True)


def _make_folder(folder: Path, private: bool) -> None:
    try:
        make_folder(folder, 0o700 if private else 0o777)
    except ConfigError as error:
        raise JournalPlaceError(str(error)) from error


def _but_for_build(first: bytes, second: bytes) -> bool:
    """Return True if two headers differ only in the device's build (BUILD)."""
    try:
        one, other = (decode_json(line, "line") for line in (first, second))
        return all(one[key] == value for key, value in other.items() if key not in BUILD)
    except (ConfigError, KeyError, TypeError):
        return False


def _changes(first: bytes, second: bytes) -> str:
    """Return ``: --timeout was 30.0, is 60.0`` for the values of two headers that differ; "" if a header cannot be read.

    Of long values only the name is stated.
    """
    try:
        one, other = (decode_json(line, "line") for line in (first, second))
        names = [name for name in dict.fromkeys((*one, *other)) if one.get(name) != other.get(name)]
        told = [(name, *map(_value_text, (one.get(name), other.get(name)))) for name in names]
    except (ConfigError, AttributeError, TypeError):
        return ""
    parts = [
        f"{_OPTIONS.get(name, name)} was {before}, is {after}"
        if max(len(before), len(after)) <= _SHOWN
        else f"another {name}"
        for name, before, after in told
    ]
    return f": {'; '.join(parts)}" if parts else ""


def _value_text(value: Any) -> str:
    """Return a value of a header in words: ``ADD, MUL`` for a list, ``none`` for an empty one."""
    if isinstance(value, list) and all(isinstance(one, str) for one in value):
        return ", ".join(value) or "none"
    return json.dumps(value)


def _is_journal(path: Path) -> bool:
    """Return True if a file is missing, empty or begins like a journal. Raise OSError."""
    try:
        with open_file(path) as file:
            first = file.readline(1 << 20)
        return not first or "litecheck" in decode_json(first, "line")
    except (FileNotFoundError, NotADirectoryError):
        return True
    except (ConfigError, TypeError):
        return False


def default_path(about: Mapping[str, Any]) -> Path:
    """Return the path of an unnamed journal: in the user's cache folder, named by a hash of ``about``."""
    from platformdirs import user_cache_path

    key = hashlib.sha256(json.dumps(about, sort_keys=True).encode()).hexdigest()[:24]
    return user_cache_path("litecheck", appauthor=False) / "verify" / f"{key}.jsonl"


def hold(path: Path, rights: int = 0o666) -> IO[bytes]:
    """Open a file to read and write, created with ``rights`` if it is missing, and lock it until it is closed.

    Raise LockedError if another process, or another file object of this process, holds the lock; OSError.
    """
    while True:
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)
        descriptor = os.open(path, flags, rights)
        try:
            check_regular(descriptor)
        except OSError:
            os.close(descriptor)
            raise
        file = open(descriptor, "r+b")  # noqa: SIM115
        try:
            lock(file.fileno())
            # The previous holder can have removed the file after it was opened here; the new file is then opened.
            if _is_same_file(file.fileno(), path):
                return file
        except BaseException:
            file.close()
            raise
        file.close()


def _is_same_file(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(path))
    except FileNotFoundError:
        return False
