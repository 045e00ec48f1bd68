"""Values of constants: their ranges, and the reach of a bias relative to the sums that it is added to."""

from __future__ import annotations

import numpy as np
import pytest

from litecheck.profile.operator_plan import Plan
from litecheck.suite.draft_constants import bias_reach, depth, fill_constants, rails, span_of, uniform
from tests.suite.drafted import draft_of, fingerprint


def rng() -> np.random.Generator:
    return np.random.default_rng(2)


def values(plan: Plan, role: str) -> np.ndarray:
    found = plan.operands[role][0].values
    assert found is not None
    return found


def test_uniform_values_include_both_ends() -> None:
    assert np.unique(uniform(rng(), (30, 30), (-3, 4))).tolist() == [*range(-3, 5)]


def test_values_at_both_ends() -> None:
    made = rails(rng(), (100, 100), (-127, 126))
    assert np.unique(made).tolist() == [-127, 126]
    assert 0.48 < (made == -127).mean() < 0.52


@pytest.mark.parametrize(
    ("opcode", "form", "products"),
    [
        ("CONV_2D", "same", 27),  # 3 * 3 * 3
        ("CONV_2D", "grouped", 18),  # 3 * 3 * 2, the channels of a single group
        ("DEPTHWISE_CONV_2D", "same", 9),  # 3 * 3, a single channel
        ("FULLY_CONNECTED", "rows", 35),
        ("ADD", "same", 1),
        ("SVDF", "plain", 5),
    ],
)
def test_products_of_one_output(opcode: str, form: str, products: int) -> None:
    draft = draft_of(opcode, form)
    assert depth(draft, draft.plan) == products


@pytest.mark.parametrize(
    ("opcode", "kind", "profile", "reach"),
    [
        ("CONV_2D", "int8", "litert-runtime", 2**14 * 27**0.5 / 2),
        ("CONV_2D", "int16", "litert-int16x8", 2**22 * 27**0.5 / 2),
        ("ADD", "int8", "litert-runtime", 2**13),
    ],
)
def test_reach_of_a_bias(opcode: str, kind: str, profile: str, reach: float) -> None:
    """Half of the standard sum of products of full range: 2^7 * 2^7 * sqrt(27) / 2 = 42,566 for int8."""
    draft = draft_of(opcode, "", kind, profile)
    assert bias_reach(draft, draft.plan) == int(reach)


def test_the_reach_of_a_bias_is_bounded() -> None:
    """An accumulator of int32 keeps room for the sums: 2^28 at most."""
    draft = draft_of("FULLY_CONNECTED", "long", "int16", "litert-int16x8")
    wide = draft.plan.edit("weight", lambda t: t.holding(np.zeros((7, 90_000)), "int8"))
    assert bias_reach(draft, wide) == 2**28


def test_ranges() -> None:
    """Weights are symmetric, data are not; a divisor is above its zero point, a root's operand not below."""
    conv = draft_of("CONV_2D")
    assert span_of(conv, "weight", conv.plan.operands["weight"][0]) == (-127, 127)
    assert span_of(conv, "input", conv.plan.operands["input"][0]) == (-128, 127)
    for opcode, least in (("RSQRT", 10), ("LOG", 11)):
        draft = draft_of(opcode)
        kind = draft.facts.inputs["input"]
        tensor = draft.plan.operands["input"][0].with_zero_point(10)
        assert kind in ("positive", "non-negative")
        assert span_of(draft, "input", tensor) == (10 + (kind == "positive"), 127), least


def test_filled_constants() -> None:
    """Weights use -127 to 127, biases their reach. Tensors with values keep them."""
    draft = draft_of("CONV_2D", "deep")
    plan = fill_constants(draft, draft.plan, rng())
    weight, bias = values(plan, "weight"), values(plan, "bias")
    assert (weight.min(), weight.max()) == (-127, 127)
    assert np.abs(bias).max() <= bias_reach(draft, draft.plan)
    assert plan.operands["input"][0].values is None
    assert values(fill_constants(draft, draft.plan, rng(), rails), "weight").min() == -127
    again = fill_constants(draft, plan.edit("bias", lambda t: t.but(name="other")), rng())
    assert (values(again, "bias") == bias).all()


def test_biases_of_both_signs_reach_far() -> None:
    draft = draft_of("CONV_2D", "pointwise")
    bias = values(fill_constants(draft, draft.plan, rng()), "bias") / bias_reach(draft, draft.plan)
    assert bias.min() < -0.8
    assert 0.8 < bias.max() <= 1


def test_reals_of_constants() -> None:
    """Float operators get normally distributed constants, those that must be positive are 0.1 at least."""
    draft = draft_of("CONV_2D", "deep")
    floats = draft.plan.edit("weight", lambda t: t.but(dtype="float32"))
    made = values(fill_constants(draft, floats, rng()), "weight")
    assert made.dtype == np.float32
    assert abs(float(made.mean())) < 0.05
    assert 0.95 < float(made.std()) < 1.05


@pytest.mark.parametrize(
    ("opcode", "expected"),
    [("CONV_2D", "8c6bbd4291f7"), ("FULLY_CONNECTED", "4a2df3987160"), ("SVDF", "8aa5068cc78a")],
)
def test_the_same_seed_draws_the_same_values(opcode: str, expected: str) -> None:
    """The same options give the same bytes (docs/suite.md)."""
    draft = draft_of(opcode)
    assert (
        fingerprint(fill_constants(draft, draft.plan, rng()), fill_constants(draft, draft.plan, rng(), rails))
        == expected
    )
