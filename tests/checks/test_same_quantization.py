"""Table of the check ``same_quantization``: the operand that differs from most operands, and the difference."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from fixtures.broken import changed, off, single_scale, zeros
from fixtures.models import concat
from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.types import Model
from litecheck.quantization import Blockwise, Quantization
from tests.checks.table import FindingRow, findings_of, finished_with

RULES = """\
kinds:
  activation: {dtype: int8}
ops:
  CONCATENATION:
    inputs: [values]
    repeated: [values]
    outputs: [output]
    tensors:
      values: {kind: activation, granularity: [per-tensor, per-axis], because: a value has a scale}
      output: {kind: activation, granularity: [per-tensor, per-axis], because: a value has a scale}
    same_quantization: [values, output]
    because: stored integers are copied side by side
    see: concatenation.cc:1
  MAXIMUM:
    inputs: [lhs, rhs]
    outputs: [output]
    scope: [lhs, rhs, output]
    same_quantization: [lhs, rhs, output]
    because: stored integers are compared
  MINIMUM:
    inputs: [lhs, rhs]
    outputs: [output]
    tensors:
      lhs: {kind: activation, granularity: any, because: so it is}
      rhs: {kind: activation, granularity: any, because: so it is}
      output: {kind: activation, granularity: per-axis, because: so it is}
    same_quantization: [lhs, rhs]
effects:
  "*/same_quantization": wrong results
levels:
  MAXIMUM/same_quantization: warning
"""
NONE = Quantization()
NOTHING = np.empty(0, np.float32)


def joined(*parameters: Quantization) -> Model:
    """Return a CONCATENATION with these quantizations; the last belongs to the output."""
    return operation("CONCATENATION", *parameters)


def operation(opcode: str, *parameters: Quantization) -> Model:
    builder = ModelBuilder(f"one {opcode}")
    main = builder.subgraph()
    tensors = [main.tensor(f"t{n}", (1, 4), "int8", one) for n, one in enumerate(parameters)]
    return finished_with(builder, main, opcode, tensors[:-1], tensors[-1])


def copied(operand: str, found: str) -> tuple[FindingRow, ...]:
    return (
        FindingRow(
            "CONCATENATION/same_quantization", operand, found, "one scale and zero point for values and output",
            "stored integers are copied side by side", "wrong results", see="concatenation.cc:1",
        ),
    )  # fmt: skip


def compared(operand: str, found: str) -> tuple[FindingRow, ...]:
    return (
        FindingRow(
            "MAXIMUM/same_quantization", operand, found, "one scale and zero point for lhs and rhs and output",
            "stored integers are compared", "wrong results", "warning",
        ),
    )  # fmt: skip


def with_other(**fields: Any) -> Model:
    return changed(concat(), "other", **fields)


A, B, C = qparams(0.05, -3), qparams(0.25, -3), qparams(0.5, 7)
MANY = qparams([0.05, 0.06, 0.05, 0.05], 0, 1)
ROWS: dict[str, tuple[Model, tuple[FindingRow, ...]]] = {
    "one float32 step": (
        with_other(scale=off(single_scale(0.05), 1)),
        copied(
            "values[1] 'other'",
            "values[1] has scale 0.050000004, zero point -3; values[0] has scale 0.05, zero point -3 (1 ulp apart)",
        ),
    ),
    "99 steps": (
        with_other(scale=off(single_scale(0.05), 99)),
        copied(
            "values[1] 'other'",
            "values[1] has scale 0.05000037, zero point -3; values[0] has scale 0.05, zero point -3 (99 ulps apart)",
        ),
    ),
    "so many steps that decimals tell": (
        with_other(scale=off(single_scale(0.05), 100)),
        copied(
            "values[1] 'other'",
            "values[1] has scale 0.050000373, zero point -3; values[0] has scale 0.05, zero point -3",
        ),
    ),
    "the zero point": (
        with_other(zero_point=zeros(4)),
        copied(
            "values[1] 'other'",
            "values[1] has scale 0.05, zero point 4; values[0] has scale 0.05, zero point -3",
        ),
    ),
    "two against one": (
        joined(B, A, A),
        copied(
            "values[0] 't0'",
            "values[0] has scale 0.25, zero point -3; values[1] has scale 0.05, zero point -3",
        ),
    ),
    "the result": (
        joined(A, A, C),
        copied("output 't2'", "output has scale 0.5, zero point 7; values[0] has scale 0.05, zero point -3"),
    ),
    "one against one, the first holds": (
        joined(B, A),
        copied(
            "output 't1'", "output has scale 0.05, zero point -3; values[0] has scale 0.25, zero point -3"
        ),
    ),
    "several, in one finding": (
        joined(A, B, C, A),
        copied(
            "values[1] 't1'",
            "values[1] has scale 0.25, zero point -3 (and 1 more differ); values[0] has scale 0.05, zero point -3",
        ),
    ),
    "several scales": (
        joined(A, MANY, A),
        copied(
            "values[1] 't1'",
            "values[1] has 4 scales along dimension 1; values[0] has scale 0.05, zero point -3",
        ),
    ),
    "none, where that may be": (
        operation("MAXIMUM", A, A, NONE),
        compared("output 't2'", "output has no quantization; lhs has scale 0.05, zero point -3"),
    ),
    "none, where anything may be": (
        operation("MINIMUM", A, NONE, MANY),
        (
            FindingRow(
                "MINIMUM/same_quantization",
                "rhs 't1'",
                "rhs has no quantization; lhs has scale 0.05, zero point -3",
                "one scale and zero point for lhs and rhs",
                "",
                "wrong results",
            ),
        ),
    ),
    "a whole number": (
        operation("MAXIMUM", qparams(1.0), qparams(2.0), qparams(2.0)),
        compared("lhs 't0'", "lhs has scale 1, zero point 0; rhs has scale 2, zero point 0"),
    ),
    "none, where one must be, is told once": (
        joined(A, NONE, B),
        (
            FindingRow(
                "CONCATENATION/values/granularity",
                "values[1] 't1'",
                "it has no quantization",
                "per-tensor quantization or per-axis quantization of values",
                "a value has a scale",
            ),
            *copied(
                "output 't2'", "output has scale 0.25, zero point -3; values[0] has scale 0.05, zero point -3"
            ),
        ),
    ),
    "a zero point alone": (
        operation("MAXIMUM", A, A, Quantization(NOTHING, zeros(0))),
        compared("output 't2'", "output has no quantization; lhs has scale 0.05, zero point -3"),
    ),
    "malformed parameters are for granularity": (
        operation("MAXIMUM", A, A, Quantization(np.array([0.25, 0.5], np.float32), zeros(0))),
        (),
    ),
    "no scale is for scale": (operation("MAXIMUM", A, A, qparams(-1.0)), ()),
    "blockwise": (operation("MAXIMUM", A, A, Quantization(details=Blockwise(0, -1, 32))), ()),
    "all alike": (joined(A, A, A), ()),
    "alike, with several scales": (joined(MANY, MANY, MANY), ()),
    "no operand": (joined(A), ()),
}


@pytest.mark.parametrize("case", ROWS)
def test_findings_of_the_table(case: str) -> None:
    model, expected = ROWS[case]
    assert tuple(row for row in findings_of(RULES, model) if not row.path.endswith("/operands")) == expected
