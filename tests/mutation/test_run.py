"""Planted mutants: killed by a test, equivalent, failing at import, and endless; and a slice of the program."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

if not hasattr(os, "fork"):
    pytest.skip("the program needs fork and resource limits", allow_module_level=True)

from tests.mutation.__main__ import survivors_of
from tests.mutation.equivalents import Equivalents, key_of, read_equivalents
from tests.mutation.reach import Reach
from tests.mutation.report import line_of, read, share_killed, text_of
from tests.mutation.run import Judge, Judgement
from tests.mutation.sites import Mutant, find_mutants
from tests.mutation.targets import ROOT

#: Replacements in litecheck/spelling.py: text of the module, replacement, expected status.
PLANTED = (
    ("alike or next", "alike and next", "killed"),
    (
        "get_close_matches(word, names, 1)",
        "get_close_matches(word, names, 2)",
        "survived",
    ),  # the first match is used
    ("import difflib", "import difflib_", "killed"),
    ("import difflib", "while True:\n        pass", "killed"),
)
_PROGRAM = """
import json, sys
from tests.mutation.run import Judge, warm_up
from tests.mutation.sites import Mutant, find_mutants
warm_up()
judge = Judge(limit=5.0)
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
    """The second start continues the file of the first."""
    file = tmp_path / "report.jsonl"
    command = ("-m", "tests.mutation", "--seed", "2", "--only", "litecheck/spelling.py", "-o", str(file))
    ran(*command, "--cases", "1")
    begun = file.read_text()
    done = ran(*command, "--cases", "2", "--at-least", "0.5")
    assert done.returncode == 0, done.stdout
    assert file.read_text().startswith(begun)
    assert len(begun.splitlines()) == 1
    found = read(file)
    assert len(set(found)) == 2
    assert {each.mutant.module for each in found} == {"litecheck/spelling.py"}
    assert done.stdout.splitlines()[1].startswith("litecheck ")


def judgement(
    status: str, module: str = "litecheck/a/b.py", mirrored: bool = True, stage: str = "file"
) -> Judgement:
    mutant = Mutant(module, 4, "operator", 0, 7, "a <\n  b", "a <= b")
    return Judgement(mutant, status, "", 1.0, mirrored, stage)  # type: ignore[arg-type]


def test_the_report() -> None:
    some = [
        judgement("killed"),
        judgement("killed", stage="package"),
        judgement("survived"),
        judgement("survived", "litecheck/d.py"),
        judgement("unclear", "litecheck/c.py", False),
    ]
    equal = Equivalents({("litecheck/d.py", "", "a < b", "a <= b"): "a is never b"})
    assert share_killed(some, equal) == pytest.approx(2 / 3)
    assert share_killed(some, Equivalents({})) == pytest.approx(1 / 2)
    assert share_killed([], equal) == 0
    lines = text_of(some, equal).splitlines()
    assert [line.split() for line in lines[1:4]] == [
        ["a", "2", "1", "1", "0", "0", "66.7%"],
        ["litecheck", "0", "0", "0", "1", "1", "0.0%"],
        ["all", "2", "1", "1", "1", "1", "66.7%"],
    ]
    assert "  litecheck/a/b.py:4: a < b -> a <= b" in lines
    assert "  litecheck/d.py:4: a < b -> a <= b (a is never b)" in lines
    assert lines[-2:] == ["no mirrored test: 1 modules", "  litecheck/c.py"]


def test_listed_equivalents_exist() -> None:
    """Every entry is a mutant of the present source text."""
    listed = read_equivalents().reasons
    modules = {module for module, *_ in listed}
    found = {
        key_of(mutant)
        for module in modules
        for mutant in find_mutants(module, (ROOT / module).read_text("utf-8"))
    }
    assert listed.keys() - found == set()
    assert all(listed.values())


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

    runs_asked = []

    def stated(self: Judge, tests: tuple[str, ...], mutant: Mutant | None, limit: float) -> _Ended:
        runs_asked.append((tests, mutant, limit))
        code = codes[len(runs_asked) - 1]
        return _Ended(code, "tests/t.py::test_a[number-2]" if code == 1 else "")

    monkeypatch.setattr(Judge, "_run", stated)
    mutant = judgement("killed", "litecheck/spelling.py").mutant
    assert Judge().judge(mutant).status == status
    assert len(runs_asked) == runs
    if codes[0] == 1:
        assert runs_asked[1] == (("tests/t.py::test_a",), None, 60.0)


def test_survivors_of_a_report_are_judged_again(tmp_path: Path) -> None:
    """Survivors are judged again if their text is at the same place."""
    (tmp_path / "litecheck/a").mkdir(parents=True)
    (tmp_path / "litecheck/a/b.py").write_text("a <\n  b\n")
    (tmp_path / "litecheck/c.py").write_text("a < b\n")
    some = [judgement("killed"), judgement("survived"), judgement("survived", "litecheck/c.py")]
    (tmp_path / "report").write_text("".join(map(line_of, some)))
    assert survivors_of(tmp_path / "report", tmp_path) == (some[1].mutant,)


@pytest.mark.parametrize(
    ("codes", "status", "tests"),
    [
        ([1, 0], "killed", ["tests/test_spelling.py"]),
        ([0, 1, 0], "killed", ["tests/test_spelling.py", "tests/test_a.py"]),
        ([0, -1, 0], "survived", ["tests/test_spelling.py", "tests/test_a.py"]),
        ([0, 0], "survived", ["tests/test_spelling.py", "tests/test_a.py"]),
    ],
)
def test_survivors_of_the_mirrored_file_run_the_package(
    codes: list[int], status: str, tests: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A time limit in the package's tests kills no mutant: these tests may take as long without it."""
    from tests.mutation.run import _Ended

    class Known(Reach):
        def __init__(self) -> None:
            pass

        def select(self, mutant: Mutant, files: Sequence[str], done: Sequence[str]) -> tuple[str, ...]:
            assert tuple(done) == ("tests/test_spelling.py",)
            return ("tests/test_a.py",)

    runs_asked = []

    def stated(self: Judge, tests: tuple[str, ...], mutant: Mutant | None, limit: float) -> _Ended:
        runs_asked.append((tests, mutant))
        code = codes[len(runs_asked) - 1]
        return _Ended(code, "tests/t.py::test_a" if code == 1 else "")

    monkeypatch.setattr(Judge, "_run", stated)
    found = Judge(reach=Known()).judge(judgement("killed", "litecheck/spelling.py").mutant)
    assert (found.status, found.stage) == (status, "package" if len(tests) > 1 else "file")
    assert [files[-1] for files, mutant in runs_asked if mutant is not None] == tests
