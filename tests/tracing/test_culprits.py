"""Faults of ranges in words, and losses from errors of several samples."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from litecheck.conversion.calibration.dataset import CalibrationData
from litecheck.conversion.calibration.samples import Sample
from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.edit import SubgraphEditor, with_subgraphs
from litecheck.tracing.culprits import loss_of, range_fault
from litecheck.tracing.measures import Errors
from litecheck.tracing.trace_session import trace
from tests.differential.faults import by_tensorflow, traced


def test_a_changed_scale_is_the_culprit_and_not_the_derived_bias() -> None:
    """Only the scale of a tensor is 0.4 times as large: the bias of the next layer has the scale of the old."""
    pair = by_tensorflow("residual")
    main = pair.quantized.subgraphs[0]
    layers = [op for op in main.operators if op.opcode == "CONV_2D"]
    first, second = next((a, b) for a in layers for b in layers if b.inputs[0] == a.outputs[0])
    tensor = main.tensors[first.outputs[0]]
    editor = SubgraphEditor(main)
    smaller = replace(tensor.quantization, scale=tensor.quantization.scale * np.float32(0.4))
    editor.set_tensor(tensor.index, quantization=smaller)
    found = traced(pair, with_subgraphs(pair.quantized, [editor.finish()[0]])).culprits
    assert (found[0].operator, found[0].cause) == (first.index, "output_range")
    assert found[0].detail.endswith(f"the bias of CONV_2D #{second.index} fits a scale 2.5 times as large")
    assert (second.index, "bias") not in [(one.operator, one.cause) for one in found]


@pytest.mark.parametrize("kind", ["FULLY_CONNECTED", "ADD"])
def test_a_range_that_happens_to_be_that_of_an_input(kind: str) -> None:
    """All tensors have the range of the input, as if a single range was given for all, and the sums are larger."""
    rng, models = np.random.default_rng(5), []
    weight, values = rng.uniform(0.5, 1, (8, 8)), rng.uniform(-1, 1, (6, 1, 8)).astype("f4")
    for dtype in ("float32", "int8"):
        main = (builder := ModelBuilder()).subgraph()
        form = qparams(1 / 127) if dtype == "int8" else None
        x, y = (main.tensor(name, (1, 8), dtype, form) for name in "xy")
        stored = weight.astype("f4") if form is None else np.rint(weight * 127).astype("i1")
        held = main.constant("w", stored if kind == "FULLY_CONNECTED" else 2 * stored[0] if form is None else stored[0],
                             None if form is None else qparams((1 if kind == "FULLY_CONNECTED" else 2) / 127))  # fmt: skip
        main.add(kind, [x, held, *((-1,) if kind == "FULLY_CONNECTED" else ())], [y])
        main.inputs(x)
        main.outputs(y)
        models.append(builder.finish())
    data = CalibrationData(lambda: ((Sample({"x": array}),) for array in values), "values", 6)
    (found,) = trace(*models, data=(data,), fix=False, runtime="litecheck").culprits
    assert (found.opcode, found.cause) == (kind, "output_range")
    assert found.detail.startswith("the range -1.01..1 is too ")
    assert "too narrow" in found.detail


@pytest.mark.parametrize(
    ("own", "seen", "fault"),
    [
        ((-1.0, 1.0), (-3.0, 3.0), "the range -1..1 is too narrow for values of -3..3"),
        ((-1.0, 1.0), (-0.9, 3.0), "the range -1..1 is too narrow for values of -0.9..3"),
        ((0.0, 3.5), (0.0, 9.0), "the range 0..3.5 is too narrow for values of 0..9"),
        ((-9.0, 9.0), (-1.0, 2.0), "the range -9..9 is too wide for values of -1..2"),
        ((-40.0, 2.0), (-4.0, 4.0), "the range -40..2 is too wide below and too narrow above for values of -4..4"),
        ((-2.0, 40.0), (-4.0, 4.0), "the range -2..40 is too narrow below and too wide above for values of -4..4"),
        ((-9.0, 1.0), (1.5, 3.0), "the range -9..1 is too wide below and too narrow above for values of 1.5..3"),
    ],
)  # fmt: skip
def test_range_fault(own: tuple[float, float], seen: tuple[float, float], fault: str) -> None:
    assert range_fault(own, seen, 0.01) == fault


@pytest.mark.parametrize(
    ("sums", "decibels", "base"),
    [
        ({"alone": 0.2, "alone_parts": 0.1, "own": 0.0991, "twin": 0.0001}, 20, 0.001),
        ({"alone": 0.1, "stored": 0.0991, "twin_stored": 0.0001}, 20, 0.001),
        ({"alone": 0.2, "alone_parts": 0.0002, "own": 0.0001, "twin": 0.0001}, 0, 0.2),
    ],
    ids=["parts", "storage", "none"],
)
def test_a_loss_is_relative_to_the_rest_of_the_error_on_the_same_samples(
    sums: dict[str, float], decibels: float, base: float
) -> None:
    errors = Errors({name: (1.0, noise, 1) for name, noise in sums.items()})
    bench: Any = SimpleNamespace(errors={0: errors}, part=SimpleNamespace(second=SimpleNamespace(tensors=())))
    fed: Any = SimpleNamespace(other=0, feeds=(), outputs=(), operator=SimpleNamespace(kind="RESHAPE"))
    loss = loss_of(bench, fed)
    assert loss.decibels == pytest.approx(decibels, abs=0.1)
    assert loss.base == pytest.approx(base, rel=0.01)
