"""Hostile inputs for all commands: ``python -m tests.fuzz.hostile --cases 5000``.

Each case writes hostile files into a separate folder and runs a single command on them with limits of time and memory.
It then checks the output, the written files, the started processes and the remaining files. Faults are printed when
they are found; the exit code is 1 if there is a fault. ``--replay KIND-NUMBER`` runs a single case again and keeps its
folder.
"""

from __future__ import annotations

import argparse
import multiprocessing
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from tests.fuzz.hostile import server, stock
from tests.fuzz.hostile.case import Result
from tests.fuzz.hostile.checks import CHECKS
from tests.fuzz.hostile.kinds import KINDS
from tests.fuzz.hostile.process import Limits
from tests.fuzz.hostile.without import FIXES


def results(options: argparse.Namespace, folder: Path, sound: Path) -> Iterator[Result]:
    """Yield the results of all cases as the server processes report them."""
    context = multiprocessing.get_context("spawn")
    pipes: list[Any] = []
    processes: list[Any] = []
    limits = Limits(options.seconds, options.memory << 20)
    for first in range(options.jobs):
        ours, theirs = context.Pipe(False)
        numbers = range(first, options.cases, options.jobs)
        arguments = (
            theirs,
            numbers,
            options.seed,
            tuple(options.only),
            folder,
            sound,
            limits,
            tuple(options.without),
        )
        processes.append(context.Process(target=server.serve, args=arguments))
        processes[-1].start()
        theirs.close()
        pipes.append(ours)
    try:
        while pipes:
            for ready in wait(pipes):
                pipe: Any = ready
                result = pipe.recv()
                if result is None:
                    pipes.remove(pipe)
                else:
                    yield result
    except EOFError:
        raise SystemExit("a server ended before its last case: see the message above") from None
    finally:
        for process in processes:
            process.terminate()
            process.join()


def describe_result(result: Result) -> str:
    """Return a case with faults as a few lines of text."""
    command = " ".join(ascii(word)[1:-1] if word.isprintable() else ascii(word) for word in result.case.argv)
    lines = [f"{result.kind}-{result.number}: {result.case.title}", f"  $ litecheck {command[:400]}"]
    lines += [f"  {fault.check}: {fault.evidence[:400]!a}" for fault in result.faults[:6]]
    return "\n".join(lines)


def summary(found: list[Result], seconds: float) -> str:
    """Return a table of cases and faults by kind and check, with exit codes and the largest use of time and memory."""
    checks = list(CHECKS)
    counts = Counter((r.kind, check) for r in found for check in {f.check for f in r.faults})
    rows = [("kind", "cases", *checks)]
    for kind in sorted({r.kind for r in found}):
        cases = sum(r.kind == kind for r in found)
        rows.append((kind, str(cases), *(str(counts[kind, check] or ".") for check in checks)))
    total = [sum(counts[kind, check] for kind in KINDS) for check in checks]
    rows.append(("total", str(len(found)), *map(str, total)))
    table = "\n".join(f"{row[0]:15}" + "".join(f"{cell:>14}" for cell in row[1:]) for row in rows)
    codes = ", ".join(f"{code} {n}" for code, n in sorted(Counter(str(r.code) for r in found).items()))
    slow, large = max(found, key=lambda r: r.seconds), max(found, key=lambda r: r.peak)
    faulty = sum(bool(r.faults) for r in found)
    return (
        f"{table}\n{len(found)} cases in {seconds:.0f} s, {faulty} with faults; exit codes: {codes}\n"
        f"slowest: {slow.kind}-{slow.number}, {slow.seconds:.1f} s; "
        f"most memory: {large.kind}-{large.number}, {large.peak >> 20} MB"
    )


