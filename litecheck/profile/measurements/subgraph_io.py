"""Measurements of called subgraphs: the tensors that a call passes and receives.

The inputs and outputs of a call are its roles ``operands`` and ``results``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from litecheck.model.links import links_of, parameters_of, subgraph_calls
from litecheck.model.types import Subgraph, Tensor
from litecheck.profile.measurements.measured_operator import Measured, Operands
from litecheck.profile.measurements.register import Setter, measures, option_fields, with_rank
from litecheck.profile.measurements.vocabulary import TYPES, YES_OR_NO
from litecheck.profile.operator_plan import Callee, Plan, TensorPlan

#: Option with the subgraph that is the condition of a loop.
_CONDITION = "cond_subgraph_index"


def with_call(plan: Plan) -> Plan:
    """Return the plan with a call that has equal parameters on both sides."""
    if plan.calls:
        return plan
    for role in ("operands", "results"):
        for at in range(len(plan.operands.get(role, ()))):
            plan = plan.edit(role, lambda t: t.with_scale([0.5], 3 if t.dtype == "int8" else 0), at)
    options = [name for name in option_fields(plan.opcode) if "subgraph_ind" in name]
    plan = plan.but(calls=tuple(_callee(plan, name) for name in sorted(options)))
    wanted = "composite_attributes" in option_fields(plan.opcode)
    return plan.option(composite_attributes=np.zeros(1, np.uint8)) if wanted else plan


def _callee(plan: Plan, option: str) -> Callee:
    inputs = tuple(t.but(values=None) for t in plan.operands.get("operands", ()))
    outputs = tuple(t.but(values=None) for t in plan.operands.get("results", ()))
    return Callee(option, inputs, (TensorPlan("bool", (1,)),) if option == _CONDITION else outputs)


def _change_last_callee(plan: Plan, change: Callable[[Callee], Callee]) -> Plan:
    calls = with_call(plan).calls
    if not calls:
        return plan
    return with_call(plan).but(calls=(*calls[:-1], change(calls[-1])))


def _crossing_setter(change: Callable[[TensorPlan], TensorPlan]) -> Setter:
    """Return a setter of the number of tensors that differ inside a called subgraph."""

    def sets(plan: Plan, value: int) -> Plan | None:
        def changed(callee: Callee) -> Callee:
            return replace(callee, inputs=(*map(change, callee.inputs[:value]), *callee.inputs[value:]))

        return _change_last_callee(plan, changed) if value else with_call(plan)

    return sets


def _add_branches(plan: Plan, value: int) -> Plan | None:
    """Add ``value`` branches with another type."""
    plan = with_call(plan)
    first = plan.calls[0]
    outputs = tuple(t.but(dtype="uint8") for t in first.outputs[:1])
    other = replace(first, outputs=(*outputs, *first.outputs[1:]))
    return plan.but(calls=(*plan.calls, *[other] * value))


def _set_arity_mismatch(plan: Plan, value: int) -> Plan | None:
    """Remove one input of the called subgraph, or for a larger value repeat its outputs."""
    if not value:
        return with_call(plan)
    if value == 1:
        return _change_last_callee(plan, lambda callee: replace(callee, inputs=callee.inputs[:-1]))
    return _change_last_callee(plan, lambda callee: replace(callee, outputs=callee.outputs * 2))


def _branches(plan: Plan, value: int) -> Plan | None:
    plan = with_call(plan).but(calls=with_call(plan).calls[:1] * value)
    return plan if value else plan.option(branch_subgraph_indices=[])


def _recursive(plan: Plan, value: str) -> Plan | None:
    back = value == "yes"
    return (
        _change_last_callee(plan, lambda callee: replace(callee, recursive=back)) if back else with_call(plan)
    )


def _change_condition(plan: Plan, change: Callable[[TensorPlan], TensorPlan]) -> Plan | None:
    """Change the output of a loop's condition."""
    calls = tuple(
        replace(c, outputs=tuple(map(change, c.outputs))) if c.option == _CONDITION else c
        for c in with_call(plan).calls
    )
    return with_call(plan).but(calls=calls)


