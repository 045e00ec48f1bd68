"""Measurements at the borders of subgraphs: variables, and what crosses into a called subgraph and back.

What a call hands over and gets back are its roles ``operands`` and ``results``.
"""

from __future__ import annotations

from collections.abc import Iterator

from litecheck.model.links import called, links_of, parameters_of
from litecheck.model.types import Subgraph, Tensor
from litecheck.profile.measurements.bound import Measured, Operands

#: The option that names the subgraph which decides whether a loop goes on.
_CONDITION = "cond_subgraph_index"


def variable_mismatches(operands: Operands) -> Measured:
    """How many assignments to the variable an operator reads state another scale or zero point than the read."""
    read = operands.one("output")
    assigned = links_of(operands.model).read_by(operands.subgraph, operands.operator)
    if read is None or assigned is None:
        return None
    stated = assigned.parameters.total() if read.quantization.is_set else 0
    return stated - assigned.parameters[parameters_of(read)] if stated else 0


def variable_types(operands: Operands) -> Measured:
    """How many assignments to the variable an operator reads have another type than the read."""
    read = operands.one("output")
    assigned = links_of(operands.model).read_by(operands.subgraph, operands.operator)
    return None if read is None or assigned is None else assigned.count - assigned.dtypes[read.dtype]


def shorter_assignments(operands: Operands) -> Measured:
    """How many assignments to the variable an operator reads hold fewer elements than the read expects."""
    read = operands.one("output")
    assigned = links_of(operands.model).read_by(operands.subgraph, operands.operator)
    if read is None or assigned is None or -1 in (read.shape_signature or ()):
        return None
    size = read.size
    return sum(count for other, count in assigned.sizes.items() if other < size)


def assignments(operands: Operands) -> Measured:
    """How many operators of the model assign the variable that an operator reads."""
    assigned = links_of(operands.model).read_by(operands.subgraph, operands.operator)
    return None if assigned is None else assigned.count


def earlier_assignments(operands: Operands) -> Measured:
    """``none`` where nothing can have assigned a variable when an operator first reads it: no operator before it in its
    subgraph, called subgraphs included, and no subgraph that can be run alone. ``some`` otherwise."""
    links, own = links_of(operands.model), operands.subgraph
    name = links.handles.get((own.index, operands.operator.inputs[0])) if operands.operator.inputs else None
    if name is None or name not in links.assignments or own.index != 0:
        return (
            None  # that nothing assigns it is told already; what a called subgraph finds its callers decide
        )
    if name in links.before.get(own.index, ()):
        return "some"
    for op in own.operators[: operands.operator.index]:
        if op.opcode == "ASSIGN_VARIABLE" and links.handles.get((own.index, op.inputs[0])) == name:
            return "some"
        if any(name in links.assigned_in.get(index, ()) for _, index in called(op)):
            return "some"
    return "none"


def boundary_mismatches(operands: Operands) -> Measured:
    """How many tensors that enter or leave a called subgraph have another scale or zero point on its other side."""
    return sum(_differ(a, b) for a, b in _crossings(operands))


def boundary_types(operands: Operands) -> Measured:
    """How many tensors that enter or leave a called subgraph have another type on its other side."""
    return sum(a.dtype != b.dtype for a, b in _crossings(operands))


def branch_types(operands: Operands) -> Measured:
    """How many results of the subgraphs a choice is among have another type than that of the first."""
    branches = [
        [callee.tensors[i].dtype for i in callee.outputs if i >= 0] for _, callee in _callees(operands)
    ]
    return sum(a != b for other in branches[1:] for a, b in zip(branches[0], other, strict=False))


def arity_mismatches(operands: Operands) -> Measured:
    """How many operands and results more or fewer called subgraphs have than the call hands over and gets back.

    A loop gets back as many as it hands over, and its condition is one result; a call that is made once for its
    effects alone has none of either, nor has what it calls.
    """
    handed, returned = _handed(operands)
    count = 0
    for name, callee in _callees(operands):
        count += abs(len(callee.inputs) - handed)
        count += abs(len(callee.outputs) - (1 if name == _CONDITION else returned))
    return count + (abs(handed - returned) if _condition(operands) is not None else 0)


