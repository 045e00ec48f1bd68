"""Measurements in steps: values computed by hand, and None if not applicable."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from litecheck.checks.bound_operator import BoundOperand
from litecheck.checks.context import TensorFacts
from litecheck.model.build import ModelBuilder, Option, qparams
from litecheck.profile.measurements.estimates import ESTIMATES
from litecheck.profile.measurements.measured_operator import Measured, Operands
from litecheck.profile.measurements.registry import measurement

Part = tuple[str, tuple[int, ...], str, float, int]


def measured(name: Any, opcode: str, given: Sequence[Part], output: Part, **options: Option) -> Measured:
    """Measure an operator; a part is role, shape, type, scale (0 for none) and zero point."""
    builder = ModelBuilder("one")
    graph = builder.subgraph("main")
    parts = {
        part[0]: graph.tensor(part[0], part[1], part[2], qparams(part[3], part[4]) if part[3] else None)
        for part in (*given, output)
    }
    *inputs, out = parts.values()
    graph.add(opcode, inputs, [out], **options)
    model = builder.finish()
    main = model.subgraphs[0]
    roles = {role: (main.tensors[index],) for role, index in parts.items()}
    function = measurement(name) if isinstance(name, str) else name
    return function(Operands(main.operators[0], roles, main, model))


@pytest.mark.parametrize(
    ("opcode", "given", "output", "wanted"),
    [
        # 0.5 * 130 + 0.25 * 128, in steps of 0.125, and 5
        ("ADD", [("lhs", (4,), "int8", 0.5, 2), ("rhs", (4,), "int8", 0.25, 0)], ("output", (4,), "int8", 0.125, -5),
         (65 + 32) * 8 + 5),
        ("MUL", [("lhs", (4,), "int8", 0.5, 0), ("rhs", (4,), "int8", 0.25, 0)], ("output", (4,), "int8", 0.125, 0),
         64 * 32 * 8),
        ("BATCH_MATMUL", [("lhs", (2, 3), "int16", 0.5, 0), ("rhs", (3, 4), "int16", 0.5, 0)],
         ("output", (2, 4), "int16", 1.0, 0), 3 * 2**28),
        ("RELU", [("input", (4,), "int16", 0.5, 0)], ("output", (4,), "int16", 0.25, 0), 2**16),
        ("SUM", [("input", (4, 6), "int8", 0.5, 0)], ("output", (4,), "int8", 1.0, 0), 6 * 64),
        # R = 128, m = 1 / 4: 128^2 / 4^2, and 128 * 128 / 4 before the last factor
        ("REDUCE_PROD", [("input", (4, 2), "int8", 0.25, 0)], ("output", (4,), "int8", 1.0, 9), 4096),
        ("QUANTIZE", [("input", (4,), "float32", 0, 0)], ("output", (4,), "int16", 0.25, 0), None),
    ],
)  # fmt: skip
def test_reach(opcode: str, given: Sequence[Part], output: Part, wanted: int | None) -> None:
    found = measured("reach", opcode, given, output)
    assert found is None if wanted is None else float(Fraction(found or 0)) == pytest.approx(wanted)


@pytest.mark.parametrize(
    ("scales", "options", "wanted"),
    [
        ((0.25, 0.125, 0.25), {}, 0),
        ((0.25, 0.125, 0.125), {"pot_scale_int16": True}, 1),
        ((0.125, 0.125, 0.5), {}, -2),
        ((0.25, 0.125, 0.125), {"pot_scale_int16": False}, None),
        ((0.3, 0.125, 0.125), {}, None),
        ((1 / 32767, 1 / 32767, 2 / 32767), {}, -1),
        ((0.25, 0.125, 0.125 * 2**0.0009), {}, 1),
        ((0.25, 0.125, 0.125 * 2**0.0011), {}, None),
    ],
)
def test_power_of_two_gap(
    scales: tuple[float, float, float], options: dict[str, Option], wanted: int | None
) -> None:
    parts = [(role, (4,), "int16", s, 0) for role, s in zip(("lhs", "rhs", "output"), scales, strict=True)]
    assert measured("power_of_two_gap", "ADD", parts[:2], parts[2], **options) == wanted


def test_a_step_of_quotients() -> None:
    given = [("lhs", (4,), "int8", 0.5, 0), ("rhs", (4,), "int8", 0.25, 0)]
    assert measured("quotient_step", "DIV", given, ("output", (4,), "int8", 0.125, 0)) == Fraction(1, 16)
    assert measured("quotient_step", "DIV", given, ("output", (4,), "float32", 0, 0)) is None


@pytest.mark.parametrize(
    ("alpha", "wanted"),
    [(0.5, (127 + 28) * 4), (2.0, 2 * (128 - 28) * 4), (-2.0, 2 * (128 - 28) * 4), (float("nan"), None)],
)
def test_a_slope_below_zero(alpha: float, wanted: int | None) -> None:
    """Zero point -28: 155 steps above it, 100 below; an output step is a quarter of an input step."""
    given = [("input", (4,), "int8", 0.5, -28)]
    output = ("output", (4,), "int8", 0.125, 0)
    assert measured("sloped_reach", "LEAKY_RELU", given, output, alpha=alpha) == wanted
    if alpha == 2.0:  # the same slope as an operand: 64 * 1/32 at most
        slopes = ("alpha", (4,), "int8", 1 / 32, 63 - 127 + 0)
        steepest = Fraction(127 + 64, 32)
        assert measured("sloped_reach", "PRELU", [*given, slopes], output) == 100 * 4 * steepest


def test_quotients_and_roots() -> None:
    given = [("lhs", (4,), "int8", 0.5, 0), ("rhs", (4,), "int8", 0.25, 7)]
    output = ("output", (4,), "int8", 0.125, -9)
    assert measured("quotient_reach", "DIV", given, output) == 64 * 4 * 8 + 9
    root = [("input", (4,), "int8", 0.5, 0)]
    assert measured("root_reach", "SQRT", root, output) == 8 * 8 + 9
    assert measured("inverse_root_reach", "RSQRT", [("input", (4,), "int8", 0.25, 0)], output) == 2 * 8 + 9
    for name in ("root_reach", "inverse_root_reach", "sloped_reach", "quotient_reach", "reach"):
        assert measured(name, "RSQRT", [("input", (4,), "int8", 0.0, 0)], output) is None


def test_the_finest_of_two() -> None:
    given = [("lhs", (4,), "int8", 0.5, 0), ("rhs", (4,), "int8", 0.25, 0)]
    assert measured("finest_scale", "LESS", given, ("output", (4,), "bool", 0, 0)) == Fraction(1, 4)


def test_ratios_of_scales() -> None:
    given = [("input", (4,), "int8", 0.25, 0)]
    assert measured("inverse_scale_ratio", "HARD_SWISH", given, ("output", (4,), "int8", 0.5, 0)) == 2
    assert measured("scale_ratio", "HARD_SWISH", given, ("output", (4,), "int8", 0.5, 0)) == Fraction(1, 2)


def known(operands):
    """Return the operands in the form that estimates read."""
    return {
        role: [BoundOperand(role, None, TensorFacts(t)) for t in ts] for role, ts in operands.roles.items()
    }


@given(
    st.sampled_from(["ADD", "SUB", "MUL"]),
    st.lists(st.floats(2.0**-60, 2.0**60, width=32), min_size=3, max_size=3),
    st.lists(st.integers(-128, 127), min_size=3, max_size=3),
)
def test_an_estimate_is_the_measurement_but_for_the_last_digits(opcode, scales, zeros):
    """A limit settled by an estimate keeps a margin of 2**-40, far more than the estimate may be off."""
    lhs, rhs, output = (
        (role, (4,), "int8", scale, zero)
        for role, scale, zero in zip(("lhs", "rhs", "output"), scales, zeros, strict=True)
    )
    for name, estimate in ESTIMATES.items():
        exact = measured(name, opcode, [lhs, rhs], output)
        near = measured(lambda operands: estimate(opcode, known(operands)), opcode, [lhs, rhs], output)  # noqa: B023
        assert abs(Fraction(near) - exact) <= exact / 2**48
