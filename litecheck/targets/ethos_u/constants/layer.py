"""The constants of a compiled sum of products: each channel's bias, multiplier and shift, beside LiteRT's own."""

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
from litecheck.tallies import counted
from litecheck.targets.ethos_u.constants.command_stream import NpuOperation, Register

#: Bytes of a channel in the stream of scales.
_RECORD = 10
#: How results are rounded, by the number in the stream.
_U55_ROUNDINGS = {0: "double", 2: "natural"}
_U85_ROUNDINGS = {0: "double", 1: "natural"}


@dataclass(frozen=True, slots=True, eq=False)
class ChannelConstants:
    """Integers of shape (channels,): what is added to a sum, what it is multiplied with, and the shift behind."""

    bias: Ints
    multiplier: Ints
    shift: Ints


def channel_constants(operations: Sequence[NpuOperation], channels: int, u85: bool) -> ChannelConstants:
    """Those of all operations together, in the order of the channels. Raises NotSupported where they cannot be told."""
    seen, found = set[tuple[int, int, bytes]](), list[tuple[int, int, int]]()
    for operation in operations:
        if operation.payload(Register.SECOND_SCALE_LENGTH):
            raise NotSupported("not covered: its scales are dealt out to two cores")
        place = operation.parameter(Register.SCALE_REGION), operation.payload(Register.SCALE_BASE)
        wide = u85 and bool(operation.parameter(Register.ACCUMULATOR) & 1)
        count = operation.parameter(Register.OFM_DEPTH) + 1
        data = operation.read(*place, count * _RECORD)
        if data is None:
            raise NotSupported("not covered: its scales cannot be found among the compiled model's constants")
        if (*place, data) not in seen:  # stripes of an image share the scales of their channels
            found += [_record(data[at : at + _RECORD], u85, wide) for at in range(0, len(data), _RECORD)]
        seen.add((*place, data))
    if found == found[:channels] * (
        len(found) // max(1, channels)
    ):  # each image of a batch may have them copied anew
        found = found[:channels]
    if len(found) != channels:
        raise NotSupported(f"not covered: scales of {len(found)} channels for {channels}")
    bias, multiplier, shift = np.array(found, np.int64).reshape(-1, 3).T
    return ChannelConstants(bias, multiplier, shift)


def _record(data: bytes, u85: bool, wide: bool) -> tuple[int, int, int]:
    """(bias, multiplier, shift): of 40, 32 and 6 bits; on the U85 of 32, 32 and 6, or of 48, 16 and 6."""
    first = (6 if wide else 4) if u85 else 5
    last = 8 if u85 else 9
    bias = int.from_bytes(data[:first], "little", signed=True)
    return bias, int.from_bytes(data[first:last], "little"), data[last] & 63


def rounding(operation: NpuOperation, u85: bool) -> str:
    """How an operation rounds: ``double`` (twice, as gemmlowp does) or ``natural`` (once, half up). Raises
    NotSupported."""
    if u85:
        number = operation.parameter(Register.OFM_SCALE) >> 13
        known = _U85_ROUNDINGS
    else:
        number = operation.parameter(Register.OFM_PRECISION) >> 14
        known = _U55_ROUNDINGS
    if number not in known:
        raise NotSupported(f"not covered: results are rounded in mode {number}")
    return known[number]


def rescaled(sums: Ints, multiplier: Ints, shift: Ints, mode: str) -> Ints:
    """sums * multiplier / 2^shift, rounded as the mode says; 1 and 0 leave them as they are."""
    if mode == "double":
        made = multiply_double(sums, multiplier, 31 - shift)
        return np.where((multiplier == 1) & (shift == 0), sums, made)
    once: Ints = (sums * multiplier + ((np.int64(1) << shift) >> 1)) >> shift
    return once


@dataclass(frozen=True, slots=True, eq=False)
class Expected:
    """What LiteRT makes of the scales: multiplier and shift of each channel, and in words how."""

    multiplier: Ints
    shift: Ints
    words: str


def expected(
    double: NDArray[np.float64], single: NDArray[np.float64], narrow: bool, wide: bool
) -> tuple[Expected, ...]:
    """The ways in which real multipliers become integers, LiteRT's own for the operator first.

    ``double`` are products of the scales in float64 and ``single`` in float32, which LiteRT takes where ``narrow``;
    ``wide``: sums of 64 bits, whose multipliers have 15 bits.
    """
    made = []
    for product, real in (("float64", double), ("float32", single)):
        m, shift = quantize_multipliers(real)
        forms = ((31, m, 31 - shift), (15, reduce_multiplier(m, 15), 15 - shift))
        made += [
            ((product == "float32") == narrow, (bits == 15) == wide, Expected(a, b, _words(product, bits)))
            for bits, a, b in forms
        ]
    return tuple(e for _, _, e in sorted(made, key=lambda way: way[:2], reverse=True))


def _words(product: str, bits: int) -> str:
    return f"{bits} bits of a {product} product of the scales"


def defects(found: ChannelConstants, bias: Ints, ways: Sequence[Expected]) -> Iterator[str]:
    """What is otherwise than LiteRT has it, in words: multipliers and shifts, then biases."""
    own = ways[0]
    if _differing(found, own).any():
        fitting = next((way for way in ways if not _differing(found, way).any()), None)
        if fitting is not None:
            yield f"multipliers are {fitting.words}, LiteRT's {own.words}"
        else:
            nearest = min(ways, key=lambda way: int(_differing(found, way).sum()))
            wrong = np.flatnonzero(_differing(found, nearest))
            c = int(wrong[0])
            yield (
                f"{_of(len(wrong), len(bias))} with another multiplier, the first {c}: {found.multiplier[c]} and shift "
                f"{found.shift[c]}, not {nearest.multiplier[c]} and {nearest.shift[c]}"
            )
    wrong = np.flatnonzero(found.bias != bias)
    if len(wrong):
        c = int(wrong[0])
        yield (
            f"{_of(len(wrong), len(bias))} with another bias, the first {c}: {found.bias[c]}, not {bias[c]}"
        )


def _of(some: int, channels: int) -> str:
    return f"{some} of {counted(channels, 'channel')}"


def _differing(found: ChannelConstants, way: Expected) -> NDArray[np.bool_]:
    """A multiplier of 0 is 0 under any shift."""
    shifted: NDArray[np.bool_] = (found.shift != way.shift) & (way.multiplier != 0)
    multiplied: NDArray[np.bool_] = found.multiplier != way.multiplier
    return shifted | multiplied
