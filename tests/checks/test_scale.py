"""Invalid scales by kind and by role: found and required value, reason and impact.

``tests.differential.effects`` measures LiteRT's behavior for each kind. A kind with correct results is a
violation only if it is outside the specification.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from litecheck import load_profile
from litecheck.checks.validate import validate
from litecheck.profile.assemble import assemble
from litecheck.profile.generate.plan_solver import conforming_plan, propagate_parameters, requirements_of
from litecheck.profile.types import ProductOf

CRASHES, DEFAULT, WRONG = "crashes", "rejected by the default interpreter only", "wrong results"
LOAD = "fails to load"
IGNORED, PAGE = "ignored by LiteRT, may matter on hardware", "outside the specification"
VALUES = {"not_a_number": np.nan, "infinite": np.inf, "negative": -0.5, "zero": 0.0, "subnormal": 1e-40}
FOUND = {
    "not_a_number": "scale is nan, not a number",
    "infinite": "scale is inf, infinite",
    "negative": "scale is -0.5, negative",
    "zero": "scale is 0",
    "subnormal": "scale is 1e-40, subnormal",
}
BECAUSE = {
    "not_a_number": "no value can be computed with a NaN scale",
    "infinite": "with an infinite scale every stored integer except the zero point represents infinity",
    "negative": "a scale is the size of a step and cannot be negative",
    "zero": "with scale 0 every stored integer represents 0",
    "subnormal": "multipliers of a subnormal scale underflow, and some hardware treats the scale as 0",
}
WEIGHT = {
    **BECAUSE,
    "zero": "the multiplier of the channel is 0, and its output is always the zero point",
    "subnormal": "the multiplier of the channel rounds to 0, and its output is always the zero point",
}
STEP = "the real value of a weight is stored integer * scale"
NORMAL, SOUND = "a finite, normal scale above 0 of {}", "a finite scale above 0 of {}"
PRODUCT = "a scale of {} within 1 ulp of input scale x weight scale"

#: (profile, operator, role, required, reasons, channels): impact and level by kind, in the order of
#: ``VALUES``.
ROWS = {
    ("litert-runtime", "CONV_2D", "input", NORMAL, "activation", False): (DEFAULT,) * 5,
    ("litert-runtime", "CONV_2D", "weight", NORMAL, "weight", True):
        (WRONG, WRONG, PAGE, PAGE, (IGNORED, "note")),
    ("litert-runtime", "CONV_2D", "bias", PRODUCT, "activation", True): (PAGE, PAGE, WRONG, WRONG, None),
    ("litert-runtime", "CONV_2D", "output", NORMAL, "activation", False): (DEFAULT,) * 5,
    ("litert-runtime", "FULLY_CONNECTED", "weight", NORMAL, "weight", True):
        (DEFAULT,) * 5,
    ("litert-runtime", "TRANSPOSE_CONV", "weight", NORMAL, "weight", True):
        (WRONG, WRONG, (IGNORED, "warning"), (IGNORED, "warning"), (IGNORED, "note")),
    ("litert-runtime", "ADD", "lhs", NORMAL, "activation", False):
        (CRASHES, CRASHES, CRASHES, CRASHES, (IGNORED, "note")),
    ("litert-runtime", "MUL", "lhs", NORMAL, "activation", False):
        (DEFAULT, WRONG, PAGE, PAGE, (IGNORED, "note")),
    ("litert-runtime", "EMBEDDING_LOOKUP", "table", NORMAL, "activation", False):
        (WRONG, WRONG, (IGNORED, "warning"), (IGNORED, "warning"), (IGNORED, "note")),
    ("litert-int8", "CONV_2D", "weight", SOUND, "page", True): (PAGE, PAGE, PAGE, PAGE, None),
    ("litert-int16x8", "CONV_2D", "weight", NORMAL, "weight", True):
        (WRONG, WRONG, (IGNORED, "warning"), (IGNORED, "warning"), (IGNORED, "note")),
    ("litert-int16x8", "ADD", "output", NORMAL, "activation", False): (CRASHES,) * 5,
}  # fmt: skip
REASONS = {"activation": BECAUSE, "weight": WEIGHT, "page": dict.fromkeys(VALUES, STEP)}


def scale_findings(profile_name, opcode, change):
    """Return the scale findings of the operator's conforming model after a change."""
    profile = load_profile(profile_name)
    plan = change(conforming_plan(profile, profile.operators[opcode]))
    return [f for f in validate(assemble(plan), [profile]).findings if f.path.endswith("/scale")]


def with_scale(role, at, value):
    """Return a change that sets a single scale of an operand."""

    def change(plan):
        scale = plan.operands[role][0].scale.copy()
        scale[at] = value
        return plan.with_scale(role, scale)

    return change


@pytest.mark.parametrize("row", ROWS, ids=lambda row: "/".join(row[:3]))
def test_each_kind_by_name_with_its_reason_and_effect(row):
    name, opcode, role, required, reasons, channels = row
    for (kind, value), expected in zip(VALUES.items(), ROWS[row], strict=True):
        if expected is None:  # a subnormal scale is valid: it violates the product, or it is above 0
            continue
        effect, level = expected if isinstance(expected, tuple) else (expected, "violation")
        (found,) = scale_findings(name, opcode, with_scale(role, -1, value))
        where = " at channel 3 of 4" if channels else ""
        assert (found.path, found.found) == (f"{opcode}/{role}/scale", FOUND[kind] + where)
        assert (found.required, found.because) == (required.format(role), REASONS[reasons][kind])
        assert (found.effect, found.level) == (effect, level)
        assert found.channels == (1 if channels else None)


def test_a_subnormal_scale_is_above_zero_to_the_page():
    rule = load_profile("litert-int8").operators["CONV_2D"]

    def subnormal(plan):
        return propagate_parameters(plan.with_scale("weight", np.full(4, 1e-40)), requirements_of(rule))

    assert scale_findings("litert-int8", "CONV_2D", subnormal) == []


def test_each_kind_of_invalid_scale_has_its_own_count():
    def spoil(plan):
        return plan.with_scale("weight", [0, np.nan, 0, 0.25])

    zero, nan = sorted(scale_findings("litert-runtime", "CONV_2D", spoil), key=lambda f: f.found)
    assert (zero.found, zero.channels) == ("scale is 0 at channel 0 (2 of 4 channels)", 2)
    assert (nan.found, nan.channels) == ("scale is nan, not a number at channel 1 of 4", 1)


@pytest.mark.parametrize("kind", VALUES)
def test_a_bias_of_an_invalid_weight_scale_has_no_finding(kind):
    requirements = requirements_of(load_profile("litert-runtime").operators["CONV_2D"])
    product = next(r.value for r in requirements if isinstance(r.value, ProductOf))
    assert not any(isinstance(f, Fraction) for f in product.factors)

    def spoil(plan):
        return propagate_parameters(with_scale("weight", 0, VALUES[kind])(plan), requirements)

    assert [f.path for f in scale_findings("litert-runtime", "CONV_2D", spoil)] == ["CONV_2D/weight/scale"]
