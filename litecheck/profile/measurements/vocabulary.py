"""Kind of a measured value: a number, or a word from a set. Rules can use only words of this set."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from litecheck.flatbuffer.schema import load_schema


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Words that a measurement returns, ``noun`` is their name in messages; none if it returns numbers.

    ``list_words`` is called when a rule is read, because the schema's words load slowly. ``pattern`` matches further words.
    """

    noun: str = ""
    list_words: Callable[[], tuple[str, ...]] = tuple
    pattern: str = ""

    @property
    def numeric(self) -> bool:
        """True if the measurement returns numbers."""
        return not self.noun

    def has(self, word: str) -> bool:
        """Return True if the measurement can return the word."""
        return word in self.list_words() or bool(self.pattern and re.fullmatch(self.pattern, word))


@cache
def tensor_types() -> tuple[str, ...]:
    """Return the names of tensor types in rules."""
    return tuple(name.lower() for name in load_schema().enums["TensorType"])


def of_enum(name: str, called: str) -> Vocabulary:
    """Return the members of an enum of the schema."""
    return Vocabulary(called, lambda: tuple(load_schema().enums[name]))


def of(called: str, *words: str, pattern: str = "") -> Vocabulary:
    """Return the vocabulary of these words."""
    return Vocabulary(called, lambda: words, pattern)


def _option_tables() -> tuple[str, ...]:
    return ("none", *(table for table in load_schema().tables if table.endswith("Options")))


@cache
def _conversions() -> tuple[str, ...]:
    types = tensor_types()
    return tuple(f"{source}_to_{result}" for source in types for result in types)


NUMBERS = Vocabulary()
YES_OR_NO = of("yes or no", "yes", "no")
TYPES = Vocabulary("a type", tensor_types)
TYPE_OR_ABSENT = Vocabulary("a type or absent", lambda: (*tensor_types(), "absent"))
OPTION_TABLES = Vocabulary("a table of options", _option_tables)
CONVERSIONS = Vocabulary("two types, as in int8_to_int16", _conversions)
