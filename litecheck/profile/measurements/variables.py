"""Measurements of variables: values that operators assign to the variable that an operator reads."""

from __future__ import annotations

from collections.abc import Callable

from litecheck.model.links import links_of, parameters_of
from litecheck.profile.measurements.measured_operator import Measured, Operands
from litecheck.profile.measurements.register import Setter, measures
from litecheck.profile.measurements.vocabulary import of
from litecheck.profile.operator_plan import Assignment, Plan, TensorPlan


def _read(plan: Plan) -> TensorPlan:
    """Return the output of the read, as a value to assign."""
    return plan.operands["output"][0].but(values=None)


def _assignment_setter(change: Callable[[TensorPlan], TensorPlan]) -> Setter:
    """Return a setter of the number of assignments that differ from the read; for 0, one assignment agrees."""

    def sets(plan: Plan, value: int) -> Plan | None:
        own = _read(plan)
        return plan.but(assignment=Assignment(tuple(change(own.but()) for _ in range(value)) or (own,)))

    return sets


@measures(_assignment_setter(lambda t: t.with_scale(0.75, 0)))
def variable_mismatches(operands: Operands) -> Measured:
    """Number of assignments to a variable with a different scale or zero point than its read. Example: an
    assignment with scale 0.75 and a read with scale 0.5 give 1."""
    read = operands.one("output")
    assigned = links_of(operands.model).assignments_of(operands.subgraph, operands.operator)
    if read is None or assigned is None:
        return None
    stated = assigned.parameters.total() if read.quantization.is_set else 0
    return stated - assigned.parameters[parameters_of(read)] if stated else 0


@measures(_assignment_setter(lambda t: t.but(dtype="uint8")))
def variable_types(operands: Operands) -> Measured:
    """Number of assignments to a variable with a different dtype than its read. Example: a uint8 assignment
    and an int8 read give 1."""
    read = operands.one("output")
    assigned = links_of(operands.model).assignments_of(operands.subgraph, operands.operator)
    return None if read is None or assigned is None else assigned.count - assigned.dtypes[read.dtype]


@measures(_assignment_setter(lambda t: t.but(shape=(2,))))
def shorter_assignments(operands: Operands) -> Measured:
    """Number of assignments to a variable with fewer elements than its read. Example: an assignment of 2
    elements and a read of 4 give 1."""
    read = operands.one("output")
    assigned = links_of(operands.model).assignments_of(operands.subgraph, operands.operator)
    if read is None or assigned is None or -1 in (read.shape_signature or ()):
        return None
    size = read.size
    return sum(count for other, count in assigned.sizes.items() if other < size)


@measures(lambda plan, value: plan.but(assignment=Assignment(tuple(_read(plan) for _ in range(value)))))
def assignments(operands: Operands) -> Measured:
    """Number of operators in the model that assign the variable of a read. Example: a single ASSIGN_VARIABLE
    gives 1."""
    assigned = links_of(operands.model).assignments_of(operands.subgraph, operands.operator)
    return None if assigned is None else assigned.count


def _set_earlier_assignments(plan: Plan, value: str) -> Plan | None:
    return plan.but(assignment=Assignment((_read(plan),), value == "some"))


@measures(_set_earlier_assignments, "some", "none", gives=of("some or none", "some", "none"))
def earlier_assignments(operands: Operands) -> Measured:
    """``some`` if an operator can assign the variable before its first read, else ``none``. Example:
    READ_VARIABLE before the only ASSIGN_VARIABLE gives ``none``.

    Assignments in called subgraphs count, and so do those in subgraphs that can run alone.
    """
    links, own_index = links_of(operands.model), operands.operator.index
    subgraph = operands.subgraph.index
    name = links.handles.get((subgraph, operands.operator.inputs[0])) if operands.operator.inputs else None
    if name is None or name not in links.assignments or subgraph != 0:
        return None  # no assignment in the model is a finding of its own; a called subgraph depends on its callers
    if name in links.elsewhere or links.first_assignments.get(name, own_index) < own_index:
        return "some"
    return "none"
