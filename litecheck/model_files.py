"""Model files named by the arguments of a command: files, folders and globs."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterable, Iterator

from litecheck.errors import ModelError, Problem
from litecheck.files import MODEL_SUFFIXES, STDIN, is_inside, is_url, reason
from litecheck.spelling import similar_file

#: A glob with a component ``**``: the pattern before it (None for the current folder) and the pattern after it.
_STARS = re.compile(
    r"(?:(.*?)[/\\])??\*\*(?:[/\\](.*))?" if os.name == "nt" else r"(?:(.*?)/)??\*\*(?:/(.*))?"
)


def find_models(arguments: Iterable[str]) -> tuple[str | ModelError, ...]:
    """Return the model files that files, folders and globs name: each once, in the order of the arguments.

    A folder is searched recursively for ``MODEL_SUFFIXES``, without hidden folders; a glob matches any file, and its
    ``**`` any number of folders. A search does not follow a link to a folder, and reports a link to a file outside the
    folder. An argument without a file, and a folder that cannot be read, is the ModelError that states the reason.
    """
    found: dict[str, str | ModelError] = {}
    for argument in arguments:
        for one in _named_by(argument):
            found.setdefault(one.file if isinstance(one, ModelError) else one, one)
    return tuple(found.values())


def named_files(argument: str) -> tuple[str, ...]:
    """Return the files and folders that an argument names: itself, or the matches of a glob."""
    is_glob = not os.path.lexists(argument) and any(mark in argument for mark in "*?[")
    return tuple(sorted(_matches(argument))) if is_glob else (argument,)


def _named_by(argument: str) -> Iterator[str | ModelError]:
    if argument == STDIN or is_url(argument) or os.path.lexists(argument):
        yield from _models_below(argument) if os.path.isdir(argument) else (argument,)
    elif any(mark in argument for mark in "*?["):
        matches = sorted(_matches(argument))
        stars = _STARS.fullmatch(argument)
        top = (stars[1] or os.curdir) if stars else ""
        for match in matches:
            if os.path.isdir(match):
                yield from _models_below(match)
            else:
                # Links in a folder may lead outside it, so a match of ** must stay inside. Without ** the pattern names the
                # files.
                yield _check_inside(match, top) if stars and not glob.has_magic(top) else match
        if not matches:
            yield _file_error(argument, "file-not-found", "no file matches")
    else:
        yield _missing_file_error(argument)


def _missing_file_error(argument: str) -> ModelError:
    try:
        os.lstat(argument)
    except PermissionError as error:
        return _file_error(argument, "unreadable-folder", f"the folder cannot be read: {reason(error)}")
    except (OSError, ValueError):
        pass
    return _file_error(argument, "file-not-found", f"no such file or folder{similar_file(argument)}")


def _matches(pattern: str) -> set[str]:
    """Return the paths that a glob matches.

    ``glob`` follows links to folders at ``**``: in a folder with two links to the folder itself it finds 2^40 paths.
    """
    found = _STARS.fullmatch(pattern)
    if found is None:
        return set(glob.glob(pattern))
    before, behind = found.groups()
    matches: set[str] = set()
    for top in [""] if before is None else glob.glob(f"{before}/"):
        for folder, names in _folders(top):
            if behind:
                below = _matches(os.path.join(glob.escape(folder), behind))
            else:
                below = {os.path.join(folder, name) for name in ("", *names)} - {""}
            matches |= below
    return matches


def _folders(top: str) -> Iterator[tuple[str, list[str]]]:
    """Yield a folder and each folder below it, with the names in it; hidden folders and links are left out."""
    for root, folders, files in os.walk(top or os.curdir):
        folders[:] = [name for name in folders if not name.startswith(".")]
        place = (
            os.path.join(top, os.path.relpath(root, top or os.curdir)) if root != (top or os.curdir) else top
        )
        yield place, [name for name in (*folders, *files) if not name.startswith(".")]


def _models_below(folder: str) -> Iterator[str | ModelError]:
    refused: list[OSError] = []
    found = False
    for root, folders, files in os.walk(folder, onerror=refused.append):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            if name.lower().endswith(MODEL_SUFFIXES):
                found = True
                yield _check_inside(os.path.join(root, name), folder)
    for error in refused:
        where = str(error.filename or folder)
        yield _file_error(where, "unreadable-folder", f"the folder cannot be read: {reason(error)}")
    if not found and not refused:
        if os.path.isfile(os.path.join(folder, "saved_model.pb")):
            yield folder
        else:
            suffixes = " ".join(MODEL_SUFFIXES)
            yield _file_error(folder, "no-model", f"no model in this folder (looked for {suffixes})")


def _check_inside(path: str, folder: str) -> str | ModelError:
    """Return the path, or the error for a link that leaves the folder."""
    if not os.path.islink(path) or is_inside(path, folder):
        return path
    message = f"the link leaves the folder {folder}; to read the file, name it in the command"
    return _file_error(path, "outside-folder", message)


def _file_error(argument: str, code: str, message: str) -> ModelError:
    return ModelError(argument, (Problem(code, "", None, message),))
