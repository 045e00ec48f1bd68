"""The 8x8_8 LSTM: outputs near the real values, and missing operands."""

from __future__ import annotations

import numpy as np
import pytest

from litecheck.model.build import qparams
from litecheck.reference.kernels.lstm_8x8_8 import NarrowGate, logistic, projection, step, tanh
from litecheck.reference.runtime_tensors import Operand, OutputSpec, RunError

RNG = np.random.default_rng(0)
CELLS, INPUTS, OUTPUTS, SX, SH, SW = 16, 5, 4, 1 / 64, 1 / 100, 1 / 100
SUMS = tuple(OutputSpec("int8", (0,), qparams(s, z)) for s, z in ((2**-11, 0), (1 / 12, 3), (1 / 20, -5)))


def stored(*shape: int, scale: float = SW, zero_point: int = 0) -> Operand:
    return Operand(RNG.integers(-127, 128, shape).astype(np.int8), "int8", qparams(scale, zero_point), True)


def gate() -> tuple[NarrowGate, tuple[Operand, ...]]:
    parts = (stored(CELLS, INPUTS), stored(CELLS, OUTPUTS))
    norm = Operand(RNG.integers(8000, 32767, CELLS).astype(np.int16), "int16", qparams(2.0**-15))
    bias = Operand(RNG.integers(-(2**24), 2**24, CELLS).astype(np.int32), "int32")
    x, h = stored(2, INPUTS, scale=SX, zero_point=7), stored(2, OUTPUTS, scale=SH, zero_point=-9)
    return NarrowGate.of((parts[0], x), (parts[1], h), norm, bias, SUMS), (*parts, norm, bias, x, h)


def real(value: Operand) -> np.ndarray:
    return (value.data.astype(np.float64) - value.zero_point) * float(value.scale)


def test_a_gate_equals_its_normalized_sum() -> None:
    made, (w, r, norm, bias, x, h) = gate()
    total = real(x) @ real(w).T + real(h) @ real(r).T
    normal = (total - total.mean(axis=1, keepdims=True)) / total.std(axis=1, keepdims=True)
    exact = (normal * norm.data + bias.data / 1024) * 2.0**-15
    found = made(x.data.astype(np.int64), h.data.astype(np.int64))
    assert found.dtype == np.float32
    assert np.abs(found - exact).max() < 0.15
    assert (found * 4096 == np.rint(found * 4096)).all()


def test_activations_are_truncated_in_q15() -> None:
    x = np.array([0.0, 1.0, -1.0, 20.0, -20.0], np.float32)
    assert logistic(x).tolist() == [16384, 23955, 8812, 32767, 0]
    assert tanh(x).tolist() == [0, 24955, -24955, 32767, -32768]


def test_a_step_is_near_the_real_cell() -> None:
    gates = tuple(gate()[0] for _ in range(3))
    weights, state = stored(OUTPUTS, CELLS), stored(2, OUTPUTS, scale=SH, zero_point=-9)
    bias = Operand(np.zeros(OUTPUTS, np.int32), "int32")
    made = projection(weights, bias, state, 0)
    x, h = RNG.integers(-128, 128, (2, INPUTS)), RNG.integers(-128, 128, (2, OUTPUTS))
    c = RNG.integers(-(2**15), 2**15, (2, CELLS))
    f, g, o = (q(x, h).astype(np.float64) for q in gates)
    f, g, o = 1 / (1 + np.exp(-f)), np.tanh(g), 1 / (1 + np.exp(-o))
    cell = np.clip(f * c / 2**15 + (1 - f) * g, -1, 1)
    out = np.clip(np.rint((o * np.tanh(cell)) @ real(weights).T / SH) - 9, -128, 127)
    found, kept = step(x, h, c, gates, made, 0)
    assert np.abs(kept / 2**15 - cell).max() < 2e-4
    assert np.abs(found - out).max() <= 1
    assert np.abs(step(x, h, c, gates, made, 100)[1]).max() == 100


def test_missing_operands_are_rejected() -> None:
    _, (w, r, _, bias, x, h) = gate()
    with pytest.raises(RunError, match="needs its layer normalization"):
        NarrowGate.of((w, x), (r, h), None, bias, SUMS)
    with pytest.raises(RunError, match="needs its projection"):
        projection(w, None, h, 0)
