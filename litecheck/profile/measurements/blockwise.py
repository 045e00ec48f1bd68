"""Measurements of blockwise weights: blocks along the rows of a constant, their scales in a tensor of their own.

All of them yield None for an operator none of whose operands is quantized blockwise, so that a limit on them speaks
of no other.
"""

from __future__ import annotations

from math import prod

import numpy as np

from litecheck.model.types import Tensor
from litecheck.model.values import stored
from litecheck.profile.measurements.bound import Measured, Operands
from litecheck.quantization import BITS, Blockwise


def block_weight_type(operands: Operands) -> Measured:
    """The type of the blockwise operand's stored values."""
    found = _blockwise(operands)
    return found[0].dtype if found else None


def block_bits(operands: Operands) -> Measured:
    """How many bits the stored values of one block fill: whole bytes where a block begins with a byte."""
    found = _blockwise(operands)
    return found[1].block_size * BITS.get(found[0].dtype, 0) if found else None


def block_rows(operands: Operands) -> Measured:
    """Number of rows of the blockwise operand: its first dimension."""
    found = _blockwise(operands)
    return found[0].shape[0] if found and found[0].shape else None


def block_columns(operands: Operands) -> Measured:
    """Length of a row of the blockwise operand: all its dimensions but the first."""
    found = _blockwise(operands)
    return prod(found[0].shape[1:]) if found and found[0].shape else None


def block_column_odd(operands: Operands) -> Measured:
    """1 where a row of the blockwise operand has an odd length, which packed values cannot be cut at, else 0."""
    columns = block_columns(operands)
    return columns % 2 if isinstance(columns, int) else None


def block_remainder(operands: Operands) -> Measured:
    """How many values of a row lie outside its whole blocks."""
    found, columns = _blockwise(operands), block_columns(operands)
    if not found or not isinstance(columns, int):
        return None
    return columns % found[1].block_size if found[1].block_size > 0 else columns


def block_scale_type(operands: Operands) -> Measured:
    """The type of the tensor the scales lie in, or ``absent`` where there is no such constant."""
    found = _blockwise(operands)
    if not found:
        return None
    scales = _tensor(operands, found[1].scales)
    return scales.dtype if scales is not None and scales.is_constant else "absent"


def block_scales_off(operands: Operands) -> Measured:
    """How many scales there are beyond one for each whole block; negative where some are missing."""
    found, rows, columns = _blockwise(operands), block_rows(operands), block_columns(operands)
    scales = _tensor(operands, found[1].scales) if found else None
    if not found or scales is None or not isinstance(rows, int) or not isinstance(columns, int):
        return None
    return scales.size - rows * (columns // found[1].block_size) if found[1].block_size > 0 else None


def block_scales_unsound(operands: Operands) -> Measured:
    """How many scales are not finite or not above 0."""
    found = _blockwise(operands)
    scales = _tensor(operands, found[1].scales) if found else None
    values = stored(scales) if scales is not None and scales.dtype.startswith("float") else None
    if values is None:
        return None
    return int((~(np.isfinite(values) & (values > 0))).sum())


def block_zero_points(operands: Operands) -> Measured:
    """How many of the stated zero points are not 0; none are where no tensor holds them."""
    found = _blockwise(operands)
    if not found:
        return None
    tensor = _tensor(operands, found[1].zero_points)
    values = stored(tensor) if tensor is not None else None
    return 0 if values is None else int(np.count_nonzero(values))


def block_activation(operands: Operands) -> Measured:
    """The number of the activation function fused into an operator with a blockwise operand; 0 is none."""
    return operands.option("fused_activation_function") if _blockwise(operands) else None


def _blockwise(operands: Operands) -> tuple[Tensor, Blockwise] | None:
    """The first operand whose scales stand blockwise in another tensor."""
    for tensors in operands.roles.values():
        for tensor in tensors:
            details = tensor.quantization.details
            if isinstance(details, Blockwise):
                return tensor, details
    return None


def _tensor(operands: Operands, index: int) -> Tensor | None:
    tensors = operands.subgraph.tensors
    return tensors[index] if 0 <= index < len(tensors) else None


#: By their names, in the order the documentation lists them.
BLOCKS = (
    block_weight_type, block_bits, block_rows, block_columns, block_column_odd, block_remainder,
    block_scale_type, block_scales_off, block_scales_unsound, block_zero_points, block_activation,
)  # fmt: skip
