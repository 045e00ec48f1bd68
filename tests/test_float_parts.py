"""Float parts of a model in words."""

from __future__ import annotations

import pytest

from litecheck.float_parts import FloatParts


@pytest.mark.parametrize(
    ("parts", "ends", "text"),
    [
        (FloatParts(), "", ""),
        (FloatParts(1, 2), "1 float input, 2 float outputs", "1 float input, 2 float outputs"),
        (FloatParts(islands=(((0, 3),),)), "", "1 float island (1 operator)"),
        (
            FloatParts(0, 1, (((0, 3), (0, 4)), ((1, 0),))),
            "1 float output",
            "1 float output, 2 float islands (3 operators)",
        ),
    ],
)
def test_words(parts: FloatParts, ends: str, text: str) -> None:
    assert (parts.ends, str(parts)) == (ends, text)
