"""Operands and options for tests of convolutions and matrix products."""

from __future__ import annotations

from typing import Any

import numpy as np

from litecheck.flatbuffer.table import Table
from litecheck.quantization import Quantization
from litecheck.reference.runtime_tensors import Operand, OutputSpec

SAME, VALID = 0, 1
NONE, RELU, RELU6 = 0, 1, 3
DOUBLE = {"requantize": "double", "multiplier": "float64"}


def quantized(scales: Any, zero_point: int = 0) -> Quantization:
    return Quantization(np.atleast_1d(np.float32(scales)), np.array([zero_point], np.int64))


def stored(values: Any, scales: Any = 1.0, zero_point: int = 0, dtype: str = "int8") -> Operand:
    return Operand(np.array(values, dtype), dtype, quantized(scales, zero_point))


def real(values: Any) -> Operand:
    return Operand(np.array(values, np.float32), "float32")


def output(scale: float = 1.0, zero_point: int = 0, dtype: str = "int8") -> OutputSpec:
    return OutputSpec(dtype, (), quantized(scale, zero_point))


def window_options(
    padding: int = VALID,
    stride: tuple[int, int] = (1, 1),
    dilation: tuple[int, int] = (1, 1),
    fused: int = NONE,
) -> Table:
    fields = {
        "padding": padding, "stride_h": stride[0], "stride_w": stride[1], "dilation_h_factor": dilation[0],
        "dilation_w_factor": dilation[1], "fused_activation_function": fused,
    }  # fmt: skip
    return Table("Conv2DOptions", fields)
