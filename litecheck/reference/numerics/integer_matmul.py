"""Exact sums of integer products at the speed of floating-point matrix multiplication.

A sum of integer products is exact in float32, in whatever order and with whatever fused steps it is added up, as
long as no partial sum can pass 2^24; the bound is proven from the weights at hand, sum |w| * max |x|, before float32 is
chosen. float64 has 2^53, which no operator here reaches. With int8 inputs and weights of at most 127 the bound holds up
to a depth of 1032, whatever the weights; most deeper layers keep it too, because their weights are small.

Inputs go in as they are stored: with x = q - z, sum w*x = sum w*q - z * sum w, and the second term is a constant of the
channel (see :meth:`Weights.offset`). Padding therefore is filled with z.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from litecheck.reference.numerics.fixedpoint import Ints
from litecheck.reference.runtime_tensors import Array, Operand, OutputSpec

#: The largest magnitude a stored value of a type can have.
LARGEST = {"int8": 1 << 7, "int16": 1 << 15}
#: Magnitude up to which every integer has a float32.
EXACT = 1 << 24


@dataclass(frozen=True, slots=True, eq=False)
class Weights:
    """Weights less their zero point, shape (channels, depth), in a float type that keeps their sums of products.

    ``sums`` is the sum over the depth of each channel, ``bound`` the largest magnitude a sum of products can have.
    """

    matrix: Array
    sums: Ints
    bound: int

    def offset(self, bias: Operand | None, zero_point: int) -> Ints:
        """Return the constant to add to a channel's sum of stored products: bias - z * sum w, int64 of shape
        (channels,)."""
        made = -zero_point * self.sums
        return made if bias is None else made + bias.data.reshape(-1)

    def wraps(self, offset: Ints) -> bool:
        """Return True if an int32 accumulator may overflow."""
        return bool(self.bound + int(np.abs(offset).max(initial=0)) > 2**31 - 1)


def weights(stored: Array, zero_point: int, largest: int) -> Weights:
    """Prepare integer weights of shape (channels, depth) for inputs of magnitude up to ``largest``."""
    most = stored.shape[1] * largest * int(-np.iinfo(stored.dtype).min)
    if zero_point:
        stored = stored.astype(np.int64) - zero_point
    sums = stored.sum(axis=1, dtype=np.int64)
    if most > EXACT or zero_point:
        magnitudes = 2 * np.maximum(stored, 0).sum(axis=1, dtype=np.int64) - sums
        most = largest * int(magnitudes.max(initial=0))
    carrier = np.float32 if most <= EXACT else np.float64
    return Weights(stored.astype(carrier), sums, most)


def signed(value: Operand | OutputSpec) -> tuple[str, int]:
    """(type, zero point) under which a quantized operand is computed: uint8 becomes int8, shifted down by 128."""
    return ("int8", value.zero_point - 128) if value.dtype == "uint8" else (value.dtype, value.zero_point)


def as_signed(data: Array) -> Array:
    """Stored values under :func:`signed`'s type: uint8 with its top bit flipped, everything else as it is.

    For example, 0 and 255 become -128 and 127.
    """
    return (data ^ np.uint8(128)).view(np.int8) if data.dtype == np.uint8 else data
