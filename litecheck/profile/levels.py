"""The ``levels`` and ``effects`` of profiles: how grave each requirement is, and what comes of not keeping it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Generic, TypeVar

from litecheck.profile.paths import parts_match

Word = TypeVar("Word")


@dataclass(frozen=True, slots=True)
class Assigned(Generic[Word]):
    """A word that a profile states for every requirement a pattern of paths names."""

    pattern: str
    word: Word
    profile: str


class Patterns(Generic[Word]):
    """What a profile and those it builds on state by pattern.

    The profiles' own statements follow those of the profiles they extend; of several that match the last one holds.
    """

    def __init__(self, stated: tuple[Assigned[Word], ...]) -> None:
        self.stated = stated
        self._patterns = [one.pattern.strip("/").split("/") for one in stated]
        #: By their first part, or by the last of three behind a first one with wildcards.
        self._literal: dict[tuple[str, bool], list[int]] = {}
        self._wild: list[int] = []
        for at, parts in enumerate(self._patterns):
            last = len(parts) == 3 and not _wild(parts[2])
            if _wild(parts[0]) and not last:
                self._wild.append(at)
                continue
            behind = _wild(parts[0])
            for name in parts[2 if behind else 0].split("|"):
                self._literal.setdefault((name, behind), []).append(at)

    def find(self, path: str, by: Collection[str] | None = None) -> Word | None:
        """The word for a path, or None; with ``by`` only the statements of those profiles count."""
        parts = path.split("/")
        possible: list[int] = [*self._wild, *self._literal.get((parts[0], False), ())]
        if len(parts) > 2:
            possible += self._literal.get((parts[2], True), ())
        for at in sorted(possible, reverse=True):
            if (by is None or self.stated[at].profile in by) and parts_match(parts, self._patterns[at]):
                return self.stated[at].word
        return None


def _wild(part: str) -> bool:
    return not set("*?[").isdisjoint(part)
