"""Options from ``litecheck.toml`` or from ``[tool.litecheck]`` of pyproject.toml. The command line has priority."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from litecheck.cli import config_file, config_outputs
from litecheck.cli.console import log
from litecheck.configuration import Configuration, Setting
from litecheck.errors import ConfigError
from litecheck.files import from_here
from litecheck.rendering.escape import shorten, visible

#: Largest count that an option accepts.
MOST = 999_999_999
#: Maximum number of texts of one option, and of characters of one text.
MOST_TEXTS, LONGEST = 10_000, 4_096


@dataclass(frozen=True, slots=True)
class Options:
    """Options of ``validate`` from the command line or a configuration file. ``None`` and ``()`` mean: not given."""

    profile: tuple[str, ...] = ()
    format: tuple[str, ...] = ()
    baseline: str | None = None
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    set_level: tuple[str, ...] = ()
    fail_on: str | None = None
    require_coverage: bool | None = None
    require_integer_io: bool | None = None
    allow_float: bool | None = None
    fail_on_fallback: bool | None = None
    max_partitions: int | None = None
    compile: bool | None = None
    per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()

    #: Configuration file of the options.
    configuration: Configuration | None = field(default=None, compare=False)

    def over(self, other: Options) -> Options:
        """Return these options, completed by ``other`` for options that are not given. Lists are replaced whole."""
        mine = {f.name: getattr(self, f.name) for f in fields(self)}
        said = {key: value for key, value in mine.items() if value not in (None, ())}
        if other.configuration and not self.configuration:
            left = {k: v for k, v in other.configuration.options.items() if _field(k) not in said}
            said["configuration"] = replace(other.configuration, options=left)
        return replace(other, **said)

    def origin(self, key: str) -> str:
        """Return `` from litecheck.toml`` if the option of this key came from a configuration file, else ``""``."""
        stated = self.configuration
        return f" from {from_here(stated.file)}" if stated and key in stated.options else ""


def load_options(start: Path | None = None, named: str | None = None, isolated: bool = False) -> Options:
    """Return the options of the configuration file ``named``, or else of the nearest configuration file.

    The search begins at ``start`` (default: the current folder) and goes up to the repository root or the home folder.
    In one folder ``litecheck.toml`` comes before ``pyproject.toml``; a pyproject.toml without ``[tool.litecheck]``
    does not count. With ``isolated``, no file is read. Raise ConfigError.
    """
    if named is not None and isolated:
        raise ConfigError("conflicting options: got --config and --isolated, expected one. Omit one of them.")
    if isolated:
        return Options()
    if named is not None:
        return parse(config_file.read_named(Path(named)), Path(named))
    found = config_file.find_configuration(start or Path.cwd(), lambda text: log(f"warning: {text}"))
    return parse(found[1], found[0]) if found else Options()


def _field(key: str) -> str:
    """Return the name of the field for a key of the file."""
    return key.replace("-", "_")


def parse(table: Any, file: Path) -> Options:
    """Return the options of a table, with paths relative to the file. Raise ConfigError for unknown keys."""
    if not isinstance(table, Mapping):
        raise ConfigError(f"{visible(str(file))}: [tool.litecheck] is not a table")
    for key in table:
        if key not in _READERS:
            from litecheck.spelling import suggestion

            nested = key == "tool" and file.name != config_file.PROJECT
            hint = "; write the keys without [tool.litecheck]" if nested else suggestion(key, _READERS)
            raise ConfigError(f"{visible(str(file))}: unknown key {shorten(repr(key))}{hint}")
    options = {_field(k): _READERS[k](_Value(k, v, file)) for k, v in table.items()}
    stated = {key: _freeze_value(content) for key, content in table.items()}
    return Options(**options, configuration=Configuration(os.path.abspath(file), stated))


def _freeze_value(content: Any) -> Setting:
    """Return a value of the file as immutable plain data."""
    if isinstance(content, Mapping):
        return {str(key): tuple(v) if isinstance(v, list) else v for key, v in content.items()}
    return tuple(content) if isinstance(content, list) else content


@dataclass(frozen=True, slots=True)
class _Value:
    key: str
    content: Any
    file: Path

    def wrong(self, wanted: str) -> ConfigError:
        return ConfigError(f"{visible(str(self.file))}: {self.key} must be {wanted}")

    def check_text(self, *texts: str) -> None:
        """Raise ConfigError for texts that are neither paths nor patterns: with a NUL character, too long or too many."""
        if len(texts) > MOST_TEXTS or any(len(text) > LONGEST for text in texts):
            raise self.wrong(f"at most {MOST_TEXTS:,} texts of at most {LONGEST:,} characters")
        if any("\0" in text for text in texts):
            raise self.wrong("text without NUL characters")

    def relative_path(self, path: str) -> str:
        """Return a path of the file relative to the current folder."""
        return path if os.path.isabs(path) else os.path.relpath(self.file.parent / path)

    def around(self, pattern: str) -> str:
        """Return a glob of the file from the root, with special characters in the name of the file's own folder escaped."""
        from glob import escape

        return os.path.normpath(os.path.join(escape(os.path.abspath(self.file.parent)), pattern))


