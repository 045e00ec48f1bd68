"""Histograms as rows of text."""

from __future__ import annotations

import pytest

from litecheck.quantizer.comparison_result import Bucket
from litecheck.rendering.columns import bars, percent, span


def test_the_fullest_bucket_has_the_longest_bar_and_none_vanishes() -> None:
    rows = list(bars((Bucket(-1, -1, 1), Bucket(1, 1, 500), Bucket(9, 16, 1000)), False))
    assert [row.count("█") for row in rows] == [1, 20, 40]
    assert [row.split()[0] for row in rows] == ["-1", "+1", "+9..+16"]
    assert rows[2].startswith("+9..+16  1,000  █")


def test_bars_fit_the_width_and_are_drawn_in_ascii_where_they_must() -> None:
    (row,) = bars((Bucket(1, 1, 5),), True, 20)
    assert row == "+1  5  " + "#" * 13
    (least,) = bars((Bucket(1, 1, 5),), True, 3)
    assert least.count("#") == 8


def test_no_bars_without_buckets() -> None:
    assert list(bars((), False)) == []


def test_buckets_are_signed() -> None:
    assert span(Bucket(-1024, -513, 1)) == "-1,024..-513"


@pytest.mark.parametrize(
    ("part", "words"),
    [
        (0, "0 %"),
        (1, "< 0.01 %"),
        (2_500, "2.5 %"),
        (99_999, "> 99.99 %"),
        (100_000, "100 %"),
    ],
)
def test_shares_are_0_or_100_percent_only_if_exact(part: int, words: str) -> None:
    assert percent(part, 100_000) == words
