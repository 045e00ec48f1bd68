"""Guard of stdout and stderr: all text that the process prints is escaped, whichever code prints it."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, TextIO, cast

from litecheck.rendering import escape

#: Variable that a shell sets to request completions.
COMPLETION = "_LITECHECK_COMPLETE"
#: Codes that rich writes: colors, and the movements of a progress bar.
_CODES = re.compile(r"(\x1b\[[\d;?]*[A-Za-z]|\r)")
#: End of a line that the next text may complete to a command of a build log.
_OPEN_COMMAND = re.compile(r"##?\w{0,30}$")


class GuardedStream:
    """A text stream that escapes text except line feeds, and prevents lines that look like workflow commands.

    ``expendable`` streams ignore failures to write (a full disk, a closed pipe).
    """

    def __init__(self, stream: TextIO, expendable: bool = False) -> None:
        self.stream = stream
        self.styled = cast("TextIO", _StyledStream(self))
        self._expendable = expendable
        self._line = ""

    def __getattr__(self, name: str) -> Any:
        return getattr(self.stream, name)

    def write(self, text: str) -> int:
        """Write text that may contain names."""
        self._put(self._escape_continuation(text))
        return len(text)

    def write_styled(self, text: str) -> int:
        """Write the output of a console: its codes unchanged, the text between them escaped."""
        parts = _CODES.split(text)
        self._put("".join(part if n % 2 else self._escape_continuation(part) for n, part in enumerate(parts)))
        return len(text)

    def write_machine_text(self, text: str, workflow: bool = False) -> None:
        """Write a machine format in UTF-8 with its own line ends; ``workflow`` keeps the commands of GitHub's format."""
        safe = escape.escape_text(text, lines=True, before=None if workflow else "")
        self.stream.flush()
        self.stream.buffer.write(safe.encode())

    def flush(self) -> None:
        """Flush the stream."""
        with self._tolerant():
            self.stream.flush()

    def _escape_continuation(self, text: str) -> str:
        text = escape.escape_text(text, lines=True, before=self._line)
        line = (self._line + text).rpartition("\n")[2].lstrip(" ")
        found = _OPEN_COMMAND.search(line)
        self._line = line if line in ("", ":") else f"-{found[0] if found else ''}"
        return text

    def _put(self, text: str) -> None:
        with self._tolerant():
            self.stream.write(text)

    @contextmanager
    def _tolerant(self) -> Iterator[None]:
        try:
            yield
        except OSError:
            if not self._expendable:
                raise
            abandon(self.stream)


class _StyledStream:
    """The file of a rich console on a guarded stream."""

    def __init__(self, guard: GuardedStream) -> None:
        self._guard = guard

    def __getattr__(self, name: str) -> Any:
        return getattr(self._guard, name)

    def write(self, text: str) -> int:
        """Write rendered text."""
        return self._guard.write_styled(text)


def abandon(stream: TextIO) -> None:
    """Discard later output, because Python flushes its streams again at exit."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def guard(stream: TextIO, expendable: bool = False) -> GuardedStream:
    """Return the guard of a stream, a new guard if it has none."""
    return stream if isinstance(stream, GuardedStream) else GuardedStream(stream, expendable)


@contextmanager
def guard_streams() -> Iterator[None]:
    """Guard stdout and stderr in a context. Within another guard, or for completions, leave them unchanged."""
    if COMPLETION in os.environ:  # shells need tabs, and completions are litecheck's own words
        yield
        return
    outer = sys.stdout, sys.stderr
    for stream in outer:
        # An encoding with few characters must not stop the report.
        getattr(stream, "reconfigure", lambda **_: None)(errors="backslashreplace")
    sys.stdout, sys.stderr = (cast("TextIO", guard(outer[n], expendable=n == 1)) for n in range(2))
    try:
        yield
    finally:
        sys.stdout, sys.stderr = outer


def open_closed_streams() -> None:
    """Open the null device for each standard stream that the caller has closed.

    Otherwise the next file that is opened takes the number of the closed stream, and messages are written into it.
    """
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
        if getattr(sys, name) is None:
            setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115
