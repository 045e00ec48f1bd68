"""Calibration samples of the float nets under fixtures/convert: seeded, made by numpy alone, the same everywhere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

COUNT = 32


@dataclass(frozen=True, slots=True)
class NetInput:
    """An input of a net: its shape and the range of its uniform values."""

    shape: tuple[int, ...]
    low: float = -1.0
    high: float = 1.0
    dtype: str = "float32"


#: The inputs of each net by the aliases of its signature.
NETS: Mapping[str, Mapping[str, NetInput]] = {
    "separable": {"image": NetInput((1, 16, 16, 3), 0, 1)},
    "residual": {"image": NetInput((1, 12, 12, 3))},
    "transpose_conv": {"image": NetInput((1, 8, 8, 2))},
    "attention": {"tokens": NetInput((1, 8, 16))},
    "detection": {"image": NetInput((1, 16, 16, 3), 0, 1)},
    "mixed_concat": {"image": NetInput((1, 8, 8, 3))},
    "gather_select": {"table": NetInput((1, 6, 8)), "index": NetInput((1, 4), 0, 6, "int32")},
    "comparison": {"left": NetInput((1, 8, 8)), "right": NetInput((1, 8, 8), -2, 2)},
    "lstm_fused": {"sequence": NetInput((1, 10, 6))},
    "lstm_unrolled": {"sequence": NetInput((1, 5, 6))},
    "lstm_while": {"sequence": NetInput((1, 10, 6))},
    "streaming": {"frame": NetInput((1, 1, 8))},
    "branches": {"signal": NetInput((1, 8))},
    "dead_channels": {"image": NetInput((1, 6, 6, 4))},
}


def samples(name: str, count: int = COUNT) -> list[dict[str, NDArray[Any]]]:
    """Return ``count`` inputs of a net by alias. Each has its own magnitude, so that ranges depend on all of them."""
    rng = np.random.default_rng(crc32(name.encode()))
    return [{alias: _drawn(rng, spec) for alias, spec in NETS[name].items()} for _ in range(count)]


def _drawn(rng: np.random.Generator, spec: NetInput) -> NDArray[Any]:
    """Draw multiples of 1/4096, which every arithmetic scales exactly."""
    if spec.dtype != "float32":
        return rng.integers(int(spec.low), int(spec.high), spec.shape).astype(spec.dtype)
    level = rng.integers(1, 65) / 64
    steps = rng.integers(0, 4097, spec.shape) / 4096
    return ((spec.low + (spec.high - spec.low) * steps) * level).astype(np.float32)
