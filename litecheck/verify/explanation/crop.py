"""Convolutions cut down to the window that one output element looks through, with the arithmetic they have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from litecheck.reference.dispatch import Bound
from litecheck.reference.values import Value
from litecheck.reference.windows import VALID, Axis, axes, padded
from litecheck.verify.explanation.site import Index

#: What a window makes of its options: it is met once, and nothing is padded.
_ONCE = {"padding": VALID, "stride_h": 1, "stride_w": 1}
_OPERATORS = ("CONV_2D", "DEPTHWISE_CONV_2D")

Operands = tuple[Value | None, ...]


def crop(bound: Bound, operands: Operands, index: Index) -> tuple[Bound, Operands, Index]:
    """An operator bound to a kernel, its operands and an output index, all smaller but with the same element there.

    Padding becomes part of the window, as zero points. All channels stay, because results can depend on them. Other
    operators than integer CONV_2D and DEPTHWISE_CONV_2D are returned as they are.
    """
    options, (source, weight) = bound.known.get("options"), _window(bound, operands)
    if source is None or weight is None or options is None:
        return bound, operands, index
    n, y, x, c = index
    rows, columns = axes(source.shape, (weight.shape[1], weight.shape[2]), options)
    image = padded(source.data[n : n + 1], rows, columns, source.zero_point, source.data.dtype)
    window = Value(image[:, _reach(rows, y), _reach(columns, x)], source.dtype, source.quantization)
    once = replace(options, fields={**options.fields, **_ONCE})
    return replace(bound, known={**bound.known, "options": once}), (window, *operands[1:]), (0, 0, 0, c)


def _window(bound: Bound, operands: Sequence[Value | None]) -> tuple[Value | None, Value | None]:
    """Input and weight of a convolution of integers."""
    source, weight = (*operands, None, None)[:2]
    if bound.kernel.opcode not in _OPERATORS or source is None or source.data.dtype.kind == "f":
        return None, None
    return source, weight


def _reach(axis: Axis, at: int) -> slice:
    first = at * axis.stride
    return slice(first, first + (axis.kernel - 1) * axis.dilation + 1)
