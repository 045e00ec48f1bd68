"""Measurements for the conditions of known faults, by their names under ``when`` in known-faults.yaml.

A name is a measurement of the rules, an option of the operator, or a measurement of this module. ``role.type`` is a
property of a tensor: a measurement of this module, or a measurement of a tensor.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from fractions import Fraction
from math import prod

from litecheck.flatbuffer.flexbuffer import FlexbufferError, read_map
from litecheck.model.graph import wiring_of
from litecheck.model.options import options_of
from litecheck.model.stored_values import extremes, stored_integers
from litecheck.model.types import Tensor
from litecheck.profile.measurements.empty_matrices import batch_pairs
from litecheck.profile.measurements.measured_operator import Measured, Operands, one_scale
from litecheck.profile.measurements.register import OPERAND, OPERATOR
from litecheck.profile.measurements.registry import measurement
from litecheck.profile.operators import traits_of
from litecheck.quantization import Blockwise

ABSENT = "absent"
#: Last parts of the names whose value follows from the types, shapes and constness of an operator's tensors.
_STRUCTURAL = frozenset((
    "type", "source", "elements", "rows", "row_size", "row_remainder", "rank_gap", "broadcasts", "window_beyond_input",
    "outer_dimensions", "single_beside_empty", "matrices",
))  # fmt: skip


def value_of(name: str, operands: Operands) -> Measured:
    """Return the value of a condition. Example: ``bias.type`` of a layer without a bias is ``absent``."""
    role, dot, what = name.rpartition(".")
    if dot:
        tensor = operands.one(role)
        if what in OPERAND:
            return measurement(name)(operands)
        return ABSENT if tensor is None else _OF_TENSOR[what](tensor)
    if name in _OF_OPERATOR:
        return _OF_OPERATOR[name](operands)
    return measurement(name)(operands) if name in OPERATOR else _option(operands, name)


def is_known(name: str) -> bool:
    """Return True if a name is a property of a tensor, a measurement, or may be an option."""
    _, dot, what = name.rpartition(".")
    return what in _OF_TENSOR or what in OPERAND if dot else name.isidentifier()


def is_structural(name: str) -> bool:
    """Return True if a condition is the same for all operators with the same options, types and shapes."""
    _, dot, what = name.rpartition(".")
    is_option = not dot and what not in _OF_OPERATOR and what not in OPERATOR
    return is_option or what in _STRUCTURAL


def _option(operands: Operands, name: str) -> Measured:
    value = options_of(operands.operator).get(name)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value if value is None or isinstance(value, (int, str)) else Fraction(value)


def _granularity(tensor: Tensor) -> str:
    if isinstance(tensor.quantization.details, Blockwise):
        return "blockwise"
    scales = tensor.quantization.scale.size
    return "none" if not scales else "per-tensor" if scales == 1 else "per-axis"


def _smallest_stored(tensor: Tensor) -> Measured:
    """Return the smallest stored value of a constant of any integer type. Example: values (-3, 5) give -3."""
    found = extremes(tensor) if tensor.is_constant else None
    return None if found is None else int(found[0])


def _zero_point(tensor: Tensor) -> Measured:
    points = tensor.quantization.zero_point
    return int(points[0]) if points.size == 1 else None


def _scales(operands: Operands) -> list[Fraction]:
    inputs = (
        tensor for role in traits_of(operands.operator.kind).inputs for tensor in operands.roles.get(role, ())
    )
    return [scale for tensor in inputs if (scale := one_scale(tensor)) is not None]


def _product_ratio(operands: Operands) -> Measured:
    """Return product of the two input scales / output scale. Example: 0.5, 0.25 and 0.5 give 0.25."""
    scales, output = _scales(operands), one_scale(operands.one("output"))
    return scales[0] * scales[1] / output if len(scales) == 2 and output else None


def _broadcasts(operands: Operands) -> Measured:
    """Return ``yes`` if the two inputs have different shapes."""
    lhs, rhs = operands.one("lhs"), operands.one("rhs")
    return None if lhs is None or rhs is None else "no" if lhs.shape == rhs.shape else "yes"


def _rank_gap(operands: Operands) -> Measured:
    """Return rank of the second input - rank of the first. Example: shapes (4,) and (2, 4) give 1."""
    lhs, rhs = operands.one("lhs"), operands.one("rhs")
    return None if lhs is None or rhs is None else len(rhs.shape) - len(lhs.shape)


def _window_beyond_input(operands: Operands) -> Measured:
    """Return the largest number of elements by which a pooling window exceeds the input. Example: 5 rows on 3 give
    2."""
    given = operands.one("input")
    if given is None or len(given.shape) != 4:
        return None
    sides = zip(("filter_height", "filter_width"), given.shape[1:3], strict=True)
    return max(operands.option(name) - size for name, size in sides)


def _outer_dimensions(operands: Operands) -> Measured:
    """Return the number of lhs dimensions above 1 before its last two. Example: shape (1, 2, 3, 4, 5) gives 2."""
    lhs = operands.one("lhs")
    return None if lhs is None else sum(size > 1 for size in lhs.shape[:-2])


def _single_beside_empty(operands: Operands) -> Measured:
    """Return the number of batch dimensions of length 1 in a matrix and 0 in the second. Example: (0, 1, 2, 3) and
    (0, 0, 3, 4) give 1."""
    lhs, rhs = operands.one("lhs"), operands.one("rhs")
    return None if lhs is None or rhs is None else sum({*pair} == {0, 1} for pair in batch_pairs(lhs, rhs))


def _reversed_empty_slices(operands: Operands) -> Measured:
    """Return the number of slices along a reversed axis if they are empty, else 0. Example: shape (2, 3, 0) gives 2 for axis
    0, 6 for axis 1 and 0 for axis 2."""
    given, axis = operands.one("input"), operands.one("axis")
    axes = stored_integers(axis) if axis is not None and axis.is_constant else None
    if given is None or axes is None or not axes.size:
        return None
    last = int((axes.reshape(-1) % max(1, len(given.shape))).max()) + 1
    return 0 if prod(given.shape[last:]) else prod(given.shape[:last])


def _dilations_of_empty_slices(operands: Operands) -> Measured:
    """Return the number of dilations above 1 from the first dimension of length 0 on. Example: shape (3, 0, 2) gives 1 for
    dilations (2, 1, 3), and 0 for (2, 1, 1)."""
    given, dilations = operands.one("input"), operands.one("dilations")
    steps = stored_integers(dilations) if dilations is not None and dilations.is_constant else None
    if given is None or steps is None or 0 not in given.shape:
        return 0 if steps is not None else None
    return int((steps.reshape(-1)[given.shape.index(0) :] > 1).sum())


def _block_size_by_32(operands: Operands) -> Measured:
    """Return the block size of blockwise weights modulo 32. Example: blocks of 40 give 8."""
    weight = operands.one("weight")
    details = None if weight is None else weight.quantization.details
    return details.block_size % 32 if isinstance(details, Blockwise) else None


def _weight_writer(operands: Operands) -> Measured:
    """Return the operator that writes the weights, or ``none`` for weights that no operator writes."""
    weight = operands.one("weight")
    writer = None if weight is None else wiring_of(operands.subgraph).first_writer.get(weight.index)
    return "none" if writer is None else operands.subgraph.operators[writer].opcode


def _ends_model(operands: Operands) -> Measured:
    """Return ``yes`` if the first output is an output of its subgraph."""
    outputs = operands.operator.outputs
    return "yes" if outputs and outputs[0] in wiring_of(operands.subgraph).outputs else "no"


def _projected_beyond_cells(operands: Operands) -> Measured:
    """Return projection outputs - cells of an LSTM. Example: projection (6, 4) and 4 cells give 2."""
    projection, weights = operands.one("projection_weights"), operands.one("input_to_output_weights")
    if projection is None or weights is None or not projection.shape or not weights.shape:
        return None
    return projection.shape[0] - weights.shape[0]


def _overwritten_loop_inputs(operands: Operands) -> Measured:
    """Return the outputs of a loop's body that are an input at an earlier place with another output. Example: the body of a
    Fibonacci loop returns (a + b, a) for the inputs (a, b), which gives 1; (b, a + b) gives 0."""
    number = operands.option("body_subgraph_index", -1)
    if not 0 <= number < len(operands.model.subgraphs):
        return None
    body = operands.model.subgraphs[number]
    moved = (
        (at, body.inputs.index(index), index) for at, index in enumerate(body.outputs) if index in body.inputs
    )
    return sum(source < at and body.outputs[source] != index for at, source, index in moved)


def _classes_per_detection(operands: Operands) -> Measured:
    """Return the classes per detection of TFLite_Detection_PostProcess with fast suppression; None with regular
    suppression."""
    stored = operands.operator.custom_options
    with suppress(FlexbufferError):
        options = read_map(stored.tobytes() if stored is not None else b"")
        return None if options.get("use_regular_nms") else int(options.get("max_classes_per_detection", 0))
    return None


_OF_TENSOR: dict[str, Callable[[Tensor], Measured]] = {
    "type": lambda tensor: tensor.dtype,
    "source": lambda tensor: "constant" if tensor.is_constant else "computed",
    "granularity": _granularity,
    "rows": lambda tensor: tensor.shape[0] if tensor.shape else None,
    "row_size": lambda tensor: tensor.size // tensor.shape[0] if tensor.shape and tensor.shape[0] else None,
    "matrices": lambda tensor: prod(tensor.shape[:-2]) if len(tensor.shape) > 1 else None,
    "row_remainder": lambda tensor: tensor.shape[0] % 4 if tensor.shape else None,
    "stored": _smallest_stored,
    "zero_point": _zero_point,
}
_OF_OPERATOR: dict[str, Callable[[Operands], Measured]] = {
    "coarsest_scale": lambda operands: max(_scales(operands), default=None),
    "product_ratio": _product_ratio,
    "broadcasts": _broadcasts,
    "rank_gap": _rank_gap,
    "window_beyond_input": _window_beyond_input,
    "outer_dimensions": _outer_dimensions,
    "single_beside_empty": _single_beside_empty,
    "reversed_empty_slices": _reversed_empty_slices,
    "dilations_of_empty_slices": _dilations_of_empty_slices,
    "block_size_by_32": _block_size_by_32,
    "weight_writer": _weight_writer,
    "ends_model": _ends_model,
    "projected_beyond_cells": _projected_beyond_cells,
    "overwritten_loop_inputs": _overwritten_loop_inputs,
    "classes_per_detection": _classes_per_detection,
}
