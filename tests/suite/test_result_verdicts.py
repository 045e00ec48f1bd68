"""Verdicts on a device's results: exact, wrong, and every kind of failure."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from litecheck.devices.outcome import Outcome
from litecheck.devices.port import Answer, Failure, Job
from litecheck.errors import ConfigError
from litecheck.reference.engine.arithmetic import load_arithmetic
from litecheck.suite.case_outcome import CaseOutcome
from litecheck.suite.executed_case import broken_ending
from litecheck.suite.manifest import Suite, read_suite
from litecheck.suite.result_verdicts import judge
from litecheck.suite.results import ANSWERED, RESULTS, CaseResult, read_results
from litecheck.suite.suite_run import run
from litecheck.suite.suite_writer import Scope, make
from litecheck.suite.verdict import SuiteReport
from litecheck.verification.settings import Budget
from tests.suite.devices import Computing, arithmetic

pytestmark = pytest.mark.slow


def judged(suite: Suite, device: Computing, folder: Path, *arithmetics: str) -> SuiteReport:
    run(suite, device, folder)
    return judge(suite, read_results(folder, suite), arithmetics)


@pytest.mark.parametrize("name", ["litert-reference", "litert-optimized", "litert-xnnpack", "tflm"])
def test_a_device_that_computes_as_published_conforms(name: str, suite: Suite, tmp_path: Path) -> None:
    report = judged(suite, Computing(arithmetic(name)), tmp_path)
    assert report.verdict == "conforms"
    assert report.counts() == {"passed": len(suite.manifest.cases)}
    assert all(name in row.fits for row in report.rows)


def test_only_the_operator_that_is_wrong_fails_and_the_mistake_is_named(suite: Suite, tmp_path: Path) -> None:
    device = Computing(arithmetic(TRANSPOSE_CONV={"requantize": "floor"}))
    report = judged(suite, device, tmp_path)
    verdicts = {row.opcode: (row.verdict, row.mistakes) for row in report.rows}
    assert verdicts["TRANSPOSE_CONV"] == ("fails", ("requantize: floor",))
    assert {verdicts[opcode][0] for opcode in verdicts if opcode != "TRANSPOSE_CONV"} == {"conforms"}
    worst = next(case for case in report.cases if case.ending is CaseOutcome.FAILED)
    assert worst.at is not None
    assert worst.at.expected != worst.at.actual


@pytest.mark.parametrize(
    "entries",
    [
        "  TRANSPOSE_CONV: {requantize: half-even-16-bits-once}\n",
        "  TRANSPOSE_CONV: {requantize: single}\n  TRANSPOSE_CONV/int8: {requantize: half-even-16-bits-once}\n",
    ],
)
def test_a_file_with_a_rescaling_by_parameters_is_accepted(
    suite: Suite, tmp_path: Path, entries: str
) -> None:
    """The second file has an entry for a type, which takes precedence over the operator's entry."""
    file = tmp_path / "acme.yaml"
    file.write_text(f"arithmetic: acme\nextends: litert-reference\noperators:\n{entries}")
    run(suite, Computing(load_arithmetic(file)), tmp_path)
    results = read_results(tmp_path, suite)
    verdicts = {row.opcode: row.verdict for row in judge(suite, results, (str(file),)).rows}
    assert verdicts == {"TRANSPOSE_CONV": "conforms", "TANH": "conforms"}
    verdicts = {row.opcode: row.verdict for row in judge(suite, results).rows}
    assert verdicts == {"TRANSPOSE_CONV": "fails", "TANH": "conforms"}


def test_a_mistake_without_a_name_fails_and_none_is_named(suite: Suite, tmp_path: Path) -> None:
    class Odd(Computing):
        def run(self, job: Job) -> Answer | Failure:
            answer = super().run(job)
            assert isinstance(answer, Answer)
            for (output,) in answer.runs:
                output.reshape(-1)[-1] ^= 3
            return answer

    report = judged(suite, Odd(arithmetic()), tmp_path)
    assert {row.verdict for row in report.rows} == {"fails"}
    assert {row.mistakes for row in report.rows} == {()}


