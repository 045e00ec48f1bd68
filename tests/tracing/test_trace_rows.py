"""Rows of a trace: losses of culprits that the operator alone does not have."""

from __future__ import annotations

from dataclasses import replace

import pytest

from litecheck.tracing.trace_result import Cause
from litecheck.tracing.trace_rows import culprits_on_device, small_differences, with_losses
from tests.rendering.tracing.traces import CULPRIT, ROWS


@pytest.mark.parametrize(
    ("cause", "loss", "expected"),
    [
        ("input_range", 50.4, (50.4, None)),
        ("shared_range", 20.0, (20.0, None)),
        ("input_range", 5.0, (14.0, 24.0)),
        ("weight_scale", 50.4, (14.0, 24.0)),
    ],
)
def test_the_row_has_the_largest_loss(
    cause: Cause, loss: float, expected: tuple[float, float | None]
) -> None:
    rows = with_losses(ROWS, [replace(CULPRIT, cause=cause, avoidable_db=loss)])
    assert (rows[1].avoidable_db, rows[1].twin_snr) == expected
    assert (rows[0], rows[2]) == (ROWS[0], ROWS[2])


def test_a_larger_error_of_the_device_is_a_culprit() -> None:
    fine = replace(ROWS[1], device_snr=ROWS[1].alone_snr, device_differs=0.5)
    same = replace(ROWS[1], device_differs=0.0)
    worse = replace(ROWS[1], alone_snr=29.5)
    assert culprits_on_device([ROWS[0], fine, same]) == ()
    (found,) = culprits_on_device([ROWS[0], worse, fine])
    assert (found.operator, found.cause, found.avoidable_db) == (1, "arithmetic", 20.0)
    assert found.detail == "the device differs from the reference kernels in 25 % of values, by at most 3 LSB"


def test_a_difference_of_a_float_output_has_no_unit() -> None:
    real = replace(ROWS[1], resolution=None, device_differs=0.5, device_largest=5.96046e-08)
    (note,) = small_differences([real], ())
    assert note.endswith("in 50 % of values by at most 5.96e-08")
