"""Some operators with 16-bit activations among 8-bit operators: chosen by the user, with rescaling between the types."""

from __future__ import annotations

from pathlib import Path

import pytest

from fixtures.detector import float_detector
from litecheck import convert_model
from litecheck.conversion.convert_float import Request, replay
from litecheck.conversion.plan_file import plan_json, read_plan
from litecheck.conversion.record import ConversionRecord
from litecheck.errors import ConfigError
from litecheck.model.save import model_bytes, save_model
from litecheck.model.types import Model
from tests.conversion.mobile_nets import images, mobile_net


def mixed(model: Model, *patterns: str, **options: object) -> ConversionRecord:
    data = (images(1, 4),) if "data" not in options else options.pop("data")
    return convert_model(model, data=data, int16x8=patterns, device="litecheck", **options)


def types(record: ConversionRecord) -> list[tuple[str, str]]:
    """Return the operators of the new model with the types of their first input and output."""
    main = record.conversion.model.subgraphs[0]
    return [
        (op.opcode, f"{main.tensors[op.inputs[0]].dtype}>{main.tensors[op.outputs[0]].dtype}")
        for op in main.operators
    ]


def test_chosen_operators_are_bound_to_the_other_profile() -> None:
    record = mixed(mobile_net(1, blocks=1), "block0/depthwise")
    assert record.verdict == "conforms"
    assert record.becomes == {"int8": 6, "int16": 1}
    assert types(record) == [
        ("QUANTIZE", "float32>int8"),
        ("CONV_2D", "int8>int8"),
        ("CONV_2D", "int8>int8"),
        ("DEQUANTIZE", "int8>float32"),
        ("QUANTIZE", "float32>int16"),
        ("DEPTHWISE_CONV_2D", "int16>int16"),
        ("QUANTIZE", "int16>int8"),
        ("CONV_2D", "int8>int8"),
        ("ADD", "int8>int8"),
        ("MEAN", "int8>int8"),
        ("FULLY_CONNECTED", "int8>int8"),
        ("DEQUANTIZE", "int8>float32"),
    ]
    assert {p for op in record.report.operators for p in op.profiles} == {"litert-runtime", "litert-int16x8"}
    assert all(op.status == "conforms" for op in record.report.operators)


def test_wide_tensors_are_finer() -> None:
    model = mobile_net(1, spread=0)
    plain, wide = (mixed(model, *patterns) for patterns in ((), ("*",)))
    assert wide.becomes.keys() == {"int16"}
    assert wide.agreement is not None
    assert plain.agreement is not None
    assert wide.agreement.outputs[0].snr > plain.agreement.outputs[0].snr + 3


@pytest.mark.parametrize("device", ["litert:reference", "litert:xnnpack"])
@pytest.mark.parametrize("pattern", ["CONV_2D", "ADD", "#5", "FULLY_CONNECTED"])
def test_litert_runs_mixed_models(device: str, pattern: str, tmp_path: Path) -> None:
    pytest.importorskip("ai_edge_litert", reason="needs ai-edge-litert")
    save_model(model := mobile_net(2, blocks=1), tmp_path / "float.tflite")
    record = convert_model(model, data=(images(2, 2),), int16x8=(pattern,), device=device)
    assert record.verdict == "conforms"
    assert record.agreement is not None
    assert record.agreement.outputs[0].snr > 10


def test_a_plan_states_the_16_bit_operators() -> None:
    model = mobile_net(1, blocks=1)
    record = mixed(model, "#1", agreement=False)
    plan = read_plan(plan_json(record.conversion.plan), "plan.json")
    again = replay(model, plan, Request())
    assert model_bytes(again.model) == model_bytes(record.conversion.model)
    assert again.conforms


def test_operators_that_the_int16_profile_lacks_stay_float() -> None:
    model = float_detector()
    record = convert_model(model, random=2, int16x8=("LOGISTIC", "SIN"), device="litecheck", agreement=False)
    assert record.verdict == "conforms"
    assert record.becomes == {"int8": 6, "int16": 1, "float32": 1}


def test_patterns_without_an_operator_are_errors() -> None:
    with pytest.raises(ConfigError, match="--int16x8 NOTHING: no operator"):
        mixed(mobile_net(1, blocks=1), "NOTHING")
    with pytest.raises(ConfigError, match="an int8 model, not of dynamic"):
        convert_model(mobile_net(1, blocks=1), to="dynamic", int16x8=("#1",))
