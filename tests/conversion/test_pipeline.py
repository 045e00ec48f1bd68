"""Complete conversions: files read and written, statistics saved, plans applied again, errors reported."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fixtures.detector import float_detector, reals, samples
from fixtures.models import conv_int8, uint8_model
from litecheck import convert_model
from litecheck.checks.validate import validate
from litecheck.conversion import model_comparison
from litecheck.conversion.calibration.dataset import CalibrationData
from litecheck.conversion.calibration.samples import Sample
from litecheck.conversion.calibration.statistics import CalibrationError
from litecheck.conversion.record import ConversionRecord
from litecheck.conversion.session_setup import DRAWN, prepare_session
from litecheck.conversion.settings import ConversionSettings
from litecheck.conversion.source import load_source
from litecheck.errors import ConfigError, ModelError
from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.edit import with_subgraphs
from litecheck.model.load import load_model
from litecheck.model.save import save_model
from litecheck.model.types import Model

Converting = Callable[..., ConversionRecord]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Prepare a folder with a float model and sixteen images for it."""
    monkeypatch.chdir(tmp_path)
    save_model(float_detector(), "float.tflite")
    Path("images.npz").write_bytes(samples())
    return tmp_path


@pytest.fixture
def converting(folder: Path) -> Converting:
    """Return ``convert_model`` for this model, with litecheck's own kernels."""

    def convert(target: str = "", **settings: Any) -> ConversionRecord:
        return convert_model("float.tflite", target, device="litecheck", **settings)

    return convert


def test_a_conforming_model_is_written_whole(converting: Converting) -> None:
    before = Path("float.tflite").read_bytes()
    record = converting("out.tflite", data=("images.npz",))
    assert (record.verdict, record.exit_code, record.target) == ("conforms", 0, "out.tflite")
    assert Path("float.tflite").read_bytes() == before
    assert (record.source_size, record.size) == (len(before), Path("out.tflite").stat().st_size)
    assert not any(f.level == "violation" for f in validate(load_model("out.tflite")).findings)
    assert record.becomes == {"int8": 7, "float32": 1}
    assert record.added_operators == {"QUANTIZE": 2, "DEQUANTIZE": 2}
    assert {path.name for path in Path().iterdir()} == {"float.tflite", "images.npz", "out.tflite"}


def test_both_models_are_compared(converting: Converting) -> None:
    record = converting(data=("images.npz",))
    assert record.agreement is not None
    assert record.agreement.samples == 16
    detections, phase = record.agreement.outputs
    assert (detections.output, phase.output) == ("detections", "phase")
    assert detections.snr > 30
    own = {one.name: one.agreement for one in record.tensors if one.agreement}
    assert set(own) == {"image", "features", "deeper", "pooled", "boxes", "logits", "scores", "detections"}


def test_without_a_target_no_file_is_written(converting: Converting) -> None:
    record = converting(data=("images.npz",), agreement=False)
    assert (record.tried, record.target, record.agreement) == (True, "", None)
    assert {path.name for path in Path().iterdir()} == {"float.tflite", "images.npz"}


def test_statistics_are_written_and_then_take_the_datas_place(converting: Converting) -> None:
    first = converting("one.tflite", data=("images.npz",), statistics="stats.json")
    assert first.calibration is not None
    assert first.calibration.file == ""
    again = converting("two.tflite", statistics="stats.json")
    assert again.calibration is not None
    assert again.calibration.file == "stats.json"
    assert again.agreement is None
    assert Path("one.tflite").read_bytes() == Path("two.tflite").read_bytes()


def test_random_samples_give_a_warning_also_from_saved_statistics(converting: Converting) -> None:
    first = converting(random=2, statistics="stats.json", agreement=False)
    again = converting(statistics="stats.json")
    assert first.warnings == again.warnings
    assert "RANDOM" in first.warnings[0]


def test_statistics_of_another_model_are_refused(converting: Converting) -> None:
    converting(random=1, statistics="stats.json", agreement=False)
    other = replace(float_detector(), description="another")
    with pytest.raises(ConfigError, match="statistics of another model"):
        convert_model(other, statistics="stats.json")


