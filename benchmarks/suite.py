"""Time of a conformance suite relative to the bare runtime: ``python benchmarks/suite.py``; exit 1 if a goal fails.

The first part compares two tasks, which alternate. Task A is ``litecheck suite make --no-defects``, ``suite run
--device litert:optimized`` and ``suite judge`` for a few operators. Task B is the bare runtime: a program that builds an
interpreter for each of the same cases and makes the same inferences. Times are medians of processor seconds of processes
and their children, starts and imports included. Goal: task A takes at most three times as long as task B. With
``--whole``, task A has almost all operators of litert-int8.

The three commands for a single case show the cost of their starts. Without this cost, ``suite make`` takes at most 3.3
milliseconds per case, ``suite run`` at most 3. A lower bound is listed as well, the reference's arithmetic: a program
reads models and inputs from the suite and computes each answer once, without its start.

The second part tests all 65,536 pairs of ADD, SUB and MUL for each parameter set: make, run and judge in a process, and
the device in a separate process. Goal: at least 20 parameter sets per second of processor time.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from litecheck.cases.one_operator import one_operator, run_time
from litecheck.devices.registry import open_device
from litecheck.model.build import qparams
from litecheck.profile.operators import traits_of
from litecheck.suite.case import SuiteCase
from litecheck.suite.manifest import MANIFEST, Manifest, read_suite
from litecheck.suite.result_verdicts import judge
from litecheck.suite.results import read_results
from litecheck.suite.suite_run import run
from litecheck.suite.suite_writer import Scope, write_case

TIMES, SETS = 3.0, 20.0
#: Largest number of processor milliseconds per case, without the start of the command.
PER_CASE = {"make": 3.3, "run": 3.0}
OPERATORS = ("CONV_2D", "ADD", "SOFTMAX", "AVERAGE_POOL_2D", "LOGISTIC", "RESHAPE")
#: Environment that keeps compiled modules, as in an installation, with a single thread.
QUIET = {
    **{name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"},
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
}
DEVICE = "litert:optimized"
#: Operators without a conforming case that crashes LiteRT, as DEPTHWISE_CONV_2D without a bias does.
WITHOUT_ENDS = "[!D]*"
#: Case of negligible cost.
ONE = "RESHAPE/int8/flat-plain"

ANSWERS = r"""
import sys, time
from litecheck.reference.engine.arithmetic import load_arithmetic
from litecheck.reference.engine.interpreter import ReferenceInterpreter
from litecheck.suite.mutant_causes import loaded_case
from litecheck.suite.manifest import read_suite
from litecheck.suite.mutants import compute_outputs
suite = read_suite(sys.argv[1])
cases = [loaded_case(suite, case) for case in suite.manifest.cases]
begun = time.process_time()
for case, entry in zip(cases, suite.manifest.cases):
    for answer in entry.answers:
        compute_outputs(case, ReferenceInterpreter(case.model, load_arithmetic(answer.arithmetics[0])))
print(time.process_time() - begun)
"""
RUNTIME = r"""
import json, sys
from pathlib import Path
import numpy as np
from ai_edge_litert.interpreter import Interpreter, OpResolverType
folder = Path(sys.argv[1])
for case in json.loads((folder / "manifest.json").read_text())["cases"]:
    stacks = [np.fromfile(folder / entry["file"], entry["dtype"]).reshape(entry["shape"]) for entry in case["inputs"]]
    try:
        interpreter = Interpreter(str(folder / case["model"]), num_threads=1,
                                  experimental_op_resolver_type=OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES)
        interpreter.allocate_tensors()
        inputs, outputs = interpreter.get_input_details(), interpreter.get_output_details()
        for values in zip(*stacks):
            for entry, array in zip(inputs, values):
                interpreter.set_tensor(entry["index"], array)
            interpreter.invoke()
            made = [interpreter.get_tensor(entry["index"]) for entry in outputs]
    except (RuntimeError, ValueError):
        pass
