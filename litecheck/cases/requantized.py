"""Real values of an integer tensor, as some devices give them, as the tensor would store them."""

from __future__ import annotations

from litecheck.model.types import Tensor
from litecheck.quantization import INTEGER_RANGES
from litecheck.quantizer.litert import quantize
from litecheck.quantizer.types import Parameters
from litecheck.reference.operands import NUMPY_TYPES, Array


def requantized(tensor: Tensor, array: Array) -> Array:
    """The array as it is, or quantized by the tensor's own scale and zero point where it is real and they are not."""
    quantized = tensor.dtype in INTEGER_RANGES and bool(tensor.quantization.scale.size)
    if array.dtype.kind != "f" or not quantized:
        return array
    return quantize(array, Parameters.of(tensor.quantization), tensor.dtype).astype(
        NUMPY_TYPES[tensor.dtype], copy=False
    )
