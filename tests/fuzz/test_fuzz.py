"""The reader keeps its contract on fixed mutants, the same on every machine; and the harness notices violations."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest

if not hasattr(os, "fork"):
    pytest.skip("the harness needs fork and resource limits", allow_module_level=True)

from litecheck.checks.validate import validate_file
from litecheck.errors import Problem
from litecheck.report import ModelReport
from tests.fuzz import judge, run
from tests.fuzz.atlas import seed_of
from tests.fuzz.judge import ALL_FORMATS, Outcome, examine
from tests.fuzz.mutate import OPERATORS, RESIZING, Mutant, mutant
from tests.fuzz.run import Result, table_of, warm_up
from tests.fuzz.seeds import FIXTURES, built

pytestmark = pytest.mark.slow

#: Number of mutants here; ``python -m tests.fuzz.run`` takes the number as an option.
MUTANTS = 500


@pytest.fixture(scope="module", autouse=True)
def _this_process(monkeypatch_module: pytest.MonkeyPatch) -> None:
    """Disable the limit of memory: all tests share this process; ``tests.fuzz.run`` measures in separate processes."""
    monkeypatch_module.setattr(judge, "MEMORY", 1 << 50)
    warm_up()


@pytest.fixture(scope="module")
def monkeypatch_module() -> Iterator[pytest.MonkeyPatch]:
    with pytest.MonkeyPatch.context() as patch:
        yield patch


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Mutant, Outcome]]:
    path = tmp_path_factory.mktemp("fuzz") / "mutant.tflite"
    path.with_name("weights.bin").write_bytes(bytes(64))
    found = []
    for number in range(MUTANTS):
        made = mutant(built(), 0, number)
        path.write_bytes(made.content)
        found.append((made, examine(path, formats=ALL_FORMATS if number % 20 == 0 else ("json",))))
    return found


def test_no_mutant_breaks_the_contract(outcomes: list[tuple[Mutant, Outcome]]) -> None:
    broken = [(m.number, m.seed, m.operator, o.verdict, o.detail) for m, o in outcomes if o.violates]
    assert broken == []


def test_mutants_reach_many_problem_codes(outcomes: list[tuple[Mutant, Outcome]]) -> None:
    verdicts = Counter(outcome.verdict for _, outcome in outcomes)
    assert verdicts["accepted"] > MUTANTS / 5
    assert verdicts["rejected"] > MUTANTS / 5
    codes = Counter(code for _, outcome in outcomes for code in outcome.codes)
    assert len(codes) >= 20, codes
    assert {operator for made, _ in outcomes for operator in made.operator.split("+")} >= {
        *(o.__name__ for o in OPERATORS),
        *(o.__name__ for o in RESIZING),
        "tree",
    }
    assert len({made.seed for made, _ in outcomes}) > 10


def test_a_number_always_gives_the_same_mutant() -> None:
    again = [seed_of(FIXTURES / seed.name) for seed in built()]
    for number in range(60):
        assert mutant(built(), 7, number) == mutant(again, 7, number)
    assert mutant(built(), 7, 0).content != mutant(built(), 8, 0).content


def test_a_number_gives_the_same_mutant_in_another_process() -> None:
    code = (
        "from hashlib import sha256; from tests.fuzz.mutate import mutant; from tests.fuzz.seeds import built\n"
        "print(sha256(b''.join(mutant(built(), 3, n).content for n in range(40))).hexdigest())"
    )
    root = FIXTURES.parent
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    here = sha256(b"".join(mutant(built(), 3, n).content for n in range(40))).hexdigest()
    assert done.stdout.strip() == here


def test_a_seed_is_not_changed_by_its_mutants() -> None:
    before = [seed.content for seed in built()]
    for number in range(50):
        mutant(built(), 1, number)
    assert before == [(FIXTURES / seed.name).read_bytes() for seed in built()]


def _raises(path: Path) -> tuple[ModelReport, ...]:
    raise IndexError("list index out of range")


def _loops(path: Path) -> tuple[ModelReport, ...]:
    while True:
        pass


def _runs_out_of_memory(path: Path) -> tuple[ModelReport, ...]:
    raise MemoryError


def _warns(path: Path) -> tuple[ModelReport, ...]:
    import warnings

    warnings.warn("overflow encountered in multiply", RuntimeWarning, stacklevel=1)
    return validate_file(path)


def _returns_no_report(path: Path) -> tuple[ModelReport, ...]:
    return ()


def _without_place(path: Path) -> tuple[ModelReport, ...]:
    return (ModelReport(str(path), "", 0, problems=(Problem("bad", "", None, "something is wrong"),)),)


def _without_code(path: Path) -> tuple[ModelReport, ...]:
    return (ModelReport(str(path), "", 0, problems=(Problem("", "buffers", 4, "something is wrong"),)),)


def _beyond_the_end(path: Path) -> tuple[ModelReport, ...]:
    return (ModelReport(str(path), "", 0, problems=(Problem("bad", "", 1 << 40, "something is wrong"),)),)


@pytest.mark.parametrize(
    ("stub", "verdict"),
    [
        (_raises, "exception"), (_warns, "exception"), (_loops, "hang"), (_runs_out_of_memory, "memory"),
        (_returns_no_report, "no place"), (_without_place, "no place"), (_without_code, "no place"),
        (_beyond_the_end, "no place"), (validate_file, "accepted"),
    ],
)  # fmt: skip
def test_a_broken_reader_is_noticed(stub: judge.Judge, verdict: str) -> None:
    outcome = examine(FIXTURES / "conv_int8.tflite", stub)
    assert outcome.verdict == verdict
    assert outcome.violates == (verdict != "accepted")


def test_too_much_memory_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judge, "MEMORY", 1 << 20)
    assert examine(FIXTURES / "conv_int8.tflite").verdict == "memory"


def test_the_table_counts_every_mutant() -> None:
    found = [
        Result(0, "a", "flip_bits", Outcome("accepted")),
        Result(1, "a", "flip_bits+share", Outcome("rejected")),
        Result(2, "a", "bomb Tensor.shape", Outcome("hang")),
    ]
    lines = table_of(found).splitlines()
    assert [line.split()[0] for line in lines[1:-1]] == ["bomb", "flip_bits", "share"]
    assert lines[-1].split() == ["3", "mutants", "1", "1", "0", "1", "0", "0", "0"]


def test_a_worker_that_ends_is_replaced_after_the_mutant(monkeypatch: pytest.MonkeyPatch) -> None:
    real, fork = run.judge_one, multiprocessing.get_context("fork")

    def deadly(number: int, seed: int, path: Path, public: bool) -> Result:
        if number == 7:
            os._exit(9)
        return real(number, seed, path, public)

    monkeypatch.setattr(run, "judge_one", deadly)
    monkeypatch.setattr(multiprocessing, "get_context", lambda method: fork)
    found = list(run.results(24, 0, 2, public=False))
    assert sorted(result.number for result in found) == list(range(24))
    assert [(r.number, r.outcome.verdict) for r in found if r.outcome.violates] == [(7, "died")]


def test_the_program_checks_in_separate_processes(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "tests.fuzz.run",
        "--mutants",
        "60",
        "--built-only",
        "--out",
        str(tmp_path / "out"),
    ]
    done = subprocess.run(
        command, cwd=FIXTURES.parent, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "60 mutants" in done.stdout
    assert not (tmp_path / "out").exists()
