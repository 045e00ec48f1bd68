"""Scales and zero points that a rule leaves open, computed by hand from the rules of litert-runtime and
litert-int16x8."""

from __future__ import annotations

import numpy as np
import pytest

from litecheck.suite.free_parameters import FreeParameters
from tests.suite.drafted import draft_of

INT8, ZERO = (-128, 127), (0, 0)
DEEP = 2 / 27**0.5 / 128  # a weight of CONV_2D, form same: 3 * 3 * 3 products


def of(opcode: str, kind: str = "int8", profile: str = "litert-runtime") -> FreeParameters:
    return FreeParameters(draft_of(opcode, "", kind, profile))


@pytest.mark.parametrize(
    ("opcode", "scales", "zeros"),
    [
        ("CONV_2D", "input weight output", {"input": INT8, "weight": ZERO, "bias": ZERO, "output": INT8}),
        ("CONCATENATION", "values output", {"values": INT8, "output": INT8}),
        ("SOFTMAX", "input", {"input": INT8, "output": (-128, -128)}),
        (
            "SVDF",
            "input weights_feature weights_time state output",
            {
                "input": INT8, "weights_feature": ZERO, "weights_time": ZERO, "bias": ZERO, "state": ZERO,
                "output": (-128, -128),
            },
        ),
        ("GATHER", "input output", {"input": INT8, "indices": ZERO, "output": INT8}),
        ("WHERE", "", {"condition": ZERO, "output": ZERO}),
    ],
)  # fmt: skip
def test_open_parameters(opcode: str, scales: str, zeros: dict[str, tuple[int, int]]) -> None:
    """A bias scale follows from those of input and weight, the output of SOFTMAX is 1/256 from -128."""
    freedom = of(opcode)
    assert freedom.scales == {*scales.split()}
    assert {role: freedom.zeros(role) for role in zeros} == zeros


def test_int16_has_the_zero_point_0() -> None:
    freedom = of("ADD", "int16", "litert-int16x8")
    assert [freedom.zeros(role) for role in ("lhs", "rhs", "output")] == [ZERO] * 3


def test_roles_that_share_their_parameters() -> None:
    groups = of("SELECT_V2").groups
    data = {"on_true", "on_false", "output"}
    assert [groups[role] for role in ("condition", *sorted(data))] == [{"condition"}, data, data, data]


def test_an_absent_role_has_no_choice() -> None:
    assert FreeParameters(draft_of("CONV_2D", "no-bias")).zeros("bias") == ZERO


@pytest.mark.parametrize(
    ("opcode", "kind", "profile", "bases"),
    [
        # Data have the range -8 to 8. The weights keep a sum of 27 products between -2 and 2 times the data.
        ("CONV_2D", "int8", "litert-runtime", {"input": [8 / 128], "weight": [DEEP] * 5, "output": [8 / 128]}),
        ("CONV_2D", "int16", "litert-int16x8", {"input": [8 / 32768], "weight": [DEEP] * 5}),
        # Time weights (4, 3) are int16 and have 3 products; the 16-bit state has the range -8 to 8.
        (
            "SVDF", "int8", "litert-runtime",
            {
                "weights_feature": [2 / 5**0.5 / 128], "weights_time": [2 / 3**0.5 / 32768], "state": [8 / 32768],
            },
        ),
    ],
)  # fmt: skip
def test_scales_of_a_few_units(opcode: str, kind: str, profile: str, bases: dict[str, list[float]]) -> None:
    freedom = of(opcode, kind, profile)
    assert {role: freedom.base(role).tolist() for role in bases} == {
        role: pytest.approx(stated) for role, stated in bases.items()
    }


def test_scales_that_must_be_powers_of_two() -> None:
    """TANH on int16 needs a power of two; another scale is replaced by the nearest power."""
    freedom = of("TANH", "int16", "litert-int16x8")
    for role in freedom.powers:
        assert np.log2(freedom.base(role)) % 1 == 0
        assert freedom._scale(role, lambda role, base: 0.3).tolist() == 0.25
    assert of("CONV_2D").powers == frozenset()
    assert of("CONV_2D")._scale("input", lambda role, base: 0.3) == 0.3


def test_moved_parameters() -> None:
    """A group shares a scale and zero point. Zero points stay in their range, and the bias scale follows."""
    concatenation = of("CONCATENATION").move_parameters(lambda role, base: base * 2, lambda role, span: 1000)
    found = [(t.scale.tolist(), t.zero_point.tolist()) for ts in concatenation.operands.values() for t in ts]
    assert found == [([0.125], [127])] * 3
    conv = of("CONV_2D").move_parameters(
        lambda role, base: base * (4 if role == "input" else 1), lambda role, span: -1000
    )
    tensors = {role: ts[0] for role, ts in conv.operands.items()}
    assert tensors["input"].scale.tolist() == [0.25]
    assert tensors["weight"].scale == pytest.approx([DEEP] * 5)
    assert tensors["bias"].scale == pytest.approx([0.25 * DEEP] * 5)
    assert [int(t.zero_point[0]) for t in tensors.values()] == [-128, 0, 0, -128]


def test_roles_without_freedom_keep_their_parameters() -> None:
    plan = of("SOFTMAX").move_parameters(lambda role, base: base * 3, lambda role, span: span[1])
    assert plan.operands["output"][0].scale.tolist() == [1 / 256]
    assert plan.operands["output"][0].zero_point.tolist() == [-128]
    assert plan.operands["input"][0].zero_point.tolist() == [127]


def test_a_plan_that_keeps_all_limits_needs_no_repair() -> None:
    freedom = of("CONV_2D")
    assert freedom.repair_plan(freedom.draft.plan) is freedom.draft.plan
