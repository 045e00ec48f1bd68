"""Bars of the table of trace."""

from __future__ import annotations

import pytest

from litecheck.rendering.tracing.wording import bar


@pytest.mark.parametrize(
    ("snr", "length"),
    [(None, 0), (-3.0, 1), (0.0, 1), (7.0, 1), (30.0, 6), (33.0, 7), (60.0, 12), (99.0, 12)],
)
def test_a_bar_is_full_at_60_db(snr: float | None, length: int) -> None:
    assert bar(snr, plain=True) == "#" * length
    assert bar(snr, plain=False) == "█" * length
