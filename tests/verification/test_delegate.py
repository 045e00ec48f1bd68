"""A real external delegate, compiled from tests/delegate, behind the device port: correct, wrong, and every failure."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from litecheck.arrays import Arrays
from litecheck.devices.outcome import Outcome
from litecheck.devices.port import Answer, Device, DeviceError, Failure, Job, Limits
from litecheck.devices.registry import open_device
from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.load import load_model
from litecheck.model.save import model_bytes
from litecheck.model.types import Model
from litecheck.reference.engine.arithmetic import load_arithmetic
from litecheck.reference.engine.interpreter import run
from tests.delegate.build import delegate, device  # noqa: F401  (a fixture)
from tests.delegate.specimens import SPECIMENS, inputs_of, network, specimen

pytestmark = [pytest.mark.runtime, pytest.mark.slow]

Opening = Callable[..., Device]


@pytest.fixture
def opened(delegate: Path) -> Iterator[Opening]:  # noqa: F811
    """Return a function that opens the test delegate with options; all are closed after the test."""
    devices: list[Device] = []

    def opening(limits: Limits | None = None, **options: str) -> Device:
        devices.append(open_device(device(delegate, **options), limits or Limits()))
        return devices[-1]

    yield opening
    for one in devices:
        one.close()


def _job(model: Model, *runs: Arrays) -> Job:
    return Job("0000-test", model, model_bytes(model), runs or (inputs_of(model),))


def _expected(model: Model, inputs: Arrays, **stages: dict[str, str]) -> np.ndarray:
    """Return the reference's only output, with these variants."""
    arithmetic = load_arithmetic("litert-reference")
    changed = {op: {**arithmetic.variants(op), **own} for op, own in stages.items()}
    used = replace(arithmetic, stages={**arithmetic.stages, **changed})
    (output,) = run(model, inputs, arithmetic=used).outputs.values()
    return output


def _answer(outcome: Answer | Failure) -> Answer:
    assert isinstance(outcome, Answer), outcome
    return outcome


def _outputs(outcome: Answer | Failure) -> np.ndarray:
    """Return the only output of the only run."""
    return _answer(outcome).runs[0][0]


@pytest.mark.parametrize("opcode", SPECIMENS)
def test_without_a_fault_the_delegate_is_the_reference(opened: Opening, opcode: str) -> None:
    model = specimen(opcode)
    answer = _answer(opened().run(_job(model)))
    assert answer.delegated == (True,)
    assert answer.ended == ""
    np.testing.assert_array_equal(answer.runs[0][0], _expected(model, inputs_of(model)))


#: Fault -> operators with a specimen that shows it; specimens of further operators do not change.
_SUMS = {"CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED"}
_RESCALED = {*_SUMS, "ADD", "MUL", "MEAN", "QUANTIZE", "LEAKY_RELU"}
VISIBLE = {
    "half-up": _RESCALED - {"ADD"},
    "single-rounding": _RESCALED,
    "float32": _RESCALED,
    "truncate": _RESCALED,
    "floor": _RESCALED,
    "reduced-multiplier": _RESCALED,
    "add-single-rounding": {"ADD"},
    "no-input-zero-point": {*_RESCALED, "LOGISTIC"},
    "no-output-zero-point": {*_RESCALED, "LOGISTIC"},
    "no-bias": _SUMS,
    "zero-padding": {"CONV_2D"},
    "no-output-clamp": {"CONV_2D", "ADD", "MUL", "AVERAGE_POOL_2D"},
    "wrap-output": {*_SUMS, "ADD", "MUL", "MEAN", "QUANTIZE"},
    "accumulator-16": _SUMS,
    "accumulator-24": {"FULLY_CONNECTED"},
    "accumulator-16-deep": set(),  # no specimen adds up more than 256 products
    "float16-sums": _SUMS,
    "neighbour-bias": _SUMS,
    "bias-16-wraps": {"FULLY_CONNECTED"},
    "swapped-scales": _SUMS,
    "zero-point-int8": set(),  # no specimen has a zero point of -128
    "single-and-channel": _RESCALED,
    "per-tensor-scale": _SUMS,
    "u8s8": _SUMS,
    "same-padding": {"CONV_2D", "AVERAGE_POOL_2D"},
    "pool-truncate": {"AVERAGE_POOL_2D"},
    "past-ignored": set(),  # a single inference has no previous state; see tests/cases/test_sequences.py
    "first-image": {"FULLY_CONNECTED", "SVDF"},
    "dilation-w": {"DEPTHWISE_CONV_2D"},
}


