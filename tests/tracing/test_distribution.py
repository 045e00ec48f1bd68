"""Distributions: counts by part of the range, saturation, effective bits of each channel, over several calls."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import litecheck
from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.load import load_model
from litecheck.model.matching import match
from litecheck.tracing.distribution import StoredValues, weights_of

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"


@pytest.mark.parametrize("size", [(1 << 18) + 1, (1 << 17) + 6])
@pytest.mark.parametrize(("dtype", "low"), [("int8", -128), ("uint8", 0)])
def test_pairs_of_bytes_count_like_single_bytes(dtype: str, low: int, size: int) -> None:
    stored = (np.random.default_rng(0).integers(0, 256, size) ** 2 // 256 + low).astype(dtype)
    builder = ModelBuilder()
    main = builder.subgraph()
    x, y = (main.tensor(name, (size,), dtype, qparams(0.5, low + 128)) for name in "xy")
    main.add("NEG", [x], [y])
    model, values = builder.finish().subgraphs[0], StoredValues(dtype)
    values.add(stored)
    found = values.finish(model, model.operators[0], "output", model.tensors[1])
    assert found.counts == tuple(np.histogram(stored, 64, (low, low + 256))[0].tolist())


@pytest.mark.parametrize(
    ("dtype", "calls", "counts", "ends", "bits"),
    [
        ("int8", [[[-128, 0], [-128, 7]]], {0: 2, 32: 1, 33: 1}, (0.5, 0.0), (0.0, 3.0)),
        ("int8", [[[1, 127]], [[2, 124]]], {32: 2, 63: 2}, (0.0, 0.25), (1.0, 2.0)),
        (
            "int8",
            [np.zeros((0, 1, 2)).tolist(), [[1, 127]], [[2, 124]]],
            {32: 2, 63: 2},
            (0.0, 0.25),
            (1.0, 2.0),
        ),
        ("uint8", [[[0, 255]]], {0: 1, 63: 1}, (0.5, 0.5), (0.0, 0.0)),
        ("int16", [[[-32768, 32767]], [[32767, 0]]], {0: 1, 32: 1, 63: 2}, (0.25, 0.5), (16.0, 15.0)),
    ],
)
def test_counts(
    dtype: str, calls: list[list[list[int]]], counts: dict[int, int], ends: tuple[float, float],
    bits: tuple[float, ...],
) -> None:  # fmt: skip
    builder = ModelBuilder()
    main = builder.subgraph()
    x = main.tensor("x", (1, 2), dtype, qparams(0.5, 1))
    y = main.tensor("y", (1, 2), dtype, qparams(0.5, 1))
    main.add("NEG", [x], [y])
    model = builder.finish().subgraphs[0]
    values = StoredValues(dtype)
    for stored in calls:
        values.add(np.array(stored, dtype))
    found = values.finish(model, model.operators[0], "output", model.tensors[y])
    assert {n: count for n, count in enumerate(found.counts) if count} == counts
    assert len(found.counts) == 64
    assert (found.at_low, found.at_high) == ends
    assert found.bits == pytest.approx(bits, abs=0.05)
    assert (found.high - found.low) / 0.5 + 1 == 2 ** (16 if dtype == "int16" else 8)


def test_zeros_of_a_fused_activation_are_not_saturated() -> None:
    builder = ModelBuilder()
    main = builder.subgraph()
    x, y = (main.tensor(name, (1, 2), "int8", qparams(0.5, -128)) for name in "xy")
    main.add("ADD", [x, x], [y], fused_activation_function="RELU")
    model, values = builder.finish().subgraphs[0], StoredValues("int8")
    values.add(np.int8([[-128, 127]]))
    found = values.finish(model, model.operators[0], "output", model.tensors[y])
    assert (found.at_low, found.at_high) == (0.0, 0.5)
    assert found.counts[0] == 1


def test_weights_have_a_resolution_for_each_channel() -> None:
    model = load_model(FIXTURES / "convert" / "separable_int8.tflite")
    found = {one.operator: one for one in weights_of(match(model, model).subgraphs[0])}
    depthwise = next(op for op in model.subgraphs[0].operators if op.opcode == "DEPTHWISE_CONV_2D")
    weight = model.subgraphs[0].tensors[depthwise.inputs[1]]
    assert len(found[depthwise.index].bits) == weight.shape[3]
    assert sum(found[depthwise.index].counts) == weight.size
    assert (found[depthwise.index].low, found[depthwise.index].high) == (-128, 127)


def test_a_trace_has_outputs_and_weights() -> None:
    found = litecheck.trace(
        FIXTURES / "convert" / "residual.tflite",
        FIXTURES / "convert" / "residual_int8.tflite",
        random=2,
        fix=False,
    )
    roles = {(one.operator, one.role) for one in found.distributions}
    assert {(row.operator, "output") for row in found.operators} <= roles
    assert {operator for operator, role in roles if role == "weight"} == {0, 1, 2, 4, 9}
    first = next(one for one in found.distributions if (one.operator, one.role) == (0, "output"))
    row = found.operators[0]
    assert row.saturated == pytest.approx(first.at_low + first.at_high)
