"""Verdicts on devices with planted behavior: each fault is found and named, and further operators stay exact."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from litecheck.arrays import Arrays
from litecheck.comparison.wording import element_sentence, gathering_sentence
from litecheck.devices.outcome import Outcome
from litecheck.devices.port import Answer, Failure, Job
from litecheck.errors import ConfigError
from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.load import load_model
from litecheck.model.save import model_bytes
from litecheck.model.types import Model
from litecheck.reference.engine.arithmetic import Arithmetic, load_arithmetic
from litecheck.rendering.wording.headlines import tally
from litecheck.verification.device_run import NOT_REPEATED, digest_of, verify
from litecheck.verification.result import Verdict, Verification
from litecheck.verification.schedule import weights
from litecheck.verification.settings import Settings
from tests.verification.inprocess import InProcess
from tests.verification.networks import branching, convolutional, remembering, saturating


def of(report: Verification, opcode: str) -> Verdict:
    return next(v for v in report.verdicts if v.opcode == opcode)


def further_outcomes(report: Verification, opcode: str) -> set[Outcome]:
    return {v.outcome for v in report.verdicts if v.opcode != opcode}


def only(opcode: str, change) -> InProcess:
    """Return a device that is wrong in a single operator."""

    def changed(job: Job, number: int, outputs: Arrays) -> Arrays:
        return change(number, outputs) if opcode in job.name else outputs

    return InProcess(change=changed)


@pytest.mark.parametrize("network", [convolutional, remembering, branching])
def test_the_reference_itself_is_exact_everywhere(network) -> None:
    report = verify(network(), InProcess())
    assert [v.outcome for v in report.verdicts] == [Outcome.EXACT] * len(report.verdicts)
    assert (report.verdict, report.exit_code) == ("conforms", 0)
    assert all(v.elements and v.arithmetic == "litert-reference" for v in report.verdicts)


def test_one_wrong_element_is_located() -> None:
    def change(number: int, outputs: Arrays) -> Arrays:
        if number in (0, 1):  # the only inputs, both times
            outputs[0][0, 3, 4, 5] += 1
        return outputs

    report = verify(convolutional(), only("ADD", change), Settings(kinds=("propagated",)))
    found = of(report, "ADD")
    assert found.outcome is Outcome.MISMATCH
    # A single input drives all scores of SOFTMAX to a limit.
    assert further_outcomes(report, "ADD") == {Outcome.EXACT, Outcome.SATURATED}
    (difference,) = found.differences
    assert difference.worst is not None
    assert (difference.mismatches, difference.largest, difference.worst.index) == (1, 1, (0, 3, 4, 5))
    assert report.exit_code == 1


@pytest.mark.parametrize(("alone", "message"), [(0, NOT_REPEATED), (1, "")])
def test_wrong_outputs_of_a_shared_process_are_asked_for_again_alone(alone: int, message: str) -> None:
    """An earlier case in the process may be the cause, or chance: the operator fails either way."""

    def change(job: Job, number: int, outputs: Arrays) -> Arrays:
        wrong = "ADD" in job.name and (1 if job.shares else alone)
        return tuple(output ^ 1 for output in outputs) if wrong else outputs

    class Shared(InProcess):
        def run(self, job: Job) -> Answer | Failure:
            answer = super().run(job)
            return replace(answer, shared=job.shares) if isinstance(answer, Answer) else answer

    device = Shared(change=change)
    report = verify(convolutional(), device)
    assert (of(report, "ADD").outcome, of(report, "ADD").message) == (Outcome.MISMATCH, message)
    assert further_outcomes(report, "ADD") <= {Outcome.EXACT, Outcome.SATURATED}
    assert [name for name in set(device.jobs) if device.jobs.count(name) > 1] == [of(report, "ADD").case]


def test_recorded_answers_come_from_processes_of_their_own(tmp_path: Path) -> None:
    asked: list[bool] = []

    def note(job: Job) -> None:
        asked.append(job.shares)

    verify(convolutional(), InProcess(instead=note), Settings(record=str(tmp_path / "answers")))
    assert asked
    assert not any(asked)


def test_another_published_arithmetic_is_named_where_it_fits() -> None:
    strict = Settings(arithmetics=("litert-reference",))
    report = verify(convolutional(), InProcess("litert-xnnpack"), strict)
    conv = of(report, "CONV_2D")
    assert conv.outcome is Outcome.MISMATCH
    assert "litert-xnnpack" in conv.also
    assert "litert-xnnpack" in report.fits
    assert "litert-optimized" not in report.fits


def test_several_arithmetics_may_be_admissible() -> None:
    settings = Settings(arithmetics=("litert-reference", "litert-xnnpack"))
    report = verify(convolutional(), InProcess("litert-xnnpack"), settings)
    assert report.verdict == "conforms"
    assert of(report, "CONV_2D").arithmetic == "litert-xnnpack"
    assert of(report, "RESHAPE").arithmetic == "litert-reference"


@pytest.mark.parametrize(
    "failure",
    [
        Failure(Outcome.REFUSED, "no such operator"),
        Failure(Outcome.CRASHED, "ended with SIGSEGV"),
        Failure(Outcome.TIMED_OUT, "no answer after 1 s"),
        Failure(Outcome.OUT_OF_MEMORY, "bad_alloc"),
    ],
)
def test_a_failure_is_the_outcome_of_its_operator_alone(failure: Failure) -> None:
    device = InProcess(instead=lambda job: failure if "ADD" in job.name else None)
    report = verify(convolutional(), device)
    found = of(report, "ADD")
    assert (found.outcome, found.message) == (failure.outcome, failure.message)
    assert further_outcomes(report, "ADD") == {Outcome.EXACT}
    assert report.exit_code == 1


def test_a_crash_on_some_inputs_names_them() -> None:
    def instead(job: Job) -> Failure | None:
        low = any((run[0] == -128).all() for run in job.runs)
        return Failure(Outcome.CRASHED, "ended with SIGABRT") if low and "POOL" in job.name else None

    settings = Settings(kinds=("propagated", "directed"))
    found = of(verify(convolutional(), InProcess(instead=instead), settings), "AVERAGE_POOL_2D")
    assert found.outcome is Outcome.CRASHED
    assert found.message.startswith("crashed on 1 of 6 inputs (directed); the others: exact")
    assert found.elements


def test_inputs_of_a_known_crash_are_omitted_with_a_note() -> None:
    def instead(job: Job) -> Failure | None:
        low = any((run[0] == -128).all() for run in job.runs)
        return Failure(Outcome.CRASHED, "ended with SIGABRT") if low and "SOFTMAX" in job.name else None

    builder = ModelBuilder("softmax")
    main = builder.subgraph()
    x, y = (
        main.tensor("x", (1, 512), "int8", qparams(0.1)),
        main.tensor("y", (1, 512), "int8", qparams(1 / 256, -128)),
    )
    main.add("SOFTMAX", [x], [y], version=2, beta=1.0)
    main.inputs(x)
    main.outputs(y)
    report = verify(builder.finish(), InProcess(instead=instead, name="litert:reference"))
    found = of(report, "SOFTMAX")
    assert found.outcome is Outcome.EXACT
    assert "512" in found.fault
    assert "left out" in found.message


def test_other_answers_to_the_same_inputs_are_flaky() -> None:
    def change(number: int, outputs: Arrays) -> Arrays:
        outputs[0].flat[0] ^= number == 0
        return outputs

    found = of(verify(convolutional(), only("SOFTMAX", change)), "SOFTMAX")
    assert found.outcome is Outcome.FLAKY
    assert "1 of 10 elements" in found.message


def test_leftovers_of_the_inference_before_are_noticed() -> None:
    left: list[np.ndarray] = []

    def change(number: int, outputs: Arrays) -> Arrays:
        left.append(outputs[0])
        return (left[0],)

    assert of(verify(convolutional(), only("SOFTMAX", change)), "SOFTMAX").outcome is Outcome.MISMATCH


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda a: a[..., :-1], "int8 of shape [1, 9], it should be int8 of shape [1, 10]"),
        (lambda a: a.astype(np.int16), "int16 of shape [1, 10], it should be int8"),
    ],
)
def test_a_wrong_shape_or_type_has_its_message(wrong, message: str) -> None:
    found = of(verify(convolutional(), only("SOFTMAX", lambda n, o: (wrong(o[0]),))), "SOFTMAX")
    assert found.outcome is Outcome.WRONG_SHAPE
    assert message in found.message


def test_too_few_outputs_have_their_message() -> None:
    found = of(verify(convolutional(), only("SOFTMAX", lambda n, o: ())), "SOFTMAX")
    assert (found.outcome, found.message) == (Outcome.WRONG_SHAPE, "0 outputs, the model has 1")


def test_real_values_are_quantized_by_the_tensors_own_parameters() -> None:
    def real(number: int, outputs: Arrays) -> Arrays:
        return (((outputs[0].astype(np.float32)) + 128) * np.float32(1 / 256),)

    assert of(verify(convolutional(), only("SOFTMAX", real)), "SOFTMAX").outcome is Outcome.EXACT


def test_undelegated_operators_are_not_verified() -> None:
    class Fallback(InProcess):
        def run(self, job: Job) -> Answer | Failure:
            answer = super().run(job)
            assert isinstance(answer, Answer)
            return replace(answer, delegated=("CONV" in job.name,))

    report = verify(convolutional(), Fallback())
    assert of(report, "ADD").outcome is Outcome.NOT_DELEGATED
    assert of(report, "CONV_2D").outcome is Outcome.EXACT
    assert report.exit_code == 0
    strict = verify(convolutional(), Fallback(), Settings(fail_on_fallback=True))
    assert strict.exit_code == 1


def test_an_exact_answer_of_a_process_that_died_is_a_crash() -> None:
    class Dying(InProcess):
        def run(self, job: Job) -> Answer | Failure:
            answer = super().run(job)
            assert isinstance(answer, Answer)
            return replace(answer, ended="SIGABRT") if "ADD" in job.name else answer

    found = of(verify(convolutional(), Dying()), "ADD")
    assert found.outcome is Outcome.CRASHED
    assert "SIGABRT after it had answered; its answer: exact" in found.message


def test_an_operator_without_a_kernel_has_no_reference_and_later_inputs_are_drawn(hidden: Model) -> None:
    report = verify(hidden, InProcess())
    kinds = [(v.opcode, v.outcome) for v in report.verdicts]
    assert kinds[0] == ("MYSTERY", Outcome.NO_REFERENCE)
    assert kinds[1] == ("RELU", Outcome.EXACT)
    assert report.verdicts[1].runs[0] == "random"
    assert "no kernel for custom operator 'MYSTERY'" in report.verdicts[0].message


def test_a_run_without_compared_cases_is_not_checked(hidden: Model) -> None:
    report = verify(hidden, InProcess(), Settings(select=("0",)))
    assert (report.verdict, report.exit_code) == ("not checked", 2)
    assert verify(hidden, InProcess()).exit_code == 0
    assert verify(hidden, InProcess(), Settings(require_coverage=True)).exit_code == 1


@pytest.fixture
def hidden() -> Model:
    from litecheck.model.build import ModelBuilder, qparams

    builder = ModelBuilder()
    main = builder.subgraph()
    x, y, z = (main.tensor(n, (1, 300), "int8", qparams(0.1)) for n in "xyz")
    main.add("CUSTOM", [x], [y], custom_code="MYSTERY")
    main.add("RELU", [y], [z])
    main.inputs(x)
    main.outputs(z)
    return builder.finish()


@pytest.mark.slow
def test_modes_and_selection_limit_the_cases() -> None:
    model = convolutional()
    for settings, wanted in (
        (Settings(), 7),
        (Settings(segment=3), 3),
        (Settings(whole=True), 1),
        (Settings(between=("stem", "pooled")), 1),
        (Settings(select=("CONV_2D", "4")), 2),
    ):
        report = verify(model, InProcess(), settings)
        assert len(report.verdicts) == len(weights(model, settings)) == wanted
        assert report.verdict == "conforms"
    assert verify(model, InProcess(), Settings(segment=2)).mode == "segments of 2"
    with pytest.raises(ConfigError, match="conflicting settings: got several of segment, between and whole"):
        Settings(segment=2, whole=True)


@pytest.mark.parametrize("name", ["conv_2d", "7", "COV_2D"])
def test_a_selection_without_a_match_is_an_error(name: str) -> None:
    device = InProcess()
    with pytest.raises(ConfigError, match=f"--select {name}: there is no such operator; there are ADD, "):
        verify(convolutional(), device, Settings(select=("ADD", name)))
    assert device.jobs == []


def test_a_subrange_has_inputs_from_the_reference() -> None:
    model = convolutional()
    report = verify(model, InProcess(), Settings(between=("sum", "logits"), kinds=("propagated",)))
    assert [v.runs for v in report.verdicts] == [("propagated",)]
    assert report.verdict == "conforms"


def test_unselected_operators_still_give_inputs() -> None:
    model = convolutional()
    whole = verify(model, InProcess("litert-xnnpack"))
    alone = verify(model, InProcess("litert-xnnpack"), Settings(select=("4",)))
    assert alone.verdicts == whole.verdicts[4:5]


@pytest.mark.parametrize("option", ["reproduce", "record"])
def test_an_unwritable_folder_is_an_error_before_any_job(tmp_path: Path, option: str) -> None:
    (tmp_path / "file").write_text("")
    device = InProcess()
    with pytest.raises(ConfigError, match="file is not a folder"):
        verify(convolutional(), device, Settings(**{option: str(tmp_path / "file" / "x")}))
    assert device.jobs == []


def test_given_samples_are_propagated() -> None:
    fed: list[np.ndarray] = []

    def spy(job: Job) -> None:
        if job.name == "0000-CONV_2D":
            fed.extend(run[0] for run in job.runs)

    image = np.full((1, 8, 8, 3), 42, np.int8)
    settings = Settings(samples=({"image": image}, {"image": image + 1}), kinds=("propagated",), repeat=1)
    report = verify(convolutional(), InProcess(instead=spy), settings)
    assert [a.flat[0] for a in fed] == [42, 43]
    assert report.verdicts[0].runs == ("propagated", "propagated")


def test_dynamic_inputs_beyond_the_batch_are_noted() -> None:
    model = convolutional()
    main = model.subgraphs[0]

    def with_signature(*sizes: int) -> Model:
        image = replace(main.tensors[0], shape_signature=sizes)
        return replace(model, subgraphs=(replace(main, tensors=(image, *main.tensors[1:])),))

    note = "input 'image' has the shape ?x?x8x3 and was tested as 1x8x8x3; use --data for others"
    assert verify(with_signature(-1, -1, 8, 3), InProcess()).notes == (note,)
    assert verify(with_signature(-1, 8, 8, 3), InProcess()).notes == ()
    given = ({"image": np.zeros((1, 8, 8, 3), np.int8)},)
    assert verify(with_signature(-1, -1, 8, 3), InProcess(), Settings(samples=given)).notes == ()


def test_samples_of_another_size_are_tested_with_their_size() -> None:
    """The note on a dynamic input advises --data."""
    builder = ModelBuilder("dynamic")
    main = builder.subgraph()
    x, y = (main.tensor(name, (1, 1), "int8", qparams(0.1), shape_signature=(-1, -1)) for name in "xy")
    main.add("RELU", [x], [y])
    main.inputs(x)
    main.outputs(y)
    given = ({"x": np.arange(-10, 11, dtype=np.int8).reshape(3, 7)},)
    report = verify(builder.finish(), InProcess(), Settings(samples=given, kinds=("propagated",)))
    assert (report.verdict, report.verdicts[0].elements) == ("conforms", 21)


def test_threads_do_not_change_the_report() -> None:
    device = InProcess("litert-xnnpack")
    assert verify(convolutional(), device, Settings(jobs=3)) == verify(convolutional(), device, Settings())


@pytest.mark.parametrize("settings", [Settings(signature="x"), Settings(between=("a", "b"))])
def test_settings_that_do_not_fit_the_model_are_refused(settings: Settings) -> None:
    with pytest.raises(ConfigError):
        verify(convolutional(), InProcess(), settings)


def test_a_known_fault_is_reported_with_a_single_input() -> None:
    builder = ModelBuilder()
    main = builder.subgraph()
    x = main.constant("weights", np.ones((2, 3), np.int8), qparams(0.1))
    y = main.tensor("reals", (2, 3), "float32")
    main.add("DEQUANTIZE", [x], [y])
    main.outputs(y)
    device = InProcess(instead=lambda job: Failure(Outcome.REFUSED, "no"), name="litert:xnnpack")
    (found,) = verify(builder.finish(), device).verdicts
    assert found.outcome is Outcome.REFUSED
    assert "from dequantized constants only" in found.fault


def test_any_element_can_be_explained() -> None:
    settings = Settings(select=("CONV_2D", "SOFTMAX"), element=(0, 3, 4, 5))
    report = verify(convolutional(), InProcess(), settings)
    (difference,) = of(report, "CONV_2D").differences
    assert difference.explained is not None
    assert difference.explained.spot is not None
    assert difference.explained.spot.index == (0, 3, 4, 5)
    assert "accumulator" in element_sentence(difference.explained)
    # Another output does not contain this element.
    assert of(report, "SOFTMAX").differences[0].explained is None


def test_differences_are_those_to_the_nearest_of_several_arithmetics() -> None:
    """A device with a different rounding has one wrong element. With this rounding admitted, only this element
    differs."""

    def change(job: Job, number: int, outputs: Arrays) -> Arrays:
        if "CONV_2D" in job.name and "DEPTH" not in job.name:
            outputs[0][0, 3, 4, 5] ^= 1
        return outputs

    device = InProcess("single-rounding", change=change)
    names = ("litert-reference",)
    alone = Settings(names, kinds=("propagated", "random"), select=("CONV_2D",))
    against_first = of(verify(convolutional(), device, alone), "CONV_2D")
    names = ("litert-reference", "single-rounding", "litert-xnnpack")
    found = of(verify(convolutional(), device, replace(alone, arithmetics=names)), "CONV_2D")
    assert found.nearest == "single-rounding"
    assert found.mismatches == len(found.runs)
    assert against_first.mismatches > found.mismatches
    assert against_first.nearest == ""  # only one arithmetic was admitted
    (difference,) = found.differences
    assert "lie" in gathering_sentence(difference.patterns[0])
    assert difference.explained is not None
    assert "single-rounding (requantize: single) gives" in element_sentence(difference.explained)
    assert (
        of(verify(convolutional(), InProcess(), replace(alone, arithmetics=names)), "CONV_2D").nearest == ""
    )


@pytest.mark.parametrize("name", ["litert-reference", "litert-xnnpack", "tflm"])
def test_by_default_all_published_arithmetics_are_admitted(name: str) -> None:
    report = verify(convolutional(), InProcess(name))
    assert (report.verdict, report.agreement.identified) == ("conforms", name)
    strict = verify(convolutional(), InProcess(name), Settings(arithmetics=("litert-reference",)))
    assert strict.verdict == ("conforms" if name == "litert-reference" else "fails")


def test_a_published_runtime_is_held_to_its_own_arithmetic() -> None:
    report = verify(convolutional(), InProcess("litert-xnnpack", name="tflm"))
    assert (report.arithmetics, report.verdict) == (("tflm",), "fails")


def test_mixed_numerics_conform_and_are_reported() -> None:
    mixed = arithmetic_of(CONV_2D="litert-xnnpack", ADD="tflm")
    report = verify(convolutional(), InProcess(mixed))
    assert (report.verdict, report.agreement.mixed) == ("conforms", True)
    named = {group.arithmetics[0]: group.operators for group in report.agreement.groups}
    assert "CONV_2D" in named["litert-xnnpack"]


def arithmetic_of(**operators: str) -> Arithmetic:
    """Return the reference's arithmetic, with operators of other arithmetics."""
    base = load_arithmetic("litert-reference")
    stages = {opcode: load_arithmetic(name).variants(opcode) for opcode, name in operators.items()}
    return replace(base, name="mixed", stages={**base.stages, **stages})


