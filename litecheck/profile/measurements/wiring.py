"""Measurements of the connections between operators and tensors, of matching types and ranks, and of subgraphs."""

from __future__ import annotations

from collections.abc import Collection
from itertools import accumulate
from math import prod
from operator import mul
from typing import Any

import numpy as np

from litecheck.model.types import Tensor
from litecheck.profile.measurements.measured_operator import Measured, Operands
from litecheck.profile.measurements.register import (
    DELEGATED,
    Setter,
    dimensions,
    measures,
    option_fields,
    option_stated,
    with_dtype,
    with_rank,
)
from litecheck.profile.operator_plan import NeighborTensor, Plan, TensorPlan
from litecheck.quantization import BITS

#: Roles of data operands, as opposed to indices, weights and conditions.
_DATA = frozenset((
    "input", "values", "lhs", "rhs", "on_true", "on_false", "update", "updates", "padding_value", "constant_values",
    "init_value", "default_value", "on_value", "off_value",
))  # fmt: skip
_DATA_BOTH_ENDS = _DATA | {"output", "outputs"}
#: Types whose tensors refer to other objects.
_HANDLES = ("resource", "variant", "string")
#: Largest dimension: dimensions are int32.
_LARGEST_DIMENSION = (1 << 31) - 1


def _set_listed_inputs(plan: Plan, value: int) -> Plan | None:
    last = plan.inputs[-1] if plan.inputs else ""
    if len(tensors := plan.operands.get(last, ())) > 1:  # a repeated role
        count = value - len(plan.inputs) + 1
        return plan.with_role(last, [tensors[0].but() for _ in range(count)]) if count > 0 else None
    if not 0 <= value <= len(plan.inputs) or not plan.optional.issuperset(plan.inputs[value:]):
        return None
    return plan.without_inputs(*plan.inputs[value:]).but(explicit_absent=value == len(plan.inputs))


def _set_aliased(plan: Plan, value: int) -> Plan | None:
    for role, source in zip(plan.outputs[:value], plan.inputs, strict=False):
        plan = plan.with_role(role, plan.operands[source])
    return plan


def _neighbor_setter(place: str, writers: int = 0, **fields: Any) -> Setter:
    """Return a setter of the number of additional tensors of this kind in the subgraph."""
    tensor = {"dtype": "int8", "shape": (4,), **fields}
    return lambda plan, value: plan.but(
        bystanders=tuple(NeighborTensor(TensorPlan(**tensor), place, writers) for _ in range(value))
    )


def _add_sized_tensor(plan: Plan, value: int) -> Plan | None:
    """Add a tensor of ``value`` bytes, unless the value has a prime factor that is not a dimension."""
    shape, left = [1], value
    for factor in range(2, 1 << 20):
        while left > 1 and left % factor == 0:
            shape, left = [*shape, factor], left // factor
    if left > _LARGEST_DIMENSION:
        return None
    return _neighbor_setter("idle", shape=(*shape, left))(plan, 1)


def _present_roles(plan: Plan, roles: frozenset[str]) -> list[str]:
    return [role for role in plan.operands if role in roles]


def _set_delegated_rank(plan: Plan, value: int) -> Plan | None:
    for role in ("input", "values", "lhs"):
        if plan.one(role):
            return plan.edit(role, lambda t: with_rank(t.but(dtype="float32", values=None), value) or t)
    return None


def _broadcast(plan: Plan, value: int) -> Plan | None:
    role = next((role for role in plan.inputs if plan.one(role)), "")
    return plan.edit(role, lambda t: with_rank(t.but(shape=(2,) * 4), value) or t)


def _set_count_mismatch(plan: Plan, value: int) -> Plan | None:
    role = plan.inputs[0] if "values_count" in option_fields(plan.opcode) else plan.outputs[0]
    return option_stated(plan, len(plan.operands[role]) + value, "num_splits", "num", "values_count")


def _set_absent(plan: Plan, value: int) -> Plan | None:
    absent = plan.inputs[max(len(plan.inputs) - value, 0) :]
    if value < 0 or not plan.optional.issuperset(absent):
        return None
    return plan.without_inputs(*absent).but(explicit_absent=value > 0)


