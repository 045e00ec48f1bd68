"""Numbers of inputs and outputs of a rule, in words."""

from __future__ import annotations

import pytest

from litecheck.profile.load import load_profile


@pytest.mark.parametrize(
    ("opcode", "words"),
    [
        ("ADD", "2 inputs and 1 output"),
        ("SOFTMAX", "1 input and 1 output"),
        ("RESHAPE", "1 to 2 inputs and 1 output"),
        ("FULLY_CONNECTED", "2 to 3 inputs and 1 output"),
        ("CONV_2D", "3 inputs and 1 output"),
        ("LSTM", "12 to 24 inputs and 1 output"),
        ("PACK", "at least 1 input and 1 output"),
        ("SPLIT", "2 inputs and at least 1 output"),
    ],
)
def test_inputs_and_outputs(opcode: str, words: str) -> None:
    rule = load_profile("litert-runtime").operators[opcode]
    (stated,) = (str(r.value) for r in rule.requirements if r.path == f"{opcode}/operands")
    assert stated == words
