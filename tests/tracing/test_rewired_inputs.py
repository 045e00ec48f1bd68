"""Operators of a quantized model that read a different tensor from the float operator."""

from __future__ import annotations

import numpy as np
import pytest

from litecheck.conversion.calibration.dataset import CalibrationData
from litecheck.conversion.calibration.samples import Sample
from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.types import Model
from litecheck.quantization import Quantization
from litecheck.tracing.trace_result import Trace
from litecheck.tracing.trace_session import trace

RNG = np.random.default_rng(3)
WEIGHTS = RNG.integers(-127, 128, (2, 8, 8)).astype(np.int8)
VALUES = RNG.uniform(-1, 1, (6, 1, 8)).astype(np.float32)


def residual(dtype: str, adds: bool = True, inserted: str = "") -> Model:
    """Return two layers with an ADD of the input and the first layer's output between them, and an operator of the
    kind ``inserted`` after the ADD."""
    main = (builder := ModelBuilder()).subgraph()

    def form(scale: float) -> Quantization | None:
        return qparams(scale) if dtype == "int8" else None

    steps = {"x": 1 / 127, "h": 4 / 127, "s": 5 / 127, "y": 3 / 127}
    x, h, s, y = (main.tensor(name, (1, 8), dtype, form(step)) for name, step in steps.items())
    for n, (source, made) in enumerate(((x, h), (s if adds else h, y))):
        weight = WEIGHTS[n] if dtype == "int8" else (WEIGHTS[n] / 127).astype(np.float32)
        held = main.constant(f"w{n}", weight, form(1 / 127))
        if n and adds:
            main.add("ADD", [h, x], [s])
        if n and inserted:
            passed = main.tensor("p", (1, 8), dtype, form(steps["s"]))
            main.add(inserted, [source], [passed])
            source = passed
        main.add("FULLY_CONNECTED", [source, held, -1], [made])
    main.inputs(x)
    main.outputs(y)
    return builder.finish()


def traced(model: Model) -> Trace:
    data = CalibrationData(lambda: ((Sample({"x": array}),) for array in VALUES), "values", 6)
    return trace(residual("float32"), model, data=(data,), fix=False, runtime="litecheck")


def test_an_inserted_operator_is_named_with_its_share() -> None:
    found = traced(residual("int8", inserted="RELU"))
    (culprit,) = found.culprits
    assert (culprit.operator, culprit.opcode, culprit.cause) == (2, "RELU", "activation")
    assert (
        culprit.detail == "the float model has no such operator, and it changes the values that it passes on"
    )
    assert culprit.share == pytest.approx(1, abs=0.1)
    assert found.exit_code == 1


def test_a_lost_layer_is_named_at_the_operator_that_reads_another_tensor() -> None:
    assert traced(residual("int8")).culprits == ()
    found = traced(residual("int8", adds=False)).culprits[0]
    assert (found.operator, found.cause) == (1, "operands")
    assert found.detail == (
        "its input is the output of FULLY_CONNECTED #0, and the float operator's is the output of ADD #1 of the "
        "float model, which the quantized model lacks"
    )
