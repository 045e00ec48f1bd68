"""Table of the check ``zero_point``: zero points outside the allowed values, their extreme and number."""

from __future__ import annotations

import numpy as np
import pytest

from fixtures.broken import changed, zeros
from fixtures.models import concat, conv, softmax
from litecheck.model.types import Model
from tests.checks.table import FindingRow, findings_of

RULES = """\
kinds:
  activation: {dtype: int8, zero_point: -128..127, because: a zero point is an int8 value, see: page 1}
ops:
  CONV_2D:
    inputs: [input, weight, bias]
    outputs: [output]
    tensors:
      input: activation
      weight: {dtype: int8, zero_point: 0, because: weights are symmetric}
      bias: {zero_point: 0, because: a bias is added as it is, see: page 2}
      output: activation
  CONCATENATION:
    inputs: [values]
    repeated: [values]
    outputs: [output]
    tensors: {values: activation, output: activation}
  SOFTMAX:
    inputs: [input]
    outputs: [output]
    tensors:
      input: activation
      output: {kind: activation, zero_point: [-128, 3..5], because: the result begins at 0}
effects:
  "*/*/zero_point": fails to load
  CONV_2D/weight/zero_point: wrong results
levels:
  SOFTMAX/output/zero_point: note
"""
BIG = 2**63 - 1


def weight(found: str, channels: int) -> FindingRow:
    return FindingRow(
        "CONV_2D/weight/zero_point", "weight 'weight'", found, "zero point 0 of weight", "weights are symmetric",
        "wrong results", channels=channels,
    )  # fmt: skip


def activation(path: str, operand: str, found: str) -> FindingRow:
    required = f"zero point in -128..127 of {path.split('/')[1]}"
    return FindingRow(
        path, operand, found, required, "a zero point is an int8 value", "fails to load", see="page 1"
    )


def output(found: str) -> FindingRow:
    return FindingRow(
        "SOFTMAX/output/zero_point", "output 'softmax_0'", found, "zero point -128 or in 3..5 of output",
        "the result begins at 0", "fails to load", "note",
    )  # fmt: skip


def filtered(*points: int) -> Model:
    return changed(conv(), "weight", zero_point=zeros(*points))


def resulting(point: int) -> Model:
    return changed(softmax(), "softmax_0", zero_point=zeros(point))


ROWS: dict[str, tuple[Model, tuple[FindingRow, ...]]] = {
    "one channel": (filtered(0, 0, 3, 0), (weight("zero point is 3 at channel 2 of 4", 1),)),
    "the farthest of several": (
        filtered(1, 0, -7, 7),
        (weight("zero point is -7 at channel 2 (3 of 4 channels)", 3),),
    ),
    "every channel": (filtered(1, 1, 1, 1), (weight("zero point is 1 at channel 0 (4 of 4 channels)", 4),)),
    "one for all": (
        changed(softmax(), "input", zero_point=zeros(200)),
        (activation("SOFTMAX/input/zero_point", "input 'input'", "zero point is 200"),),
    ),
    "one below": (
        changed(softmax(), "input", zero_point=zeros(-129)),
        (activation("SOFTMAX/input/zero_point", "input 'input'", "zero point is -129"),),
    ),
    "as large as can be": (
        changed(softmax(), "input", zero_point=zeros(BIG)),
        (activation("SOFTMAX/input/zero_point", "input 'input'", f"zero point is {BIG}"),),
    ),
    "one of several operands": (
        changed(concat(), "other", zero_point=zeros(128)),
        (activation("CONCATENATION/values/zero_point", "values[1] 'other'", "zero point is 128"),),
    ),
    "a bias": (
        changed(conv(), "bias", zero_point=zeros(0, 1, 0, 0)),
        (
            FindingRow(
                "CONV_2D/bias/zero_point",
                "bias 'bias'",
                "zero point is 1 at channel 1 of 4",
                "zero point 0 of bias",
                "a bias is added as it is",
                "fails to load",
                channels=1,
                see="page 2",
            ),
        ),
    ),
    "between what is allowed": (resulting(0), (output("zero point is 0"),)),
    "beyond what is allowed": (resulting(6), (output("zero point is 6"),)),
    "the one": (resulting(-128), ()),
    "in the range": (resulting(5), ()),
    "another number of them is for granularity": (filtered(3, 3), ()),
    "none at all": (changed(conv(), "weight", zero_point=zeros(), scale=np.empty(0, np.float32)), ()),
    "another type has meanings of its own": (
        changed(filtered(0, 0, 3, 0), "weight", dtype="uint8", data=np.zeros(144, np.uint8)),
        (
            FindingRow(
                "CONV_2D/weight/dtype",
                "weight 'weight'",
                "it is uint8",
                "type int8 of weight",
                "weights are symmetric",
            ),
        ),
    ),
    "the ends of the range": (
        changed(changed(concat(), "other", zero_point=zeros(-128)), "input", zero_point=zeros(127)),
        (),
    ),
}


@pytest.mark.parametrize("case", ROWS)
def test_findings_of_the_table(case: str) -> None:
    model, expected = ROWS[case]
    assert findings_of(RULES, model) == expected
