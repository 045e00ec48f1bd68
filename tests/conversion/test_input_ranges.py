"""Data of ``--evaluate`` compared with the calibrated ranges: a warning for different preprocessing, none for
ordinary data."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from litecheck import convert
from litecheck.conversion.input_ranges import range_doubt

FIXTURES = Path(__file__).parents[2] / "fixtures"


@pytest.mark.parametrize(
    ("to", "factor", "offset", "words"),
    [
        ("int8", 1.0, 0.0, ""),
        ("int8", 0.8, 0.0, ""),
        ("int8", 127.5, 127.5, "input 'image' has the range -1..1, and the data have 0..255"),
        (
            "int8",
            1 / 255,
            0.0,
            "the data have -0.00392..0.00392: are they preprocessed as the model expects?",
        ),
        ("int8", 0.5, 0.5, "the data have 0..1: are they preprocessed"),
        ("int16x8", 0.5, 0.5, ""),
        ("int16x8", 127.5, 127.5, "the data have 0..255"),
    ],
)
def test_evaluation_of_other_preprocessing(
    to: str, factor: float, offset: float, words: str, tmp_path: Path
) -> None:
    image = np.load(FIXTURES / "float_detector.npz")["image"]
    np.savez(tmp_path / "test.npz", image=(image * factor + offset).astype(np.float32))
    record = convert(
        FIXTURES / "float_detector.tflite", to=to, data=(FIXTURES / "float_detector.npz",),
        evaluate=(tmp_path / "test.npz",), device="litecheck",
    )  # fmt: skip
    told = [text for text in record.warnings if text.startswith("--evaluate: ")]
    assert [words in text for text in told] == [True] * bool(words)


@pytest.mark.parametrize(
    ("scaled", "advice"),
    [
        (False, "Scale the arrays to -1..1."),
        (True, "--preprocessing 1/127.5:-1 maps images and uint8 values to -1..1."),
    ],
)
def test_advice_for_a_range_of_images(scaled: bool, advice: str) -> None:
    assert f"? {advice} If" in range_doubt("x", (-1.0, 1.0), False, (0.0, 255.0), scaled)
    assert "? If" in range_doubt("x", (-7.0, 7.0), False, (0.0, 255.0), scaled)
