"""Models of quantization-aware training: ranges and weights come out as trained, with TensorFlow's integers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from litecheck import convert_model, load_model
from litecheck.conversion.fixes import lowest_snr
from litecheck.conversion.formulas import Generation
from litecheck.conversion.plan_file import plan_json
from litecheck.conversion.qat_models import import_trained, is_trained, propagate_ranges
from litecheck.errors import InputError
from litecheck.model.build import ModelBuilder, SubgraphBuilder, qparams
from litecheck.model.edit import with_subgraphs
from litecheck.model.save import model_bytes
from litecheck.model.stored_values import stored_integers
from litecheck.model.types import Model, Tensor
from litecheck.profile.load import load_profile

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures" / "convert"
WEIGHTS = np.array([[0.3, -1.7, 0.0, 1.0], [0.004, -0.0039, 0.5, -1.0]], np.float32)


def simulated(
    main: SubgraphBuilder, x: int, low: float, high: float, pairs: bool, narrow: bool = False
) -> int:
    """Add FAKE_QUANT, or a pair of QUANTIZE and DEQUANTIZE with its parameters, and return the output."""
    shape = SHAPES[x]
    y = main.tensor(f"fake {x}", shape, "float32")
    SHAPES[y] = shape
    if not pairs:
        main.add("FAKE_QUANT", [x], [y], min=low, max=high, num_bits=8, narrow_range=narrow)
        return y
    scale = (high - low) / (255 - narrow)
    zero = int(np.floor(narrow - low / scale + 0.5))
    q = main.tensor(f"stored {x}", shape, "uint8", qparams(np.float32(scale), zero))
    main.add("QUANTIZE", [x], [q])
    main.add("DEQUANTIZE", [q], [y])
    return y


SHAPES: dict[int, Sequence[int]] = {}


def net(pairs: bool, ends: bool = True, weights: NDArray[np.float32] = WEIGHTS) -> Model:
    """Return a FULLY_CONNECTED and a RESHAPE, which has no output range."""
    SHAPES.clear()
    main = (builder := ModelBuilder()).subgraph()
    x, w = main.tensor("x", (1, 4), "float32"), main.constant("w", weights)
    SHAPES.update({x: (1, 4), w: (2, 4)})
    y = main.tensor("y", (1, 2), "float32")
    SHAPES[y] = (1, 2)
    operands = [simulated(main, x, -1.0, 1.0, pairs), simulated(main, w, -1.0, 1.0, pairs, narrow=True)]
    main.add("FULLY_CONNECTED", [*operands, -1], [y])
    z = simulated(main, y, -0.5, 2.05, pairs) if ends else y
    shape = main.constant("shape", np.array([2], np.int32))
    end = main.tensor("end", (2,), "float32")
    main.add("RESHAPE", [z, shape], [end])
    main.inputs(x)
    main.outputs(end)
    return builder.finish()


def named(model: Model) -> dict[str, Tensor]:
    return {t.name: t for t in model.subgraphs[0].tensors}


@pytest.mark.parametrize("pairs", [True, False])
def test_ranges_and_weights_are_those_of_the_training(pairs: bool) -> None:
    """Weights beyond the trained range are clipped: -1.7 is stored as -127, 0.3 as 0.3 * 127 = 38.1."""
    assert is_trained(net(pairs))
    record = convert_model(net(pairs), inputs="int8", outputs="int8")
    assert (record.verdict, record.share) == ("conforms", (2, 2))
    tensors = named(record.conversion.model)
    assert [op.opcode for op in record.conversion.model.subgraphs[0].operators] == [
        "FULLY_CONNECTED",
        "RESHAPE",
    ]
    parameters = {
        n: (tensors[n].quantization.scale.tolist(), tensors[n].quantization.zero_point.tolist())
        for n in "xyw"
    }
    scale = [float(np.float32(value)) for value in (2 / 255, 2.55 / 255, 2 / 254)]
    assert parameters == {"x": ([scale[0]], [0]), "y": ([scale[1]], [-78]), "w": ([scale[2]], [0])}
    assert tensors["end"].quantization.scale.tolist() == [scale[1]]
    assert stored_integers(tensors["w"]).tolist() == [[38, -127, 0, 127], [1, 0, 64, -127]]


def test_a_range_that_the_training_does_not_have_needs_data() -> None:
    with pytest.raises(
        InputError, match="no range of its output is known: no sample computes it; give --data"
    ):
        convert_model(net(True, ends=False))
    full = convert_model(net(True, ends=False), random=4, device="litecheck")
    assert full.share == (2, 2)
    assert named(full.conversion.model)["x/int8"].quantization.zero_point.tolist() == [0]


def test_other_kinds_keep_values_and_ranges() -> None:
    record = convert_model(net(True), to="int16x8")
    assert record.verdict == "conforms"
    assert named(record.conversion.model)["w"].dtype == "int8"
    assert {t.dtype for t in record.conversion.model.subgraphs[0].tensors if t.name.startswith("y")} == {
        "int16"
    }


@pytest.mark.parametrize(
    ("pairs", "settings"),
    [(True, {}), (False, {}), (True, {"random": 4, "device": "litecheck"})],
    ids=["pairs", "FAKE_QUANT", "data"],
)
def test_an_operator_with_int16_activations_does_not_read_the_trained_int8_form(
    pairs: bool, settings: dict[str, Any]
) -> None:
    record = convert_model(net(pairs), int16x8=("#0",), inputs="int8", **settings)
    assert record.verdict == "conforms"
    layer = next(op for op in record.conversion.model.subgraphs[0].operators if op.kind == "FULLY_CONNECTED")
    tensors = [record.conversion.model.subgraphs[0].tensors[i] for i in (*layer.inputs[:2], *layer.outputs)]
    assert [t.dtype for t in tensors] == ["int16", "int8", "int16"]
    assert named(record.conversion.model)["x"].dtype == "int8"


def test_a_budget_compares_with_the_simulation() -> None:
    """Values beyond the trained range are clipped in training, and not in the model without its simulation."""
    record = convert_model(net(True), random=16, device="litecheck", budget="snr=40")
    plain = convert_model(net(True), random=16, device="litecheck")
    assert record.budget is not None
    assert not record.budget.trial.assignment.int16x8 | record.budget.trial.assignment.real
    assert record.agreement is not None
    assert plain.agreement is not None
    assert record.agreement.outputs == plain.agreement.outputs
    assert record.budget.trial.snr == pytest.approx(lowest_snr(record.agreement))


def test_a_plan_is_applied_again(tmp_path: Path) -> None:
    first = convert_model(net(True))
    (tmp_path / "plan.json").write_text(plan_json(first.conversion.plan))
    again = convert_model(net(True), plan=str(tmp_path / "plan.json"))
    assert model_bytes(again.conversion.model) == model_bytes(first.conversion.model)


@pytest.mark.parametrize("name", ["conv_int8", "float", "hybrid", "uint8"])
def test_other_models_are_not_trained(name: str) -> None:
    assert not is_trained(load_model(FIXTURES.parent / f"{name}.tflite"))


def test_a_conversion_without_a_tensor_is_no_simulation() -> None:
    """A QUANTIZE, DEQUANTIZE or FAKE_QUANT without its input or output has no effect."""
    for pairs in (True, False):
        (subgraph,) = net(pairs).subgraphs
        for end in ({"outputs": ()}, {"inputs": ()}):
            for number in range(2):
                operators = tuple(
                    replace(op, **end) if op.index == number else op for op in subgraph.operators
                )
                model = with_subgraphs(net(pairs), [replace(subgraph, operators=operators)])
                assert not is_trained(model)


@pytest.mark.parametrize("generation", ["new", "verbatim", "old"])
def test_weights_that_do_not_fill_their_trained_range_keep_its_scale(generation: Generation) -> None:
    """The largest weight is 0.9 in a trained range of 1, and 0.9 * 127 = 114."""
    weights = WEIGHTS * np.float32(0.9 / 1.7)
    ours = named(convert_model(net(True, weights=weights), generation=generation).conversion.model)["w"]
    assert np.array_equal(stored_integers(ours), np.rint(weights * 127))


def test_ranges_follow_from_rules() -> None:
    released = import_trained(net(True))
    tensors = {t.name: t.index for t in released.model.subgraphs[0].tensors}
    ranges = propagate_ranges(
        released.model, load_profile("litert-runtime"), {(0, tensors["y"]): (-1.0, 2.0)}
    )
    assert ranges == {(0, tensors["y"]): (-1.0, 2.0), (0, tensors["end"]): (-1.0, 2.0)}


def test_integers_are_those_of_tensorflow() -> None:
    """Scales of a bias may differ by 1 ULP: TensorFlow multiplies scales in float64 that the float file has in float32."""
    theirs = load_model(FIXTURES / "trained_int8.tflite")
    ours = convert_model(FIXTURES / "trained.tflite", inputs="int8", outputs="int8").conversion.model
    pairs = list(zip(ours.subgraphs[0].operators, theirs.subgraphs[0].operators, strict=True))
    assert [one.opcode for one, _ in pairs] == [other.opcode for _, other in pairs]
    constants = 0
    for one, other in pairs:
        for i, j in zip((*one.inputs, *one.outputs), (*other.inputs, *other.outputs), strict=True):
            mine, wanted = ours.subgraphs[0].tensors[i], theirs.subgraphs[0].tensors[j]
            ulps = 1 if wanted.dtype == "int32" else 0
            scale = wanted.quantization.scale
            assert np.all(np.abs(mine.quantization.scale - scale) <= ulps * np.spacing(scale))
            assert mine.quantization.zero_point.tolist() == wanted.quantization.zero_point.tolist()
            if mine.is_constant and wanted.quantization.scale.size:
                constants += 1
                assert np.array_equal(stored_integers(mine), stored_integers(wanted))
    assert constants == 6


def test_data_do_not_change_ranges_that_follow_from_trained_ones() -> None:
    """The output of MAX_POOL_2D has the trained range of its input, and not the values of the samples."""
    path = FIXTURES / "trained.tflite"
    plain, sampled = (convert_model(path, agreement=False, **more) for more in ({}, {"random": 2}))
    assert sampled.verdict == "conforms"
    assert model_bytes(sampled.conversion.model) == model_bytes(plain.conversion.model)
