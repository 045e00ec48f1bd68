"""Measurements of wiring: what connects operators and tensors, whether types and ranks go together, and subgraphs."""

from __future__ import annotations

from litecheck.model.types import Tensor
from litecheck.profile.measurements.bound import Measured, Operands

#: Operands that hold data, whatever else an operator has: no indices, no weights, no conditions.
_DATA = frozenset((
    "input", "values", "lhs", "rhs", "on_true", "on_false", "update", "updates", "padding_value", "constant_values",
    "init_value", "default_value", "on_value", "off_value",
))  # fmt: skip
_DATA_BOTH_ENDS = _DATA | {"output", "outputs"}
#: Types of tensors that refer to something.
_HANDLES = ("resource", "variant", "string")
#: Types whose operators the XNNPACK delegate may take over.
DELEGATED = ("float32", "int8")


def listed_inputs(operands: Operands) -> Measured:
    """How many inputs the operator lists, absent ones included."""
    return len(operands.operator.inputs)


def aliased_outputs(operands: Operands) -> Measured:
    """How many of the operator's outputs are its inputs too."""
    inputs = operands.operator.inputs
    return sum(index >= 0 and index in inputs for index in operands.operator.outputs)


def unwritten_outputs(operands: Operands) -> Measured:
    """How many outputs of the subgraph hold nothing: no operator writes them, and they are no input, no constant,
    no variable and not empty."""
    graph = operands.subgraph
    known = {index for op in graph.operators for index in op.outputs} | set(graph.inputs)
    return sum(index not in known and _holds_nothing(graph.tensors, index) for index in graph.outputs)


def _holds_nothing(tensors: tuple[Tensor, ...], index: int) -> bool:
    if not 0 <= index < len(tensors):
        return False
    tensor = tensors[index]
    return not tensor.is_constant and not tensor.is_variable and 0 not in tensor.shape


def variable_constants(operands: Operands) -> Measured:
    """How many tensors of the subgraph are marked as variables although the file holds their values."""
    return sum(t.is_variable and t.is_constant for t in operands.subgraph.tensors)


def typeless_variables(operands: Operands) -> Measured:
    """How many tensors marked as variables are of a type that holds no numbers: resources, variants, strings."""
    return sum(t.is_variable and t.dtype in _HANDLES for t in operands.subgraph.tensors)


def written_variables(operands: Operands) -> Measured:
    """How many results of operators are marked as variables, which operators keep and do not hand on."""
    graph = operands.subgraph
    written = {i for op in graph.operators for i in op.outputs if 0 <= i < len(graph.tensors)}
    return sum(graph.tensors[i].is_variable for i in written)


def handle_inputs(operands: Operands) -> Measured:
    """How many inputs of the model are resources or variants, which nobody outside of it can set."""
    graph = operands.subgraph
    inputs = graph.inputs if graph.index == 0 else ()
    return sum(graph.tensors[i].dtype in _HANDLES[:2] for i in inputs if 0 <= i < len(graph.tensors))


def results_of_nothing(operands: Operands) -> Measured:
    """1 where an operator makes elements out of an input without any, else 0."""
    given, output = operands.one("input"), operands.one("output")
    return None if given is None or output is None else int(0 in given.shape and 0 not in output.shape)


def rewritten_tensors(operands: Operands) -> Measured:
    """How many tensors of the subgraph more than one result of its operators is written to."""
    written = [index for op in operands.subgraph.operators for index in op.outputs if index >= 0]
    return len(written) - len(set(written))


def constant_inputs(operands: Operands) -> Measured:
    """How many inputs of the subgraph are constants of the file, of at least one value."""
    tensors = operands.subgraph.tensors
    inputs = (tensors[index] for index in operands.subgraph.inputs if 0 <= index < len(tensors))
    return sum(tensor.data is not None and len(tensor.data) > 0 for tensor in inputs)


def _types(operands: Operands, roles: frozenset[str]) -> int | None:
    found = {tensor.dtype for role, tensors in operands.roles.items() if role in roles for tensor in tensors}
    return len(found) or None


def input_types(operands: Operands) -> Measured:
    """How many types the operands have that are computed with each other: both sides, all values, a filling value."""
    return _types(operands, _DATA)


def data_types(operands: Operands) -> Measured:
    """How many types the data have that go into an operator and come out of it."""
    return _types(operands, _DATA_BOTH_ENDS)


def delegated_rank(operands: Operands) -> Measured:
    """Rank of the first operand of type float32 or int8, which the XNNPACK delegate takes over."""
    tensors = (t for role in ("input", "values", "lhs") for t in operands.roles.get(role, ()))
    return next((len(t.shape) for t in tensors if t.dtype in DELEGATED), None)


def broadcast_rank(operands: Operands) -> Measured:
    """The largest rank among the operands, where their shapes differ and the kernel has to broadcast."""
    sides = (tensors for role, tensors in operands.roles.items() if not role.startswith("output"))
    shapes = {tensor.shape for tensors in sides for tensor in tensors}
    return max(map(len, shapes)) if len(shapes) > 1 else None


#: By their names, in the order the documentation lists them; those behind the aliased outputs look at a whole subgraph.
WIRING = (
    input_types, data_types, delegated_rank, broadcast_rank, listed_inputs, results_of_nothing, aliased_outputs,
    unwritten_outputs, variable_constants, typeless_variables, written_variables, constant_inputs, handle_inputs,
    rewritten_tensors,
)  # fmt: skip