@pytest.mark.parametrize("fault", VISIBLE)
def test_a_fault_shows_only_in_affected_operators(opened: Opening, fault: str) -> None:
    wrong = opened(fault=fault)
    seen = set()
    for opcode in SPECIMENS:
        model = specimen(opcode)
        given = _outputs(wrong.run(_job(model)))
        if not np.array_equal(given, _expected(model, inputs_of(model))):
            seen.add(opcode)
    assert seen == VISIBLE[fault]


#: Fault -> entry of an arithmetic for this computation: a step and its variant, or a defect.
NAMED = {
    "half-up": ("requantize", "double-half-up"),
    "single-rounding": ("requantize", "single"),
    "float32": ("requantize", "float32"),
    "truncate": ("requantize", "truncate"),
    "floor": ("requantize", "floor"),
    "reduced-multiplier": ("requantize", "reduced"),
    "add-single-rounding": ("requantize", "single"),
    "no-input-zero-point": ("defect", "no-input-zero-point"),
    "no-output-zero-point": ("defect", "no-output-zero-point"),
    "no-bias": ("defect", "no-bias"),
    "zero-padding": ("defect", "zero-padding"),
    "no-output-clamp": ("defect", "no-activation"),
    "wrap-output": ("defect", "wraps"),
    "accumulator-16": ("defect", "accumulator-16"),
    "accumulator-24": ("defect", "accumulator-24"),
    "float16-sums": ("defect", "accumulator-float16"),
    "neighbour-bias": ("defect", "neighbour-bias"),
    "bias-16-wraps": ("defect", "bias-16-wraps"),
    "swapped-scales": ("defect", "swapped-weight-scales"),
    "per-tensor-scale": ("defect", "first-weight-scale"),
    "u8s8": ("defect", "u8s8"),
    "same-padding": ("defect", "padding-ahead"),
    "pool-truncate": ("round", "truncate"),
}
#: ``float32`` of ADD and LEAKY_RELU is a different computation; it is also the name of their fixed-point steps in
#: float32.
_FIXED = {("ADD", "float32"), ("LEAKY_RELU", "float32")}


@pytest.mark.parametrize("fault", NAMED)
def test_a_fault_equals_its_variant_or_defect(opened: Opening, fault: str) -> None:
    wrong = opened(fault=fault)
    stage, variant = NAMED[fault]
    unlike = []
    for opcode in sorted(VISIBLE[fault]):
        model = specimen(opcode)
        given = _outputs(wrong.run(_job(model)))
        name = "float32-multiplier" if (opcode, fault) in _FIXED else variant
        if not np.array_equal(given, _expected(model, inputs_of(model), **{opcode: {stage: name}})):
            unlike.append(opcode)
    assert unlike == []


def test_only_the_chosen_operators_are_taken(opened: Opening) -> None:
    chosen = opened(ops="CONV_2D+ADD")
    for opcode in ("CONV_2D", "ADD", "MUL", "FULLY_CONNECTED"):
        model = specimen(opcode)
        answer = _answer(chosen.run(_job(model)))
        assert answer.delegated == (opcode in ("CONV_2D", "ADD"),)
        np.testing.assert_array_equal(answer.runs[0][0], _expected(model, inputs_of(model)))