def test_mistakes_are_relative_to_the_claimed_arithmetic(suite: Suite, tmp_path: Path) -> None:
    """A variant that is correct under one arithmetic is a named mistake under another."""
    run(suite, Computing(arithmetic("litert-reference")), tmp_path)
    report = judge(suite, read_results(tmp_path, suite), ["litert-xnnpack"])
    row = next(row for row in report.rows if row.opcode == "TRANSPOSE_CONV")
    assert (row.verdict, row.mistakes) == ("fails", ("requantize: double",))


def test_an_arithmetic_that_is_not_claimed_does_not_count(suite: Suite, tmp_path: Path) -> None:
    device = Computing(arithmetic("litert-optimized"))
    run(suite, device, tmp_path)
    results = read_results(tmp_path, suite)
    assert judge(suite, results, ["litert-optimized"]).verdict == "conforms"
    assert judge(suite, results, ["litert-reference"]).verdict == "fails"
    with pytest.raises(ConfigError, match="no answers of the arithmetic 'other'"):
        judge(suite, results, ["other"])


@pytest.mark.parametrize(
    ("outcome", "ending"),
    [
        (Outcome.CRASHED, CaseOutcome.CRASHED),
        (Outcome.TIMED_OUT, CaseOutcome.HUNG),
        (Outcome.REFUSED, CaseOutcome.REFUSED),
        (Outcome.OUT_OF_MEMORY, CaseOutcome.OUT_OF_MEMORY),
        (Outcome.NOT_DELEGATED, CaseOutcome.NOT_DELEGATED),
        (Outcome.NOT_SUPPORTED, CaseOutcome.NOT_SUPPORTED),
    ],
)
def test_every_kind_of_failure_is_reported(
    outcome: Outcome, ending: CaseOutcome, suite: Suite, tmp_path: Path
) -> None:
    def failing(job: Job) -> Failure | None:
        return Failure(outcome, "told") if job.name.startswith("TANH") else None

    report = judged(suite, Computing(arithmetic(), failing), tmp_path)
    row = next(row for row in report.rows if row.opcode == "TANH")
    assert row.counts == {ending.value: row.cases}
    lacking = "not supported" if ending is CaseOutcome.NOT_SUPPORTED else "not checked"
    assert row.verdict == ("fails" if ending.fails else lacking)
    assert {case.message for case in report.cases if case.opcode == "TANH"} == {"told"}


@pytest.mark.parametrize(
    ("profile", "name", "outcome", "ending"),
    [
        ("litert-uint8", "tflm", Outcome.REFUSED, CaseOutcome.NOT_SUPPORTED),
        ("litert-uint8", "tflm,arena=99999", Outcome.REFUSED, CaseOutcome.NOT_SUPPORTED),
        ("litert-uint8", "mine", Outcome.REFUSED, CaseOutcome.REFUSED),
        ("litert-uint8", "tflm", Outcome.CRASHED, CaseOutcome.CRASHED),
        ("litert-int8", "tflm", Outcome.REFUSED, CaseOutcome.REFUSED),
    ],
)
def test_types_without_a_tflm_kernel_are_not_supported_if_tflm_rejects_them(
    profile: str, name: str, outcome: Outcome, ending: CaseOutcome, tmp_path: Path
) -> None:
    make(Scope(profile, "smoke", ("LOGISTIC", "RESHAPE"), flags=False), tmp_path / "suite")

    def failing(job: Job) -> Failure | None:
        return Failure(outcome, "type not supported") if job.name.startswith("LOGISTIC") else None

    device = Computing(arithmetic("tflm"), failing, name)
    report = judged(read_suite(tmp_path / "suite"), device, tmp_path / "results")
    (one,) = (case for case in report.cases if case.opcode == "LOGISTIC" and not case.broken)
    assert (one.ending, "type not supported" in one.message) == (ending, True)
    assert ("LOGISTIC/types" in one.message) == (ending is CaseOutcome.NOT_SUPPORTED)
    verdicts = {row.opcode: row.verdict for row in report.rows}
    assert verdicts == {"LOGISTIC": "fails" if ending.fails else "not supported", "RESHAPE": "conforms"}
    assert report.exit_code == ending.fails


