"""Options from ``litecheck.toml`` or pyproject.toml's ``[tool.litecheck]``; the command line's win."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from importlib import import_module
from pathlib import Path
from typing import Any

from litecheck.errors import ConfigError


@dataclass(frozen=True, slots=True)
class Options:
    """What ``validate`` may be told in either place. ``None`` and ``()`` mean: not said."""

    profile: tuple[str, ...] = ()
    format: tuple[str, ...] = ()
    baseline: str | None = None
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    level: tuple[str, ...] = ()
    fail_on: str | None = None
    require_coverage: bool | None = None
    fail_on_fallback: bool | None = None
    max_partitions: int | None = None
    compile: bool | None = None
    per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()

    def over(self, other: Options) -> Options:
        """These options, and the other's where nothing is said here. Lists replace each other whole."""
        mine = {f.name: getattr(self, f.name) for f in fields(self)}
        return replace(other, **{key: said for key, said in mine.items() if said not in (None, ())})


def configured(start: Path | None = None) -> Options:
    """The options of the nearest configuration file at or above ``start`` (default: the current folder).

    In one folder ``litecheck.toml`` comes before ``pyproject.toml``; a pyproject.toml without
    ``[tool.litecheck]`` does not count. Raises ConfigError.
    """
    folder = (start or Path.cwd()).resolve()
    for place in (folder, *folder.parents):
        own, project = place / "litecheck.toml", place / "pyproject.toml"
        if own.is_file():
            return parse(_toml(own), own)
        # Most projects' files do not mention litecheck: spare them the parser.
        if project.is_file() and b"litecheck" in _bytes(project):
            table = _toml(project).get("tool", {}).get("litecheck")
            if table is not None:
                return parse(table, project)
    return Options()


def _bytes(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise ConfigError(f"{file}: cannot be read, {error.strerror or error}") from error


def _toml(file: Path) -> dict[str, Any]:
    toml = import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")
    try:
        content: dict[str, Any] = toml.loads(_bytes(file).decode())
    except ValueError as error:
        raise ConfigError(f"{file}: not TOML, {error}") from error
    return content


def parse(table: Any, file: Path) -> Options:
    """The table's options, paths taken relative to the file. Raises ConfigError for unknown keys."""
    if not isinstance(table, Mapping):
        raise ConfigError(f"{file}: [tool.litecheck] is no table")
    for key in table:
        if key not in _READERS:
            from litecheck.spelling import did_you_mean

            raise ConfigError(f"{file}: unknown key {key!r}{did_you_mean(key, _READERS)}")
    return Options(**{k.replace("-", "_"): _READERS[k](_Value(k, v, file)) for k, v in table.items()})


@dataclass(frozen=True, slots=True)
class _Value:
    key: str
    content: Any
    file: Path

    def wrong(self, wanted: str) -> ConfigError:
        return ConfigError(f"{self.file}: {self.key} must be {wanted}")

    def beside(self, path: str) -> str:
        """A path in the file, as seen from the current folder."""
        return path if os.path.isabs(path) else os.path.relpath(self.file.parent / path)

    def around(self, pattern: str) -> str:
        """A glob in the file, from the root; what is a mark in the name of the file's own folder is none there."""
        from glob import escape

        return os.path.normpath(os.path.join(escape(os.path.abspath(self.file.parent)), pattern))


def _text(value: _Value) -> str:
    if not isinstance(value.content, str):
        raise value.wrong("text")
    return value.content


def _texts(value: _Value) -> tuple[str, ...]:
    items = [value.content] if isinstance(value.content, str) else value.content
    if not isinstance(items, list) or not all(isinstance(item, str) for item in items):
        raise value.wrong("text or a list of texts")
    return tuple(items)


def _flag(value: _Value) -> bool:
    if not isinstance(value.content, bool):
        raise value.wrong("true or false")
    return value.content


def _count(value: _Value) -> int:
    if not isinstance(value.content, int) or isinstance(value.content, bool) or value.content < 0:
        raise value.wrong("a number, 0 or more")
    return value.content


def _profiles(value: _Value) -> tuple[str, ...]:
    return tuple(value.beside(p) if is_profile_file(p) else p for p in _texts(value))


def _formats(value: _Value) -> tuple[str, ...]:
    pairs = (item.partition(":") for item in _texts(value))
    return tuple(f"{name}:{value.beside(file)}" if file else name + colon for name, colon, file in pairs)


def _levels(value: _Value) -> tuple[str, ...]:
    """A table of paths and levels, or a list of PATH=LEVEL as on the command line."""
    if not isinstance(value.content, Mapping):
        return _texts(value)
    if not all(isinstance(level, str) for level in value.content.values()):
        raise value.wrong("a table of requirement paths and levels")
    return tuple(f"{path}={level}" for path, level in value.content.items())


def _per_file(value: _Value) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """A table of globs, those with a slash relative to the file, and what is ignored in the models they name."""
    if not isinstance(value.content, Mapping):
        raise value.wrong("a table of globs and requirement paths")
    pairs = ((glob, _texts(_Value(value.key, paths, value.file))) for glob, paths in value.content.items())
    return tuple((value.around(glob) if "/" in glob else glob, paths) for glob, paths in pairs)


def is_profile_file(profile: str) -> bool:
    """Whether a profile is given as a file rather than by its name."""
    return profile.endswith((".yaml", ".yml")) or "/" in profile or "\\" in profile


_READERS: dict[str, Callable[[_Value], Any]] = {
    "profile": _profiles,
    "format": _formats,
    "baseline": lambda value: value.beside(_text(value)),
    "select": _texts,
    "ignore": _texts,
    "level": _levels,
    "fail-on": _text,
    "require-coverage": _flag,
    "fail-on-fallback": _flag,
    "max-partitions": _count,
    "compile": _flag,
    "per-file-ignores": _per_file,
}
