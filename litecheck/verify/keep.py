"""Verdicts as they come: counted, noted in the journal, told to who waits."""

from __future__ import annotations

from collections.abc import Callable

from litecheck.devices.outcome import Outcome
from litecheck.verify.journal import Journal
from litecheck.verify.outcome import Verdict

#: Called with a case's name once it is judged.
Progress = Callable[[str], None]


class Kept:
    """What a verification has come to: ``viable`` are the published arithmetics that every case so far fits."""

    def __init__(self, viable: frozenset[str], journal: Journal | None, progress: Progress | None) -> None:
        self.viable, self.journal = viable, journal
        self.progress: Progress = progress or (lambda name: None)
        self.verdicts: list[Verdict] = []
        self.notes: list[str] = []

    @property
    def known(self) -> dict[str, tuple[Verdict, frozenset[str]]]:
        """The verdicts of an earlier run, by case, with what they fit."""
        return self.journal.known if self.journal else {}

    def keep(self, verdict: Verdict, fits: frozenset[str]) -> None:
        """One more verdict, with the published arithmetics it fits."""
        self.viable &= fits
        journaled = verdict.outcome is Outcome.NOT_TRIED or verdict.case in self.known
        if self.journal is not None and not journaled:
            self.journal.note(verdict, fits)
        self.verdicts.append(verdict)
        self.progress(verdict.case)

    def pass_over(self, case: str, note: str) -> None:
        """A case that is not tried, and why."""
        self.notes.append(note)
        self.progress(case)
