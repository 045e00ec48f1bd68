"""Measurements of axes as accelerators count them: batches, reduced extents, permutations by class, strides over slices."""

from __future__ import annotations

from itertools import combinations
from math import prod

from litecheck.profile.measurements.bound import Measured, Operands, integer, short_constant
from litecheck.profile.measurements.register import held, measures
from litecheck.profile.measurements.vocabulary import TYPES, of
from litecheck.targets.generators.axes import (
    WIDTHS,
    backward,
    batch_axes,
    deep_product,
    from_end,
    inner_weights,
    letters,
    long_permutation,
    of_depth,
    outer,
    parts,
    reduced_count,
    reduced_length,
    rows_of_bias,
    stepped,
    tuple_length,
    typed_product,
    wide_product,
)  # fmt: skip
from litecheck.targets.measurements.feature_maps import NARROW


def _shape(operands: Operands) -> tuple[int, ...] | None:
    tensor = operands.one("input")
    return None if tensor is None else tensor.shape


def _axes(operands: Operands) -> list[int] | None:
    """The constant axes, counted from the front; None where one is out of range."""
    shape, axes = _shape(operands), short_constant(operands, "axis")
    if shape is None or axes is None or not all(-len(shape) <= a < len(shape) for a in axes):
        return None
    return sorted({a % len(shape) for a in axes})


@measures(outer)
def input_batch_product(operands: Operands) -> Measured:
    """The product of all dimensions of the input in front of the last three."""
    shape = _shape(operands)
    return None if shape is None else prod(shape[:-3])


@measures(reduced_length)
def longest_reduced_axis(operands: Operands) -> Measured:
    """The longest dimension that is reduced."""
    shape, axes = _shape(operands), _axes(operands)
    return None if not shape or not axes else max(shape[a] for a in axes)


@measures(reduced_count)
def reduced_magnitude(operands: Operands) -> Measured:
    """How many elements one result adds up, counted twice for uint8 and 256 times for int16."""
    shape, axes, tensor = _shape(operands), _axes(operands), operands.one("input")
    if not shape or not axes or tensor is None:
        return None
    return prod(shape[a] for a in axes) * WIDTHS.get(tensor.dtype, 1)


@measures(of_depth)
def depth_reduction(operands: Operands) -> Measured:
    """1 where the last dimension is reduced and none of the second to fourth of four or more is 1, else 0."""
    shape, axes = _shape(operands), _axes(operands)
    if not shape or not axes or len(shape) - 1 not in axes:
        return 0
    return int(all(d > 1 for d in ((1,) * (4 - len(shape)) + shape)[1:4]))


@measures(from_end)
def axis_from_end(operands: Operands) -> Measured:
    """The constant axis, counted from the end: -1 is the last one, whichever way it is stated."""
    shape, axes = _shape(operands), short_constant(operands, "axis")
    if shape is None or axes is None or len(axes) != 1:
        return None
    return axes[0] - len(shape) if axes[0] >= 0 else axes[0]


@measures(lambda plan, value: held(plan, "axis", [-4] if value else [0]))
def axis_is_minus_rank(operands: Operands) -> Measured:
    """1 where an axis is stated as minus the rank, else 0."""
    shape, axes = _shape(operands), short_constant(operands, "axis")
    return None if shape is None or axes is None else int(any(a <= -len(shape) for a in axes))


@measures(reduced_length)
def axis_length(operands: Operands) -> Measured:
    """The length of the dimension that one constant axis names."""
    shape, axes = _shape(operands), _axes(operands)
    return None if not shape or not axes else shape[axes[0]]


def _permutation(operands: Operands) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """The permutation and the shape it is of, with dimensions of 1 in front to make four."""
    shape, perm = _shape(operands), short_constant(operands, "perm")
    if shape is None or perm is None or len(perm) != len(shape) or sorted(perm) != list(range(len(shape))):
        return None
    more = max(4 - len(shape), 0)
    return (*range(more), *(p + more for p in perm)), (1,) * more + shape


def _inside(perm: tuple[int, ...], shape: tuple[int, ...]) -> bool:
    """Whether only the last three dimensions move, all in front of them being 1."""
    outer = len(shape) - 3
    return perm[:outer] == tuple(range(outer)) and all(d == 1 for d in shape[:outer])


@measures(letters, "other", gives=of("an order of dimensions", "NHWC", "NWHC", "NHCW", "other"))
def int32_permutation(operands: Operands) -> Measured:
    """How a permutation of int32 moves the letters of NHWC, ``other`` where it is none of three; None of other types."""
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


