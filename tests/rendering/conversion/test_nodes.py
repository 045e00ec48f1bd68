"""Node data of a conversion: the type that each operator of the float model becomes."""

from __future__ import annotations

from pathlib import Path

import litecheck
from litecheck.rendering.conversion.nodes import nodes

FIXTURES = Path(__file__).resolve().parents[3] / "fixtures"


def test_operators_that_stay_have_a_color_and_a_reason() -> None:
    record = litecheck.convert(
        FIXTURES / "float_detector.tflite",
        data=(str(FIXTURES / "float_detector.npz"),),
        keep=("#5",),
        agreement=False,
    )
    found = nodes(record)["main"]["results"]
    assert set(found) == {str(one.operator) for one in record.conversion.plan.operators}
    kept = {number for number, one in found.items() if one["bgColor"] == "#c44400"}
    assert "5" in kept
    assert all(found[number]["value"].startswith("float32: ") for number in kept)
    assert {one["value"] for number, one in found.items() if number not in kept} == {"int8"}
