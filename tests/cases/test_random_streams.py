"""Streams of many seeds equal the streams of numpy's generators for each seed."""

from __future__ import annotations

import numpy as np
import pytest

from litecheck.cases.random_streams import OneStream, SeededStreams

NUMBERS = np.array([*range(1, 40), 1000, 70_000])


@pytest.mark.parametrize("key", [(0, 7), (5, 2**62 + 1), (2**40, 3, 2**33), (1,)])
def test_streams_equal_generators(key: tuple[int, ...]) -> None:
    """Bounds near 3 x 2^30 skip a quarter of the words, bound 1 reads none."""
    dice = np.random.default_rng(0)
    streams, generators = SeededStreams(key, NUMBERS), [np.random.default_rng([*key, n]) for n in NUMBERS]
    for count, most in ((1, 7), (3, 256), (16, 65_536), (0, 5), (40, 3 << 30), (7, (1 << 32) - 1)):
        bounds = dice.integers(1, most, len(NUMBERS), endpoint=True)
        bounds[:5] = 1
        bounds[5:20] = most
        wanted = [g.integers(0, int(bound), count) for g, bound in zip(generators, bounds, strict=True)]
        assert np.array_equal(streams.integers(bounds, count), wanted), (count, most)


def test_one_stream_is_its_generator() -> None:
    stream = OneStream(np.random.default_rng(3))
    wanted = np.random.default_rng(3).integers(0, 9, 5)
    assert np.array_equal(stream.integers(np.array([9]), 5), [wanted])
