"""Rule files that name other rule files: a file budget, and errors that do not quote a file of another kind."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from litecheck.errors import ProfileError
from litecheck.profile.yaml_reader import MappingNode, rule_text, yaml_entries

#: Limits of a profile or arithmetic: number of files, bytes, and depth of references between files.
FILES_MAX, BYTES_MAX, DEPTH_MAX = 32, 8 << 20, 8


class FileBudget:
    """Counts the files of a profile or arithmetic."""

    def __init__(self) -> None:
        self._files = self._bytes = 0

    def spend(self, path: Path, shown: str, depth: int) -> None:
        """Count a file that is about to be read, ``depth`` files deep (1 is the first). Raises ProfileError."""
        self._files += 1
        with suppress(OSError, ValueError):  # the reader states the reason
            self._bytes += os.stat(path).st_size
        if depth > DEPTH_MAX + 1:
            raise ProfileError(shown, None, f"rule files name each other more than {DEPTH_MAX} files deep")
        if self._files > FILES_MAX:
            raise ProfileError(shown, None, f"more than {FILES_MAX} rule files name each other")
        if self._bytes > BYTES_MAX:
            raise ProfileError(shown, None, f"rule files that name each other exceed {BYTES_MAX >> 20} MB")


def read_named(
    path: Path, shown: str, keys: Iterable[str], kind: str, quoting: bool = True, trusted: bool = False
) -> tuple[MappingNode, str]:
    """Return the top-level mapping of a rule file, and the name under the key ``kind`` (``profile``, ``arithmetic``).

    Without ``quoting``, for a file that another document names, an error about a file of another kind states only the
    line: a stranger's profile may extend a file of secrets. Raises ProfileError.
    """
    content = rule_text(path, shown)
    try:
        found = yaml_entries(content, shown, trusted)
        other = next((word for word in ("profile", "arithmetic") if word in found), kind)
        if kind not in found and other != kind:
            raise found.wrong(other, f"got {other} {found.text(other)!r}, expected {kind}")
        top = found.only(keys)
        name = top.text(kind)
        if not name:
            raise ProfileError(shown, top.line, f"the key {kind}, its name, is missing")
    except ProfileError as error:
        if quoting:
            raise
        message = f"the file is not a valid {kind}; to see the reason, use the file itself as the {kind}"
        raise ProfileError(shown, error.line, message) from None
    return top, name
