"""Broadcasting of formulas, and the elements that vector loops compute."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from litecheck.reference.numerics.broadcast import Chunks, apply, chunks, in_vectors


@dataclass(frozen=True)
class Difference:
    """Twice the first operand minus the second: asymmetric, so that swapped operands differ."""

    by: int = 2

    def __call__(self, x: Any, y: Any) -> Any:
        return self.by * x - y


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16"])
@pytest.mark.parametrize(
    "shapes",
    [((), ()), ((3,), (3,)), ((4, 1), (1, 3)), ((2, 3), (3,)), ((1,), (40_000,)), ((130, 1), (1, 127))],
)
def test_a_formula_is_computed_for_every_pair(dtype: str, shapes: tuple[tuple[int, ...], ...]) -> None:
    """A table of all pairs, used from 4,096 8-bit elements on after 65,536 elements, gives the same."""
    random, formula = np.random.default_rng(0), Difference()
    limits = np.iinfo(dtype)
    for _ in range(6 if max(shapes[1], default=0) > 9 else 1):
        x, y = (random.integers(limits.min, limits.max + 1, shape).astype(dtype) for shape in shapes)
        made = apply(formula, x, y, "int32")
        assert made.dtype == np.int32
        assert np.array_equal(made, 2 * x.astype(np.int64) - y.astype(np.int64))
        assert made.shape == np.broadcast_shapes(*shapes)


@pytest.mark.parametrize(
    ("lhs", "rhs", "expected"),
    [
        ((2, 3), (2, 3), Chunks("elementwise", 6)),
        ((2, 3), (3,), Chunks("elementwise", 3)),
        ((3,), (2, 3), Chunks("elementwise", 3)),
        ((2, 3), (1,), Chunks("scalar", 6)),
        ((), (2, 3), Chunks("scalar", 6)),
        ((2, 3), (2, 1), Chunks("scalar", 3)),
        ((4, 1, 3), (1, 5, 3), Chunks("elementwise", 3)),
        ((4, 5, 1), (4, 1, 6), Chunks("scalar", 6)),
        ((2, 1, 2, 1), (1, 2, 1, 2), Chunks("generic", 0)),
        ((7, 2, 1, 6), (7, 1, 5, 6), Chunks("elementwise", 6)),
        ((2, 7, 1), (1, 7, 5), Chunks("scalar", 5)),
    ],
)
def test_runs(lhs: tuple[int, ...], rhs: tuple[int, ...], expected: Chunks) -> None:
    assert chunks(lhs, rhs) == expected


@pytest.mark.parametrize(
    ("length", "block", "expected"),
    [
        (8, 4, [0] * 8),
        (5, 4, [0, 0, 0, 0, 1, 0, 0, 0, 0, 1]),
        (3, 4, [1] * 6),
        (7, 4, [0, 0, 0, 0, 1, 1, 1]),
    ],
)
def test_the_end_of_a_run_is_left_to_the_plain_loop(length: int, block: int, expected: list[int]) -> None:
    body = np.zeros(len(expected), int)
    assert in_vectors(Chunks("elementwise", length), block, body, lambda: body + 1).tolist() == expected


def test_without_a_rest_the_plain_loop_is_not_run() -> None:
    def tail() -> Any:
        raise AssertionError

    for body in (np.zeros(8, int), np.zeros(0, int)):
        assert in_vectors(Chunks("elementwise", 8 if body.size else 3), 4, body, tail) is body
