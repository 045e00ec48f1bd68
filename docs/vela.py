"""The table of Vela's printed constraints with the requirements of the profiles of its targets."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import yaml

from litecheck.profile.load import load_profile
from litecheck.profile.paths import path_matches

FILE = Path(__file__).with_name("vela_constraints.yaml")
#: The profiles in the order of the table's columns, by their keys in the file.
TARGETS = {"u55": "ethos-u55", "u85": "ethos-u85"}


@dataclass(frozen=True, slots=True)
class Constraint:
    """A constraint of the compiler's list by its first words, with requirement paths by target."""

    says: str
    exactly: bool
    paths: dict[str, tuple[str, ...]]
    nothing: str = ""

    def names(self, text: str) -> bool:
        """Return True if the compiler's text begins with these words, or equals them."""
        return text == self.says if self.exactly else text.startswith(self.says)


@cache
def constraints() -> tuple[Constraint, ...]:
    """Return the constraints in the order of the file."""
    rows = yaml.load(FILE.read_text("utf-8"), Loader=yaml.BaseLoader)
    return tuple(_constraint(row) for row in rows)


def _constraint(row: dict[str, str | list[str]]) -> Constraint:
    paths = {key: tuple(row.get(key) or row.get("both") or ()) for key in TARGETS}
    return Constraint(str(row["says"]), "exactly" in row, paths, str(row.get("nothing", "")))


def demanded(target: str) -> frozenset[str]:
    """Return the requirement paths of a target's profile. Example of an unsupported operator: ``CAST/unsupported``."""
    rules = load_profile(target).operators.values()
    paths = {requirement.path for rule in rules for requirement in rule.requirements}
    return frozenset(paths | {f"{rule.opcode}/unsupported" for rule in rules if rule.unsupported})


def matching_paths(pattern: str, paths: frozenset[str]) -> tuple[str, ...]:
    """Return the paths of a profile that match a pattern of the file."""
    return tuple(sorted(path for path in paths if path_matches(path, pattern)))


def constraints_table() -> Iterator[str]:
    """Yield the table in Markdown."""
    yield "| Vela's constraint | Ethos-U55, U65 | Ethos-U85 |\n| --- | --- | --- |\n"
    for one in constraints():
        told = [", ".join(f"`{path}`" for path in one.paths[key]) or one.nothing or "-" for key in TARGETS]
        yield f"| {one.says} | {' | '.join(told)} |\n"
