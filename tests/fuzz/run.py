"""Mutants and the reader's contract: ``python -m tests.fuzz.run --mutants 40000``.

Each mutant is loaded, validated with the default profiles and rendered, in a worker process with limited memory and a
second of processor time. The table counts the outcomes. Mutants that violate the contract are written to a folder, and
the exit code is 1. LITECHECK_MODELS adds the public models to the seeds.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import resource
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from litecheck.checks.validate import validate_file
from tests.fuzz.judge import ALL_FORMATS, VERDICTS, Outcome, examine
from tests.fuzz.mutate import Mutant, mutant
from tests.fuzz.seeds import FIXTURES, built, everything

#: Address space that a worker may allocate after its start, in bytes.
ROOM = 512 << 20
#: Seconds without a result after which a worker is ended: code outside Python hangs.
PATIENCE = 60.0
#: Every EVERY-th mutant is rendered in all formats, the remaining mutants only as JSON.
EVERY = 10


@dataclass(frozen=True, slots=True)
class Result:
    """Outcome of a single mutant."""

    number: int
    seed: str
    operator: str
    outcome: Outcome


def judge_one(number: int, seed: int, path: Path, public: bool) -> Result:
    """Write the mutant to ``path`` and check the contract for it."""
    made = mutant(everything() if public else built(), seed, number)
    path.write_bytes(made.content)
    formats = ALL_FORMATS if number % EVERY == 0 else ("json",)
    return Result(number, made.seed, made.operator, examine(path, formats=formats))


def _work(pipe: Connection, numbers: range, seed: int, public: bool) -> None:
    """Check mutants until the first violation: its remains must not count for the next mutant."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "mutant.tflite")
        Path(folder, "weights.bin").write_bytes(bytes(64))
        warm_up()
        _ = everything() if public else built()
        _limit(ROOM)
        for number in numbers:
            result = judge_one(number, seed, path, public)
            pipe.send(result)
            if result.outcome.violates:
                return


def warm_up() -> None:
    """Import and read all that is needed once: every renderer, every rule file."""
    for name in ("conv_int8", "int16x8", "float"):
        validate_file(FIXTURES / f"{name}.tflite")
    examine(FIXTURES / "int16x8.tflite", formats=ALL_FORMATS)


def _limit(room: int) -> None:
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    limit = pages * resource.getpagesize() + room
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


@dataclass(slots=True)
class _Worker:
    """Worker process and the mutants that it has not checked."""

    left: range
    seed: int
    public: bool
    process: Any = None
    pipe: Any = field(default=None)

    def start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.pipe, theirs = context.Pipe(False)
        self.process = context.Process(
            target=_work, args=(theirs, self.left, self.seed, self.public), daemon=True
        )
        self.process.start()
        theirs.close()

    def receive(self) -> Result:
        """Return the next result; a worker that ended or violated the contract is restarted after this mutant."""
        try:
            result = self.pipe.recv()
        except (EOFError, OSError):
            self.process.join()
            result = Result(self.left[0], "?", "?", Outcome("died", f"exit code {self.process.exitcode}"))
        self.left = self.left[1:]
        if result.outcome.violates:
            self._end()
            if len(self.left):
                self.start()
        assert isinstance(result, Result)
        return result

    def _end(self) -> None:
        self.process.kill()
        self.process.join()
        self.pipe.close()

    def overdue(self) -> Result:
        """Return the outcome ``hang`` for the mutant of a silent worker, and restart the worker after it."""
        result = Result(self.left[0], "?", "?", Outcome("hang", f"silent for {PATIENCE:.0f} s"))
        self.left = self.left[1:]
        self._end()
        if len(self.left):
            self.start()
        return result


def results(mutants: int, seed: int, jobs: int, public: bool = True) -> Iterator[Result]:
    """Yield the results of mutants 0 to ``mutants``, in the order of their arrival."""
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # each thread of OpenBLAS would take address space
    workers = [_Worker(range(first, mutants, jobs), seed, public) for first in range(min(jobs, mutants))]
    for worker in workers:
        worker.start()
    while any(len(w.left) for w in workers):
        busy = [w for w in workers if len(w.left)]
        ready = wait([w.pipe for w in busy], PATIENCE)
        for worker in busy:
            if not ready:
                yield worker.overdue()
            elif worker.pipe in ready:
                yield worker.receive()


def table_of(found: list[Result]) -> str:
    """Return a table of outcomes by operator; a mutant of several operators counts for each."""
    counts: Counter[tuple[str, str]] = Counter()
    for result in found:
        for operator in dict.fromkeys(result.operator.split("+")):
            counts[operator.split(" ")[0], result.outcome.verdict] += 1
    total = Counter(result.outcome.verdict for result in found)
    rows: list[tuple[str, ...]] = [("", *VERDICTS)]
    for name in sorted({operator for operator, _ in counts}):
        rows.append((name, *(str(counts[name, verdict] or "") for verdict in VERDICTS)))
    rows.append((f"{len(found)} mutants", *(str(total[verdict]) for verdict in VERDICTS)))
    return "\n".join(f"{name:17}" + "".join(f"{cell:>10}" for cell in cells) for name, *cells in rows)


def _save(folder: Path, seed: int, public: bool, result: Result) -> Mutant:
    folder.mkdir(parents=True, exist_ok=True)
    made = mutant(everything() if public else built(), seed, result.number)
    (folder / f"{seed}-{result.number}.tflite").write_bytes(made.content)
    return made


def main(arguments: list[str] | None = None) -> int:
    """Run the program and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.run", description=__doc__.splitlines()[0])
    parser.add_argument("--mutants", type=int, default=40_000, help="number of mutants [default: 40000]")
    parser.add_argument("--seed", type=int, default=0, help="seed of the mutants [default: 0]")
    parser.add_argument("--jobs", type=int, default=2, help="worker processes [default: 2]")
    parser.add_argument("--built-only", action="store_true", help="leave the public models out")
    parser.add_argument(
        "--out",
        type=Path,
        default=Path("fuzz-violations"),
        help="write violating mutants to this folder [default: fuzz-violations]",
    )
    options = parser.parse_args(arguments)
    public = not options.built_only
    console, found = Console(), []
    columns = (TextColumn("mutants"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, disable=not console.is_terminal, transient=True) as progress:
        task = progress.add_task("mutants", total=options.mutants)
        for result in results(options.mutants, options.seed, options.jobs, public):
            found.append(result)
            progress.advance(task)
            if result.outcome.violates:
                made = _save(options.out, options.seed, public, result)
                outcome = result.outcome
                console.print(
                    f"{outcome.verdict}: mutant {made.number} of {made.seed} by {made.operator}: {outcome.detail}"
                )
    print(table_of(found))
    codes = Counter(code for result in found for code in result.outcome.codes)
    print("rejected for: " + ", ".join(f"{code} {n}" for code, n in codes.most_common()))
    slowest = max(found, key=lambda r: r.outcome.seconds)
    print(f"the slowest took {slowest.outcome.seconds:.2f} s (mutant {slowest.number}, {slowest.operator})")
    return int(any(result.outcome.violates for result in found))


if __name__ == "__main__":
    sys.exit(main())
