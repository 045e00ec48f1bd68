"""Rule files that name other rule files: a file budget, and errors that do not quote a file of another kind."""

from __future__ import annotations

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from litecheck.errors import ProfileError
from litecheck.profile.yaml_reader import MappingNode, ScalarNode, rule_text, yaml_entries

#: Limits of a profile or arithmetic: number of files, bytes, and depth of references between files.
FILES_MAX, BYTES_MAX, DEPTH_MAX = 32, 8 << 20, 8
#: Kinds of documents by the key that only they have; claims also have the keys profile and arithmetic.
_KINDS = {
    "claims": "claims",
    "profile": "profile",
    "arithmetic": "arithmetic",
    "rules": "recipe",
    "waivers": "waivers",
}


class FileBudget:
    """Counts the files of a profile or arithmetic."""

    def __init__(self) -> None:
        self._files = self._bytes = 0

    def spend(self, path: Path, shown: str, depth: int) -> None:
        """Count a file that is about to be read, ``depth`` files deep (1 is the first). Raise ProfileError."""
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

    Without ``quoting``, an error about a file of another kind states only the line. This is for a file that another
    document names: an untrusted profile can name a confidential file. Raise ProfileError.
    """
    content = rule_text(path, shown)
    try:
        top = _entries_of(content, shown, keys, kind, trusted)
        name = top.text(kind)
        if not name:
            raise ProfileError(shown, top.line, f"the key {kind}, its name, is missing")
    except ProfileError as error:
        if quoting:
            raise
        message = f"the file is not a valid {kind}; to see the reason, use the file itself as the {kind}"
        raise ProfileError(shown, error.line, message) from None
    return top, name


def read_document(path: Path, shown: str, keys: Iterable[str], kind: str) -> MappingNode:
    """Return the top-level mapping of a file of a kind, for example ``claims`` or ``recipe``. Raise ProfileError."""
    return _entries_of(rule_text(path, shown), shown, keys, kind)


def _entries_of(
    content: str, shown: str, keys: Iterable[str], kind: str, trusted: bool = False
) -> MappingNode:
    """Return the mapping of a text with these keys. The error for a file of another kind names both kinds."""
    known = list(keys)
    article = "" if kind.endswith("s") else "an " if kind[0] in "aeiou" else "a "
    own = next(key for key, one in _KINDS.items() if one == kind)
    found = yaml_entries(content, shown, trusted, f"expected {article}{kind}: a mapping with the key {own}")
    for key in (key for key in _KINDS if key in found and key != own):
        node = found.get(key)
        name = f" {node.value!r}" if isinstance(node, ScalarNode) else ""
        if (own not in found or key == "claims") and (key not in known or (key == "profile" and name)):
            raise found.wrong(key, f"got {_KINDS[key]}{name}, expected {kind}")
    return found.only(known)
