"""Constants of the float model in the wrong place: dimensions or channels in another order, the bias of another operator."""

from __future__ import annotations

from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from litecheck.model.constant_values import along_axis, constant_values
from litecheck.model.matching import SubgraphMatch
from litecheck.model.stored_values import stored_integers
from litecheck.model.types import Tensor
from litecheck.tracing.float_forms import HeldConstant, constants_of, kernel_values
from litecheck.tracing.isolated_operators import IsolatedOperator
from litecheck.tracing.storage import is_quantized

#: Share of the power of weights below which the difference of moved weights is rounding, or a channel is negligible.
_SAME = 0.02
#: Cosine of two channels from which they are the same, and below which they differ.
_ALIKE, _UNLIKE = 0.98, 0.9
#: Channels up to which all pairs are compared.
_MOST = 4096
#: Input channels up to which the whole order is stated.
_LISTED = 8
Weights = NDArray[np.float64]


def order_text(held: HeldConstant, axis: int) -> str:
    """Return the order in which the dimensions or the channels of weights were written, or "" if they are in place.

    ``axis`` is the dimension of the output channels.
    """
    if held.stored is None or not is_quantized(held.stored):
        return ""
    want, got = constant_values(held.real), constant_values(held.stored)
    if want is None or got is None or want.shape != got.shape:
        return ""
    return (
        dimension_words(want, got, held.stored)
        or channel_words(by_channel(want, axis), by_channel(got, axis))
        or (input_words(want, got) if axis == 0 and want.ndim > 1 else "")
    )


def by_channel(values: Weights, axis: int) -> Weights:
    """Return weights as channels x weights of a channel; a scalar is one channel."""
    whole = np.atleast_1d(values)
    return np.moveaxis(whole, axis, 0).reshape(whole.shape[axis], -1)


def dimension_words(want: Weights, got: Weights, stored: Tensor) -> str:
    """Return the order of dimensions in which weights were written, or "" if no order explains them.

    Example: height and width of a kernel are swapped, which is the order 0, 2, 1, 3. Integers may have been moved alone,
    without their scales. A matrix is transposed, or was read as if it were.
    """
    scale = along_axis(stored.quantization.scale, stored.quantization, want.ndim)
    with np.errstate(all="ignore"):
        steps = np.nan_to_num(want / scale)
    power = float(np.square(want).sum())
    least = min(_SAME * power, 0.5 * float(np.square(got - want).sum()))
    for order in list(permutations(range(want.ndim)))[1:]:
        for values, factor in ((want, 1.0), (steps, scale)):
            reinterpreted = values.reshape([want.shape[n] for n in order]).transpose(np.argsort(order))
            for moved in (values.transpose(order).reshape(want.shape), reinterpreted):
                if float(np.square(moved * factor - got).sum()) < least:
                    order_words = f"written with the dimensions in the order {', '.join(map(str, order))}"
                    return (
                        f"its weights are the float model's, {order_words if want.ndim > 2 else 'transposed'}"
                    )
    return ""


def channel_words(want: Weights, got: Weights) -> str:
    """Return a text on the channels that have the weights of another channel, or ""; shapes are channels x weights."""
    home, moved = _match_channels(want, got)
    if not moved.any():
        return ""
    first = int(np.argmax(moved))
    return (
        f"{int(moved.sum())} of {len(want)} channels are in another order: channel {first} has the weights of "
        f"channel {int(home[first])}"
    )


def input_words(want: Weights, got: Weights) -> str:
    """Return the order of input channels, the last dimension, or "" if they are in place.

    Example: weights for RGB in a model that reads BGR have the order 2, 1, 0.
    """
    rows = by_channel(want, -1), by_channel(got, -1)
    home, moved = _match_channels(*rows)
    if not _are_same(rows[0][home[moved]], rows[1][moved]):
        return ""
    if not moved.any() or len(home) > _LISTED:
        return channel_words(*rows).replace("channel", "input channel")
    return (
        f"its weights are the float model's with the input channels in the order {', '.join(map(str, home))}"
    )


def _are_same(want: Weights, got: Weights) -> bool:
    """Return True if weights are the same up to rounding.

    Input channels share the scales of output channels, so a moved input channel keeps its values.
    """
    return float(np.square(want - got).sum()) <= _SAME * float(np.square(want).sum())


def _match_channels(want: Weights, got: Weights) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """Return the channel whose weights each channel has, and True for channels with those of another channel.

    No channel is moved if other channels have wrong weights.
    """
    none = np.arange(len(want)), np.zeros(len(want), bool)
    if not 1 < len(want) <= _MOST or want.shape[1] < 2:
        return none
    likeness = _normalize_rows(got) @ _normalize_rows(want).T
    home = likeness.argmax(axis=1)
    unlike = likeness.diagonal() < _UNLIKE
    moved = unlike & (likeness.max(axis=1) > _ALIKE)
    power = np.square(got).sum(axis=1)
    if moved.sum() < 2 or power[unlike & ~moved].sum() > _SAME * power.sum():
        return none
    return home, moved


def _normalize_rows(rows: Weights) -> Weights:
    normalized: Weights = rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-300)
    return normalized


def bias_words(part: SubgraphMatch, fed: IsolatedOperator, bias: HeldConstant) -> str:
    """Return a text on another operator with the same bias, or "": equal real values, or equal integers."""
    own = kernel_values(part, fed.other, bias)
    integers = None if bias.stored is None else stored_integers(bias.stored)
    if own is None or integers is None or bias.real.size < 2:
        return ""
    for one, other in part.operators:
        found = next((c for c in constants_of(part, one, other) if c.kind == "bias"), None)
        if one == fed.one or found is None or found.stored is None or found.real.size != bias.real.size:
            continue
        theirs, values = stored_integers(found.stored), stored_integers(found.real)
        if theirs is None or values is None or not np.any(values):
            continue
        off = own.reshape(-1) - values.reshape(-1)
        if np.array_equal(theirs, integers) or np.square(off).sum() < _SAME * np.square(values).sum():
            return f"its bias is that of {part.second.operators[other].kind} #{other}"
    return ""
