"""Exact sums of integer products at the speed of floating-point matrix multiplication.

A sum of integer products is exact in float32 if no partial sum exceeds 2^24, in any order and with any fused steps. The
weights give this bound, sum |w| * max |x|, before float32 is chosen. float64 has the bound 2^53, which no operator here
reaches. With int8 inputs and weights of at most 127, the bound holds up to a depth of 1032 for any weights. Most deeper
layers also satisfy it, because their weights are small.

Inputs are multiplied as stored: with x = q - z, sum w*x = sum w*q - z * sum w, and the second term is a constant of the
channel (see :meth:`Weights.offset`). Therefore, padding is filled with z.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from litecheck.reference.numerics.fixedpoint import Ints
from litecheck.reference.runtime_tensors import Array, Operand, OutputSpec

#: Largest magnitude of stored values by type.
LARGEST = {"int8": 1 << 7, "int16": 1 << 15}
#: Magnitude up to which float32 represents every integer.
EXACT = 1 << 24


@dataclass(frozen=True, slots=True, eq=False)
class Weights:
    """Weights less their zero point, of shape (channels, depth), in a float type with exact sums of products.

    ``sums`` is the sum over the depth of each channel, ``limit`` the largest possible magnitude of a sum of products.
    """

    matrix: Array
    sums: Ints
    limit: int

    def offset(self, bias: Operand | None, zero_point: int) -> Ints:
        """Return the constant added to a channel's sum of stored products: bias - z * sum w, int64 of shape (channels,)."""
        made = -zero_point * self.sums
        return made if bias is None else made + bias.data.reshape(-1)

    def wraps(self, offset: Ints) -> bool:
        """Return True if an int32 accumulator may overflow."""
        return bool(self.limit + int(np.abs(offset).max(initial=0)) > 2**31 - 1)


def weights(stored: Array, zero_point: int, largest: int) -> Weights:
    """Convert integer weights of shape (channels, depth) to :class:`Weights`, for inputs of magnitude up to ``largest``."""
    most = stored.shape[1] * largest * int(-np.iinfo(stored.dtype).min)
    if zero_point:
        stored = stored.astype(np.int64) - zero_point
    sums = stored.sum(axis=1, dtype=np.int64)
    if most > EXACT or zero_point:
        magnitudes = 2 * np.maximum(stored, 0).sum(axis=1, dtype=np.int64) - sums
        most = largest * int(magnitudes.max(initial=0))
    carrier = np.float32 if most <= EXACT else np.float64
    return Weights(stored.astype(carrier), sums, most)


def signed_operand(value: Operand | OutputSpec) -> tuple[str, int]:
    """Return (type, zero point) for the computation with a quantized operand: uint8 becomes int8, reduced by 128."""
    return ("int8", value.zero_point - 128) if value.dtype == "uint8" else (value.dtype, value.zero_point)


def as_signed(data: Array) -> Array:
    """Return stored values with the type of :func:`signed`: uint8 with its top bit flipped, other types unchanged.

    For example, 0 and 255 become -128 and 127.
    """
    return (data ^ np.uint8(128)).view(np.int8) if data.dtype == np.uint8 else data