@measures(_set_listed_inputs)
def listed_inputs(operands: Operands) -> Measured:
    """Number of inputs in the file, absent inputs included. Example: CONV_2D with an absent bias in its list
    gives 3."""
    return len(operands.operator.inputs)


@measures(_set_aliased)
def aliased_outputs(operands: Operands) -> Measured:
    """Number of outputs that are also inputs of the operator. Example: inputs (4, 5) and output (4) give 1."""
    inputs = operands.operator.inputs
    return sum(index >= 0 and index in inputs for index in operands.operator.outputs)


@measures(_neighbor_setter("output"))
def unwritten_outputs(operands: Operands) -> Measured:
    """Number of subgraph outputs that no operator writes and that are no input, constant, variable or empty
    tensor. Example: an output without a producer gives 1."""
    graph = operands.subgraph
    known = {index for op in graph.operators for index in op.outputs} | set(graph.inputs)
    return sum(index not in known and _holds_nothing(graph.tensors, index) for index in graph.outputs)


def _holds_nothing(tensors: tuple[Tensor, ...], index: int) -> bool:
    if not 0 <= index < len(tensors):
        return False
    tensor = tensors[index]
    return not tensor.is_constant and not tensor.is_variable and 0 not in tensor.shape


@measures(_add_sized_tensor)
def largest_tensor_bytes(operands: Operands) -> Measured:
    """Size in bytes of the largest tensor of the subgraph. Example: int16 of shape (2, 3) gives 12.

    Products of leading dimensions count, too, since the runtime multiplies the dimensions in their order: int8 of shape
    (6, 4, 0) gives 24. Strings, resources, variants and sparse tensors have no size.

    Search words: SRAM, memory, buffer, tile size.
    """
    sized = (t for t in operands.subgraph.tensors if t.dtype not in _HANDLES and t.sparsity is None)
    return max(map(_required_bytes, sized), default=0)


