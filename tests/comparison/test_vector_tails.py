"""Remainders of vector loops are recognized in an output and in several cases; random errors are not."""

from __future__ import annotations

from math import prod

import numpy as np
import pytest

from litecheck.comparison.difference import difference
from litecheck.comparison.types import MismatchCluster
from litecheck.comparison.vector_tails import SharedTail, shared_tail, vector_tails
from litecheck.comparison.wording import gathering_sentence, shared_tail_sentence
from litecheck.model.build import qparams
from litecheck.model.types import Tensor

Shape = tuple[int, ...]


def patterns(shape: Shape, where: np.ndarray, runs: int = 2) -> tuple[MismatchCluster, ...]:
    """Return the patterns of outputs that differ by a random amount where a mask of the flat tensor is True."""
    rng = np.random.default_rng(0)
    out = Tensor(0, "out", "int8", shape, quantization=qparams(0.5, 3))
    reference = [rng.integers(-100, 100, shape).astype(np.int8) for _ in range(runs)]
    off = rng.choice([-3, -1, 1, 2], shape)
    device = [np.where(where.reshape(shape), values + off, values).astype(np.int8) for values in reference]
    return difference(out, reference, device).patterns


def tails(shape: Shape, row: int, vector: int) -> np.ndarray:
    """Return a mask of the last ``row`` % ``vector`` elements of each row."""
    return np.arange(prod(shape)) % row >= row // vector * vector


def test_lengths_that_whole_vectors_leave_over() -> None:
    assert vector_tails(20) == {16: 16}
    assert vector_tails(43) == {40: 8, 32: 32}
    assert vector_tails(32) == {}


@pytest.mark.parametrize(
    ("shape", "row", "vector", "words"),
    [
        (
            (2, 6, 10, 3),
            30,
            16,
            "the last 14 of 30 elements of each row, the tail behind whole vectors of 16",
        ),
        ((2, 5, 9, 3), 27, 16, "the last 11 of 27 elements of each row, the tail behind whole vectors of 16"),
        (
            (1, 9, 7, 11),
            77,
            32,
            "the last 13 of 77 elements of each row, the tail behind whole vectors of 32",
        ),
        (
            (3, 5, 7, 5),
            175,
            16,
            "the last 15 of 175 elements of each row, the tail behind whole vectors of 32",
        ),
    ],
)
def test_rows_of_several_dimensions(shape: Shape, row: int, vector: int, words: str) -> None:
    found = patterns(shape, tails(shape, row, vector))
    assert found[0].pattern == "row tail"
    assert (found[0].held, found[0].count) == (found[0].there, found[0].there)
    assert f"differences lie in {words}, among " in gathering_sentence(found[0])


@pytest.mark.parametrize(("channels", "vector", "left"), [(19, 16, 3), (43, 32, 11), (12, 8, 4), (30, 4, 2)])
def test_rows_of_channels_keep_their_name(channels: int, vector: int, left: int) -> None:
    shape = (1, 6, 5, channels)
    (first, *_) = map(gathering_sentence, patterns(shape, tails(shape, channels, vector)))
    assert f"the last {left} of {channels}" in first
    assert f"the tail behind whole vectors of {vector}" in first


def test_one_wrong_position_that_repeats_is_no_tail() -> None:
    """Element 29 of each row of 30 differs: a single position, independent of the number of rows."""
    shape = (4, 8, 10, 3)
    found = patterns(shape, np.arange(prod(shape)) % 30 == 29, runs=8)
    assert all("row" not in one.pattern for one in found)


@pytest.mark.parametrize("shape", [(2, 6, 10, 3), (1, 9, 7, 11), (3, 5, 7, 5), (2, 3, 4, 5, 7)])
@pytest.mark.parametrize("share", [0.4, 0.05, 0.01])
def test_random_errors_have_no_row_tail(shape: Shape, share: float) -> None:
    for seed in range(60):
        where = np.random.default_rng(seed).random(prod(shape)) < share
        assert not [one for one in patterns(shape, where) if one.pattern == "row tail"], seed


def cases(shapes: list[Shape], dimensions: int, vector: int) -> list[tuple[Shape, np.ndarray]]:
    rows = [prod(shape[-dimensions:]) if dimensions else prod(shape) for shape in shapes]
    return [(s, np.flatnonzero(tails(s, row, vector))) for s, row in zip(shapes, rows, strict=True)]


@pytest.mark.parametrize("vector", [4, 8, 16, 32])
@pytest.mark.parametrize("dimensions", [0, 1, 2])
def test_a_tail_that_cases_share(dimensions: int, vector: int) -> None:
    shapes: list[Shape] = [(1, 5, 7, 67), (3, 71), (2, 3, 37), (1, 3, 3, 43), (1, 1, 1, 99), (2, 61)]
    found = shared_tail(cases(shapes, dimensions, vector))
    assert found == SharedTail(dimensions, vector, 6)


def test_sentences() -> None:
    tail = "the tail behind whole vectors of 16"
    words = "all differences of 12 failing cases lie in the last n % 16 of n"
    assert shared_tail_sentence(SharedTail(1, 16, 12)) == f"{words} channels, {tail}"
    assert shared_tail_sentence(SharedTail(0, 16, 12)) == f"{words} elements of the flat tensor, {tail}"
    assert (
        shared_tail_sentence(SharedTail(2, 16, 12))
        == f"{words} elements of each row of the last 2 dimensions, {tail}"
    )


def test_a_single_case_and_an_element_outside_share_no_tail() -> None:
    several = cases([(1, 5, 7, 67), (3, 71), (2, 3, 37)], 1, 16)
    assert shared_tail(several[:1]) is None
    (shape, flat), *others = several
    assert shared_tail([(shape, np.append(flat, 0)), *others]) is None


def test_random_errors_share_no_tail() -> None:
    shapes: list[Shape] = [(1, 5, 7, 67), (3, 71), (2, 3, 37), (1, 1, 1, 99), (7,), (1, 13)]
    for seed in range(400):
        rng = np.random.default_rng(seed)
        few = [(s, np.sort(rng.choice(prod(s), rng.integers(1, 4), replace=False))) for s in shapes]
        assert shared_tail(few[: 2 + seed % 5]) is None, seed


def test_rows_shorter_than_a_vector_have_no_tail() -> None:
    """All elements of a row of 7 are its last 7 % 16."""
    shapes: list[Shape] = [(3, 7), (2, 5), (4, 4, 3)]
    assert shared_tail([(s, np.arange(prod(s))) for s in shapes]) is None


def test_a_border_without_differences_is_no_tail_of_the_flat_tensor() -> None:
    """The last column of 17 channels does not differ; whole vectors end 12 elements before the end."""
    shape = (1, 6, 7, 17)
    column = np.indices(shape)[2].reshape(-1)
    found = patterns(shape, column < 6, runs=8)
    assert not [one for one in found if one.pattern == "flat tail"]


def test_the_body_of_a_vector_loop_over_the_tensor() -> None:
    shape = (3, 9, 29)
    found = patterns(shape, np.arange(783) < 768)
    assert (found[0].pattern, found[0].outside, found[0].vector) == ("flat tail", True, 32)
