"""Resizing: sizes without pixels, and pixels calculated by hand."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from litecheck.model.build import ModelBuilder, qparams
from litecheck.reference.engine.interpreter import run


@pytest.mark.parametrize(
    ("opcode", "size"),
    [
        ("RESIZE_NEAREST_NEIGHBOR", (0, 4)),
        ("RESIZE_NEAREST_NEIGHBOR", (2, 3)),
        ("RESIZE_BILINEAR", (2, 3)),
    ],
)
def test_sizes_without_pixels_give_no_warnings(opcode: str, size: tuple[int, int]) -> None:
    builder = ModelBuilder("resize")
    main = builder.subgraph("main")
    x = main.tensor("x", (1, 2, 2, 1), "int8", qparams(0.5, 0))
    to = main.constant("size", np.array(size, np.int32))
    y = main.tensor("y", (1, *size, 1), "int8", qparams(0.5, 0))
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
    stated = qparams(0.5, 0) if dtype == "int8" else None
    x, to = main.tensor("x", (2, 0, 3, 1), dtype, stated), main.constant("size", np.int32([4, 0]))
    y = main.tensor("y", (2, 4, 0, 1), dtype, stated)
    main.add(opcode, [x, to], [y])
    main.inputs(x)
    main.outputs(y)
    made = run(builder.finish(), (np.ones((2, 0, 3, 1), dtype),)).outputs["y"]
    assert (made.shape, made.dtype) == ((2, 4, 0, 1), dtype)


def resized(opcode: str, values: list[int], to: int, **options: bool) -> list[int]:
    """Return a row of int8 pixels resized to a different width, and check the same column."""
    made = []
    for shape, size in (((1, 1, len(values), 1), (1, to)), ((1, len(values), 1, 1), (to, 1))):
        builder = ModelBuilder("resize")
        main = builder.subgraph("main")
        x = main.tensor("x", shape, "int8", qparams(0.5, 3))
        y = main.tensor("y", (1, *size, 1), "int8", qparams(0.5, 3))
        main.add(opcode, [x, main.constant("size", np.array(size, np.int32))], [y], **options)
        main.inputs(x)
        main.outputs(y)
        pixels = np.array(values, np.int8).reshape(shape)
        made.append(run(builder.finish(), (pixels,)).outputs["y"].reshape(-1).tolist())
    assert made[0] == made[1]
    return list(made[0])


@pytest.mark.parametrize(
    ("values", "to", "options", "expected"),
    [
        ([0, 100], 4, {}, [0, 50, 100, 100]),
        ([0, 100], 3, {"align_corners": True}, [0, 50, 100]),
        ([0, 100], 1, {"align_corners": True}, [0]),
        ([0, 100], 4, {"half_pixel_centers": True}, [0, 25, 75, 100]),
        ([0, 100, -100, 50], 2, {}, [0, -100]),
        ([0, 100, -100, 50], 2, {"align_corners": True}, [0, 50]),
        ([0, 100, -100, 50], 2, {"half_pixel_centers": True}, [50, -25]),
        ([0, 1, 2], 5, {"align_corners": True}, [0, 1, 1, 2, 2]),  # 0.5 is rounded up
        ([0, -1, -2], 5, {"align_corners": True}, [0, -1, -1, -2, -2]),  # -0.5 is rounded down
        ([7], 3, {"half_pixel_centers": True}, [7, 7, 7]),
    ],
)
def test_bilinear_pixels(values: list[int], to: int, options: dict[str, bool], expected: list[int]) -> None:
    assert resized("RESIZE_BILINEAR", values, to, **options) == expected


@pytest.mark.parametrize(
    ("to", "options", "expected"),
    [
        (2, {}, [0, 2]),
        (6, {}, [0, 0, 1, 2, 2, 3]),
        (2, {"align_corners": True}, [0, 3]),
        (1, {"align_corners": True}, [0]),
        (7, {"align_corners": True}, [0, 1, 1, 2, 2, 3, 3]),  # 0.5 is rounded up
        (2, {"half_pixel_centers": True}, [1, 3]),
        (8, {"half_pixel_centers": True}, [0, 0, 1, 1, 2, 2, 3, 3]),
    ],
)
def test_nearest_pixels(to: int, options: dict[str, bool], expected: list[int]) -> None:
    assert resized("RESIZE_NEAREST_NEIGHBOR", [0, 1, 2, 3], to, **options) == expected
