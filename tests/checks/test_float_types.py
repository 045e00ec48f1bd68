"""Findings of float tensors, merged for each operator."""

from __future__ import annotations

from litecheck.checks.float_types import merge_float_types
from litecheck.finding import Demand, Effect, Finding, Where


def finding(
    path: str, found: str = "it is float32", operator: int = 0, effect: Effect = "stays on the CPU"
) -> Finding:
    where = Where(0, "main", operator, "CONV_2D", "name")
    return Finding(path, "warning", where, found, "r", "b", "s", Demand("p", "f", 1), effect)


def test_float_tensors_of_an_operator_are_one_finding() -> None:
    found = [
        finding("CONV_2D/input/dtype"), finding("CONV_2D/limits/x"), finding("CONV_2D/bias/dtype"),
        finding("CONV_2D/output/dtype"), finding("CONV_2D/input/dtype", operator=1),
        finding("CONV_2D/output/dtype", operator=1),
    ]  # fmt: skip
    assert [(f.path, f.where.operator, f.found) for f in merge_float_types(found)] == [
        ("CONV_2D/input/dtype", 0, "it is float32, and so are bias and output"),
        ("CONV_2D/limits/x", 0, "it is float32"),
        ("CONV_2D/input/dtype", 1, "it is float32, and so is output"),
    ]


def test_other_types_and_other_impacts_stay() -> None:
    found = [
        finding("CONV_2D/input/dtype", "it is int64"), finding("CONV_2D/output/dtype", "it is int64"),
        finding("CONV_2D/weight/dtype"), finding("CONV_2D/bias/dtype", effect="crashes the compiler"),
    ]  # fmt: skip
    assert merge_float_types(found) == found
