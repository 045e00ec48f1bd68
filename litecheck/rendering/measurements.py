"""List of measurements for limits, from their own docstrings: a table and plain values."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING

from litecheck.errors import ConfigError
from litecheck.profile.measurements.registry import (
    docstring,
    meaning,
    operand_measurements,
    operator_measurements,
    vocabulary,
)
from litecheck.profile.measurements.suggestion import suggestion_text
from litecheck.rendering.escape import json_document
from litecheck.rendering.word_table import print_table

if TYPE_CHECKING:
    from rich.console import Console

#: Placeholder of a role.
ROLE = "role"


@dataclass(frozen=True, slots=True)
class MeasurementDescription:
    """A measurement: name, type of its value, and description."""

    name: str
    gives: str
    meaning: str


def measurements(pattern: str = "") -> tuple[MeasurementDescription, ...]:
    """Return all measurements, or those whose name a part or wildcards match, then those with all words in the docstring.

    A measurement of an operand is ``role.NAME``; ``input.channels`` finds ``role.channels``, too. Raise ConfigError if
    nothing matches. For example, ``transpose`` finds ``transpose_extent``, then ``int32_permutation`` by its description.
    """
    found = _found(pattern)
    if not found:
        hint = suggestion_text(pattern, [one.name for one in _all_described()])
        raise ConfigError(f"{pattern}: no name or description of a measurement contains this{hint}")
    return found


def measurement_hint(word: str) -> str:
    """Return the command that finds measurements by a word in place of a path or an operator, or "" if none has the word.

    Example: "; 'litecheck rules --measurements overflow' lists measurements with this word".
    """
    if not word.isidentifier() or not _found(word):
        return ""
    return f"; 'litecheck rules --measurements {word}' lists measurements with this word"


def _found(pattern: str) -> tuple[MeasurementDescription, ...]:
    """Return the measurements that a pattern matches by name, then those with all its words in the docstring."""
    every = tuple(_all_described())
    named = tuple(one for one in every if _matches(one.name, pattern))
    words = list(map(_spaced, pattern.split()))
    return (*named, *(one for one in every if one not in named and _has_words(one.name, words)))


def _has_words(name: str, words: list[str]) -> bool:
    text = _spaced(f"{name} {docstring(name)}")
    return all(word in text for word in words)


def _spaced(text: str) -> str:
    """Return a text in lower case with spaces for hyphens and underscores: ``per-axis`` and ``per_axis`` are equal."""
    return text.lower().replace("-", " ").replace("_", " ")


def _all_described() -> Iterator[MeasurementDescription]:
    operands = (f"{ROLE}.{name}" for name in operand_measurements())
    for name in (*operator_measurements(), *operands):
        yield MeasurementDescription(name, vocabulary(name).noun or "a number", meaning(name))


def _matches(name: str, pattern: str) -> bool:
    if not set("*?[").isdisjoint(pattern):
        return fnmatchcase(name, pattern)
    what = pattern.rpartition(".")[2]
    return pattern in name or (name == f"{ROLE}.{what}" and pattern != what)


def measurement_names(incomplete: str) -> list[str]:
    """Return the names that begin with the text, for shell completion."""
    return [one.name for one in _all_described() if one.name.startswith(incomplete)]


def print_measurements(pattern: str, console: Console) -> None:
    """Print a table of measurements. Raise ConfigError as :func:`measurements`."""
    listed = [(one.name, one.gives, one.meaning.replace("``", "")) for one in measurements(pattern)]
    print_table(("measurement", "gives", "meaning"), listed, (), console)


def measurements_json(pattern: str) -> str:
    """Return the matching measurements as a JSON document, each with the words that can be its value."""
    values = [
        {
            "name": one.name,
            "gives": one.gives,
            "words": list(vocabulary(one.name).list_words()),
            "meaning": one.meaning,
        }
        for one in measurements(pattern)
    ]
    return json_document({"litecheck_rules": 1, "measurements": values})
