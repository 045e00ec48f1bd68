"""Samples beside the ranges of inputs: a doubt for missing preprocessing, none for ordinary data."""

from __future__ import annotations

import numpy as np
import pytest

from litecheck.model.build import ModelBuilder, quantized
from litecheck.model.types import Subgraph
from litecheck.tracing.data_fit import data_doubt


def read_by(border: bool, scale: float, zero: int) -> Subgraph:
    """Return a subgraph with one input, int8 or float32 in front of QUANTIZE."""
    main = (builder := ModelBuilder()).subgraph()
    form = quantized(scale, zero)
    x = main.tensor("x", (1, 4), *(("float32",) if border else ("int8", form)))
    read = main.tensor("x/int8", (1, 4), "int8", form) if border else x
    if border:
        main.add("QUANTIZE", [x], [read])
    main.add("RELU", [read], [y := main.tensor("y", (1, 4), "int8", form)])
    main.inputs(x)
    main.outputs(y)
    return builder.finish().subgraphs[0]


@pytest.mark.parametrize("border", [False, True], ids=["int8 input", "QUANTIZE"])
@pytest.mark.parametrize(
    ("scale", "zero", "seen", "words"),
    [
        (1 / 127.5, 0, (0.0, 255.0), "the data have 0..255: are they preprocessed as the model expects?"),
        (1 / 127.5, 0, (0.0, 1.0), "--preprocessing 1/127.5:-1 maps images and uint8 values to -1..1"),
        (1 / 255, -128, (-1.0, 1.0), "--preprocessing 1/255:0 maps images and uint8 values to 0..1"),
        (1.0, -128, (-128.0, 127.0), "--preprocessing 1:0 maps images and uint8 values to 0..255"),
        (1 / 40, 0, (-40.0, 3.0), "input 'x' has the range -3.2..3.18, and the data have -40..3"),
        (1.0, -128, (0.0, 1.0), "x' has the range 0..255, and the data have 0..1: are they preprocessed as"),
        (1.0, 0, (-2.1, 2.6), "If the data are, the model was calibrated on other data"),
        (1.0, 0, (-8.0, 8.0), ""),
        (1 / 127.5, 0, (-0.4, 0.9), ""),
        (1 / 127.5, 0, (-1.2, 1.3), ""),
        (1 / 255, -128, (0.0, 0.1), ""),
    ],
)
def test_data_doubt(border: bool, scale: float, zero: int, seen: tuple[float, float], words: str) -> None:
    found = data_doubt(read_by(border, np.float32(scale), zero), {0: seen})
    assert words in found
    assert bool(found) is bool(words)
