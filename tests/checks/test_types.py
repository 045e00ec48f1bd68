"""Types of operators against the tables of runtimes: situations of public threads, each with its impact."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from litecheck import load_profile
from litecheck.cases.one_operator import constant, one_operator, run_time
from litecheck.checks.validate import validate
from litecheck.finding import IGNORED, Finding
from litecheck.model.build import Option, qparams
from litecheck.model.types import Model
from litecheck.profile.operator_plan import TensorPlan

S = (1, 4, 4, 6)
STEP = qparams(0.05, -3)
POOL = {"padding": "VALID", "stride_w": 2, "stride_h": 2, "filter_width": 2, "filter_height": 2}


def tensor(name: str, dtype: str, shape: tuple[int, ...] = S) -> TensorPlan:
    return run_time(name, shape, dtype, STEP if dtype in ("int8", "int16") else None)


def plain(
    opcode: str, inputs: Sequence[str], output: str, shape: tuple[int, ...] = S, **options: Option
) -> Model:
    """Return an operator over tensors of equal shape."""
    operands = [tensor(f"x{n}", dtype) for n, dtype in enumerate(inputs)]
    return one_operator(opcode, operands, [tensor("y", output, shape)], options)


def indexed(opcode: str, dtype: str, values: object, shape: tuple[int, ...], **options: Option) -> Model:
    """Return an int8 operator with an index input of a type."""
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


def test_a_violation_of_a_type_is_reported_once_with_the_measured_impact() -> None:
    """ADD in TFLM checks the output type only, so an input of a wrong type gives wrong results."""
    model = plain("ADD", ["float32", "int8"], "float32")
    found = validate(model, [load_profile("tflm")]).findings
    assert {(f.path, f.effect) for f in found} == {
        ("ADD/lhs/dtype", "wrong results"), ("ADD/output/dtype", "wrong results"),
    }  # fmt: skip


def test_a_wrong_type_that_the_runtime_computes_has_no_impact() -> None:
    """TRANSPOSE reads a uint32 permutation as int32; an int64 permutation is read as well, in pairs of numbers."""
    for dtype, effect in (("uint32", IGNORED), ("int16", "fails to load")):
        found = validate(indexed("TRANSPOSE", dtype, [0, 2, 1, 3], S)).findings
        assert [(f.path, f.effect) for f in found] == [("TRANSPOSE/perm/dtype", effect)], dtype


def test_padding_of_bool_is_a_type_of_the_kernel() -> None:
    model = indexed("PAD", "bool", [[0, 0], [1, 1], [1, 1], [0, 0]], (1, 6, 6, 6))
    assert validate(model).findings == ()
    assert [f.path for f in validate(model, [load_profile("tflm")]).findings] == ["PAD/types"]


@pytest.mark.parametrize(
    ("opcode", "scale", "paths"),
    [
        ("LESS", 0.03, ["LESS/same_quantization"]),
        ("GREATER_EQUAL", 0.03, ["GREATER_EQUAL/same_quantization"]),
        ("LESS", 0.05, []),
        ("EQUAL", 0.03, []),
    ],
)
def test_int16_comparisons_of_order_read_stored_integers(opcode: str, scale: float, paths: list[str]) -> None:
    """LESS compares 20 * 0.05 with 30 * 0.03 as 20 < 30; EQUAL rescales."""
    x, y = (run_time(name, S, "int16", qparams(step, 0)) for name, step in (("x", 0.05), ("y", scale)))
    found = validate(one_operator(opcode, [x, y], [run_time("z", S, "bool")])).findings
    assert [(f.path, f.level, f.effect) for f in found] == [(p, "violation", "wrong results") for p in paths]


@pytest.mark.parametrize(("value", "level"), [(127, None), (200, "violation")])
def test_uint8_weights_of_a_hybrid_operator_are_read_as_int8(value: int, level: str | None) -> None:
    weight = constant("w", np.full((4, 16), value, np.uint8), qparams(0.01))
    operands = [run_time("x", (1, 16), "float32"), weight, None]
    found = validate(one_operator("FULLY_CONNECTED", operands, [run_time("y", (1, 4), "float32")], version=9))
    told = [(f.path, f.level, f.effect) for f in found.findings if f.path.endswith("/range")]
    assert told == ([("FULLY_CONNECTED/weight/range", level, "wrong results")] if level else [])


def test_an_operator_that_the_runtime_lacks_fails_to_load() -> None:
    model = plain("GELU", ["int8"], "int8")
    (finding,) = validate(model, [load_profile("tflm")]).findings
    assert (finding.path, finding.effect) == ("GELU/unsupported", "fails to load")
