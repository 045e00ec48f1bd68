"""Report of the campaign: the table by kind of mutant, and unexplained differences."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from tests.differential.structure.campaign import Outcome
from tests.differential.structure.referee import BAD, FATES
from tests.differential.structure.verdicts import SAID

#: Allowed share of misses among mutants that LiteRT rejects, crashes on or miscomputes.
MISSES_MAX = 0.01
_HEAD = ("kind", "mutants", *FATES, *(f"bad: {s}" for s in SAID), "explained", "false alarms", "explained")


def table(outcomes: Sequence[Outcome]) -> str:
    """Return a line for each kind, and their sum."""
    kinds = sorted({o.kind for o in outcomes})
    rows = [_row(kind, [o for o in outcomes if o.kind == kind]) for kind in kinds]
    lines = [_HEAD, *rows, _row("all", outcomes)]
    widths = [max(len(str(line[n])) for line in lines) for n in range(len(_HEAD))]
    return "\n".join(" ".join(_cell(v, widths[n], n) for n, v in enumerate(line)) for line in lines)


def _cell(value: object, width: int, column: int) -> str:
    return str(value).rjust(width) if column else str(value).ljust(width)


def _row(kind: str, outcomes: Sequence[Outcome]) -> tuple[object, ...]:
    fates = Counter(o.fate for o in outcomes)
    said = Counter("explained" if o.reason else o.verdict.said for o in outcomes if o.fate in BAD)
    alarms = Counter(bool(o.reason) for o in outcomes if o.outcome == "false alarm")
    counts = (
        *(fates[f] for f in FATES),
        *(said[s] for s in SAID),
        said["explained"],
        alarms[False],
        alarms[True],
    )
    return (kind, len(outcomes), *counts)


def misses(outcomes: Sequence[Outcome]) -> list[Outcome]:
    """Return bad mutants without a finding and without a reason."""
    return [o for o in outcomes if o.outcome == "miss" and not o.reason]


def false_alarms(outcomes: Sequence[Outcome]) -> list[Outcome]:
    """Return correct mutants with a violation and without a reason."""
    return [o for o in outcomes if o.outcome == "false alarm" and not o.reason]


def untrue(outcomes: Sequence[Outcome]) -> list[Outcome]:
    """Return the mutants with a stated impact that differs from the impact that LiteRT shows."""
    return [o for o in outcomes if o.untrue]


def compared(outcomes: Sequence[Outcome]) -> list[Outcome]:
    """Return the mutants with a stated impact and an impact that LiteRT shows."""
    return [o for o in outcomes if o.impacts_compared]


def failed(outcomes: Sequence[Outcome]) -> bool:
    """Return True for too many misses, any false alarm or any untrue impact."""
    bad = sum(o.fate in BAD for o in outcomes)
    missed = len(misses(outcomes)) > MISSES_MAX * bad
    return missed or bool(false_alarms(outcomes)) or bool(untrue(outcomes))


def grouped(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Yield similar mutants in a single line, the most frequent first."""
    groups: dict[tuple[str, ...], list[Outcome]] = defaultdict(list)
    for o in outcomes:
        groups[
            o.operator, o.kind, o.place, o.fate, re.sub(r"-?\d+(\.\d+)?(e[+-]\d+)?", "N", o.message)
        ].append(o)
    for (operator, kind, place, *_), found in sorted(groups.items(), key=lambda g: (-len(g[1]), g[0])):
        changes = "; ".join(dict.fromkeys(o.change for o in found))
        types = "/".join(sorted({o.dtype for o in found}))
        where = ", ".join(sorted({o.specimen for o in found})[:3])
        parts = (f"{place}: {changes[:160]}", _fates(found[0]), _said(found[0]), f"in {where}")
        yield " | ".join((f"{len(found)} x {operator} {types}", kind, *parts))


def _fates(o: Outcome) -> str:
    """Return the impact on each resolver, with equal impacts grouped."""
    same: dict[str, list[str]] = defaultdict(list)
    for resolver, f in o.fates.items():
        same[f"{f.fate} {f.message[-140:]}".strip()].append(resolver)
    return "; ".join(
        f"{what} ({'all' if len(r) == len(o.fates) else ', '.join(r)})" for what, r in same.items()
    )


def _said(o: Outcome) -> str:
    paths = ", ".join((*o.verdict.violations, *o.verdict.noted))
    lost = f"no longer covered: {', '.join(o.verdict.uncovered)}" if o.verdict.uncovered else ""
    impacts = "stated {!r}, shown {!r}".format(*o.impacts) if o.untrue else ""
    return " ".join(filter(None, (o.verdict.said, paths, lost, impacts)))


def explained(outcomes: Sequence[Outcome]) -> Iterator[str]:
    """Yield the number of uses of each reason."""
    counts = Counter((o.outcome, o.reason) for o in outcomes if o.reason)
    yield from (f"{n} x {outcome}: {reason}" for (outcome, reason), n in counts.most_common())
