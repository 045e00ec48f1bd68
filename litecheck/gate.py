"""A gate: a condition of ``--require-coverage``, ``--fail-on-fallback`` and similar options."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Gate:
    """A condition of the run on each model as a whole, in addition to the profiles. ``kept`` is True if the model meets
    it."""

    name: str
    kept: bool
    found: str
    required: str

    def __str__(self) -> str:
        return f"{self.found}, this run {self.required}"
