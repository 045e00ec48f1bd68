"""Axes that a reduction removes, and the values that it reduces."""

from __future__ import annotations

import numpy as np

from litecheck.reference.runtime_tensors import Array, Operand, Options, RunError


def reduced_axes(axis: Operand, rank: int) -> tuple[int, ...]:
    """Return the axes to reduce, from 0, ascending, each once. Negative axes count from the end. Raises RunError."""
    named = [int(a) for a in axis.data.reshape(-1)] if rank else []
    wrong = [a for a in named if not -rank <= a < rank]
    if wrong:
        raise RunError(f"axis {wrong[0]} of a tensor with {rank} dimensions")
    return tuple(sorted({a % rank for a in named}))


def reduction_view(data: Array, axes: tuple[int, ...]) -> Array:
    """Return the data as (kept dimensions..., all reduced dimensions merged), in row-major order.

    For example, axes (1, 2) of shape (1, 4, 5, 8) give shape (1, 8, 20).
    """
    kept = [a for a in range(data.ndim) if a not in axes]
    count = int(np.prod([data.shape[a] for a in axes], dtype=np.int64))
    return np.asarray(data.transpose(*kept, *axes).reshape(*(data.shape[a] for a in kept), count))


def shape_after(shape: tuple[int, ...], axes: tuple[int, ...], options: Options) -> tuple[int, ...]:
    """Return the output's shape; with ``keep_dims`` a reduced axis has length 1.

    For example, axes (1, 2) of (1, 4, 4, 8) give (1, 8), or (1, 1, 1, 8) with ``keep_dims``.
    """
    keep = options is not None and bool(options.get("keep_dims", False))
    if keep:
        return tuple(1 if a in axes else n for a, n in enumerate(shape))
    return tuple(n for a, n in enumerate(shape) if a not in axes)
