"""Notes of ``rules/notes.yaml``: properties that lower the accuracy of an operator and break no rule."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import inf

from litecheck.data import rules_dir
from litecheck.finding import INFORMATION_LOSS, Demand
from litecheck.profile.types import Exactly, Requirement
from litecheck.profile.yaml_reader import MappingNode, entries, read_yaml, text, texts

FILE = "rules/notes.yaml"
_KEYS = ("operators", "least", "most", "found", "required", "because")


@dataclass(frozen=True, slots=True)
class Note:
    """A note by its name. ``operators`` has the bound of each operator's outputs, "" if the note needs none."""

    name: str
    operators: Mapping[str, str]
    least: float
    most: float
    found: str
    required: str
    because: str
    line: int

    @property
    def example(self) -> str:
        """Text of a finding, with half of the least number or twice the most."""
        return self.found.format(self.least / 2 if self.least > -inf else self.most * 2)

    def requirement(self, opcode: str, profile: str) -> Requirement:
        """Return the note as an implied requirement of an operator."""
        return Requirement(
            f"{opcode}/{self.name}", "note", None, Exactly(self.required), self.because, "",
            Demand(profile, FILE, self.line), "note", effect=INFORMATION_LOSS,
        )  # fmt: skip


@cache
def notes_of(opcode: str) -> tuple[Note, ...]:
    """Return the notes of an operator."""
    return tuple(note for note in all_notes() if opcode in note.operators)


@cache
def all_notes() -> tuple[Note, ...]:
    """Return every note, in the order of the file. Raise ProfileError."""
    listed = entries(
        read_yaml(rules_dir() / "notes.yaml", FILE, trusted=True).only(("notes",)).get("notes"), FILE
    )
    return tuple(_note(name, entries(node, FILE), listed.lines[name]) for name, node in listed.values.items())


def _note(name: str, node: MappingNode, line: int) -> Note:
    node.only(_KEYS)
    stated = node.get("operators")
    bounds = (
        {opcode: text(bound) for opcode, bound in stated.values.items()}
        if isinstance(stated, MappingNode)
        else dict.fromkeys(texts(stated), "")
    )
    least, most = (float(Fraction(node.text(key))) if key in node else inf for key in ("least", "most"))
    found, required, because = (node.text(key) for key in _KEYS[3:])
    return Note(name, bounds, least if "least" in node else -inf, most, found, required, because, line)
