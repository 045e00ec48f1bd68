"""A small model with all content that ``inspect`` shows."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.types import Model
from litecheck.quantization import Blockwise, Custom, MultiAxis, Quantization


def model() -> Model:
    """Return a convolution of 10 channels without bias, an absent operand, a variable, and three unusual
    quantizations."""
    builder = ModelBuilder("made for a test")
    main = builder.subgraph("main")
    x = main.tensor("x", (1, 4, 4, 3), "int8", qparams(0.5, 3), shape_signature=(-1, 4, 4, 3))
    weight = main.constant("weight", np.zeros((10, 1, 1, 3), np.int8), qparams(np.arange(1, 11) / 8, 0, 0))
    y = main.tensor("y", (1, 4, 4, 10), "int8", qparams(0.25, -1))
    state = main.tensor("state", (), "float32", is_variable=True)
    z = main.tensor("z", (2,), "int8", qparams(1.0, [0]))
    u = main.tensor("u", (3,), "int32")
    main.add("CONV_2D", [x, weight, -1], [y], version=3, padding="VALID", stride_w=1, stride_h=2)
    main.add(
        "CUSTOM", [y, y, state], [z, u], custom_code="Acme", custom_options=b"abcde", intermediates=[state]
    )
    main.inputs(x)
    main.outputs(y, z)
    other = builder.subgraph("")
    other.tensor("blocks", (4, 64), "int4", Quantization(details=Blockwise(7, -1, 32)))
    other.tensor("axes", (4, 64), "int4", Quantization(details=MultiAxis(8, -1, 0, (0, 1))))
    other.tensor("custom", (4,), "int8", Quantization(details=Custom(b"ab")))
    other.tensor("halved", (4,), "int8", Quantization(np.array([0.5], np.float32)))
    builder.signature("serve", main, {"image": x}, {"scores": y, "rest": z})
    builder.signature("none", other, {}, {})
    builder.metadata("note", b"hi")
    return replace(builder.finish(), file="a.tflite", member="b.tflite", size=12_345, remarks=("padded",))
