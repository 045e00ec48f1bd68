"""Trace: a planted fault is named with its cause, a valid pair has no culprit, and a tested fix helps."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import litecheck
from litecheck.conversion.calibration.dataset import CalibrationData
from litecheck.conversion.calibration.samples import Sample
from litecheck.conversion.pipeline import convert_model
from litecheck.model.edit import SubgraphEditor, with_subgraphs
from litecheck.model.graph import wiring_of
from litecheck.model.load import load_model
from litecheck.model.stored_values import bytes_of, stored_integers
from litecheck.profile.operators import traits_of
from tests.conversion.classifiers import classifier, narrow_and_wide
from tests.conversion.samples import samples
from tests.differential.faults import Pair, by_litecheck, by_tensorflow, drawn, traced
from tests.differential.padded_net import padded_net
from tests.differential.planted_faults import FAULTS, plant
from tests.tracing.faulty_device import FaultyDevice

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"


@pytest.fixture(scope="module")
def residual() -> Pair:
    return by_tensorflow("residual")


@pytest.mark.parametrize("name", ["separable", "residual", "transpose_conv"])
def test_a_sound_pair_has_no_culprit(name: str) -> None:
    pair = by_tensorflow(name)
    found = traced(pair, pair.quantized)
    assert found.culprits == ()
    assert found.exit_code == 0
    assert found.leading is not None
    assert all(row.avoidable_db < 3 for row in found.operators)


@pytest.mark.parametrize("kind", sorted(set(FAULTS) - {"swapped_operands", "integer_constants", "gates"}))
def test_a_planted_fault_is_named_first(kind: str, residual: Pair) -> None:
    for seed in range(3):
        planted = plant(kind, residual.quantized, np.random.default_rng(seed))
        assert planted is not None
        found = traced(residual, planted.model)
        if found.culprits:
            break
    assert found.culprits[0].operator in planted.operators
    assert found.culprits[0].cause in planted.causes
    assert found.culprits[0].avoidable_db >= 3
    assert found.exit_code == 1


def test_a_bias_scale_that_kernels_do_not_use(residual: Pair) -> None:
    """TensorFlow's old quantizer writes such biases: correct with their own scale, which kernels ignore."""
    main = residual.quantized.subgraphs[0]
    editor, bias = SubgraphEditor(main), main.tensors[main.operators[1].inputs[2]]
    q, stored = bias.quantization, stored_integers(bias)
    assert stored is not None
    editor.set_tensor(
        bias.index, quantization=type(q)(q.scale * np.float32(4), q.zero_point, q.axis),
        data=bytes_of(np.rint(stored / 4).astype(np.int32)),
    )  # fmt: skip
    first = traced(residual, with_subgraphs(residual.quantized, [editor.finish()[0]])).culprits[0]
    assert (first.operator, first.cause) == (1, "bias")
    assert (
        first.detail == "its bias scale is 4 times input scale x weight scale, which kernels use in its place"
    )


def test_swapped_operands_are_named() -> None:
    pair = by_tensorflow("transpose_conv")
    planted = plant("swapped_operands", pair.quantized, np.random.default_rng(0))
    assert planted is not None
    culprit = traced(pair, planted.model).culprits[0]
    assert (culprit.cause, culprit.operator in planted.operators) == ("operands", True)


def test_integer_constants_are_named() -> None:
    pair = by_litecheck("paddings and slices", padded := padded_net(8), drawn(padded, 8))
    assert traced(pair, pair.quantized).culprits == ()
    details = set[str]()
    for seed in range(4):
        planted = plant("integer_constants", pair.quantized, np.random.default_rng(seed))
        assert planted is not None
        first = traced(pair, planted.model).culprits[0]
        assert ({first.operator}, first.cause) == (planted.operators, "option")
        details.add(first.detail)
    shifted = "its input begin is [0, 0, 0, 8], and the float model's is [0, 0, 0, 0]"
    padded_right = (
        "[[0, 0], [0, 1], [0, 1], [0, 0]], and the float model's is [[0, 0], [1, 0], [1, 0], [0, 0]]"
    )
    assert {shifted, f"its input paddings is {padded_right}"} <= details


