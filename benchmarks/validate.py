"""Cost of ``litecheck validate`` relative to competing readers of the same models: ``python benchmarks/validate.py``.

The benchmark builds models in a temporary folder and runs each task in a separate process, with alternating repetitions.
It prints medians of processor time, peaks of anonymous memory and the goals. By default it measures the tasks of the
goals, in less than 5 minutes on 2 idle cores; ``--all`` measures every task on every model. Exit code 1 if a goal is
missed.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from built import MODELS, build
from rich.console import Console
from rich.progress import track
from rich.table import Table

HERE = Path(__file__).resolve().parent
#: Tasks in the order of the table; tasks that a goal compares are adjacent.
TASKS = ("validate", "npmin", "verify", "accessors", "interpreter", "quantizer")
TITLES = {
    "validate": "validate",
    "npmin": "np.min",
    "verify": "verify",
    "accessors": "generated accessors",
    "interpreter": "LiteRT Interpreter",
    "quantizer": "quantizer's reader",
}
#: Models that are too large for a task that copies them into Python objects.
TOO_LARGE = {"quantizer": ("1 GB", "3 GB")}
#: Goals: model, task, compared task, and the largest ratio of their times.
RATIOS = (
    ("500k tables", "verify", "accessors", 1 / 40),
    ("50k operators", "validate", "accessors", 1.0),
    ("50k own scales", "validate", "accessors", 1.0),
    ("3 GB", "validate", "npmin", 1.5),
)
#: Goals: model, and the largest peak of anonymous memory of ``validate`` in MB.
PEAKS = (("50k operators", 200), ("50k own scales", 200), ("3 GB", 150))
QUICK = ("4 MB", "50k operators", "50k own scales", "500k tables")
#: Imports of the libraries that the command needs, and the smallest model of the benchmark.
BARE = "import numpy, typer, rich, yaml, flatbuffers"
SMALLEST = HERE.parent / "fixtures" / "conv_int8.tflite"
SAMPLE = 0.002


@dataclass(slots=True)
class Measured:
    """Repetitions of a task on a model; ``note`` is the reason if there are none."""

    seconds: list[float] = field(default_factory=list)
    memory: int = 0
    note: str = ""

    @property
    def median(self) -> float | None:
        return median(self.seconds) if self.seconds else None


@dataclass(frozen=True, slots=True)
class Goal:
    """Limit of a ratio or of a number of megabytes."""

    what: str
    found: float
    limit: float
    unit: str = "x"

    @property
    def met(self) -> bool:
        return self.found <= self.limit


def environment(folder: Path) -> dict[str, str]:
    """Return an environment with this tree first on the path, which keeps compiled modules as an installation does."""
    env = {**os.environ, "PYTHONPATH": f"{HERE.parent}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"}
    env.pop("PYTHONDONTWRITEBYTECODE", None)
    return {**env, "PYTHONPYCACHEPREFIX": str(folder / "compiled"), "TF_CPP_MIN_LOG_LEVEL": "3"}


def once(task: str, model: Path, env: dict[str, str], into: Measured, watched: bool = False) -> None:
    """Run a task once in a child process, timed, or with a sample of its anonymous memory every two milliseconds."""
    if into.note:
        return
    command = [sys.executable, str(HERE / "readers.py"), task, str(model)]
    child = subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    peak = [0]
    watcher = threading.Thread(target=_watch, args=(child, peak))
    if watched:
        watcher.start()
    out, err = child.communicate()
    if watched:
        watcher.join()
    if child.returncode:
        into.note = (err.strip().splitlines() or [f"exit code {child.returncode}"])[-1][:60]
        return
    result = json.loads(out.splitlines()[-1])
    into.memory = max(into.memory, peak[0], result["anonymous"])
    if not watched:
        into.seconds.append(result["seconds"])


def _watch(child: subprocess.Popen[str], peak: list[int]) -> None:
    while child.poll() is None:
        try:
            status = Path(f"/proc/{child.pid}/status").read_text()
        except OSError:
            return
        lines = (line.split() for line in status.splitlines() if line.startswith("RssAnon"))
        peak[0] = max(peak[0], *(int(words[1]) << 10 for words in lines), 0)
        time.sleep(SAMPLE)


def startup(env: dict[str, str], folder: Path, repetitions: int) -> tuple[Measured, Measured]:
    """Measure ``litecheck validate`` on a model of 3 KB, and the imports of its libraries, alternately.

    Times are processor time, because both take less than a second and the machine can have further work.
    """
    judge = [sys.executable, "-m", "litecheck", "validate", str(SMALLEST)]
    pairs = ((judge, Measured()), ([sys.executable, "-c", BARE], Measured()))
    for number in range(repetitions + 1):
        for command, into in pairs:
            child = subprocess.Popen(command, env=env, cwd=folder, stdout=subprocess.DEVNULL)
            _, status, used = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
            if child.returncode:
                sys.exit(f"{' '.join(command)}: exit code {child.returncode}")
            if number:  # the first round compiles
                into.seconds.append(used.ru_utime + used.ru_stime)
    return pairs[0][1], pairs[1][1]


def ratio(mine: Measured, theirs: Measured) -> float:
    """Return the median ratio of the times; both times of a pair were measured consecutively."""
    return median(a / b for a, b in zip(mine.seconds, theirs.seconds, strict=True))


def measure(
    models: dict[str, Path], env: dict[str, str], repetitions: int, console: Console, everything: bool
) -> dict[tuple[str, str], Measured]:
    """Measure the tasks of the goals, or all tasks on all models; each round repeats every task once."""
    compared = {(model, task) for model, *pair, _ in RATIOS for task in pair}
    found = {(model, task): Measured() for model in models for task in TASKS}
    for (model, task), into in found.items():
        if not everything and (model, task) not in compared:
            into.note = "-"
        elif model in TOO_LARGE.get(task, ()):
            into.note = "left out: copies it"
        elif task == "npmin" and "GB" not in model:
            into.note = "-"
        else:
            once(task, models[model], env, into, watched=True)  # also compiles modules, warms the page cache
    todo = [key for _ in range(repetitions) for key in found]
    for key in track(todo, "measuring", console=console, transient=True):
        once(key[1], models[key[0]], env, found[key])
    return found


def goals(found: dict[tuple[str, str], Measured], command: tuple[Measured, Measured]) -> list[Goal]:
    """Return the goals that this run measured."""
    out = [Goal("startup: validate, 3 KB, as a command : the bare imports", ratio(*command), 2.2)]
    for model, task, other, limit in RATIOS:
        mine, theirs = (found.get((model, t), Measured()) for t in (task, other))
        if mine.seconds and theirs.seconds:
            out.append(Goal(f"{model}: {TITLES[task]} : {TITLES[other]}", ratio(mine, theirs), limit))
    for model, most in PEAKS:
        if (model, "validate") in found:
            memory = found[model, "validate"].memory / 1e6
            out.append(Goal(f"{model}: validate, peak of anonymous memory", memory, most, " MB"))
    return out


def show(
    console: Console, sizes: dict[str, int], found: dict[tuple[str, str], Measured], aims: Sequence[Goal]
) -> None:
    """Print a row per model and a column per task: median, ratio to ``validate``, peak of anonymous memory."""
    table = Table("model", *(TITLES[task] for task in TASKS), show_lines=True)
    for model, size in sizes.items():
        cells = (_cell(found[model, task], found[model, "validate"].median) for task in TASKS)
        table.add_row(f"{model}\n{size / 1e6:,.1f} MB", *cells)
    if sizes:
        console.print(table)
    table = Table("goal", "found", "at most", "")
    for aim in aims:
        found_, limit = f"{aim.found:.3g}{aim.unit}", f"{aim.limit:.3g}{aim.unit}"
        table.add_row(aim.what, found_, limit, "met" if aim.met else "MISSED")
    console.print(table)


def _cell(measured: Measured, whole: float | None) -> str:
    if measured.median is None:
        return measured.note
    ratio = f"{measured.median / whole:.2g} x" if whole else "-"
    return f"{1e3 * measured.median:,.1f} ms\n{ratio}\n{measured.memory / 1e6:,.0f} MB"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--all", action="store_true", help="measure every task on every model, which takes longer"
    )
    parser.add_argument(
        "--quick", action="store_true", help="omit models of gigabytes, and repeat less often"
    )
    parser.add_argument(
        "--startup", action="store_true", help="measure only the start of the command, without models"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the numbers to this file")
    parser.add_argument("--repetitions", type=int, default=None, help="default 7, with --quick 3")
    options = parser.parse_args()
    repetitions = options.repetitions or (3 if options.quick else 7)
    console = Console()
    with tempfile.TemporaryDirectory(prefix="litecheck-benchmark-") as name:
        folder = Path(name)
        env = environment(folder)
        compared = tuple(m for m in MODELS if any(m == model for model, *_ in RATIOS))
        chosen = MODELS if options.all else () if options.startup else QUICK if options.quick else compared
        models = {
            m: build(m, folder) for m in track(chosen, "building models", console=console, transient=True)
        }
        found = measure(models, env, repetitions, console, options.all)
        command = startup(env, folder, 3 * repetitions)
        sizes = {model: path.stat().st_size for model, path in models.items()}
    aims = goals(found, command)
    show(console, sizes, found, aims)
    whole, bare = (1e3 * c.median if c.median else 0.0 for c in command)
    console.print(f"startup: validate {whole:.0f} ms of processor time, bare imports {bare:.0f} ms")
    if options.json:
        options.json.write_text(json.dumps(as_json(found, command, aims), indent=1) + "\n")
    return 0 if all(aim.met for aim in aims) else 1


def as_json(
    found: dict[tuple[str, str], Measured], command: tuple[Measured, Measured], aims: Sequence[Goal]
) -> dict[str, object]:
    """Return seconds and bytes, with a ``note`` for tasks that were not measured."""
    return {
        "tasks": [
            {"model": m, "task": t, "seconds": r.median, "anonymous": r.memory, "note": r.note}
            for (m, t), r in found.items()
        ],
        "startup": {"validate": command[0].median, "imports": command[1].median},
        "goals": [
            {"goal": a.what, "found": a.found, "at_most": a.limit, "unit": a.unit, "met": a.met} for a in aims
        ],
    }


if __name__ == "__main__":
    sys.exit(main())
