"""Known faults explain an outcome of exactly their device, operator, types, condition and outcome."""

from __future__ import annotations

import numpy as np
import pytest

from litecheck.cases.one_operator import constant, one_operator, run_time
from litecheck.comparison.errata import known_fault
from litecheck.devices.outcome import Outcome
from litecheck.model.build import qparams
from litecheck.model.types import Model


def unary(opcode: str, dtype: str = "int8", size: int = 4, scale: float = 0.5) -> Model:
    """Return an operator over the last dimension, with an index operand that unary operators ignore."""
    given = run_time("x", (2, size), dtype, None if dtype == "float32" else qparams(scale))
    axis = constant("axis", np.array([1], np.int32))
    output = run_time("y", (2, 1), dtype, None if dtype == "float32" else qparams(0.5))
    return one_operator(opcode, [given, axis] if opcode.startswith(("SUM", "REDUCE")) else [given], [output])


def conforming() -> Model:
    """Return an operator that conforms to tflm."""
    given, output = (run_time(name, (2, 4), "int8", qparams(0.5)) for name in "xy")
    return one_operator("RELU", [given], [output])


def matrices() -> Model:
    """Return a product that would match two faults of XNNPACK without their conditions."""
    lhs, rhs = run_time("a", (2, 3, 4, 4), "float32"), run_time("b", (2, 3, 4, 4), "int8", qparams(0.5))
    return one_operator("BATCH_MATMUL", [lhs, rhs], [run_time("y", (2, 3, 4, 4), "float32")])


def test_a_known_fault_has_its_version() -> None:
    assert known_fault("litert:reference", unary("SUM"), Outcome.MISMATCH) == (
        "ai-edge-litert 2.3.0: SUM reads its input and writes its output as uint8, and keeps the int8 zero points"
    )


def test_a_fault_of_several_operators_and_a_device_with_options() -> None:
    model = unary("REDUCE_MIN", "float32", 0)
    assert "empty input" in known_fault("litert:xnnpack,threads=2", model, Outcome.MISMATCH)


def test_only_a_fault_with_a_true_condition_is_reported() -> None:
    told = {r: known_fault(f"litert:{r}", matrices(), Outcome.MISMATCH) for r in ("optimized", "xnnpack")}
    assert ("different matrices" in told["optimized"], "not constant" in told["optimized"]) == (True, False)
    assert ("different matrices" in told["xnnpack"], "not constant" in told["xnnpack"]) == (False, True)


def test_only_a_fault_with_the_same_outcome_is_reported() -> None:
    coarse, fine = unary("HARD_SWISH", scale=100), unary("HARD_SWISH", scale=0.0001)
    told = {(name, o): known_fault("litert:reference", model, o)
            for name, model in (("coarse", coarse), ("fine", fine)) for o in Outcome}  # fmt: skip
    assert "fails to load" in told.pop(("coarse", Outcome.REFUSED))
    assert "2^-9" in told.pop(("fine", Outcome.MISMATCH))
    assert not any(told.values())


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16"])
def test_scales_after_the_first_are_a_known_fault_of_tflm(dtype: str) -> None:
    given = run_time("x", (2, 3), dtype, qparams([0.1, 0.2]))
    model = one_operator("DEQUANTIZE", [given], [run_time("y", (2, 3), "float32")])
    told = {(name, o): known_fault(name, model, o) for name in ("tflm", "litert:reference") for o in Outcome}
    assert told.pop(("tflm", Outcome.MISMATCH)).endswith(
        "applies the scale of the first channel to all channels"
    )
    assert not any(told.values())


def test_a_requirement_of_tflm_explains_a_rejection() -> None:
    told = (
        known_fault("tflm", unary("RELU"), Outcome.REFUSED),
        known_fault("tflm", unary("RELU"), Outcome.CRASHED),
    )
    assert told == ("", "")
    model = one_operator(
        "LSTM", [run_time("x", (1, 4), "int8", qparams(0.5))], [run_time("y", (1, 4), "int8")]
    )
    assert "profile tflm, LSTM/unsupported" in known_fault("tflm", model, Outcome.REFUSED)


def test_a_requirement_of_tflm_explains_wrong_outputs_of_tflm_alone() -> None:
    table = constant("table", np.array([[1, 2], [3, 4]], np.int8), qparams([0.1, 0.2]))
    model = one_operator(
        "EMBEDDING_LOOKUP", [run_time("ids", (3,), "int32"), table], [run_time("y", (3, 2), "float32")]
    )
    told = {(name, o): known_fault(name, model, o) for name in ("tflm", "litert:reference") for o in Outcome}
    assert told.pop(("tflm", Outcome.MISMATCH)) == (
        "profile tflm, EMBEDDING_LOOKUP/table/granularity: the kernel requires int8 rows, and multiplies all rows by a "
        "single scale"
    )
    assert not any(told.values())


@pytest.mark.parametrize(
    ("device", "model"),
    [
        ("litert:optimized", unary("REDUCE_MAX", "float32", 0)),
        ("litert:xnnpack", unary("REDUCE_MAX", "float32", 4)),
        ("litert:reference", unary("SUM", "float32")),
        ("litert:reference", unary("RELU")),
        ("tflm", conforming()),
        ("delegate:/litert:reference", unary("SUM")),
    ],
)
def test_no_fault_of_further_devices_operators_and_types(device: str, model: Model) -> None:
    assert not any(known_fault(device, model, outcome) for outcome in Outcome)