@pytest.mark.parametrize(
    ("outcome", "ending"),
    [
        (Outcome.REFUSED, CaseOutcome.REJECTED),
        (Outcome.NOT_SUPPORTED, CaseOutcome.REJECTED),
        (None, CaseOutcome.ACCEPTED),
        (Outcome.CRASHED, CaseOutcome.BROKE_DOWN),
        (Outcome.TIMED_OUT, CaseOutcome.BROKE_DOWN),
    ],
)
def test_the_outcome_of_an_invalid_model_is_no_failure(
    outcome: Outcome | None, ending: CaseOutcome, refusing: Suite, tmp_path: Path
) -> None:
    """The outcome is reported, with the path and the impact of the requirement."""

    class Lenient(Computing):
        def run(self, job: Job) -> Answer | Failure:
            if "refuse" not in job.name:
                return super().run(job)
            zeros = tuple(np.zeros(t.shape, np.int8) for t in job.model.subgraphs[0].tensors[-1:])
            return Failure(outcome, "told") if outcome else Answer((zeros,) * len(job.runs))

    report = judged(refusing, Lenient(arithmetic()), tmp_path)
    broken = [case for case in report.cases if case.broken]
    assert {case.ending for case in broken} == {ending}
    assert all(case.effect for case in broken)
    assert report.verdict == "conforms"


@pytest.mark.parametrize(
    "outcome", [Outcome.REFUSED, Outcome.CRASHED, Outcome.NOT_SUPPORTED], ids=lambda outcome: outcome.value
)
def test_a_device_without_any_output_has_no_credit_for_rejections(
    outcome: Outcome, refusing: Suite, tmp_path: Path
) -> None:
    def never(job: Job) -> Failure:
        return Failure(Outcome.REFUSED if "refuse" in job.name else outcome, "told")

    report = judged(refusing, Computing(arithmetic(), never), tmp_path)
    assert {case.ending for case in report.cases if case.broken} == {CaseOutcome.NOT_TESTED}


def test_a_model_without_inputs_runs_once(refusing: Suite, tmp_path: Path) -> None:
    case = replace(next(one for one in refusing.manifest.cases if one.broken), inputs=())
    few = replace(refusing, manifest=replace(refusing.manifest, cases=(case,)))
    report = judged(
        few, Computing(arithmetic(), lambda job: Failure(Outcome.CRASHED, str(len(job.runs)))), tmp_path
    )
    assert [(one.ending, one.message) for one in report.cases] == [(CaseOutcome.BROKE_DOWN, "1")]


@pytest.mark.parametrize(
    ("inputs", "ending"), [(True, CaseOutcome.ACCEPTED), (False, CaseOutcome.NOT_TESTED)]
)
def test_a_result_without_outputs_of_a_model_without_inputs_was_never_run(
    inputs: bool, ending: CaseOutcome, refusing: Suite
) -> None:
    case = next(one for one in refusing.manifest.cases if one.broken)
    assert (
        broken_ending(case if inputs else replace(case, inputs=()), CaseResult(case.name, ANSWERED)) is ending
    )


def test_outputs_written_by_another_program_are_compared(suite: Suite, tmp_path: Path) -> None:
    """A case has a .npy file, another raw bytes, the remaining cases no file."""
    first, second, *_ = suite.manifest.cases
    for case, suffix in ((first, "npy"), (second, "bin")):
        folder = tmp_path / "outputs" / case.name
        folder.mkdir(parents=True)
        entry = case.answers[0].outputs[0]
        if suffix == "npy":
            np.save(folder / "output-0.npy", suite.stack(entry))
        else:
            shutil.copy(suite.folder / entry.file, folder / "output-0.bin")
    report = judge(suite, read_results(tmp_path, suite))
    counts = report.counts()
    invalid = sum(bool(case.broken) for case in suite.manifest.cases)
    missing = len(suite.manifest.cases) - 2 - invalid
    assert counts == {"passed": 2, "missing": missing, **({"not tested": invalid} if invalid else {})}
    assert {row.verdict for row in report.rows if row.correct_cases} == {"incomplete"}