def test_a_fault_can_be_limited_to_operators(opened: Opening) -> None:
    wrong = opened(fault="floor", at="ADD")
    for opcode in ("CONV_2D", "ADD"):
        model = specimen(opcode)
        answer = _answer(wrong.run(_job(model)))
        assert answer.delegated == (True,)
        same = np.array_equal(answer.runs[0][0], _expected(model, inputs_of(model)))
        assert same == (opcode != "ADD")


def test_the_environment_chooses_where_no_option_does(
    opened: Opening, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LITECHECK_DELEGATE_FAULT", "truncate")
    monkeypatch.setenv("LITECHECK_DELEGATE_OPS", "CONV_2D")
    model = specimen("CONV_2D")
    answer = _answer(opened().run(_job(model)))
    assert answer.delegated == (True,)
    assert not np.array_equal(answer.runs[0][0], _expected(model, inputs_of(model)))
    np.testing.assert_array_equal(
        _outputs(opened(fault="none").run(_job(model))), _expected(model, inputs_of(model))
    )
    assert _answer(opened().run(_job(specimen("ADD")))).delegated == (False,)


def test_a_whole_network_is_exact_with_any_operators_taken(opened: Opening) -> None:
    model = network()
    inputs = inputs_of(model)
    for operators in ("CONV_2D", "ADD+FULLY_CONNECTED", "CONV_2D+ADD+AVERAGE_POOL_2D+FULLY_CONNECTED"):
        answer = _answer(opened(ops=operators).run(_job(model)))
        assert answer.delegated == ("FULLY_CONNECTED" in operators,)
        np.testing.assert_array_equal(answer.runs[0][0], _expected(model, inputs))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"fault": "gremlins"}, "knows no fault 'gremlins'"),
        ({"mode": "tired"}, "knows no mode 'tired'"),
        ({"ops": "CONV_2D+SOFTMAX"}, "knows no operator 'SOFTMAX'"),
        ({"colour": "red"}, "knows no option 'colour'"),
    ],
)
def test_an_option_error_of_the_delegate_is_passed_on(
    delegate: Path,  # noqa: F811
    options: dict[str, str],
    message: str,
) -> None:
    with pytest.raises(DeviceError, match=message):
        open_device(device(delegate, **options))


#: Mode -> how its job ends, and words of the message.
FAILURES = {
    "crash": (Outcome.CRASHED, "SIGSEGV"),
    "abort": (Outcome.CRASHED, "SIGABRT"),
    "hang": (Outcome.TIMED_OUT, "2 s"),
    "refuse": (Outcome.REFUSED, "the test delegate refuses node 0"),
    "refuse-invoke": (Outcome.REFUSED, "the test delegate refuses to compute node 0"),
    "exit0": (Outcome.CRASHED, ""),
    "memory": (Outcome.OUT_OF_MEMORY, "the test delegate is out of memory"),
}


@pytest.mark.parametrize("mode", FAILURES)
def test_every_failure_is_an_outcome_and_the_next_job_runs(opened: Opening, mode: str) -> None:
    outcome, words = FAILURES[mode]
    limits = Limits(seconds=2.0) if mode == "hang" else Limits(memory=1 << 30)
    failing = opened(limits, mode=mode, at="CONV_2D")
    well = specimen("ADD")
    for _ in range(2):
        failure = failing.run(_job(specimen("CONV_2D")))
        assert isinstance(failure, Failure), failure
        assert failure.outcome is outcome
        assert words in failure.message
        answer = _answer(failing.run(_job(well)))
        assert answer.delegated == (True,)
        np.testing.assert_array_equal(answer.runs[0][0], _expected(well, inputs_of(well)))


def test_a_wrong_shape_is_handed_on_as_it_is(opened: Opening) -> None:
    given = _outputs(opened(mode="wrong-shape").run(_job(specimen("CONV_2D"))))
    assert given.shape == (1, 9, 9, 9)
    assert given.dtype == np.int8


