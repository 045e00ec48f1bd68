"""REDUCE_WINDOW: windows over any dimensions, reduced with one of six functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from litecheck.reference.operands import Array, Operand, Options, OutputSpec, RunError
from litecheck.reference.registry import kernel

#: What ReduceWindowFunction names.
FUNCTIONS: dict[int, Callable[..., Any]] = {
    1: np.add, 2: np.multiply, 3: np.minimum, 4: np.maximum, 5: np.logical_and, 6: np.logical_or,
}  # fmt: skip


@kernel("REDUCE_WINDOW", "bool", "int8", "uint8", "int16", "int32", "int64", "float32", "float64")
def reduce_window(
    input: Operand, init_value: Operand, window_shape: Operand, window_strides: Operand, window_dilations: Operand,
    output: OutputSpec, options: Options,
) -> Array:  # fmt: skip
    """out[i] = f(... f(init_value, input[i*s]), input[i*s + d] ...) over the taps of a window, one after the other.

    Stored values are taken as integers that wrap around; ALL and ANY make 1 or 0 of them. There is no padding: without
    room for a window the output is empty. Any shape, all but the type and init_value constant int64.
    Source: tflite/kernels/stablehlo_reduce_window.cc.
    """
    code = int(options.get("reduce_function", 0)) if options is not None else 0
    if code not in FUNCTIONS:
        raise RunError(f"no reduction is called {code}")
    window, strides, dilations = (v.data.tolist() for v in (window_shape, window_strides, window_dilations))
    return slide(input.data, init_value.data, window, strides, dilations, FUNCTIONS[code])


def slide(
    x: Array, first: Array, window: list[int], strides: list[int], dilations: list[int],
    function: Callable[..., Any],
) -> Array:  # fmt: skip
    """Every window of ``x`` reduced by ``function``, from ``first`` on, tap after tap in row-major order."""
    reach = [(k - 1) * d + 1 for k, d in zip(window, dilations, strict=True)]
    sizes = [(n - r) // s + 1 if n >= r else 0 for n, r, s in zip(x.shape, reach, strides, strict=True)]
    out = np.full(sizes, first.reshape(-1)[0])
    for taps in np.ndindex(*window) if out.size else ():
        begin = [t * d for t, d in zip(taps, dilations, strict=True)]
        part = tuple(slice(b, b + (n - 1) * s + 1, s) for b, n, s in zip(begin, sizes, strides, strict=True))
        out = function(out, x[part]).astype(x.dtype)
    return out
