"""Public models on real runtimes: exact under the runtime's arithmetic, and different under an arithmetic that
differs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from litecheck.devices.outcome import Outcome
from litecheck.devices.port import DeviceError, Limits
from litecheck.devices.registry import open_device
from litecheck.model.load import load_model
from litecheck.verification.device_run import verify
from litecheck.verification.result import Verification
from litecheck.verification.settings import Settings

pytestmark = [pytest.mark.models, pytest.mark.runtime, pytest.mark.slow]

KWS, RESNET, AD, LSTM = "kws_ref_model", "pretrainedResnet_quant", "ad01_int8", "trained_lstm_int8"
MOBILENET, MOVENET = "tf2_mobilenet_v2_1.0_224_ptq", "movenet_single_pose_lightning_ptq"
OWN = {
    "litert:reference": "litert-reference",
    "litert:optimized": "litert-optimized",
    "litert:xnnpack": "litert-xnnpack",
    "tflm": "tflm",
}
#: Operators that differ from litert-reference, by device and model; integers only.
DIFFER = {
    "litert:reference": {},
    "litert:optimized": {
        KWS: {"FULLY_CONNECTED"},
        RESNET: {"CONV_2D", "FULLY_CONNECTED"},
        LSTM: {"FULLY_CONNECTED"},
        AD: {"FULLY_CONNECTED"},
        MOBILENET: {"CONV_2D", "MEAN"},
        MOVENET: {"CONV_2D", "DEPTHWISE_CONV_2D", "ADD", "QUANTIZE"},
    },
    "litert:xnnpack": {
        KWS: {"CONV_2D", "DEPTHWISE_CONV_2D"},
        RESNET: {"CONV_2D"},
        MOBILENET: {"CONV_2D", "DEPTHWISE_CONV_2D", "ADD", "MEAN"},
        MOVENET: {"CONV_2D", "DEPTHWISE_CONV_2D", "ADD", "SUB", "MUL", "QUANTIZE", "RESIZE_BILINEAR"},
    },
    "tflm": {
        KWS: {"FULLY_CONNECTED"},
        RESNET: {"FULLY_CONNECTED"},
        AD: {"FULLY_CONNECTED"},
        LSTM: {"UNIDIRECTIONAL_SEQUENCE_LSTM"},
    },
}
#: Pairs that are always compared: a small model on every device, each further model on a single device.
SLICE = {(device, KWS) for device in OWN} | {
    ("litert:xnnpack", RESNET),
    ("tflm", AD),
    ("litert:optimized", LSTM),
}
#: Operators that LiteRT for Microcontrollers does not support.
UNSERVED = {("tflm", MOVENET): {"CAST", "FLOOR_DIV"}}


@pytest.fixture(scope="module", params=OWN)
def device(request: pytest.FixtureRequest) -> Iterator:
    try:
        opened = open_device(request.param, Limits())
    except DeviceError as error:
        pytest.skip(str(error))
    yield opened
    opened.close()


def of(report: Verification, *outcomes: Outcome) -> set[str]:
    return {v.opcode for v in report.verdicts if v.outcome in outcomes}


@pytest.mark.parametrize("name", [KWS, RESNET, AD, LSTM, MOBILENET, MOVENET])
def test_exact_under_its_own_arithmetic_and_different_where_that_differs(
    device, models: Path, name: str, beyond_the_slice: Callable[[], None]
) -> None:
    if (device.name, name) not in SLICE:
        beyond_the_slice()
    model = load_model(models / f"{name}.tflite")
    unserved = UNSERVED.get((device.name, name), set())
    own = verify(model, device, Settings(jobs=2))
    assert own.arithmetics == (OWN[device.name],)
    assert own.exit_code == 0
    assert of(own, Outcome.NOT_SUPPORTED) == unserved
    assert of(own, *(o for o in Outcome if o.judged and not o.good)) == set()
    assert not of(own, Outcome.NO_REFERENCE)

    report = verify(model, device, Settings(("litert-reference",), jobs=2))
    differ = DIFFER[device.name].get(name, set())
    assert of(report, Outcome.MISMATCH) == differ
    for verdict in report.verdicts:
        if verdict.outcome is Outcome.MISMATCH:
            assert OWN[device.name] in verdict.also
            assert all(d.explained for d in verdict.differences if d.mismatches)
    if differ:
        assert OWN[device.name] in report.fits
