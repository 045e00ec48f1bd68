"""Results as they come, one line each, in a file one process writes, so that a verification that was killed goes on."""

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

#: What a journal is about, as far as it tells builds of one device apart: its version, its files.
BUILD = ("described", "program")


#: Bytes of a journal that are read, at most.
_LIMIT = 1 << 29


class JournalHeldError(ConfigError):
    """A journal that another process is writing."""


class JournalPlaceError(ConfigError):
    """A journal whose file cannot be made or written."""


Entry = TypeVar("Entry")


class Journal(Generic[Entry]):
    """A file of one JSON object a line: first what is run and how, then what came of each case.

    ``read`` makes a case's name and an entry of such an object. ``known`` holds what the file had when it was opened, by
    case. A last line that was cut short is dropped. Where the device is the same by name but another build of it,
    nothing is taken and ``stale`` says so. Raises JournalPlaceError where it cannot be written, ConfigError where it
    cannot be read, is about something else, or would take the place of a file that is no journal. Nobody else may read a
    ``private`` one.
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
            self._open(header, resume, private)
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

    def _open(self, header: bytes, resume: bool, private: bool) -> None:
        if not resume and not _is_journal(self.path):
            raise JournalPlaceError(f"{self.path}: is no journal; it is not written over")
        _make_folder(self.path.parent, private)
        self._file = hold(self.path, 0o600 if private else 0o666)
        end = self._read(header) if resume else 0
        if os.fstat(self._file.fileno()).st_size:
            self._file.truncate(end)
            self._file.seek(end)
        if not end:
            self._write(header)

    def _read(self, header: bytes) -> int:
        """What is there already; how many bytes of it are whole lines."""
        if not self.path.exists():
            return 0
        lines = BytesIO(read_file(self.path, _LIMIT))
        first = lines.readline()
        if not first.endswith(b"\n"):
            if header.startswith(first):  # a run that was killed while it wrote the first line
                return 0
            raise JournalPlaceError(f"{self.path}: is no journal; it is not written over")
        if first != header:
            self.stale = _but_for_build(first, header)
            if self.stale:
                return 0
            raise ConfigError(
                f"{self.path}: is the journal of another run: another model, device, input or option"
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
        """Keep one result, as plain dicts and lists; it survives whatever happens to this process."""
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
        """How many results it holds."""
        return len(self.known) + self.noted

    def close(self, remove: bool = False) -> None:
        """The end; ``remove`` where nothing is left to be resumed."""
        if remove:
            with suppress(PermissionError):  # some systems keep files that are open
                self.path.unlink(missing_ok=True)
                remove = False
        if self._file is not None:
            # What a failed write left over would fail again.
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
    """Whether two headers differ only in what tells builds of a device apart."""
    try:
        one, other = (decode_json(line, "line") for line in (first, second))
        return all(one[key] == value for key, value in other.items() if key not in BUILD)
    except (ConfigError, KeyError, TypeError):
        return False


def _is_journal(path: Path) -> bool:
    """Whether a file, if there is one, is empty or begins as a journal does. Raises OSError."""
    try:
        with open_file(path) as file:
            first = file.readline(1 << 20)
        return not first or "litecheck" in decode_json(first, "line")
    except (FileNotFoundError, NotADirectoryError):
        return True
    except (ConfigError, TypeError):
        return False


def default_path(about: Mapping[str, Any]) -> Path:
    """Where a journal nobody named lies: in the user's cache folder, by what it is about."""
    from platformdirs import user_cache_path

    key = hashlib.sha256(json.dumps(about, sort_keys=True).encode()).hexdigest()[:24]
    return user_cache_path("litecheck", appauthor=False) / "verify" / f"{key}.jsonl"


def hold(path: Path, rights: int = 0o666) -> IO[bytes]:
    """Open a file to read and write, made with some rights where it is missing, and hold it until it is closed.

    Raises LockedError where another process, or another file object of this one, holds it; OSError.
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
            # Whoever held it may have removed it since it was opened; then it is another file by now.
            if _same(file.fileno(), path):
                return file
        except BaseException:
            file.close()
            raise
        file.close()


def _same(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(path))
    except FileNotFoundError:
        return False
