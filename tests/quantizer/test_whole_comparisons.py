"""Whole comparisons with planted faults of a quantizer: counts, elements and the causes that explain them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict

import numpy as np
import pytest

from litecheck.arrays import Array
from litecheck.quantizer.tensor_comparison import compare
from litecheck.quantizer.types import Parameters

RNG = np.random.default_rng(11)
#: Eight channels of 300 real values: ties, values beyond the range, small and large values.
REAL = np.concatenate(
    [RNG.normal(0, 4, (100, 8)), RNG.integers(-60, 60, (100, 8)) * 0.05 + 0.025, RNG.normal(0, 40, (100, 8))]
).astype(np.float32)
CHANNELS = np.float32(0.05) * np.float32([1, 2, 0.5, 1, 3, 1, 0.25, 1])
PARAMETERS = {
    "per-tensor": Parameters(np.float32([0.05]), np.int64([3])),
    "per-axis": Parameters(CHANNELS, np.zeros(8, np.int64), 1),
}
Ends = tuple[int, int]


def away(quotient: Array) -> Array:
    """Return rounded values, ties away from zero."""
    return np.sign(quotient) * np.floor(np.abs(quotient) + np.float32(0.5))


def stored(
    parameters: Parameters,
    ends: Ends,
    rounded: Callable[[Array], Array] = away,
    factor: float = 1.0,
    shift: int = 0,
    dtype: type = np.float32,
) -> Array:
    """Return the real values quantized with a rounding, a factor of the scale and a shift of the zero point."""
    quotient = REAL.astype(dtype) / (parameters.scale.astype(dtype) * dtype(factor))
    return np.clip(rounded(quotient) + parameters.zero_point + shift, *ends)


Fault = Callable[[Parameters, Ends], Array]
FAULTS: dict[str, Fault] = {
    "none": lambda p, e: stored(p, e),
    "half up": lambda p, e: stored(p, e, lambda q: np.floor(q + 0.5)),
    "half even": lambda p, e: stored(p, e, np.rint),
    "float64": lambda p, e: stored(p, e, dtype=np.float64),
    "floor": lambda p, e: stored(p, e, np.floor),
    "toward zero": lambda p, e: stored(p, e, np.trunc),
    "zero point": lambda p, e: stored(p, e, shift=1),
    "no zero point": lambda p, e: stored(Parameters(p.scale, p.zero_point * 0, p.axis), e),
    "scale": lambda p, e: stored(p, e, factor=1.01),
    "scale 2": lambda p, e: stored(p, e, factor=2.0),
    "symmetric": lambda p, e: np.maximum(stored(p, e), e[0] + 1),
    "wraps": lambda p, e: (stored(p, (-(10**9), 10**9)) - e[0]) % (e[1] - e[0] + 1) + e[0],
    "next channel": lambda p, e: stored(Parameters(np.roll(p.scale, 1), p.zero_point, p.axis), e),
    "reversed rows": lambda p, e: stored(p, e)[::-1],
    "one element": lambda p, e: stored(p, e) + (np.arange(REAL.size).reshape(REAL.shape) == 7),
    "noise": lambda p, e: np.clip(stored(p, e) + np.random.default_rng(1).integers(-1, 2, REAL.shape), *e),
}
TYPES = {"int8": (-128, 127), "uint8": (0, 255), "int16": (-32768, 32767)}


def line(fault: str, parameters: Parameters, dtype: str) -> str:
    """Return a comparison as text."""
    actual = FAULTS[fault](parameters, TYPES[dtype]).astype(dtype)
    found = compare(REAL, actual, parameters)
    facts = {name: value for name, value in asdict(found).items() if name not in ("causes", "shape", "size")}
    causes = "".join(f"\n  {c.name}: {c.sentence} {c.exact} {c.explained} {c.broken}" for c in found.causes)
    return f"{fault}: {facts}{causes}\n"


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", PARAMETERS)
def test_whole_comparisons(name: str, dtype: str, golden: Callable[[str, str], None]) -> None:
    golden(
        f"comparisons.{name}.{dtype}.txt", "".join(line(fault, PARAMETERS[name], dtype) for fault in FAULTS)
    )
