"""Defects of windows: padding of another value, on the other side or counted, dilation ignored."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from litecheck.profile.operators import OperatorFacts
from litecheck.reference.defects.registry import (
    Arguments,
    convolves,
    defect,
    window_axes,
    with_options,
    with_padding,
)
from litecheck.reference.numerics.windows import SAME
from litecheck.reference.operands import Operand
from litecheck.reference.registry import Kernel


def _averages(facts: OperatorFacts) -> bool:
    return facts.windows and facts.accumulates is not None and facts.accumulates.mean


@defect("zero-padding", "SAME padding is a stored 0, not the zero point", convolves)
@defect("counts-padding-bare", "padding counts as elements that are a stored 0", _averages)
def stored_zero_padding(kernel: Kernel, given: Arguments) -> Any:
    """Padding is stored zeros."""
    return kernel.function(**with_padding(given, 0))


@defect("counts-padding", "padding counts as elements that are the zero point", _averages)
def counts_padding(kernel: Kernel, given: Arguments) -> Any:
    """Padding is zero points, which are averaged like all others."""
    return kernel.function(**with_padding(given, given["input"].zero_point))


@defect(
    "padding-ahead",
    "the odd element of SAME padding stands in front of the image",
    lambda facts: facts.windows,
)
def padding_ahead(kernel: Kernel, given: Arguments) -> Any:
    """The odd element of SAME padding in front: what is seen when image and filters are looked at in a mirror."""
    if given["options"] is None or given["options"].get("padding", SAME) != SAME:
        return kernel.function(**given)
    odd = tuple(at for at, axis in enumerate(window_axes(given), 1) if axis.after > axis.before)

    def mirrored(value: Operand) -> Operand:
        return replace(value, data=np.ascontiguousarray(np.flip(value.data, odd)), prepared={})

    turned = {name: mirrored(given[name]) for name in ("input", "weight") if name in given}
    return np.flip(kernel.function(**{**given, **turned}), odd)


@defect("no-dilation", "dilation is ignored", convolves)
def no_dilation(kernel: Kernel, given: Arguments) -> Any:
    """Filters are as dense as they are stored; the image that is made keeps its size."""
    if given["options"] is None:
        return kernel.function(**given)
    near = with_options(given["options"], dilation_w_factor=1, dilation_h_factor=1)
    rows, columns = window_axes(given)
    return kernel.function(**{**given, "options": near})[:, : rows.out, : columns.out]
