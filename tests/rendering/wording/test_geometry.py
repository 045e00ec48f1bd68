"""Sentences on geometry not exercised."""

from __future__ import annotations

from litecheck.rendering.wording.geometry import geometry_sentences
from litecheck.suite.geometry_gaps import GeometryGap


def test_operators_with_the_same_gap_share_a_sentence() -> None:
    gaps = (
        GeometryGap("ADD", "int8", ("batch 5",), 12, 970, ("x + x",)),
        GeometryGap("MUL", "int8", ("batch 5",), 12, 970, ("x + x",)),
        GeometryGap("TANH", "int8", (), 0, 20, ()),
        GeometryGap("PAD", "int8", ("batch 1", "batch 5"), 20, 20, ()),
        GeometryGap("SQUEEZE", "int8", (), 0, 0, ("shapes",)),
    )
    assert list(geometry_sentences(gaps)) == [
        "ADD int8, MUL int8: batch 5; 12 of 970 pairs of values; x + x",
        "PAD int8: all 20 pairs of values",
        "SQUEEZE int8: shapes",
    ]
