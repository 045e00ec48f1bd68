"""Faults of the simulator ``examples/npu.c`` and a suite: ``python -m tests.differential.npu build/suite``.

The simulator runs all cases of a fault's operator. The fault is detected if no arithmetic of the suite has all outputs.
``--first`` compares a single inference of each case, in the order of ``suite run --budget``. The exit code is 1 if the
simulator without a fault differs, or if the share of detected faults is below ``--least``.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import tempfile
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from litecheck.suite.budget import rank_runs
from litecheck.suite.manifest import CaseEntry, Suite, read_suite

SOURCE = Path(__file__).resolve().parents[2] / "examples" / "npu.c"
_LINE = re.compile(r"^ \* (\d+) ([A-Z0-9_]+) (geometry|arithmetic): (.+?)(?: \*/)?$", re.MULTILINE)


@dataclass(frozen=True)
class NpuFault:
    """Fault of the simulator: its number for ``-DFAULT``, operator, kind and description; 0 is none."""

    number: int
    opcode: str
    kind: str
    text: str


def read_faults() -> tuple[NpuFault, ...]:
    """Return the faults that the comment of the source lists."""
    return tuple(NpuFault(int(n), *rest) for n, *rest in _LINE.findall(SOURCE.read_text("utf-8")))


def compile_simulator(folder: Path) -> Path:
    """Return the simulator, compiled without a warning. Raise FileNotFoundError without a compiler."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if compiler is None:
        raise FileNotFoundError("there is no C compiler")
    program = folder / "npu"
    flags = ("-std=c99", "-O2", "-Wall", "-Wextra", "-Werror")
    subprocess.run([compiler, *flags, str(SOURCE), "-o", str(program), "-lm"], check=True)
    return program


def outputs(
    program: Path, fault: int, suite: Suite, cases: Sequence[CaseEntry], results: Path
) -> dict[str, NDArray[np.uint8]]:
    """Return the bytes of the first output of every case that the simulator computes, a row for each run."""
    names = "".join(f"{case.name}\n" for case in cases)
    done = subprocess.run([program, suite.folder, results, str(fault)], input=names, text=True, timeout=600)
    if done.returncode:
        return {}
    files = ((case, results / "outputs" / case.name / "output-0.bin") for case in cases)
    return {
        case.name: np.fromfile(file, np.uint8).reshape(case.runs, -1) for case, file in files if file.exists()
    }


def fitting(suite: Suite, case: CaseEntry, made: NDArray[np.uint8] | None, first: bool) -> frozenset[str]:
    """Return the arithmetics of the suite that have exactly these outputs; ``first`` compares a single inference."""
    if made is None:
        return frozenset()
    runs = list(rank_runs(case)[0]) if first else list(range(case.runs))
    fits: set[str] = set()
    for answer in case.answers:
        path = suite.folder / answer.outputs[0].file
        expected = np.fromfile(path, np.uint8).reshape(case.runs, -1)
        if made.shape == expected.shape and np.array_equal(made[runs], expected[runs]):
            fits.update(answer.arithmetics)
    return frozenset(fits)


def required(suite: Suite, opcode: str) -> list[CaseEntry]:
    """Return the cases of an operator that every device must compute."""
    return [c for c in suite.manifest.cases if c.opcode == opcode and not c.broken and not c.optional]


def conforms(program: Path, fault: int, suite: Suite, opcode: str, first: bool = False) -> bool:
    """Return True if the simulator fits an arithmetic on every row of the report on an operator; fault 0 is none."""
    rows: dict[str, frozenset[str]] = {}
    with tempfile.TemporaryDirectory() as folder:
        cases = required(suite, opcode)
        given = outputs(program, fault, suite, cases, Path(folder))
        for case in cases:
            fits = fitting(suite, case, given.get(case.name), first)
            rows[case.granularity] = rows.get(case.granularity, fits) & fits
    return bool(cases) and all(rows.values())


def report(suite: Suite, faults: Sequence[NpuFault], first: bool, least: float) -> int:
    """Print undetected faults and the share of detected faults; return 1 if a requirement fails."""
    total, found = Counter[str](), Counter[str]()
    with tempfile.TemporaryDirectory() as folder:
        program = compile_simulator(Path(folder))
        wrong = [op for op in {f.opcode: None for f in faults} if not conforms(program, 0, suite, op)]
        for opcode in wrong:
            print(f"the simulator without a fault differs: {opcode}")
        for fault in faults:
            seen = not conforms(program, fault.number, suite, fault.opcode, first)
            total[fault.kind] += 1
            found[fault.kind] += seen
            if not seen:
                print(f"not detected: {fault.number} {fault.opcode} {fault.kind}: {fault.text}", flush=True)
    for kind, of in total.items():
        print(f"{kind}: {found[kind]} of {of} detected")
    share = sum(found.values()) / max(sum(total.values()), 1)
    print(f"all: {share:.1%}")
    return int(bool(wrong) or share < least)


def main(words: Sequence[str] | None = None) -> int:
    """Measure the faults that the command line selects."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("suite", type=Path, help="Read this suite.")
    parser.add_argument(
        "--only", type=int, nargs="+", metavar="N", help="Run only these faults. [default: all]"
    )
    parser.add_argument("--first", action="store_true", help="Compare one inference for each case.")
    parser.add_argument("--least", type=float, default=0.97, help="Require this share. [default: 0.97]")
    args = parser.parse_args(words)
    faults = [fault for fault in read_faults() if not args.only or fault.number in args.only]
    return report(read_suite(args.suite), faults, args.first, args.least)


if __name__ == "__main__":
    raise SystemExit(main())