def test_outputs_that_all_saturate_are_no_test() -> None:
    saturated = verify(saturating(200_000), InProcess())
    assert [v.outcome for v in saturated.verdicts] == [Outcome.SATURATED]
    assert (saturated.verdict, saturated.exit_code) == ("not checked", 2)
    assert verify(saturating(0), InProcess()).verdict == "conforms"


def test_a_known_fault_of_the_runtime_is_no_failure() -> None:
    """LiteRT's SUM on int8 reads its input as uint8; the same outputs of another device fail."""
    builder = ModelBuilder("sum")
    main = builder.subgraph()
    x, y = (main.tensor(name, (1, n), "int8", qparams(0.1, 0)) for name, n in (("x", 8), ("y", 1)))
    main.add("SUM", [x, main.constant("axis", np.array([1], np.int32))], [y], keep_dims=True)
    main.inputs(x)
    main.outputs(y)
    model = builder.finish()

    def wrong(job: Job, number: int, outputs: Arrays) -> Arrays:
        return tuple(output ^ 1 for output in outputs)

    report = verify(model, InProcess(change=wrong, name="litert:reference"))
    assert [v.outcome for v in report.verdicts] == [Outcome.MISMATCH]
    assert (report.exit_code, list(map(report.known_fault, report.verdicts))) == (2, [True])
    assert tally(report) == "1 operator: 1 known fault"
    assert verify(model, InProcess(change=wrong, name="acme")).exit_code == 1


