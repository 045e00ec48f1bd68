"""QuantizeLinear and DequantizeLinear: valid shapes of the parameters, and the arithmetic, tile by tile.

The arguments of a kernel are ``x``, the scale in the type of the arithmetic (in the representation of
:func:`~litecheck.quantizer.narrow_floats.round_to`), the zero point, if any, and the output array. All have one
dimension. Scale and zero point may be scalars.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.arrays import Array
from litecheck.quantizer.narrow_floats import round_to, to_ml_dtype, to_small_float
from litecheck.quantizer.onnx_types import RANGES, VersionFacts, name_of
from litecheck.quantizer.rounding import to_integers
from litecheck.quantizer.types import Parameters, QuantizerError


def granularity(
    semantics: str,
    shape: tuple[int, ...],
    scale: Array,
    zero_point: Array | None,
    axis: int,
    block_size: int,
    facts: VersionFacts,
) -> Parameters:
    """Return the checked parameters of a tensor of ``shape``. The scale's shape selects the granularity.

    A single scale is per-tensor, and ``axis`` and ``block_size`` are ignored. ONNX's own suite writes a scalar with
    rank 0 or with shape (1,). Otherwise a ``block_size`` makes the parameters blocked, and without it they are per-axis
    with rank 1. This includes a tensor of rank 1: with a scale per element it needs axis 0 or -1. Raise QuantizerError
    that names the input or attribute that does not fit.
    """
    if zero_point is not None and _scalar(zero_point).shape != _scalar(scale).shape:
        raise QuantizerError(
            semantics,
            "zero_point",
            f"has shape {zero_point.shape}, the scale has {scale.shape}; they must match",
        )
    if block_size < 0:
        raise QuantizerError(semantics, "block_size", f"is {block_size}; it must be positive")
    if scale.ndim == 0 or (scale.shape == (1,) and not block_size):
        return Parameters(scale, zero_point)
    if not facts.per_axis:
        raise QuantizerError(
            semantics, "scale", f"has shape {scale.shape}; this version takes a scalar, per-axis came with 13"
        )
    rank = len(shape)
    if not -rank <= axis < rank:
        raise QuantizerError(
            semantics, "axis", f"is {axis}; for a tensor of rank {rank} it is in [{-rank}, {rank - 1}]"
        )
    if block_size:
        _check_blocks(semantics, shape, scale.shape, axis % rank, block_size)
    else:
        _check_channels(semantics, shape, scale.shape, axis % rank, facts)
    return Parameters(scale, zero_point, axis % rank, block_size)


def _scalar(values: Array) -> Array:
    return values.reshape(()) if values.shape == (1,) else values


def _check_channels(
    semantics: str, shape: tuple[int, ...], scale: tuple[int, ...], axis: int, facts: VersionFacts
) -> None:
    if scale == (shape[axis],):
        return
    if facts.blocked and len(scale) == len(shape) > 1:
        raise QuantizerError(
            semantics, "block_size", f"is missing; a scale of shape {scale}, of the tensor's rank, is blocked"
        )
    raise QuantizerError(
        semantics,
        "scale",
        f"has shape {scale}; per-axis along dimension {axis} of {shape} takes ({shape[axis]},)",
    )


def _check_blocks(
    semantics: str, shape: tuple[int, ...], scale: tuple[int, ...], axis: int, block_size: int
) -> None:
    others = [i for i in range(len(shape)) if i != axis]
    if len(scale) != len(shape) or any(scale[i] != shape[i] for i in others):
        raise QuantizerError(
            semantics,
            "scale",
            f"has shape {scale}; blocked along dimension {axis} it differs from {shape} only there",
        )
    length, blocks = shape[axis], scale[axis]
    # ceil(length / block_size) == blocks is equivalent to the documents' range, and also valid for length 0.
    if -(-length // block_size) != blocks:
        raise QuantizerError(semantics, "block_size", f"is {block_size}; {_range(length, blocks)}")


def _range(length: int, blocks: int) -> str:
    """Return the accepted block sizes, [ceil(Di/Si), ceil(Di/(Si-1))-1], in words."""
    least = max(1, -(-length // blocks)) if blocks else 1
    if blocks < 2:
        return f"{blocks} scales for {length} elements take at least {least}"
    most = -(-length // (blocks - 1)) - 1
    if most < least:
        return f"no size divides {length} elements into {blocks} blocks"
    return f"{blocks} scales for {length} elements take a size in [{least}, {most}]"


Kernel = Callable[..., None]


def _divide(x: NDArray[Any], scale: Any, name: str) -> NDArray[Any]:
    """Return the quotient in type ``name``, as a new array of float32 or float64. ``scale`` already has that type."""
    quotient = np.asarray(np.divide(round_to(x, name), scale))
    return round_to(quotient, name)


def integers_in(division: str, target: str) -> Kernel:
    """Return the kernel for an integer output: round, add the zero point, saturate."""

    def kernel(x: NDArray[Any], scale: Any, *rest: Any) -> None:
        *offset, out = rest
        quotient = _divide(x, scale, division)
        np.rint(quotient, out=quotient)
        to_integers(quotient, offset[0] if offset else None, RANGES[target], out)

    return kernel


def small_floats_in(division: str, target: str, saturate: bool) -> Kernel:
    """Return the kernel for a small float output: add the zero point, round once, saturate if ``saturate``."""

    def kernel(x: NDArray[Any], scale: Any, *rest: Any) -> None:
        *offset, out = rest
        quotient = _divide(x, scale, division)
        if offset and np.any(offset[0]):
            # Exact where it matters: a quotient that can change the sum is within 53 bits of the zero point.
            quotient = quotient.astype(np.float64) + offset[0]
        out[...] = to_small_float(quotient, target, saturate)

    return kernel


def reals_in(result: str) -> Kernel:
    """Return the kernel for a real output: the exact difference times the scale, in the type ``result``."""

    def kernel(x: NDArray[Any], scale: Any, *rest: Any) -> None:
        *zero_point, out = rest
        # Exact: the difference has 17 bits for integers (an int32 tensor has zero point 0), at most 53 for small floats.
        wide = np.int32 if name_of(x) in RANGES else np.float64
        difference: NDArray[Any] = x.astype(wide)
        if zero_point:
            difference = difference - zero_point[0].astype(wide)
        product = round_to(difference, result) * scale
        out[...] = product if out.dtype.kind == "f" else to_ml_dtype(product, result)

    return kernel
