"""Measurements of the permutation and the sizes of a TRANSPOSE."""

from __future__ import annotations

from itertools import combinations
from math import prod

from litecheck.profile.measurements.measured_operator import Measured, Operands, short_constant
from litecheck.profile.measurements.register import measures
from litecheck.profile.measurements.vocabulary import of
from litecheck.targets.ethos_u.measurements.reductions import input_shape
from litecheck.targets.generators.axes import set_permutation_letters, set_transposed_length


def _permutation(operands: Operands) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """Return (permutation, shape), padded with leading dimensions of 1 to rank 4."""
    shape, perm = input_shape(operands), short_constant(operands, "perm")
    if shape is None or perm is None or len(perm) != len(shape) or sorted(perm) != list(range(len(shape))):
        return None
    more = max(4 - len(shape), 0)
    return (*range(more), *(p + more for p in perm)), (1,) * more + shape


def _permutes_last_three(perm: tuple[int, ...], shape: tuple[int, ...]) -> bool:
    """Return True if only the last three dimensions are permuted, and all dimensions before are 1."""
    outer = len(shape) - 3
    return perm[:outer] == tuple(range(outer)) and all(d == 1 for d in shape[:outer])


@measures(
    set_permutation_letters, "other", gives=of("an order of dimensions", "NHWC", "NWHC", "NHCW", "other")
)
def int32_permutation(operands: Operands) -> Measured:
    """Order of the dimensions of a transposed int32 tensor: NHWC, NWHC or NHCW, and ``other`` for a different order or
    dimensions that are too large; none for other dtypes. Example: permutation (0, 2, 1, 3) of (1, 5, 7, 8) gives NWHC."""
    tensor, found = operands.one("input"), _permutation(operands)
    if tensor is None or tensor.dtype != "int32" or found is None:
        return None
    perm, shape = found
    if len(perm) > 4:
        return "other"
    letters = "".join("NHWC"[p] for p in perm)
    fits = {
        "NHWC": shape[3] <= 1 << 16,
        "NWHC": shape[0] == 1 and max(shape[1:3]) <= 1 << 16 and shape[3] <= 1 << 14,
        "NHCW": shape[0] * shape[1] <= 1 << 16 and max(shape[2:]) <= 1 << 16,
    }
    return letters if fits.get(letters) else "other"


@measures(set_transposed_length)
def transpose_extent(operands: Operands) -> Measured:
    """Largest size in a TRANSPOSE that is not int32: the largest of H, W, C if only these are permuted and the batch is
    1, else the largest product of all dimensions but two. Example: permutation (0, 2, 1, 3) of (1, 5, 7, 8) gives 8."""
    tensor, found = operands.one("input"), _permutation(operands)
    if tensor is None or tensor.dtype == "int32" or found is None:
        return None
    perm, shape = found
    if perm == tuple(range(len(perm))):
        return None
    if _permutes_last_three(perm, shape):
        return max(shape[-3:])
    return max(prod(part) for part in combinations(shape, len(shape) - 2))
