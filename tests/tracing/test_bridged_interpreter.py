"""Operators without a kernel: the float model's output replaces theirs, and all further operators are measured."""

from __future__ import annotations

import numpy as np

import litecheck
from litecheck.model.build import ModelBuilder, SubgraphBuilder, qparams
from litecheck.model.types import Model
from litecheck.rendering.tracing.wording import answer


def hybrid(weights: bool) -> Model:
    """Return a TRANSPOSE_CONV with float activations and int8 weights, which has no kernel, and a FULLY_CONNECTED."""
    builder = ModelBuilder()
    main = builder.subgraph()
    x = main.tensor("x", (1, 2, 2, 1), "float32")
    middle, y = main.tensor("middle", (1, 4, 4, 1), "float32"), main.tensor("y", (1, 2), "float32")
    shape = main.constant("shape", np.array([1, 4, 4, 1], np.int32))
    kernel = np.array([[1, -2], [3, 4]], np.int8).reshape(1, 2, 2, 1)
    main.add(
        "TRANSPOSE_CONV",
        [shape, _constant(main, "kernel", kernel, weights), x],
        [middle],
        stride_w=2,
        stride_h=2,
    )
    dense = np.arange(32, dtype=np.int8).reshape(2, 16)
    main.add("FULLY_CONNECTED", [middle, _constant(main, "dense", dense, weights), -1], [y])
    main.inputs(x)
    main.outputs(y)
    return builder.finish()


def _constant(main: SubgraphBuilder, name: str, values: np.ndarray, integers: bool) -> int:
    if integers:
        return main.constant(name, values, qparams(0.5))
    return main.constant(name, values.astype(np.float32) / 2)


def test_an_operator_without_a_kernel() -> None:
    found = litecheck.trace(hybrid(False), hybrid(True), random=3, fix=False)
    assert [(row.opcode, row.alone_snr is None) for row in found.operators] == [
        ("TRANSPOSE_CONV", True),
        ("FULLY_CONNECTED", False),
    ]
    assert found.operators[1].accumulated_snr is not None
    assert found.operators[1].accumulated_snr > 30
    assert len(found.notes) == 1
    assert "the float model's output stands for its output" in found.notes[0]
    assert answer(found).startswith("on random data, no operator loses 3 dB more than it must")
    assert answer(found).endswith("; TRANSPOSE_CONV #0 without a kernel, not measured")
