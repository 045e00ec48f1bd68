"""TensorFlow's formulas against files that TensorFlow's converter wrote, of both generations: bit for bit."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil, log2
from pathlib import Path

import numpy as np
import pytest

from litecheck import load_profile
from litecheck.conversion.formulas import (
    Generation,
    activation,
    bias_scales,
    cell_scale,
    raise_for_bias,
    store_bias,
    store_weights,
    weight_scales,
)
from litecheck.model.load import load_model
from litecheck.model.stored_values import stored_integers
from litecheck.model.types import Operator, Subgraph, Tensor
from tests.conversion.samples import samples

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures" / "convert"
#: TensorFlow 2.21's new quantizer.
NEW = (
    "separable", "residual", "transpose_conv", "attention", "detection", "mixed_concat", "lstm_unrolled", "streaming",
    "branches", "lstm_fused", "dead_channels",
)  # fmt: skip
RULES = load_profile("litert-runtime").operators


@dataclass(frozen=True)
class Weighted:
    """A weighted operator of a float file, with the corresponding operator of its integer file."""

    weight: Tensor
    bias: Tensor | None
    stored_weight: Tensor
    stored_bias: Tensor | None
    input_scale: float


def weighted(real: Path, stored: Path) -> Iterator[Weighted]:
    """Yield operators with constant float weights, paired by their order in each subgraph."""
    for a, b in zip(load_model(real).subgraphs, load_model(stored).subgraphs, strict=True):
        ours, theirs = (
            [op for op in g.operators if op.opcode in RULES and "weight" in RULES[op.opcode].inputs]
            for g in (a, b)
        )
        assert [op.opcode for op in ours] == [op.opcode for op in theirs]
        for one, other in zip(ours, theirs, strict=True):
            weight, bias = _operand(a, one, "weight"), _operand(a, one, "bias")
            assert weight
            input_ = _operand(b, other, "input")
            stored_weight = _operand(b, other, "weight")
            assert input_
            assert stored_weight
            scale = float(input_.quantization.scale[0])
            yield Weighted(weight, bias, stored_weight, _operand(b, other, "bias"), scale)


def _operand(graph: Subgraph, op: Operator, role: str) -> Tensor | None:
    at = RULES[op.opcode].inputs.index(role)
    tensor = op.inputs[at] if at < len(op.inputs) else -1
    return graph.tensors[tensor] if tensor >= 0 else None


def differences(real: Path, stored: Path, generation: Generation) -> Counter[str]:
    """Count different scales and integers, all compared values, and raised scales."""
    count: Counter[str] = Counter()
    for pair in weighted(real, stored):
        q = pair.stored_weight.quantization
        axis = q.axis if q.scale.size > 1 else None
        values = stored_integers(pair.weight)
        assert values is not None
        scales = weight_scales(values, axis, generation)
        if pair.bias is not None and pair.stored_bias is not None:
            bias = stored_integers(pair.bias)
            raised = raise_for_bias(scales, bias, pair.input_scale, generation)
            scales, kind = raised.weights, pair.stored_bias.dtype
            count["raised"] += int(raised.changed.sum())
            count["bias scales"] += int((raised.bias != pair.stored_bias.quantization.scale).sum())
            count["biases"] += int(
                (store_bias(bias, raised.bias, kind) != stored_integers(pair.stored_bias)).sum()
            )
        integers = store_weights(values, scales, axis, generation)
        count["scales"] += int((scales != q.scale).sum())
        count["weights"] += int((integers != stored_integers(pair.stored_weight)).sum())
        count["compared"] += integers.size
    return count


def _wrong(count: Counter[str]) -> dict[str, int]:
    return {name: count[name] for name in ("scales", "weights", "bias scales", "biases") if count[name]}


@pytest.mark.parametrize("name", NEW)
def test_the_new_quantizer_is_met_bit_for_bit(name: str) -> None:
    count = differences(FIXTURES / f"{name}.tflite", FIXTURES / f"{name}_int8.tflite", "new")
    assert count["compared"] > 20
    assert _wrong(count) == {}


def test_weights_under_raised_scales_are_met_slip_included() -> None:
    files = FIXTURES / "raised.tflite", FIXTURES / "raised_int8.tflite"
    count = differences(*files, "verbatim")
    assert (count["compared"], count["raised"]) == (9 * 32, 7)
    assert _wrong(count) == {}
    # Five layers of 32 weights each: a few are small enough to be the same integer all the same.
    assert _wrong(differences(*files, "new")).keys() == {"weights"}
    assert _wrong(differences(*files, "new"))["weights"] > 4 * 32


@pytest.mark.parametrize("form", ["old_int8", "int16x8"])
def test_the_old_quantizer_is_met_bit_for_bit(form: str) -> None:
    real, stored = FIXTURES / "dead_channels.tflite", FIXTURES / f"dead_channels_{form}.tflite"
    count = differences(real, stored, "old")
    assert count["raised"] >= 20
    assert _wrong(count) == {}


@pytest.mark.parametrize(("form", "generation"), [("int8", "old"), ("old_int8", "new"), ("int16x8", "new")])
def test_the_other_generation_differs(form: str, generation: Generation) -> None:
    count = differences(
        FIXTURES / "dead_channels.tflite", FIXTURES / f"dead_channels_{form}.tflite", generation
    )
    assert count["scales"] >= 10
    assert count["biases"] >= 8
    assert count["weights"] >= (0 if form == "int16x8" else 3)


def test_public_files_of_the_old_generation(models: Path) -> None:
    """The image classifier of MLPerf Tiny; a single of its 77,360 weights distinguishes the generations."""
    files = models / "pretrainedResnet.tflite", models / "pretrainedResnet_quant.tflite"
    assert _wrong(differences(*files, "old")) == {}
    assert _wrong(differences(*files, "new")) == {"weights": 1}


def test_the_public_autoencoder(models: Path, conversion: Path) -> None:
    """Each tensor has a single scale, and none is raised, so both generations give the same integers."""
    for generation in ("old", "new"):
        count = differences(conversion / "ad01_fp32.tflite", models / "ad01_int8.tflite", generation)
        assert count["compared"] == 264192
        assert _wrong(count) == {}


@pytest.mark.parametrize(("form", "dtype"), [("int8", "int8"), ("old_int8", "int8"), ("int16x8", "int16")])
def test_activations_of_all_sorts_of_ranges(form: str, dtype: str) -> None:
    seen = {t.name: t.quantization for t in load_model(FIXTURES / "ranges.tflite").subgraphs[0].tensors}
    stored = load_model(FIXTURES / f"ranges_{form}.tflite").subgraphs[0].tensors
    expected = {t.name: (t.quantization.scale[0], int(t.quantization.zero_point[0])) for t in stored}
    generation: Generation = "new" if form == "int8" else "old"
    ours = {
        name: activation(float(q.minimum[0]), float(q.maximum[0]), dtype, generation)
        for name, q in seen.items()
        if name in expected
    }
    assert len(ours) == 120
    assert {name: (ours[name], expected[name]) for name in ours if ours[name] != expected[name]} == {}


@pytest.mark.parametrize(
    ("low", "high", "scale", "zero"),
    [(5, 5, 5 / 255, -128), (-3, -3, 3 / 255, 127), (0, 0, 7.843137e-09, 0), (-1, 1, 2 / 255, -1)],
)
def test_a_range_is_extended_to_hold_zero(low: float, high: float, scale: float, zero: int) -> None:
    assert activation(low, high) == (np.float32(scale), zero)


@pytest.mark.parametrize("largest", [1.0, 0.5, 0.50001, 0.3, 1.0000001, 7.9, 8.0, 1e-4])
def test_a_cell_state_has_the_smallest_sufficient_power_of_two(largest: float) -> None:
    assert cell_scale(largest) == 2.0 ** ceil(log2(np.float32(largest))) / 32768


def _lstm(weights: list[np.ndarray | None], sequences: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Return hidden and cell states of every step of an LSTM, carried from sequence to sequence as TensorFlow
    calibrates."""
    hidden, cell = np.zeros(8), np.zeros(8)
    seen = []
    for x in np.concatenate(sequences):
        gates = [weights[1 + k] @ x + weights[5 + k] @ hidden + weights[12 + k] for k in range(4)]
        into, forget, out = (1 / (1 + np.exp(-gates[k])) for k in (0, 1, 3))
        cell = forget * cell + into * np.tanh(gates[2])
        hidden = out * np.tanh(cell)
        seen.append((hidden, cell))
    return np.array([h for h, _ in seen]), np.array([c for _, c in seen])


