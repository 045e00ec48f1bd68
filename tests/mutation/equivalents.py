"""Mutants that compute the same as the program for every input, listed in ``equivalents.yaml`` with their reasons."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import yaml

from tests.mutation.sites import Mutant

FILE = Path(__file__).with_name("equivalents.yaml")


@dataclass(frozen=True, slots=True)
class Equivalents:
    """Reasons by module, text before and text after, each with single spaces."""

    reasons: dict[tuple[str, str, str], str]

    def reason(self, mutant: Mutant) -> str:
        """Return the reason for which a mutant is equivalent, "" if the list does not have it."""
        return self.reasons.get((mutant.module, flat(mutant.before), flat(mutant.after)), "")


def read_equivalents(file: Path = FILE) -> Equivalents:
    """Return the listed mutants."""
    stated = yaml.safe_load(file.read_text("utf-8")) or []
    return Equivalents({(e["module"], e["before"], e["after"]): e["because"] for e in stated})


def flat(text: str) -> str:
    """Return a text with single spaces between its words."""
    return " ".join(text.split())