def _required_bytes(tensor: Tensor) -> int:
    """Return the bytes of a tensor. Source: BytesRequired in tflite/util.cc."""
    elements = prod(tensor.shape)
    if not elements:
        return max(accumulate(tensor.shape, mul), default=0)
    return -(elements * -BITS.get(tensor.dtype, 8) // 8)


@measures(_neighbor_setter("idle", variable=True, values=np.ones(4, np.int8)))
def variable_constants(operands: Operands) -> Measured:
    """Number of variables of the subgraph with values in the file. Example: a variable with a buffer of 4
    bytes gives 1."""
    return sum(t.is_variable and t.is_constant for t in operands.subgraph.tensors)


@measures(_neighbor_setter("idle", variable=True, dtype="resource"))
def typeless_variables(operands: Operands) -> Measured:
    """Number of variables with a dtype without numbers: resource, variant, string. Example: a variable of
    dtype resource gives 1."""
    return sum(t.is_variable and t.dtype in _HANDLES for t in operands.subgraph.tensors)


@measures(_neighbor_setter("idle", 1, variable=True))
def written_variables(operands: Operands) -> Measured:
    """Number of operator outputs that are variables. Example: RESHAPE with a variable as output gives 1."""
    graph = operands.subgraph
    written = {i for op in graph.operators for i in op.outputs if 0 <= i < len(graph.tensors)}
    return sum(graph.tensors[i].is_variable for i in written)


@measures(_neighbor_setter("input", dtype="resource"))
def handle_inputs(operands: Operands) -> Measured:
    """Number of model inputs of dtype resource or variant, which a program cannot set. Example: an input of
    dtype resource gives 1."""
    graph = operands.subgraph
    inputs = graph.inputs if graph.index == 0 else ()
    return sum(graph.tensors[i].dtype in _HANDLES[:2] for i in inputs if 0 <= i < len(graph.tensors))


@measures(lambda plan, value: plan.edit("input", lambda t: dimensions(t, (0 if value else 4, *t.shape[1:]))))
def results_of_nothing(operands: Operands) -> Measured:
    """1 if an operator computes output elements from an empty input, else 0. Example: input (0, 4) and output
    (1, 4) give 1."""
    given, output = operands.one("input"), operands.one("output")
    return None if given is None or output is None else int(0 in given.shape and 0 not in output.shape)


@measures(_neighbor_setter("idle", 2))
def rewritten_tensors(operands: Operands) -> Measured:
    """Number of operator outputs that write an already written tensor. Example: two operators with the same
    output give 1."""
    written = [index for op in operands.subgraph.operators for index in op.outputs if index >= 0]
    return len(written) - len(set(written))


@measures(_neighbor_setter("input", values=np.ones(4, np.int8)))
def constant_inputs(operands: Operands) -> Measured:
    """Number of subgraph inputs with constant values in the file. Example: an input with a buffer of 4 bytes
    gives 1."""
    tensors = operands.subgraph.tensors
    inputs = (tensors[index] for index in operands.subgraph.inputs if 0 <= index < len(tensors))
    return sum(tensor.data is not None and len(tensor.data) > 0 for tensor in inputs)


def _types(operands: Operands, roles: frozenset[str]) -> int | None:
    found = {tensor.dtype for role, tensors in operands.roles.items() if role in roles for tensor in tensors}
    return len(found) or None


@measures(lambda plan, value: with_dtype(plan, value, *_present_roles(plan, _DATA)), beside_faults=False)
def input_types(operands: Operands) -> Measured:
    """Number of different dtypes of inputs that are combined, such as lhs and rhs. Example: ADD of int8 and
    int16 gives 2."""
    return _types(operands, _DATA)


@measures(
    lambda plan, value: with_dtype(plan, value, *_present_roles(plan, _DATA_BOTH_ENDS)), beside_faults=False
)
def data_types(operands: Operands) -> Measured:
    """Number of different dtypes of data inputs and outputs. Example: int8 input and int16 output give 2."""
    return _types(operands, _DATA_BOTH_ENDS)


@measures(_set_delegated_rank)
def delegated_rank(operands: Operands) -> Measured:
    """Rank of the first float32 or int8 input, which the XNNPACK delegate supports. Example: a float32 input
    (1, 2, 3, 4, 5) gives 5."""
    return _rank_of(operands, DELEGATED)


@measures(_set_delegated_rank)
def delegated_float_rank(operands: Operands) -> Measured:
    """Rank of the first float32 input, which the XNNPACK delegate supports. Example: a float32 input (1, 2, 3)
    gives 3."""
    return _rank_of(operands, ("float32",))


def _rank_of(operands: Operands, types: Collection[str]) -> int | None:
    tensors = (t for role in ("input", "values", "lhs") for t in operands.roles.get(role, ()))
    return next((len(t.shape) for t in tensors if t.dtype in types), None)


@measures(_broadcast)
def broadcast_rank(operands: Operands) -> Measured:
    """Largest input rank if the shapes differ and the kernel broadcasts, else None. Example: inputs (1, 4, 4,
    8) and (8,) give 4."""
    sides = (tensors for role, tensors in operands.roles.items() if not role.startswith("output"))
    shapes = {tensor.shape for tensors in sides for tensor in tensors}
    return max(map(len, shapes)) if len(shapes) > 1 else None


@measures(_set_count_mismatch)
def miscounted_operands(operands: Operands) -> Measured:
    """Difference between the tensor count and the count in the options. Example: PACK with 3 inputs and
    values_count 2 gives 1."""
    op = operands.operator
    counts = {"num_splits": op.outputs, "num": op.outputs, "values_count": op.inputs}
    option_stated = {
        name: operands.option(name) for name in counts if op.options and name in op.options.fields
    }
    return next((abs(len(counts[name]) - count) for name, count in option_stated.items()), None)


@measures(_set_absent)
def absent_at_end(operands: Operands) -> Measured:
    """Number of trailing inputs that are listed as absent. Example: inputs (4, 5, -1) give 1."""
    inputs = operands.operator.inputs
    return next((n for n, index in enumerate(reversed(inputs)) if index >= 0), len(inputs))
