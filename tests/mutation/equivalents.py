"""Equivalent mutants, which compute the same as the program for every input: ``equivalents.yaml`` with their reasons."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import yaml

from tests.mutation.sites import Mutant
from tests.mutation.targets import ROOT

FILE = Path(__file__).with_name("equivalents.yaml")
#: Module, its line without indentation, text before and text after, the latter with single spaces.
Key = tuple[str, str, str, str]


@dataclass(frozen=True, slots=True)
class Equivalents:
    """Reasons of mutants. Equal replacements in a single line have one reason."""

    reasons: dict[Key, str]

    def reason(self, mutant: Mutant) -> str:
        """Return the reason for which a mutant is equivalent, "" if the list does not have it."""
        return self.reasons.get(key_of(mutant), "")


def read_equivalents(file: Path = FILE) -> Equivalents:
    """Return the listed mutants."""
    stated = yaml.safe_load(file.read_text("utf-8")) or []
    return Equivalents({(e["module"], e["line"], e["before"], e["after"]): e["because"] for e in stated})


def key_of(mutant: Mutant, root: Path = ROOT) -> Key:
    """Return the key of a mutant of the present source text."""
    lines = _lines(root / mutant.module)
    line = lines[mutant.line - 1].strip() if mutant.line <= len(lines) else ""
    return mutant.module, line, " ".join(mutant.before.split()), " ".join(mutant.after.split())


@cache
def _lines(file: Path) -> tuple[str, ...]:
    return tuple(file.read_text("utf-8").splitlines()) if file.exists() else ()
