"""Samples of a float model as inputs of its converted form."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.cases.inputs import quantize_input
from litecheck.conversion.calibration.samples import Sample
from litecheck.errors import ConfigError
from litecheck.model.types import Model, Tensor
from litecheck.reference.engine.entry_point import entry
from litecheck.reference.runtime_tensors import NUMPY_TYPES


def translate_sample(models: tuple[Model, Model], sample: Sample) -> Sample:
    """Return a float model's sample for the converted model: inputs by position, quantized if the input is quantized."""
    one, other = (entry(model, sample.signature) for model in models)
    _, arrays = sample.arrange(models[0])
    if len(one.subgraph.inputs) != len(other.subgraph.inputs):
        raise ConfigError("the converted model has not as many inputs as the float one")
    inputs = {
        other.name(new): _store_input(one.subgraph.tensors[old], other.subgraph.tensors[new], array)
        for old, new, array in zip(one.subgraph.inputs, other.subgraph.inputs, arrays, strict=True)
    }
    return Sample(inputs, sample.signature)


def _store_input(old: Tensor, new: Tensor, array: NDArray[Any]) -> NDArray[Any]:
    """Return a sample's values for an input of the converted model: quantized, or integers moved to another zero point."""
    both = old.quantization.scale.size == new.quantization.scale.size == 1
    if not both or array.dtype.kind == "f":
        return quantize_input(new, array)
    moved = array.astype(np.int64) + int(
        new.quantization.zero_point.sum() - old.quantization.zero_point.sum()
    )
    return moved.astype(NUMPY_TYPES[new.dtype])