def test_a_fused_lstm_gets_power_of_two_cells_and_biases_in_steps_of_the_input() -> None:
    (real,), (stored,) = (
        load_model(FIXTURES / f"lstm_fused{form}.tflite").subgraphs for form in ("", "_int8")
    )
    floats = [stored_integers(real.tensors[t]) if t >= 0 else None for t in real.operators[0].inputs]
    lstm = [stored.tensors[t] if t >= 0 else None for t in stored.operators[0].inputs]
    hidden, cells = _lstm(floats, [s["sequence"][0] for s in samples("lstm_fused")])
    assert lstm[19].quantization.scale == [cell_scale(float(np.abs(cells).max()))]
    scale, zero = activation(float(hidden.min()), float(hidden.max()))
    assert lstm[18].quantization.scale[0] == pytest.approx(scale, rel=1e-6)
    assert lstm[18].quantization.zero_point == [zero]
    for k in range(1, 9):
        own = weight_scales(floats[k], None)
        assert lstm[k].quantization.scale == own
        assert (store_weights(floats[k], own, None) == stored_integers(lstm[k])).all()
    for k in range(12, 16):
        steps = bias_scales(float(lstm[0].quantization.scale[0]), lstm[k - 11].quantization.scale)
        assert lstm[k].quantization.scale == steps
        assert (store_bias(floats[k], steps) == stored_integers(lstm[k])).all()


