"""Sums of products cut down to what one output element is made of, with the arithmetic they have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from litecheck.compare.element import Index
from litecheck.profile.operators import facts_of
from litecheck.reference.engine.dispatch import BoundKernel
from litecheck.reference.numerics.windows import VALID, Axis, axes, padded
from litecheck.reference.operands import Operand

#: What a window makes of its options: it is met once, and nothing is padded.
_ONCE = {"padding": VALID, "stride_h": 1, "stride_w": 1}

Operands = tuple[Operand | None, ...]


def crop(bound: BoundKernel, operands: Operands, index: Index) -> tuple[BoundKernel, Operands, Index]:
    """An operator bound to a kernel, its operands and an output index, all smaller but with the same element there.

    Padding becomes part of the window, as zero points. All channels stay, because results can depend on them. Other
    operators than convolutions of integers in windows are returned as they are.
    """
    options, (source, weight) = bound.known.get("options"), _window(bound, operands)
    if source is None or weight is None or options is None:
        return bound, operands, index
    n, y, x, c = index
    rows, columns = axes(source.shape, (weight.shape[1], weight.shape[2]), options)
    image = padded(source.data[n : n + 1], rows, columns, source.zero_point, source.data.dtype)
    window = Operand(image[:, _reach(rows, y), _reach(columns, x)], source.dtype, source.quantization)
    once = replace(options, fields={**options.fields, **_ONCE})
    return replace(bound, known={**bound.known, "options": once}), (window, *operands[1:]), (0, 0, 0, c)


def crop_narrowly(
    bound: BoundKernel, operands: Operands, index: Index
) -> tuple[BoundKernel, Operands, Index]:
    """As ``crop``, and of a matrix of weights one row of inputs: for ways to compute that take each row by itself."""
    facts = facts_of(bound.kernel.opcode)
    if facts.products != ("input", "weight") or facts.over != "row":
        return crop(bound, operands, index)
    options, (source, weight) = bound.known.get("options"), (*operands, None, None)[:2]
    if source is None or weight is None or source.data.dtype.kind == "f" or weight.data.ndim != 2:
        return bound, operands, index
    keep = options is not None and options.get("keep_num_dims", False)
    row = int(np.ravel_multi_index(index[:-1], source.shape[:-1])) if keep else index[0]
    rows = source.data.reshape(-1, weight.shape[1])
    alone = Operand(rows[row : row + 1], source.dtype, source.quantization)
    if options is not None and keep:
        flat = replace(options, fields={**options.fields, "keep_num_dims": False})
        bound = replace(bound, known={**bound.known, "options": flat})
    return bound, (alone, *operands[1:]), (0, index[-1])


def _window(bound: BoundKernel, operands: Sequence[Operand | None]) -> tuple[Operand | None, Operand | None]:
    """Input and weight of a convolution of integers."""
    source, weight = (*operands, None, None)[:2]
    facts = facts_of(bound.kernel.opcode)
    if not (facts.windows and facts.products) or source is None or source.data.dtype.kind == "f":
        return None, None
    return source, weight


def _reach(axis: Axis, at: int) -> slice:
    first = at * axis.stride
    return slice(first, first + (axis.kernel - 1) * axis.dilation + 1)
