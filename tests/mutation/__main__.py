"""The command line of ``python -m tests.mutation``."""

from __future__ import annotations

import argparse
import multiprocessing
import random
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.console import Console
from rich.progress import track

from tests.mutation import __doc__ as description
from tests.mutation.equivalents import read_equivalents
from tests.mutation.reach import Reach
from tests.mutation.report import line_of, read, share_killed, text_of
from tests.mutation.run import LIMIT, Judge, Judgement, warm_up
from tests.mutation.sites import Mutant, find_mutants
from tests.mutation.targets import ROOT, find_modules


def draw(modules: Sequence[str], cases: int, seed: int, root: Path = ROOT) -> tuple[Mutant, ...]:
    """Return ``cases`` different mutants: modules with many sites have more of them."""
    sites = [m for module in modules for m in find_mutants(module, (root / module).read_text("utf-8"))]
    return tuple(random.Random(seed).sample(sites, min(cases, len(sites))))


def survivors_of(report: Path, root: Path = ROOT) -> tuple[Mutant, ...]:
    """Return the survivors of a report whose place in the module has not changed since."""
    found = (judgement.mutant for judgement in read(report) if judgement.status == "survived")
    return tuple(m for m in found if (root / m.module).read_text("utf-8")[m.start : m.end] == m.before)


def judged(mutants: Sequence[Mutant], jobs: int, judge: Judge) -> Iterator[Judgement]:
    """Yield the outcome of each mutant, in the order in which they end."""
    with multiprocessing.get_context("fork").Pool(jobs) as pool:
        yield from pool.imap_unordered(judge.judge, mutants)


def main(arguments: Sequence[str]) -> int:
    """Run the program; the exit code is 1 if the share of killed mutants is below ``--at-least``."""
    options = _parser().parse_args(arguments)
    warm_up()
    if options.survivors is not None:
        mutants = survivors_of(options.survivors)
    else:
        modules = find_modules(ROOT, tuple(options.only), tuple(options.exclude))
        mutants = draw(modules, options.cases, options.seed)
    before = read(options.output) if options.output.exists() else ()
    done = {judgement.mutant for judgement in before}
    left = tuple(mutant for mutant in mutants if mutant not in done)
    judge = Judge(options.limit, quick=options.quick, reach=options.reach and Reach(options.reach))
    with options.output.open("a", encoding="utf-8", buffering=1) as output:
        for judgement in _shown(judged(left, options.jobs, judge), len(left)):
            output.write(line_of(judgement))
    equivalents = read_equivalents()
    judgements = tuple(judgement for judgement in read(options.output) if judgement.mutant in set(mutants))
    print(text_of(judgements, equivalents))
    return int(share_killed(judgements, equivalents) < options.at_least)


def _shown(running: Iterator[Judgement], count: int) -> Iterator[Judgement]:
    """Show the progress: a bar in a terminal, otherwise a line for every 25 mutants."""
    console = Console(stderr=True)
    if console.is_terminal:
        yield from track(running, "mutants", count, console=console)
        return
    for number, judgement in enumerate(running, 1):
        if number % 25 == 0:
            print(f"{number} of {count} mutants", file=sys.stderr, flush=True)
        yield judgement


def _parser() -> argparse.ArgumentParser:
    form = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(
        "python -m tests.mutation", description=description, formatter_class=form
    )
    parser.add_argument("--cases", type=int, default=300, help="number of mutants [default: 300]")
    parser.add_argument("--seed", type=int, default=0, help="seed of the draw [default: 0]")
    parser.add_argument("--jobs", type=int, default=2, help="mutants at the same time [default: 2]")
    parser.add_argument(
        "--limit", type=float, default=LIMIT, help=f"seconds for one mutant [default: {LIMIT:g}]"
    )
    parser.add_argument(
        "--only", action="append", default=[], help="pattern of modules to draw from (repeatable)"
    )
    parser.add_argument(
        "--exclude", action="append", default=[], help="pattern of modules to leave out (repeatable)"
    )
    parser.add_argument(
        "--at-least", type=float, default=0.0, help="share of killed mutants that is required"
    )
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        default=Path("mutants.jsonl"),
        help="write a line of JSON for each mutant, and continue this file [default: mutants.jsonl]",
    )
    parser.add_argument("--quick", action="store_true", help="leave out the slow tests of mirrored files too")
    parser.add_argument(
        "--reach",
        type=Path,
        metavar="FOLDER",
        help="also run the quick tests of the mirrored package that execute the block of a survivor, as "
        "measured in this folder",
    )
    parser.add_argument("--survivors", type=Path, help="judge the survivors of this report again, draw none")
    return parser


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
