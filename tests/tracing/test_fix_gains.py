"""Parts of a fix's gain: granularity, new ranges, options."""

from __future__ import annotations

import pytest

from litecheck.tracing.fix_gains import fix_gains


@pytest.mark.parametrize(
    ("same", "plain", "after", "options", "parts"),
    [
        (27.0, 38.0, 38.0, (), {"per-channel weights": 11, "new ranges and constants": 2}),
        (27.0, 27.0, 40.0, ("--int16x8", "#3"), {"int16 activations": 13, "new ranges and constants": 2}),
        (25.2, 25.2, 35.0, ("--equalize",), {"equalized channels": 9.8, "new ranges and constants": 0.2}),
        (22.0, 28.0, 28.0, (), {"per-channel weights": 6, "new ranges and constants": -3}),
        (None, 28.0, 30.0, ("--keep-float", "#3"), {"new ranges, constants and granularity": 3, "float32 operators": 2}),
        (None, None, 30.0, ("--range", "x=0:1"), {"ranges without an unusual sample": 5}),
    ],
)  # fmt: skip
def test_parts(
    same: float | None, plain: float | None, after: float, options: tuple[str, ...], parts: dict[str, float]
) -> None:
    found = [(one.source, one.gain) for one in fix_gains(25.0, same, plain, after, options)]
    assert found == [(source, pytest.approx(gain)) for source, gain in parts.items()]
