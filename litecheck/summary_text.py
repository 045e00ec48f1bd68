"""Categories that operators, models and findings are counted by, and counts in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal, get_args

from litecheck.finding import EFFECTS, Effect

Status = Literal["conforms", "violates", "waived", "structure checked only", "not covered", "not applicable"]
Verdict = Literal["conforms", "violates", "not checked"]
Counted = Literal["violation", "warning", "note", "waived"]

STATUSES: tuple[Status, ...] = get_args(Status)
#: Statuses that are omitted if no operator has them.
_RARE: tuple[Status, ...] = ("structure checked only", "not applicable")
VERDICTS: tuple[Verdict, ...] = ("conforms", "violates", "not checked")
#: Categories of findings: the levels, and waived.
COUNTED: tuple[Counted, ...] = ("violation", "warning", "note", "waived")
#: Maximum number of patterns in the text of a selection, and maximum length of a pattern.
_NAMED, _PATTERN = 3, 40
VERBS = {"conforms": ("conforms", "conform"), "violates": ("violates", "violate")}


def count_of(number: int, noun: str, plural: str = "") -> str:
    """Return a number and its noun. Examples: ``1 operator``, ``2 operators``, ``12,000 entries``."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def combined_exit_code(codes: Iterable[int]) -> int:
    """Return the exit code of several models: 1 if any violates, else 2 if any is not checked or there is none, else 0."""
    found = set(codes)
    return 1 if 1 in found else 2 if 2 in found or not found else 0


def coverage_text(coverage: Mapping[Status, int]) -> str:
    """Return the counts and their sum: ``12 conform, 1 violates, 0 waived, 2 not covered of 15 operators``."""
    shown = (s for s in STATUSES if coverage.get(s, 0) or s not in _RARE)
    parts = (count_of(coverage[s], *VERBS.get(s, (s, s))) for s in shown)
    return f"{', '.join(parts)} of {count_of(sum(coverage.values()), 'operator')}"


def counts_text(counts: Mapping[Counted, int], effects: Mapping[Effect, int] | None = None) -> str:
    """Return the findings in words, most severe first. Examples: ``2 violations (2 crashes), 1 waived``, ``no findings``."""
    comes = {"violation": f" ({effects_text(effects)})" if effects else ""}
    parts = (
        count_of(counts[k], k, "waived" if k == "waived" else "") + comes.get(k, "")
        for k in COUNTED
        if counts[k]
    )
    return ", ".join(parts) or "no findings"


def checked_text(coverage: Mapping[Status, int]) -> str:
    """Return how many operators have a quantization rule. Example: ``13/15 operators checked, 2 not covered``."""
    missing, structure = coverage["not covered"], coverage.get("structure checked only", 0)
    total = sum(coverage.values())
    told = f"{total - missing - structure:,}/{count_of(total, 'operator')} checked"
    rest = ((structure, "structure checked only"), (missing, "not covered"))
    return ", ".join((told, *(f"{number:,} {status}" for number, status in rest if number)))


def effects_text(effects: Mapping[Effect, int]) -> str:
    """Return the impacts in words, most severe first. Example: ``1 crashes, 2 fails to load``."""
    return ", ".join(f"{effects[e]:,} {e.partition(',')[0]}" for e in EFFECTS if effects.get(e))


def selection_text(selection: Sequence[str]) -> str:
    """Return the scope of a verdict: `` for SOFTMAX``, `` for A, B, C and 2 more``, or ``""`` without a selection."""
    if not selection:
        return ""
    named = (p if len(p) <= _PATTERN else f"{p[: _PATTERN - 1]}…" for p in selection[:_NAMED])
    more = f" and {len(selection) - _NAMED:,} more" if len(selection) > _NAMED else ""
    return f" for {', '.join(named)}{more}"


def headlines_text(headlines: Iterable[tuple[Verdict, str]]) -> str:
    """Return the number of each headline: ``2 conform, 1 conforms for SOFTMAX``. A headline begins with its verdict."""
    counts = sorted(Counter(headlines).items(), key=lambda item: VERDICTS.index(item[0][0]))
    return ", ".join(
        count_of(n, *VERBS.get(verdict, (verdict, verdict))) + headline.removeprefix(verdict)
        for (verdict, headline), n in counts
    )