@pytest.mark.parametrize("place", [[0, 10**19], [7, 0], [-1, 0], [0, -1]])
def test_statistics_of_tensors_that_the_model_has_not_are_refused(
    converting: Converting, place: list[int]
) -> None:
    converting(random=1, statistics="stats.json", agreement=False)
    facts = json.loads(Path("stats.json").read_text())
    facts["tensors"][0][:2] = place
    Path("stats.json").write_text(json.dumps(facts))
    with pytest.raises(ConfigError, match=r"stats\.json: tensors: the model has no tensor -?\d+ in subgraph"):
        converting(statistics="stats.json")


def test_a_plan_gives_the_same_bytes_again(converting: Converting) -> None:
    convert_model(
        "float.tflite", "one.tflite", save_plan="plan.json", data=("images.npz",), device="litecheck"
    )
    record = converting("two.tflite", plan="plan.json")
    assert record.conversion.request.to == "int8"
    assert Path("one.tflite").read_bytes() == Path("two.tflite").read_bytes()
    assert record.groups == ()


def test_a_plan_that_would_violate_is_not_written(converting: Converting) -> None:
    convert_model("float.tflite", save_plan="plan.json", data=("images.npz",), device="litecheck")
    plan = json.loads(Path("plan.json").read_text())
    (scores,) = (one for one in plan["tensors"] if one["name"] == "scores")
    scores["forms"][0]["scale"] = [0.01]
    Path("plan.json").write_text(json.dumps(plan))
    record = converting("out.tflite", plan="plan.json", data=("images.npz",))
    assert (record.verdict, record.exit_code, record.target) == ("violates", 1, "")
    assert {f.path for f in record.report.findings if f.level != "note"} == {"LOGISTIC/output/scale"}
    assert record.agreement is None
    assert not Path("out.tflite").exists()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda plan: plan["tensors"][0].update(tensor=99), r"tensors\[0\] names tensor 99"),
        (lambda plan: plan["tensors"][0].update(tensor=-1), r"tensors\[0\] names tensor -1"),
        (
            lambda plan: plan["tensors"][0]["read"][0].update(operator=5),
            "operator 5 does not read at place 0",
        ),
        (lambda plan: plan["operators"][0].update(operator=99), "operator #99 of subgraph 0"),
        (lambda plan: plan["operators"][0].update(subgraph=-1), "operator #0 of subgraph -1"),
        (lambda plan: plan.update(source="0" * 64), "made for another model"),
        (lambda plan: plan.update(to="int4"), "no conversion to activations of 'int4'"),
    ],
)
def test_a_plan_that_does_not_match_the_model_is_an_error(
    converting: Converting, change: Any, message: str
) -> None:
    convert_model("float.tflite", save_plan="plan.json", random=1, device="litecheck", agreement=False)
    plan = json.loads(Path("plan.json").read_text())
    change(plan)
    Path("plan.json").write_text(json.dumps(plan))
    with pytest.raises(ConfigError, match=message):
        converting(plan="plan.json")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({}, "int8 needs calibration data.*--data random:N"),
        ({"plan": "plan.json", "calibrate": ("mse",)}, "give one of them"),
        ({"plan": "missing.json"}, "missing.json: cannot be read"),
        ({"to": "dynamic", "calibrate": ("mse",)}, "no ranges to choose"),
        ({"to": "float16", "statistics": "s.json"}, "no ranges to choose"),
        ({"data": ("images.npz",), "random": 1}, "give one of them"),
        ({"keep": ("ADD", "#1"), "int16x8": ("#1",)}, "--keep-float #1 and --int16x8 #1: give one of them"),
        ({"random": 1, "keep": ("*",)}, "nothing to quantize: every operator stays as it is"),
    ],
)
def test_invalid_settings_are_errors(converting: Converting, settings: dict[str, Any], message: str) -> None:
    convert_model("float.tflite", save_plan="plan.json", random=1, device="litecheck", agreement=False)
    with pytest.raises(ConfigError, match=message):
        converting(**settings)


