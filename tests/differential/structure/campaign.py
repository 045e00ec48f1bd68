"""Comparison of litecheck's verdicts with LiteRT on mutants of the structure of valid models.

    python -m tests.differential.rules --structure --cases 10000 --seed 0 --operator CONV_2D --class "index values"

A mutant is *bad* if LiteRT rejects it, fails or crashes at run time, or has an output more than two steps away from the
real values of the model. All resolvers with correct outputs of the unchanged model count. It is a *miss* if litecheck
then has no new violation, warning or note and exit code 0. It is a *false alarm* if all resolvers are correct and there
is a new violation that the specification page does not require. ``explained.yaml`` has the reasons of the remaining
differences.
"""

from __future__ import annotations

import multiprocessing
import random
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from litecheck.finding import IGNORED, Effect
from tests.differential.structure.edit import Mutant
from tests.differential.structure.impacts import is_untrue, shown, stated
from tests.differential.structure.mutants import chosen, mutants
from tests.differential.structure.oracle import LiteRT
from tests.differential.structure.referee import BAD, Fate, Fated, Referee, worst
from tests.differential.structure.sketch import Specimen
from tests.differential.structure.specimens import specimens
from tests.differential.structure.verdicts import Judge, Validate, Verdict, by_default

#: Reason of an apparent false alarm, and changes of the same place that prove it.
HIDDEN = (
    "rounding or saturation hides it; a larger change of the same parameter is rejected or computed wrongly"
)
PLAIN = (
    "scale*1.5", "scale*4", "scale*0.5", "scale*100", "zero point +30", "zero point +1", "zero point 40000",
)  # fmt: skip
EXPLAINED = Path(__file__).with_name("explained.yaml")


@dataclass(frozen=True)
class Outcome:
    """Outcome of a single mutant: the impact on each resolver, and litecheck's verdict."""

    specimen: str
    dtype: str
    kind: str
    operator: str
    place: str
    change: str
    fates: dict[str, Fated]
    verdict: Verdict
    hidden: bool = False
    """True for a violation that rounding or saturation hides: a larger change of the parameter proves it."""

    @property
    def fate(self) -> Fate:
        return worst(self.fates)

    @property
    def message(self) -> str:
        """Message of the resolver with the worst impact."""
        return next((f.message for f in self.fates.values() if f.fate == self.fate), "")

    @property
    def outcome(self) -> str:
        """``miss``, ``false alarm`` or ``agree``."""
        said = self.verdict.said
        if self.fate in BAD:
            return "miss" if said == "silent" else "agree"
        return (
            "false alarm"
            if self.fate == "right" and said == "violation" and not self.verdict.page
            else "agree"
        )

    @property
    def impacts(self) -> tuple[Effect | None, Effect | None]:
        """The gravest impact that litecheck states of new violations, and the impact that LiteRT shows."""
        return stated(self.verdict.effects), shown(self.fates)

    @property
    def impacts_compared(self) -> bool:
        """True if litecheck states an impact and LiteRT shows an impact; damaged files have none."""
        return not self.hidden and self.outcome == "agree" and None not in self.impacts

    @property
    def untrue(self) -> bool:
        """True if the stated impact is not the impact that LiteRT shows."""
        return self.impacts_compared and is_untrue(*self.impacts)

    @property
    def fields(self) -> dict[str, tuple[str, ...]]:
        """Values that the patterns of a reason are matched with."""
        single = ("specimen", "dtype", "kind", "operator", "place", "change", "fate", "message", "outcome")
        return {**{name: (getattr(self, name),) for name in single}, "path": self.verdict.violations}

    @property
    def reason(self) -> str:
        """Reason of a difference between LiteRT and litecheck, or ""."""
        if self.outcome == "agree":
            return ""
        if self.hidden:
            return HIDDEN
        return next((r["reason"] for r in reasons() if _matches(r, self.fields)), "")


@cache
def reasons() -> tuple[dict[str, Any], ...]:
    """Return the entries of ``explained.yaml``."""
    return tuple(yaml.safe_load(EXPLAINED.read_text()))


def _matches(entry: dict[str, Any], fields: dict[str, tuple[str, ...]]) -> bool:
    """Return True if every pattern of the entry matches a value of the mutant."""
    wanted = {name: [p] if isinstance(p, str) else p for name, p in entry.items() if name != "reason"}
    return all(any(fnmatchcase(v, p) for v in fields[name] for p in wanted[name]) for name in wanted)


