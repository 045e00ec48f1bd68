"""Multipliers of probes of ties, and the positions of their accumulators."""

from __future__ import annotations

import numpy as np

from litecheck.cases.probes.accumulators import (
    CHANNELS,
    LARGEST,
    draw_multipliers,
    everywhere,
    natural,
    saturating,
    several,
    several_multipliers,
    ties,
    with_ties,
)
from tests.cases.probes.fingerprint import fingerprint


def rng() -> np.random.Generator:
    return np.random.default_rng(3)


def test_kinds_of_multipliers() -> None:
    """Multipliers are powers of two from 2^-22 to 2^-1, all magnitudes below 1/2, or 1 to 4, which need a
    left shift."""
    kinds = dict(several_multipliers(rng(), 5000))
    exponents = np.log2(kinds["ties, multipliers powers of two"])
    assert {*exponents.tolist()} == {*map(float, range(-22, 0))}
    spread = np.log2(kinds["ties"])
    assert -23 <= spread.min() < -22.9
    assert -1.1 < spread.max() <= -1
    assert np.histogram(spread, 22, (-23, -1))[0].min() > 100
    large = kinds["multipliers of 1 and more"]
    assert 1 <= large.min() < 1.01
    assert 3.9 < large.max() <= 4


def test_the_smallest_multiplier_still_makes_ties() -> None:
    """128 steps under 2^-23 need an accumulator of 2^30, the largest that ties are aimed at."""
    assert 128 / draw_multipliers(rng(), 5000).min() <= LARGEST * 1.01
    assert LARGEST < 2**31 - 1


def test_channels_of_ties() -> None:
    """Three probes have a number of channels that leaves 3 beside vectors of 8; two have fewer channels than
    8 and 16."""
    made = list(with_ties(rng(), "FULLY_CONNECTED", lambda c: (np.ones((c, 4), np.int8), (1, 4))))
    channels = [p.subgraph.tensors[p.subgraph.outputs[0]].shape[-1] for p in made]
    assert channels == [CHANNELS] * 3 + [7, 15]
    assert CHANNELS % 8 == 3
    assert [p.name for p in made[3:]] == ["ties, 7 channels", "ties, 15 channels"]


def test_one_multiplier_for_all_channels() -> None:
    one = ties(
        rng(), "FULLY_CONNECTED", "n", (np.ones((50, 4), np.int8), (1, 4)), np.full(50, 0.25), one=True
    )
    weight = one.subgraph.tensors[one.subgraph.operators[0].inputs[1]]
    assert weight.quantization.scale.tolist() == [0.5]  # 0.25 = 0.25 * 0.5 / 0.5
    assert one.accumulators is not None
    assert len({*one.accumulators.ravel().tolist()}) > 20


def test_inputs_of_ties_are_the_zero_point() -> None:
    """All products are zero, so that the accumulator is the bias."""
    made = ties(
        rng(), "FULLY_CONNECTED", "n", (np.ones((50, 4), np.int8), (1, 4)), draw_multipliers(rng(), 50)
    )
    operator = made.subgraph.operators[0]
    zero = made.subgraph.tensors[operator.inputs[0]].quantization.zero_point
    assert {*made.runs[0][0].ravel().tolist()} == {*zero.tolist()}
    bias = made.subgraph.tensors[operator.inputs[2]]
    assert bias.data is not None
    assert made.accumulators is not None
    assert made.accumulators.ravel().tolist() == bias.data.view(np.int32).tolist()


def test_ties_at_every_place_and_channel() -> None:
    """35 positions and 31 channels give full vectors of 4, 8, 16 and 32 elements, and remaining elements."""
    made = list(everywhere(rng(), "CONV_2D", np.full((31, 1, 1, 1), 9, np.int8), (1, 5, 7, 1)))
    assert len(made) == 2
    for each in made:
        assert each.accumulators is not None
        assert each.accumulators.shape == (1, 5, 7, 31)
        bias = each.accumulators - np.arange(-17, 18).reshape(1, 5, 7, 1)
        assert (bias == bias[:, :1, :1]).all()
        weights = each.subgraph.tensors[each.subgraph.operators[0].inputs[1]]
        assert weights.data is not None
        assert {*weights.data.tolist()} == {1}


def test_windows_of_random_values() -> None:
    made = list(natural(rng(), "CONV_2D", np.ones((19, 3, 3, 5), np.int8), 5))
    told = [p.name.removeprefix("random values, ") for p in made]
    assert {t.split(", ")[0] for t in told} == {"SAME", "VALID"}
    assert {t.rpartition(" ")[2] for t in told} == {"NONE", "RELU6", "RELU", "RELU_N1_TO_1"}
    for each in made:
        options = each.subgraph.operators[0].options
        assert options is not None
        stride, dilation = (options.get(n, 1) for n in ("stride_w", "dilation_w_factor"))
        assert (stride, dilation) == (options.get("stride_h"), options.get("dilation_h_factor", 1))
        assert f", stride {stride}, dilation {dilation}, " in each.name


def test_the_same_seed_draws_the_same_probes() -> None:
    """The same options give the same bytes (docs/suite.md)."""
    generator = rng()
    made = [
        *natural(generator, "CONV_2D", np.ones((19, 3, 3, 5), np.int8), 5),
        *several(generator, "CONV_2D", (19, 3, 3, 5), 5),
        *with_ties(generator, "FULLY_CONNECTED", lambda c: (np.ones((c, 4), np.int8), (1, 4))),
        *everywhere(generator, "CONV_2D", np.ones((31, 1, 1, 1), np.int8), (1, 5, 7, 1)),
        *saturating(generator, "FULLY_CONNECTED", lambda d: (11, d), lambda d: (24, d)),
        *saturating(generator, "DEPTHWISE_CONV_2D", lambda _: (1, 5, 5, 11), lambda _: (1, 6, 7, 11), 25),
    ]
    assert fingerprint(made) == "14208f998dc6"
