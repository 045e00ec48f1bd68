"""Kinds of the faults of limits that depend on more than the measured value: other tensors, other calls."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from litecheck.checks.bound_operator import BoundOperator
from litecheck.checks.called_types import type_difference
from litecheck.model.links import ASSIGN, links_of, parameters_of
from litecheck.model.types import Model, Operator, Subgraph, Tensor
from litecheck.profile.measurements.registry import measurement
from litecheck.quantization import INTEGER_RANGES


def _input_gate_operands(bound: BoundOperator) -> str:
    """Return ``weights`` if one of the two weights of the input gate is missing: the kernel rejects it."""
    roles = ("input_to_input_weights", "recurrent_to_input_weights")
    return "weights" if sum(bound.one(role) is None for role in roles) == 1 else ""


def _absent_layer_norm_operands(bound: BoundOperator) -> str:
    """Return ``forget`` without coefficients of the forget gate: the kernel then computes without normalization."""
    return "forget" if bound.one("forget_layer_norm_coefficients") is None else ""


def _recursion(bound: BoundOperator) -> str:
    """Return ``rejected`` if the kernel rejects the call before it follows it. Example: an IF of subgraph 0 passes one
    tensor, and subgraph 0 has two inputs."""
    operands = bound.measurable()
    refused = measurement("arity_mismatches")(operands) or measurement("condition_is_body")(operands) == "yes"
    return "rejected" if refused else ""


def _variable_mismatches(bound: BoundOperator) -> str:
    """Return ``elsewhere`` if only other subgraphs assign other parameters, which the default delegate does not
    compare, or ``invalid`` if it rejects these parameters when it prepares an initialization.

    Examples: an initialization with scale 0.75 of a variable that is read with scale 0.5, and one with scale 0.
    """
    own, read, model = bound.context.subgraph, bound.one("output"), bound.context.model
    found = _assigned(model, bound.operator, own)
    differ = [(s, t) for s, t in found if read is not None and parameters_of(t) != parameters_of(read)]
    if any(s is own for s, _ in differ):
        return ""
    invalid = [s.index in links_of(model).initializers for s, t in differ if not _is_valid(t)]
    return "elsewhere" if not invalid else "invalid" if all(invalid) else ""


def _shorter_assignments(bound: BoundOperator) -> str:
    """Return ``empty`` if an assigned constant has no elements; LiteRT computes the shapes of other tensors."""
    found = _assigned(bound.context.model, bound.operator, bound.context.subgraph)
    return "empty" if any(t.is_constant and t.size == 0 for _, t in found) else ""


def _assigned(model: Model, reader: Operator, own: Subgraph) -> list[tuple[Subgraph, Tensor]]:
    """Return the tensors that are assigned to the variable of a reader, each with its subgraph."""
    handles = links_of(model).handles
    name = handles.get((own.index, reader.inputs[0])) if reader.inputs else None
    return [
        (s, s.tensors[op.inputs[1]]) for s in model.subgraphs for op in s.operators
        if op.opcode == ASSIGN and len(op.inputs) > 1 and op.inputs[1] >= 0
        and name is not None and handles.get((s.index, op.inputs[0])) == name
    ]  # fmt: skip


def _is_valid(tensor: Tensor) -> bool:
    """Return True if XNNPACK accepts the scales and zero points of a tensor."""
    q, (low, high) = tensor.quantization, INTEGER_RANGES.get(tensor.dtype, (0, 0))
    normal = bool((np.isfinite(q.scale) & (q.scale >= np.finfo(np.float32).tiny)).all())
    return normal and bool(((low <= q.zero_point) & (q.zero_point <= high)).all())


#: Function that returns the kind of a fault, by measurement.
KINDS: Mapping[str, Callable[[BoundOperator], str]] = {
    "absent_layer_norm_operands": _absent_layer_norm_operands,
    "boundary_types": type_difference,
    "input_gate_operands": _input_gate_operands,
    "recursion": _recursion,
    "shorter_assignments": _shorter_assignments,
    "variable_mismatches": _variable_mismatches,
}