def _text(value: _Value) -> str:
    if not isinstance(value.content, str):
        raise value.wrong("text")
    value.check_text(value.content)
    return value.content


def _texts(value: _Value) -> tuple[str, ...]:
    items = [value.content] if isinstance(value.content, str) else value.content
    if not isinstance(items, list) or not all(isinstance(item, str) for item in items):
        raise value.wrong("text or a list of texts")
    value.check_text(*items)
    return tuple(items)


def _flag(value: _Value) -> bool:
    if not isinstance(value.content, bool):
        raise value.wrong("true or false")
    return value.content


def _count(value: _Value) -> int:
    if (
        not isinstance(value.content, int)
        or isinstance(value.content, bool)
        or not 0 <= value.content <= MOST
    ):
        raise value.wrong(f"a number from 0 to {MOST:,}")
    return value.content


def _profiles(value: _Value) -> tuple[str, ...]:
    return tuple(value.relative_path(p) if is_profile_file(p) else p for p in _texts(value))


def _formats(value: _Value) -> tuple[str, ...]:
    pairs = [item.partition(":") for item in _texts(value)]
    for _, _, file in pairs:
        if file:
            config_outputs.check_output(file, value.file, value.key)
    return tuple(
        f"{name}:{value.relative_path(file)}" if file else name + colon for name, colon, file in pairs
    )


def _levels(value: _Value) -> tuple[str, ...]:
    """Return PATH=LEVEL texts from a table of paths and levels, or from a list as on the command line."""
    if not isinstance(value.content, Mapping):
        return _texts(value)
    if not all(isinstance(level, str) for level in value.content.values()):
        raise value.wrong("a table of requirement paths and levels")
    value.check_text(*value.content, *value.content.values())
    return tuple(f"{path}={level}" for path, level in value.content.items())


def _per_file(value: _Value) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return globs and ignored paths from a table. Globs with a slash are relative to the file."""
    if not isinstance(value.content, Mapping):
        raise value.wrong("a table of globs and requirement paths")
    value.check_text(*value.content)
    pairs = ((glob, _texts(_Value(value.key, paths, value.file))) for glob, paths in value.content.items())
    return tuple((value.around(glob) if "/" in glob else glob, paths) for glob, paths in pairs)


def is_profile_file(profile: str) -> bool:
    """Return True if a profile is given as a file and not by name."""
    return profile.endswith((".yaml", ".yml")) or "/" in profile or "\\" in profile


_READERS: dict[str, Callable[[_Value], Any]] = {
    "profile": _profiles,
    "format": _formats,
    "baseline": lambda value: value.relative_path(_text(value)),
    "select": _texts,
    "ignore": _texts,
    "set-level": _levels,
    "fail-on": _text,
    "require-coverage": _flag,
    "require-integer-io": _flag,
    "allow-float": _flag,
    "fail-on-fallback": _flag,
    "max-partitions": _count,
    "compile": _flag,
    "per-file-ignores": _per_file,
}
