"""Samples compared with the ranges of inputs: a warning for missing preprocessing, none for ordinary data."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from litecheck.conversion.groups import Interval
from litecheck.conversion.input_ranges import is_cut
from litecheck.conversion.settings import ConversionSettings
from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.types import Subgraph
from litecheck.tracing.data_fit import data_doubt, takes_scaling


def read_by(border: bool, scale: float, zero: int, dtype: str = "int8") -> Subgraph:
    """Return a subgraph with an input that is an integer, or float32 before a QUANTIZE."""
    main = (builder := ModelBuilder()).subgraph()
    form = qparams(scale, zero)
    x = main.tensor("x", (1, 4), *(("float32",) if border else (dtype, form)))
    read = main.tensor("x/int8", (1, 4), dtype, form) if border else x
    if border:
        main.add("QUANTIZE", [x], [read])
    main.add("RELU", [read], [y := main.tensor("y", (1, 4), dtype, form)])
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
        (1 / 40, 0, (-6.0, 3.0), ""),
        (1 / 40, 0, (-13.0, 3.0), "are they preprocessed as the model expects?"),
        (1 / 127.5, 0, (-2.1, 2.6), "maps images and uint8 values to -1..1"),
        (1 / 127.5, 0, (-0.4, 0.9), ""),
        (1 / 127.5, 0, (-1.2, 1.3), ""),
        (1 / 255, -128, (0.0, 0.1), ""),
    ],
)
def test_data_doubt(border: bool, scale: float, zero: int, seen: tuple[float, float], words: str) -> None:
    found = data_doubt(read_by(border, np.float32(scale), zero), {0: seen}, scaled=True)
    assert words in found
    assert bool(found) is bool(words)


@pytest.mark.parametrize(
    ("seen", "doubtful"),
    [
        ((0.0, 255.0), False),
        ((-255.0, 0.0), False),
        ((0.0, 310.0), False),
        ((0.0, 330.0), True),
        ((-330.0, -1.0), True),
        ((0.0, 15.0), True),
        ((-9.0, 9.0), True),
    ],
)
@pytest.mark.parametrize("border", [False, True], ids=["int16 input", "QUANTIZE"])
def test_data_of_one_sign_use_half_of_a_symmetric_range(
    border: bool, seen: tuple[float, float], doubtful: bool
) -> None:
    found = data_doubt(read_by(border, 255 / 32767, 0, "int16"), {0: seen}, scaled=True)
    assert bool(found) is doubtful
    assert "--preprocessing" not in found


@pytest.mark.parametrize(
    ("own", "seen", "cut"),
    [
        ((-4.5, 4.4), (-6.7, 6.9), True),
        ((-45.1, 43.3), (-104.0, 76.6), True),
        ((-4.5, 4.4), (-4.0, 4.0), False),
        ((-4.5, 4.4), (-6.7, 20.0), False),
        ((-1.0, 1.0), (-2.1, 2.6), False),
        ((0.0, 5.0), (-1.0, 6.0), False),
    ],
    ids=["average", "wider", "inside", "factor above 4", "range of images", "other sign"],
)
def test_a_calibration_that_cut_values_off(own: Interval, seen: Interval, cut: bool) -> None:
    assert is_cut(own, seen) is cut


def test_preprocessing_is_advised_where_it_applies() -> None:
    images = read_by(False, 1.0, -128)
    assert "--preprocessing 1:0 maps" in data_doubt(images, {0: (0.0, 1.0)}, scaled=True)
    scaled = data_doubt(images, {0: (0.0, 1.0)}, scaled=False)
    assert "Scale the arrays to 0..255." in scaled
    assert "--preprocessing" not in scaled


@pytest.mark.parametrize(
    ("dtypes", "applies"),
    [(("uint8",), True), (("float32",), False), (("uint8", "float32"), False)],
)
@pytest.mark.parametrize("form", ["array", "npz"])
def test_scaling_applies_to_uint8_data(
    form: str, dtypes: tuple[str, ...], applies: bool, tmp_path: Path
) -> None:
    arrays = [np.ones((2, 4), dtype) for dtype in dtypes]
    files = [str(tmp_path / f"{n}.npz") for n in range(len(arrays))]
    for file, array in zip(files, arrays, strict=True):
        np.savez(file, x=array)
    assert takes_scaling(ConversionSettings(data=files if form == "npz" else arrays)) is applies
