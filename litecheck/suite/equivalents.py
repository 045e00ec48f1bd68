"""Mistakes that no input shows, because they give what is expected: why, as rules/suite/equivalents.yaml says."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache

from litecheck.data import rules_dir
from litecheck.errors import ProfileError
from litecheck.profile.yaml_reader import Entries, Items, Node, entries, read_yaml, text, texts

_SHOWN = "rules/suite/equivalents.yaml"
_KEYS = ("operators", "types", "mistakes", "because")
_OPTIONAL = ("profiles",)


@dataclass(frozen=True, slots=True)
class Equivalent:
    """Mistakes of operators on types, as patterns, and why nothing shows them: in suites of ``profiles`` alone where some
    are named."""

    operators: tuple[str, ...]
    types: tuple[str, ...]
    mistakes: tuple[str, ...]
    because: str
    profiles: tuple[str, ...] = ("*",)

    def speaks_of(self, opcode: str, kind: str, mistake: str, profile: str) -> bool:
        """Whether a mistake of an operator on a type, in a suite of a profile, is one of these."""
        asked = (
            (self.operators, opcode),
            (self.types, kind),
            (self.mistakes, mistake),
            (self.profiles, profile),
        )
        return all(any(fnmatchcase(name, pattern) for pattern in patterns) for patterns, name in asked)


def reason_of(opcode: str, kind: str, mistake: str, profile: str) -> str:
    """Why a mistake of an operator on a type gives the same values in a suite of a profile; empty where nothing says so."""
    return next((e.because for e in equivalents() if e.speaks_of(opcode, kind, mistake, profile)), "")


@cache
def equivalents() -> tuple[Equivalent, ...]:
    """Every entry of the file. Raises ProfileError with its line where the file is not as it should be."""
    file = read_yaml(rules_dir() / "suite" / "equivalents.yaml", _SHOWN)
    listed = file.only(("equivalents",)).get("equivalents")
    if not isinstance(listed, Items):
        raise ProfileError(_SHOWN, 1, "equivalents is a list")
    return tuple(_read(node) for node in listed)


def _read(node: Node) -> Equivalent:
    entry: Entries = entries(node, _SHOWN).only((*_KEYS, *_OPTIONAL))
    missing = [key for key in _KEYS if key not in entry]
    if missing:
        raise ProfileError(_SHOWN, entry.line, f"an entry without {', '.join(missing)}")
    operators, types, mistakes = (texts(entry.get(key)) for key in _KEYS[:3])
    profiles = texts(entry.get("profiles")) or ("*",)
    return Equivalent(operators, types, mistakes, text(entry.get("because")), profiles)
