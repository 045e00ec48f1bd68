"""Storages of roles: types, granularities, ranges and scales of a rule's requirements."""

from __future__ import annotations

import pytest

from litecheck.conversion.quant_spec import QuantSpec, quant_spec_of
from tests.checks.table import profile

RULES = """title: A table
source: a test
kinds: {activation: {dtype: int8}}
ops:
  FULLY_CONNECTED:
    inputs: [input, weight, bias]
    outputs: [output]
    tensors:
      input: activation
      weight: {%s}
      bias: {dtype: int32, scale: {product_of: [input, weight]}}
      output: activation
"""


def of(fields: str, default: str = "int8") -> QuantSpec | None:
    rule = profile(RULES % fields).operators["FULLY_CONNECTED"]
    return quant_spec_of((r for r in rule.requirements if r.role == "weight"), default)


def facts(fields: str) -> tuple[object, ...]:
    found = of(fields)
    assert found is not None
    return found.dtype, found.per_axis, found.axis, (found.low, found.high), found.zero_points, found.scale


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ("dtype: int8", ("int8", False, 0, (-128, 127), (-128, 127), None)),
        ("dtype: int16", ("int16", False, 0, (-32768, 32767), (-32768, 32767), None)),
        ("dtype: [int4, int8]", ("int4", False, 0, (-8, 7), (-8, 7), None)),
        ("dtype: int8, granularity: per-axis, axis: 1", ("int8", True, 1, (-128, 127), (-128, 127), None)),
        (
            "dtype: int8, granularity: [per-tensor, per-axis]",
            ("int8", False, 0, (-128, 127), (-128, 127), None),
        ),
        ("dtype: int8, zero_point: 0", ("int8", False, 0, (-128, 127), (0, 0), None)),
        ("dtype: int8, zero_point: -5..200", ("int8", False, 0, (-128, 127), (-5, 127), None)),
        ("dtype: int8, zero_point: [3, 7]", ("int8", False, 0, (-128, 127), (3, 3), None)),
        ("dtype: int8, range: -127..127", ("int8", False, 0, (-127, 127), (-128, 127), None)),
        ("dtype: int8, scale: 1/256", ("int8", False, 0, (-128, 127), (-128, 127), 1 / 256)),
    ],
)
def test_storages(fields: str, expected: tuple[object, ...]) -> None:
    assert facts(fields) == expected


@pytest.mark.parametrize(
    ("fields", "dtype", "per_axis"),
    [
        ("dtype: [int4, int8], granularity: [per-tensor, per-axis]", "int8", True),
        ("dtype: [int4, int16], granularity: per-tensor", "int4", False),
    ],
)
def test_a_preferred_value_is_used_if_the_rule_lists_it(fields: str, dtype: str, per_axis: bool) -> None:
    rule = profile(RULES % fields).operators["FULLY_CONNECTED"]
    own = [r for r in rule.requirements if r.role == "weight"]
    found = quant_spec_of(own, "", ("int8", "per-axis"))
    assert found is not None
    assert (found.dtype, found.per_axis) == (dtype, per_axis)


def test_real_values_have_no_storage() -> None:
    assert of("dtype: float32") is None
    assert of("dtype: [int8, float32]") is None
    assert of("dtype: int8, granularity: none") is None
    assert of("zero_point: 0", "") is None
    assert facts("zero_point: 0")[0] == "int8"


def test_symmetric_storages() -> None:
    assert QuantSpec("int8", zero_points=(0, 0)).symmetric
    assert not QuantSpec("int8", zero_points=(0, 1)).symmetric


def test_scales_of_other_roles() -> None:
    rule = profile(RULES % "dtype: int8").operators["FULLY_CONNECTED"]
    bias = quant_spec_of((r for r in rule.requirements if r.role == "bias"), "")
    assert bias is not None
    assert bias.product is not None
    assert bias.product.factors == ("input", "weight")
    assert (bias.scale, bias.scale_of, bias.power) == (None, "", 0)
    assert {r.verb for r in bias.requirements} >= {"dtype", "scale"}
