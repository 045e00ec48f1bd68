"""Values at the limits of a width, of a type, and of the counts in a model."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from random import Random

import numpy as np

from litecheck.flatbuffer.schema import WIDTHS
from litecheck.flatbuffer.tables import numpy_type

FLOATS = (
    0.0, -0.0, 1.0, -1.0, float("nan"), float("inf"), float("-inf"), 1e-45, 1e-40, 1.1754944e-38, 3.4028235e38,
    1 / 256, 1 / 128, 1 / 32768, 0.05, -0.05,
)  # fmt: skip


def number(rng: Random, bits: int, signed: bool, counts: Sequence[int]) -> int:
    """Return an integer of ``bits`` bits near 0, near a power of two or near an element of ``counts``."""
    base = rng.choice(
        (0, 0, 0, 1 << rng.randrange(bits + 1), 127, 128, rng.choice(counts), rng.choice(counts))
    )
    value = rng.choice((1, 1, 1, -1)) * base + rng.randrange(-3, 4)
    return _wrapped(value, bits, signed)


def _wrapped(value: int, bits: int, signed: bool) -> int:
    value %= 1 << bits
    return value - (1 << bits) if signed and value >> (bits - 1) else value


def integer(rng: Random, width: int, counts: Sequence[int]) -> bytes:
    """Return ``width`` bytes: a value at a limit, or random bytes."""
    if rng.random() < 0.2:
        return rng.randbytes(width)
    return number(rng, 8 * width, False, counts).to_bytes(width, "little")


def value_of(rng: Random, kind: str, counts: Sequence[int]) -> int | float:
    """Return a value of a scalar type, in the schema's notation."""
    if kind.startswith("float"):
        noise = struct.unpack("<f", rng.randbytes(4))[0]
        return rng.choice((*FLOATS, noise))
    if kind == "bool":
        return rng.choice((0, 1, 1, 2, 255))
    return number(rng, 8 * WIDTHS[kind], kind[0] != "u", counts)


def element(rng: Random, kind: str, counts: Sequence[int]) -> bytes:
    """Return the bytes of a value of a scalar type."""
    return (
        np.array([value_of(rng, kind, counts)], np.float64 if kind[0] == "f" else None)
        .astype(numpy_type(kind))
        .tobytes()
    )
