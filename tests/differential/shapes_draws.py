"""Random inputs, and one operator with its inputs and options: parts of models for the shape functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from litecheck.model.build import qparams
from litecheck.quantization import Quantization

Random = np.random.Generator


Q = qparams(0.05, -5)


#: Operators without a second version in LiteRT.
FIRST = set(
    """SIN COS SQUARE FLOOR CEIL ROUND SIGN ZEROS_LIKE RELU_N1_TO_1 RELU_0_TO_1 ELU HARD_SWISH NEG LOGICAL_NOT
    LOCAL_RESPONSE_NORMALIZATION POW ATAN2 LOGICAL_OR LOGICAL_AND BITWISE_XOR RIGHT_SHIFT
    STABLEHLO_SHIFT_LEFT STABLEHLO_ADD STABLEHLO_MULTIPLY STABLEHLO_MAXIMUM STABLEHLO_MINIMUM STABLEHLO_AND
    L2_POOL_2D REDUCE_ANY REDUCE_ALL""".split()
)


@dataclass(frozen=True)
class Part:
    """Input: values, and flags for constants and variables."""

    values: np.ndarray
    quantization: Quantization | None = None
    constant: bool = False
    variable: bool = False

    @property
    def steers(self) -> bool:
        """True for integers whose values may determine output shapes."""
        return self.values.dtype in (np.int32, np.int64)


@dataclass(frozen=True)
class Draw:
    """Operator with inputs and options; ``results`` are the types and parameters of its outputs."""

    opcode: str
    parts: tuple[Part | None, ...]
    results: tuple[tuple[str, Quantization | None], ...]
    options: dict[str, Any] = field(default_factory=dict)
    version: int = 1
    title: str = ""


Make = Callable[[Random, str], Draw]


def size(rng: Random, low: int = 1, high: int = 5) -> int:
    return int(rng.integers(low, high + 1))


def dims(rng: Random, low: int = 1, high: int = 5, longest: int = 4) -> tuple[int, ...]:
    return tuple(size(rng, 1, longest) for _ in range(size(rng, low, high)))


def values(rng: Random, shape: Sequence[int], dtype: str) -> np.ndarray:
    shape = tuple(shape)
    if dtype == "bool":
        return rng.random(shape) > 0.5
    if dtype.startswith("complex"):
        return rng.uniform(-2, 2, shape).astype(dtype)
    if dtype.startswith("float"):
        return rng.uniform(0.1, 2, shape).astype(dtype)
    return rng.integers(1, 7, shape).astype(dtype)


def x(
    rng: Random, shape: Sequence[int], dtype: str, constant: bool = False, q: Quantization | None = Q
) -> Part:
    """Return a data input, computed or ``constant``."""
    return Part(values(rng, shape, dtype), q if dtype == "int8" else None, constant)


def index(rng: Random, numbers: Any, dtype: str = "int32", always: bool = False) -> Part:
    """Return an input that determines shapes: constant in 80 % of the draws or ``always``, else computed."""
    return Part(np.asarray(numbers, dtype), None, always or rng.random() < 0.8)


def out(dtype: str, q: Quantization | None = Q) -> tuple[str, Quantization | None]:
    return dtype, q if dtype == "int8" else None


def broadcastable(rng: Random, many: int = 2, high: int = 7) -> list[tuple[int, ...]]:
    """Return shapes that broadcast."""
    whole = dims(rng, 0, high, 3)
    if rng.random() < 0.3:
        return [whole] * many
    found = []
    for _ in range(many):
        part = [1 if rng.random() < 0.3 else dim for dim in whole]
        found.append(tuple(part[size(rng, 0, len(part)) :] if rng.random() < 0.3 else part))
    return found
