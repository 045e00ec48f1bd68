"""Parameters of quantize and dequantize: the line of text and the JSON document."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

from litecheck.quantizer.types import Parameters
from litecheck.rendering.parameters import describe_parameters

ONE = Parameters(np.array([0.1], np.float32), np.array([3]))
SEVERAL = Parameters(np.array([0.5, 0.25], np.float32), np.array([-1, 4]), 1)


def rendered(parameters: Parameters, shape: tuple[int, ...] = (2, 3), form: str = "text") -> str:
    return describe_parameters("a.npy", "int8", shape, "litert", parameters, form)


@pytest.mark.parametrize(
    ("parameters", "shape", "line"),
    [
        (ONE, (2, 3), "int8 2x3 by litert; scale 0.1, zero point 3"),
        (ONE, (), "int8 scalar by litert; scale 0.1, zero point 3"),
        (SEVERAL, (2, 2), "int8 2x2 by litert; 2 scales along axis 1: 0.25..0.5, zero point -1..4"),
        (
            Parameters(np.full((3, 2), 0.5, np.float32), None, 0, 32),
            (3, 64),
            "int8 3x64 by litert; 6 scales along axis 0 in blocks of 32: 0.5, zero point 0",
        ),
        (
            Parameters(np.array([math.nan, 1.0], np.float32), np.array([0, 0]), 0),
            (2,),
            "int8 2 by litert; 2 scales along axis 0: nan, zero point 0",
        ),
        (
            Parameters(np.empty(0, np.float32), np.empty(0, np.int64)),
            (0,),
            "int8 0 by litert; scale none, zero point none",
        ),
    ],
)
def test_one_line(parameters: Parameters, shape: tuple[int, ...], line: str) -> None:
    assert rendered(parameters, shape) == f"a.npy: {line}\n"


def test_one_document() -> None:
    assert json.loads(rendered(SEVERAL, (2, 2), "json")) == {
        "litecheck_quantized": 1,
        "file": "a.npy",
        "dtype": "int8",
        "shape": [2, 2],
        "semantics": "litert",
        "axis": 1,
        "block_size": SEVERAL.block_size,
        "scale_shape": [2],
        "scale": [0.5, 0.25],
        "zero_point": [-1, 4],
    }


def test_numbers_that_json_lacks() -> None:
    """Scales that are not finite are written as text; absent zero points are 0."""
    parameters = Parameters(np.array([[math.inf, 1.0, math.nan]], np.float32), None, 0, 1)
    found = json.loads(rendered(parameters, form="json"))
    assert (found["scale"], found["zero_point"]) == (["inf", 1.0, "nan"], [0, 0, 0])
