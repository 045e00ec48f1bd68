"""A verification with ``--quiet``."""

from __future__ import annotations

from litecheck.rendering.verification.text import brief
from litecheck.verification.result import Verification


def test_one_line_for_each_case_that_fails(sample: Verification) -> None:
    lines = brief(sample).splitlines()
    assert len(lines) == 11
    assert lines[0] == (
        "models/keyword spotting.tflite: mismatch: CONV_2D #1 'block1/conv': "
        "12 of 4,096 elements (0.293 %), by at most 2 LSB"
    )
    assert "models/keyword spotting.tflite: timed out: MUL #14 'scaled': 60 s" in lines
    assert all(line.isprintable() for line in lines)


def test_a_conforming_run_prints_no_line(good: Verification) -> None:
    assert brief(good) == ""


def test_an_unchecked_model_has_a_line(unjudged: Verification) -> None:
    assert brief(unjudged) == "m.tflite: not checked: 1 case: 1 not delegated\n"
