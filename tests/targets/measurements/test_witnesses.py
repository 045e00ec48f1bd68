"""The values that the witnesses of the measurements of targets set."""

from __future__ import annotations

from collections.abc import Callable

from tests.profile.measurements.witnessed import table


def test_values_that_witnesses_set(golden: Callable[[str, str], None]) -> None:
    golden("witnesses.txt", table("litecheck.targets."))
