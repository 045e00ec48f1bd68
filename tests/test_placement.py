"""Counts of a target's report."""

from __future__ import annotations

import pytest

from litecheck.placement import Placement, TargetReport


def report(*places: tuple[str, str, int, int | None]) -> TargetReport:
    """Return a report of operators given as (opcode, place, macs, partition)."""
    operators = (
        Placement(0, at, opcode, place, macs, part) for at, (opcode, place, macs, part) in enumerate(places)
    )  # type: ignore[arg-type]
    return TargetReport("npu", tuple(operators), 1, 0)


MIXED = report(
    ("CONV_2D", "npu", 30, 1), ("RESHAPE", "npu", 0, None), ("ADD", "cpu", 0, None), ("CONV_2D", "cpu", 10, None),
    ("ADD", "cpu", 0, None),
)  # fmt: skip


def test_counts() -> None:
    assert MIXED.places == {"npu": 2, "cpu": 3, "refused": 0, "crashes": 0}
    assert MIXED.optimized_out == 1
    assert MIXED.share == 0.75


def test_a_report_without_products_has_no_share() -> None:
    assert report(("ADD", "npu", 0, 1)).share is None
    assert report(("CONV_2D", "cpu", 5, None)).share == 0


@pytest.mark.parametrize(
    ("place", "compiles"), [("npu", True), ("cpu", True), ("refused", False), ("crashes", False)]
)
def test_a_model_compiles_unless_an_operator_is_rejected_or_crashes(place: str, compiles: bool) -> None:
    assert report(("ADD", "npu", 0, 1), ("ADD", place, 0, None)).compiles is compiles
