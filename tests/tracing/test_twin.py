"""The twin: the kind of a quantized model, and ranges of up to twice the values' width."""

from __future__ import annotations

from pathlib import Path

import pytest

from litecheck.model.load import load_model
from litecheck.tracing.twin import kind_of, widen_range

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"


@pytest.mark.parametrize(
    ("seen", "reach", "wanted"),
    [
        ((0.0, 1.0), (0.0, 1.5), (0.0, 1.5)),
        ((0.0, 1.0), (0.0, 8.0), (0.0, 2.0)),
        ((-1.0, 1.0), (-3.0, 3.0), (-2.0, 2.0)),
        ((-1.0, 1.0), (-0.5, 0.5), (-1.0, 1.0)),
        ((2.0, 3.0), (0.0, 3.0), (0.0, 3.0)),
        ((0.0, 0.0), (-1.0, 1.0), (0.0, 0.0)),
    ],
    ids=["within twice", "too wide", "both sides", "too narrow", "without 0", "constant"],
)
def test_widened(seen: tuple[float, float], reach: tuple[float, float], wanted: tuple[float, float]) -> None:
    assert widen_range(seen, reach) == pytest.approx(wanted)


@pytest.mark.parametrize(
    ("name", "kind"),
    [("conv_int8", "int8"), ("uint8", "uint8"), ("int16x8", "int16x8"), ("hybrid", "dynamic")],
)
def test_kind(name: str, kind: str) -> None:
    assert kind_of(load_model(FIXTURES / f"{name}.tflite")) == kind
