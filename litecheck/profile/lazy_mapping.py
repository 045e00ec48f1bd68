"""Lazy mapping: a model has few of the operators of a profile, so a value is built on first access."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from typing import TypeVar

Value = TypeVar("Value")


class Lazy(Mapping[str, Value]):
    """Values by name, each built on first access; the names are read on first access, too."""

    def __init__(self, names: Iterable[str], make: Callable[[str], Value]) -> None:
        self._names, self._make = names, make

    @cached_property
    def _made(self) -> dict[str, Value | None]:
        return dict.fromkeys(self._names)

    def __getitem__(self, name: str) -> Value:
        value = self._made[name]
        if value is None:
            value = self._made[name] = self._make(name)
        return value

    def __contains__(self, name: object) -> bool:
        return name in self._made

    def __iter__(self) -> Iterator[str]:
        return iter(self._made)

    def __len__(self) -> int:
        return len(self._made)
