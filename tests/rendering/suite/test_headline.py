"""First and last lines of suites: the end of make and run in a single line."""

from __future__ import annotations

import pytest

from litecheck.rendering.suite.headline import gaps_sentence, run_sentence
from litecheck.suite.manifest import Manifest
from litecheck.suite.missing_case import MissingCase
from litecheck.suite.run_summary import RunSummary


@pytest.mark.parametrize(
    ("summary", "words"),
    [
        (RunSummary(52, 52, 3, 3, {}), "results of 52 of 52 cases"),
        (
            RunSummary(52, 9, 3, 1, {"refused": 1, "crashed": 1}, "exit status 3\n\nno memory"),
            "results of 9 of 52 cases; 1 of 3 valid cases computed, 1 rejected, 1 crashed: exit status 3; no memory",
        ),
        (
            RunSummary(52, 3, 3, 0, {"timed out": 3}),
            "results of 3 of 52 cases; 0 of 3 valid cases computed, 3 timed out",
        ),
    ],
)
def test_the_end_of_a_run(summary: RunSummary, words: str) -> None:
    assert run_sentence(summary) == words


def gap(opcode: str, kind: str = "int8", form: str = "") -> MissingCase:
    return MissingCase(opcode, kind, form, f"breaks {opcode}/limits/lhs.batch")


@pytest.mark.parametrize(
    ("gaps", "words"),
    [
        ([gap("ADD", form="same"), gap("ADD", "")], ""),
        ([gap("ADD")], "no valid case of 1 operator: ADD int8 (breaks ADD/limits/lhs.batch)"),
        (
            [gap(opcode) for opcode in ("ADD", "SUB", "MUL", "DIV", "POW")],
            "no valid case of 5 operators: ADD int8 (breaks ADD/limits/lhs.batch), SUB int8 (breaks "
            "SUB/limits/lhs.batch), MUL int8 (breaks MUL/limits/lhs.batch), and 2 more, see uncovered in the manifest",
        ),
    ],
)
def test_operators_without_a_valid_case(gaps: list[MissingCase], words: str) -> None:
    manifest = Manifest("litecheck", "litert-int8", "", "smoke", 0, (), (), cases=(), uncovered=tuple(gaps))
    assert gaps_sentence(manifest) == words
