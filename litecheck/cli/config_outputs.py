"""Output files named in a configuration. They must be inside the folder of the configuration file."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from pathlib import Path, PurePosixPath, PureWindowsPath

from litecheck.configuration import Configuration
from litecheck.errors import ConfigError
from litecheck.rendering.escape import visible

#: Folders of version control. Their content is not reviewed.
CLOSED = (".git", ".hg")


def check_output(stated: str, file: str | Path, key: str) -> None:
    """Raise ConfigError if a path that a configuration file states as an output leaves the file's folder.

    Links are followed. An output that exists must be a regular file: a pipe or a device is not the folder's content.
    """
    folder = os.path.realpath(os.path.dirname(os.path.abspath(file)))
    if problem := next(_problems(stated, folder), None):
        got, expected = f"got '{visible(stated)}'", f"expected a file in '{visible(folder)}'"
        raise ConfigError(
            f"{visible(str(file))}: {key}: {problem}: {got}, {expected}. Give this output on the command line: --{key}."
        )


def check_outputs(configuration: Configuration) -> None:
    """Check the outputs that came from a configuration again, directly before they are written. Raise ConfigError."""
    stated = configuration.options.get("format", ())
    for item in (stated,) if isinstance(stated, str) else stated if isinstance(stated, tuple) else ():
        if file := item.partition(":")[2]:
            check_output(file, configuration.file, "format")


def _problems(stated: str, folder: str) -> Iterator[str]:
    # Paths of both kinds of systems are rejected on every system, because a configuration is shared.
    for path in (PurePosixPath(stated), PureWindowsPath(stated)):
        if path.drive or path.root:
            yield "output with an absolute path"
        if ".." in path.parts:
            yield "output outside the configuration's folder"
    target = Path(os.path.realpath(os.path.join(folder, stated)))
    if Path(folder) not in target.parents:
        yield "output behind a link that leaves the configuration's folder"
    inside = [target, *target.parents][: len(target.parts) - len(Path(folder).parts)]
    if any(_is_closed(place) for place in inside):
        yield "output in a folder of version control"
    if os.path.lexists(target) and not stat.S_ISREG(os.lstat(target).st_mode):
        yield "output is not a regular file"


def _is_closed(place: Path) -> bool:
    """Return True for a version control folder, also under the other names that some file systems give it."""
    marks = [place.parent / mark for mark in CLOSED]
    return place.name.casefold() in CLOSED or any(
        os.path.exists(m) and os.path.exists(place) and m.samefile(place) for m in marks
    )
