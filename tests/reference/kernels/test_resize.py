"""Resizing: what is made of sizes that leave no pixels."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from litecheck.model.build import ModelBuilder, quantized
from litecheck.reference.engine.interpreter import run


@pytest.mark.parametrize(
    ("opcode", "size"),
    [
        ("RESIZE_NEAREST_NEIGHBOR", (0, 4)),
        ("RESIZE_NEAREST_NEIGHBOR", (2, 3)),
        ("RESIZE_BILINEAR", (2, 3)),
    ],
)
def test_no_pixels_are_made_silently(opcode: str, size: tuple[int, int]) -> None:
    builder = ModelBuilder("resize")
    main = builder.subgraph("main")
    x = main.tensor("x", (1, 2, 2, 1), "int8", quantized(0.5, 0))
    to = main.constant("size", np.array(size, np.int32))
    y = main.tensor("y", (1, *size, 1), "int8", quantized(0.5, 0))
    main.add(opcode, [x, to], [y])
    main.inputs(x)
    main.outputs(y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        made = run(builder.finish(), (np.ones((1, 2, 2, 1), np.int8),)).outputs["y"]
    assert made.shape == (1, *size, 1)
    assert (made == 1).all()


@pytest.mark.parametrize("dtype", ["int8", "float32"])
@pytest.mark.parametrize("opcode", ["RESIZE_NEAREST_NEIGHBOR", "RESIZE_BILINEAR"])
def test_an_empty_output_needs_no_pixels(opcode: str, dtype: str) -> None:
    builder = ModelBuilder("resize")
    main = builder.subgraph("main")
    stated = quantized(0.5, 0) if dtype == "int8" else None
    x, to = main.tensor("x", (2, 0, 3, 1), dtype, stated), main.constant("size", np.int32([4, 0]))
    y = main.tensor("y", (2, 4, 0, 1), dtype, stated)
    main.add(opcode, [x, to], [y])
    main.inputs(x)
    main.outputs(y)
    made = run(builder.finish(), (np.ones((2, 0, 3, 1), dtype),)).outputs["y"]
    assert (made.shape, made.dtype) == ((2, 4, 0, 1), dtype)
