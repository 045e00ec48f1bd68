"""Write the generated parts of the documentation: ``python docs/generate.py``; ``--check`` only compares.

Whole pages are docs/rules.md, docs/operators.md and docs/arithmetic.md. Parts of pages are the tables between
``generated`` markers, and the output of every console session. docs/site.py generates the pages of the site only.
"""

from __future__ import annotations

import argparse
import re
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from docs import arithmetic
from docs.measurements import measurements_table
from docs.mutation_pages import operators_table, profiles_table
from docs.operators import arithmetics_table, page
from docs.rules_index import index
from docs.sessions import ROOT, refreshed
from docs.target_pages import matrix
from docs.vela import constraints_table
from litecheck.files import atomic_write
from litecheck.rendering.formats import formats

RULES = ROOT / "docs" / "rules.md"
OPERATORS = ROOT / "docs" / "operators.md"
ARITHMETIC = ROOT / "docs" / "arithmetic.md"
#: Documents that are generated as a whole.
WHOLE = (RULES, OPERATORS, ARITHMETIC)
_MEASUREMENTS = re.compile(r"(?<=<!-- generated: measurements -->\n).*?(?=<!-- end -->)", re.DOTALL)
_FORMATS = re.compile(r"(?<=<!-- generated: formats )([\w-]+)( -->\n).*?(?=<!-- end -->)", re.DOTALL)
_LAYERS = re.compile(r"(?<=<!-- generated: layers -->\n).*?(?=<!-- end -->)", re.DOTALL)
_CONSTRAINTS = re.compile(r"(?<=<!-- generated: vela constraints -->\n).*?(?=<!-- end -->)", re.DOTALL)
_MATRIX = re.compile(r"(?<=<!-- generated: operators by target -->\n).*?(?=<!-- end -->)", re.DOTALL)
_COVERAGE = re.compile(r"(?<=<!-- generated: mutation coverage -->\n).*?(?=<!-- end -->)", re.DOTALL)
_MUTANTS = re.compile(
    r"(?<=<!-- generated: mutation coverage by operator -->\n).*?(?=<!-- end -->)", re.DOTALL
)
_ARITHMETICS = re.compile(r"(?<=<!-- generated: arithmetics -->\n).*?(?=<!-- end -->)", re.DOTALL)


def documents() -> tuple[Path, ...]:
    """Return all documents except those that are generated as a whole."""
    return (
        *sorted(ROOT.glob("*.md")),
        *sorted(path for path in (ROOT / "docs").rglob("*.md") if path not in WHOLE),
    )


def up_to_date(path: Path) -> str:
    """Return a document with its generated parts written again."""
    if path == RULES:
        return index()
    if path == OPERATORS:
        return page()
    if path == ARITHMETIC:
        return arithmetic.page()
    text = _MEASUREMENTS.sub(lambda _: "".join(measurements_table()), path.read_text("utf-8"))
    text = _ARITHMETICS.sub(lambda _: "".join(arithmetics_table()), text)
    text = _CONSTRAINTS.sub(lambda _: "".join(constraints_table()), text)
    text = _MATRIX.sub(lambda _: "".join(matrix()), text)
    text = _COVERAGE.sub(lambda _: "".join(profiles_table()), text)
    text = _MUTANTS.sub(lambda _: "".join(operators_table()), text)
    text = _FORMATS.sub(lambda m: m[1] + m[2] + "".join(_formats(m[1])), text)
    text = _LAYERS.sub(lambda _: _layers(), text)
    return refreshed(text)


def _layers() -> str:
    """Return the packages in the order of the first contract of pyproject.toml, the lowest first."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    rows = [
        re.sub(r"litecheck\.", "", row).replace(" : ", ", ").replace(" | ", ", ")
        for row in contracts[0]["layers"]
    ]
    named = (", ".join(f"`{name}`" for name in row.split(", ")) for row in reversed(rows))
    return textwrap.fill("; ".join(named) + ".", 120) + "\n"


def _formats(command: str) -> Iterator[str]:
    yield "| format | purpose |\n| --- | --- |\n"
    yield from (f"| `{one.name}` | {one.purpose} |\n" for one in formats(command).values())


def main() -> int:
    """Write and print stale documents. With ``--check``, only print them, and return 1 if there are any."""
    parser = argparse.ArgumentParser(description="Write the generated parts of the documentation.")
    parser.add_argument(
        "--check", action="store_true", help="only list stale files; exit code 1 if there are any"
    )
    check = parser.parse_args().check
    stale = [(path, text) for path in (*WHOLE, *documents()) if (text := up_to_date(path)) != _read(path)]
    for path, text in stale:
        print(path.relative_to(ROOT))
        if not check:
            atomic_write(path, text)
    return int(bool(stale) and check)


def _read(path: Path) -> str:
    return path.read_text("utf-8") if path.exists() else ""


if __name__ == "__main__":
    sys.exit(main())