def test_the_digest_of_a_model_is_that_of_its_file(tmp_path: Path) -> None:
    """Without a file, or as a member of a file, the digest is that of the serialized model."""
    file = tmp_path / "m.tflite"
    file.write_bytes(model_bytes(convolutional()) + b"more")
    loaded = load_model(file)
    built = hashlib.sha256(model_bytes(loaded, drop_unknown=True)).hexdigest()
    assert digest_of(loaded) == hashlib.sha256(file.read_bytes()).hexdigest() != built
    for other in (replace(loaded, file=""), replace(loaded, member="a"), replace(loaded, file="gone.tflite")):
        assert digest_of(other) == built


@pytest.mark.parametrize(
    ("name", "dtype", "outcome", "verdict"),
    [
        ("tflm", "uint8", Outcome.NOT_SUPPORTED, "not checked"),
        ("tflm", "int8", Outcome.REFUSED, "fails"),
        ("acme", "uint8", Outcome.REFUSED, "fails"),
    ],
)
def test_tflm_does_not_fail_for_types_without_a_kernel(
    name: str, dtype: str, outcome: Outcome, verdict: str
) -> None:
    builder = ModelBuilder()
    main = builder.subgraph()
    x, y = (
        main.tensor(called, (1, 8), dtype, qparams(scale, 0 if dtype == "uint8" else -128))
        for called, scale in (("x", 0.1), ("y", 1 / 256))
    )
    main.add("LOGISTIC", [x], [y])
    main.inputs(x)
    main.outputs(y)
    refusing = InProcess(instead=lambda job: Failure(Outcome.REFUSED, "type not supported"), name=name)
    report = verify(builder.finish(), refusing)
    assert [v.outcome for v in report.verdicts] == [outcome]
    assert report.verdict == verdict
    assert "type not supported" in report.verdicts[0].message
    assert ("LOGISTIC/types" in report.verdicts[0].message) == (outcome is Outcome.NOT_SUPPORTED)
