"""Lifetimes of tensors in a running subgraph: state between inferences, initial contents, memory use, and last use."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from litecheck.model.types import Subgraph, Tensor
from litecheck.reference.compute_limits import reserve
from litecheck.reference.runtime_tensors import NUMPY_TYPES, Array, RunError

#: Size in bytes of the largest block that glibc can keep after it is freed.
KEPT = 31 << 20


@dataclass(frozen=True, slots=True, eq=False)
class State:
    """State that an interpreter keeps between inferences."""

    variables: Mapping[tuple[int, int], Array]
    resources: Mapping[tuple[str, str], Array | None]
    initialized: frozenset[int]

    def same(self, other: State) -> bool:
        """Return True if both states have the same contents."""
        return (
            self.initialized == other.initialized
            and _has_equal_arrays(self.variables, other.variables)
            and _has_equal_arrays(self.resources, other.resources)
        )


def _has_equal_arrays(mine: Mapping[Any, Any], theirs: Mapping[Any, Any]) -> bool:
    return mine.keys() == theirs.keys() and all(np.array_equal(mine[key], theirs[key]) for key in mine)


class HeldBytes(dict[int, int]):
    """Bytes of the live tensors of a subgraph, by index."""

    def add(self, index: int, array: Array) -> int:
        """Add a tensor, and return the number of bytes by which memory use grows."""
        before, self[index] = self.get(index, 0), array.nbytes
        return array.nbytes - before


def initial(tensor: Tensor) -> Array:
    """Return the contents of a variable tensor before the first inference.

    For int8 this is the lowest byte of the zero point, for all other types 0. Source: tflite/core/c/common.cc,
    ResetVariableTensor, which fills the tensor with bytes.
    """
    if tensor.dtype not in NUMPY_TYPES:
        raise RunError(f"variable tensor {tensor.index} '{tensor.name}' has type {tensor.dtype}")
    zero_points = tensor.quantization.zero_point
    fill = int(zero_points[0]) if tensor.dtype == "int8" and zero_points.size else 0
    dtype = np.dtype(NUMPY_TYPES[tensor.dtype])
    reserve(tensor.shape, 2 * dtype.itemsize, f"variable tensor {tensor.index} '{tensor.name}'")
    return np.full(tensor.shape, np.array(fill).astype(dtype))


def last_use(subgraph: Subgraph) -> dict[int, tuple[int, ...]]:
    """Return the tensors that are not needed after an operator, by operator."""
    last: dict[int, int] = {}
    for operator in subgraph.operators:
        for index in (*operator.inputs, *operator.outputs):
            last[index] = operator.index
    for index in subgraph.outputs:
        last.pop(index, None)
    by_operator: dict[int, list[int]] = {}
    for index, operator_index in last.items():
        by_operator.setdefault(operator_index, []).append(index)
    return {op: tuple(indexes) for op, indexes in by_operator.items()}


@cache
def keep_freed_memory() -> None:
    """Make the allocator keep freed memory for the next inference, for the lifetime of the process.

    glibc returns a freed large block to the system until a larger block has been freed. Each inference would then wait
    for thousands of page faults. The block allocated here is never written, so it needs no physical memory. Source:
    mallopt(3), M_MMAP_THRESHOLD.
    """
    with suppress(MemoryError):
        _ = np.empty(KEPT, np.uint8)
