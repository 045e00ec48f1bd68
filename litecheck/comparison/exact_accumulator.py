"""Exact values of single output elements of accumulating operators, in integers and fractions, without kernels.

The values are independent of the reference, to verify it. Every function takes the operands of an operator and the index
of an output element. It returns the exact value in steps of the output scale, before rounding and before the zero point.
litecheck.comparison.exact_elementwise has the operators that compute an element from a value, two values, or a row.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from itertools import product

import numpy as np

from litecheck.comparison import exact_elementwise
from litecheck.comparison.element import (
    STORED,
    ElementSite,
    Exact,
    Formula,
    centered_value,
    fraction,
    stored_value,
)
from litecheck.profile.operators import traits_of
from litecheck.reference.runtime_tensors import Operand


def _int32(accumulator: int, source: Operand) -> int:
    """Wrap a sum of 8-bit inputs to int32, like its register; sums of int16 inputs are unchanged."""
    return accumulator if source.dtype == "int16" else (accumulator + 2**31) % 2**32 - 2**31


def _rescale_sum(site: ElementSite, accumulator: int, channel: int) -> Exact:
    """Return a sum of products of input and weight, with bias, rescaled by the scales of its channel."""
    source, weight = site.operands["input"], site.operands["weight"]
    bias = site.operands.get("bias")
    if bias is not None:
        accumulator += int(bias.data.reshape(-1)[channel])
    scales = weight.quantization.scale
    scale = fraction(scales[channel] if scales.size > 1 else scales[0])
    multiplier = fraction(source.scale) * scale / fraction(site.output.scale)
    return site.scale_accumulator(_int32(accumulator, source), multiplier)


def _taps(site: ElementSite, size: int, kernel: int, at: int, side: str) -> Iterator[tuple[int, int]]:
    """Yield (tap, input position) of the window of output position ``at`` along one side."""
    stride, gap = int(site.option(f"stride_{side}")), int(site.option(f"dilation_{side}_factor", 1))
    first = at * stride
    if int(site.option("padding")) == 0:  # padding SAME
        reach = (kernel - 1) * gap + 1
        first -= max(0, (math.ceil(size / stride) - 1) * stride + reach - size) // 2
    for tap in range(kernel):
        if 0 <= (place := first + tap * gap) < size:
            yield tap, place


def _windows(site: ElementSite, kernel: tuple[int, int]) -> Iterator[tuple[tuple[int, int], tuple[int, int]]]:
    """Yield ((vertical tap, horizontal tap), (row, column)) of the input elements in the window of the output element."""
    _, height, width, _ = site.operands["input"].shape
    rows = _taps(site, height, kernel[0], site.index[1], "h")
    columns = list(_taps(site, width, kernel[1], site.index[2], "w"))
    for (i, y), (j, x) in product(rows, columns):
        yield (i, j), (y, x)


def _conv_2d(site: ElementSite) -> Exact:
    source, weight, (n, _, _, c) = site.operands["input"], site.operands["weight"], site.index
    channels, kernel_h, kernel_w, depth = weight.shape
    first = c // (channels // (source.shape[3] // depth)) * depth
    total = 0
    for (i, j), (y, x) in _windows(site, (kernel_h, kernel_w)):
        pixel = source.data[n, y, x, first : first + depth].astype(object) - source.zero_point
        total += int((pixel * (weight.data[c, i, j].astype(object) - weight.zero_point)).sum())
    return _rescale_sum(site, total, c)


def _depthwise_conv_2d(site: ElementSite) -> Exact:
    source, weight, (n, _, _, c) = site.operands["input"], site.operands["weight"], site.index
    zero = weight.zero_point if source.dtype == "uint8" else 0
    d = c // (weight.shape[3] // source.shape[3])
    total = sum(
        centered_value(source, (n, y, x, d)) * (stored_value(weight, (0, i, j, c)) - zero)
        for (i, j), (y, x) in _windows(site, (weight.shape[1], weight.shape[2]))
    )
    return _rescale_sum(site, total, c)


def _transpose_conv(site: ElementSite) -> Exact:
    source, weight, (n, row, column, c) = site.operands["input"], site.operands["weight"], site.index
    zero = weight.zero_point if source.dtype == "uint8" else 0
    height, width = (int(v) for v in site.operands["output_shape"].data.reshape(-1)[1:3])
    down = _stamps(site, height, weight.shape[1], source.shape[1], row, "h")
    across = list(_stamps(site, width, weight.shape[2], source.shape[2], column, "w"))
    total = 0
    for (i, y), (j, x) in product(down, across):
        pixel = source.data[n, y, x].astype(object) - source.zero_point
        total += int((pixel * (weight.data[c, i, j].astype(object) - zero)).sum())
    return _rescale_sum(site, total, c)


def _stamps(
    site: ElementSite, out: int, kernel: int, size: int, at: int, side: str
) -> Iterator[tuple[int, int]]:
    """Yield (tap, input position) of all inputs that contribute to output position ``at`` along one side."""
    stride, before = int(site.option(f"stride_{side}")), 0
    if int(site.option("padding")) == 0:  # padding SAME
        before = max(0, (math.ceil(out / stride) - 1) * stride + kernel - out) // 2
    for tap in range(kernel):
        place, left = divmod(at + before - tap, stride)
        if not left and 0 <= place < size:
            yield tap, place


def _fully_connected(site: ElementSite) -> Exact:
    source, weight, unit = site.operands["input"], site.operands["weight"], site.index[-1]
    zero = weight.zero_point if weight.quantization.scale.size == 1 else 0
    units = weight.shape[0]
    row = int(np.ravel_multi_index(site.index[:-1], site.output.shape[:-1])) if site.index[:-1] else 0
    depth = weight.data.size // units
    pixels = source.data.reshape(-1, depth)[row].astype(object) - source.zero_point
    total = int((pixels * (weight.data.reshape(units, depth)[unit].astype(object) - zero)).sum())
    return _rescale_sum(site, total, unit)


def _batch_matmul(site: ElementSite) -> Exact:
    lhs, rhs, (*batch, row, column) = site.operands["lhs"], site.operands["rhs"], site.index
    left, right = lhs.data, rhs.data
    left = left.swapaxes(-1, -2) if site.option("adj_x", False) else left
    right = right.swapaxes(-1, -2) if site.option("adj_y", False) else right
    lead = site.output.shape[:-2]
    rows, columns = (np.broadcast_to(s, (*lead, *s.shape[-2:]))[tuple(batch)] for s in (left, right))
    terms = (rows[row].astype(object) - lhs.zero_point) * (columns[:, column].astype(object) - rhs.zero_point)
    scales = rhs.quantization.scale
    scale = fraction(scales[column] if scales.size > 1 else scales[0])
    multiplier = fraction(lhs.scale) * scale / fraction(site.output.scale)
    return site.scale_accumulator(_int32(int(terms.sum()), lhs), multiplier)


def _reduced_sum(site: ElementSite, mean: bool) -> Exact:
    """Return the sum, or the mean, of the input along the reduced axes."""
    source = site.operands["input"]
    axes = {int(a) % source.data.ndim for a in site.operands["axis"].data.reshape(-1)}
    kept = list(site.index)
    if site.option("keep_dims", False):
        kept = [i for axis, i in enumerate(kept) if axis not in axes]
    left = iter(kept)
    where = tuple(slice(None) if axis in axes else next(left) for axis in range(source.data.ndim))
    values = np.asarray(source.data[where]).reshape(-1).astype(object)
    multiplier = fraction(source.scale) / fraction(site.output.scale) / (values.size if mean else 1)
    return site.scale_accumulator(int((values - source.zero_point).sum()), multiplier)


def _average_pool_2d(site: ElementSite) -> Exact:
    source, (n, _, _, c) = site.operands["input"], site.index
    filter_ = int(site.option("filter_height")), int(site.option("filter_width"))
    values = [stored_value(source, (n, y, x, c)) for _, (y, x) in _windows(site, filter_)]
    share = Fraction(1, len(values))
    return Exact(sum(values) * share, 0, sum(values), share)


#: Formulas by the name that rules/operators.yaml states as ``element``.
FORMULAS: dict[str, Formula] = {
    "conv_2d": _conv_2d,
    "depthwise_conv_2d": _depthwise_conv_2d,
    "transpose_conv": _transpose_conv,
    "fully_connected": _fully_connected,
    "batch_matmul": _batch_matmul,
    "mean": lambda site: _reduced_sum(site, mean=True),
    "sum": lambda site: _reduced_sum(site, mean=False),
    "average_pool_2d": _average_pool_2d,
    **exact_elementwise.FORMULAS,
}


def exact(opcode: str, site: ElementSite) -> Exact | None:
    """Return the element's exact value; None without a formula or without a value (a division by zero).

    Only quantized outputs of at most 16 bits have an exact value: all other types have no steps.
    """
    element, output = traits_of(opcode).element, site.output
    formula = FORMULAS.get(element)
    if formula is None or output.dtype not in STORED or not output.quantization.scale.size:
        return None
    operands = [v for v in site.operands.values() if v.data.dtype.kind == "f"]
    if operands and element != "quantize":
        return None
    return formula(site)
