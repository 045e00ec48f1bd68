"""Defects of sums of stored values (MEAN, SUM, AVERAGE_POOL_2D): registers of 16 bits."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from litecheck.profile.operators import OperatorTraits
from litecheck.reference.compute_limits import reserve
from litecheck.reference.defects.narrow_accumulators import saturated_sums
from litecheck.reference.defects.registry import BYTES, Arguments, defect, window_axes
from litecheck.reference.numerics.axes import reduced_axes, reduction_view
from litecheck.reference.numerics.fixedpoint import Ints
from litecheck.reference.numerics.fused_activation import stored_bounds
from litecheck.reference.numerics.pooled_means import pooled_means
from litecheck.reference.numerics.windows import pad_image, windows
from litecheck.reference.registry import Kernel
from litecheck.reference.runtime_tensors import Array, Operand

_LOW, _HIGH = -(2**15), 2**15 - 1
#: Function from values to their sums along the last dimension in a register.
Register = Callable[[Ints], Ints]


def sums_values(facts: OperatorTraits) -> bool:
    """Return True if stored values, and not products, are summed."""
    return bool(facts.over) and not facts.products


def _along_axes(facts: OperatorTraits) -> bool:
    return sums_values(facts) and facts.over == "axes"


def saturating(terms: Ints) -> Ints:
    """Return the sums along the last dimension; every addition saturates to 16 bits.

    For example, 300 times 127 gives 32,767.
    """
    rows = terms.reshape(-1, terms.shape[-1])
    sums: Ints = rows.sum(axis=-1)
    beyond = np.abs(rows).sum(axis=-1) > _HIGH  # other sums cannot saturate
    if beyond.any():
        sums[beyond] = saturated_sums(rows[beyond].T, _LOW, _HIGH)
    return sums.reshape(terms.shape[:-1])


def wrapping(terms: Ints) -> Ints:
    """Return the sums along the last dimension, wrapped to 16 bits.

    For example, 300 times 127 gives -27,436.
    """
    sums: Ints = (terms.sum(axis=-1) - _LOW) % (1 << 16) + _LOW
    return sums


def _reduce(register: Register, centered: bool, kernel: Kernel, given: Arguments) -> Any:
    """Run the kernel on an input of the same shape with the register's sum in one element, and 0 elsewhere."""
    input: Operand = given["input"]
    axes = reduced_axes(given["axis"], input.data.ndim)
    if input.dtype not in BYTES or not input.data.size or not axes:
        return kernel.function(**given)
    rows = reduction_view(input.data.astype(np.int64), axes)
    zero_point = input.zero_point if centered else 0
    sums = register(rows - zero_point) + zero_point * rows.shape[-1]
    data = np.zeros(input.shape, np.int64)
    data[tuple(0 if axis in axes else slice(None) for axis in range(data.ndim))] = sums
    return kernel.function(**{**given, "input": replace(input, data=data, prepared={})})


def _pool(register: Register, kernel: Kernel, given: Arguments) -> Array:
    input: Operand = given["input"]
    if input.dtype not in BYTES or not input.data.size:
        return np.asarray(kernel.function(**given))
    rows, columns = window_axes(given)
    reserve(
        (len(input.data), rows.out, columns.out, rows.kernel, columns.kernel, input.shape[3]),
        24,
        "windows of the input",
    )
    view = windows(pad_image(input.data, rows, columns, 0, np.int64), rows, columns)
    terms = np.moveaxis(view, 5, 3).reshape(*view.shape[:3], view.shape[5], -1)
    bounds = stored_bounds(given["options"], given["output"])
    return pooled_means(register(terms), rows, columns, given["variants"]["round"], bounds)


def _narrow(register: Register, centered: bool, kernel: Kernel, given: Arguments) -> Any:
    if "axis" in given:
        return _reduce(register, centered, kernel, given)
    return _pool(register, kernel, given)


for _name, _register, _description in (
    ("sum-16", saturating, "saturates the sum of stored values to 16 bits after every addition"),
    (
        "sum-16-wraps",
        wrapping,
        "wraps the sum of stored values to 16 bits",
    ),
):
    defect(_name, _description, sums_values)(partial(_narrow, _register, False))
    _centered = _description.replace("stored values", "stored values, less the input zero point,")
    defect(f"{_name}-centered", _centered, _along_axes)(partial(_narrow, _register, True))