def test_a_wrong_type_is_handed_on_as_it_is(opened: Opening) -> None:
    given = _outputs(opened(mode="wrong-type").run(_job(specimen("CONV_2D"))))
    assert given.dtype == np.uint8


def test_outputs_are_kept_after_a_crash_behind_them(opened: Opening) -> None:
    model = specimen("CONV_2D")
    answer = _answer(opened(mode="corrupt").run(_job(model)))
    assert "SIGABRT" in answer.ended
    np.testing.assert_array_equal(answer.runs[0][0], _expected(model, inputs_of(model)))


def test_a_delegate_without_operators_is_recognized(opened: Opening) -> None:
    model = specimen("CONV_2D")
    answer = _answer(opened(mode="claims-none").run(_job(model)))
    assert answer.delegated == (False,)
    np.testing.assert_array_equal(answer.runs[0][0], _expected(model, inputs_of(model)))


def test_an_unwritten_output_is_not_the_previous_output(opened: Opening) -> None:
    model = specimen("FULLY_CONNECTED")
    first, second = inputs_of(model, 1), inputs_of(model, 2)
    answer = _answer(opened(mode="nothing").run(_job(model, first, second)))
    assert answer.delegated == (True,)
    assert answer.message.count("the delegate wrote nothing") == 2
    for inputs, given in zip((first, second), answer.runs, strict=True):
        assert not np.array_equal(given[0], _expected(model, inputs))


def test_a_flaky_delegate_differs_in_one_element_of_the_second_run(opened: Opening) -> None:
    model = specimen("CONV_2D")
    inputs = inputs_of(model)
    answer = _answer(opened(mode="flaky").run(_job(model, inputs, inputs)))
    (first,), (second,) = answer.runs
    np.testing.assert_array_equal(first, _expected(model, inputs))
    assert np.count_nonzero(first != second) == 1


@pytest.mark.parametrize(("fault", "variant"), [("none", "double"), ("single-rounding", "single")])
@pytest.mark.parametrize("opcode", ["ADD", "MUL"])
def test_every_pair_of_two_operands(opened: Opening, opcode: str, fault: str, variant: str) -> None:
    builder = ModelBuilder(opcode)
    graph = builder.subgraph("main")
    parameters = qparams(0.1, 3), qparams(0.3, -7), qparams(0.2, 5)
    x, y, z = (graph.tensor(name, (256, 256), "int8", q) for name, q in zip("xyz", parameters, strict=True))
    graph.add(opcode, [x, y], [z], version=2)
    graph.inputs(x, y)
    graph.outputs(z)
    model = builder.finish()
    left, right = np.meshgrid(*[np.arange(-128, 128).astype(np.int8)] * 2, indexing="ij")
    given = _outputs(opened(fault=fault).run(_job(model, (left, right))))
    named = _expected(model, (left, right), **{opcode: {"requantize": variant}})
    np.testing.assert_array_equal(given, named)
    assert np.array_equal(given, _expected(model, (left, right))) == (fault == "none")


PUBLIC = ("kws_ref_model", "pretrainedResnet_quant", "ad01_int8", "tf2_mobilenet_v2_1.0_224_ptq")


@pytest.mark.models
@pytest.mark.slow
@pytest.mark.parametrize("name", PUBLIC)
def test_a_public_model_is_exact_with_all_operators_delegated(
    opened: Opening, models: Path, name: str
) -> None:
    model = load_model(models / f"{name}.tflite")
    runs = tuple(inputs_of(model, seed) for seed in (1, 2))
    answer = _answer(opened().run(_job(model, *runs)))
    for inputs, given in zip(runs, answer.runs, strict=True):
        np.testing.assert_array_equal(given[0], _expected(model, inputs))


def test_printed_text_of_a_delegate_does_not_change_the_outputs(opened: Opening) -> None:
    model = specimen("CONV_2D")
    answer = _answer(opened(mode="noisy").run(_job(model)))
    assert answer.ended == ""
    np.testing.assert_array_equal(answer.runs[0][0], _expected(model, inputs_of(model)))
