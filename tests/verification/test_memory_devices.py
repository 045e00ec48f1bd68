"""Devices with state, and a real delegate with planted faults that a single inference of a single image does not
show."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from litecheck.cases.variable_state import StateSupport
from litecheck.devices.adapters.recorded import RecordedDevice, record
from litecheck.devices.outcome import Outcome
from litecheck.devices.port import Answer, Device, Failure, Job, Limits
from litecheck.devices.registry import open_device
from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.save import model_bytes
from litecheck.model.types import Model
from litecheck.verification.device_run import verify
from litecheck.verification.result import CoverageGap, Verdict, Verification
from litecheck.verification.settings import Settings
from tests.cases.test_sequences import keeping
from tests.delegate.build import delegate, device  # noqa: F401  (a fixture)
from tests.delegate.specimens import network, specimen
from tests.verification.inprocess import InProcess
from tests.verification.networks import remembering

pytestmark = pytest.mark.slow

Verifying = Callable[..., Verification]
QUICK = Settings(kinds=("propagated", "directed"), repeat=1)


@pytest.fixture
def verified(delegate: Path) -> Verifying:  # noqa: F811
    """Return a function that verifies a model on the test delegate with options."""

    def verifying(model: Model, settings: Settings = QUICK, **options: str) -> Verification:
        opened = open_device(device(delegate, **options), Limits())
        try:
            return verify(model, opened, settings)
        finally:
            opened.close()

    return verifying


def only(report: Verification) -> Verdict:
    (verdict,) = report.verdicts
    return verdict


@pytest.mark.runtime
def test_a_delegate_that_ignores_the_past_is_wrong_and_one_that_does_not_is_exact(
    verified: Verifying,
) -> None:
    right = only(verified(specimen("SVDF")))
    assert right.outcome is Outcome.EXACT
    assert right.memory is not None
    assert right.memory.begun
    wrong = only(verified(specimen("SVDF"), fault="past-ignored"))
    assert wrong.outcome is Outcome.MISMATCH
    assert "its past is ignored" in wrong.message


@pytest.mark.runtime
@pytest.mark.parametrize("mode", ["previous", "stale-last", "one-in-200"])
@pytest.mark.parametrize("opcode", ["FULLY_CONNECTED", "SVDF"])
def test_answers_that_depend_on_invocations_before_are_found(
    verified: Verifying, mode: str, opcode: str
) -> None:
    """A fault in 1 of 200 inferences shows only with enough inferences: cases with few outputs run often."""
    found = only(verified(specimen(opcode), Settings(), mode=mode)).outcome
    few = mode == "one-in-200" and opcode == "FULLY_CONNECTED"
    assert found in ((Outcome.EXACT,) if few else (Outcome.MISMATCH, Outcome.FLAKY))


@pytest.mark.runtime
@pytest.mark.parametrize(
    ("fault", "opcode"),
    [("first-image", "FULLY_CONNECTED"), ("first-image", "SVDF"), ("dilation-w", "DEPTHWISE_CONV_2D")],
)
def test_a_fault_of_batches_or_dilations_is_found_in_a_model_with_the_property(
    verified: Verifying, fault: str, opcode: str
) -> None:
    assert only(verified(specimen(opcode), fault=fault)).outcome is Outcome.MISMATCH


def untried(report: Verification, opcode: str) -> CoverageGap:
    return next(kind for kind in report.untried if kind.opcode == opcode)


@pytest.mark.runtime
@pytest.mark.parametrize(("fault", "message"), [("first-image", "batch above 1"), ("dilation-w", "dilation")])
def test_a_property_of_no_operator_is_reported_as_not_exercised(
    verified: Verifying, fault: str, message: str
) -> None:
    report = verified(network(), fault=fault)
    assert report.exit_code == 0
    assert message in untried(report, "CONV_2D").parameters


def _job(model: Model, runs: list[np.ndarray], lengths: tuple[int, ...], starts: dict | None = None) -> Job:
    return Job("0000-X", model, model_bytes(model), tuple((x,) for x in runs), lengths, starts or {})


def _drawn(count: int) -> list[np.ndarray]:
    rng = np.random.default_rng(3)
    return [rng.integers(-128, 128, (1, 4)).astype(np.int8) for _ in range(count)]


@pytest.fixture
def opened() -> Iterator[Callable[[str], Device]]:
    devices: list[Device] = []

    def opening(text: str) -> Device:
        devices.append(open_device(text, Limits()))
        return devices[-1]

    yield opening
    for one in devices:
        one.close()


@pytest.mark.runtime
@pytest.mark.parametrize("text", ["litert:reference", "litert:optimized", "litert:xnnpack"])
def test_litert_hands_state_on_resets_it_and_takes_one(opened: Callable[[str], Device], text: str) -> None:
    pytest.importorskip("ai_edge_litert")
    start = {1: {4: np.full((1, 30), -32768, np.int16)}}
    job = _job(remembering(), _drawn(7), (4, 2, 1), start)
    asked = opened(text)
    assert asked.memory is StateSupport.SET
    given, wanted = asked.run(job), InProcess().run(job)
    assert isinstance(given, Answer)
    assert isinstance(wanted, Answer)
    assert all(np.array_equal(a[0], b[0]) for a, b in zip(given.runs, wanted.runs, strict=True))
    apart = InProcess().run(replace(job, lengths=(), starts={}))
    assert isinstance(apart, Answer)
    assert not np.array_equal(apart.runs[1][0], wanted.runs[1][0]), "earlier inferences change the outputs"


@pytest.mark.runtime
@pytest.mark.parametrize(("text", "arithmetic"), [("litert:xnnpack", "litert-xnnpack"), ("tflm", "tflm")])
def test_runtimes_are_exact_over_series(opened: Callable[[str], Device], text: str, arithmetic: str) -> None:
    pytest.importorskip("ai_edge_litert" if text != "tflm" else "tflite_micro")
    settings = replace(QUICK, arithmetics=(arithmetic,))
    for model in (keeping(), specimen("SVDF")):
        report = verify(model, opened(text), settings)
        assert report.exit_code == 0, report.verdicts
        assert any(v.memory and v.outcome is Outcome.EXACT for v in report.verdicts)


def test_a_program_with_a_state_folder_hands_state_on(
    opened: Callable[[str], Device], tmp_path: Path
) -> None:
    """The program outputs the number of inferences since the folder was empty."""
    program = tmp_path / "count.py"
    program.write_text(
        "import sys, pathlib\n"
        "outputs, state = map(pathlib.Path, sys.argv[1:])\n"
        "count = len(list(state.iterdir()))\n"
        "(state / str(count)).touch()\n"
        "(outputs / 'output_0.bin').write_bytes(bytes([count] * 4))\n"
    )
    builder = ModelBuilder()
    main, q = builder.subgraph(), qparams(0.05, 3)
    x, y = (main.tensor(name, (1, 4), "int8", q) for name in "xy")
    main.add("RELU", [x], [y])
    main.inputs(x)
    main.outputs(y)
    job = _job(builder.finish(), _drawn(4), (3, 1))
    asked = opened(f"command:sh -c '{sys.executable} -S {program} $1 $2' sh {{outputs}} {{state}} {{inputs}}")
    assert asked.memory is StateSupport.KEPT
    answer = asked.run(job)
    assert isinstance(answer, Answer), answer
    assert [int(run[0][0, 0]) for run in answer.runs] == [0, 1, 2, 0]
    assert opened("command:true {inputs} {outputs}").memory is StateSupport.NONE


def test_a_recording_of_series_is_selected_by_earlier_inputs(tmp_path: Path) -> None:
    runs = _drawn(3)
    job = _job(remembering(), [*runs, *runs], (3, 3), {1: {4: np.full((1, 30), 5, np.int16)}})
    answer = InProcess().run(job)
    record(tmp_path, job, answer)
    replayed = RecordedDevice("recorded", str(tmp_path))
    assert replayed.memory is StateSupport.SET
    again = replayed.run(job)
    assert isinstance(again, Answer)
    assert isinstance(answer, Answer)
    assert all(np.array_equal(a[0], b[0]) for a, b in zip(again.runs, answer.runs, strict=True))
    other = replayed.run(replace(job, runs=(job.runs[1], job.runs[0], *job.runs[2:])))
    assert isinstance(other, Failure)
    assert other.outcome is Outcome.NOT_RECORDED


def test_a_recording_of_single_inferences_has_no_state(tmp_path: Path) -> None:
    job = _job(remembering(), _drawn(2), ())
    record(tmp_path, job, InProcess().run(job))
    assert RecordedDevice("recorded", str(tmp_path)).memory is StateSupport.NONE


@pytest.mark.runtime
def test_all_series_in_one_start_of_a_program(opened: Callable[[str], Device]) -> None:
    """``reset`` in the list of runs states when variables are reset."""
    pytest.importorskip("ai_edge_litert")
    program = Path(__file__).parents[2] / "examples" / "device.py"
    asked = opened(f"command:{sys.executable} {program} {{model}} {{runs}}")
    assert asked.memory is StateSupport.KEPT
    rng = np.random.default_rng(0)
    runs = [rng.integers(-128, 128, (3, 12)).astype(np.int8) for _ in range(7)]
    job = _job(specimen("SVDF"), runs, (4, 2, 1))
    given, wanted = asked.run(job), InProcess().run(job)
    assert isinstance(given, Answer), given
    assert isinstance(wanted, Answer)
    assert all(np.array_equal(a[0], b[0]) for a, b in zip(given.runs, wanted.runs, strict=True))
