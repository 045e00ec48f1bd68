"""Table of the check ``limits``: measured numbers and words, compared with each kind of required value."""

from __future__ import annotations

from typing import Any

import pytest

from fixtures.broken import changed
from fixtures.models import concat, conv, layers, softmax
from litecheck.model.build import ModelBuilder
from litecheck.model.types import Model
from tests.checks.table import FindingRow, findings_of

RULES = """\
kinds: {activation: {dtype: int8}}
ops:
  CONV_2D:
    inputs: [input, weight, bias]
    optional: [bias]
    outputs: [output]
    tensors:
      input: activation
      weight: {dtype: int8, because: weights are int8}
      output: activation
    limits:
      stride_w: 1..3
      stride_h: [1, 4..6]
      dilated_kernel_h: {value: 1..64, because: the line buffer holds 64 rows, see: guide 5}
      input.channels: {value: {multiple_of: 4}, because: lanes come in fours}
      weight.constant: {value: yes, because: weights are compressed}
      accumulator_step: {value: 0..1/4, because: the shifter has no more bits}
      bias.rank: {value: 1, because: a bias is a vector}
    because: the sequencer skips at most two rows and columns
    see: guide 4
effects:
  CONV_2D/limits: fails to load
  CONV_2D/limits/accumulator_step: wrong results
levels:
  CONV_2D/limits/dilated_kernel_h: warning
"""


def strided(channels: int = 4, **options: Any) -> Model:
    """Return the convolution of the fixtures with changed options or channels."""
    builder = ModelBuilder("one int8 convolution")
    net = layers(builder, (1, 4, 4, channels))
    options = {"padding": "SAME", "stride_w": 1, "stride_h": 1, **options}
    net.then("CONV_2D", net.weights((4, 3, 3, channels), 4, 0, 0.05), (1, 4, 4, 4), 0.3, 2, **options)
    net.main.outputs(net.last)
    return builder.finish()


def fault(name: str, found: str, required: str, because: str = "", **fields: Any) -> tuple[FindingRow, ...]:
    reason = because or "the sequencer skips at most two rows and columns"
    fields = {"effect": "fails to load", "see": "guide 4", **fields}
    return (FindingRow(f"CONV_2D/limits/{name}", "", found, required, reason, **fields),)


ROWS: dict[str, tuple[Model, tuple[FindingRow, ...]]] = {
    "beyond a range": (strided(stride_w=4), fault("stride_w", "stride w is 4", "stride w in 1..3")),
    "none of several": (strided(stride_h=2), fault("stride_h", "stride h is 2", "stride h 1 or in 4..6")),
    "between and beyond several": (
        strided(stride_h=7),
        fault("stride_h", "stride h is 7", "stride h 1 or in 4..6"),
    ),
    "with a reason, a place and a level of its own": (
        strided(dilation_h_factor=32),
        fault(
            "dilated_kernel_h",
            "dilated kernel h is 65",
            "dilated kernel h in 1..64",
            "the line buffer holds 64 rows",
            see="guide 5",
            level="warning",
        ),
    ),
    "no multiple": (
        strided(6),
        fault(
            "input.channels", "input.channels is 6", "input.channels a multiple of 4", "lanes come in fours"
        ),
    ),
    "a word": (
        changed(conv(), "weight", data=None),
        fault("weight.constant", "weight.constant is no", "weight.constant yes", "weights are compressed"),
    ),
    "no whole number": (
        changed(conv(), "conv_2d_0", scale=conv().subgraphs[0].tensors[0].quantization.scale / 50),
        fault(
            "accumulator_step",
            "accumulator step is 0.6875",
            "accumulator step in 0..1/4",
            "the shifter has no more bits",
            effect="wrong results",
        ),
    ),
    "exactly that number": (
        changed(conv(), "bias", shape=(1, 4)),
        fault("bias.rank", "bias.rank is 2", "bias.rank 1", "a bias is a vector"),
    ),
    "two at once": (
        strided(stride_w=5, stride_h=3),
        (
            *fault("stride_w", "stride w is 5", "stride w in 1..3"),
            *fault("stride_h", "stride h is 3", "stride h 1 or in 4..6"),
        ),
    ),
    "what is at fault is not measured, options are": (
        changed(strided(stride_w=4), "weight", dtype="uint8", data=None),
        (
            FindingRow(
                "CONV_2D/weight/dtype",
                "weight 'weight'",
                "it is uint8",
                "type int8 of weight",
                "weights are int8",
            ),
            *fault("stride_w", "stride w is 4", "stride w in 1..3"),
        ),
    ),
    "what does not apply": (conv(bias=False), ()),
    "the ends": (strided(stride_w=3, stride_h=6), ()),
    "as it should be": (conv(), ()),
    "other operators": (softmax(), ()),
    "and others": (concat(), ()),
}


@pytest.mark.parametrize("case", ROWS)
def test_findings_of_the_table(case: str) -> None:
    model, expected = ROWS[case]
    assert findings_of(RULES, model) == expected
