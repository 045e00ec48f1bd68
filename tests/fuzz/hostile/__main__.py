"""Hostile inputs of all kinds through all commands: ``python -m tests.fuzz.hostile --cases 5000``.

Each case is one command on files made to do harm, in a folder of its own, under a limit of time and memory. For each case
the program checks that litecheck ends in time and memory with a documented exit code, without a traceback, prints nothing
that acts on a terminal or a CI system, writes only what it was told to write, runs no foreign code and leaves no process.
The exit code is 1 if a case has a fault. The program needs Linux.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before numpy: a fork needs a process of one thread

from tests.fuzz.hostile.campaign import Campaign, Identity, identify, results, run_case
from tests.fuzz.hostile.case import Result
from tests.fuzz.hostile.checks import CHECKS
from tests.fuzz.hostile.kinds import KINDS
from tests.fuzz.hostile.server import adopt_orphans
from tests.fuzz.hostile.stock import make_stock
from tests.fuzz.hostile.without import FIXES, switch_off


def main(arguments: list[str] | None = None) -> int:
    """Run the command and return the exit code."""
    options = _options(arguments)
    with tempfile.TemporaryDirectory(prefix="hostile-stock-") as folder:
        stock = make_stock(Path(folder).resolve() / "stock")
        for fix in options.without:
            switch_off(fix)
        if options.replay:
            return _replay(Campaign(0, stock, keep=options.keep or Path("hostile-cases"), always=True), options.replay)
        campaign = Campaign(options.seed, stock, options.only, options.keep)
        begin, found = time.monotonic(), []
        for result in results(campaign, range(options.cases), options.jobs):
            found.append(result)
            _tell(result, campaign)
            _show_progress(len(found), options.cases)
    print(summary(found, time.monotonic() - begin))
    return int(any(result.faults for result in found))


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.hostile", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--cases", type=int, default=5000, help="set the number of cases [default: 5000]")
    parser.add_argument("--seed", type=int, default=0, help="set the seed of all cases [default: 0]")
    parser.add_argument("--jobs", type=int, default=2, help="run this number of cases side by side [default: 2]")
    parser.add_argument("--only", choices=sorted(KINDS), default="", help="draw cases of this kind only")
    parser.add_argument("--keep", type=Path, help="copy the files of failing cases into this folder")
    parser.add_argument("--replay", type=Identity.parsed, metavar="CASE", help="run one case again and keep its files")
    parser.add_argument(
        "--without", choices=sorted(FIXES), action="append", default=[], help="switch off a protection; repeatable"
    )
    return parser.parse_args(arguments)


def _tell(result: Result, campaign: Campaign) -> None:
    """Print the faults of a case, each in one line."""
    name = identify(campaign, result.number)
    for fault in result.faults:
        print(f"{name}: {fault.check}: {ascii(fault.evidence)[1:-1]} [{result.case.subject}]", flush=True)


def _show_progress(done: int, cases: int) -> None:
    if sys.stderr.isatty():
        print(f"\r{done} of {cases} cases", end="" if done < cases else "\n", file=sys.stderr, flush=True)


def _replay(campaign: Campaign, identity: Identity) -> int:
    adopt_orphans()
    result = run_case(identity, campaign)
    _tell(result, Campaign(identity.seed, campaign.stock, identity.kind))
    print(f"exit code {result.ending.code}, {result.ending.seconds:.2f} s; files: {result.kept}")
    return int(bool(result.faults))


def summary(found: list[Result], seconds: float) -> str:
    """Return a table of the faults by kind and check, and the slowest and the largest case."""
    counts = Counter((r.kind, check) for r in found for check in {fault.check for fault in r.faults})
    cases = Counter(result.kind for result in found)
    rows = [("", "cases", *CHECKS)]
    rows += [(kind, str(n), *(str(counts[kind, check] or "") for check in CHECKS)) for kind, n in sorted(cases.items())]
    rows.append(("all", str(len(found)), *(str(sum(counts[k, check] for k in cases)) for check in CHECKS)))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    table = ["  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in rows]
    slowest = max(found, key=lambda r: r.ending.seconds)
    largest = max(found, key=lambda r: r.ending.peak)
    faulty = sum(bool(result.faults) for result in found)
    codes = ", ".join(f"{code}: {n}" for code, n in sorted(Counter(str(r.ending.code) for r in found).items()))
    return "\n".join(
        (
            *table,
            f"exit codes: {codes}",
            f"slowest: case {slowest.number} ({slowest.kind}), {slowest.ending.seconds:.1f} s",
            f"most memory: case {largest.number} ({largest.kind}), {largest.ending.peak >> 20} MB",
            f"{faulty} of {len(found)} cases with faults, {seconds:.0f} s",
        )
    )


if __name__ == "__main__":
    sys.exit(main())
