"""Overhead of a ``command:`` device with all runs of a case in a single start: ``python benchmarks/verify.py batch``.

The program is examples/device.py, started once for each case of a verification of fixtures/conv_int8.tflite. Three tasks
alternate: the bare program on existing folders of runs, the program as a device, and a complete ``litecheck verify``.
The minimum time of each task counts, because further work on the machine disturbs it least. Goal: the device takes at most
1.5 times the time of the program. Exit code 1 if the goal is missed.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from rich.console import Console
from rich.table import Table

from litecheck.devices.outcome import Outcome
from litecheck.devices.port import Answer, Failure, Job
from litecheck.devices.registry import open_device
from litecheck.model.load import load_model
from litecheck.verification.device_run import verify
from litecheck.verification.settings import Settings

ROOT = Path(__file__).parents[1]
MODEL = ROOT / "fixtures" / "conv_int8.tflite"
PROGRAM = [sys.executable, str(ROOT / "examples" / "device.py")]
TIMES = 1.5
#: Shell program that stores its job in a numbered folder and reports the operator as not supported (77).
KEEP = 'n=$(ls "$3" | wc -l); mkdir "$3/$n"; cp -r "$1" "$2" "$3/$n"; exit 77'


class Keeping:
    """Device that only stores its jobs."""

    name = described = "keeping"

    def __init__(self) -> None:
        self.jobs: list[Job] = []

    def run(self, job: Job) -> Answer | Failure:
        """Store the job."""
        self.jobs.append(job)
        return Failure(Outcome.NOT_SUPPORTED, "only kept")

    def close(self) -> None:
        """Do nothing: there is no process."""


def handed_over(jobs: Sequence[Job], folder: Path) -> list[list[str]]:
    """Return the command lines of the program for jobs, with the files that a ``command`` device writes."""
    (folder / "keep.sh").write_text(KEEP)
    (folder / "kept").mkdir()
    keeper = open_device(f"command:sh {folder}/keep.sh {{model}} {{runs}} {folder}/kept")
    for job in jobs:
        keeper.run(job)
    keeper.close()
    kept = sorted((folder / "kept").iterdir(), key=lambda path: int(path.name))
    return [[*PROGRAM, str(path / "model.tflite"), str(path / "runs")] for path in kept]


def seconds(work: Callable[[], object]) -> float:
    """Return the wall time of a task in seconds."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def main() -> int:
    """Measure the tasks, print the times, and return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--times", type=int, default=5, help="number of measurements of each task")
    times = parser.parse_args().times
    os.environ.update(OPENBLAS_NUM_THREADS="1", OMP_NUM_THREADS="1")
    keeping = Keeping()
    verify(load_model(MODEL), keeping, Settings())
    text = f"command:{' '.join(PROGRAM)} {{model}} {{runs}}"
    device = open_device(text)
    whole = [sys.executable, "-m", "litecheck", "verify", str(MODEL), "--device", text, "--quiet"]
    taken: dict[str, list[float]] = {"the program": [], "the device": [], "litecheck verify": []}
    with tempfile.TemporaryDirectory() as folder:
        lines = handed_over(keeping.jobs, Path(folder))
        tasks: dict[str, Callable[[], object]] = {
            "the program": lambda: [subprocess.run(line, check=False, capture_output=True) for line in lines],
            "the device": lambda: [device.run(job) for job in keeping.jobs],
            "litecheck verify": lambda: subprocess.run(whole, check=False, capture_output=True),
        }
        for _ in range(times):
            for name, task in tasks.items():
                taken[name].append(seconds(task))
    device.close()
    return report({name: min(found) for name, found in taken.items()}, keeping.jobs)


def report(quickest: dict[str, float], jobs: Sequence[Job]) -> int:
    """Print the times relative to the program, and return the exit code."""
    runs = sum(len(job.runs) for job in jobs)
    table = Table(title=f"{MODEL.name}: {len(jobs)} cases, {runs:,} invocations, {len(jobs)} starts")
    for head in ("", "seconds", "times the program"):
        table.add_column(head, justify="right" if head else "left")
    own = quickest["the program"]
    for name, found in quickest.items():
        table.add_row(name, f"{found:.2f}", f"{found / own:.2f}")
    met = quickest["the device"] <= TIMES * own
    console = Console()
    console.print(table)
    console.print(f"{'met' if met else 'MISSED'}: at most {TIMES:g} times the program's own time")
    return 0 if met else 1


if __name__ == "__main__":
    raise SystemExit(main())
