"""Decibels, limits and exit codes of a trace."""

from __future__ import annotations

from dataclasses import replace

import pytest

from litecheck.tracing.trace_result import TriedFix, decibels
from tests.rendering.tracing.traces import BAD, GOOD


@pytest.mark.parametrize(
    ("signal", "noise", "wanted"),
    [
        (100.0, 1.0, 20.0),
        (1.0, 0.0, 120.0),
        (0.0, 1.0, -120.0),
        (1.0, 1e-30, 120.0),
        (1.0, float("inf"), -120.0),
    ],
)
def test_decibels(signal: float, noise: float, wanted: float) -> None:
    assert decibels(signal, noise) == pytest.approx(wanted)


@pytest.mark.parametrize(
    ("limits", "code"),
    [({}, 1), ({"min_snr": 5.0}, 0), ({"min_snr": 9.0}, 1), ({"max_loss": 20.0}, 0), ({"max_loss": 13.0}, 1)],
)
def test_limits_replace_the_verdict(limits: dict[str, float], code: int) -> None:
    assert replace(BAD, **limits).exit_code == code
    assert GOOD.exit_code == 0


def test_gain() -> None:
    assert TriedFix("convert", 8.0, 21.5).gain == 13.5
