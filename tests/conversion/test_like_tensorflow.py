"""TensorFlow's own models come out byte for byte: weights, biases, scales and zero points, given its activations' scales."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from litecheck.conversion.conversion_plan import TensorQuantParams
from litecheck.conversion.convert_float import Conversion, Request, convert
from litecheck.conversion.dequantized_model import dequantize_model
from litecheck.conversion.formulas import Generation
from litecheck.conversion.parameter_transfer import transfer
from litecheck.conversion.pipeline import convert_model
from litecheck.conversion.plan_profiles import rules_for
from litecheck.errors import ConfigError
from litecheck.model.load import load_model
from litecheck.model.save import save_model
from litecheck.model.stored_values import stored_integers
from litecheck.model.types import Model
from litecheck.quantization import INTEGER_RANGES, Quantization
from tests.differential.tensorflow_bytes import ALLOWED, differences

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures" / "convert"
#: Nets that TensorFlow 2.21 quantized, with the generation of its formulas. Comparisons with constants are excluded:
#: their separate scales violate the profile's limits.
NETS = [
    ("attention", "new"), ("comparison", "new"), ("dead_channels", "new"), ("detection", "new"), ("lstm_fused", "new"),
    ("mixed_concat", "new"), ("ranges", "new"), ("residual", "new"), ("separable", "new"), ("streaming", "new"),
    ("transpose_conv", "new"), ("dead_channels_old", "old"), ("ranges_old", "old"), ("raised", "verbatim"),
    ("detection", "verbatim"),
]  # fmt: skip


def converted(model: Model, theirs: Model, generation: Generation) -> Conversion:
    """Convert the float model with TensorFlow's formulas and the scales of its quantized form."""
    ranges = {
        (s.index, t.index): (-1.0, 1.0) for s in model.subgraphs for t in s.tensors if t.dtype == "float32"
    }
    for key, form in transfer(model, theirs).forms.items():
        low, high = INTEGER_RANGES[form.dtype]
        scale, zero = float(form.scale[0]), int(form.zero_point[0])
        ranges[key] = scale * (low - zero), scale * (high - zero)
    entry = theirs.subgraphs[0]
    border = entry.tensors[entry.inputs[0]].dtype
    request = Request(generation=generation, inputs=border, outputs=border)
    return convert(model, request, ranges, like=theirs)


@pytest.mark.parametrize(("name", "generation"), NETS)
def test_a_net_equals_the_form_of_tensorflow(name: str, generation: Generation) -> None:
    model = load_model(FIXTURES / f"{name.removesuffix('_old')}.tflite")
    theirs = load_model(FIXTURES / f"{name}_int8.tflite")
    done = converted(model, theirs, generation)
    assert done.conforms or name == "ranges_old"  # its scales are drawn
    compared, differ = differences(done.model, theirs)
    assert compared["scales"] >= 10
    assert differ.keys() <= set(ALLOWED)


def test_the_other_generation_differs() -> None:
    model = load_model(FIXTURES / "dead_channels.tflite")
    theirs = load_model(FIXTURES / "dead_channels_old_int8.tflite")
    _, differ = differences(converted(model, theirs, "new").model, theirs)
    assert differ["scales"] >= 10
    assert differ["biases"] >= 8


def test_weights_that_tensorflow_spoils_are_spoilt_on_demand_alone() -> None:
    """In a layer with a single scale that a bias raised, the new quantizer stores weights with their original step."""
    model, theirs = (load_model(FIXTURES / f"raised{form}.tflite") for form in ("", "_int8"))
    faithful, right = (converted(model, theirs, generation) for generation in ("verbatim", "new"))
    assert differences(right.model, theirs)[1].keys() == {"weights"}
    spoilt = {
        one.name: error for done in (faithful, right) for one, error in _weight_errors(done) if error > 0.51
    }
    assert spoilt.keys() == {
        name for name, because in _choices(faithful).items() if "come out larger" in because
    }
    assert len(spoilt) >= 4
    assert not any("come out larger" in because for because in _choices(right).values())
    assert max(error for _, error in _weight_errors(right)) < 0.51


def _choices(done: Conversion) -> dict[str, str]:
    return {one.name: form.because for one in done.plan.tensors for form in one.read.values() if form}


def _weight_errors(done: Conversion) -> Iterator[tuple[TensorQuantParams, float]]:
    """Yield weights by their place in the plan, and their largest distance from the float weights in steps."""
    stored = {t.name.removesuffix("/int8"): t for t in done.model.subgraphs[0].tensors if t.dtype == "int8"}
    for one in done.plan.tensors:
        real, new = done.source.subgraphs[0].tensors[one.tensor], stored.get(one.name)
        values, integers = stored_integers(real), stored_integers(new) if new is not None else None
        if values is not None and new is not None and integers is not None:
            scale = new.quantization.scale.astype(np.float64)
            yield one, float(np.abs(integers - values / scale).max())


def test_pretrained_resnet(models: Path) -> None:
    model = load_model(models / "pretrainedResnet.tflite")
    theirs = load_model(models / "pretrainedResnet_quant.tflite")
    done = converted(model, theirs, "old")
    assert done.conforms
    compared, differ = differences(done.model, theirs)
    assert compared["weights"] == 77_360
    assert (
        compared["biases"] == 346
    )  # all except those of a single layer, with a name that the integer file truncates
    assert differ == {}


def test_ad01(models: Path, conversion: Path) -> None:
    theirs = load_model(models / "ad01_int8.tflite")
    done = converted(load_model(conversion / "ad01_fp32.tflite"), theirs, "old")
    assert done.conforms
    compared, differ = differences(done.model, theirs)
    assert compared["weights"] == 264_192
    assert compared["biases"] == 1_672
    assert differ == {}


