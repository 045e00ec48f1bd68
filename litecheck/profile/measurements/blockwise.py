"""Measurements of blockwise weights: blocks along the rows of a constant, with their scales in a separate tensor.

All return None for an operator without a blockwise tensor, so a limit on them applies only to operators with such a
tensor.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd, prod

import numpy as np

from litecheck.model.stored_values import stored_integers
from litecheck.model.types import Tensor
from litecheck.profile.measurements.measured_operator import Measured, Operands
from litecheck.profile.measurements.register import measures, option_stated
from litecheck.profile.measurements.vocabulary import TYPE_OR_ABSENT, TYPES
from litecheck.profile.operator_plan import Blocks, Plan
from litecheck.quantization import BITS, Blockwise, Quantization


def _set_blocks(
    plan: Plan, size: int = 32, shape: tuple[int, ...] = (), dtype: str = "int4", scale: Sequence[float] = (),
    more: int = 0, zeros: int | None = None, scale_type: str = "float16",
) -> Plan | None:  # fmt: skip
    """Set blockwise weights: four rows unless ``shape`` is given, and block scales of 0.5 after the scales of
    ``scale``."""
    role = next((role for role in ("weight", "table") if plan.one(role)), None)
    if role is None or size < 1 or prod(shape) > 1 << 16:
        return None
    shape = shape or (4, 64)
    count = shape[0] * (shape[1] // size) + more
    scales = np.array([*scale, *[0.5] * count][:count], scale_type)
    zero_points = None if zeros is None else np.array([1] * zeros + [0] * (count - zeros), np.int8)
    blocks = Blocks(size, scales, zero_points)
    empty = Quantization()
    return plan.edit(
        role, lambda t: t.but(dtype=dtype, shape=shape, values=None, quantization=empty, blocks=blocks)
    )


@measures(lambda plan, value: _set_blocks(plan, dtype=value), "int8", gives=TYPES)
def block_weight_type(operands: Operands) -> Measured:
    """Dtype of the blockwise weights. Example: int4."""
    found = _find_blockwise(operands)
    return found[0].dtype if found else None


@measures(lambda plan, value: _set_blocks(plan, size=int(value) // 4))
def block_bits(operands: Operands) -> Measured:
    """Number of bits in a block of weights. Example: blocks of 32 int4 values give 128."""
    found = _find_blockwise(operands)
    return found[1].block_size * BITS.get(found[0].dtype, 0) if found else None


@measures(lambda plan, value: _set_blocks(plan, shape=(value, 64)))
def block_rows(operands: Operands) -> Measured:
    """Number of rows of the blockwise weights, which is their first dimension. Example: shape (8, 64) gives
    8."""
    found = _find_blockwise(operands)
    return found[0].shape[0] if found and found[0].shape else None


@measures(lambda plan, value: _set_blocks(plan, gcd(int(value), 32), (4, value)))
def block_columns(operands: Operands) -> Measured:
    """Number of values in a row of the blockwise weights. Example: shape (8, 2, 32) gives 64."""
    found = _find_blockwise(operands)
    return prod(found[0].shape[1:]) if found and found[0].shape else None


@measures(lambda plan, value: _set_blocks(plan, 3, (4, 63) if value else (4, 66)))
def block_column_odd(operands: Operands) -> Measured:
    """Row length of the blockwise weights modulo 2. Example: shape (8, 63) gives 1."""
    columns = block_columns(operands)
    return columns % 2 if isinstance(columns, int) else None


@measures(lambda plan, value: _set_blocks(plan, shape=(4, 64 + value)))
def block_remainder(operands: Operands) -> Measured:
    """Number of values in a row after its last full block. Example: rows of 70 values in blocks of 32 give 6."""
    found, columns = _find_blockwise(operands), block_columns(operands)
    if not found or not isinstance(columns, int):
        return None
    return columns % found[1].block_size if found[1].block_size > 0 else columns


@measures(lambda plan, value: _set_blocks(plan, scale_type=value), "float32", gives=TYPE_OR_ABSENT)
def block_scale_type(operands: Operands) -> Measured:
    """Dtype of the constant that holds the block scales, or ``absent``. Example: float16."""
    found = _find_blockwise(operands)
    if not found:
        return None
    scales = _tensor(operands, found[1].scales)
    return scales.dtype if scales is not None and scales.is_constant else "absent"


@measures(lambda plan, value: _set_blocks(plan, more=value))
def block_scales_off(operands: Operands) -> Measured:
    """Number of scales minus number of full blocks. Example: shape (8, 64), blocks of 32 and 15 scales give
    -1."""
    found, rows, columns = _find_blockwise(operands), block_rows(operands), block_columns(operands)
    scales = _tensor(operands, found[1].scales) if found else None
    if not found or scales is None or not isinstance(rows, int) or not isinstance(columns, int):
        return None
    return scales.size - rows * (columns // found[1].block_size) if found[1].block_size > 0 else None


@measures(lambda plan, value: _set_blocks(plan, scale=[0] * value))
def block_scales_unsound(operands: Operands) -> Measured:
    """Number of block scales that are NaN, infinite, zero or negative. Example: scales (0.5, 0, inf) give 2."""
    found = _find_blockwise(operands)
    scales = _tensor(operands, found[1].scales) if found else None
    values = stored_integers(scales) if scales is not None and scales.dtype.startswith("float") else None
    if values is None:
        return None
    return int((~(np.isfinite(values) & (values > 0))).sum())


@measures(lambda plan, value: _set_blocks(plan, zeros=value))
def block_zero_points(operands: Operands) -> Measured:
    """Number of nonzero zero points of blocks; 0 without a tensor of zero points. Example: zero points (0, 3,
    0) give 1."""
    found = _find_blockwise(operands)
    if not found:
        return None
    tensor = _tensor(operands, found[1].zero_points)
    values = stored_integers(tensor) if tensor is not None else None
    return 0 if values is None else int(np.count_nonzero(values))


@measures(lambda plan, value: option_stated(_set_blocks(plan) or plan, value, "fused_activation_function"))
def block_activation(operands: Operands) -> Measured:
    """Code of the activation fused into an operator with blockwise weights. Example: NONE gives 0, RELU gives
    1."""
    return operands.option("fused_activation_function") if _find_blockwise(operands) else None


def _find_blockwise(operands: Operands) -> tuple[Tensor, Blockwise] | None:
    """Return the first operand with blockwise scales, and its quantization details; None without such an operand."""
    for tensors in operands.roles.values():
        for tensor in tensors:
            details = tensor.quantization.details
            if isinstance(details, Blockwise):
                return tensor, details
    return None


def _tensor(operands: Operands, index: int) -> Tensor | None:
    tensors = operands.subgraph.tensors
    return tensors[index] if 0 <= index < len(tensors) else None
