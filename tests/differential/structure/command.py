"""Command line of the campaign: ``python -m tests.differential.rules --structure``."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import TextIO

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from tests.differential.structure.campaign import Choice, Outcome, campaign
from tests.differential.structure.referee import BAD
from tests.differential.structure.table import (
    compared,
    explained,
    failed,
    false_alarms,
    grouped,
    misses,
    table,
    untrue,
)


def main(arguments: Sequence[str]) -> int:
    """Print the table, the misses and the false alarms; return 1 if there are too many or an impact is untrue."""
    parser = argparse.ArgumentParser(prog="python -m tests.differential.rules --structure")
    parser.add_argument(
        "--cases", type=int, default=2000, help="number of mutants, 0 for all [default: 2000]"
    )
    parser.add_argument("--seed", type=int, default=0, help="seed of the selection [default: 0]")
    parser.add_argument("--operator", default="*", help="pattern of operators [default: *]")
    parser.add_argument("--class", dest="kind", default="*", help="pattern of kinds of mutants [default: *]")
    parser.add_argument("--model", default="*", help="pattern of names of unchanged models [default: *]")
    parser.add_argument("--jobs", type=int, default=2, help="worker processes [default: 2]")
    parser.add_argument("--json", type=Path, help="write a line for every mutant and its outcome")
    parser.add_argument(
        "--lines", type=int, default=200, help="print this many groups of each list [default: 200]"
    )
    given = parser.parse_args(arguments)
    choice = Choice(given.cases, given.seed, given.operator, given.kind, given.model)
    with ExitStack() as stack:
        journal = stack.enter_context(given.json.open("w")) if given.json else None
        outcomes = _campaign(choice, given.jobs, journal)
    print("\n".join(lines(outcomes, given.lines)))
    return 1 if failed(outcomes) else 0


def _campaign(choice: Choice, jobs: int, journal: TextIO | None) -> list[Outcome]:
    """Run the campaign; each mutant is written to the journal when it is finished."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    shown = sys.stderr.isatty()
    with Progress(*columns, console=Console(stderr=True), transient=True, disable=not shown) as bar:
        task, done = bar.add_task("mutants", total=None), 0

        def progress(found: Sequence[Outcome], total: int) -> None:
            nonlocal done
            done += len(found)
            bar.update(task, completed=done, total=total)
            if not shown and done // 1000 != (done - len(found)) // 1000:
                print(f"{done:,} of {total:,} mutants", file=sys.stderr, flush=True)
            if journal:
                journal.writelines(json.dumps(as_data(o)) + "\n" for o in found)
                journal.flush()

        return campaign(choice, jobs, progress)


def lines(outcomes: Sequence[Outcome], most: int) -> list[str]:
    """Return the lines of the report."""
    unjudged = [o for o in outcomes if o.fate in BAD and o.verdict.said == "not checked" and not o.reason]
    lists = (
        ("misses", misses(outcomes)),
        ("false alarms", false_alarms(outcomes)),
        ("not checked", unjudged),
        ("untrue impacts", untrue(outcomes)),
    )
    found = [table(outcomes)]
    for name, listed in lists:
        of = f" of {len(compared(outcomes)):,} compared" if name == "untrue impacts" else ""
        found += ["", f"{name}: {len(listed):,}{of}", *list(grouped(listed))[:most]]
    return [*found, "", "explained:", *explained(outcomes)]


def as_data(o: Outcome) -> dict[str, object]:
    """Return a mutant and its outcome for JSON."""
    stated, shown = o.impacts
    extra = {"fate": o.fate, "outcome": o.outcome, "reason": o.reason, "stated": stated, "shown": shown}
    return {**asdict(o), **extra, "untrue": o.untrue}
