"""Configuration files: the search and its bounds, the owner of a file, and reading within limits."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from litecheck.documents import decode_toml
from litecheck.errors import ConfigError
from litecheck.files import read_file
from litecheck.rendering.escape import visible

#: Names of configuration files. In one folder, the first file counts.
NAMES = OWN, PROJECT = ("litecheck.toml", "pyproject.toml")
#: Entries of a folder that make the folder a repository root.
ROOT_MARKS = (".git", ".hg")
#: Maximum bytes of a configuration file.
LIMIT = 1 << 20


def find_configuration(start: Path, warn: Callable[[str], None]) -> tuple[Path, Any] | None:
    """Return the nearest configuration file at or above ``start``, and its table.

    A pyproject.toml without ``[tool.litecheck]`` is not a configuration file. A file that is not trusted is skipped;
    ``warn`` gets a message. Raise ConfigError.
    """
    for folder in search_folders(start):
        for file in (folder / name for name in NAMES):
            if not is_regular(file, warn):
                continue
            if problem := distrust(file):
                if _may_configure(file):
                    told = f"{visible(str(file))}: configuration file skipped: {problem}"
                    warn(f"{told}. Use --config FILE to read it, or --isolated to omit the search.")
                continue
            table = read_table(file)
            if table is not None:
                return file, table
    return None


def read_named(file: Path) -> Any:
    """Return the table of a configuration file that the command line names. Raise ConfigError."""
    table = read_table(file)
    if table is None:
        raise ConfigError(f"{visible(str(file))}: no configuration: got no [tool.litecheck], expected one")
    return table


def search_folders(start: Path) -> Iterator[Path]:
    """Yield ``start`` and the folders above, up to the repository root, the home folder or the root of the file system."""
    folder = start.resolve()
    home = Path(os.path.realpath(os.path.expanduser("~")))
    for place in (folder, *folder.parents):
        yield place
        if place == home or any(os.path.lexists(place / mark) for mark in ROOT_MARKS):
            return


def is_regular(file: Path, warn: Callable[[str], None]) -> bool:
    """Return True for a regular file or a link to a regular file. A litecheck.toml of another kind gives a warning."""
    try:
        mode = os.stat(file).st_mode
    except (OSError, ValueError):
        return False
    if file.name == OWN and not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        warn(
            f"{visible(str(file))}: configuration file skipped: got a device or pipe, expected a regular file."
        )
    return stat.S_ISREG(mode)


def distrust(file: Path) -> str:
    """Return the reason not to trust a file that the search found, or ``""``.

    A file is trusted if it and its folder belong to the current user or to root, and if it is not a link that leaves its
    folder. A system without user numbers has no owners to compare.
    """
    folder = file.parent
    target = Path(os.path.realpath(file))
    if folder.resolve() not in target.parents:
        return "got a link that leaves its folder, expected a file"
    if not hasattr(os, "getuid"):
        return ""
    trusted = (os.getuid(), 0)
    for place, name in ((file, "file"), (folder, "folder")):
        owner = os.stat(place).st_uid
        if owner not in trusted:
            expected = " or ".join(dict.fromkeys(map(str, trusted)))
            return f"got a {name} of user {owner}, expected user {expected}"
    return ""


def _may_configure(file: Path) -> bool:
    """Return True if skipping the file is worth a warning: most pyproject.toml do not mention litecheck."""
    try:
        return file.name == OWN or b"litecheck" in read_file(file, LIMIT)
    except ConfigError:
        return False


def read_table(file: Path) -> Any:
    """Return the table with litecheck's options, or None if a pyproject.toml has none. Raise ConfigError."""
    content = read_file(file, LIMIT)
    if file.name != PROJECT:
        return decode_toml(content, visible(str(file)))
    # Most projects' files do not mention litecheck, so parsing them is skipped.
    if b"litecheck" not in content:
        return None
    tools = decode_toml(content, visible(str(file))).get("tool", {})
    return tools.get("litecheck") if isinstance(tools, Mapping) else None