def test_several_sets_of_samples_are_one(converting: Converting) -> None:
    record = converting(data=("images.npz", "images.npz"), agreement=False)
    assert record.calibration is not None
    assert record.calibration.statistics.samples == 32
    assert record.calibration.statistics.source == "16 samples of images.npz and 16 samples of images.npz"


def test_steps_are_known_where_samples_are_counted(folder: Path) -> None:
    model = load_model("float.tflite")
    settings = {"data": ("images.npz",)}
    assert prepare_session(model, ConversionSettings(**settings)).steps == 32
    assert prepare_session(model, ConversionSettings(agreement=False, **settings)).steps == 16
    assert prepare_session(model, ConversionSettings(to="dynamic", **settings)).steps == 16
    assert prepare_session(model, ConversionSettings(to="float16")).steps == 0
    searched = [
        prepare_session(model, ConversionSettings(sensitivity=-1, samples=n, **settings))
        for n in (None, 16, 20, 4)
    ]
    operators = len(model.subgraphs[0].operators)
    assert [one.steps for one in searched] == [32 + 16 * operators] * 3 + [32 + 4 * operators]
    assert [one.data.count for one in searched if one.data] == [16] * 4


def fed(values: float) -> CalibrationData:
    """Return an image with a single unusual value."""
    image = reals((1, 8, 8, 3))
    image[0, 0, 0, 0] = values
    return CalibrationData(lambda: iter([(Sample({"image": image}),)]), "an image", 1)


def test_a_nan_is_named_with_its_sample(converting: Converting) -> None:
    with pytest.raises(CalibrationError, match="sample 0 makes tensor 0 'image' hold a NaN"):
        converting(data=(fed(np.nan),))


def test_only_weights_need_no_data(converting: Converting) -> None:
    record = converting("out.tflite", to="dynamic")
    assert record.becomes["hybrid"] == 1
    assert record.verdict == "conforms"
    half = converting("half.tflite", to="float16")
    assert half.added_operators == {"DEQUANTIZE": 8}
    assert half.size < record.source_size


def test_scales_of_a_quantized_form_are_taken_over(converting: Converting) -> None:
    one = converting("one.tflite", data=("images.npz",), inputs="int8", outputs="int8", agreement=False)
    two = converting("two.tflite", scales_from="one.tflite", agreement=False)
    forms = {t.name: t.form for t in one.tensors if t.form.because == "" and not t.constant}
    taken = {t.name: t.form for t in two.tensors if "one.tflite" in t.form.because}
    assert {"features", "deeper", "pooled", "boxes", "logits"} <= set(taken)
    assert all(taken[name].same(forms[name]) for name in ("features", "deeper", "pooled", "boxes", "logits"))


def test_an_old_uint8_model_keeps_its_scales(folder: Path) -> None:
    save_model(uint8_model(), "old.tflite")
    record = convert_model("old.tflite", "new.tflite")
    assert record.verdict == "conforms"
    before, after = load_model("old.tflite").subgraphs[0], load_model("new.tflite").subgraphs[0]
    for old, new in zip(before.inputs + before.outputs, after.inputs + after.outputs, strict=True):
        one, other = before.tensors[old].quantization, after.tensors[new].quantization
        assert one.scale.tobytes() == other.scale.tobytes()
        assert (one.zero_point - 128).tolist() == other.zero_point.tolist()


def test_an_old_model_runs_beside_the_new_one(folder: Path) -> None:
    """Weights without a zero point lose no precision, so every stored activation is equal except for the shift."""
    pytest.importorskip("ai_edge_litert", reason="needs ai-edge-litert")
    save_model(uint8_model(), "old.tflite")
    exact, rounded = convert_model(_symmetric(uint8_model())), convert_model("old.tflite")
    for record in (exact, rounded):
        assert record.agreement is not None
        assert (record.agreement.samples, record.agreement.quantized, record.warnings) == (DRAWN, True, ())
    assert exact.agreement is not None
    assert [one.equal for one in exact.agreement.outputs] == [1.0]
    assert exact.weights[0].largest < 1e-5
    assert rounded.weights[0].largest > 0.1


