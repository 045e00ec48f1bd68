"""Repeated inputs: in the cases of a suite, and a device with varying outputs."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

from litecheck.devices.port import Answer, Failure, Job
from litecheck.model.load import model_from
from litecheck.suite.case import SuiteCase
from litecheck.suite.case_outcome import CaseOutcome
from litecheck.suite.manifest import Suite
from litecheck.suite.repetition import with_repetition
from litecheck.suite.result_verdicts import judge
from litecheck.suite.results import SuiteResults, read_results
from litecheck.suite.run_summary import summarize
from litecheck.suite.suite_run import run
from litecheck.suite.verdict import CaseVerdict, SuiteReport
from tests.suite.devices import Computing, arithmetic


def case_of(suite: Suite, number: int = 0) -> SuiteCase:
    """Return a valid case of a suite in memory, without the repetition."""
    entry = [case for case in suite.manifest.cases if not case.broken][number]
    runs = tuple(suite.inputs(entry))[:2]
    model = model_from(suite.model(entry), entry.model)
    return SuiteCase(entry.name, entry.opcode, entry.kind, "", "", "standard", model, runs)


def test_the_first_inputs_come_once_more_at_the_end(small: Suite) -> None:
    case = case_of(small)
    made = with_repetition(replace(case, expected=case.runs))
    assert len(made.runs) == len(made.expected) == 3
    assert all(map(np.array_equal, made.runs[2], made.runs[0]))
    assert all(map(np.array_equal, made.expected[2], made.expected[0]))


@pytest.mark.parametrize("changes", [{"lengths": (2,)}, {"broken": "TANH/input/dtype"}, {"runs": ()}])
def test_state_invalid_models_and_no_inputs_stay(small: Suite, changes: dict[str, object]) -> None:
    case = replace(case_of(small), **changes)  # type: ignore[arg-type]
    assert with_repetition(case) is case


def test_small_cases_of_a_suite_repeat_their_first_inputs(small: Suite) -> None:
    cases = [case for case in small.manifest.cases if not case.broken]
    for case in cases:
        first, last = ([small.stack(entry)[n] for entry in case.inputs] for n in (0, -1))
        few = sum(array.size for array in first) <= 4096
        assert all(map(np.array_equal, first, last)) == few, case.name
    assert any(case.runs > 2 for case in cases)


@dataclass
class Unsteady(Computing):
    """Adds 1 to the first element of every ``every``-th inference of a process; counts jobs."""

    every: int = 3
    jobs: int = 0
    inferences: int = 0
    lasting: bool = False

    def run(self, job: Job) -> Answer | Failure:
        self.jobs += 1
        answer = super().run(job)
        if not self.lasting:
            self.inferences = 0
        if isinstance(answer, Failure):
            return answer
        for (output,) in answer.runs:
            self.inferences += 1
            if self.inferences % self.every == 0:
                output.reshape(-1)[0] ^= 1
        return answer


def judged(suite: Suite, folder: Path) -> tuple[SuiteReport, SuiteResults]:
    results = read_results(folder, suite)
    return judge(suite, results), results


def flaky(report: SuiteReport) -> list[CaseVerdict]:
    return [case for case in report.cases if case.ending is CaseOutcome.FLAKY]


def test_outputs_that_differ_between_equal_inputs_of_a_case_are_flaky(small: Suite, tmp_path: Path) -> None:
    """The device repeats its fault in every job, so that only the repeated inputs of a case show it."""
    run(small, Unsteady(arithmetic(), every=3), tmp_path)
    report, results = judged(small, tmp_path)
    assert all(result.outcome != "flaky" for result in results.cases.values())
    found = flaky(report)
    cases = {case.name: case for case in small.manifest.cases}
    assert {case.name for case in found} == {
        name for name, case in cases.items() if not case.broken and case.runs % 3 == 0
    }
    one = found[0]
    size = one.elements // cases[one.name].runs
    assert one.message == (f"the same inputs gave different outputs in 1 of {size:,} elements when repeated")
    assert {row.verdict for row in report.rows} == {"fails"}
    assert one.fails


def test_outputs_that_differ_between_runs_of_a_case_are_flaky(small: Suite, tmp_path: Path) -> None:
    device = Unsteady(arithmetic(), every=7, lasting=True)
    run(small, device, tmp_path)
    report, results = judged(small, tmp_path)
    noted = [name for name, result in results.cases.items() if result.outcome == "flaky"]
    assert noted
    assert set(noted) <= {case.name for case in flaky(report)}
    assert "of " in results.cases[noted[0]].message
    assert "when repeated" in results.cases[noted[0]].message
    assert summarize(small, results).outcomes.get("flaky") is None  # outputs are present
    assert device.jobs > len(small.manifest.cases)


def test_an_exact_device_runs_each_case_once(small: Suite, tmp_path: Path) -> None:
    device = Unsteady(arithmetic(), every=1 << 30)
    run(small, device, tmp_path)
    report, _ = judged(small, tmp_path)
    assert (report.verdict, flaky(report)) == ("conforms", [])
    assert device.jobs == len(small.manifest.cases)


def test_a_wrong_device_that_repeats_is_not_flaky(small: Suite, tmp_path: Path) -> None:
    run(small, Unsteady(arithmetic(), every=1), tmp_path)
    report, _ = judged(small, tmp_path)
    assert (report.verdict, flaky(report)) == ("fails", [])


class Late(Computing):
    """Gives the output of the inference before, from the second inference of a case on."""

    def run(self, job: Job) -> Answer | Failure:
        answer = super().run(job)
        if isinstance(answer, Failure):
            return answer
        return replace(answer, runs=(answer.runs[0], *list(answer.runs)[:-1]))


def test_outputs_of_the_inference_before_are_named(small: Suite, tmp_path: Path) -> None:
    run(small, Late(arithmetic()), tmp_path)
    report, _ = judged(small, tmp_path)
    told = [case.message for case in report.cases if case.fails]
    assert any("equal the expected outputs of the previous inference" in message for message in told)