def test_outputs_of_a_wrong_shape_fail_with_the_shape(suite: Suite, tmp_path: Path) -> None:
    case = suite.manifest.cases[0]
    folder = tmp_path / "outputs" / case.name
    folder.mkdir(parents=True)
    np.save(folder / "output-0.npy", np.zeros((case.runs, 3), np.int8))
    report = judge(suite, read_results(tmp_path, suite))
    verdict = next(v for v in report.cases if v.name == case.name)
    assert verdict.ending is CaseOutcome.FAILED
    assert verdict.message.startswith("output 0 is int8 of shape [3], it should be")


def test_a_folder_without_results_is_an_error(suite: Suite, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no results"):
        read_results(tmp_path, suite)


def _flip(path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))


def test_an_output_that_was_changed_is_refused(suite: Suite, tmp_path: Path) -> None:
    run(suite, Computing(arithmetic()), tmp_path)
    _flip(next(tmp_path.glob("outputs/*/*/*/output-0.npy")))
    with pytest.raises(ConfigError, match="was changed since the device gave it"):
        judge(suite, read_results(tmp_path, suite))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda line: b"{}", "1: no run of a suite: tool is missing"),
        (lambda line: line.replace(b'"suite": "', b'"suite": "0'), "another suite"),
    ],
)
def test_results_of_another_suite_or_tool_are_an_error(
    change: Callable[[bytes], bytes], words: str, suite: Suite, tmp_path: Path
) -> None:
    run(suite, Computing(arithmetic()), tmp_path)
    first, *rest = (tmp_path / RESULTS).read_bytes().splitlines()
    (tmp_path / RESULTS).write_bytes(b"\n".join([change(first), *rest]))
    with pytest.raises(ConfigError, match=words):
        read_results(tmp_path, suite)


def test_an_interrupted_run_is_resumed(suite: Suite, tmp_path: Path) -> None:
    """Completed cases are not run again, and the report equals that of an uninterrupted run."""
    asked: list[str] = []

    def interrupted(job: Job) -> Failure | None:
        if len(asked) >= 4:
            raise KeyboardInterrupt
        asked.append(job.name)
        return None

    with pytest.raises(KeyboardInterrupt):
        run(suite, Computing(arithmetic(), interrupted), tmp_path)
    with pytest.raises(ConfigError, match="--resume"):
        run(suite, Computing(arithmetic()), tmp_path)

    def counting(job: Job) -> Failure | None:
        asked.append(job.name)
        return None

    done = run(suite, Computing(arithmetic(), counting), tmp_path, resume=True)
    assert done == len(suite.manifest.cases)
    assert sorted(asked) == sorted(set(asked))
    assert judge(suite, read_results(tmp_path, suite)).verdict == "conforms"


def test_the_cases_beyond_the_budget_are_missing(suite: Suite, tmp_path: Path) -> None:
    assert run(suite, Computing(arithmetic()), tmp_path, budget=Budget(seconds=1e-9)) == 0
    report = judge(suite, read_results(tmp_path, suite))
    assert set(report.counts()) <= {"missing", "not tested"}
    assert sum(report.counts().values()) == len(suite.manifest.cases)
    assert report.exit_code == 2


def test_outputs_of_an_arithmetic_file_are_computed(small: Suite, tmp_path: Path) -> None:
    """A device without an output zero point is exact under a file with this defect, and under no arithmetic of the
    suite."""
    file = tmp_path / "acme.yaml"
    file.write_text(
        "arithmetic: acme\nextends: litert-reference\noperators: {LOGISTIC: {defect: no-output-zero-point}}\n"
    )
    run(small, Computing(load_arithmetic(file)), tmp_path / "results")
    results = read_results(tmp_path / "results", small)
    assert judge(small, results).verdict == "fails"
    report = judge(small, results, [str(file)])
    assert (report.verdict, report.arithmetics) == ("conforms", ("acme",))
    file.write_text("arithmetic: litert-xnnpack\nextends: litert-reference\noperators: {}\n")
    with pytest.raises(ConfigError, match="calls its arithmetic 'litert-xnnpack'"):
        judge(small, results, [str(file)])
