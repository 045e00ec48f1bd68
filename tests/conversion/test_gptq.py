"""GPTQ on small matrices: errors of outputs, blocks of columns, and correlated inputs."""

from __future__ import annotations

import numpy as np
import pytest

from litecheck.conversion import gptq


def moments_of(columns: int, rank: int) -> np.ndarray:
    """Return x^T x of 400 inputs that are mixtures of ``rank`` values."""
    draw = np.random.default_rng(7)
    x = draw.standard_normal((400, rank)) @ draw.standard_normal((rank, columns))
    moments: np.ndarray = x.T @ x
    return moments


def output_error(weights: np.ndarray, stored: np.ndarray, scales: np.ndarray, moments: np.ndarray) -> float:
    error = stored * scales - weights
    return float(np.einsum("oi,ij,oj->", error, moments, error))


def test_the_second_of_two_equal_inputs_gets_the_error_of_the_first() -> None:
    weights, scales = np.array([[0.4, 0.4]]), np.ones((1, 1))
    assert gptq.gptq_integers(weights, scales, np.ones((2, 2)), 7).tolist() == [[0, 1]]
    assert gptq.gptq_integers(weights, scales, np.eye(2), 7).tolist() == [[0, 0]]


@pytest.mark.parametrize("columns", [24, gptq.BLOCK, 2 * gptq.BLOCK + 9])
def test_the_error_of_the_outputs_is_less_than_half(columns: int) -> None:
    weights = np.random.default_rng(1).standard_normal((6, columns))
    scales = np.abs(weights).max(axis=1, keepdims=True) / 7
    moments = moments_of(columns, 12)
    nearest = np.rint(weights / scales)
    stored = gptq.gptq_integers(weights, scales, moments, 7)
    assert np.abs(stored).max() <= 7
    assert output_error(weights, stored, scales, moments) < 0.5 * output_error(
        weights, nearest, scales, moments
    )


def test_blocks_of_columns_only_save_time(monkeypatch: pytest.MonkeyPatch) -> None:
    weights = np.random.default_rng(2).standard_normal((4, 40))
    scales = np.repeat(np.abs(weights).reshape(4, 2, 20).max(axis=2) / 7, 20, axis=1)
    moments = moments_of(40, 10)
    whole = gptq.gptq_integers(weights, scales, moments, 7)
    monkeypatch.setattr(gptq, "BLOCK", 3)
    assert np.array_equal(gptq.gptq_integers(weights, scales, moments, 7), whole)


def test_values_saturate_and_the_columns_behind_follow() -> None:
    """10 is stored as 7. The next column has the equal input and compensates the rest."""
    stored = gptq.gptq_integers(np.array([[10.0, 1.0]]), np.ones((1, 1)), np.ones((2, 2)), 7)
    assert stored.tolist() == [[7, 4]]


@pytest.mark.parametrize("moments", [np.zeros((3, 3)), np.diag([0.0, 1.0, 0.0])])
def test_inputs_that_are_always_0_are_rounded(moments: np.ndarray) -> None:
    stored = gptq.gptq_integers(np.array([[0.6, 1.4, -2.6]]), np.ones((1, 1)), moments, 7)
    assert stored.tolist() == [[1, 1, -3]]


def test_the_factor_of_a_diagonal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gptq, "DAMPING", 0.0)
    assert gptq.inverse_factors(np.diag([4.0, 1.0])).tolist() == [[0.5, 0], [0, 1]]
