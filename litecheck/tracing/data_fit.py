"""Fit of samples to the input ranges of a quantized model: a misfit suggests another preprocessing."""

from __future__ import annotations

from collections.abc import Mapping

from litecheck.conversion.calibration.calibration_data import takes_preprocessing
from litecheck.conversion.groups import Interval
from litecheck.conversion.input_ranges import range_doubt
from litecheck.conversion.settings import ConversionSettings
from litecheck.model.graph import wiring_of
from litecheck.model.types import Subgraph, Tensor
from litecheck.quantizer.litert_resolvers import INTO_INTEGERS
from litecheck.tracing.storage import is_quantized


def data_doubt(subgraph: Subgraph, seen: Mapping[int, Interval], scaled: bool) -> str:
    """Return a sentence on the first input of a quantized model whose range does not fit the samples, or "".

    ``seen`` has the least and largest value of inputs in the samples. ``scaled`` is True if ``--preprocessing`` applies
    to the samples. Example: for an int8 input of -1..1, values of 0..255 are doubtful.
    """
    for index, values in seen.items():
        stored = _quantized_input(subgraph, index)
        if stored is not None:
            own = stored.quantization.real_range(stored.dtype)
            name = subgraph.tensors[index].name
            if doubt := range_doubt(name, own, stored.dtype == "int16", values, scaled):
                return doubt
    return ""


def takes_scaling(settings: ConversionSettings) -> bool:
    """Return True if ``--preprocessing`` applies to all data of the settings."""
    return all(map(takes_preprocessing, settings.sources))


def _quantized_input(subgraph: Subgraph, index: int) -> Tensor | None:
    """Return a quantized input, or the output of QUANTIZE that reads a float input."""
    readers = (subgraph.operators[n] for n in wiring_of(subgraph).readers.get(index, ()))
    quantized = [one.outputs[0] for one in readers if one.opcode == INTO_INTEGERS]
    tensors = (subgraph.tensors[i] for i in (index, *quantized))
    return next((t for t in tensors if is_quantized(t)), None)