def without_intermediates(model: Model) -> Model:
    """Return a model in which recurrent operators list no intermediates, as in a float model."""
    main = model.subgraphs[0]
    operators = tuple(replace(op, intermediates=()) for op in main.operators)
    return replace(model, subgraphs=(replace(main, operators=operators),))


def intermediates(model: Model) -> list[tuple[str, list[float], list[int]]]:
    """Return the type, scales and zero points of all intermediates, in order."""
    main = model.subgraphs[0]
    found = (main.tensors[i] for op in main.operators for i in op.intermediates)
    return [(t.dtype, t.quantization.scale.tolist(), t.quantization.zero_point.tolist()) for t in found]


def test_trained_lstm(models: Path) -> None:
    """The float form of the public file is not public, so its stored weights replace the float weights."""
    theirs = load_model(models / "trained_lstm_int8.tflite")
    done = converted(without_intermediates(dequantize_model(theirs).model), theirs, "old")
    assert done.conforms
    compared, differ = differences(done.model, theirs)
    assert (compared["weights"], compared["biases"], differ) == (9_440, 90, {})
    assert intermediates(done.model) == intermediates(theirs)


def test_intermediates_are_those_of_tensorflow() -> None:
    theirs = load_model(FIXTURES / "lstm_fused_int8.tflite")
    done = converted(load_model(FIXTURES / "lstm_fused.tflite"), theirs, "new")
    assert [kind for kind, _, _ in intermediates(theirs)] == ["float32"] * 4 + ["int8"]
    assert intermediates(done.model) == intermediates(theirs)


def test_another_net_is_refused() -> None:
    model = load_model(FIXTURES / "separable.tflite")
    with pytest.raises(Exception, match="matches one of this model's"):
        transfer(model, load_model(FIXTURES / "ranges_int8.tflite"))


def test_structure_replaces_names_that_differ() -> None:
    model, theirs = (load_model(FIXTURES / f"residual{end}.tflite") for end in ("", "_int8"))
    main = theirs.subgraphs[0]
    renamed = replace(main, tensors=tuple(replace(t, name=f"t{t.index}") for t in main.tensors))
    found = transfer(model, replace(theirs, subgraphs=(renamed,)))
    assert {k: f.scale.tobytes() for k, f in found.forms.items()} == {
        k: f.scale.tobytes() for k, f in transfer(model, theirs).forms.items()
    }


def test_biases_are_within_the_rule() -> None:
    """The profile allows a bias scale to differ from the product by an ulp."""
    model = load_model(FIXTURES / "dead_channels.tflite")
    done = converted(model, load_model(FIXTURES / "dead_channels_int8.tflite"), "new")
    assert done.conforms
    assert np.isfinite([float(f.scale.min()) for t in done.plan.tensors if (f := t.written)]).all()


def test_names_of_another_version_do_not_matter() -> None:
    model, theirs = (load_model(FIXTURES / f"lstm_fused{end}.tflite") for end in ("", "_int8"))
    main = theirs.subgraphs[0]
    crossed = [main.tensors[(n + 3) % len(main.tensors)].name for n in range(len(main.tensors))]
    renamed = replace(
        main, tensors=tuple(replace(t, name=name) for t, name in zip(main.tensors, crossed, strict=True))
    )
    found = transfer(model, replace(theirs, subgraphs=(renamed,)), rules_for("int8")[0])
    assert found.share == (6, 6)
    assert found.note == "scales of 6 of 6 tensors copied from " + theirs.file
    state = next(t.index for t in model.subgraphs[0].tensors if t.is_variable)
    output = model.subgraphs[0].operators[0].outputs[0]
    assert found.forms[0, state].same(found.forms[0, output])


def without_scales(theirs: Model, kept: int) -> Model:
    """Return a quantized model in which only the outputs of the first operators have scales and names."""
    main = theirs.subgraphs[0]
    bare = {i for op in main.operators[kept:] for i in op.outputs}
    tensors = (
        replace(t, quantization=Quantization(), name="") if t.index in bare else t for t in main.tensors
    )
    return replace(theirs, subgraphs=(replace(main, tensors=tuple(tensors)),))


def test_scales_are_copied_to_tensors_that_must_share_them() -> None:
    model, theirs = (load_model(FIXTURES / f"residual{end}.tflite") for end in ("", "_int8"))
    whole = transfer(model, theirs).forms
    lacking = without_scales(theirs, 7)  # AVERAGE_POOL_2D, RESHAPE and FULLY_CONNECTED come after
    assert whole.keys() - transfer(model, lacking).forms.keys() == {(0, 19), (0, 20), (0, 21)}
    found = transfer(model, lacking, rules_for("int8")[0])
    assert whole.keys() - found.forms.keys() == {(0, 21)}
    assert all(found.forms[0, n].same(found.forms[0, 18]) for n in (19, 20))
    assert found.share == (10, 11)


def test_a_copy_of_few_scales_needs_data(tmp_path: Path) -> None:
    model, theirs = (load_model(FIXTURES / f"residual{end}.tflite") for end in ("", "_int8"))
    save_model(without_scales(theirs, 2), str(tmp_path / "few.tflite"))
    asked = {"scales_from": str(tmp_path / "few.tflite"), "agreement": False}
    with pytest.raises(ConfigError, match=r"few\.tflite: got 3 of 11 tensors with a partner"):
        convert_model(model, **asked)
    record = convert_model(model, random=2, **asked)
    assert record.share == (10, 10)
    assert any("scales of 3 of 11 tensors copied" in note for note in record.conversion.plan.notes)
