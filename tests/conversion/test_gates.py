"""Gates of a conversion: float operators and the SNR of outputs. A failed gate prevents writing, except with --force."""

from __future__ import annotations

from pathlib import Path

import pytest

from fixtures.detector import float_detector, samples
from litecheck import ConfigError, convert_model, render
from litecheck.conversion.record import ConversionRecord


@pytest.fixture
def data(tmp_path: Path) -> str:
    (tmp_path / "x.npz").write_bytes(samples())
    return str(tmp_path / "x.npz")


def made(data: str, target: str = "", **settings: object) -> ConversionRecord:
    return convert_model(float_detector(), target, data=(data,), samples=4, device="litecheck", **settings)


@pytest.mark.parametrize(
    ("settings", "failed"),
    [
        ({"max_float": 1}, ()),
        ({"max_float": 0}, ("--max-float 0: 1 operator stays float32",)),
        ({"max_float": 2, "keep": ("#1",)}, ()),
        ({"max_float": 1, "keep": ("#1",)}, ("--max-float 1: 2 operators stay float32",)),
        ({"min_snr": 20.0}, ()),
    ],
)
def test_a_gate_counts(data: str, settings: dict[str, object], failed: tuple[str, ...]) -> None:
    record = made(data, **settings)
    assert record.failed_gates == failed
    assert record.exit_code == bool(failed)


def test_the_lowest_snr_is_a_limit_and_the_value_itself_passes(data: str) -> None:
    record = made(data)
    assert record.agreement is not None
    lowest = min(record.agreement.outputs, key=lambda one: one.snr)
    assert made(data, min_snr=lowest.snr).failed_gates == ()
    (failed,) = made(data, min_snr=lowest.snr + 0.01).failed_gates
    assert failed == f"--min-snr {lowest.snr + 0.01:g}: output '{lowest.output}' has {lowest.snr:.1f} dB"


def test_a_model_that_fails_is_written_only_by_force(data: str, tmp_path: Path) -> None:
    target = tmp_path / "out.tflite"
    record = made(data, str(target), min_snr=300.0)
    assert (record.verdict, record.exit_code, record.target, target.exists()) == ("conforms", 1, "", False)
    shown = " ".join(render(record).split())
    assert "written nothing: a gate failed; --force writes the model" in shown
    assert (
        "conforms, 7 of 8 operators int8, 42.2 dB (channel 5: 0.0 dB) on 4 samples, 2 gates failed" in shown
    )
    forced = made(data, str(target), min_snr=300.0, force=True)
    assert (forced.exit_code, forced.target, target.exists()) == (1, str(target), True)


def test_an_snr_gate_needs_runs(data: str) -> None:
    with pytest.raises(ConfigError, match="--min-snr compares both models on samples"):
        made(data, min_snr=20.0, agreement=False)
    with pytest.raises(ConfigError, match="--min-snr compares both models on samples"):
        convert_model(float_detector(), to="dynamic", min_snr=20.0)
