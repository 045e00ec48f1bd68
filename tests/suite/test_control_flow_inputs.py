"""Devices that do not follow the inputs of IF, WHILE, slices and selections: the inferences of a case show it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest

from litecheck.arrays import Arrays
from litecheck.devices.port import Answer, Failure, Job
from litecheck.model.links import subgraph_calls
from litecheck.reference.engine.interpreter import ReferenceInterpreter
from litecheck.suite import accept_cases
from litecheck.suite.case_outcome import CaseOutcome
from litecheck.suite.manifest import read_suite
from litecheck.suite.result_verdicts import judge
from litecheck.suite.results import read_results
from litecheck.suite.suite_run import run
from litecheck.suite.suite_writer import Scope, make
from tests.suite.devices import Computing, arithmetic

PLAIN = ("IF/int8/*-plain", "WHILE/int8/*-plain")
#: Cases with an input at run time that selects elements, and the place of the input.
SELECTING = {
    "ARG_MAX/int8/given-plain": 1,
    "DYNAMIC_UPDATE_SLICE/int8/given-plain": 2,
    "EMBEDDING_LOOKUP/int8/more-plain": 0,
    "PAD/int8/given-plain": 1,
    "SELECT/int8/one-plain": 0,
    "SELECT_V2/int8/one-plain": 0,
    "SLICE/int8/given-plain": 1,
    "STABLEHLO_GATHER/int8/rows-plain": 1,
}
Flow = Callable[[ReferenceInterpreter, dict[str, int], Arrays], Arrays]


def branch(option: str) -> Flow:
    """Return a flow that takes a branch of IF without reading its condition."""
    return lambda interpreter, calls, arrays: interpreter.call(calls[option], arrays[1:])


def steps(count: int) -> Flow:
    """Return a flow that runs the body of WHILE ``count`` times without its condition."""

    def run_body(interpreter: ReferenceInterpreter, calls: dict[str, int], arrays: Arrays) -> Arrays:
        for _ in range(count):
            arrays = interpreter.call(calls["body_subgraph_index"], arrays)
        return arrays

    return run_body


@dataclass
class FixedFlow(Computing):
    """Computes an operator with a called subgraph by ``flow``."""

    flow: Flow = field(default_factory=lambda: steps(0))

    def run(self, job: Job) -> Answer | Failure:
        interpreter = ReferenceInterpreter(job.model, self.arithmetic)
        calls = dict(subgraph_calls(job.model.subgraphs[0].operators[0]))
        return Answer(tuple(self.flow(interpreter, calls, arrays) for arrays in job.runs))


@dataclass
class ReadingOnce(Computing):
    """Reads a selecting input in the first inference of a case only."""

    def run(self, job: Job) -> Answer | Failure:
        place = SELECTING[job.name.replace("-", "/", 2)]
        runs = [(*arrays[:place], job.runs[0][place], *arrays[place + 1 :]) for arrays in job.runs]
        return super().run(Job(job.name, job.model, job.content, runs))


def endings(device: Computing, select: tuple[str, ...], folder: Path) -> dict[str, CaseOutcome]:
    make(Scope("litert-runtime", select=select, flags=False), folder / "suite")
    suite = read_suite(folder / "suite")
    run(suite, device, folder / "results")
    cases = judge(suite, read_results(folder / "results", suite)).cases
    return {case.name: case.ending for case in cases}


THEN, ELSE = branch("then_subgraph_index"), branch("else_subgraph_index")


@pytest.mark.parametrize(
    ("operator", "flow"),
    [("IF", THEN), ("IF", ELSE), *(("WHILE", steps(count)) for count in (0, 1, 2, 5))],
    ids=["then", "else", "0 steps", "1 step", "2 steps", "5 steps"],
)
def test_a_fixed_flow_fails_in_every_case(operator: str, flow: Flow, tmp_path: Path) -> None:
    (select,) = (name for name in PLAIN if name.startswith(operator))
    found = endings(FixedFlow(arithmetic(), flow=flow), (select,), tmp_path)
    assert found
    assert set(found.values()) == {CaseOutcome.FAILED}


def test_a_device_that_follows_the_inputs_passes(tmp_path: Path) -> None:
    found = endings(Computing(arithmetic()), PLAIN, tmp_path)
    assert found == dict.fromkeys(
        ("IF/int8/true-plain", "IF/int8/false-plain", "WHILE/int8/steps-plain"), CaseOutcome.PASSED
    )


def test_without_other_conditions_a_fixed_branch_passes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(accept_cases, "inputs_by_inference", lambda model, several: {})
    found = endings(FixedFlow(arithmetic(), flow=THEN), ("IF/int8/*-plain",), tmp_path)
    assert found == {
        "IF/int8/true-plain": CaseOutcome.PASSED,
        "IF/int8/false-plain": CaseOutcome.FAILED,
    }


def test_the_loop_has_no_step_one_step_and_many_steps(tmp_path: Path) -> None:
    make(Scope("litert-runtime", select=("WHILE/int8/steps-plain",), flags=False), tmp_path)
    suite = read_suite(tmp_path)
    (case,) = suite.manifest.cases
    flags = np.stack([suite.stack(entry) for entry in case.inputs if entry.dtype == "bool"])[..., 0]
    assert {int(np.argmin(column)) for column in flags.T} == {0, 1, 2, 5}


@pytest.mark.parametrize("name", SELECTING)
def test_a_selecting_input_that_is_read_once_fails(name: str, tmp_path: Path) -> None:
    assert endings(ReadingOnce(arithmetic()), (name,), tmp_path / "once") == {name: CaseOutcome.FAILED}
    assert endings(Computing(arithmetic()), (name,), tmp_path / "sound") == {name: CaseOutcome.PASSED}
