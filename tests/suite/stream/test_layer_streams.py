"""Fields of streams of requantization and of dot products, recomputed from their meaning."""

from __future__ import annotations

import numpy as np
import pytest

from litecheck.suite.stream.computations import Candidates, Computation
from litecheck.suite.stream.layer_streams import REQUANTIZED, REQUANTIZED_LATER, SUMMED, SUMMED_LATER
from tests.suite.stream.digests import Fields, batches, digest, fields

#: The same options give the same bytes (docs/stream.md): 18 batches of each stream.
RECORDED = {
    "requantize": "0717faa2ef50",
    "CONV_2D": "ad1b8e685b7e",
    "DEPTHWISE_CONV_2D": "32fdd6c2cf82",
    "FULLY_CONNECTED": "ad1b8e685b7e",
    "TRANSPOSE_CONV": "04d87679543e",
}
DOTS = ("CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED", "TRANSPOSE_CONV")


@pytest.mark.parametrize("name", RECORDED)
def test_the_same_seed_draws_the_same_lines(name: str) -> None:
    """Streams of CONV_2D and FULLY_CONNECTED agree: a line has no place and no row."""
    assert digest(batches(name, 18)) == RECORDED[name]


def multiplier(f: Fields) -> np.ndarray:
    return f["si"] * f["sw"] / f["so"]


def answers(batch: object) -> np.ndarray:
    computed = Computation(batch.probe).answers(Candidates.of(batch.probe).own)  # type: ignore[attr-defined]
    assert computed is not None
    return batch.rows(computed)[:, 0]  # type: ignore[attr-defined,no-any-return]


@pytest.mark.parametrize("name", RECORDED)
def test_answers_follow_from_the_fields(name: str) -> None:
    """An output is y = clip(zo + sum * si * sw / so, low, high), within 1 of exact arithmetic."""
    for batch in batches(name, 9):
        f = fields(batch)
        total = f["acc"] if "acc" in f else f["bias"] + ((f["x"] - f["zi"][:, None]) * f["w"]).sum(axis=1)
        expected = np.clip(f["zo"] + total * multiplier(f), f["low"], f["high"])
        assert np.abs(answers(batch) - expected).max() <= 1.001


@pytest.mark.parametrize("name", RECORDED)
def test_integer_multipliers_are_those_of_the_scales(name: str) -> None:
    """m * 2^(shift - 31) is the multiplier with 31 bits, or 0 below 2^-32."""
    for batch in batches(name, 9):
        f = fields(batch)
        stated = np.ldexp(f["m"].astype(np.float64), f["shift"] - 31)
        assert (np.abs(stated - multiplier(f)) <= np.maximum(multiplier(f) * 2.0**-30, 2.0**-32)).all()


def test_lines_of_batches() -> None:
    """16 short batches show each mistake once; longer batches follow."""
    assert [len(b) for b in batches("requantize", 18)] == [256] * 16 + [16_384] * 2
    assert (REQUANTIZED, REQUANTIZED_LATER) == (256, 16_384)
    assert [len(b) for b in batches("CONV_2D", 18)] == [SUMMED] * 16 + [SUMMED_LATER] * 2


def test_most_accumulators_are_near_ties() -> None:
    """0.7 of the lines are at most 1 away from k or k + 1/2. The remaining lines are at limits of registers or
    random."""
    f = fields(batches("requantize", 1)[0])
    real = f["acc"] * multiplier(f)
    near = np.abs(2 * real - np.rint(2 * real)) <= 3 * multiplier(f)
    assert near.mean() > 0.65
    assert 0.15 < (real % 1 == 0.5).mean() < 0.6


@pytest.mark.parametrize("name", DOTS)
def test_products_of_lines(name: str) -> None:
    """k inputs and k weights; stored inputs are int8, and weights are never -128."""
    depths = set()
    for batch in batches(name, 12):
        f = fields(batch)
        (depth,) = {*f["k"].tolist()}
        depths.add(depth)
        assert f["x"].shape == f["w"].shape == (len(batch), depth)
        assert (f["x"].min() >= -128, f["x"].max() <= 127) == (True, True)
        assert np.abs(f["w"]).max() <= 127
    assert min(depths) < 4 < 256 < max(depths)


def test_only_planes_have_inputs_of_their_own() -> None:
    """A channel of DEPTHWISE_CONV_2D reads its own plane; all channels of CONV_2D read the same window."""
    shared = {
        name: (fields(batches(name, 1)[0])["x"] == fields(batches(name, 1)[0])["x"][:1]).all()
        for name in DOTS
    }
    assert shared == {
        "CONV_2D": True,
        "DEPTHWISE_CONV_2D": False,
        "FULLY_CONNECTED": True,
        "TRANSPOSE_CONV": True,
    }


def test_channels_without_weight() -> None:
    """In every second batch, each eighth channel has only zero weights, so that its sum is its bias."""
    for turn, batch in enumerate(batches("CONV_2D", 8)):
        empty = (fields(batch)["w"] == 0).all(axis=1)
        assert empty[::8].all() == (turn % 2 == 0)


def test_activations_of_streams() -> None:
    """TRANSPOSE_CONV of older versions has no fused activation, so the outputs of its streams are not bounded."""

    def bounds(name: str) -> set[tuple[int, int]]:
        return {(int(fields(b)["low"][0]), int(fields(b)["high"][0])) for b in batches(name, 12)}

    assert bounds("TRANSPOSE_CONV") == {(-128, 127)}
    assert len(bounds("CONV_2D")) > 2


def test_sums_that_come_back() -> None:
    """In batches 2 and 5, products have the same sign, and most lines change it halfway: the largest partial sum is
    not the last."""
    for turn in (2, 5):
        f = fields(batches("CONV_2D", 6)[turn])
        partial = np.abs(np.cumsum(f["x"] * f["w"], axis=1))
        used = partial[:, -1] > 0
        back = partial.max(axis=1) > 1.5 * partial[:, -1]
        assert 0.4 < back[used].mean() < 0.95
