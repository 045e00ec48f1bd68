"""Bring the documentation's generated parts up to date: ``python docs/generate.py``, or ``--check`` them.

Generated are docs/rules.md and docs/operators.md as a whole, the tables of measurements, arithmetics and formats, and the
output of every console session.
"""

from __future__ import annotations

import inspect
import re
import sys
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from docs.operators import arithmetics_table, page
from docs.sessions import ROOT, refreshed
from docs.vela import constraints_table
from litecheck.files import atomic_write
from litecheck.profile.load import load_profile, profile_names
from litecheck.profile.measurements.registry import MEASUREMENTS, OPERAND_MEASUREMENTS
from litecheck.rendering.formats import formats
from litecheck.rendering.rules import reference

RULES = ROOT / "docs" / "rules.md"
OPERATORS = ROOT / "docs" / "operators.md"
#: Documents that are generated as a whole.
WHOLE = (RULES, OPERATORS)
_MEASUREMENTS = re.compile(r"(?<=<!-- generated: measurements -->\n).*?(?=<!-- end -->)", re.DOTALL)
_FORMATS = re.compile(r"(?<=<!-- generated: formats )(\w+)( -->\n).*?(?=<!-- end -->)", re.DOTALL)
_LAYERS = re.compile(r"(?<=<!-- generated: layers -->\n).*?(?=<!-- end -->)", re.DOTALL)
_CONSTRAINTS = re.compile(r"(?<=<!-- generated: vela constraints -->\n).*?(?=<!-- end -->)", re.DOTALL)
_ARITHMETICS = re.compile(r"(?<=<!-- generated: arithmetics -->\n).*?(?=<!-- end -->)", re.DOTALL)


def documents() -> tuple[Path, ...]:
    """What people read and write: all documents but those that are generated as a whole."""
    return (
        *sorted(ROOT.glob("*.md")),
        *sorted(path for path in (ROOT / "docs").glob("*.md") if path not in WHOLE),
    )


def up_to_date(path: Path) -> str:
    """The document as its generated parts should be today."""
    if path == RULES:
        return reference(map(load_profile, profile_names()))
    if path == OPERATORS:
        return page()
    text = _MEASUREMENTS.sub(lambda _: "".join(_measurements()), path.read_text("utf-8"))
    text = _ARITHMETICS.sub(lambda _: "".join(arithmetics_table()), text)
    text = _CONSTRAINTS.sub(lambda _: "".join(constraints_table()), text)
    text = _FORMATS.sub(lambda m: m[1] + m[2] + "".join(_formats(m[1])), text)
    text = _LAYERS.sub(lambda _: _layers(), text)
    return refreshed(text)


def _layers() -> str:
    """The packages in the order of the first contract of pyproject.toml, the lowest first."""
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
    yield "| format | what it is |\n| --- | --- |\n"
    yield from (f"| `{one.name}` | {one.purpose} |\n" for one in formats(command).values())


def _measurements() -> Iterator[str]:
    yield "| measurement | what it is |\n| --- | --- |\n"
    yield from _rows("", MEASUREMENTS)
    yield from _rows("role.", OPERAND_MEASUREMENTS)


def _rows(prefix: str, functions: Mapping[str, object]) -> Iterator[str]:
    for name, function in functions.items():
        meaning = (inspect.getdoc(function) or "").split("\n\n")[0].replace("\n", " ").replace("``", "`")
        yield f"| `{prefix}{name}` | {meaning} |\n"


def main() -> int:
    """Write what is stale and name it; with ``--check`` only name it, and return 1 if there is any."""
    stale = [(path, text) for path in (*WHOLE, *documents()) if (text := up_to_date(path)) != _read(path)]
    for path, text in stale:
        print(path.relative_to(ROOT))
        if "--check" not in sys.argv[1:]:
            atomic_write(path, text)
    return int(bool(stale) and "--check" in sys.argv[1:])


def _read(path: Path) -> str:
    return path.read_text("utf-8") if path.exists() else ""


if __name__ == "__main__":
    sys.exit(main())
