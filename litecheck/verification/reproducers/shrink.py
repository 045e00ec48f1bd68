"""Search for the smallest failing trial: smaller shapes first, then simpler values."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.model.stored_values import stored_integers
from litecheck.model.types import Tensor
from litecheck.quantization import INTEGER_RANGES
from litecheck.verification.reproducers.model_reduction import (
    Trial,
    fewer,
    narrower,
    with_tensors,
    with_values,
)

#: Predicate: True if a trial still has the failure.
Fails = Callable[[Trial], bool]


def shrink(trial: Trial, fails: Fails, budget: int = 200) -> Trial:
    """Shrink a failing trial as long as smaller trials fail, with at most ``budget`` attempts."""
    left = _Budget(fails, budget)
    while (shorter := left.first(fewer(trial))) is not None:
        trial = shorter
    while (smaller := left.first(t for t in narrower(trial) if t.size < trial.size)) is not None:
        trial = smaller
    return _clear_parts(trial, left)


class _Budget:
    def __init__(self, fails: Fails, tries: int) -> None:
        self.fails, self.tries = fails, tries

    def holds(self, trial: Trial) -> bool:
        """Return True if the trial fails; False once the budget is spent."""
        if not self.tries:
            return False
        self.tries -= 1
        return self.fails(trial)

    def first(self, trials: Iterator[Trial]) -> Trial | None:
        return next((t for t in trials if self.tries and self.holds(t)), None)


def _clear_parts(trial: Trial, left: _Budget) -> Trial:
    """Replace irrelevant values by zero points, part by part: inputs, weights, biases."""
    main = trial.model.subgraphs[0]
    for at, index in enumerate(main.inputs):
        tensor = main.tensors[index]
        if tensor.dtype in INTEGER_RANGES and tensor.quantization.is_set:
            trial = _clear_input(trial, at, _zero(tensor), left)
    for tensor in main.tensors:
        if tensor.is_constant and tensor.quantization.is_set and tensor.dtype in INTEGER_RANGES:
            trial = _clear_constant(trial, tensor.index, left)
    return trial


def _clear_input(trial: Trial, at: int, zero: int, left: _Budget) -> Trial:
    def put(values: NDArray[Any]) -> Trial:
        arrays = list(trial.inputs)
        arrays[at] = values
        return replace(trial, inputs=tuple(arrays))

    return put(_clear_values(trial.inputs[at], zero, lambda values: left.holds(put(values))))


def _clear_constant(trial: Trial, index: int, left: _Budget) -> Trial:
    tensor = trial.model.subgraphs[0].tensors[index]
    values = stored_integers(tensor)
    if values is None:
        return trial

    def put(changed: NDArray[Any]) -> Trial:
        return replace(trial, model=with_tensors(trial.model, {index: with_values(tensor, changed)}))

    return put(_clear_values(values, _zero(tensor), lambda changed: left.holds(put(changed))))


def _clear_values(values: NDArray[Any], zero: int, holds: Callable[[NDArray[Any]], bool]) -> NDArray[Any]:
    """Set halves, quarters, eighths and so on of the values to ``zero`` as long as the trial fails."""
    kept: NDArray[Any] = values.copy()
    size = kept.size
    parts = 1
    while parts <= max(1, size) and parts <= 64:
        step = -(-size // parts)
        for start in range(0, size, max(1, step)):
            changed = kept.copy()
            changed.reshape(-1)[start : start + step] = zero
            if not np.array_equal(changed, kept) and holds(changed):
                kept = changed
        parts *= 2
    return kept


def _zero(tensor: Tensor) -> int:
    """Return the stored value of zero, or the nearest value that the type holds."""
    zero_points = tensor.quantization.zero_point
    zero = int(zero_points[0]) if zero_points.size == 1 else 0
    low, high = INTEGER_RANGES.get(tensor.dtype, (zero, zero))
    return min(max(zero, low), high)
