"""Weights of a convolution with their scales, from a fixture or a public model."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from litecheck.quantizer import litert
from litecheck.quantizer.array_files import read_tensor
from litecheck.quantizer.model_tensor import find_tensor
from litecheck.quantizer.tensor_parameters import stated_parameters
from litecheck.quantizer.types import Parameters

FIXTURE = f"{Path(__file__).parents[2] / 'fixtures' / 'conv_int8.tflite'}:0/1"
MODEL = "kws_ref_model.tflite:5"


@dataclass(frozen=True)
class Sample:
    """Real values, the parameters for quantizing them, and the expected integers."""

    real: NDArray[np.float32]
    parameters: Parameters
    expected: NDArray[Any]


@pytest.fixture(params=["fixture", "model"])
def source(request: pytest.FixtureRequest) -> str:
    """Return MODEL:TENSOR of a convolution's per-axis weights."""
    if request.param == "fixture":
        return FIXTURE
    folder = os.environ.get("LITECHECK_MODELS", "")
    if not Path(folder, MODEL.partition(":")[0]).is_file() or not folder:
        pytest.skip("LITECHECK_MODELS names no folder with the public models")
    return f"{folder}/{MODEL}"


@pytest.fixture
def sample(source: str) -> Any:
    """Return ``sample(factor, zero_point)``: the real values of the weights, with ``factor`` times their scales.

    With a factor of 2, every odd weight is a tie. With a factor of 0.5, values saturate at both ends.
    """
    subgraph, tensor = find_tensor(source)
    own = stated_parameters(tensor, subgraph)
    real = litert.dequantize(read_tensor(source).values, own)

    def build(factor: float = 2.0, zero_point: int = 0) -> Sample:
        zeros = np.full(own.scale.shape, zero_point)
        parameters = Parameters(own.scale * np.float32(factor), zeros, own.axis)
        return Sample(real, parameters, litert.quantize(real, parameters))

    return build
