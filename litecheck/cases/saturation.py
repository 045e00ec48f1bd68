"""Saturation: outputs at the limits of their type show no rounding, and inputs nearer to zero can avoid them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from litecheck.arrays import Array, Arrays, blocks
from litecheck.cases.inputs import DIRECTED, Input, has_codes, inputs_of
from litecheck.cases.model_parts import Case
from litecheck.cases.sequences import sequence
from litecheck.cases.stimulus import Stimuli, Stimulus
from litecheck.quantization import INTEGER_RANGES

#: Divisors of the inputs' distances from their zero points.
_DIVISORS = (4, 16, 64, 256)


def saturates(case: Case, outputs: Sequence[Arrays]) -> bool:
    """Return True if every output of every inference is at a limit of its type.

    Only outputs of at most 16 bits can saturate. Example: int8 outputs of -128 and 127 alone.
    """
    tensors = [case.subgraph.tensors[index] for index in case.submodel.outputs]
    if not outputs or not tensors or not all(map(has_codes, tensors)):
        return False
    pairs = [(a, INTEGER_RANGES[t.dtype]) for at, t in enumerate(tensors) for a in blocks(outputs, at)]
    return any(a.size for a, _ in pairs) and all(((a == low) | (a == high)).all() for a, (low, high) in pairs)


def attenuate_series(case: Case, stimuli: Stimuli) -> Iterator[Stimulus]:
    """Yield the first series of a case with inputs nearer to their zero points, once for each divisor.

    Example: input 43 with zero point 3 and divisor 4 gives 13. Inputs that steer the operator keep their values.
    """
    uses = inputs_of(case)
    first = [stimuli[number] for number in stimuli.series[0]]
    for divisor in _DIVISORS:
        nearer = [
            replace(
                stimulus,
                kind=DIRECTED,
                arrays=tuple(
                    _move_to_zero_point(*pair, divisor) for pair in zip(uses, stimulus.arrays, strict=True)
                ),
            )
            for stimulus in first
        ]
        yield from sequence(nearer)


def _move_to_zero_point(use: Input, array: Array, divisor: int) -> Array:
    if use.steers or not (use.is_quantized or array.dtype.kind == "f"):
        return array
    if not use.is_quantized:
        return (array / divisor).astype(array.dtype)
    distance = np.trunc((array.astype(np.int64) - use.zero_point) / divisor).astype(np.int64)
    return np.clip(use.zero_point + distance, *use.bounds).astype(array.dtype)
