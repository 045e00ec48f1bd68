"""Table of the check ``operands``: missing and surplus operands."""

from __future__ import annotations

import pytest

from fixtures.models import conv, fc_int8, softmax
from litecheck.model.build import ModelBuilder
from litecheck.model.types import Model
from tests.checks.table import STEP, FindingRow, findings_of, finished_with

RULES = """\
kinds: {activation: {dtype: int8}}
ops:
  CONV_2D:
    inputs: [input, weight, bias]
    optional: []
    outputs: [output]
    tensors: {input: activation, output: activation}
    because: the kernel fails to load without a bias
    see: conv.cc:407
  FULLY_CONNECTED:
    inputs: [input, weight, bias]
    optional: [bias]
    outputs: [output]
    tensors: {input: activation, output: activation}
  SOFTMAX:
    inputs: [input]
    outputs: [output]
    tensors: {input: activation, output: activation}
    see: softmax.cc:1
  CONCATENATION:
    inputs: [values]
    repeated: [values]
    outputs: [output]
    tensors: {values: activation, output: activation}
  UNIDIRECTIONAL_SEQUENCE_LSTM:
    inputs: [input]
    outputs: [output]
    intermediates: [hidden]
    tensors: {input: activation, output: activation}
effects:
  "*/operands": fails at run time
  "*/*/operands": fails to load
levels:
  SOFTMAX/operands: warning
"""
ABSENT = "the operator is not defined without it"


def built(opcode: str, operands: str, outputs: int = 1, intermediates: str = "") -> Model:
    """Return an operator with present (``x``) and absent (``-``) operands."""
    builder = ModelBuilder(f"one {opcode}")
    main = builder.subgraph()
    inputs = [main.tensor(f"x{n}", (1, 4), "int8", STEP) if c == "x" else -1 for n, c in enumerate(operands)]
    held = [main.tensor(f"h{n}", (), "int8", STEP) if c == "x" else -1 for n, c in enumerate(intermediates)]
    results = [main.tensor(f"y{n}", (1, 4), "int8", STEP) for n in range(outputs)]
    return finished_with(builder, main, opcode, inputs, *results, intermediates=held)


def absent(path: str, operand: str, because: str = ABSENT, see: str = "") -> FindingRow:
    return FindingRow(
        path, operand, "it is absent", f"{operand} to be present", because, "fails to load", see=see
    )


def left_out(path: str, operand: str, because: str = ABSENT, see: str = "") -> FindingRow:
    return FindingRow(
        path, operand, "it is left out", f"{operand} to be present", because, "fails to load", see=see
    )


def surplus(path: str, found: str, required: str) -> FindingRow:
    return FindingRow(path, "", found, required, "the operator has no others", "fails at run time")


ROWS: dict[str, tuple[Model, tuple[FindingRow, ...]]] = {
    "left out at the end": (
        conv(bias=False),
        (
            left_out(
                "CONV_2D/bias/operands", "bias", "the kernel fails to load without a bias", "conv.cc:407"
            ),
        ),
    ),
    "listed as -1": (built("FULLY_CONNECTED", "x-x"), (absent("FULLY_CONNECTED/weight/operands", "weight"),)),
    "two of them": (
        built("FULLY_CONNECTED", "--x"),
        (
            absent("FULLY_CONNECTED/input/operands", "input"),
            absent("FULLY_CONNECTED/weight/operands", "weight"),
        ),
    ),
    "no operand at all": (
        built("FULLY_CONNECTED", ""),
        (
            left_out("FULLY_CONNECTED/input/operands", "input"),
            left_out("FULLY_CONNECTED/weight/operands", "weight"),
        ),
    ),
    "a gap among the repeated": (
        built("CONCATENATION", "x-x"),
        (absent("CONCATENATION/values/operands", "values"),),
    ),
    "nothing repeated": (built("CONCATENATION", ""), (left_out("CONCATENATION/values/operands", "values"),)),
    "no output": (
        built("SOFTMAX", "x", 0),
        (left_out("SOFTMAX/output/operands", "output", see="softmax.cc:1"),),
    ),
    "no intermediate": (
        built("UNIDIRECTIONAL_SEQUENCE_LSTM", "x"),
        (absent("UNIDIRECTIONAL_SEQUENCE_LSTM/hidden/operands", "hidden"),),
    ),
    "an intermediate listed as -1": (
        built("UNIDIRECTIONAL_SEQUENCE_LSTM", "x", intermediates="-"),
        (absent("UNIDIRECTIONAL_SEQUENCE_LSTM/hidden/operands", "hidden"),),
    ),
    "one input too many": (
        built("FULLY_CONNECTED", "xxxx"),
        (surplus("FULLY_CONNECTED/operands", "it has 4 inputs and 1 output", "2 to 3 inputs and 1 output"),),
    ),
    "one output too many": (
        built("CONCATENATION", "x", 2),
        (surplus("CONCATENATION/operands", "it has 1 input and 2 outputs", "at least 1 input and 1 output"),),
    ),
    "too many, of which a profile only warns": (
        built("SOFTMAX", "xx", 2),
        (
            FindingRow(
                "SOFTMAX/operands",
                "",
                "it has 2 inputs and 2 outputs",
                "1 input and 1 output",
                "the operator has no others",
                "fails at run time",
                "warning",
                see="softmax.cc:1",
            ),
        ),
    ),
    "a bias that may be absent": (built("FULLY_CONNECTED", "xx"), ()),
    "a bias listed as absent": (built("FULLY_CONNECTED", "xx-"), ()),
    "two of what is repeated": (built("CONCATENATION", "xx"), ()),
    "an intermediate that is there": (built("UNIDIRECTIONAL_SEQUENCE_LSTM", "x", intermediates="x"), ()),
    "all operands": (conv(), ()),
    "all operands of a dense layer": (fc_int8(), ()),
    "one and one": (softmax(), ()),
}


@pytest.mark.parametrize("case", ROWS)
def test_findings_of_the_table(case: str) -> None:
    model, expected = ROWS[case]
    assert findings_of(RULES, model) == expected