def called_subgraphs(operands: Operands) -> Measured:
    """How many subgraphs an operator calls, one that is named twice counted twice."""
    return sum(1 for _ in called(operands.operator)) if operands.operator.options else None


def missing_subgraphs(operands: Operands) -> Measured:
    """How many of the subgraphs an operator calls the model does not have."""
    return sum(not 0 <= index < len(operands.model.subgraphs) for _, index in called(operands.operator))


def recursion(operands: Operands) -> Measured:
    """``yes`` where a subgraph that an operator calls comes back to the operator's own by calls, at any depth."""
    links, own = links_of(operands.model), operands.subgraph.index
    return "yes" if any(links.come_back(own, index) for _, index in called(operands.operator)) else "no"


def condition_is_body(operands: Operands) -> Measured:
    """``yes`` where one subgraph is a loop's condition and its body."""
    named = dict(called(operands.operator))
    if _CONDITION not in named:
        return None
    return "yes" if list(named.values()).count(named[_CONDITION]) > 1 else "no"


def condition_type(operands: Operands) -> Measured:
    """The type of what a loop's condition yields."""
    condition = _condition(operands)
    return condition.dtype if condition is not None else None


def condition_rank(operands: Operands) -> Measured:
    """How many dimensions a loop's condition has."""
    condition = _condition(operands)
    return len(condition.shape) if condition is not None else None


def condition_elements(operands: Operands) -> Measured:
    """How many elements a loop's condition has."""
    condition = _condition(operands)
    return condition.size if condition is not None else None


def composite_attributes(operands: Operands) -> Measured:
    """``yes`` where a composite states its attributes, be they none, else ``no``."""
    options = operands.operator.options
    if options is None:
        return None
    return "yes" if options.get("composite_attributes") is not None else "no"


def _callees(operands: Operands) -> Iterator[tuple[str, Subgraph]]:
    """(option, subgraph) of every called subgraph there is."""
    subgraphs = operands.model.subgraphs
    return ((name, subgraphs[i]) for name, i in called(operands.operator) if 0 <= i < len(subgraphs))


def _handed(operands: Operands) -> tuple[int, int]:
    """How many operands a call hands over, and how many results it gets back."""
    op = operands.operator
    steering = sum(
        len(tensors) for role, tensors in operands.roles.items() if role not in ("operands", "results")
    )
    return len(op.inputs) - steering, len(op.outputs)


def _crossings(operands: Operands) -> Iterator[tuple[Tensor, Tensor]]:
    """Pairs of tensors: the caller's, and the one it becomes or comes from."""
    handed, returned = operands.roles.get("operands", ()), operands.roles.get("results", ())
    for name, callee in _callees(operands):
        pairs = list(zip(handed, callee.inputs, strict=False))
        if name != _CONDITION:
            pairs += zip(returned, callee.outputs, strict=False)
        yield from ((own, callee.tensors[other]) for own, other in pairs if other >= 0)


def _condition(operands: Operands) -> Tensor | None:
    """What a loop's condition subgraph yields, if it is a loop."""
    callee = next((callee for name, callee in _callees(operands) if name == _CONDITION), None)
    first = callee.outputs[0] if callee and callee.outputs else -1
    return callee.tensors[first] if callee and first >= 0 else None


def _differ(a: Tensor, b: Tensor) -> bool:
    """Whether two tensors state different parameters; one that states none may be plain integers."""
    return a.quantization.is_set and b.quantization.is_set and parameters_of(a) != parameters_of(b)


#: By their names, in the order the documentation lists them.
BORDERS = (
    variable_mismatches, variable_types, shorter_assignments, earlier_assignments, assignments,
    boundary_mismatches, boundary_types, branch_types, arity_mismatches, called_subgraphs, missing_subgraphs,
    recursion, condition_is_body, condition_type,
    condition_rank, condition_elements, composite_attributes,
)  # fmt: skip