def distinct(found: list[Result]) -> str:
    """Return tracebacks and limits, once for each place or command, with a case that reproduces them."""
    groups: dict[str, list[str]] = {}
    for result in found:
        for fault in result.faults:
            if fault.check in (
                "traceback",
                "limits",
                "processes",
                "elsewhere",
                "foreign code",
                "disclosed",
                "exit code",
            ):
                place = (
                    fault.evidence.rpartition(" (")[2] if fault.check == "traceback" else result.case.title
                )
                evidence = (
                    fault.evidence.partition(": ")[2].partition(":")[0] if fault.check == "traceback" else ""
                )
                groups.setdefault(f"{fault.check}: {evidence[-60:]} {place[-110:]!a}", []).append(
                    f"{result.kind}-{result.number}"
                )
    return "\n".join(f"{len(cases):5} {title}  {cases[0]}" for title, cases in sorted(groups.items()))


def arguments(given: list[str] | None) -> argparse.Namespace:
    """Parse the command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.hostile", description=__doc__.splitlines()[0])
    parser.add_argument("--cases", type=int, default=5000, help="number of cases [default: 5000]")
    parser.add_argument("--seed", type=int, default=0, help="seed of the cases [default: 0]")
    parser.add_argument("--jobs", type=int, default=2, help="server processes [default: 2]")
    parser.add_argument(
        "--only", action="append", default=[], choices=sorted(KINDS), help="run only this kind (repeatable)"
    )
    parser.add_argument("--keep", type=Path, help="keep the files of cases with faults in this folder")
    parser.add_argument(
        "--without",
        action="append",
        default=[],
        choices=sorted(FIXES),
        help="switch a protection off (repeatable)",
    )
    parser.add_argument("--replay", metavar="KIND-NUMBER", help="run one case again and keep its folder")
    parser.add_argument("--stock", type=Path, help="take valid files from this folder; create it if missing")
    parser.add_argument(
        "--seconds", type=float, default=45, help="limit the processor time of a command [default: 45]"
    )
    parser.add_argument(
        "--memory",
        type=int,
        default=1536,
        help="limit the memory of a command in MB [default: 1536]",
    )
    return parser.parse_args(given)


def main(given: list[str] | None = None) -> int:
    """Run the program and return the exit code."""
    options = arguments(given)
    folder = Path(tempfile.mkdtemp(prefix="hostile-"))
    try:
        sound = (options.stock or folder / "stock").absolute()
        if not sound.exists():
            stock.make(sound)
        if options.replay:
            return replay(options, sound)
        return campaign(options, folder, sound)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def replay(options: argparse.Namespace, sound: Path) -> int:
    """Run a case again and print all its output."""
    kind, _, number = options.replay.rpartition("-")
    server.prepare()
    for fix in options.without:
        FIXES[fix][0]()
    folder = Path(tempfile.mkdtemp(prefix=f"{options.replay}-"))
    limits = Limits(options.seconds, options.memory << 20)
    result = server.run_case(options.seed, int(number), kind, folder / "case", sound, limits)
    print(describe_result(result))
    print(
        f"exit code {result.code}, {result.seconds:.1f} s, {result.peak >> 20} MB; {len(result.faults)} faults"
    )
    for name in ("stdout", "stderr"):
        file = folder / "case" / "said" / name
        if file.exists():
            print(f"{name}: {file.read_bytes()[:3000]!a}")
    print(f"files: {folder}")
    return int(bool(result.faults))


def campaign(options: argparse.Namespace, folder: Path, sound: Path) -> int:
    """Run all cases and return the exit code."""
    console, found, started = Console(), [], time.monotonic()
    columns = (TextColumn("cases"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal, transient=True) as progress:
        task = progress.add_task("cases", total=options.cases)
        for result in results(options, folder, sound):
            found.append(result)
            progress.advance(task)
            if result.where:
                print(describe_result(result), flush=True)
                if options.keep:
                    options.keep.mkdir(parents=True, exist_ok=True)
                    shutil.move(result.where, options.keep / f"{options.seed}-{result.where.name}")
                else:
                    shutil.rmtree(result.where, ignore_errors=True)
    print(distinct(found))
    print(summary(found, time.monotonic() - started))
    return int(any(r.faults for r in found))


if __name__ == "__main__":
    sys.exit(main())
