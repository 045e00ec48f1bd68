"""Table of scales that must equal a product: the worst channel, its deviation, and the effect on the output."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from fixtures.broken import changed, off, scales_of, single_scale, zeros
from fixtures.models import conv
from litecheck.finding import Effect, Level
from litecheck.model.types import Model
from tests.checks.table import FindingRow, findings_of

RULES = """\
kinds: {activation: {dtype: int8, granularity: per-tensor, because: an activation has one scale}}
ops:
  CONV_2D:
    inputs: [input, weight, bias]
    optional: [bias]
    outputs: [output]
    tensors:
      input: activation
      weight: {dtype: int8, scale: normal, because: a weight has a scale}
      bias:
        scale: {product_of: [input, weight], ulps: 1, tolerated: 1/1000}
        because: the accumulator has the scale input * weight
        see: CONV_2D
      output: {kind: activation, granularity: any, because: the result is one}
effects:
  CONV_2D/bias/scale: wrong results
"""
HALF = RULES.replace(
    "{product_of: [input, weight], ulps: 1, tolerated: 1/1000}", "{product_of: [1/2, weight]}"
)
SCALES = scales_of(conv(), "bias")


def biased(scale: Any, **fields: Any) -> Model:
    """Return a convolution with these bias scales; the correct value is 0.0005 in each channel."""
    return changed(conv(), "bias", scale=np.asarray(scale, np.float32), **fields)


def times(*factors: float) -> Model:
    return biased(SCALES * np.array(factors, np.float32))


def values(*numbers: int) -> dict[str, Any]:
    return {"data": np.array(numbers, np.int32).view(np.uint8)}


def fault(
    found: str, channels: int | None = 1, level: Level = "violation", impact: Effect = "wrong results"
) -> tuple[FindingRow, ...]:
    return (
        FindingRow(
            "CONV_2D/bias/scale", "bias 'bias'", found, "a scale of bias within 1 ulp of input scale x weight scale",
            "the accumulator has the scale input * weight", impact, level, channels,
            "CONV_2D",
        ),
    )  # fmt: skip


#: The first channel, with the stored value -999, has a scale 1.5 times too large.
HALF_OFF = times(1.5, 1, 1, 1)
AT_FIRST = "scale is 0.00075 where input scale x weight scale is 0.0005 at channel 0 of 4, 50% off"
ROWS: dict[str, tuple[Model, tuple[FindingRow, ...]]] = {
    "some float32 steps": (
        biased(off(SCALES, 2)),
        fault(
            "scale is 0.00050000014 where input scale x weight scale is 0.0005 at channel 0 of 4, 2 ulps off; "
            "outputs differ by up to 4.79e-07 LSB",
            1,
            "warning",
        ),
    ),
    "a little, in every channel": (
        times(*[1.0005] * 4),
        fault(
            "scale is 0.00050025 where input scale x weight scale is 0.0005 at channel 0 (4 of 4 channels), 0.05% "
            "off; outputs differ by up to 0.000869 LSB",
            4,
            "warning",
        ),
    ),
    "a little in one channel, much in another": (
        times(1.0005, 1, 1, 1.01),
        fault(
            "scale is 0.00069437496 where input scale x weight scale is 0.0006875 at channel 3 (2 of 4 channels), 1% "
            "off; outputs differ by up to 0.0171 LSB",
            2,
        ),
    ),
    "the worst of two": (
        times(1.01, 1, 1.02, 1),
        fault(
            "scale is 0.0006375 where input scale x weight scale is 0.00062500004 at channel 2 (2 of 4 channels), 2% "
            "off; outputs differ by up to 0.0348 LSB",
            2,
        ),
    ),
    "a million times": (
        biased(SCALES * np.float32(1e6)),
        fault(
            "scale is 500.00003 where input scale x weight scale is 0.0005 at channel 0 (4 of 4 channels), 1e+06 "
            "times as large; outputs differ by up to 1.74e+06 LSB",
            4,
        ),
    ),
    "next to nothing": (
        biased(SCALES * np.float32(1e-30)),
        fault(
            "scale is 5e-34 where input scale x weight scale is 0.0005 at channel 0 (4 of 4 channels), 1e-30 times as "
            "large; outputs differ by up to 1.74 LSB",
            4,
        ),
    ),
    "one scale for all": (
        changed(
            biased([0.0006], zero_point=zeros(0)), "weight", scale=single_scale(0.01), zero_point=zeros(0)
        ),
        fault(
            "scale is 0.0006 where input scale x weight scale is 0.0005, 20% off; outputs differ by up to "
            "0.333 LSB",
            None,
        ),
    ),
    "of zeros": (
        changed(HALF_OFF, "bias", **values(0, 0, 0, 0)),
        fault(
            f"{AT_FIRST}; all values are 0, so no output differs", 1, "warning", "outside the specification"
        ),
    ),
    "of values nobody knows": (changed(HALF_OFF, "bias", data=None), fault(AT_FIRST)),
    "into an output of several scales": (
        changed(
            HALF_OFF, "conv_2d_0", scale=np.full(4, 0.3, np.float32), zero_point=zeros(0, 0, 0, 0), axis=3
        ),
        fault(AT_FIRST),
    ),
    "one float32 step": (biased(off(SCALES, 1)), ()),
    "one below": (biased(off(SCALES, -1)), ()),
    "exactly": (conv(), ()),
    "absent": (conv(bias=False), ()),
    "another number of scales is for granularity": (biased([0.1], zero_point=zeros(0)), ()),
    "of another type nothing follows": (
        changed(HALF_OFF, "weight", dtype="uint8"),
        (
            FindingRow(
                "CONV_2D/weight/dtype",
                "weight 'weight'",
                "it is uint8",
                "type int8 of weight",
                "a weight has a scale",
            ),
        ),
    ),
    "nor of scales that are too many": (
        changed(
            changed(
                HALF_OFF, "input", scale=np.full(4, 0.05, np.float32), zero_point=zeros(0, 0, 0, 0), axis=3
            ),
            "weight",
            scale=single_scale(0.01),
            zero_point=zeros(0),
        ),
        (
            FindingRow(
                "CONV_2D/input/granularity",
                "input 'input'",
                "it has 4 scales",
                "per-tensor quantization of input",
                "an activation has one scale",
            ),
        ),
    ),
    "nor of one that is next to none": (
        changed(HALF_OFF, "weight", scale=np.array([0.01, 1e-40, 0.01, 0.01], np.float32)),
        (
            FindingRow(
                "CONV_2D/weight/scale",
                "weight 'weight'",
                "scale is 1e-40, subnormal at channel 1 of 4",
                "a finite, normal scale above 0 of weight",
                "a weight has a scale",
                channels=1,
            ),
        ),
    ),
    "of no scale nothing follows": (
        changed(HALF_OFF, "weight", scale=np.array([0.01, -1, 0.01, 0.01], np.float32)),
        (
            FindingRow(
                "CONV_2D/weight/scale",
                "weight 'weight'",
                "scale is -1, negative at channel 1 of 4",
                "a finite, normal scale above 0 of weight",
                "a weight has a scale",
                channels=1,
            ),
        ),
    ),
}


@pytest.mark.parametrize("case", ROWS)
def test_findings_of_the_table(case: str) -> None:
    model, expected = ROWS[case]
    assert findings_of(RULES, model) == expected


def test_a_product_that_must_be_exact_and_holds_a_number() -> None:
    found = (
        "scale is 0.0006875 where 1/2 x weight scale is 0.006875 at channel 3 (4 of 4 channels), 0.1 times as large; "
        "outputs differ by up to 15.6 LSB"
    )
    row = findings_of(HALF, conv())[0]
    assert (row.found, row.required) == (found, "a scale of bias equal to 1/2 x weight scale")
    assert findings_of(HALF, biased(scales_of(conv(), "weight") / 2)) == ()


def test_the_effect_on_the_output_is_computed() -> None:
    """Control of the numbers above: 1,000 steps, each 0.00025 too long, in output steps of 0.3."""
    (row,) = findings_of(RULES, changed(HALF_OFF, "bias", **values(-1000, 923, 834, 745)))
    assert row.found == f"{AT_FIRST}; outputs differ by up to {1000 * 0.00025 / 0.3:.3g} LSB"
