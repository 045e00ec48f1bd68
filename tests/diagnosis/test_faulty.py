"""Faulty devices that were once identified as correct. Their defects show at large extents, in repetitions, or as
pairs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from litecheck.arrays import Arrays
from litecheck.cases.variable_state import StateSupport
from litecheck.devices.outcome import Outcome
from litecheck.devices.port import Job
from litecheck.diagnosis.result import OperatorDiagnosis, UntestedProperty
from litecheck.reference.engine.arithmetic import load_arithmetic
from litecheck.rendering.arithmetic_file import arithmetic_yaml
from litecheck.rendering.wording.contrasts import contrast_sentences, unsteady_sentence
from tests.verification.inprocess import Change, InProcess
from tests.verification.planted import changed, of

pytestmark = pytest.mark.slow


def first(change: Change, opcode: str = "CONV_2D", repeats: int = 12) -> OperatorDiagnosis:
    return of(InProcess(change=change), opcode, repeats=repeats).operators[0]


def remembering(what: Callable[[Arrays, Arrays], Arrays]) -> Change:
    """Return a change that derives an output from the previous correct output."""
    before: dict[str, Arrays] = {}

    def change(job: Job, run: int, outputs: Arrays) -> Arrays:
        right = tuple(o.copy() for o in outputs)
        known, before[job.name] = before.get(job.name) if run else None, right
        return what(outputs, known) if known else outputs

    return change


def _last(outputs: Arrays, before: Arrays) -> Arrays:
    for one, other in zip(outputs, before, strict=True):
        one.reshape(-1)[-1] = other.reshape(-1)[-1]
    return outputs


@pytest.mark.parametrize("opcode", ["CONV_2D", "ADD", "SOFTMAX"])
def test_the_answer_before(opcode: str) -> None:
    found = first(remembering(lambda outputs, before: before), opcode)
    assert found.conclusion == "not repeatable"
    assert any("as the input of the inference before has it" in unsteady_sentence(u) for u in found.unsteady)
    control = first(remembering(lambda outputs, before: outputs), opcode)
    assert control.conclusion == "identified"
    assert not control.unsteady


def test_a_last_element_of_the_answer_before() -> None:
    found = first(remembering(_last))
    assert found.conclusion == "not repeatable"
    assert any(
        ", the last, as the input of the inference before" in unsteady_sentence(u) for u in found.unsteady
    )
    assert [str(way) for way in found.fits] == ["requantize: double"]


def test_one_in_two_hundred() -> None:
    invocations = 0

    def change(job: Job, run: int, outputs: Arrays) -> Arrays:
        nonlocal invocations
        invocations += 1
        if invocations % 200 == 0:
            outputs[0].reshape(-1)[3] ^= 1
        return outputs

    found = first(change, repeats=600)
    assert found.conclusion == "not repeatable"
    assert any("every 200" in unsteady_sentence(u) for u in found.unsteady)
    assert of(InProcess(change=change), "CONV_2D", repeats=600).exit_code == 1


def test_every_image_as_the_first() -> None:
    def change(job: Job, run: int, outputs: Arrays) -> Arrays:
        outputs[0][1:] = outputs[0][:1]
        return outputs

    found = first(change)
    assert found.conclusion == "unknown"
    assert found.contrast is not None
    assert tuple(contrast_sentences(found.contrast)) == (
        "all that fail have batch of 2 or more (next is 1); none that passes has",
    )


def test_dilation_wrong_in_width_only() -> None:
    def change(job: Job, run: int, outputs: Arrays) -> Arrays:
        options = job.model.subgraphs[0].operators[0].options
        if options is not None and options.get("dilation_w_factor", 1) > 1:
            outputs[0][:] = np.roll(outputs[0], 1, axis=2)
        return outputs

    found = first(change, "DEPTHWISE_CONV_2D")
    assert found.conclusion == "unknown"
    assert found.contrast is not None
    assert any(
        "horizontal dilation of 2 or more (next is 1)" in told for told in contrast_sentences(found.contrast)
    )


@pytest.mark.parametrize("opcode", ["SVDF", "UNIDIRECTIONAL_SEQUENCE_LSTM"])
def test_a_past_that_is_ignored(opcode: str) -> None:
    found = of(InProcess(forgets=True), opcode).operators[0]
    assert found.conclusion == "unknown"
    assert found.contrast is not None
    assert (
        next(contrast_sentences(found.contrast))
        == "all that fail have state kept between inferences; none that passes has"
    )
    control = of(InProcess(), opcode).operators[0]
    assert control.conclusion == "identified"
    assert "state kept between inferences" not in control.untried


def test_a_device_without_state_support_has_state_not_exercised() -> None:
    found = of(InProcess(memory=StateSupport.NONE), "SVDF").operators[0]
    assert {u.outcome for u in found.unanswered} == {Outcome.INITIAL_ONLY}
    assert UntestedProperty("peculiarity", ("state kept between inferences",)) in found.untried


@pytest.mark.parametrize(
    ("opcode", "defect", "requantize"),
    [
        ("DEPTHWISE_CONV_2D", "zero-padding+accumulator-16", "double"),
        ("ADD", "no-activation+symmetric-output", "single"),
        ("MEAN", "no-input-zero-point+saturates-first", "floor"),
    ],
)
def test_two_departures_at_once(opcode: str, defect: str, requantize: str, tmp_path: Path) -> None:
    device = InProcess(changed(opcode, defect=defect, requantize=requantize))
    diagnosis = of(device, opcode)
    found = diagnosis.operators[0]
    named = {(dict(way.stages)["requantize"], frozenset(way.defect.split("+"))) for way in found.fits}
    assert (requantize, frozenset(defect.split("+"))) in named
    path = tmp_path / "device.yaml"
    path.write_text(arithmetic_yaml(diagnosis, "device"))
    assert load_arithmetic(path).variants(opcode)["defect"] == found.fits[0].defect


def test_departures_that_are_not_both_known_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "device.yaml"
    text = "arithmetic: x\noperators:\n  ADD: {defect: no-activation+no-dilation}\n"
    path.write_text(text)
    with pytest.raises(Exception, match="ADD has no defect 'no-activation\\+no-dilation'"):
        load_arithmetic(path)
    path.write_text(text.replace("no-dilation", "wraps"))
    assert load_arithmetic(path).variants("ADD") == {"defect": "no-activation+wraps"}