@measures(long_permutation)
def transpose_extent(operands: Operands) -> Measured:
    """What a permutation of narrow types has to count up to: a dimension where the last three move alone, else the
    product of any dimensions but two."""
    tensor, found = operands.one("input"), _permutation(operands)
    if tensor is None or tensor.dtype == "int32" or found is None:
        return None
    perm, shape = found
    if perm == tuple(range(len(perm))):
        return None
    if _inside(perm, shape):
        return max(shape[-3:])
    return max(prod(part) for part in combinations(shape, len(shape) - 2))


def _steps(operands: Operands) -> list[tuple[int, int]] | None:
    """The dimensions of a slice, as far as begin, end and strides go, that no ellipsis stands for, and their strides."""
    shape, mask = _shape(operands), integer(operands, "ellipsis_mask") or 0
    stated = [short_constant(operands, role) for role in ("begin", "end", "strides")]
    if shape is None or stated[2] is None:
        return None
    length = min(len(shape), *(len(values) for values in stated if values is not None))
    return [(n, step) for n, step in enumerate(stated[2][:length]) if not mask >> n & 1]


@measures(backward)
def negative_strides(operands: Operands) -> Measured:
    """How many strides of a slice are below 1, of dimensions that have a begin and an end and that no ellipsis stands
    for."""
    steps = _steps(operands)
    return None if steps is None else sum(step < 1 for _, step in steps)


@measures(stepped)
def strides_outside_hw(operands: Operands) -> Measured:
    """How many of these strides are above 1 and run along another dimension than the second and third from the end."""
    shape, steps = _shape(operands), _steps(operands)
    if shape is None or steps is None:
        return None
    return sum(step > 1 and len(shape) - n not in (2, 3) for n, step in steps)


def _product(operands: Operands) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    lhs, rhs = operands.one("lhs"), operands.one("rhs")
    return None if lhs is None or rhs is None else (lhs.shape, rhs.shape)


@measures(deep_product)
def matmul_depth(operands: Operands) -> Measured:
    """How many products one element of a matrix product adds up, of a layer whose weights are computed too."""
    shapes = _product(operands)
    if shapes is not None:
        lhs = shapes[0]
        return None if len(lhs) < 2 else lhs[-2] if integer(operands, "adj_x") else lhs[-1]
    weight = operands.one("weight")
    return weight.shape[-1] if weight is not None and weight.shape and weight.data is None else None


@measures(wide_product)
def matmul_columns(operands: Operands) -> Measured:
    """The last dimension of a matrix product, or of a layer whose weights are computed."""
    weight, result = operands.one("weight"), operands.one("output")
    if result is None or not result.shape or (weight is not None and weight.data is not None):
        return None
    return result.shape[-1]


@measures(typed_product, *NARROW, gives=TYPES)
def matmul_input_dtype(operands: Operands) -> Measured:
    """The type of a matrix product's input, or of a layer whose weights are computed."""
    weight = operands.one("weight")
    tensor = operands.one("lhs") if weight is None else operands.one("input") if weight.data is None else None
    return None if tensor is None else tensor.dtype


@measures(inner_weights)
def inner_weight_product(operands: Operands) -> Measured:
    """The product of all dimensions of the weights but the first and the last."""
    weight = operands.one("weight")
    return None if weight is None else prod(weight.shape[1:-1])


@measures(rows_of_bias)
def bias_rows(operands: Operands) -> Measured:
    """The product of all dimensions of a bias but the last."""
    bias = operands.one("bias")
    return None if bias is None else prod(bias.shape[:-1])


@measures(parts)
def num_splits_mismatch(operands: Operands) -> Measured:
    """By how much the number of results and the option ``num_splits`` differ."""
    stated = integer(operands, "num_splits")
    return None if stated is None else abs(stated - len(operands.operator.outputs))


@measures(batch_axes)
def batch_axis_mismatch(operands: Operands) -> Measured:
    """By how much GATHER's axis and its number of batch dimensions differ."""
    axis, batch, shape = integer(operands, "axis"), integer(operands, "batch_dims"), _shape(operands)
    if axis is None or batch is None or shape is None:
        return None
    return abs((axis + len(shape) if axis < 0 else axis) - (batch + len(shape) if batch < 0 else batch))


@measures(tuple_length)
def index_depth(operands: Operands) -> Measured:
    """How many dimensions an index tuple names: the last dimension of the indices."""
    indices = operands.one("indices")
    return None if indices is None or not indices.shape else indices.shape[-1]
