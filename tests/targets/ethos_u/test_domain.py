"""Unverified operators: their form, the summary, the gate, and the confirmation by the compiler."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from litecheck.checks.compilation import compilers_of, with_compiler_reports
from litecheck.checks.validate import validate
from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.types import Model
from litecheck.placement import CompilerReport
from litecheck.profile.load import load_profile
from litecheck.rendering.validation.targets import place_text, target_text
from litecheck.report import Report

U85 = load_profile("ethos-u85")


def added(shape: tuple[int, ...] = (1, 4, 4, 8), dtype: str = "int8", scale: float = 0.5) -> Model:
    builder = ModelBuilder()
    main = builder.subgraph()
    x, y, z = (main.tensor(name, shape, dtype, qparams(scale)) for name in "xyz")
    main.add("ADD", [x, y], [z])
    main.inputs(x, y)
    main.outputs(z)
    return builder.finish()


def computed_weights() -> Model:
    builder = ModelBuilder()
    main = builder.subgraph()
    x = main.tensor("x", (1, 8), "int8", qparams(0.5))
    w = main.tensor("w", (4, 8), "int8", qparams(0.25))
    b = main.constant("b", np.zeros(4, np.int32), qparams(0.125))
    y = main.tensor("y", (1, 4), "int8", qparams(0.5))
    main.add("FULLY_CONNECTED", [x, w, b], [y])
    main.inputs(x, w)
    main.outputs(y)
    return builder.finish()


@pytest.mark.parametrize(
    ("model", "reason"),
    [
        (added(), ""),
        (added(dtype="int16"), ""),
        (added(dtype="uint8"), ""),
        (added((1, 1, 1, 4, 4, 8)), "rank 6"),
        (added(dtype="int32"), "int32 lhs"),
        (added(scale=2.0**20), "lhs with scale 1.04858e+06"),
        (computed_weights(), "weight is computed"),
    ],
)
def test_a_form_that_was_not_compared_is_unverified(model: Model, reason: str) -> None:
    (target,) = validate(model, [U85]).targets
    (operator,) = target.operators
    assert operator.place == "npu"
    assert operator.unverified == reason
    assert len(target.unverified) == bool(reason)


def test_the_summary_and_the_place_name_the_reason() -> None:
    (target,) = validate(added((1, 1, 1, 4, 4, 8)), [U85]).targets
    assert target_text(target).startswith(
        "1 on the NPU; 1 of them unverified: ADD #0 (rank 6); 1 NPU partition"
    )
    assert place_text(target.operators[0]) == "NPU, partition 1, unverified (rank 6)"


def gate(model: Model, compiler: CompilerReport | None = None) -> tuple[bool, str]:
    report = validate(model, [U85])
    targets = tuple(replace(target, compiler=compiler) for target in report.targets)
    run = Report("1", (replace(report, targets=targets),), "violation", False, (), True, None, ())
    (found,) = run.gates(run.models[0])
    return found.kept, found.found


def test_the_gate_fails_unless_the_compiler_confirms() -> None:
    unverified = added((1, 1, 1, 4, 4, 8))
    told = "0 operators stay on the CPU, 1 operator on the NPU unverified"
    assert gate(added()) == (True, "0 operators stay on the CPU")
    assert gate(unverified) == (False, told)
    confirmed = CompilerReport("vela", "", (), 1, 0, {})
    assert gate(unverified, confirmed) == (True, "0 operators stay on the CPU")
    assert gate(unverified, replace(confirmed, ending="it crashed")) == (False, told)
    (target,) = validate(unverified, [U85]).targets
    elsewhere = tuple(replace(op, place="cpu") for op in target.operators)
    assert gate(unverified, replace(confirmed, otherwise=elsewhere)) == (False, told)


def test_vela_confirms_an_operator_of_six_dimensions() -> None:
    pytest.importorskip("ethosu.regor", reason="ethos-u-vela is not installed")
    model = added((1, 1, 1, 4, 4, 8))
    report = with_compiler_reports(compilers_of([U85]), model, validate(model, [U85]))
    assert report.targets[0].unverified == ()
