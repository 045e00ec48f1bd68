"""Sets of parameters: the intended property of each set on CONV_2D, and operators without the set."""

from __future__ import annotations

import numpy as np
import pytest

from litecheck.profile.operator_plan import Plan
from litecheck.suite.case import LEVELS
from litecheck.suite.free_parameters import FreeParameters
from litecheck.suite.parameter_sets import SETS
from tests.suite.drafted import draft_of, fingerprint

BY_NAME = {s.name: s for s in SETS}
#: Sets that change weights or biases apply only to sums of products with constants.
OF_WEIGHTS = ("zero-channel", "weights-on-rails")
OF_BIASES = ("bias-ties", "bias-near-ties", "bias-ends")


def made(name: str, opcode: str = "CONV_2D", form: str = "", seed: int = 6) -> Plan | None:
    freedom = FreeParameters(draft_of(opcode, form))
    return BY_NAME[name].make(freedom, np.random.default_rng(seed), seed)


def conv(name: str, form: str = "") -> Plan:
    plan = made(name, "CONV_2D", form)
    assert plan is not None
    return plan


def scales(plan: Plan, role: str) -> np.ndarray:
    return plan.operands[role][0].scale.astype(np.float64)


def zero(plan: Plan, role: str) -> int:
    return int(plan.operands[role][0].zero_point[0])


def values(plan: Plan, role: str) -> np.ndarray:
    found = plan.operands[role][0].values
    assert found is not None
    return found.astype(np.int64)


def test_sets() -> None:
    """Names are unique; a smoke suite has plain parameters only, and these are tried on every form."""
    assert len(BY_NAME) == len(SETS)
    assert {s.level for s in SETS} == {*LEVELS}
    assert [s.name for s in SETS if s.level == "smoke"] == ["plain"]
    plain = BY_NAME["plain"]
    assert plain.everywhere and plain.moves and plain.sharp  # noqa: PT018
    assert all(BY_NAME[name].sharp for name in ("powers-of-two", "bias-ties", "bias-near-ties"))
    assert [s.name for s in SETS if s.level == "exhaustive"] == [f"drawn-{n}" for n in range(4, 9)]


def test_plain_parameters() -> None:
    """Scales within exp(0.3) of their base, zero points in the middle half of the type."""
    for seed in range(8):
        plan = made("plain", seed=seed)
        assert plan is not None
        assert np.abs(np.log(scales(plan, "input") / (8 / 128))).max() <= 0.3001
        assert -65 <= zero(plan, "input") <= 64
        assert len({*scales(plan, "weight").tolist()}) == 5


def test_drawn_parameters() -> None:
    """Zero points anywhere, scales up to exp(2.5) from their base."""
    zeros, distances = set(), []
    for seed in range(24):
        plan = made("drawn-1", "ADD", seed=seed)
        assert plan is not None
        zeros.add(zero(plan, "lhs"))
        distances.append(float(np.log(scales(plan, "lhs")[0] / (8 / 128))))
    assert min(zeros) < -80
    assert max(zeros) > 80
    assert max(map(abs, distances)) <= 2.5
    assert max(distances) > 1 > -1 > min(distances)


def test_powers_of_two() -> None:
    plan = conv("powers-of-two")
    for role in ("input", "weight", "output", "bias"):
        assert (np.log2(scales(plan, role)) % 1 == 0).all()


def test_zero_points_at_the_ends() -> None:
    assert [zero(conv("zero-points-low"), role) for role in ("input", "output")] == [-128, -128]
    assert [zero(conv("zero-points-high"), role) for role in ("input", "output")] == [127, 127]
    assert made("zero-points-low", "WHERE") is None
    softmax = made("zero-points-high", "SOFTMAX")
    assert softmax is not None
    assert (zero(softmax, "input"), zero(softmax, "output")) == (127, -128)


def test_stretched_outputs() -> None:
    """The multiplier is 50 or 16,384 times smaller, or 50 times larger, than a multiplier with outputs that fill the
    range."""
    small, smallest, large = (
        float(scales(conv(f"{name}-multipliers"), "output")[0]) for name in ("small", "smallest", "large")
    )
    assert small / large == pytest.approx(2500)
    assert smallest / small == pytest.approx(2**14 / 50)
    assert made("small-multipliers", "SOFTMAX") is None
    assert made("small-multipliers", "RESHAPE") is None


def test_weight_scales_over_decades() -> None:
    weight = scales(conv("scales-over-decades"), "weight")
    assert weight[1:] / weight[:-1] == pytest.approx([10**1.25] * 4)
    assert weight[-1] / weight[0] == pytest.approx(1e5)
    assert made("scales-over-decades", "ADD") is None


def test_weights() -> None:
    """A filter and an input channel without weights; weights of -127 and 127 only."""
    empty = values(conv("zero-channel"), "weight")
    assert (empty[0] == 0).all()
    assert (empty[..., 0] == 0).all()
    assert (empty[1:, ..., 1:] != 0).mean() > 0.9
    assert {*values(conv("weights-on-rails"), "weight").ravel().tolist()} == {-127, 127}


@pytest.mark.parametrize("name", [*OF_WEIGHTS, *OF_BIASES])
def test_sets_that_need_constants(name: str) -> None:
    assert made(name, "ADD") is None
    assert (made(name, form="no-bias") is None) == (name in OF_BIASES)


@pytest.mark.parametrize("name", ["bias-ties", "bias-near-ties"])
def test_biases_between_two_outputs(name: str) -> None:
    """A bias alone is rescaled to k + 1/2 in the range of int8, to the nearest unit of the bias."""
    plan = conv(name, "pointwise")
    multiplier = scales(plan, "bias") / scales(plan, "output")
    real = values(plan, "bias") * multiplier
    assert np.abs(real % 1 - 0.5).max() <= multiplier.max() / 2 * 1.001
    assert -128 <= (real + zero(plan, "output")).min() < -90
    assert 90 < (real + zero(plan, "output")).max() <= 127
    assert (multiplier.max() < 1e-6) == (name == "bias-near-ties")


def test_exact_ties_of_powers_of_two() -> None:
    plan = conv("bias-ties", "pointwise")
    real = values(plan, "bias") * scales(plan, "bias") / scales(plan, "output")
    assert (real % 1 == 0.5).all()


def test_biases_near_the_ends_of_an_accumulator() -> None:
    """Signs alternate, and the size is among the largest that the rule's bound of the accumulator allows."""
    bias = values(conv("bias-ends"), "bias")
    assert np.sign(bias).tolist() == [1, -1, 1, -1, 1]
    assert len({*np.abs(bias).tolist()}) == 1
    assert 2**30 < abs(bias[0]) < 2**31
    draft = draft_of("CONV_2D")
    assert draft.violated_limits(conv("bias-ends")) == ()


@pytest.mark.parametrize(
    ("opcode", "expected"),
    [
        ("CONV_2D", "ef5f7ec33f16"),
        ("FULLY_CONNECTED", "cdc618caaf9b"),
        ("ADD", "9a8fb4454b31"),
        ("CONCATENATION", "4427ff6b9f20"),
    ],
)
def test_the_same_seed_draws_the_same_parameters(opcode: str, expected: str) -> None:
    """The same options give the same bytes (docs/suite.md)."""
    freedom = FreeParameters(draft_of(opcode))
    plans = [s.make(freedom, np.random.default_rng(n), n) for n, s in enumerate(SETS)]
    assert fingerprint(*plans) == expected
