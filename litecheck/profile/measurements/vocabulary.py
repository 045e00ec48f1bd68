"""What a measurement gives: a number, or a word of which kind. Rules may name no other."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from litecheck.flatbuffer.schema import load_schema


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The words a measurement gives, ``called`` so in messages; none where it gives numbers.

    ``words`` is asked when a rule is read: the schema's words are long in coming. ``pattern`` matches words beside them.
    """

    called: str = ""
    words: Callable[[], tuple[str, ...]] = tuple
    pattern: str = ""

    @property
    def numeric(self) -> bool:
        """Whether these are numbers and no words."""
        return not self.called

    def has(self, word: str) -> bool:
        """Whether the measurement can give the word."""
        return word in self.words() or bool(self.pattern and re.fullmatch(self.pattern, word))


@cache
def tensor_types() -> tuple[str, ...]:
    """The names that rules have for the types of tensors."""
    return tuple(name.lower() for name in load_schema().enums["TensorType"])


def of_enum(name: str, called: str) -> Vocabulary:
    """The members of an enum of the schema."""
    return Vocabulary(called, lambda: tuple(load_schema().enums[name]))


def of(called: str, *words: str, pattern: str = "") -> Vocabulary:
    """These words."""
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
