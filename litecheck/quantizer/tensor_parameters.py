"""Quantization parameters that a model's tensor states, in any form: affine, blockwise, multi-axis."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.model.stored_values import stored_integers
from litecheck.model.types import Subgraph, Tensor
from litecheck.quantization import Blockwise, MultiAxis, Quantization
from litecheck.quantizer.types import Parameters, QuantizerError


def stated_parameters(tensor: Tensor, subgraph: Subgraph) -> Parameters:
    """Return the scales and zero points of a tensor. Those of its details are read from the tensors that store them.

    - Affine: a single scale, or a scale for each slice along the quantized dimension. A single zero point applies to all
      slices.
    - Blockwise: scales for the grid ceil(shape / block_shape). Without ``block_shape``, a block is 1 in every dimension
      except ``block_size`` in the last. Scales with fewer dimensions, or length 1 where the grid is longer, are repeated,
      aligned on the right.
    - Multi-axis: scales for every element of the quantized dimensions, or for blocks of ``block_size`` along the last
      of
      them. The scale tensor has these dimensions in the stated order, or all dimensions with length 1 for the dimensions
      that are not quantized.

    Details are always returned blocked along the last axis. Scale tensors are float32, float16 or bfloat16. Raise
    QuantizerError if no parameters are stated, for a custom quantization, and for parameters that do not fit.
    """
    quantization = tensor.quantization
    details = quantization.details
    if details is None:
        return _affine(tensor, quantization)
    if isinstance(details, Blockwise):
        blocks = details.block_shape or (1,) * (len(tensor.shape) - 1) + (details.block_size,)
    elif isinstance(details, MultiAxis):
        blocks = _multi_axis(tensor, details)
    else:
        raise _error("is custom, only its maker can read it")
    if len(blocks) != len(tensor.shape) or not blocks or min(blocks) < 1:
        raise _error(f"has blocks {blocks} for a tensor {tensor.shape}")
    scale = _values(subgraph, details.scales, "scales")
    zero = None if details.zero_points < 0 else _values(subgraph, details.zero_points, "zero points")
    if isinstance(details, MultiAxis):
        scale = _spread_axes(scale, details, len(tensor.shape))
        zero = None if zero is None else _spread_axes(zero, details, len(tensor.shape))
    return Parameters(
        _expand_grid(scale, tensor.shape, blocks),
        None if zero is None else _expand_grid(zero.astype(np.int64), tensor.shape, blocks),
        len(tensor.shape) - 1,
        blocks[-1],
    )


def _affine(tensor: Tensor, quantization: Quantization) -> Parameters:
    scale, zero = quantization.scale, quantization.zero_point
    if not scale.size:
        raise _error("is not stated")
    if zero.size not in (0, 1, scale.size):
        raise _error(f"has {scale.size} scales and {zero.size} zero points")
    zeros = np.broadcast_to(zero, scale.shape) if zero.size else None
    if scale.size == 1:
        return Parameters(scale, zeros)
    if not 0 <= quantization.axis < len(tensor.shape) or tensor.shape[quantization.axis] != scale.size:
        raise _error(f"has {scale.size} scales for dimension {quantization.axis} of {tensor.shape}")
    return Parameters(scale, zeros, quantization.axis)


def _multi_axis(tensor: Tensor, details: MultiAxis) -> tuple[int, ...]:
    """Return the size of a block in every dimension."""
    if not details.axes or not all(0 <= axis < len(tensor.shape) for axis in details.axes):
        raise _error(f"has axes {details.axes} for a tensor {tensor.shape}")
    blocks = [1 if i in details.axes else max(1, length) for i, length in enumerate(tensor.shape)]
    blocks[details.axes[-1]] = details.block_size or 1
    return tuple(blocks)


def _spread_axes(values: NDArray[Any], details: MultiAxis, rank: int) -> NDArray[Any]:
    """Return values stored for the quantized dimensions only, with length 1 inserted for the remaining dimensions."""
    if values.ndim != len(details.axes) or details.axes == tuple(range(rank)):
        return values
    order = sorted(range(values.ndim), key=lambda i: details.axes[i])
    lengths = dict(zip(details.axes, values.shape, strict=True))
    spread: NDArray[Any] = values.transpose(order).reshape([lengths.get(i, 1) for i in range(rank)])
    return spread


def _expand_grid(values: NDArray[Any], shape: tuple[int, ...], blocks: tuple[int, ...]) -> NDArray[Any]:
    """Expand values for a grid of blocks to values for blocks of the last dimension only."""
    grid = tuple(-(-length // block) for length, block in zip(shape, blocks, strict=True))
    try:
        values = np.broadcast_to(values, grid)
    except ValueError:
        raise _error(f"has values of shape {values.shape} for a grid of blocks {grid}") from None
    for axis, block in enumerate(blocks[:-1]):
        if grid[axis] == 1 and shape[axis] != 1:
            values = np.broadcast_to(values, (*values.shape[:axis], shape[axis], *values.shape[axis + 1 :]))
        elif block > 1:
            values = np.repeat(values, block, axis)[(slice(None),) * axis + (slice(shape[axis]),)]
    return values


def _values(subgraph: Subgraph, index: int, what: str) -> NDArray[Any]:
    if not 0 <= index < len(subgraph.tensors):
        raise _error(f"has its {what} in tensor {index}, which does not exist")
    tensor = subgraph.tensors[index]
    if tensor.dtype == "bfloat16" and tensor.data is not None:
        upper = tensor.data.view("<u2").astype(np.uint32) << np.uint32(16)
        wide: NDArray[np.float32] = upper.view(np.float32).reshape(tensor.shape)
        return wide
    values = stored_integers(tensor)
    if values is None:
        raise _error(f"has its {what} in tensor {index}, which holds no readable values")
    return values


def _error(message: str) -> QuantizerError:
    return QuantizerError("litert", "quantization", message)
