"""Faults of an operator's constants: scales, zero points, values, channels, exchanged constants."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.model.constant_values import constant_values
from litecheck.model.stored_values import stored_integers
from litecheck.model.types import Tensor
from litecheck.quantization import INTEGER_RANGES, Quantization
from litecheck.summary_text import count_of
from litecheck.tracing.bias_scales import MISFIT, ROUNDED
from litecheck.tracing.float_forms import HeldConstant
from litecheck.tracing.moved_constants import by_channel
from litecheck.tracing.storage import is_quantized

#: Share of the error that another scale must remove for the scale to be the cause.
_EXPLAINED = 0.5
#: Number of levels up to which weights of another type than int4 have too few levels.
_LEVELS = 16
#: Share of the power of weights below which a difference is rounding.
_SAME = 0.02
#: Smallest share of weights that clipping leaves unchanged.
_INSIDE = 0.1
#: Steps up to which a difference is rounding, also of weights that were rounded to 8 bits before.
_ROUNDING = 0.6


def relative_error(held: HeldConstant) -> float:
    """Return the squared error of a stored constant relative to its squares, infinite if they cannot be compared.

    Example: the weights 3 and 4 that are stored as 3 and 4.5 have 0.25 / 25 = 0.01.
    """
    want = constant_values(held.real)
    got = None if held.stored is None else constant_values(held.stored)
    if want is None or got is None or want.shape != got.shape:
        return np.inf
    return float(np.square(got - want).sum() / max(np.square(want).sum(), 1e-300))


def exchange_text(held: Sequence[HeldConstant]) -> str:
    """Return a text on the first constant that equals another constant of the float operator, or "".

    Example: the weights of the input gate of an LSTM are those of the forget gate.
    """
    for one in held:
        got = None if one.stored is None else constant_values(one.stored)
        if got is None or not got.any() or relative_error(one) < _SAME:
            continue
        for other in held:
            want = constant_values(other.real)
            if other is one or want is None or want.shape != got.shape:
                continue
            if np.square(want - got).sum() < _SAME * np.square(want).sum():
                return f"its {one.role} are the float model's {other.role}"
    return ""


def channel_fit(real: Tensor, stored: Tensor) -> NDArray[np.float64]:
    """Return per scale the factor by which it fits the stored integers best: 0.5 for a scale that is twice too large."""
    want, got = constant_values(real), constant_values(stored)
    q = stored.quantization
    if want is None or got is None or want.shape != got.shape:
        return np.ones(1)
    if q.scale.size > 1 and q.axis < got.ndim:
        want, got = (np.moveaxis(v, q.axis, 0).reshape(q.scale.size, -1) for v in (want, got))
    else:
        want, got = want.reshape(1, -1), got.reshape(1, -1)
    power = np.square(got).sum(axis=1)
    fit: NDArray[np.float64] = np.where(
        power > 0, (want * got).sum(axis=1) / np.where(power > 0, power, 1), 1.0
    )
    return fit


def scale_words(held: HeldConstant) -> str:
    """Return a text on the scales that do not fit, if other scales explain most of the error of the weights, else ""."""
    if held.stored is None or not is_quantized(held.stored):
        return ""
    want, got, q = constant_values(held.real), constant_values(held.stored), held.stored.quantization
    if want is None or got is None or want.shape != got.shape:
        return ""
    fit = channel_fit(held.real, held.stored)
    wrong = np.abs(np.log(np.maximum(fit, 1e-9))) > MISFIT
    shape = [-1 if n == q.axis and fit.size > 1 else 1 for n in range(got.ndim)]
    before, after = np.square(got - want).sum(), np.square(got * fit.reshape(shape) - want).sum()
    if not wrong.any() or after > (1 - _EXPLAINED) * before:
        return ""
    if fit.size == 1 and np.square(got - want - (got - want).mean()).sum() < after:
        return ""  # a zero point explains more
    logs = np.log(np.maximum(fit[wrong], 1e-9))
    factor = 1 / float(fit[wrong][np.argmax(np.abs(logs))])
    if factor <= 0 or factor > 1e6:
        return ""
    if want.size == 1:
        return f"its constant is {got.item():.4g}, and the float model's is {want.item():.4g}"
    size = f"{factor:.3g} times too large" if factor > 1 else f"{1 / factor:.3g} times too small"
    verb = "is" if wrong.sum() == 1 else "are" if np.ptp(logs) < MISFIT else "do not fit, the worst is"
    return f"{int(wrong.sum())} of {count_of(fit.size, 'weight scale')} {verb} {size}"


def value_words(held: HeldConstant, axis: int) -> str:
    """Return a text on the fault of weights: channels of zeros, few levels, or values."""
    if held.stored is None:
        return ""
    want, got, stored = constant_values(held.real), constant_values(held.stored), stored_integers(held.stored)
    if want is None or got is None or stored is None or want.shape != got.shape:
        return "its weights are not the float model's"
    rows, real = (by_channel(values, axis) for values in (got, want))
    dead = np.all(rows == rows[:, :1], axis=1) & (np.ptp(real, axis=1) > 0)
    if dead.any() and rows.shape[1] > 1:
        verb = "have equal weights" if rows[dead].any() else "are 0" if dead.sum() > 1 else "is 0"
        return f"{int(dead.sum())} of {count_of(len(rows), 'channel')} {verb}"
    if words := _dead_inputs(want, got, axis):
        return words
    levels = np.unique(stored).size
    if held.stored.dtype != "int4" and stored.size > 4 * _LEVELS and levels <= _LEVELS:
        return f"its weights have {levels} levels"
    off, norm = np.sqrt(np.square(rows - real).sum(axis=1)), np.sqrt(np.square(real).sum(axis=1))
    wrong = int(np.count_nonzero(off > 0.1 * np.maximum(norm, 1e-12)))
    negated = np.flatnonzero(np.square(rows + real).sum(axis=1) < ROUNDED * np.square(real).sum(axis=1))
    if 0 < wrong == negated.size:
        verb = (
            "have the opposite sign, the first is channel" if wrong > 1 else "has the opposite sign: channel"
        )
        return f"{wrong} of {count_of(len(rows), 'channel')} {verb} {negated[0]}"
    if words := _offset_words(want, got, held.stored) or _coarse_words(want, got, held.stored):
        return words
    share = f"its weights differ by {100 * np.sqrt(relative_error(held)):.2g} % (rms)"
    return f"{share}, most in {wrong:,} of {count_of(len(rows), 'channel')}" if wrong else share


def _dead_inputs(want: NDArray[np.float64], got: NDArray[np.float64], axis: int) -> str:
    """Return a text on input channels that are 0 only in the quantized model, or "". They are the last dimension."""
    if want.ndim < 2 or axis == want.ndim - 1:
        return ""
    columns, real = (values.reshape(-1, want.shape[-1]).any(axis=0) for values in (got, want))
    dead = np.flatnonzero(real & ~columns)
    if not dead.size or dead.size == real.size:
        return ""
    verb = "are 0, the first is" if dead.size > 1 else "is 0:"
    return f"{dead.size} of {count_of(real.size, 'input channel')} {verb} channel {dead[0]}"


def _offset_words(want: NDArray[np.float64], got: NDArray[np.float64], stored: Tensor) -> str:
    """Return a text on the difference of a zero point, if it explains most of the error, else ""."""
    if stored.quantization.scale.size != 1:
        return ""
    off = got - want
    steps = round(float(off.mean() / stored.quantization.scale[0]))
    if not steps or np.square(off - off.mean()).sum() > (1 - _EXPLAINED) * np.square(off).sum():
        return ""
    return f"the zero point of its constant is {abs(steps)} too {'high' if steps < 0 else 'low'}"


def _rows_by_scale(values: NDArray[Any], q: Quantization) -> NDArray[Any]:
    """Return the values in a row for each scale, (scales, elements)."""
    return values.reshape(1, -1) if q.scale.size == 1 else by_channel(values, q.axis)


def clipping_text(held: HeldConstant) -> str:
    """Return a text on channels of weights that were clipped to a narrower range, or "".

    Example: the weights -3, 1, 2, -4 that are stored as -2, 1, 2, -2. All weights with one scale are one channel.
    """
    want, got = constant_values(held.real), None if held.stored is None else constant_values(held.stored)
    if held.stored is None or not is_quantized(held.stored) or want is None or got is None:
        return ""
    if want.shape != got.shape:
        return ""
    q = held.stored.quantization
    steps, per_tensor = q.scale, q.scale.size == 1
    real, rows = (_rows_by_scale(values, q) for values in (want, got))
    if len(rows) != steps.size:
        return ""
    low, high, step = rows.min(axis=1), rows.max(axis=1), steps.astype(np.float64)
    least, most = real.min(axis=1), real.max(axis=1)
    step = np.maximum(step, np.maximum(-least, most) / 127)  # values that were rounded to 8 bits before
    exceeding = (least < low - 2 * step) | (most > high + 2 * step)
    clamped = np.clip(real, low[:, np.newaxis], high[:, np.newaxis])
    clipped = exceeding & ((low != 0) | (high != 0)) & (np.abs(clamped - rows).max(axis=1) < step)
    unlike = np.abs(real - rows).max(axis=1) >= step
    few = np.count_nonzero(clamped == real) < _INSIDE * rows.size
    if few or not (clipped & (low < high)).any() or (unlike & ~clipped).any():
        return ""
    first = int(np.flatnonzero(clipped)[0])
    ends = f"{low[first]:.3g}..{high[first]:.3g}, and the float model's are {least[first]:.3g}..{most[first]:.3g}"
    if per_tensor:
        return f"its weights are clipped to {ends}"
    verb = "is" if clipped.sum() == 1 else "are"
    return (
        f"{int(clipped.sum())} of {count_of(len(rows), 'channel')} {verb} clipped, channel {first} to {ends}"
    )


def _coarse_words(want: NDArray[np.float64], got: NDArray[np.float64], stored: Tensor) -> str:
    """Return a text on the levels that weights use, if rounding to their scales explains the error and a narrower range
    fits, else ""."""
    q, integers = stored.quantization, stored_integers(stored)
    if stored.dtype not in INTEGER_RANGES or integers is None or got.ndim == 0:
        return ""
    step = q.scale.astype(np.float64)[:, np.newaxis]
    off, rows = (_rows_by_scale(values, q) for values in (np.abs(got - want), integers.reshape(got.shape)))
    if len(off) != step.size or (off > _ROUNDING * step).any():
        return ""
    low, high = INTEGER_RANGES[stored.dtype]
    levels, most = int(np.ptp(rows, axis=1).max()) + 1, high - low + 1
    return f"its weights use {levels} of {most} levels" if 2 * levels <= most else ""
