"""A device that reads indices and conditions once per case: suites vary them between the inferences of a case."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from litecheck.devices.port import Answer, Failure, Job
from litecheck.profile.operators import traits_of
from litecheck.suite.case_outcome import CaseOutcome
from litecheck.suite.manifest import read_suite
from litecheck.suite.result_verdicts import judge
from litecheck.suite.results import read_results
from litecheck.suite.suite_run import run
from litecheck.suite.suite_writer import Scope, make
from tests.suite.devices import Computing, arithmetic

#: Cases with indices or a condition as an input.
SELECTED = (
    "EMBEDDING_LOOKUP/int8/rows-plain", "GATHER/int8/given-plain", "GATHER_ND/int8/given-plain",
    "ONE_HOT/int8/last-plain", "SCATTER_ND/int8/given-plain", "SELECT/int8/rows-plain", "SELECT_V2/int8/spread-plain",
    "WHERE/int8/matrix-plain", "IF/int8/true-plain",
)  # fmt: skip


@dataclass
class ReadingOnce(Computing):
    """Reads indices and conditions in the first inference of a case only."""

    def run(self, job: Job) -> Answer | Failure:
        main = job.model.subgraphs[0]
        operator, facts = main.operators[0], traits_of(main.operators[0].kind)
        kept = [facts.valid_reordering(facts.role(operator.inputs.index(index))) for index in main.inputs]
        first = job.runs[0]
        runs = [
            tuple(a if once else b for once, a, b in zip(kept, first, arrays, strict=True))
            for arrays in job.runs
        ]
        return super().run(Job(job.name, job.model, job.content, runs))


def test_indices_that_are_read_once_fail(tmp_path: Path) -> None:
    make(Scope("litert-runtime", select=SELECTED, flags=False), tmp_path / "suite")
    suite = read_suite(tmp_path / "suite")
    for device, ending in (Computing, CaseOutcome.PASSED), (ReadingOnce, CaseOutcome.FAILED):
        results = tmp_path / device.__name__
        run(suite, device(arithmetic()), results)
        found = {case.name: case.ending for case in judge(suite, read_results(results, suite)).cases}
        assert found == dict.fromkeys(SELECTED, ending)
