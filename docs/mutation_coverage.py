"""Mutation coverage of the profiles' suites: ``python docs/mutation_coverage.py [--jobs N] [PROFILE ...]``.

A profile takes minutes.

For each profile a suite is made at level standard and put to the proof, as `litecheck suite make` and `prove` do it; the
section of docs/mutation-coverage.md that is marked with the profile's name is written. Exits with 1 if a mutant
survives.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from collections.abc import Iterable
from itertools import groupby
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from docs.sessions import ROOT
from litecheck.cli import one_thread
from litecheck.files import atomic_write
from litecheck.suite.manifest import by_operator, read_suite
from litecheck.suite.mutation_coverage import MutantCoverage, MutationCoverage, prove
from litecheck.suite.suite_writer import Scope, make
from litecheck.summary_text import counted

PAGE = ROOT / "docs" / "mutation-coverage.md"
#: Profiles and whose outputs are expected in their suites.
EXPECTED = {
    "litert-int8": "litert-reference",
    "litert-runtime": "litert-reference",
    "litert-int16x8": "litert-reference",
    "litert-uint8": "litert-reference",
    "litert-hybrid": "litert-reference",
    "tflm": "tflm",
}
#: The last column counts mistakes that give what is expected; `litecheck suite prove` names them with the reasons.
_HEAD = "| operator | type | caught under a tolerance of 1 LSB, too | caught by exactness alone | no input shows |\n"


def section(table: MutationCoverage) -> str:
    """The numbers of a suite, and a row for each operator and type: which mistakes are caught, and by what."""
    total, apart = len(table.counted), len(table.rows) - len(table.counted)
    numbers = (
        f"{counted(total, 'mistake')}, {total - len(table.survivors()):,} caught, under a tolerance of 1 LSB "
        f"{total - len(table.survivors(1)):,}; {apart:,} more give what is expected whatever the inputs. "
        f"{counted(table.cases, 'case')}, {counted(table.vectors, 'inference')}; expected is what "
        f"`{table.arithmetic}` gives.\n"
    )
    rows = [
        f"| {_plain(opcode)} | {kind} | {_named(r for r in several if r.worst > 1)} | "
        f"{_named(r for r in several if r.worst == 1)} | {sum(1 for r in several if r.because)} |\n"
        for (opcode, kind), several in by_operator(table.rows).items()
    ]
    survivors = "".join(f"**Not caught**: {r.opcode} {r.kind}, {r.mistake}\n\n" for r in table.survivors())
    return (
        "\n"
        + numbers
        + "\n"
        + survivors
        + _HEAD
        + "| --- | --- | --- | --- | ---: |\n"
        + "".join(rows)
        + "\n"
    )


def _named(rows: Iterable[MutantCoverage]) -> str:
    """``requantize: single, floor; defect: wraps``."""
    pairs = [row.mistake.split(": ", 1) for row in rows]
    steps = groupby(pairs, key=lambda pair: pair[0])
    return "; ".join(f"{step}: {', '.join(variant for _, variant in some)}" for step, some in steps)


def _plain(name: str) -> str:
    return name.replace("_", "\\_")


def proved(profile: str, jobs: int) -> MutationCoverage:
    """The kill table of a profile's suite."""
    with tempfile.TemporaryDirectory() as folder:
        suite = Path(folder) / "suite"
        make(Scope(profile, flags=False), suite, jobs)
        return prove(read_suite(suite), EXPECTED[profile])


def main() -> int:
    """Write the sections; 1 where a mistake survives."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("profiles", nargs="*", choices=[*EXPECTED, []], metavar="PROFILE")
    arguments = parser.parse_args()
    one_thread()
    survived = 0
    for profile in arguments.profiles or EXPECTED:
        table = proved(profile, arguments.jobs)
        survived += len(table.survivors())
        marked = re.compile(rf"(?<=<!-- generated: kills {profile} -->\n).*?(?=<!-- end -->)", re.DOTALL)
        made = section(table)
        text = marked.sub(lambda _, made=made: made, PAGE.read_text("utf-8"), count=1)  # type: ignore[misc]
        atomic_write(PAGE, text.encode())
        print(f"{profile}: {len(table.counted)} mistakes, {len(table.survivors())} not caught", flush=True)
    return 1 if survived else 0


if __name__ == "__main__":
    sys.exit(main())