def _symmetric(model: Model) -> Model:
    """Return the model with weights of zero point 128, stored in 1..255."""
    (subgraph,) = model.subgraphs
    tensors = []
    for tensor in subgraph.tensors:
        if tensor.is_constant and tensor.dtype == "uint8" and tensor.data is not None:
            data = tensor.data.clip(1, 255)
            data.reshape(tensor.shape)[:, 0] = 255
            tensor = replace(tensor, data=data, quantization=qparams(tensor.quantization.scale, 128))
        tensors.append(tensor)
    return with_subgraphs(model, [replace(subgraph, tensors=tuple(tensors))])


def test_an_int8_model_is_converted_only_for_another_profile(folder: Path) -> None:
    save_model(conv_int8(), "int8.tflite")
    with pytest.raises(ConfigError, match="quantized already"):
        convert_model("int8.tflite")
    assert convert_model("int8.tflite", profile="litert-int8").verdict == "conforms"


def test_other_models_than_those_of_tensorflow_are_read_directly(folder: Path) -> None:
    assert load_source("float.tflite").file == "float.tflite"
    Path("saved").mkdir()
    with pytest.raises(ModelError):
        load_source("saved")


def test_samples_without_a_finite_value_are_named() -> None:
    builder = ModelBuilder()
    main = builder.subgraph()
    x, y = (main.tensor(name, (1, 4), "float32") for name in "xy")
    main.add("RELU", [x], [y])
    main.inputs(x)
    main.outputs(y)
    chain = (Sample({"x": np.full((1, 4), np.inf, np.float32)}),)
    data = CalibrationData(lambda: iter([chain]), "one sample", 1)
    with pytest.raises(
        CalibrationError, match=r"^one sample: no tensor holds a finite value in any of the samples$"
    ):
        convert_model(builder.finish(), data=(data,), device="litecheck")


def test_a_custom_operator_that_prevents_a_run_is_named() -> None:
    builder = ModelBuilder()
    main = builder.subgraph()
    x, y, z = (main.tensor(name, (1, 4), "float32") for name in "xyz")
    main.add("RELU", [x], [y])
    main.add("CUSTOM", [y], [z], custom_code="AcmeSort")
    main.inputs(x)
    main.outputs(z)
    with pytest.raises(
        CalibrationError, match=r"^CUSTOM AcmeSort #1 is a custom operator, and no kernel for it"
    ):
        convert_model(builder.finish(), random=2, device="litecheck")


def test_a_model_that_cannot_be_compared_is_an_error_with_the_next_step(
    converting: Converting, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*args: object) -> None:
        raise CalibrationError("litert:xnnpack, samples 0 to 7: refused: no kernel for RESHAPE 2")

    monkeypatch.setattr(model_comparison, "_agreement", refused)
    with pytest.raises(CalibrationError, match=r"RESHAPE 2\. .*--device litecheck .*--no-agreement"):
        converting("out.tflite", data=("images.npz",))
    assert not Path("out.tflite").exists()


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"to": "int7"}, "there is no conversion to 'int7'"),
        ({"keep": ("CONV_9D",)}, "--keep-float CONV_9D: no operator has this number"),
        ({"int16x8": ("CONV_9D",)}, "--int16x8 CONV_9D: no operator has this number"),
        ({"inputs": "int7"}, "--input-dtype int7: expected float32 or int8 or uint8 for int8"),
        ({"outputs": "int16"}, "--output-dtype int16: expected float32 or int8 or uint8 for int8"),
        ({"signature": "serv"}, "--signature serv: the model has no such signature; there are "),
        ({"ranges": ("image",)}, "--range image: expected NAME=LOW:HIGH"),
        ({"ranges": ("nothing=0:1",)}, "no computed float32 tensor has the name 'nothing'"),
    ],
)
@pytest.mark.parametrize("given", [0, 4])
def test_invalid_settings_are_found_before_the_calibration(
    settings: dict[str, Any], words: str, given: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also without data: the message names the setting, not the missing samples."""
    monkeypatch.setattr(
        "litecheck.conversion.background_calibration.calibrate_model", lambda *_: pytest.fail("calibrated")
    )
    with pytest.raises(ConfigError, match=re.escape(words)):
        convert_model(float_detector(), random=given or None, device="litecheck", **settings)
