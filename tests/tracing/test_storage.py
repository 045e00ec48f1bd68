"""Values as a tensor stores them."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from litecheck.errors import InputError
from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.load import load_model
from litecheck.model.types import Tensor
from litecheck.quantization import Quantization
from litecheck.tracing.storage import (
    check_quantized,
    dequantize_values,
    round_to_storage,
    store_in_tensor,
    with_finite_scales,
)

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"


def q(scale: list[float], zero: list[int], axis: int = 0) -> Quantization:
    return Quantization(np.float32(scale), np.array(zero, np.int64), axis)


@pytest.mark.parametrize(
    ("values", "dtype", "parameters", "wanted"),
    [
        ([0.31, 40.0, -40.0], "int8", q([0.25], [0]), [0.25, 31.75, -32.0]),
        ([0.3, -1.0, 9.0], "uint8", q([0.5], [1]), [0.5, -0.5, 9.0]),
        ([[1.1, 1.1], [1.1, 1.1]], "int8", q([1.0, 0.5], [0, 0]), [[1.0, 1.0], [1.0, 1.0]]),
        ([[1.3, 1.3]], "int8", q([1.0, 0.5], [0, 0], axis=1), [[1.0, 1.5]]),
        (7.4, "int8", q([1.0], [0]), 7.0),
        ([np.nan], "int8", q([1.0], [0]), [0.0]),
    ],
)
def test_stored_as(values: object, dtype: str, parameters: Quantization, wanted: object) -> None:
    assert round_to_storage(np.array(values, np.float32), dtype, parameters).tolist() == wanted


def test_a_float_tensor_stores_values_as_they_are() -> None:
    assert (
        store_in_tensor(np.float32([0.3]), Tensor(0, "t", "float32", (1,))).tolist()
        == np.float32([0.3]).tolist()
    )


def test_meaning() -> None:
    tensor = Tensor(0, "t", "int8", (2,), quantization=q([0.5], [3]))
    assert dequantize_values(np.array([3, 5], np.int8), tensor).tolist() == [0.0, 1.0]


@pytest.mark.parametrize(
    ("file", "alone", "message"),
    [
        ("float", False, "none of its tensors is quantized"),
        ("float", True, "no input or output of its operators is quantized"),
        ("hybrid", False, ""),
        ("hybrid", True, "no input or output of its operators is quantized"),
        ("fc_int8", True, ""),
    ],
)
def test_float_models_are_rejected(file: str, alone: bool, message: str) -> None:
    model = load_model(FIXTURES / f"{file}.tflite")
    with pytest.raises(InputError, match=message) if message else nullcontext():
        check_quantized(model, alone)


@pytest.mark.parametrize(
    ("scale", "outcome"),
    [
        (0.5, 0.5),
        (0.0, 1.0),
        (-0.25, r"m.tflite: tensor 1 'y' has the scale -0.25, expected finite scales above 0"),
        (np.inf, r"tensor 1 'y' has the scale inf"),
    ],
)
def test_scales_that_are_not_positive(scale: float, outcome: float | str) -> None:
    """A scale of 0 belongs to zeros; the error of an invalid scale names the file and the tensor."""
    main = (builder := ModelBuilder()).subgraph()
    x, y = (main.tensor(name, (1, 4), "int8", qparams(size)) for name, size in (("x", 2.0), ("y", scale)))
    main.add("RELU", [x], [y])
    main.inputs(x)
    main.outputs(y)
    model = replace(builder.finish(), file="m.tflite")
    if isinstance(outcome, str):
        with pytest.raises(InputError, match=outcome):
            with_finite_scales(model)
        return
    found = with_finite_scales(model)
    assert [float(t.quantization.scale[0]) for t in found.subgraphs[0].tensors] == [2.0, outcome]
    assert (found is model) is (outcome == scale)
