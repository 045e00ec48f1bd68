"""Faults of ranges in words."""

from __future__ import annotations

import pytest

from litecheck.tracing.culprits import range_fault


@pytest.mark.parametrize(
    ("own", "seen", "fault"),
    [
        ((-1.0, 1.0), (-3.0, 3.0), "the range -1..1 is too narrow for values of -3..3"),
        ((-1.0, 1.0), (-0.9, 3.0), "the range -1..1 is too narrow for values of -0.9..3"),
        ((0.0, 3.5), (0.0, 9.0), "the range 0..3.5 is too narrow for values of 0..9"),
        ((-9.0, 9.0), (-1.0, 2.0), "the range -9..9 is too wide for values of -1..2"),
        ((-40.0, 2.0), (-4.0, 4.0), "the range -40..2 is too wide below and too narrow above for values of -4..4"),
        ((-2.0, 40.0), (-4.0, 4.0), "the range -2..40 is too narrow below and too wide above for values of -4..4"),
        ((-9.0, 1.0), (1.5, 3.0), "the range -9..1 is too wide below and too narrow above for values of 1.5..3"),
    ],
)  # fmt: skip
def test_range_fault(own: tuple[float, float], seen: tuple[float, float], fault: str) -> None:
    assert range_fault(own, seen, 0.01) == fault
