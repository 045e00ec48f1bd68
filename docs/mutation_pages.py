"""Tables and pages of mutation coverage, generated from docs/kills.yaml, which docs/mutation_coverage.py measures."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

FILE = Path(__file__).with_name("kills.yaml")
#: Mutation coverage of a suite: arithmetic, cases, inferences, and a row for each operator and type.
Coverage = dict[str, Any]


def coverages() -> dict[str, Coverage]:
    """Return the coverage of every measured profile."""
    found: dict[str, Coverage] = yaml.safe_load(FILE.read_text("utf-8"))
    return found


def profiles_table() -> Iterator[str]:
    """Yield a row for each profile."""
    yield "| suite of | arithmetic | cases | inferences | mutants | detected | within 1 LSB | equivalent |\n"
    yield "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |\n"
    for profile, one in coverages().items():
        beyond, exact, undetected = _counts(one["rows"])
        equivalent = sum(row["equivalent"] for row in one["rows"])
        yield (
            f"| `{profile}` | `{one['arithmetic']}` | {one['cases']:,} | {one['inferences']:,} | "
            f"{beyond + exact + undetected} | {beyond + exact} | {exact} | {equivalent} |\n"
        )


def operators_table() -> Iterator[str]:
    """Yield a row for each operator, with a column for each profile. Example of a cell: ``5 of 12``."""
    found = coverages()
    rows: dict[str, dict[str, list[Mapping[str, Any]]]] = {}
    for profile, one in found.items():
        for row in one["rows"]:
            rows.setdefault(row["operator"], {}).setdefault(profile, []).append(row)
    yield f"| operator | {' | '.join(found)} |\n| --- |{' ---: |' * len(found)}\n"
    for operator in sorted(rows):
        yield f"| {operator} | {' | '.join(_cell(rows[operator].get(name, ())) for name in found)} |\n"


def pages() -> dict[str, str]:
    """Return the pages of the site by path: a page for each profile with the names of all mutants."""
    return {f"kills/{profile}": _page(profile, one) for profile, one in coverages().items()}


def _page(profile: str, one: Coverage) -> str:
    head = (
        f"# Mutants of the suite of {profile}\n\n"
        "A mutant is a step of the operator with another variant, or a defect: see [operators](../operators.md).\n\n"
        "| operator | type | differs by more than 1 LSB | differs by 1 LSB | not detected | equivalent |\n"
        "| --- | --- | --- | --- | --- | ---: |\n"
    )
    rows = (
        f"| {row['operator']} | {row['type']} | {_named(row['beyond'])} | {_named(row['exact'])} | "
        f"{_named(row['undetected'])} | {row['equivalent']} |\n"
        for row in one["rows"]
    )
    return head + "".join(rows)


def _counts(rows: Iterable[Mapping[str, Any]]) -> tuple[int, int, int]:
    """Return the number of mutants that differ by more than 1 LSB, by 1 LSB, and that are not detected."""
    several = list(rows)
    beyond, exact, undetected = (
        sum(len(variants) for row in several for variants in row[key].values())
        for key in ("beyond", "exact", "undetected")
    )
    return beyond, exact, undetected


def _cell(rows: Iterable[Mapping[str, Any]]) -> str:
    beyond, exact, undetected = _counts(rows)
    total = beyond + exact + undetected
    return f"{exact + undetected} of {total}" if total else ""


def _named(steps: Mapping[str, list[str]]) -> str:
    """Return ``requantize: single, floor; defect: wraps``."""
    return "; ".join(f"{step}: {', '.join(variants)}" for step, variants in steps.items())
