"""Names of data sheets and of LiteRT's options, as suggestions of measurements."""

from __future__ import annotations

import pytest

from litecheck.profile.measurements.registry import measurement_names
from litecheck.profile.measurements.suggestion import suggestion_text


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("filter_h", "kernel_h"),
        ("window_width", "kernel_w"),
        ("stride_y", "stride_h"),
        ("dilation_h_factor", "dilation_h"),
        ("strid_w", "stride_w"),
    ],
)
def test_words_are_translated(name: str, meant: str) -> None:
    known = tuple(measurement_names())
    assert suggestion_text(name, known) == f"; did you mean {meant!r}?"
    paths = tuple(f"CONV_2D/limits/{one}" for one in known)
    assert suggestion_text(f"CONV_2D/limits/{name}", paths) == f"; did you mean 'CONV_2D/limits/{meant}'?"


def test_an_unlike_name_has_no_suggestion() -> None:
    assert suggestion_text("voltage", tuple(measurement_names())) == ""
