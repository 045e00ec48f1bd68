"""Output scales that fit the computed outputs."""

from __future__ import annotations

import numpy as np
import pytest

from litecheck.profile.operator_plan import Plan
from litecheck.suite.draft_constants import fill_constants
from litecheck.suite.free_parameters import FreeParameters
from litecheck.suite.output_scale import _compute_outputs, fit_output_scale
from tests.suite.drafted import draft_of, fingerprint


def base(opcode: str, form: str = "") -> tuple[FreeParameters, Plan]:
    """Return a draft with values, all scales at their base, zero points in the middle."""
    draft = draft_of(opcode, form)
    freedom = FreeParameters(draft)
    plan = freedom.move_parameters(lambda role, base: base, lambda role, span: sum(span) // 2)
    return freedom, fill_constants(draft, plan, np.random.default_rng(4))


def scale(plan: Plan, role: str = "output") -> float:
    return float(plan.operands[role][0].scale[0])


@pytest.mark.parametrize("opcode", ["CONV_2D", "FULLY_CONNECTED", "ADD", "MUL", "BATCH_MATMUL"])
def test_outputs_reach_both_ends_and_few_are_clipped(opcode: str) -> None:
    """The outputs take 1.08 times the range: some of them saturate at each end, by far not all."""
    freedom, plan = base(opcode)
    for start in (scale(plan) / 300, scale(plan), scale(plan) * 300):
        role = freedom.draft.plan.outputs[0]
        made = fit_output_scale(freedom, plan.edit(role, lambda t, s=start: t.with_scale([s])), 7)  # type: ignore[misc]
        stored = _compute_outputs(freedom, made, role, 7, {})
        assert (stored.min(), stored.max()) == (-128, 127)
        assert ((stored == -128) | (stored == 127)).mean() < 0.2


def test_the_output_scale_is_the_range_of_the_outputs() -> None:
    """The scale is (largest - smallest) / 255 / 1.08, computed at a scale without saturation."""
    freedom, plan = base("ADD")
    wide = plan.edit("output", lambda t: t.with_scale([0.2], 0))
    stored = _compute_outputs(freedom, wide, "output", 7, {}).astype(float)
    expected = (stored.max() - stored.min()) * 0.2 / 255 / 1.08
    assert scale(fit_output_scale(freedom, plan, 7)) == pytest.approx(expected, rel=0.02)


def test_stretched_and_rounded_scales() -> None:
    freedom, plan = base("FULLY_CONNECTED")
    plain = scale(fit_output_scale(freedom, plan, 7))
    assert scale(fit_output_scale(freedom, plan, 7, stretch=50)) == pytest.approx(50 * plain)
    power = scale(fit_output_scale(freedom, plan, 7, power=True))
    assert np.log2(power) % 1 == 0
    assert plain <= power < 2 * plain


@pytest.mark.parametrize("opcode", ["SOFTMAX", "CONCATENATION", "GATHER", "WHERE"])
def test_scales_that_are_fixed_or_shared_with_an_input_stay(opcode: str) -> None:
    freedom, plan = base(opcode)
    assert fit_output_scale(freedom, plan, 7) is plan


def test_a_zero_point_that_cannot_move() -> None:
    """int16 has the zero point 0: the scale covers the larger side, divided by 1.08, so that some outputs saturate."""
    draft = draft_of("ADD", "", "int16", "litert-int16x8")
    freedom = FreeParameters(draft)
    plan = freedom.move_parameters(
        lambda role, base: base * (1.3 if role == "lhs" else 1.1), lambda role, span: 0
    )
    made = fit_output_scale(freedom, plan, 7)
    assert made.operands["output"][0].zero_point.tolist() == [0]
    wide = _compute_outputs(
        freedom, plan.edit("output", lambda t: t.with_scale([0.0011])), "output", 7, {}
    ).astype(float)
    side = max(wide.max() / 32767, -wide.min() / 32768)
    assert scale(made) == pytest.approx(side * 0.0011 / 1.08, rel=1e-3)


def test_outputs_of_a_fused_activation_are_fitted_without_its_bounds() -> None:
    """With RELU6, outputs would be limited to 0 to 6, so the scale is fitted to the sum before the activation."""
    freedom, plan = base("CONV_2D", "same-strided")
    assert plan.options is not None
    assert plan.options["fused_activation_function"] == "RELU6"
    stored = _compute_outputs(freedom, fit_output_scale(freedom, plan, 7), "output", 7, {})
    assert (stored.min(), stored.max()) == (-128, 127)


@pytest.mark.parametrize(
    ("opcode", "expected"),
    [
        ("CONV_2D", "b0c5238936fd"),
        ("ADD", "64e4bdf2d0cc"),
        ("SVDF", "943b351d64c9"),
        ("MUL", "f03733d1bbf3"),
        ("MEAN", "796be7f5f7d8"),
    ],
)
def test_the_same_seed_fits_the_same_scales(opcode: str, expected: str) -> None:
    """The same options give the same bytes (docs/suite.md)."""
    freedom, plan = base(opcode)
    assert (
        fingerprint(fit_output_scale(freedom, plan, 7), fit_output_scale(freedom, plan, 7, 2.0**14))
        == expected
    )
