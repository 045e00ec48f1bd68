"""Measure the mutation coverage of the suites: ``python docs/mutation_coverage.py [--jobs N] [PROFILE ...]``.

For each profile, the program makes a suite at level standard and tests it with every mutant, as `litecheck suite prove`
does. A profile takes minutes. The program writes docs/kills.yaml, from which docs/mutation-coverage.md and the pages of
the site are generated. The exit code is 1 if a mutant survives.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import yaml

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from docs.mutation_pages import FILE, Coverage, coverages
from litecheck.cli import one_thread
from litecheck.files import atomic_write
from litecheck.suite.manifest import by_operator, read_suite
from litecheck.suite.mutation_coverage import MutantCoverage, MutationCoverage, prove
from litecheck.suite.suite_writer import Scope, make

#: Profiles and the arithmetic of the expected outputs in their suites.
EXPECTED = {
    "litert-int8": "litert-reference",
    "litert-runtime": "litert-reference",
    "litert-int16x8": "litert-reference",
    "litert-uint8": "litert-reference",
    "litert-hybrid": "litert-reference",
    "tflm": "tflm",
}


def record(table: MutationCoverage) -> dict[str, Any]:
    """Return the mutation coverage of a suite as plain data: a row for each operator and type."""
    rows = [
        {
            "operator": opcode,
            "type": kind,
            "beyond": _steps(row for row in several if row.worst > 1),
            "exact": _steps(row for row in several if row.worst == 1),
            "undetected": _steps(row for row in several if not (row.detected or row.because)),
            "equivalent": sum(1 for row in several if row.because),
        }
        for (opcode, kind), several in by_operator(table.rows).items()
    ]
    return {
        "arithmetic": table.arithmetic,
        "cases": table.cases,
        "inferences": table.vectors,
        "rows": rows,
    }


def _steps(rows: Iterable[MutantCoverage]) -> dict[str, list[str]]:
    """Group mutants by step. Example: ``{"requantize": ["single", "floor"], "defect": ["wraps"]}``."""
    found: dict[str, list[str]] = {}
    for row in rows:
        step, variant = row.mistake.split(": ", 1)
        found.setdefault(step, []).append(variant)
    return found


def proved(profile: str, jobs: int) -> MutationCoverage:
    """Return the mutation coverage of a profile's suite."""
    with tempfile.TemporaryDirectory() as folder:
        suite = Path(folder) / "suite"
        make(Scope(profile, flags=False), suite, jobs)
        return prove(read_suite(suite), EXPECTED[profile])


def write(found: dict[str, Coverage]) -> None:
    """Write docs/kills.yaml, with the profiles in the order of EXPECTED."""
    ordered = {profile: found[profile] for profile in EXPECTED if profile in found}
    text = yaml.safe_dump(ordered, default_flow_style=None, width=120, sort_keys=False)
    atomic_write(FILE, text.encode())


def main() -> int:
    """Measure the profiles; return 1 if a mutant survives."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("profiles", nargs="*", choices=[*EXPECTED, []], metavar="PROFILE")
    arguments = parser.parse_args()
    one_thread()
    survived = 0
    for profile in arguments.profiles or EXPECTED:
        table = proved(profile, arguments.jobs)
        survived += len(table.survivors())
        write({**coverages(), profile: record(table)})
        print(f"{profile}: {len(table.non_equivalent)} mutants, {len(table.survivors())} survive", flush=True)
        for row in table.survivors():
            print(f"  {row.opcode} {row.kind}: {row.mistake}")
    return 1 if survived else 0


if __name__ == "__main__":
    sys.exit(main())
