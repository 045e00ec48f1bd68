"""Operators that remember: run over series of inferences, from given states, and within their model."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from litecheck.arrays import Arrays
from litecheck.cases import inputs, model_parts
from litecheck.cases.expectation import Expectation, with_all_outputs
from litecheck.cases.inputs import draw_stimuli
from litecheck.cases.sequences import remembers, sequence, sequences
from litecheck.cases.stimulus import Stimulus
from litecheck.cases.variable_state import Reach, StateSupport, TriedSeries
from litecheck.devices.outcome import Outcome
from litecheck.devices.port import Job
from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.types import Model
from litecheck.reference.engine.arithmetic import load_arithmetic
from litecheck.reference.engine.interpreter import ReferenceInterpreter
from litecheck.rendering.wording.outcomes import series_sentence
from litecheck.verification.device_run import verify
from litecheck.verification.jobs import job_of
from litecheck.verification.result import Verdict, Verification
from litecheck.verification.settings import Settings
from tests.verification.inprocess import InProcess
from tests.verification.networks import convolutional, remembering

REFERENCE = load_arithmetic("litert-reference")
#: Settings without drawn inputs, which take the longest time.
QUICK = Settings(kinds=("propagated", "directed"), repeat=1)


def keeping() -> Model:
    """Return a running sum in a resource variable. Only the complete model shows its state."""
    builder = ModelBuilder("a running sum")
    main, q = builder.subgraph(), qparams(0.05, 3)
    x, old, y = (main.tensor(name, (2, 3), "int8", q) for name in ("x", "old", "y"))
    handle = main.tensor("handle", (), "resource")
    main.add("CALL_ONCE", [], [], init_subgraph_index=1)
    main.add("VAR_HANDLE", [], [handle], container="", shared_name="v")
    main.add("READ_VARIABLE", [handle], [old])
    main.add("ADD", [old, x], [y], version=2)
    main.add("ASSIGN_VARIABLE", [handle, y], [])
    main.inputs(x)
    main.outputs(y)
    first = builder.subgraph("first")
    own = first.tensor("handle", (), "resource")
    start = first.constant("start", np.arange(6, dtype=np.int8).reshape(2, 3), q)
    first.add("VAR_HANDLE", [], [own], container="", shared_name="v")
    first.add("ASSIGN_VARIABLE", [own, start], [])
    return builder.finish()


def of(report: Verification, opcode: str) -> Verdict:
    return next(v for v in report.verdicts if v.opcode == opcode)


def whole(report: Verification) -> Verdict | None:
    return next((v for v in report.verdicts if v.case == "whole"), None)


def test_a_model_remembers_that_has_variables_of_either_kind() -> None:
    assert remembers(remembering())
    assert remembers(keeping())
    assert not remembers(convolutional())


def test_series_are_longer_than_the_memory_of_the_operator() -> None:
    """The SVDF stores five steps, so after five inferences its state no longer depends on earlier inputs."""
    model = remembering()
    case = next(model_parts.operators(model, model.subgraphs[0]))
    of_kind = sequences(case, {}, 0, REFERENCE, StateSupport.SET)
    drawn, directed = list(of_kind(inputs.RANDOM)), list(of_kind(inputs.DIRECTED))
    assert {len(several) for several in drawn[:-1]} == {5 + 4}
    assert all(
        [stimulus.follows for stimulus in several] == [False] + [True] * (len(several) - 1)
        for several in drawn
    )
    begun = [several[0].start for several in directed if several[0].start]
    (state,) = {index for start in begun for index in start}
    assert case.submodel.model.subgraphs[0].tensors[state].is_variable
    ends = [set(np.unique(start[state])) for start in begun]
    assert {-32768} in ends
    assert {32767} in ends
    assert not any(
        several[0].start for several in sequences(case, {}, 0, REFERENCE, StateSupport.KEPT)(inputs.DIRECTED)
    )


def test_inputs_at_limits_drive_the_state_to_its_extremes() -> None:
    model = remembering()
    case = next(model_parts.operators(model, model.subgraphs[0]))
    several = [
        stimulus
        for part in sequences(case, {}, 0, REFERENCE, StateSupport.KEPT)(inputs.DIRECTED)
        for stimulus in part
    ]
    expectation = Expectation(case, several)
    expectation.usable(REFERENCE)
    (state,) = expectation.reach()
    weights = case.submodel.model.subgraphs[0].tensors[1].data.view(np.int8).reshape(6, 4).astype(np.int64)
    reach = np.maximum(np.maximum(weights, 0).sum(1), np.maximum(-weights, 0).sum(1))
    most = 127 * np.abs(weights[reach.argmax()]).sum() * 0.05 * 0.01 / 0.002
    assert min(-state.least, state.greatest) >= int(most), (
        "every input is at the limit that its weight makes large"
    )


def test_the_reference_computes_a_series_step_by_step() -> None:
    model = remembering()
    case = next(model_parts.operators(model, model.subgraphs[0]))
    drawn = list(draw_stimuli(case, {}, 0, 4))
    start = {4: np.full((1, 30), 9000, np.int16)}
    made = Expectation(case, [*sequence(drawn), *sequence(drawn, start)]).compute(REFERENCE)
    interpreter, main = ReferenceInterpreter(case.submodel.model), case.submodel.model.subgraphs[0]
    for contents, outputs in (({}, made[:4]), ({(0, 4): start[4]}, made[4:])):
        interpreter.restart()
        interpreter.variables.update(contents)
        for stimulus, output in zip(drawn, outputs, strict=True):
            np.testing.assert_array_equal(interpreter.run(main, stimulus.arrays)[main.outputs[0]], output[0])
    assert not np.array_equal(made[0][0], made[4][0])


def test_a_state_given_as_an_input_has_the_effect_of_earlier_inferences() -> None:
    model = remembering()
    case = next(model_parts.operators(model, model.subgraphs[0]))
    several = sequence(list(draw_stimuli(case, {}, 0, 5)))
    made = Expectation(case, several).compute(REFERENCE)
    shown, fed = with_all_outputs(case, several, REFERENCE)
    again = Expectation(shown, [Stimulus("x", arrays) for arrays in fed]).compute(REFERENCE)
    assert all(np.array_equal(a[0], b[0]) for a, b in zip(made, again, strict=True))


def test_a_device_that_keeps_state_is_exact_and_the_report_states_the_series() -> None:
    report = verify(remembering(), InProcess())
    told = of(report, "SVDF").memory
    assert told is not None
    assert told.begun
    assert told.longest > 1
    assert told.reached == (Reach("state", -32768, 32767),)
    sentence = series_sentence(told)
    assert (
        "state kept within a series and reset before the next, some begun at the ends of the variables"
        in sentence
    )
    assert "'state' from -32,768 to 32,767" in sentence
    model = whole(report)
    assert model is not None
    assert model.outcome is Outcome.EXACT
    assert report.exit_code == 0


@pytest.mark.parametrize(
    ("device", "message"),
    [
        (InProcess(forgets=True), "its past is ignored"),
        (InProcess(forgets=True, memory=StateSupport.KEPT), "its past is ignored"),
    ],
)
def test_an_ignored_state_is_found_and_named(device: InProcess, message: str) -> None:
    report = verify(remembering(), device, QUICK)
    found = of(report, "SVDF")
    assert found.outcome is Outcome.MISMATCH
    assert message in found.message
    assert of(report, "LOGISTIC").outcome is Outcome.EXACT
    assert report.exit_code == 1


class Unreset(InProcess):
    """Device that keeps its state between runs and never resets it."""

    def run(self, job: Job):  # type: ignore[no-untyped-def]
        return super().run(replace(job, lengths=(len(job.runs),), starts={}))


def test_a_state_that_is_never_reset_is_found_and_named() -> None:
    found = of(verify(remembering(), Unreset(), QUICK), "SVDF")
    assert found.outcome is Outcome.MISMATCH
    assert "never reset" in found.message
    # In the second run the order is reversed, so that the same series starts from another state.
    assert of(verify(remembering(), Unreset(), replace(QUICK, repeat=2)), "SVDF").outcome is Outcome.FLAKY


def test_a_device_that_discards_state_is_not_exact() -> None:
    device = InProcess(memory=StateSupport.NONE)
    report = verify(remembering(), device, QUICK)
    found = of(report, "SVDF")
    assert found.outcome is Outcome.INITIAL_ONLY
    assert found.memory == TriedSeries(because="device")
    assert "keeps no state" in series_sentence(found.memory)
    assert whole(report) is None
    assert any("keeps no state" in note for note in report.notes)
    assert verify(remembering(), device, replace(QUICK, require_coverage=True)).exit_code == 1
    alone = verify(remembering(), device, replace(QUICK, select=("SVDF",)))
    assert (alone.verdict, alone.exit_code) == ("not checked", 2)


def test_a_wrong_initial_state_is_a_mismatch_on_every_device() -> None:
    def change(job: Job, number: int, outputs: Arrays) -> Arrays:
        return tuple(a ^ 1 for a in outputs) if "SVDF" in job.name else outputs

    for memory in StateSupport:
        assert (
            of(verify(remembering(), InProcess(change=change, memory=memory), QUICK), "SVDF").outcome
            is Outcome.MISMATCH
        )


def test_resource_variables_are_tried_in_the_model() -> None:
    report = verify(keeping(), InProcess())
    assert of(report, "READ_VARIABLE").outcome is Outcome.NO_REFERENCE
    model = whole(report)
    assert model is not None
    assert model.outcome is Outcome.EXACT
    assert model.memory is not None
    assert model.memory.series
    forgetful = whole(verify(keeping(), InProcess(forgets=True), QUICK))
    assert forgetful is not None
    assert forgetful.outcome is Outcome.MISMATCH
    assert "its past is ignored" in forgetful.message


def test_the_whole_model_is_not_checked_if_an_operator_fails() -> None:
    def change(job: Job, number: int, outputs: Arrays) -> Arrays:
        return tuple(a ^ 1 for a in outputs) if "LOGISTIC" in job.name else outputs

    report = verify(remembering(), InProcess(change=change), QUICK)
    assert whole(report) is None
    assert any("not all exact under one arithmetic" in note for note in report.notes)


@pytest.mark.parametrize("settings", [replace(QUICK, whole=True), replace(QUICK, segment=2)])
def test_segments_and_the_whole_keep_state_too(settings: Settings) -> None:
    assert verify(remembering(), InProcess(), settings).exit_code == 0
    (found,) = verify(remembering(), InProcess(forgets=True), settings).verdicts
    assert found.outcome is Outcome.MISMATCH


def test_a_given_sample_is_repeated_in_a_series() -> None:
    sample = {"x": np.array([[100, -100, 50, 7]], np.int8)}
    settings = Settings(samples=(sample,), kinds=("propagated",))
    assert verify(remembering(), InProcess(), settings).exit_code == 0
    found = of(verify(remembering(), InProcess(forgets=True), settings), "SVDF")
    assert found.outcome is Outcome.MISMATCH
    assert found.runs == ("propagated",) * 7, "once alone, and six times in a series"


def test_the_reproducer_is_the_shortest_failing_series(tmp_path: Path) -> None:
    report = verify(remembering(), InProcess(forgets=True), replace(QUICK, reproduce=str(tmp_path)))
    folder = Path(of(report, "SVDF").reproducer)
    assert (folder / "before_0_0.npy").exists()
    assert not (folder / "before_1_0.npy").exists()
    expected, actual = (np.load(folder / f"{name}_0.npy") for name in ("expected", "actual"))
    assert not np.array_equal(expected, actual)
    assert "`before_0_*.npy`" in (folder / "ISSUE.md").read_text()


@pytest.mark.runtime
def test_a_reproducer_of_several_inferences_runs(tmp_path: Path) -> None:
    """The reproducer expects the second output from the initial state. LiteRT keeps its state and outputs
    other values."""
    pytest.importorskip("ai_edge_litert")
    from litecheck.verification.reproducers.reproduce import write_program

    model = remembering()
    case = next(model_parts.operators(model, model.subgraphs[0]))
    first, second = (stimulus.arrays[0] for stimulus in draw_stimuli(case, {}, 0, 2))
    (expected,) = Expectation(case, [Stimulus("x", (second,))]).compute(REFERENCE)[0]
    (tmp_path / "model.tflite").write_bytes(job_of(case, ()).content)
    for name, array in (("before_0_0", first), ("input_0", second), ("expected_0", expected)):
        np.save(tmp_path / f"{name}.npy", array)
    facts = {
        "title": "t", "outcome": "mismatch", "inputs": 1, "outputs": 1, "times": 1, "starts": [], "tolerance": 0.0,
        "seconds": 60.0,
    }  # fmt: skip
    for before, status in ((1, 0), (0, 1)):
        assert write_program(tmp_path, "litert:reference", {**facts, "before": before})
        done = subprocess.run([sys.executable, tmp_path / "reproduce.py"], capture_output=True, text=True)
        assert done.returncode == status, done.stdout + done.stderr


@pytest.mark.parametrize(
    ("invocations", "feeds_kept", "untried"), [(1, 1, True), (2, 2, False), (12, 12, False)]
)
def test_a_budget_spends_series_from_their_first_inference_on(
    invocations: int, feeds_kept: int, untried: bool
) -> None:
    from litecheck.verification.cost_estimate import narrow_job
    from litecheck.verification.jobs import JobFactory
    from litecheck.verification.ranking import Share

    model = remembering()
    case = next(model_parts.operators(model, model.subgraphs[0]))
    case_job = JobFactory(QUICK, REFERENCE, StateSupport.KEPT).case_job(case, (), ())
    last = range(len(case_job.stimuli))[::-1]
    asked = narrow_job(case_job, Share(tuple(last[:invocations]), ()))
    assert (len(asked.stimuli), asked.state_unchecked) == (feeds_kept, untried)
    assert len(asked.order) == invocations
    assert not asked.stimuli[0].follows
    assert asked.memory is not None
    assert asked.memory.because == ("budget" if untried else "")
