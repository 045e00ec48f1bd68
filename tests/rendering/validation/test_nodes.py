"""Node data of a validation for Model Explorer: a single model, a color for each status, the placement on an NPU."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import litecheck
from litecheck.rendering.formats import render
from litecheck.rendering.validation.nodes import _COLORS
from litecheck.report import Report
from litecheck.summary_text import STATUSES

FIXTURES = Path(__file__).resolve().parents[3] / "fixtures"


def results(name: str, *profiles: str) -> dict[str, Any]:
    model = litecheck.load_model(FIXTURES / f"{name}.tflite")
    report = litecheck.validate(model, [litecheck.load_profile(one) for one in profiles] or None)
    found: dict[str, Any] = json.loads(render(report, "model-explorer"))["main"]["results"]
    return found


def test_a_violation_has_its_requirement_and_its_color() -> None:
    (node,) = results("broken_weight_zero_point").values()
    assert node["value"] == "violates: CONV_2D/weight/zero_point"
    assert node["bgColor"] == "#c44400"


def test_an_operator_has_its_placement() -> None:
    found = results("conv_int8", "ethos-u55")
    assert list(found) == [str(n) for n in range(7)]
    assert all("NPU" in node["value"] for number, node in found.items() if number in "01")


def test_every_status_has_a_color() -> None:
    assert set(_COLORS) == set(STATUSES)


def test_several_models_are_refused() -> None:
    with pytest.raises(litecheck.ConfigError, match="about one model"):
        render(Report("1.0", ()), "model-explorer")
