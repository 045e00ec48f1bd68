"""Comparison of converters: a failure is a row, a model is validated and compared, memory includes child processes."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fixtures.detector import float_detector, samples
from litecheck.conversion import converters
from litecheck.conversion.by_converter import quantize_via
from litecheck.conversion.converters import compare_converters
from litecheck.conversion.other_converters.converter_process import ConverterResult
from litecheck.conversion.pipeline import convert_model
from litecheck.conversion.settings import ConversionSettings
from litecheck.errors import ConfigError, ModelError, Problem
from litecheck.model.load import load_model
from litecheck.model.save import model_bytes, save_model
from litecheck.processes.memory import MemoryWatch
from tests.conversion.samples import samples as net_samples

STREAMING = Path(__file__).parents[2] / "fixtures" / "convert" / "streaming.tflite"


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ConversionSettings:
    """Prepare a folder with a float model and four images. TensorFlow fails, and ai-edge-quantizer returns the model
    unchanged."""
    monkeypatch.chdir(tmp_path)
    save_model(float_detector(), "float.tflite")
    Path("images.npz").write_bytes(samples())

    def made(via: str, file: Path, *_: object, **__: object) -> ConverterResult:
        if via == "tensorflow":
            raise ModelError(
                str(file), (Problem("tensorflow-silent", "TensorFlow", None, "failed silently"),)
            )
        if via == "litecheck":
            record = convert_model(file, data=("images.npz",), samples=4, device="litecheck", agreement=False)
            return ConverterResult(model_bytes(record.conversion.model), 1.0, 100)
        return ConverterResult(file.read_bytes(), 2.0, 200)

    monkeypatch.setattr(converters, "quantize_via", made)
    return ConversionSettings(data=("images.npz",), samples=4, device="litecheck")


def test_a_failure_is_a_row_with_its_reason(settings: ConversionSettings) -> None:
    compared = compare_converters(load_model("float.tflite"), settings)
    own, failed, other = compared.outcomes
    assert [one.verdict for one in compared.outcomes] == ["conforms", "failed", "not checked"]
    assert "failed silently" in failed.failure
    assert (failed.converted, failed.agreement, compared.exit_code, compared.samples) == (None, None, 0, 4)
    assert own.agreement is not None
    assert all(30 < output.snr < 80 for output in own.agreement.outputs)
    (warning,) = compared.warnings
    assert warning.startswith("litecheck: channel ")
    assert warning.endswith(" of output 'detections' has an SNR of 0.0 dB, below 20 dB")
    assert other.agreement is not None
    assert [output.distortion.noise for output in other.agreement.outputs] == [0.0, 0.0]


@pytest.mark.parametrize(("via", "code"), [("litecheck", 0), ("tensorflow", 2)])
def test_one_converter_writes_its_model(settings: ConversionSettings, via: Any, code: int) -> None:
    compared = compare_converters(load_model("float.tflite"), settings, (via,), "out.tflite")
    assert (compared.exit_code, bool(compared.target), Path("out.tflite").exists()) == (
        code,
        not code,
        not code,
    )


def test_samples_and_integers_are_wanted() -> None:
    with pytest.raises(ConfigError, match="there must be samples"):
        compare_converters(float_detector(), ConversionSettings())
    with pytest.raises(ConfigError, match="int8 and int16x8 alone, not dynamic"):
        compare_converters(float_detector(), ConversionSettings(to="dynamic", random=1))


def test_litecheck_itself_in_a_process(tmp_path: Path) -> None:
    file = tmp_path / "float.tflite"
    save_model(float_detector(), file)
    image = load_model(file).subgraphs[0].tensors[0]
    drawn, lengths = converters._name_samples(
        float_detector(), converters.open_samples(float_detector(), ConversionSettings(random=2))
    )  # type: ignore[arg-type]
    assert lengths == ()
    assert [sample[image.name].shape for sample in drawn] == [image.shape, image.shape]
    made = quantize_via("litecheck", file, drawn, device="litecheck")
    expected = convert_model(file, random=2, device="litecheck", agreement=False)
    assert made.model == model_bytes(expected.conversion.model)
    with pytest.raises(ModelError, match="litecheck"):
        quantize_via("litecheck", file, drawn, profile="no-such-profile")


def test_litecheck_itself_keeps_the_state_in_sequences(tmp_path: Path) -> None:
    """Sequences of different lengths, against a conversion of one sequence and of single samples."""
    file = STREAMING
    frames = np.stack([frame["frame"] for frame in net_samples("streaming", 6)])
    np.savez(tmp_path / "one.npz", frame=frames[None])
    expected = convert_model(
        file, data=(str(tmp_path / "one.npz"),), sequences=True, device="litecheck", agreement=False
    )
    named = [{"frame": frame} for frame in frames]
    made = [
        quantize_via("litecheck", file, named, device="litecheck", sequences=n).model
        for n in ([6], [4, 2], [])
    ]
    assert made[0] == model_bytes(expected.conversion.model)
    assert len(set(made)) == 3
    settings = ConversionSettings(data=(str(tmp_path / "one.npz"),), sequences=True, device="litecheck")
    compared = compare_converters(load_model(file), settings, ("litecheck",))
    (own,) = compared.outcomes
    assert own.converted is not None
    assert own.converted.model == made[0]


@pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")
def test_memory_of_children_counts() -> None:
    code = "import time; x = bytearray(40 << 20); time.sleep(1)"
    parent = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {code!r}])"
    process = subprocess.Popen([sys.executable, "-c", parent])
    with MemoryWatch(process.pid) as memory:
        deadline = time.monotonic() + 20
        while memory.most < 40 << 20 and time.monotonic() < deadline:
            time.sleep(0.02)
        process.wait()
    assert 40 << 20 < memory.most < 120 << 20