def test_a_raised_scale_keeps_weights_right_unless_slips_are_wanted() -> None:
    """With a single scale for all weights, the new quantizer stores weights by their own range beside a raised scale."""
    values, bias = np.float32([[1e-9, -2e-9]]), np.float32([1.0])
    scales = raise_for_bias(weight_scales(values, None), bias, 0.1).weights
    assert (store_weights(values, scales, None) == 0).all()
    assert store_weights(values, scales, None, "verbatim").tolist() == [[64, -127]]
    rows = np.float32([[1e-9, -2e-9], [1, 2]])
    assert (store_weights(rows, np.float32([1e-4, 1]), 0, "verbatim")[0] == 0).all()


@pytest.mark.parametrize(
    ("generation", "dynamic", "stored"), [("new", True, 18), ("new", False, 19), ("old", True, 19)]
)
def test_the_new_quantizer_divides_in_float64_beside_float_activations(
    generation: Generation, dynamic: bool, stored: int
) -> None:
    """The weight is 18.499999 steps, and 18.5 times the scale's float32 reciprocal."""
    weights = np.float32([[0.030793853, 0.21139565], [1, -0.5]])
    scales = weight_scales(weights, 0, generation)
    found = store_weights(weights, scales, 0, generation, dynamic=dynamic)
    assert found.tolist() == [[stored, 127], [127, -64]]


def test_a_bias_saturates() -> None:
    bias = np.float32([1e9, -1e30, 0.4])
    assert store_bias(bias, np.float32([0.1])).tolist() == [2**31 - 1, -(2**31 - 1), 4]
    assert store_bias(bias, np.float32([0.1]), "int64").tolist()[0] == pytest.approx(1e10)


def test_scales_of_a_bias_are_products_rounded_once() -> None:
    scales = np.float32([0.1, 0.3])
    assert bias_scales(0.7, scales).tolist() == [
        float(np.float32(float(np.float32(0.7)) * float(s))) for s in scales
    ]


def test_a_bias_with_a_scale_without_a_float32_reciprocal() -> None:
    scale, bias = np.array([1e-39], np.float32), np.array([0, 1e-38, -1e-38, 1], np.float32)
    steps = np.trunc(bias[1] / np.float64(scale[0]) + 0.5)
    assert store_bias(bias, scale).tolist() == [0, steps, -steps, 2**31 - 1]
