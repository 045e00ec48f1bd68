"""Table of the check ``range``: constants with values outside, their number, position and extreme."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from fixtures.broken import changed
from fixtures.models import conv, pattern
from litecheck.model.types import Model
from tests.checks.table import FindingRow, findings_of

RULES = """\
kinds: {activation: {dtype: int8, range: -100..100}}
ops:
  CONV_2D:
    inputs: [input, weight, bias]
    outputs: [output]
    tensors:
      input: activation
      weight: {dtype: [int8, int16], range: -127..127, because: two products are added in 16 bits, see: page 3}
      bias: {range: 0, because: the device adds none}
      output: activation
effects:
  CONV_2D/weight/range: wrong results
levels:
  CONV_2D/weight/range: warning
"""


def filtered(values: Mapping[int, int], dtype: str = "int8") -> Model:
    """Return a convolution with these filter values at these positions."""
    numbers = pattern((144,), 99).astype(dtype)
    for place, value in values.items():
        numbers[place] = value
    return changed(without_bias(), "weight", dtype=dtype, data=numbers.view(np.uint8))


def without_bias() -> Model:
    return changed(conv(), "bias", data=np.zeros(16, np.uint8))


def weight(found: str) -> FindingRow:
    return FindingRow(
        "CONV_2D/weight/range", "weight 'weight'", found, "values in -127..127 of weight",
        "two products are added in 16 bits", "wrong results", "warning", see="page 3",
    )  # fmt: skip


ROWS: dict[str, tuple[Model, tuple[FindingRow, ...]]] = {
    "one value": (
        filtered({36: -128}),
        (weight("1 of 144 values lie outside, first at [1, 0, 0, 0], the farthest is -128"),),
    ),
    "several": (
        filtered({7: -128, 143: -128}),
        (weight("2 of 144 values lie outside, first at [0, 0, 1, 3], the farthest is -128"),),
    ),
    "on both sides": (
        filtered({0: 128, 1: -32768, 143: 32767}, "int16"),
        (weight("3 of 144 values lie outside, first at [0, 0, 0, 0], the farthest is -32768"),),
    ),
    "thousands": (
        changed(
            without_bias(),
            "weight",
            shape=(4, 16, 16, 4),
            data=np.full(4096, 128, np.uint8),
        ),
        (weight("4,096 of 4,096 values lie outside, first at [0, 0, 0, 0], the farthest is -128"),),
    ),
    "one number allowed, and no dimension": (
        changed(conv(), "bias", shape=(), data=np.array([5], np.int32).view(np.uint8)),
        (
            FindingRow(
                "CONV_2D/bias/range",
                "bias 'bias'",
                "1 of 1 values lie outside, first at [], the farthest is 5",
                "values 0 of bias",
                "the device adds none",
            ),
        ),
    ),
    "the ends": (filtered({0: -127, 1: 127}), ()),
    "another type has meanings of its own": (
        filtered({0: 255}, "uint8"),
        (
            FindingRow(
                "CONV_2D/weight/dtype",
                "weight 'weight'",
                "it is uint8",
                "type int8 or int16 of weight",
                "two products are added in 16 bits",
                see="page 3",
            ),
        ),
    ),
    "what is computed is not looked at": (without_bias(), ()),
}


@pytest.mark.parametrize("case", ROWS)
def test_findings_of_the_table(case: str) -> None:
    model, expected = ROWS[case]
    assert findings_of(RULES, model) == expected