@dataclass(frozen=True)
class Choice:
    """Selection of mutants: patterns of operators and kinds, number, seed."""

    cases: int = 2000
    seed: int = 0
    operator: str = "*"
    kind: str = "*"
    specimen: str = "*"

    def numbers(self) -> dict[int, list[int]]:
        """Return the indices of the selected mutants of each specimen."""
        kinds = [
            [f"{m.kind} {m.operator}" if self._wanted(s, m) else "" for m in mutants(s.model)]
            for s in specimens()
        ]
        found: dict[int, list[int]] = {}
        for number, at in chosen(kinds, self.cases, self.seed):
            found.setdefault(number, []).append(at)
        return found

    def _wanted(self, specimen: Specimen, mutant: Mutant) -> bool:
        named = ((mutant.operator, self.operator), (specimen.name, self.specimen))
        kinds = (mutant.kind, _kind(specimen, mutant))
        return all(fnmatchcase(*pair) for pair in named) and any(fnmatchcase(k, self.kind) for k in kinds)


def _kind(specimen: Specimen, mutant: Mutant) -> str:
    """Return the row of the table: branches, loops and variables are one kind."""
    return mutant.kind if len(specimen.model.subgraphs) == 1 else "control flow"


def judged(specimen: Specimen, wanted: Iterable[int], referee: Referee, judge: Judge) -> Iterator[Outcome]:
    """Yield the outcomes of some mutants of a specimen."""
    base, usual, numbers = referee.baseline(specimen), judge.report(specimen.model), set(wanted)

    def outcome(m: Mutant) -> Outcome:
        fates, verdict = referee.fates(specimen, base, m.model), judge.verdict(usual, m.model)
        kind = _kind(specimen, m)
        return Outcome(specimen.name, specimen.dtype, kind, m.operator, m.place, m.change, fates, verdict)

    every = list(mutants(specimen.model))
    for at in sorted(numbers):
        found = outcome(every[at])
        if found.outcome == "false alarm" or _may_be_rounded(found):
            larger = (
                m for m in every if (m.kind, m.place) == ("quantization", found.place) and m.change in PLAIN
            )
            found = replace(found, hidden=any(_shows(outcome(m), found) for m in larger))
        yield found


def _may_be_rounded(found: Outcome) -> bool:
    """Return True if litecheck states wrong results of a parameter, and the outputs differ by less than the tolerance."""
    return found.kind == "quantization" and found.untrue and found.impacts == ("wrong results", IGNORED)


def _shows(plain: Outcome, faint: Outcome) -> bool:
    """Return True if a larger change of a parameter has the same violations and, for outputs that agree, the impact."""
    if not set(faint.verdict.violations) <= set(plain.verdict.violations):
        return False
    return plain.fate in BAD if faint.outcome == "false alarm" else plain.impacts[1] == faint.impacts[0]


@cache
def _litert() -> LiteRT:
    """Return the LiteRT server of a worker, which ends with the worker."""
    return LiteRT()


def _work(task: tuple[int, Sequence[int]]) -> list[Outcome]:
    number, wanted = task
    with tempfile.TemporaryDirectory() as folder:
        return list(judged(specimens()[number], wanted, Referee(_litert()), Judge(Path(folder))))


def campaign(choice: Choice, jobs: int, progress: Callable[[Sequence[Outcome], int], Any]) -> list[Outcome]:
    """Return all outcomes, from worker processes; ``progress`` is called with new outcomes and their total number."""
    tasks = [
        (number, wanted[start : start + 100])
        for number, wanted in choice.numbers().items()
        for start in range(0, len(wanted), 100)
    ]
    random.Random(choice.seed).shuffle(tasks)  # an interrupted campaign is a fair sample then
    total, done = sum(len(wanted) for _, wanted in tasks), []
    context = multiprocessing.get_context("spawn")
    with context.Pool(jobs) as pool:
        for found in pool.imap_unordered(_work, tasks):
            done += found
            progress(found, total)
    return sorted(done, key=lambda o: (o.dtype, o.specimen, o.kind, o.operator, o.place, o.change))


def in_process(
    specimen: Specimen, wanted: Iterable[int], litert: LiteRT, folder: Path, validate: Validate = by_default
) -> list[Outcome]:
    """Return outcomes without workers, with any validator."""
    return list(judged(specimen, wanted, Referee(litert), Judge(folder, validate)))
