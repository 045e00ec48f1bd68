"""Constants of a compiled convolution or FULLY_CONNECTED: bias, multiplier and shift per channel, compared with LiteRT."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from litecheck.devices.port import NotSupported
from litecheck.reference.numerics.fixedpoint import (
    Ints,
    multiply_double,
    quantize_multipliers,
    reduce_multiplier,
)
from litecheck.summary_text import count_of
from litecheck.targets.ethos_u.constants.command_stream import NpuOperation, Register

#: Bytes per channel in the scale stream.
_RECORD = 10
#: Rounding modes by their number in the command stream.
_U55_ROUNDINGS = {0: "double", 2: "natural"}
_U85_ROUNDINGS = {0: "double", 1: "natural"}


@dataclass(frozen=True, slots=True, eq=False)
class ChannelConstants:
    """Bias, multiplier and right shift of each channel: integers of shape (channels,)."""

    bias: Ints
    multiplier: Ints
    shift: Ints


def channel_constants(operations: Sequence[NpuOperation], channels: int, u85: bool) -> ChannelConstants:
    """Return the constants of all operations in channel order. Raises NotSupported if they are not found."""
    seen, found = set[tuple[int, int, bytes]](), list[tuple[int, int, int]]()
    for operation in operations:
        if operation.payload(Register.SECOND_SCALE_LENGTH):
            raise NotSupported("not covered: the scales are divided between two cores")
        location = operation.parameter(Register.SCALE_REGION), operation.payload(Register.SCALE_BASE)
        is_48bit = u85 and bool(operation.parameter(Register.ACCUMULATOR) & 1)
        count = operation.parameter(Register.OFM_DEPTH) + 1
        data = operation.read_constants(*location, count * _RECORD)
        if data is None:
            raise NotSupported("not covered: the scales are not among the constants of the compiled model")
        if (*location, data) not in seen:  # stripes of one output share the scales
            found += [_record(data[at : at + _RECORD], u85, is_48bit) for at in range(0, len(data), _RECORD)]
        seen.add((*location, data))
    if found == found[:channels] * (
        len(found) // max(1, channels)
    ):  # the scales may be repeated for each batch
        found = found[:channels]
    if len(found) != channels:
        raise NotSupported(f"not covered: scales of {len(found)} channels for {channels}")
    bias, multiplier, shift = np.array(found, np.int64).reshape(-1, 3).T
    return ChannelConstants(bias, multiplier, shift)


def _record(data: bytes, u85: bool, is_48bit: bool) -> tuple[int, int, int]:
    """Return (bias, multiplier, shift): 40, 32 and 6 bits; on U85 32, 32 and 6 bits, or 48, 16 and 6 bits."""
    first = (6 if is_48bit else 4) if u85 else 5
    last = 8 if u85 else 9
    bias = int.from_bytes(data[:first], "little", signed=True)
    return bias, int.from_bytes(data[first:last], "little"), data[last] & 63


def rounding(operation: NpuOperation, u85: bool) -> str:
    """Return the rounding mode: ``double`` (twice, as in gemmlowp) or ``natural`` (once, half up). Raises NotSupported."""
    if u85:
        number = operation.parameter(Register.OFM_SCALE) >> 13
        known = _U85_ROUNDINGS
    else:
        number = operation.parameter(Register.OFM_PRECISION) >> 14
        known = _U55_ROUNDINGS
    if number not in known:
        raise NotSupported(f"not covered: rounding mode {number}")
    return known[number]


def rescale_sums(sums: Ints, multiplier: Ints, shift: Ints, mode: str) -> Ints:
    """Return sums * multiplier / 2^shift with a rounding mode. Multiplier 1 and shift 0 return the sums.

    For example, sum 5, multiplier 1 and shift 1 give 3 for ``natural``.
    """
    if mode == "double":
        doubled = multiply_double(sums, multiplier, 31 - shift)
        return np.where((multiplier == 1) & (shift == 0), sums, doubled)
    once: Ints = (sums * multiplier + ((np.int64(1) << shift) >> 1)) >> shift
    return once


@dataclass(frozen=True, slots=True, eq=False)
class Multipliers:
    """Multiplier and shift of each channel as LiteRT computes them from the scales, and a description."""

    multiplier: Ints
    shift: Ints
    description: str


def expected_multipliers(
    double: NDArray[np.float64], single: NDArray[np.float64], uses_float32: bool, has_64bit_sums: bool
) -> tuple[Multipliers, ...]:
    """Return the variants of quantized multipliers; LiteRT's variant for the operator is the first.

    ``double`` and ``single`` are products of the scales in float64 and float32. LiteRT uses float32 if ``uses_float32``, and
    15-bit multipliers for 64-bit sums (``has_64bit_sums``).
    """
    variants = []
    for product, real in (("float64", double), ("float32", single)):
        m, shift = quantize_multipliers(real)
        forms = ((31, m, 31 - shift), (15, reduce_multiplier(m, 15), 15 - shift))
        variants += [
            (
                (product == "float32") == uses_float32,
                (bits == 15) == has_64bit_sums,
                Multipliers(a, b, _describe(product, bits)),
            )
            for bits, a, b in forms
        ]
    return tuple(e for _, _, e in sorted(variants, key=lambda variant: variant[:2], reverse=True))


def _describe(product: str, bits: int) -> str:
    return f"{bits} bits of a {product} product of the scales"


def differences(found: ChannelConstants, bias: Ints, variants: Sequence[Multipliers]) -> Iterator[str]:
    """Yield a description of the differences from LiteRT: of multipliers and shifts, then of biases."""
    own, channels = variants[0], len(bias)
    if _differing_channels(found, own).any():
        fitting = next((one for one in variants if not _differing_channels(found, one).any()), None)
        if fitting is not None:
            yield f"multipliers are {fitting.description}, LiteRT's {own.description}"
        else:
            nearest = min(variants, key=lambda one: int(_differing_channels(found, one).sum()))
            wrong = np.flatnonzero(_differing_channels(found, nearest))
            c = int(wrong[0])
            value = f"{found.multiplier[c]} and shift {found.shift[c]}"
            value += f", expected {nearest.multiplier[c]} and {nearest.shift[c]}"
            yield f"{_count_of(len(wrong), channels)} with a different multiplier, first channel {c}: {value}"
    wrong = np.flatnonzero(found.bias != bias)
    if len(wrong):
        c = int(wrong[0])
        value = f"{found.bias[c]}, expected {bias[c]}"
        yield f"{_count_of(len(wrong), channels)} with a different bias, first channel {c}: {value}"


def _count_of(some: int, channels: int) -> str:
    return f"{some} of {count_of(channels, 'channel')}"


def _differing_channels(found: ChannelConstants, wanted: Multipliers) -> NDArray[np.bool_]:
    """Return a mask of the channels that differ. For a multiplier of 0 the shift is ignored."""
    shifted: NDArray[np.bool_] = (found.shift != wanted.shift) & (wanted.multiplier != 0)
    multiplied: NDArray[np.bool_] = found.multiplier != wanted.multiplier
    return shifted | multiplied
