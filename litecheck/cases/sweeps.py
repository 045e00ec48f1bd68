"""Inputs at the limits of types, and sweeps over all stored values of element-wise operators."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

import numpy as np

from litecheck.arrays import Array, blocks
from litecheck.cases.inputs import (
    DIRECTED,
    PROPAGATED,
    RANDOM,
    Input,
    draws,
    has_steering_values,
    inputs_of,
    only,
)
from litecheck.cases.model_parts import Case
from litecheck.cases.stimulus import Stimuli, Stimulus
from litecheck.quantization import BITS, INTEGER_RANGES

#: Largest number of sweeps.
_SWEEPS = 64
_Pattern = Callable[[Input, int, int], Array]
#: Both limits, alternating limits in a period that does not divide usual channel counts, zero points.
_PATTERNS: tuple[_Pattern, ...] = (
    lambda use, size, place: np.full(size, use.bounds[0]),
    lambda use, size, place: np.full(size, use.bounds[1]),
    lambda use, size, place: np.where((np.arange(size) // 3 + place) % 2, *use.bounds),
    lambda use, size, place: np.full(size, use.zero_point),
)


def directed_stimuli(case: Case, tensors: Mapping[int, Array]) -> Iterator[Stimulus]:
    """Return minima, maxima, alternating minima and maxima, zero points, and sweeps over all stored values (all pairs
    for two inputs).

    Returns none for a case without an input of few stored values.
    """
    uses = inputs_of(case)
    if not has_steering_values(uses, tensors) or not any(use.is_quantized for use in uses):
        return
    for pattern in (*_PATTERNS, *_sweeps(case, uses)):
        place, arrays = 0, []
        for use in uses:
            like = use.like(tensors)
            if use.steers or not use.is_quantized:
                arrays.append(
                    tensors[use.tensor.index] if use.tensor.index in tensors else np.ones_like(like)
                )
                continue
            codes = pattern(use, like.size, place).astype(like.dtype)
            arrays.append(np.clip(codes, *use.bounds).astype(like.dtype).reshape(like.shape))
            place += 1
        yield Stimulus(DIRECTED, tuple(arrays))


def exhaustive(case: Case, stimuli: Stimuli) -> str:
    """Return the inputs that were covered completely, e.g. "all 256 values", or ""; only for single element-wise
    operators."""
    if DIRECTED not in stimuli.kinds:
        return ""
    elementwise, uses = only(case).elementwise, inputs_of(case)
    bits = {BITS.get(u.tensor.dtype, 64) if u.is_quantized else 64 for u in uses}
    if elementwise == "unary" and len(uses) == 1 and bits <= {8, 16}:
        codes = 1 << bits.pop()
        each = [array.reshape(-1) for array in blocks(stimuli.runs, 0)]
        swept = len(np.unique(np.concatenate(each))) == codes
        return f"all {codes:,} values" if swept else ""
    if (
        elementwise == "binary"
        and len(uses) == 2
        and bits == {8}
        and len({u.tensor.shape for u in uses}) == 1
    ):
        large = (arrays for arrays in stimuli.runs if arrays[0].size >= 1 << 16)
        pairs = (a.reshape(-1).astype(np.int64) * 256 + b.reshape(-1) for a, b in large)
        swept = any(len(np.unique(both)) == 1 << 16 for both in pairs)
        return "all 65,536 pairs" if swept else ""
    return ""


def near_edges(case: Case, kinds: Sequence[str], samples: int) -> int:
    """Return the approximate number of inputs of a case, from its shapes alone."""
    uses = inputs_of(case)
    count = samples if PROPAGATED in kinds else 0
    if RANDOM in kinds:
        count += draws(case)
    if DIRECTED in kinds and any(use.is_quantized for use in uses):
        count += 4 + len(list(_sweeps(case, uses)))
    return max(count, 1)


#: Steps of about the golden section of a turn spread evenly over all positions.
_STRIDE, _TURN = 40503, 1 << 16


def _sweeps(case: Case, uses: Sequence[Input]) -> Iterator[_Pattern]:
    """Yield a sweep, or for a single operand as many sweeps as every stored value needs."""
    count = 1
    if len(uses) == 1 and only(case).elementwise == "unary":
        size = math.prod(uses[0].tensor.shape)
        count = min(_SWEEPS, -(-(1 << BITS[uses[0].tensor.dtype]) // max(size, 1)))
    yield from (partial(_sweep, number=number) for number in range(count))


def _sweep(use: Input, size: int, place: int, number: int = 0) -> Array:
    """Return stored values that continue from the previous sweep.

    The second operand advances after the first has had all values. With too few elements for all pairs, the second
    operand has another order.
    """
    low, high = INTEGER_RANGES[use.tensor.dtype]
    codes = high - low + 1
    at = np.arange(number * size, (number + 1) * size)
    enough = not place or size >= codes * codes
    return np.add(low, at // codes**place % codes if enough else at * _STRIDE % _TURN * codes // _TURN)
