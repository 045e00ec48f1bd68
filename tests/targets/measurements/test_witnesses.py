"""Values that the setters of the measurements of targets set."""

from __future__ import annotations

from collections.abc import Callable

from tests.profile.measurements.witnessed import measured_table, table


def test_values_that_setters_set(golden: Callable[[str, str], None]) -> None:
    golden("witnesses.txt", table("litecheck.targets."))


def test_values_of_operators(golden: Callable[[str, str], None]) -> None:
    golden("measured.txt", measured_table("litecheck.targets."))
