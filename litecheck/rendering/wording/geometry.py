"""Sentences on geometry that no case with outputs has."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from litecheck.rendering.escape import visible
from litecheck.suite.geometry_gaps import GeometryGap


def geometry_sentences(gaps: Sequence[GeometryGap]) -> Iterator[str]:
    """Yield ``CONV_2D int8, CONV_2D uint8: batch 5; 12 of 970 pairs of values; tensors above 1 MiB``, operators with the
    same gap together."""
    groups: dict[str, list[str]] = {}
    for gap in gaps:
        pairs = f"{gap.pairs:,} of {gap.of:,} pairs of values" if gap.pairs else ""
        values = ", ".join(gap.values)
        if gap.of and gap.pairs == gap.of:
            values, pairs = f"all {gap.of:,} pairs of values", ""
        told = "; ".join(filter(None, (values, pairs, ", ".join(gap.never))))
        if told:
            groups.setdefault(told, []).append(f"{gap.opcode} {gap.kind}")
    yield from (visible(f"{', '.join(names)}: {told}") for told, names in groups.items())
