"""A conformance suite made, run and judged beside the bare runtime: ``python benchmarks/suite.py``; exit 1 if a goal fails.

Two things in turn, several times, medians of processor seconds of whole processes and their children, starts and imports
included: ``litecheck suite make --no-defects``, ``suite run --device litert:optimized`` and ``suite judge`` of a few
operators; and the bare runtime, one program that builds an interpreter for each of the same cases and makes the same
inferences. Goal: the three together take at most three times as long as the runtime alone. ``--whole`` takes
almost all operators of litert-int8 instead of a few.

Beside them, what they cannot cost less than: the same three commands for a single case, which is what starting them
costs; and the reference's arithmetic alone, each answer of the suite computed once by a program that reads models and
inputs from the suite, its start left out.

Then all 65,536 pairs under ADD, SUB and MUL, parameter set by parameter set, made, run and judged in one process and the
device's own. Goal: at least 20 parameter sets a second of processor time.
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
from litecheck.model.build import quantized
from litecheck.profile.operators import traits_of
from litecheck.suite.case import SuiteCase
from litecheck.suite.manifest import MANIFEST, Manifest, read_suite
from litecheck.suite.result_verdicts import judge
from litecheck.suite.results import read_results
from litecheck.suite.suite_run import run
from litecheck.suite.suite_writer import Scope, write_case

TIMES, SETS = 3.0, 20.0
OPERATORS = ("CONV_2D", "ADD", "SOFTMAX", "AVERAGE_POOL_2D", "LOGISTIC", "RESHAPE")
#: Modules are compiled once, as in an installation, whatever this environment says.
QUIET = {
    **{name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"},
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
}
DEVICE = "litert:optimized"
#: All operators but those of which a conforming case ends LiteRT's process: DEPTHWISE_CONV_2D without a bias does.
WITHOUT_ENDS = "[!D]*"
#: A case whose making, running and judging is next to nothing.
ONE = "RESHAPE/int8/flat-plain"

ANSWERS = r"""
import sys, time
from litecheck.reference.engine.arithmetic import load_arithmetic
from litecheck.reference.engine.interpreter import ReferenceInterpreter
from litecheck.suite.mutant_causes import loaded_case
from litecheck.suite.manifest import read_suite
from litecheck.suite.mutants import computed
suite = read_suite(sys.argv[1])
cases = [loaded_case(suite, case) for case in suite.manifest.cases]
begun = time.process_time()
for case, entry in zip(cases, suite.manifest.cases):
    for answer in entry.answers:
        computed(case, ReferenceInterpreter(case.model, load_arithmetic(answer.arithmetics[0])))
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
    """Processor seconds of this process and of the children that end in it."""
    before = os.times()
    work()
    after = os.times()
    return sum(after[:4]) - sum(before[:4])


def called(*arguments: str) -> None:
    """A command, whatever its verdict is."""
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
    """Median seconds of each step, and of the bare runtime."""
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
    """The three steps for the cases of some patterns."""
    select = [word for pattern in patterns for word in ("--select", pattern)]
    return {
        "make": lambda: called("suite", "make", "-o", str(suite), "--no-defects", "-q", *select),
        "run": lambda: called("suite", "run", str(suite), "-d", DEVICE, "-o", str(results), "-q"),
        "judge": lambda: called("suite", "judge", str(suite), str(results), "-q"),
    }


def program(source: str, suite: Path) -> str:
    """What a program says that is given a suite's folder."""
    command = [sys.executable, "-c", source, str(suite)]
    return subprocess.run(command, env=QUIET, capture_output=True, check=True, text=True).stdout


def least(folder: Path, rounds: int) -> dict[str, float]:
    """Median seconds that the three steps take for one case, and that the answers of the first suite take alone."""
    found: dict[str, list[float]] = {"the three for one case": [], "the answers alone": []}
    for number in range(rounds):
        steps = commands(folder / f"one{number}", folder / f"one-results{number}", (ONE,))
        found["the three for one case"].append(sum(seconds(step) for step in steps.values()))
        found["the answers alone"].append(float(program(ANSWERS, folder / "suite0")))
    return {name: statistics.median(several) for name, several in found.items()}


def pairs(opcode: str, number: int) -> SuiteCase:
    """Every pair of stored values under drawn scales and zero points."""
    rng = np.random.default_rng([number, *opcode.encode()])
    values = np.arange(-128, 128).astype(np.int8)
    scales = np.exp(rng.uniform(-4, 0, 3))
    if opcode == "MUL":
        scales[2] = scales[0] * scales[1] * np.exp(rng.uniform(2, 5))
    else:
        scales[2] = scales[:2].max() * np.exp(rng.uniform(0, 1))
    zeros = rng.integers(-128, 128, 3)
    tensors = [
        run_time(name, (1, 65536), "int8", quantized(scale, zero))
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
    """Parameter sets a second, made, run and judged."""
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
    """Print both tables; 1 where a goal is missed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--whole", action="store_true", help="all operators that do not begin with D")
    parser.add_argument("--sets", type=int, default=40, help="parameter sets of each operator")
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
    console.print(f"all pairs of ADD, SUB, MUL: {rate:.1f} parameter sets a second; goal: at least {SETS:g}")
    console.print(f"{time.monotonic() - start:.0f} s in all")
    return 0 if total <= TIMES * bare and rate >= SETS else 1


if __name__ == "__main__":
    sys.exit(main())
