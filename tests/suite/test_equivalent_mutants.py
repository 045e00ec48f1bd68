"""Reasons for mutants that give the expected outputs."""

from __future__ import annotations

from pathlib import Path

import pytest

from litecheck.errors import ProfileError
from litecheck.suite import equivalent_mutants as module
from litecheck.suite.equivalent_mutants import EquivalentMutant, equivalent_mutants, reason_of

FILE = """\
equivalents:
  - {operators: "*", types: int8, mistakes: "defect: a", because: first}
  - {operators: [ADD, CONV_*], types: [int8, int16], mistakes: ["defect: a", "x: *"], because: second}
  - {operators: MUL, types: int8, mistakes: "y: *", profiles: "acme*", because: third}
"""


@pytest.fixture
def rules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Replace the folder of litecheck's rules, and return the path of the file of reasons."""
    (tmp_path / "suite").mkdir()
    monkeypatch.setattr(module, "rules_dir", lambda: tmp_path)
    monkeypatch.setattr(module, "equivalent_mutants", equivalent_mutants.__wrapped__)
    return tmp_path / "suite" / "equivalents.yaml"


@pytest.mark.parametrize(
    ("opcode", "kind", "mistake", "profile", "reason"),
    [
        ("ADD", "int8", "defect: a", "p", "first"),
        ("ADD", "int16", "defect: a", "p", "second"),
        ("CONV_2D", "int16", "x: anything", "p", "second"),
        ("SUB", "int16", "defect: a", "p", ""),
        ("ADD", "int8", "z", "p", ""),
        ("MUL", "int8", "y: 1", "acme-npu", "third"),
        ("MUL", "int8", "y: 1", "p", ""),
    ],
)
def test_reasons(rules: Path, opcode: str, kind: str, mistake: str, profile: str, reason: str) -> None:
    rules.write_text(FILE)
    assert reason_of(opcode, kind, mistake, profile) == reason


def test_entries(rules: Path) -> None:
    rules.write_text(FILE)
    assert module.equivalent_mutants()[2] == EquivalentMutant(
        ("MUL",), ("int8",), ("y: *",), "third", ("acme*",)
    )


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("equivalents: {}\n", 1, "equivalents is a list"),
        ("equivalents:\n  - {types: int8, because: x}\n", 2, "an entry without operators, mistakes"),
        (f"{FILE}  - {{operators: A, more: 1}}\n", 5, "more"),
    ],
)
def test_invalid_files(rules: Path, text: str, line: int, message: str) -> None:
    rules.write_text(text)
    with pytest.raises(ProfileError, match=message) as refused:
        module.equivalent_mutants()
    assert refused.value.line == line
