"""Equivalent mutants, which give the expected outputs for every input, with reasons from rules/suite/equivalents.yaml."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache

from litecheck.data import rules_dir
from litecheck.errors import ProfileError
from litecheck.profile.yaml_reader import MappingNode, Node, SequenceNode, entries, read_yaml, text, texts

_SHOWN = "rules/suite/equivalents.yaml"
_KEYS = ("operators", "types", "mistakes", "because")
_OPTIONAL = ("profiles",)


@dataclass(frozen=True, slots=True)
class EquivalentMutant:
    """Equivalent mutants of operators and types, as patterns, with the reason; ``profiles`` restricts the suites."""

    operators: tuple[str, ...]
    types: tuple[str, ...]
    mistakes: tuple[str, ...]
    because: str
    profiles: tuple[str, ...] = ("*",)

    def speaks_of(self, opcode: str, kind: str, mistake: str, profile: str) -> bool:
        """Return True if the entry covers a mutant of an operator on a type in a suite of a profile."""
        asked = (
            (self.operators, opcode),
            (self.types, kind),
            (self.mistakes, mistake),
            (self.profiles, profile),
        )
        return all(any(fnmatchcase(name, pattern) for pattern in patterns) for patterns, name in asked)


def reason_of(opcode: str, kind: str, mistake: str, profile: str) -> str:
    """Return the reason that a mutant is equivalent in a suite of a profile; "" without an entry."""
    return next((e.because for e in equivalent_mutants() if e.speaks_of(opcode, kind, mistake, profile)), "")


@cache
def equivalent_mutants() -> tuple[EquivalentMutant, ...]:
    """Return every entry of the file. Raise ProfileError with the line for an invalid file."""
    file = read_yaml(rules_dir() / "suite" / "equivalents.yaml", _SHOWN)
    listed = file.only(("equivalents",)).get("equivalents")
    if not isinstance(listed, SequenceNode):
        raise ProfileError(_SHOWN, 1, "equivalents is a list")
    return tuple(_read(node) for node in listed)


def _read(node: Node) -> EquivalentMutant:
    entry: MappingNode = entries(node, _SHOWN).only((*_KEYS, *_OPTIONAL))
    missing = [key for key in _KEYS if key not in entry]
    if missing:
        raise ProfileError(_SHOWN, entry.line, f"an entry without {', '.join(missing)}")
    operators, types, mistakes = (texts(entry.get(key)) for key in _KEYS[:3])
    profiles = texts(entry.get("profiles")) or ("*",)
    return EquivalentMutant(operators, types, mistakes, text(entry.get("because")), profiles)
