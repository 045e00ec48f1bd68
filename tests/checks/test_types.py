"""Types of operators against the tables of runtimes: situations of public threads, each with its impact."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from litecheck import load_profile
from litecheck.cases.one_operator import constant, one_operator, run_time
from litecheck.checks.validate import validate
from litecheck.finding import Finding
from litecheck.model.build import Option, quantized
from litecheck.model.types import Model
from litecheck.profile.operator_plan import TensorPlan

S = (1, 4, 4, 6)
STEP = quantized(0.05, -3)
POOL = {"padding": "VALID", "stride_w": 2, "stride_h": 2, "filter_width": 2, "filter_height": 2}


def tensor(name: str, dtype: str, shape: tuple[int, ...] = S) -> TensorPlan:
    return run_time(name, shape, dtype, STEP if dtype in ("int8", "int16") else None)


def plain(
    opcode: str, inputs: Sequence[str], output: str, shape: tuple[int, ...] = S, **options: Option
) -> Model:
    """An operator over tensors of one shape."""
    operands = [tensor(f"x{n}", dtype) for n, dtype in enumerate(inputs)]
    return one_operator(opcode, operands, [tensor("y", output, shape)], options)


def indexed(opcode: str, dtype: str, values: object, shape: tuple[int, ...], **options: Option) -> Model:
    """An int8 operator with an index input of a type."""
    indices = constant("i", np.array(values, dtype))
    return one_operator(
        opcode, [tensor("x", "int8"), indices], [tensor("y", "int8", shape)], options, version=2
    )


def types_findings(model: Model, profile: str = "") -> list[Finding]:
    report = validate(model, [load_profile(profile)] if profile else None)
    return [f for f in report.findings if f.path.endswith("/types")]


UNSUPPORTED = {
    "SOFTMAX of int32": (plain("SOFTMAX", ["int32"], "int32", beta=1.0), "", "fails at run time"),
    "MAX_POOL_2D of int32": (plain("MAX_POOL_2D", ["int32"], "int32", (1, 2, 2, 6), **POOL), "", "fails at run time"),
    "LOGISTIC of int32": (plain("LOGISTIC", ["int32"], "int32"), "", "fails at run time"),
    "EXP of int32": (plain("EXP", ["int32"], "int32"), "", "fails at run time"),
    "RSQRT of int32": (plain("RSQRT", ["int32"], "int32"), "", "fails to load"),
    "DEQUANTIZE of float32": (plain("DEQUANTIZE", ["float32"], "float32"), "", "fails to load"),
    "QUANTIZE to int32": (plain("QUANTIZE", ["float32"], "int32"), "", "fails to load"),
    "tflm: SOFTMAX of float16": (plain("SOFTMAX", ["float16"], "float16", beta=1.0), "tflm", "fails to load"),
    "tflm: MUL of int64": (plain("MUL", ["int64", "int64"], "int64"), "tflm", "fails at run time"),
    "tflm: MEAN, int64 axis": (
        indexed("MEAN", "int64", [1, 2], (1, 1, 1, 6), keep_dims=True), "tflm", "fails to load"
    ),
    "tflm: TRANSPOSE, int16 perm": (indexed("TRANSPOSE", "int16", [0, 2, 1, 3], S), "tflm", "fails to load"),
}  # fmt: skip


@pytest.mark.parametrize("name", UNSUPPORTED)
def test_types_without_a_kernel_violate(name: str) -> None:
    model, profile, effect = UNSUPPORTED[name]
    found = types_findings(model, profile)
    assert [(f.level, f.effect) for f in found] == [("violation", effect)]


SUPPORTED = {
    "SOFTMAX of float32": (plain("SOFTMAX", ["float32"], "float32", beta=1.0), ""),
    "SOFTMAX from int8 to int16": (plain("SOFTMAX", ["int8"], "int16", beta=1.0), "tflm"),
    "ADD of int32": (plain("ADD", ["int32", "int32"], "int32"), ""),
    "tflm: MEAN, int32 axis": (indexed("MEAN", "int32", [1, 2], (1, 1, 1, 6), keep_dims=True), "tflm"),
    "tflm: MUL of float32": (plain("MUL", ["float32", "float32"], "float32"), "tflm"),
}


@pytest.mark.parametrize("name", SUPPORTED)
def test_types_with_a_kernel_have_no_finding(name: str) -> None:
    assert types_findings(*SUPPORTED[name]) == []


def test_the_finding_names_the_tensor_and_the_nearest_supported_types() -> None:
    model = indexed("TRANSPOSE", "int16", [0, 2, 1, 3], S)
    (found,) = types_findings(model, "tflm")
    assert found.where.role == "perm"
    assert found.found == "its types are input int8, perm int16, output int8"
    assert "int32" in found.required
    assert found.required.endswith("(input, perm, output)")


def test_an_operator_without_any_kernel_needs_another() -> None:
    (found,) = types_findings(plain("POW", ["float32", "float32"], "float32"), "tflm")
    assert found.required == "another operator"
    assert "has no kernel" in found.found


def test_a_violation_of_a_type_is_told_once_with_the_measured_impact() -> None:
    """ADD in TFLM checks the output alone: an input of another type gives wrong results, whatever the rule states."""
    model = plain("ADD", ["float32", "int8"], "float32")
    found = validate(model, [load_profile("tflm")]).findings
    assert {(f.path, f.effect) for f in found} == {
        ("ADD/lhs/dtype", "wrong results"), ("ADD/output/dtype", "wrong results"),
    }  # fmt: skip
