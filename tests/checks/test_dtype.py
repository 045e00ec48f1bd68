"""Table of the verb ``dtype``: operands of another type, and that nothing else is said of them."""

from __future__ import annotations

import numpy as np
import pytest

from fixtures.broken import changed, zeros
from fixtures.models import concat, conv
from litecheck.model.types import Model
from tests.checks.table import Told, told

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


def activation(path: str, operand: str, found: str) -> Told:
    role = path.split("/")[1]
    return Told(path, operand, found, f"type int8 of {role}", INT8, "fails to load", see="page 1")


def wrong_in_everything(dtype: str) -> Model:
    """A filter that breaks every other demand as well, of a type that has nothing to do with them."""
    return changed(
        conv(), "weight", dtype=dtype, axis=3, zero_point=zeros(3, 3, 3, 3),
        data=np.full(144, 128, np.uint8), scale=np.full(4, -1.0, np.float32),
    )  # fmt: skip


ROWS: dict[str, tuple[Model, tuple[Told, ...]]] = {
    "one type": (
        changed(conv(), "conv_2d_0", dtype="int16"),
        (activation("CONV_2D/output/dtype", "output 'conv_2d_0'", "it is int16"),),
    ),
    "without what the kind says": (
        changed(conv(), "bias", dtype="int64", data=np.zeros(32, np.uint8)),
        (
            Told(
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
            Told(
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


@pytest.mark.parametrize("what", ROWS)
def test_what_is_told(what: str) -> None:
    model, expected = ROWS[what]
    assert told(RULES, model) == expected


def test_of_the_right_type_the_rest_is_told() -> None:
    """The control: with the type as it should be, the same filter is at fault in all that was passed over."""
    found = {finding.path.rpartition("/")[2] for finding in told(RULES, wrong_in_everything("int8"))}
    assert found == {"axis", "zero_point", "scale", "range"}