def _set_attributes(plan: Plan, value: str) -> Plan | None:
    plan = with_call(plan)
    return plan if value == "yes" else plan.but(options={})


@measures(_crossing_setter(lambda t: t.with_scale(0.75, 0)))
def boundary_mismatches(operands: Operands) -> Measured:
    """Number of tensors with a different scale or zero point inside the called subgraph. Example: an IF that passes
    scale 0.5 to a subgraph input with scale 0.75 gives 1."""
    return sum(_differ(a, b) for a, b in _crossings(operands))


@measures(_crossing_setter(lambda t: t.but(dtype="uint8")))
def boundary_types(operands: Operands) -> Measured:
    """Number of tensors with a different dtype inside the called subgraph. Example: an IF that passes int8 to a uint8
    subgraph input gives 1."""
    return sum(a.dtype != b.dtype for a, b in _crossings(operands))


@measures(_add_branches)
def branch_types(operands: Operands) -> Measured:
    """Number of branch outputs with a dtype other than in the first branch. Example: int8 and uint8 branches give 1."""
    branches = [
        [callee.tensors[i].dtype for i in callee.outputs if i >= 0] for _, callee in _callees(operands)
    ]
    return sum(a != b for other in branches[1:] for a, b in zip(branches[0], other, strict=False))


@measures(_set_arity_mismatch)
def arity_mismatches(operands: Operands) -> Measured:
    """Sum of the differences between the numbers of inputs and outputs of a call and of the called subgraphs. Example: an
    IF that passes 2 tensors to two subgraphs with 1 input each gives 2.

    A loop has as many outputs as inputs, and its condition has one output. A CALL_ONCE and its subgraph have neither.
    """
    handed, returned = _count_passed(operands)
    count = 0
    for name, callee in _callees(operands):
        count += abs(len(callee.inputs) - handed)
        count += abs(len(callee.outputs) - (1 if name == _CONDITION else returned))
    return count + (abs(handed - returned) if _condition(operands) is not None else 0)


def _set_absent_inputs(plan: Plan, value: int) -> Plan | None:
    """Reduce the call to a single input, and remove it."""
    if value not in (0, 1) or not plan.operands.get("operands"):
        return None
    for role in ("operands", "results"):
        plan = plan.with_role(role, plan.operands.get(role, ())[:1])
    plan = with_call(plan.but(calls=()))
    return plan.without_inputs("operands").but(explicit_absent=True) if value else plan


@measures(_set_absent_inputs)
def absent_call_inputs(operands: Operands) -> Measured:
    """Number of inputs of a called subgraph for which the call lists no tensor (-1). Example: an IF with the inputs (0, -1)
    gives 1.

    None if the counts of the call and of the subgraph differ, which the kernel rejects.
    """
    if arity_mismatches(operands):
        return None
    steering = sum(role not in ("operands", "results") for role in operands.roles)
    return sum(index < 0 for index in operands.operator.inputs[steering:])


@measures(_branches)
def called_subgraphs(operands: Operands) -> Measured:
    """Number of subgraphs that an operator calls; a subgraph that is named twice counts twice. Example: IF gives 2."""
    return sum(1 for _ in subgraph_calls(operands.operator)) if operands.operator.options else None


@measures(lambda plan, value: with_call(plan).option(branch_subgraph_indices=[1, 9, -1][: value + 1]))
def missing_subgraphs(operands: Operands) -> Measured:
    """Number of called subgraphs that the model does not have. Example: branches 1 and 9 of 3 subgraphs give 1."""
    return sum(
        not 0 <= index < len(operands.model.subgraphs) for _, index in subgraph_calls(operands.operator)
    )


@measures(_recursive, "yes", "no", gives=YES_OR_NO)
def recursion(operands: Operands) -> Measured:
    """``yes`` if a called subgraph calls the operator's own subgraph, at any depth, else ``no``. Example: a WHILE with its
    own subgraph as body gives yes."""
    links, own = links_of(operands.model), operands.subgraph.index
    return (
        "yes"
        if any(links.is_recursive_call(own, index) for _, index in subgraph_calls(operands.operator))
        else "no"
    )


