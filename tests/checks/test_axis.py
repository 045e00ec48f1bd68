"""Table of the check ``axis``: scales along a dimension that the kernel does not use."""

from __future__ import annotations

import numpy as np
import pytest

from fixtures.broken import changed, single_scale, zeros
from fixtures.models import conv
from litecheck.model.types import Model
from tests.checks.table import FindingRow, findings_of

RULES = """\
kinds: {activation: {dtype: int8}}
ops:
  CONV_2D:
    inputs: [input, weight, bias]
    outputs: [output]
    tensors:
      input: activation
      weight: {dtype: int8, axis: 0, because: output channels are dimension 0, see: conv.cc:551}
      bias: {axis: 0, because: there is no other}
      output: activation
effects:
  "*/*/axis": wrong results
"""


def along(axis: int) -> Model:
    return changed(conv(), "weight", axis=axis)


def weight(found: str) -> FindingRow:
    return FindingRow(
        "CONV_2D/weight/axis", "weight 'weight'", found, "quantized dimension 0 of weight",
        "output channels are dimension 0", "wrong results", see="conv.cc:551",
    )  # fmt: skip


ROWS: dict[str, tuple[Model, tuple[FindingRow, ...]]] = {
    "the last of four": (along(3), (weight("its quantized dimension is 3, of shape [4, 3, 3, 4]"),)),
    "one whose length does not fit": (
        along(1),
        (weight("its quantized dimension is 1, of shape [4, 3, 3, 4]"),),
    ),
    "a bias with two dimensions": (
        changed(conv(), "bias", shape=(1, 4), axis=1),
        (
            FindingRow(
                "CONV_2D/bias/axis",
                "bias 'bias'",
                "its quantized dimension is 1, of shape [1, 4]",
                "quantized dimension 0 of bias",
                "the kernel reads a bias of any rank as a vector",
                "ignored by LiteRT, may matter on hardware",
                "note",
            ),
        ),
    ),
    "one scale has no dimension": (
        changed(along(3), "weight", scale=single_scale(0.1), zero_point=zeros(0)),
        (),
    ),
    "a dimension the shape does not have is for granularity": (along(4), ()),
    "a negative one too": (along(-1), ()),
    "another type has meanings of its own": (
        changed(along(3), "weight", dtype="uint8", data=np.zeros(144, np.uint8)),
        (
            FindingRow(
                "CONV_2D/weight/dtype",
                "weight 'weight'",
                "it is uint8",
                "type int8 of weight",
                "output channels are dimension 0",
                see="conv.cc:551",
            ),
        ),
    ),
    "the right one": (along(0), ()),
}


@pytest.mark.parametrize("case", ROWS)
def test_findings_of_the_table(case: str) -> None:
    model, expected = ROWS[case]
    assert findings_of(RULES, model) == expected
