"""Operators of a quantized model that read another tensor than the float operator."""

from __future__ import annotations

import numpy as np

from litecheck.conversion.calibration.dataset import CalibrationData
from litecheck.conversion.calibration.samples import Sample
from litecheck.model.build import ModelBuilder, quantized
from litecheck.model.types import Model
from litecheck.quantization import Quantization
from litecheck.tracing.trace_result import Trace
from litecheck.tracing.trace_session import trace

RNG = np.random.default_rng(3)
WEIGHTS = RNG.integers(-127, 128, (2, 8, 8)).astype(np.int8)
VALUES = RNG.uniform(-1, 1, (6, 1, 8)).astype(np.float32)


def residual(dtype: str, adds: bool = True) -> Model:
    """Return two layers with an ADD between them, which sums the input and the first layer's output."""
    main = (builder := ModelBuilder()).subgraph()

    def form(scale: float) -> Quantization | None:
        return quantized(scale) if dtype == "int8" else None

    steps = {"x": 1 / 127, "h": 4 / 127, "s": 5 / 127, "y": 3 / 127}
    x, h, s, y = (main.tensor(name, (1, 8), dtype, form(step)) for name, step in steps.items())
    for n, (source, made) in enumerate(((x, h), (s if adds else h, y))):
        weight = WEIGHTS[n] if dtype == "int8" else (WEIGHTS[n] / 127).astype(np.float32)
        held = main.constant(f"w{n}", weight, form(1 / 127))
        if n and adds:
            main.add("ADD", [h, x], [s])
        main.add("FULLY_CONNECTED", [source, held, -1], [made])
    main.inputs(x)
    main.outputs(y)
    return builder.finish()


def test_a_lost_layer_is_named_at_the_operator_that_reads_another_tensor() -> None:
    data = CalibrationData(lambda: ((Sample({"x": array}),) for array in VALUES), "values", 6)

    def traced(model: Model) -> Trace:
        return trace(residual("float32"), model, data=(data,), fix=False, runtime="litecheck")

    assert traced(residual("int8")).culprits == ()
    found = traced(residual("int8", adds=False)).culprits[0]
    assert (found.operator, found.cause) == (1, "operands")
    assert found.detail == (
        "its input is the output of FULLY_CONNECTED #0, and the float operator's is the output of ADD #1 of the "
        "float model, which the quantized model lacks"
    )
