"""Tensors at run time: inputs of a kernel, and its required outputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, TypeAlias, TypeVar

import numpy as np

from litecheck.arrays import Array as Array
from litecheck.errors import LitecheckError
from litecheck.flatbuffer.table import Table
from litecheck.quantization import Quantization

#: Builtin options table of an operator.
Options: TypeAlias = Table | None
Prepared = TypeVar("Prepared")


class RunError(LitecheckError):
    """Error for a model, an input or an arithmetic that the reference cannot compute. The message names operator and
    reason."""


class PerTensor:
    """Base of classes with a type and a per-tensor quantization."""

    __slots__ = ()
    dtype: str
    quantization: Quantization

    @property
    def scale(self) -> np.float32:
        """Scale of a per-tensor quantization, float32. Raises RunError if there is no single finite scale."""
        stated = self.quantization.scale
        if stated.size != 1:
            count = f"{stated.size} scales where one is needed" if stated.size else "no scale"
            raise RunError(f"an operand of type {self.dtype} states {count}")
        scale: np.float32 = np.float32(stated[0])
        if not isfinite(scale):
            raise RunError(f"an operand of type {self.dtype} states a scale of {scale}")
        return scale

    @property
    def zero_point(self) -> int:
        """Zero point of a per-tensor quantization, 0 if there is none."""
        zero_points = self.quantization.zero_point
        return int(zero_points[0]) if zero_points.size else 0


@dataclass(slots=True, eq=False)
class Operand(PerTensor):
    """Operand: stored integers (or floats) in their shape, with their quantization.

    ``data`` has the natural numpy type; types below eight bits have one value per byte. Operands must not be changed. The
    class is not frozen, because every operator creates operands, and creating a frozen operand takes four times as long.
    """

    data: Array
    dtype: str
    quantization: Quantization = field(default_factory=Quantization)
    constant: bool = False
    blocks: Operand | None = None
    """Scales per block of the last dimension, for blockwise quantization."""
    prepared: dict[Any, Any] = field(default_factory=dict, repr=False)
    """Values that kernels prepared from the operand; a constant keeps them between inferences."""

    def once(self, key: Any, make: Callable[[], Prepared]) -> Prepared:
        """Return ``make()``, computed on the first call with ``key``.

        The key identifies the use and all dependencies of the value except this operand.
        """
        made: Prepared | None = self.prepared.get(key)  # prepared values are never None
        if made is None:
            made = self.prepared[key] = make()
        return made

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the data."""
        return self.data.shape

    @property
    def rows(self) -> Array:
        """Data of at least rank 1, for kernels that compute along the last dimension. Raises RunError for a scalar."""
        if not self.data.ndim:
            raise RunError(f"an operand of type {self.dtype} is a scalar and has no last dimension")
        return self.data


@dataclass(frozen=True, slots=True, eq=False)
class OutputSpec(PerTensor):
    """Required output of an operator: type, shape in the model, and quantization."""

    dtype: str
    shape: tuple[int, ...]
    quantization: Quantization = field(default_factory=Quantization)


#: numpy type of the values of each schema type.
NUMPY_TYPES: dict[str, str] = {
    "int2": "i1", "int4": "i1", "uint4": "u1", "int8": "i1", "uint8": "u1", "bool": "?", "int16": "<i2",
    "uint16": "<u2", "int32": "<i4", "uint32": "<u4", "int64": "<i8", "uint64": "<u8", "float16": "<f2",
    "float32": "<f4", "float64": "<f8",
}  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Outputs:
    """Return value of a kernel with state: outputs, and the new contents of its variable inputs by role."""

    outputs: tuple[Array, ...]
    state: Mapping[str, Array]
