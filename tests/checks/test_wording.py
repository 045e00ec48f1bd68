"""Table of required values in words, for every kind of value in the rule language."""

from __future__ import annotations

import pytest

from litecheck.checks.wording import requirement_phrase
from tests.checks.table import profile

RULES = """\
activations: any
ops:
  ADD:
    inputs: [lhs, rhs]
    outputs: [output]
    tensors: {{lhs: {{{verb}: {value}, because: so it is}}}}
"""
ROWS = [
    ("dtype", "int8", "type int8 of lhs"),
    ("dtype", "[int8, int4]", "type int8 or int4 of lhs"),
    ("granularity", "per-tensor", "per-tensor quantization of lhs"),
    ("granularity", "[per-tensor, none]", "per-tensor quantization or no quantization of lhs"),
    ("granularity", "[per-axis, blockwise]", "per-axis quantization or blockwise quantization of lhs"),
    ("granularity", "any", "well-formed quantization of lhs"),
    ("granularity", "{same_as: rhs}", "as many scales of lhs as rhs has"),
    ("axis", "3", "quantized dimension 3 of lhs"),
    ("zero_point", "0", "zero point 0 of lhs"),
    ("zero_point", "-128..127", "zero point in -128..127 of lhs"),
    ("zero_point", "[0, 3..5]", "zero point 0 or in 3..5 of lhs"),
    ("scale", "positive", "a finite scale above 0 of lhs"),
    ("scale", "normal", "a finite, normal scale above 0 of lhs"),
    ("scale", "1/256", "scale 1/256 of lhs"),
    ("scale", "1/8..1/4", "a scale of lhs that is in 1/8..1/4"),
    ("scale", "[1/8, 1/4]", "a scale of lhs that is 1/8 or 1/4"),
    ("scale", "{multiple_of: 1/256}", "a scale of lhs that is a multiple of 1/256"),
    ("scale", "{power_of: 2}", "a scale of lhs that is a power of 2"),
    ("scale", "{same_as: rhs}", "a scale of lhs that is that of rhs"),
    ("scale", "{product_of: [rhs, output]}", "a scale of lhs equal to rhs scale x output scale"),
    ("scale", "{product_of: [rhs, 1/2], ulps: 1}", "a scale of lhs within 1 ulp of rhs scale x 1/2"),
    (
        "scale",
        "{product_of: [rhs, output], ulps: 4}",
        "a scale of lhs within 4 ulps of rhs scale x output scale",
    ),
    ("range", "-127..127", "values in -127..127 of lhs"),
    ("range", "0", "values 0 of lhs"),
]


@pytest.mark.parametrize(("verb", "value", "words"), ROWS)
def test_a_demand_of_an_operand_in_words(verb: str, value: str, words: str) -> None:
    rule = profile(RULES.format(verb=verb, value=value)).operators["ADD"]
    assert [requirement_phrase(r) for r in rule.requirements if r.verb == verb] == [words]
