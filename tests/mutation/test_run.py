"""Planted mutants: killed by a test, equivalent, impossible to import, and endless; and a slice of the program."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

if not hasattr(os, "fork"):
    pytest.skip("the program needs fork and resource limits", allow_module_level=True)

from tests.mutation.__main__ import survivors_of
from tests.mutation.report import json_of, share_killed, text_of
from tests.mutation.run import Judge, Judgement
from tests.mutation.sites import Mutant
from tests.mutation.targets import ROOT

#: Replacements in litecheck/spelling.py: text of the module, replacement, expected status.
PLANTED = (
    ("cased or next", "cased and next", "killed"),
    (
        "get_close_matches(word, names, 1)",
        "get_close_matches(word, names, 2)",
        "survived",
    ),  # the first one is read
    ("import difflib", "import difflib_", "killed"),
    ("import difflib", "while True:\n        pass", "killed"),
)
_PROGRAM = """
import json, sys
from tests.mutation.run import Judge, warm_up
from tests.mutation.sites import Mutant
warm_up()
judge = Judge(limit=15.0)
judged = [judge.judge(Mutant(**each)) for each in json.load(sys.stdin)]
print(json.dumps([(j.status, j.reason, j.mirrored) for j in judged]))
"""


def ran(*command: str, given: str = "") -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, *command],
        cwd=ROOT,
        input=given,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.stderr.count("Traceback") == 0, done.stderr
    return done


@pytest.mark.slow
def test_planted_mutants() -> None:
    module = "litecheck/spelling.py"
    source, mutants = (ROOT / module).read_text("utf-8"), []
    for before, after, _ in PLANTED:
        start = source.index(before)
        mutants.append({"module": module, "line": 1, "kind": "planted", "start": start, "end": start + len(before),
                            "before": before, "after": after})  # fmt: skip
    found = json.loads(ran("-c", _PROGRAM, given=json.dumps(mutants)).stdout)
    assert [status for status, *_ in found] == [status for *_, status in PLANTED]
    assert all(mirrored for *_, mirrored in found)
    reasons = [reason for _, reason, _ in found]
    assert "test_spelling.py::test_the_closest_word" in reasons[0]
    assert (reasons[1], reasons[3]) == ("", "time limit")


@pytest.mark.slow
def test_a_slice_of_the_program(tmp_path: Path) -> None:
    file = tmp_path / "report.json"
    command = (
        "-m",
        "tests.mutation",
        "--cases",
        "10",
        "--seed",
        "3",
        "--only",
        "litecheck/summary_text.py",
        "-o",
        str(file),
    )
    done = ran(*command, "--at-least", "0.7")
    assert done.returncode == 0, done.stdout
    made = json.loads(file.read_text("utf-8"))
    assert made["seed"] == 3
    assert len(made["mutants"]) == 10
    assert {each["mutant"]["module"] for each in made["mutants"]} == {"litecheck/summary_text.py"}
    assert done.stdout.splitlines()[1].startswith("litecheck ")


def judgement(status: str, module: str = "litecheck/a/b.py", mirrored: bool = True) -> Judgement:
    return Judgement(Mutant(module, 4, "operator", 0, 7, "a <\n  b", "a <= b"), status, "", 1.0, mirrored)  # type: ignore[arg-type]


def test_the_report() -> None:
    some = [
        judgement("killed"),
        judgement("killed"),
        judgement("survived"),
        judgement("unclear", "litecheck/c.py", False),
    ]
    assert share_killed(some) == pytest.approx(2 / 3)
    assert share_killed([]) == 0
    lines = text_of(some).splitlines()
    assert [line.split() for line in lines[1:4]] == [
        ["a", "2", "1", "0", "66.7%"], ["litecheck", "0", "0", "1", "0.0%"], ["all", "2", "1", "1", "66.7%"],
    ]  # fmt: skip
    assert "  litecheck/a/b.py:4: a < b -> a <= b" in lines
    assert lines[-2:] == ["no mirrored test: 1 modules", "  litecheck/c.py"]


@pytest.mark.parametrize(
    ("codes", "status", "runs"),
    [
        ([0], "survived", 1),
        ([5], "survived", 1),
        ([1, 0], "killed", 2),
        ([1, 1], "unclear", 2),
        ([-1, 0], "killed", 2),
    ],
)
def test_a_failing_test_is_run_again_without_the_mutant(
    codes: list[int], status: str, runs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tests.mutation.run import _Ended

    asked = []

    def stated(self: Judge, tests: tuple[str, ...], mutant: Mutant | None) -> _Ended:
        asked.append((tests, mutant))
        code = codes[len(asked) - 1]
        return _Ended(code, "tests/t.py::test_a[number-2]" if code == 1 else "")

    monkeypatch.setattr(Judge, "_run", stated)
    mutant = judgement("killed", "litecheck/spelling.py").mutant
    assert Judge().judge(mutant).status == status
    assert len(asked) == runs
    if codes[0] == 1:
        assert asked[1] == (("tests/t.py::test_a",), None)


def test_survivors_of_a_report_are_judged_again(tmp_path: Path) -> None:
    """Only those whose text stands in the same place."""
    (tmp_path / "litecheck/a").mkdir(parents=True)
    (tmp_path / "litecheck/a/b.py").write_text("a <\n  b\n")
    (tmp_path / "litecheck/c.py").write_text("a < b\n")
    some = [judgement("killed"), judgement("survived"), judgement("survived", "litecheck/c.py")]
    (tmp_path / "report.json").write_text(json_of(some, 7))
    assert survivors_of(tmp_path / "report.json", tmp_path) == (some[1].mutant,)
