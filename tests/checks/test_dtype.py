"""Table of the check ``dtype``: operands of a wrong type have no further findings."""

from __future__ import annotations

import numpy as np
import pytest

from fixtures.broken import changed, zeros
from fixtures.models import concat, conv
from litecheck.model.types import Model
from tests.checks.table import FindingRow, findings_of

RULES = """\
kinds:
  activation: {dtype: int8, granularity: per-tensor, because: activations are int8, see: page 1}
ops:
  CONV_2D:
    inputs: [input, weight, bias]
    outputs: [output]
    tensors:
      input: activation
      weight:
        dtype: [int8, int4]
        granularity: per-axis
        axis: 0
        zero_point: 0
        scale: positive
        range: -127..127
        because: weights are int8 or int4
        see: page 2
      bias: {dtype: int32, zero_point: 0, because: the accumulator is int32}
      output: activation
  CONCATENATION:
    inputs: [values]
    repeated: [values]
    outputs: [output]
    tensors: {values: activation, output: activation}
effects:
  "*/*/dtype": fails to load
  CONV_2D/weight/dtype: crashes
levels:
  CONV_2D/weight/dtype: warning
"""
INT8 = "activations are int8"


def activation(path: str, operand: str, found: str) -> FindingRow:
    role = path.split("/")[1]
    return FindingRow(path, operand, found, f"type int8 of {role}", INT8, "fails to load", see="page 1")


def wrong_in_everything(dtype: str) -> Model:
    """Return a model with a filter of the given type that violates every further requirement."""
    return changed(
        conv(), "weight", dtype=dtype, axis=3, zero_point=zeros(3, 3, 3, 3),
        data=np.full(144, 128, np.uint8), scale=np.full(4, -1.0, np.float32),
    )  # fmt: skip


ROWS: dict[str, tuple[Model, tuple[FindingRow, ...]]] = {
    "one type": (
        changed(conv(), "conv_2d_0", dtype="int16"),
        (activation("CONV_2D/output/dtype", "output 'conv_2d_0'", "it is int16"),),
    ),
    "without what the kind says": (
        changed(conv(), "bias", dtype="int64", data=np.zeros(32, np.uint8)),
        (
            FindingRow(
                "CONV_2D/bias/dtype",
                "bias 'bias'",
                "it is int64",
                "type int32 of bias",
                "the accumulator is int32",
                "fails to load",
            ),
        ),
    ),
    "several types, and no more of it": (
        wrong_in_everything("uint8"),
        (
            FindingRow(
                "CONV_2D/weight/dtype",
                "weight 'weight'",
                "it is uint8",
                "type int8 or int4 of weight",
                "weights are int8 or int4",
                "crashes",
                "warning",
                see="page 2",
            ),
        ),
    ),
    "a type the schema does not know": (
        changed(conv(), "conv_2d_0", dtype="type 99"),
        (activation("CONV_2D/output/dtype", "output 'conv_2d_0'", "it is type 99"),),
    ),
    "one of several": (
        changed(concat(), "other", dtype="uint8"),
        (activation("CONCATENATION/values/dtype", "values[1] 'other'", "it is uint8"),),
    ),
    "the other of several types": (changed(conv(), "weight", dtype="int4", data=np.zeros(72, np.uint8)), ()),
    "the right type": (conv(), ()),
}


@pytest.mark.parametrize("case", ROWS)
def test_findings_of_the_table(case: str) -> None:
    model, expected = ROWS[case]
    assert findings_of(RULES, model) == expected


def test_further_findings_with_the_correct_type() -> None:
    """Control: with the correct type, the same filter violates all requirements that were skipped."""
    found = {finding.path.rpartition("/")[2] for finding in findings_of(RULES, wrong_in_everything("int8"))}
    assert found == {"axis", "zero_point", "scale", "range"}