def test_the_weights_of_a_gate_are_named() -> None:
    pair, details = by_tensorflow("lstm_fused"), set[str]()
    for seed in range(4):
        planted = plant("gates", pair.quantized, np.random.default_rng(seed))
        assert planted is not None
        first = traced(pair, planted.model).culprits[0]
        assert ({first.operator}, first.cause) == (planted.operators, "weights")
        details.add(re.sub(r"(input|recurrent)_to_[a-z]+_weights", "WEIGHTS", first.detail).split(":")[0])
    assert details == {"its WEIGHTS are the float model's WEIGHTS", "WEIGHTS"}


def test_weights_of_all_steps_are_one_culprit_with_the_share_of_all_steps() -> None:
    """The error of a single step hardly reaches the output of an unrolled LSTM."""
    pair = by_tensorflow("lstm_unrolled")
    main = pair.quantized.subgraphs[0]
    readers = wiring_of(main).readers
    weight = max(
        (t for t in main.tensors if t.dtype == "int8" and t.is_constant), key=lambda t: len(readers[t.index])
    )
    editor, stored = SubgraphEditor(main), stored_integers(weight)
    assert stored is not None
    halved = np.array(stored).reshape(-1)
    halved[halved.size // 2 :] = 0
    editor.set_tensor(weight.index, data=bytes_of(halved.astype(np.int8)))
    found = traced(pair, with_subgraphs(pair.quantized, [editor.finish()[0]]))
    first = found.culprits[0]
    assert len(readers[weight.index]) > 2
    assert sorted((first.operator, *first.others)) == sorted(readers[weight.index])
    assert first.detail.endswith(f"; {len(first.others)} other operators read the same constants")
    assert first.share is not None
    assert first.share > 0.5


def test_a_reshape_with_another_zero_point_is_named(residual: Pair) -> None:
    """Only the quantized model has the RESHAPE, which copies integers, so its output represents different real
    values."""
    main = residual.quantized.subgraphs[0]
    add = next(op for op in main.operators if op.opcode == "ADD")
    source = main.tensors[add.inputs[1]]
    editor, q = SubgraphEditor(main), source.quantization
    other = replace(q, zero_point=np.where(q.zero_point > 0, q.zero_point - 50, q.zero_point + 50))
    made = editor.add_like(source, "other", "int8", other)
    shape = editor.add_tensor("shape", (4,), "int32", None, bytes_of(np.array(source.shape, np.int32)))
    editor.insert(add.index - 1, "RESHAPE", source.index, made, None, 1)
    editor.change(add.index, inputs=(add.inputs[0], made))
    subgraph, _ = editor.finish()
    operators = [
        replace(op, inputs=(*op.inputs, shape)) if op.outputs == (made,) else op for op in subgraph.operators
    ]
    changed = with_subgraphs(residual.quantized, [replace(subgraph, operators=tuple(operators))])
    found = traced(residual, changed)
    first = found.culprits[0]
    place = next(op.index for op in changed.subgraphs[0].operators if op.outputs == (made,))
    assert (first.operator, first.opcode, first.cause) == (place, "RESHAPE", "arithmetic")
    assert first.detail.startswith(
        "the float model has no such operator, and it changes the values that it passes on (output: output has scale "
    )
    assert first.share is not None
    assert first.share > 0.5
    assert found.exit_code == 1


def test_an_operator_that_no_kernel_computes_is_not_sound() -> None:
    """The kernel has a TANH for 9 to 15 fractional bits of the cell. The float model's output replaces its output."""
    pair = by_tensorflow("lstm_fused")
    main = pair.quantized.subgraphs[0]
    lstm = next(op for op in main.operators if op.kind == "UNIDIRECTIONAL_SEQUENCE_LSTM")
    cell = main.tensors[traits_of(lstm.kind).tensors(lstm)["cell_state"]]
    editor = SubgraphEditor(main)
    scale = np.array([2.0**-17], np.float32)
    editor.set_tensor(cell.index, quantization=replace(cell.quantization, scale=scale))
    found = traced(pair, with_subgraphs(pair.quantized, [editor.finish()[0]]))
    assert [one[:3] for one in found.invalid] == [(0, lstm.index, lstm.kind)]
    assert "scale is 7.62939e-06" in found.invalid[0][3]
    assert found.exit_code == 1


def test_the_fix_is_tried_and_helps(residual: Pair) -> None:
    planted = plant("weight_scales", residual.quantized, np.random.default_rng(0))
    assert planted is not None
    found = litecheck.trace(residual.real, planted.model, data=(residual.data,), runtime="litecheck")
    assert found.fix is not None
    assert found.fix.gain > 1
    assert found.fix.command.startswith("litecheck convert ")
    assert found.culprits[0].fix == found.fix
    assert found.culprits[0].share is not None
    assert found.culprits[0].share > 0.5


def test_no_fix_is_calibrated_on_doubtful_data(residual: Pair) -> None:
    planted = plant("weight_scales", residual.quantized, np.random.default_rng(0))
    assert planted is not None
    larger = drawn(residual.real, 1, 40.0)
    found = litecheck.trace(residual.real, planted.model, data=(larger,), runtime="litecheck")
    assert "are they preprocessed as the model expects?" in found.doubt
    assert found.culprits
    assert found.fix is None


def test_scores_beside_boxes() -> None:
    """Scores 0..1 share a CONCATENATION with boxes up to 170: the operator is named, and the fix restores the scores."""
    data = str(FIXTURES / "float_detector.npz")
    quantized = litecheck.convert(
        FIXTURES / "float_detector.tflite", data=(data,), agreement=False
    ).conversion.model
    found = litecheck.trace(FIXTURES / "float_detector.tflite", quantized, data=(data,), runtime="litecheck")
    assert (found.culprits[0].opcode, found.culprits[0].cause) == ("CONCATENATION", "shared_range")
    assert found.fix is not None
    assert found.fix.gain > 20


def test_a_faulty_device_is_distinguished_from_quantization_loss(residual: Pair) -> None:
    sound = litecheck.trace(
        residual.real,
        residual.quantized,
        data=(residual.data,),
        fix=False,
        runtime="litecheck",
        device=FaultyDevice(),
    )
    assert sound.culprits == ()
    assert all(row.device_differs == 0 for row in sound.operators)
    found = litecheck.trace(
        residual.real, residual.quantized, data=(residual.data,), fix=False, runtime="litecheck",
        device=FaultyDevice("FULLY_CONNECTED", "no-bias"),
    )  # fmt: skip
    assert {(one.opcode, one.cause) for one in found.culprits} == {("FULLY_CONNECTED", "arithmetic")}


@pytest.mark.parametrize(
    ("kind", "number", "cause"),
    [
        ("weight_scales", 0, "weight_scale"),
        ("weight_scales", 5, "weight_scale"),
        ("biases", 5, "bias"),
        ("too_wide", 2, "output_range"),
        ("too_narrow", 2, "output_range"),
        ("too_wide", 0, "output_range"),
        ("too_narrow", 0, "output_range"),
    ],
)
def test_a_model_of_quantization_aware_training(kind: str, number: int, cause: str) -> None:
    """The float file simulates quantization by QUANTIZE and DEQUANTIZE; its integer file gives equal outputs.

    The file states no shape for the weights of operator 5. The values are on the steps of a range that is 8 times too
    wide, where runtimes round halves differently from numpy.
    """
    real, quantized = (load_model(FIXTURES / "convert" / f"trained{end}.tflite") for end in ("", "_int8"))
    sound = litecheck.trace(real, quantized, random=3, fix=False)
    assert sound.culprits == ()
    assert [row.opcode for row in sound.operators] == [op.opcode for op in quantized.subgraphs[0].operators]
    operator = quantized.subgraphs[0].operators[number]
    planted = FAULTS[kind](quantized, operator, np.random.default_rng(0))
    assert planted is not None
    found = litecheck.trace(real, planted.model, random=3, fix=False).culprits
    assert [(one.operator, one.cause) for one in found] == [(number, cause)]


@pytest.mark.parametrize("kind", ["int16x8", "float16"])
def test_other_types_of_a_model_of_quantization_aware_training(kind: str) -> None:
    """int16 activations have the ranges of training. Models without a trained range in integers have no fix."""
    real = load_model(FIXTURES / "convert" / "trained.tflite")
    made = convert_model(real, to=kind, random=3, device="litecheck").conversion.model
    found = litecheck.trace(real, made, random=3, runtime="litecheck")
    assert found.culprits == ()
    assert found.worst > 30


@pytest.mark.parametrize(
    ("limits", "code"), [({"min_snr": 5.0}, 0), ({"min_snr": 90.0}, 1), ({"max_loss": 2.0}, 0)]
)
def test_limits(limits: dict[str, float], code: int, residual: Pair) -> None:
    found = litecheck.trace(
        residual.real, residual.quantized, data=(residual.data,), fix=False, runtime="litecheck", **limits
    )
    assert found.exit_code == code
    assert bool(found.failures) is bool(code)


def test_another_form_is_traced_as_well(residual: Pair) -> None:
    planted = plant("four_bits", residual.quantized, np.random.default_rng(0))
    assert planted is not None
    found = litecheck.trace(
        residual.real,
        residual.quantized,
        data=(residual.data,),
        against=planted.model,
        fix=False,
        runtime="litecheck",
    )
    assert found.culprits == ()
    assert found.against is not None
    assert found.against.culprits[0].operator in planted.operators


@pytest.mark.parametrize(("factors", "named"), [((1, 1, 1, 300, 1, 1), True), ((300,) * 6, False)])
def test_an_unusual_sample_is_named_and_not_the_preprocessing(factors: tuple[int, ...], named: bool) -> None:
    pair = by_tensorflow("residual")
    chains = [
        (Sample({name: array * factor for name, array in sample.inputs.items()}),)
        for (sample,), factor in zip(pair.data, factors, strict=True)
    ]
    data = CalibrationData(lambda: iter(chains), "samples", len(chains))
    found = litecheck.trace(pair.real, pair.quantized, data=(data,), runtime="litecheck")
    assert found.doubt.startswith("sample 3 alone sets ") is named
    assert ("preprocessed" in found.doubt) is not named


@pytest.mark.parametrize("kind", ["too_narrow", "weights"])
def test_a_warning_of_the_data_becomes_a_question_if_ranges_do_not_match(kind: str, residual: Pair) -> None:
    """Images without a stated preprocessing may reach further than the calibration data of the model."""
    planted = plant(kind, residual.quantized, np.random.default_rng(1))
    assert planted is not None
    data = replace(residual.data, warnings=("0..1 by default",))
    found = litecheck.trace(residual.real, planted.model, data=(data,), runtime="litecheck", samples=2)
    asked = found.culprits[0].detail.endswith("; are these data preprocessed as the model expects?")
    assert asked is (kind == "too_narrow")
    assert (found.fix is None) is asked
    assert "0..1 by default" in found.notes


def test_without_the_float_model_ranges_are_measured(tmp_path: Path) -> None:
    model = load_model(FIXTURES / "convert" / "residual_int8.tflite")
    arrays = np.stack([next(iter(sample.values())) for sample in samples("residual")])[:4]
    path = tmp_path / "x.npy"
    np.save(path, arrays)
    editor = SubgraphEditor(model.subgraphs[0])
    wide = model.subgraphs[0].tensors[model.subgraphs[0].operators[0].outputs[0]]
    q = wide.quantization
    editor.set_tensor(wide.index, quantization=type(q)(q.scale * np.float32(40), q.zero_point))
    found = litecheck.trace(None, with_subgraphs(model, [editor.finish()[0]]), data=(str(path),))
    assert found.reference == ""
    assert found.culprits == ()
    assert any("CONV_2D #0 uses" in note for note in found.notes)


@pytest.mark.parametrize(
    ("reference", "model", "words"),
    [
        ("convert/residual_int8", "convert/residual_int8", "expected a float model first"),
        ("convert/residual", "convert/separable_int8", "Give two forms of one model"),
    ],
)
def test_models_that_do_not_belong_together(reference: str, model: str, words: str) -> None:
    with pytest.raises(litecheck.LitecheckError, match=words):
        litecheck.trace(FIXTURES / f"{reference}.tflite", FIXTURES / f"{model}.tflite", random=2)


def test_data_are_needed() -> None:
    with pytest.raises(litecheck.ConfigError, match="a trace needs data"):
        litecheck.trace(
            FIXTURES / "convert" / "residual.tflite", FIXTURES / "convert" / "residual_int8.tflite"
        )


@pytest.mark.parametrize("last", ["SOFTMAX", "LOGISTIC"])
def test_the_logits_of_probabilities_are_measured(last: str) -> None:
    """A calibration with too narrow data: probabilities look good, and the logits do not."""
    real, (narrow, wide) = classifier(last), narrow_and_wide()
    quantized = convert_model(real, data=narrow, device="litecheck").conversion.model
    (good,) = litecheck.trace(real, quantized, data=narrow, fix=False, device=None).outputs
    found = litecheck.trace(real, quantized, data=wide, fix=False, device=None)
    (bad,) = found.outputs
    assert good.logits is not None
    assert bad.logits is not None
    assert good.logits > 40
    assert bad.snr > bad.logits + 20
    row = next(one for one in found.operators if one.opcode == "FULLY_CONNECTED")
    assert bad.logits == row.accumulated_snr
