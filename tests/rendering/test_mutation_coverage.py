"""Proof of a suite: counts, tables, and lists of undetected mistakes."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import replace

import pytest
from rich.console import Console

from litecheck.rendering.formats import render
from litecheck.rendering.mutation_coverage import brief, print_report, summary, values
from litecheck.suite.mutants import FAR
from litecheck.suite.mutation_coverage import MutantCoverage, MutationCoverage

ROWS = (
    MutantCoverage("ADD", "int8", "requantize: single", "rounds once", "ADD/int8/ties", 3, 1),
    MutantCoverage("ADD", "int8", "defect: wraps", "wraps around", "ADD/int8/large", 0, 2_000),
    MutantCoverage("ADD", "uint8", "defect: no-bias", "leaves out the bias", "other/case", 1, FAR),
    MutantCoverage("MUL", "int8", "requantize: floor", "rounds down"),
    MutantCoverage("MUL", "int8", "requantize: same", "rounds alike", because="only powers of two occur"),
)
TABLE = MutationCoverage("1.0", "ab12", "acme", "standard", "tflm", 1_200, 3_400, ROWS)
CAUGHT = replace(TABLE, rows=ROWS[:3])


def text(table: MutationCoverage, verbose: bool = False) -> str:
    console = Console(file=io.StringIO(), width=100)
    print_report(table, console, verbose)
    return console.file.getvalue()  # type: ignore[attr-defined,no-any-return]


@pytest.mark.parametrize(
    ("table", "words"),
    [
        (
            TABLE,
            "4 mutants, 3 detected; under a tolerance of 1 LSB 2; 1 more are equivalent",
        ),
        (CAUGHT, "3 mutants, 3 detected; under a tolerance of 1 LSB 2"),
        (replace(TABLE, rows=ROWS[:1]), "1 mutant, 1 detected; under a tolerance of 1 LSB 0"),
    ],
)
def test_summary(table: MutationCoverage, words: str) -> None:
    assert summary(table) == words


def test_one_line_if_a_mistake_survives() -> None:
    assert brief(TABLE) == f"acme: {summary(TABLE)}\n"
    assert brief(CAUGHT) == ""


def test_counts_for_programs() -> None:
    found = values(TABLE)
    assert found["summary"] == {"mistakes": 4, "caught": 3, "caught_under_1_lsb": 2}
    assert found["litecheck_kills"] == 1
    assert [row["worst"] for row in found["rows"]] == [1, 2_000, FAR, 0, 0]


@pytest.mark.parametrize(("name", "file"), [("text", "txt"), ("markdown", "md")])
def test_whole_reports(name: str, file: str, golden: Callable[[str, str], None]) -> None:
    golden(f"mutation_coverage.{file}", render(TABLE, name))


def test_all_mistakes_if_all_are_wanted(golden: Callable[[str, str], None]) -> None:
    golden("mutation_coverage.verbose.txt", text(TABLE, verbose=True))


def test_no_mistake_is_listed_if_all_are_detected() -> None:
    assert "requantize: single" not in text(CAUGHT)
    assert "Survivors\n" not in render(CAUGHT, "markdown")
    assert "Survivors under a tolerance of 1 LSB" in render(CAUGHT, "markdown")
