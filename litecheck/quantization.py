"""Quantization parameters as plain data: real_value = scale * (quantized_value - zero_point)."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

#: Smallest and largest value of each integer type, by the type's name in the schema.
INTEGER_RANGES: dict[str, tuple[int, int]] = {
    "int2": (-2, 1),
    "int4": (-8, 7),
    "uint4": (0, 15),
    "int8": (-128, 127),
    "uint8": (0, 255),
    "int16": (-(2**15), 2**15 - 1),
    "uint16": (0, 2**16 - 1),
    "int32": (-(2**31), 2**31 - 1),
    "uint32": (0, 2**32 - 1),
    "int64": (-(2**63), 2**63 - 1),
    "uint64": (0, 2**64 - 1),
}
#: Types with so few values that their use matters: 16 bits or fewer.
NARROW = frozenset(name for name in INTEGER_RANGES if name.endswith(("int2", "int4", "int8", "int16")))

#: Bits per element. Types below 8 bits are packed, low bits first.
BITS: dict[str, int] = {
    "int2": 2,
    "int4": 4,
    "uint4": 4,
    "bool": 8,
    "int8": 8,
    "uint8": 8,
    "float8_e4m3fn": 8,
    "float8_e5m2": 8,
    "int16": 16,
    "uint16": 16,
    "float16": 16,
    "bfloat16": 16,
    "int32": 32,
    "uint32": 32,
    "float32": 32,
    "int64": 64,
    "uint64": 64,
    "float64": 64,
    "complex64": 64,
    "complex128": 128,
}


@dataclass(frozen=True, slots=True)
class Blockwise:
    """Scales per block of the last dimension, stored in another tensor of the subgraph.

    ``scales`` and ``zero_points`` are tensor indexes. ``zero_points`` is -1 if all zero points are 0.
    """

    scales: int
    zero_points: int
    block_size: int
    block_shape: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class MultiAxis:
    """Scales along several dimensions, stored in another tensor. ``block_size`` 0 means a scale per element of ``axes``."""

    scales: int
    zero_points: int
    block_size: int
    axes: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Custom:
    """A custom quantization. Only the program that wrote it can read its bytes."""

    data: bytes


Details = Blockwise | MultiAxis | Custom


@dataclass(frozen=True, slots=True, eq=False)
class Quantization:
    """The quantization of one tensor as the file states it, well formed or not.

    ``scale`` is float32 of shape (n,), ``zero_point`` int64 of shape (m,). A well-formed quantization has n == m, and n
    is 1 or shape[axis]. ``axis`` is the schema's ``quantized_dimension``. If ``details`` is set, the arrays have no
    meaning (schema.fbs, QuantizationParameters.details).
    """

    scale: NDArray[np.float32] = field(default_factory=lambda: np.empty(0, np.float32))
    zero_point: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    axis: int = 0
    details: Details | None = None
    minimum: NDArray[np.float32] = field(default_factory=lambda: np.empty(0, np.float32))
    maximum: NDArray[np.float32] = field(default_factory=lambda: np.empty(0, np.float32))

    @property
    def is_set(self) -> bool:
        """True if the file states a scale, a zero point or details."""
        return bool(self.scale.size or self.zero_point.size or self.details is not None)

    def real_range(self, dtype: str) -> tuple[float, float]:
        """Return the real values of a type's ends in the first scale. Example: int8, 0.5, -128 give 0..127.5."""
        low, high = INTEGER_RANGES[dtype]
        scale, zero = float(self.scale[0]), int(self.zero_point[0]) if self.zero_point.size else 0
        return scale * (low - zero), scale * (high - zero)


@dataclass(frozen=True, slots=True)
class TensorSurvey:
    """The quantization of one tensor for display: an output of an operator, or a constant input.

    ``scales`` and ``zero_points`` are (smallest, largest) over ``channels``. ``stored`` are the smallest and largest
    value of a constant, or None if they are not known.
    """

    subgraph: int
    operator: int
    tensor: int
    name: str
    dtype: str
    constant: bool
    channels: int
    scales: tuple[float, float]
    zero_points: tuple[int, int]
    stored: tuple[int, int] | None = None