"""


def seconds(work: Callable[[], object]) -> float:
    """Return the processor seconds of this process and of its children that end during the work."""
    before = os.times()
    work()
    after = os.times()
    return sum(after[:4]) - sum(before[:4])


def called(*arguments: str) -> None:
    """Run a command with any verdict. Raise RuntimeError for another failure."""
    done = subprocess.run(
        [sys.executable, "-m", "litecheck", *arguments],
        env=QUIET,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode > 1:
        raise RuntimeError(done.stderr)


def whole(folder: Path, rounds: int, operators: Sequence[str]) -> dict[str, float]:
    """Return the median seconds of each step and of the bare runtime."""
    found: dict[str, list[float]] = {}
    patterns = [f"{name}/int8/[!r]*" for name in operators]
    for number in range(rounds):
        suite = folder / f"suite{number}"
        steps = commands(suite, folder / f"results{number}", patterns)
        steps["bare runtime"] = lambda s=suite: program(RUNTIME, s)
        for name, step in steps.items():
            found.setdefault(name, []).append(seconds(step))
    return {name: statistics.median(several) for name, several in found.items()}


def commands(suite: Path, results: Path, patterns: Sequence[str]) -> dict[str, Callable[[], object]]:
    """Return the three steps for the cases of some patterns."""
    select = [word for pattern in patterns for word in ("--select", pattern)]
    return {
        "make": lambda: called("suite", "make", "-o", str(suite), "--no-defects", "-q", *select),
        "run": lambda: called("suite", "run", str(suite), "-d", DEVICE, "-o", str(results), "-q"),
        "judge": lambda: called("suite", "judge", str(suite), str(results), "-q"),
    }


def program(source: str, suite: Path) -> str:
    """Run a program with the folder of a suite and return its output."""
    command = [sys.executable, "-c", source, str(suite)]
    return subprocess.run(command, env=QUIET, capture_output=True, check=True, text=True).stdout


def least(folder: Path, rounds: int) -> dict[str, float]:
    """Return the median seconds of each step for a single case, and of the arithmetic of the first suite."""
    found: dict[str, list[float]] = {}
    for number in range(rounds):
        steps = commands(folder / f"one{number}", folder / f"one-results{number}", (ONE,))
        for name, step in steps.items():
            found.setdefault(f"{name}, one case", []).append(seconds(step))
        found.setdefault("the answers alone", []).append(float(program(ANSWERS, folder / "suite0")))
    return {name: statistics.median(several) for name, several in found.items()}


def pairs(opcode: str, number: int) -> SuiteCase:
    """Return a case with every pair of stored values, for random scales and zero points."""
    rng = np.random.default_rng([number, *opcode.encode()])
    values = np.arange(-128, 128).astype(np.int8)
    scales = np.exp(rng.uniform(-4, 0, 3))
    if opcode == "MUL":
        scales[2] = scales[0] * scales[1] * np.exp(rng.uniform(2, 5))
    else:
        scales[2] = scales[:2].max() * np.exp(rng.uniform(0, 1))
    zeros = rng.integers(-128, 128, 3)
    tensors = [
        run_time(name, (1, 65536), "int8", qparams(scale, zero))
        for name, scale, zero in zip(("lhs", "rhs", "output"), scales, zeros, strict=True)
    ]
    model = one_operator(
        opcode,
        tensors[:2],
        tensors[2:],
        {"fused_activation_function": "NONE"},
        version=traits_of(opcode).version,
    )
    runs = ((np.repeat(values, 256).reshape(1, -1), np.tile(values, 256).reshape(1, -1)),)
    return SuiteCase(f"{opcode}/int8/{number}", opcode, "int8", "", "all pairs", "standard", model, runs)


def exhaustive(folder: Path, count: int) -> float:
    """Return the number of parameter sets per second of processor time."""
    suite, results = folder / "pairs", folder / "pairs-results"
    scope = Scope(arithmetics=("litert-optimized",), flags=False)

    def work() -> None:
        suite.mkdir()
        entries = [
            write_case(pairs(opcode, number), suite, scope)
            for opcode in ("ADD", "SUB", "MUL")
            for number in range(count)
        ]
        manifest = Manifest(
            "benchmark",
            "litert-int8",
            "0" * 64,
            "standard",
            0,
            (),
            scope.arithmetics,
            tuple(filter(None, entries)),
        )
        (suite / MANIFEST).write_text(manifest.text())
        read = read_suite(suite)
        device = open_device(DEVICE)
        run(read, device, results)
        device.close()
        report = judge(read, read_results(results, read))
        if report.verdict != "conforms":
            raise RuntimeError(f"{report.counts()}")

    return 3 * count / seconds(work)


def main() -> int:
    """Print the tables and return the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument(
        "--whole", action="store_true", help="measure all operators whose name does not begin with D"
    )
    parser.add_argument("--sets", type=int, default=40, help="number of parameter sets of each operator")
    given = parser.parse_args()
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        found = whole(Path(name), given.rounds, (WITHOUT_ENDS,) if given.whole else OPERATORS)
        bounds = least(Path(name), given.rounds)
        count = len(read_suite(Path(name) / "suite0").manifest.cases)
        rate = exhaustive(Path(name), given.sets)
    bare = found.pop("bare runtime")
    total = sum(found.values())
    table = Table("step", "processor seconds", "x the bare runtime", "cases a second")
    for step, used in (("bare runtime", bare), *found.items(), ("all three", total), *bounds.items()):
        table.add_row(step, f"{used:.2f}", f"{used / bare:.2f}", f"{count / used:.0f}")
    console = Console()
    console.print(table)
    which = "almost all operators" if given.whole else ", ".join(OPERATORS)
    console.print(f"{count} cases of {which}; goal: at most {TIMES:g}x")
    each = {name: 1000 * (found[name] - bounds[f"{name}, one case"]) / (count - 1) for name in PER_CASE}
    for name, most in PER_CASE.items():
        console.print(f"suite {name}: {each[name]:.1f} ms a case without the start; goal: at most {most:g}")
    console.print(f"all pairs of ADD, SUB, MUL: {rate:.1f} parameter sets a second; goal: at least {SETS:g}")
    console.print(f"{time.monotonic() - start:.0f} s in all")
    quick = all(each[name] <= most for name, most in PER_CASE.items())
    return 0 if total <= TIMES * bare and rate >= SETS and quick else 1


if __name__ == "__main__":
    sys.exit(main())
