"""Causes that are found from stored integers only: offsets, signs, ranges, byte orders."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice, permutations

import numpy as np
from numpy.typing import NDArray

from litecheck.quantizer.comparison_result import IntegerCause, Mismatch, sample
from litecheck.quantizer.onnx_types import RANGES

#: Maximum number of tested orders of dimensions. Four dimensions have 24.
_MOST_ORDERS = 24
#: Minimum number of differences for a range or a rounding pattern.
_ENOUGH = 8

#: A function from a tile to the integers that the device would have if the cause applied.
Rule = Callable[[slice], NDArray[np.int64]]


def patterns(case: Mismatch) -> tuple[IntegerCause, ...]:
    """Return the patterns that reproduce ``actual`` exactly."""
    found: dict[str, IntegerCause] = {}
    for name, sentence, rule in _candidates(case):
        # If nothing saturates, wrapping around gives the same integers.
        known = name.removesuffix("-wrapped") in found
        if not known and all((rule(tile) == case.actual[tile]).all() for tile in case.tiles()):
            found[name] = IntegerCause(name, sentence, True, case.mismatches)
    return tuple(found.values()) or _half_even(case)


def _candidates(case: Mismatch) -> Iterator[tuple[str, str, Rule]]:
    low, high = RANGES[case.dtype]

    yield from _offsets(case, low, high)
    yield from _ranges(case, low, high)
    half = (high - low + 1) // 2
    yield (
        "sign-bit",
        f"The device's integers have the top bit turned over: signed and unsigned are {half} apart.",
        lambda tile: (case.wide(tile) - low + half) % (2 * half) + low,
    )
    yield from _orders(case)


def _offsets(case: Mismatch, low: int, high: int) -> Iterator[tuple[str, str, Rule]]:
    """Yield a constant offset of all elements: the difference that most elements have."""
    positions = sample(case)
    values = case.actual[positions].astype(np.int64) - case.wide(positions)
    steps, counts = np.unique(values, return_counts=True)
    by = int(steps[counts.argmax()])
    if not by or 2 * abs(by) == high - low + 1:
        return
    told = f"Every integer is off by {by:+d}, as from a zero point off by {by:+d}"
    yield "offset", f"{told}.", lambda tile: np.clip(case.wide(tile) + by, low, high)
    yield (
        "offset-wrapped",
        f"{told}, and wraps around instead of saturating.",
        lambda tile: (case.wide(tile) + by - low) % (high - low + 1) + low,
    )


def _ranges(case: Mismatch, low: int, high: int) -> Iterator[tuple[str, str, Rule]]:
    """Yield a narrower range that the device's integers never leave."""
    bottom = min(int(case.actual[tile].min()) for tile in case.tiles())
    top = max(int(case.actual[tile].max()) for tile in case.tiles())
    if low < 0 and bottom == -high:
        sentence = f"The device saturates at {-high} instead of {low}."
        yield "symmetric-saturation", sentence, lambda tile: np.clip(case.wide(tile), -high, high)
    elif case.mismatches >= _ENOUGH and (bottom, top) != (low, high):
        sentence = f"The device clips to {bottom}..{top}."
        yield "clipped", sentence, lambda tile: np.clip(case.wide(tile), bottom, top)


def _orders(case: Mismatch) -> Iterator[tuple[str, str, Rule]]:
    """Yield correct integers in a wrong order of elements or bytes."""
    whole = case.expected.reshape(case.shape)
    seen = {tuple(n for n, length in enumerate(case.shape) if length > 1)}
    for order in islice(permutations(range(len(case.shape))), _MOST_ORDERS):
        moved = tuple(n for n in order if case.shape[n] > 1)
        if moved in seen:
            continue
        seen.add(moved)
        turned = whole.transpose(order)
        layout = ", ".join(map(str, order))
        sentence = f"The device's elements lie in the order of the axes ({layout})."
        yield "transposed", sentence, _flat_rule(turned)
    low, high = RANGES[case.dtype]
    bits = (high - low).bit_length()
    if bits > 8:
        swapped = case.expected.byteswap()
        yield "byte-order", "The device's integers have their bytes in the other order.", _flat_rule(swapped)
    if bits < 8:
        per_byte = 8 // bits
        if case.actual.size % per_byte == 0:
            turned = case.expected.reshape(-1, per_byte)[:, ::-1]
            sentence = "The device packs the high bits of each byte first."
            yield "high-bits-first", sentence, _flat_rule(turned)


def _flat_rule(values: NDArray[np.int64]) -> Rule:
    flat = values.flat
    return lambda tile: np.asarray(flat[tile])


def _half_even(case: Mismatch) -> tuple[IntegerCause, ...]:
    """Return the pattern of ties to even: each difference is a step from an odd to an even number of steps.

    Real values would prove it. From integers it is concluded if all differences are of this kind.
    """
    if case.real is not None or case.parameters is None or case.mismatches < _ENOUGH:
        return ()
    zero_point = case.parameters.zero_point
    if zero_point is not None and zero_point.size > 1:
        return ()
    zero = 0 if zero_point is None else int(zero_point.reshape(-1)[0])
    for tile in case.tiles():
        wrong = case.expected[tile] != case.actual[tile]
        ours = np.abs(case.wide(tile)[wrong] - zero)
        theirs = np.abs(case.actual[tile][wrong].astype(np.int64) - zero)
        if not ((ours % 2 == 1) & (theirs == ours - 1)).all():
            return ()
    sentence = "Every difference is one step towards zero onto an even value, as when ties go to even."
    return (IntegerCause("half-even-pattern", sentence, False, case.mismatches),)