@measures(
    lambda plan, value: with_call(plan).option(cond_subgraph_index=1 if value == "yes" else 2),
    "yes",
    "no",
    gives=YES_OR_NO,
)
def condition_is_body(operands: Operands) -> Measured:
    """``yes`` if condition and body of a loop are the same subgraph, else ``no``. Example: cond_subgraph_index 1 and
    body_subgraph_index 1 give yes."""
    named = dict(subgraph_calls(operands.operator))
    if _CONDITION not in named:
        return None
    return "yes" if list(named.values()).count(named[_CONDITION]) > 1 else "no"


@measures(lambda plan, value: _change_condition(plan, lambda t: t.but(dtype=value)), "int8", gives=TYPES)
def condition_type(operands: Operands) -> Measured:
    """Dtype of the output of a loop's condition. Example: a condition that outputs int8 gives int8."""
    condition = _condition(operands)
    return condition.dtype if condition is not None else None


@measures(lambda plan, value: _change_condition(plan, lambda t: with_rank(t.but(shape=(1,) * 4), value) or t))
def condition_rank(operands: Operands) -> Measured:
    """Rank of the output of a loop's condition. Example: shape (1, 1) gives 2."""
    condition = _condition(operands)
    return len(condition.shape) if condition is not None else None


@measures(lambda plan, value: _change_condition(plan, lambda t: t.but(shape=(value,))))
def condition_elements(operands: Operands) -> Measured:
    """Number of elements of the output of a loop's condition. Example: shape (2,) gives 2."""
    condition = _condition(operands)
    return condition.size if condition is not None else None


@measures(_set_attributes, "yes", "no", gives=YES_OR_NO)
def composite_attributes(operands: Operands) -> Measured:
    """``yes`` if a composite has the option composite_attributes, even an empty one, else ``no``. Example: no option
    composite_attributes gives no."""
    options = operands.operator.options
    if options is None:
        return None
    return "yes" if options.get("composite_attributes") is not None else "no"


def _callees(operands: Operands) -> Iterator[tuple[str, Subgraph]]:
    """Return (option, subgraph) of every called subgraph that exists."""
    subgraphs = operands.model.subgraphs
    return ((name, subgraphs[i]) for name, i in subgraph_calls(operands.operator) if 0 <= i < len(subgraphs))


def _count_passed(operands: Operands) -> tuple[int, int]:
    """Return the number of inputs that a call passes to a subgraph, and the number of outputs that it receives."""
    op = operands.operator
    steering = sum(
        len(tensors) for role, tensors in operands.roles.items() if role not in ("operands", "results")
    )
    return len(op.inputs) - steering, len(op.outputs)


def _crossings(operands: Operands) -> Iterator[tuple[Tensor, Tensor]]:
    """Yield pairs of tensors: the caller's tensor, and the callee's tensor that receives or returns its value."""
    handed, returned = operands.roles.get("operands", ()), operands.roles.get("results", ())
    for name, callee in _callees(operands):
        pairs = list(zip(handed, callee.inputs, strict=False))
        if name != _CONDITION:
            pairs += zip(returned, callee.outputs, strict=False)
        yield from ((own, callee.tensors[other]) for own, other in pairs if other >= 0)


def _condition(operands: Operands) -> Tensor | None:
    """Return the output of a loop's condition subgraph, None if the operator is not a loop."""
    callee = next((callee for name, callee in _callees(operands) if name == _CONDITION), None)
    first = callee.outputs[0] if callee and callee.outputs else -1
    return callee.tensors[first] if callee and first >= 0 else None


def _differ(a: Tensor, b: Tensor) -> bool:
    """Return True if two tensors have different parameters; a tensor without parameters may be plain integers."""
    return a.quantization.is_set and b.quantization.is_set and parameters_of(a) != parameters_of(b)
