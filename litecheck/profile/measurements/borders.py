"""Measurements at the borders of subgraphs: what crosses into a called subgraph and back.

What a call hands over and gets back are its roles ``operands`` and ``results``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import numpy as np

from litecheck.model.links import called, links_of, parameters_of
from litecheck.model.types import Subgraph, Tensor
from litecheck.profile.measurements.bound import Measured, Operands
from litecheck.profile.measurements.register import Setter, measures, option_fields, ranked
from litecheck.profile.measurements.vocabulary import TYPES, YES_OR_NO
from litecheck.profile.plan import Callee, Plan, TensorPlan

#: The option that names the subgraph which decides whether a loop goes on.
_CONDITION = "cond_subgraph_index"


def _calling(plan: Plan) -> Plan:
    """A call with equal parameters on both sides."""
    if plan.calls:
        return plan
    for role in ("operands", "results"):
        for at in range(len(plan.operands.get(role, ()))):
            plan = plan.edit(role, lambda t: t.scaled([0.5], 3 if t.dtype == "int8" else 0), at)
    options = [name for name in option_fields(plan.opcode) if "subgraph_ind" in name]
    plan = plan.but(calls=tuple(_callee(plan, name) for name in sorted(options)))
    wanted = "composite_attributes" in option_fields(plan.opcode)
    return plan.option(composite_attributes=np.zeros(1, np.uint8)) if wanted else plan


def _callee(plan: Plan, option: str) -> Callee:
    inputs = tuple(t.but(values=None) for t in plan.operands.get("operands", ()))
    outputs = tuple(t.but(values=None) for t in plan.operands.get("results", ()))
    return Callee(option, inputs, (TensorPlan("bool", (1,)),) if option == _CONDITION else outputs)


def _last_callee(plan: Plan, change: Callable[[Callee], Callee]) -> Plan:
    calls = _calling(plan).calls
    if not calls:
        return plan
    return _calling(plan).but(calls=(*calls[:-1], change(calls[-1])))


def _crossing(change: Callable[[TensorPlan], TensorPlan]) -> Setter:
    """Sets how many tensors that enter a called subgraph are otherwise there."""

    def sets(plan: Plan, value: int) -> Plan | None:
        def changed(callee: Callee) -> Callee:
            return replace(callee, inputs=(*map(change, callee.inputs[:value]), *callee.inputs[value:]))

        return _last_callee(plan, changed) if value else _calling(plan)

    return sets


def _branching(plan: Plan, value: int) -> Plan | None:
    """So many branches more, of another type."""
    plan = _calling(plan)
    first = plan.calls[0]
    outputs = tuple(t.but(dtype="uint8") for t in first.outputs[:1])
    other = replace(first, outputs=(*outputs, *first.outputs[1:]))
    return plan.but(calls=(*plan.calls, *[other] * value))


def _uneven(plan: Plan, value: int) -> Plan | None:
    """One input fewer, or all outputs twice."""
    if not value:
        return _calling(plan)
    if value == 1:
        return _last_callee(plan, lambda callee: replace(callee, inputs=callee.inputs[:-1]))
    return _last_callee(plan, lambda callee: replace(callee, outputs=callee.outputs * 2))


def _branches(plan: Plan, value: int) -> Plan | None:
    plan = _calling(plan).but(calls=_calling(plan).calls[:1] * value)
    return plan if value else plan.option(branch_subgraph_indices=[])


def _recursive(plan: Plan, value: str) -> Plan | None:
    back = value == "yes"
    return _last_callee(plan, lambda callee: replace(callee, calls_back=back)) if back else _calling(plan)


def _condition_of(plan: Plan, change: Callable[[TensorPlan], TensorPlan]) -> Plan | None:
    """With another result of a loop's condition."""
    calls = tuple(
        replace(c, outputs=tuple(map(change, c.outputs))) if c.option == _CONDITION else c
        for c in _calling(plan).calls
    )
    return _calling(plan).but(calls=calls)


def _attributed(plan: Plan, value: str) -> Plan | None:
    plan = _calling(plan)
    return plan if value == "yes" else plan.but(options={})


@measures(_crossing(lambda t: t.scaled(0.75, 0)))
def boundary_mismatches(operands: Operands) -> Measured:
    """How many tensors that enter or leave a called subgraph have another scale or zero point on its other side."""
    return sum(_differ(a, b) for a, b in _crossings(operands))


@measures(_crossing(lambda t: t.but(dtype="uint8")))
def boundary_types(operands: Operands) -> Measured:
    """How many tensors that enter or leave a called subgraph have another type on its other side."""
    return sum(a.dtype != b.dtype for a, b in _crossings(operands))


@measures(_branching)
def branch_types(operands: Operands) -> Measured:
    """How many results of the subgraphs a choice is among have another type than that of the first."""
    branches = [
        [callee.tensors[i].dtype for i in callee.outputs if i >= 0] for _, callee in _callees(operands)
    ]
    return sum(a != b for other in branches[1:] for a, b in zip(branches[0], other, strict=False))


@measures(_uneven)
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


@measures(_branches)
def called_subgraphs(operands: Operands) -> Measured:
    """How many subgraphs an operator calls, one that is named twice counted twice."""
    return sum(1 for _ in called(operands.operator)) if operands.operator.options else None


@measures(lambda plan, value: _calling(plan).option(branch_subgraph_indices=[1, 9, -1][: value + 1]))
def missing_subgraphs(operands: Operands) -> Measured:
    """How many of the subgraphs an operator calls the model does not have."""
    return sum(not 0 <= index < len(operands.model.subgraphs) for _, index in called(operands.operator))


@measures(_recursive, "yes", "no", gives=YES_OR_NO)
def recursion(operands: Operands) -> Measured:
    """``yes`` where a subgraph that an operator calls comes back to the operator's own by calls, at any depth."""
    links, own = links_of(operands.model), operands.subgraph.index
    return "yes" if any(links.come_back(own, index) for _, index in called(operands.operator)) else "no"


@measures(
    lambda plan, value: _calling(plan).option(cond_subgraph_index=1 if value == "yes" else 2),
    "yes",
    "no",
    gives=YES_OR_NO,
)
def condition_is_body(operands: Operands) -> Measured:
    """``yes`` where one subgraph is a loop's condition and its body."""
    named = dict(called(operands.operator))
    if _CONDITION not in named:
        return None
    return "yes" if list(named.values()).count(named[_CONDITION]) > 1 else "no"


@measures(lambda plan, value: _condition_of(plan, lambda t: t.but(dtype=value)), "int8", gives=TYPES)
def condition_type(operands: Operands) -> Measured:
    """The type of what a loop's condition yields."""
    condition = _condition(operands)
    return condition.dtype if condition is not None else None


@measures(lambda plan, value: _condition_of(plan, lambda t: ranked(t.but(shape=(1,) * 4), value) or t))
def condition_rank(operands: Operands) -> Measured:
    """How many dimensions a loop's condition has."""
    condition = _condition(operands)
    return len(condition.shape) if condition is not None else None


@measures(lambda plan, value: _condition_of(plan, lambda t: t.but(shape=(value,))))
def condition_elements(operands: Operands) -> Measured:
    """How many elements a loop's condition has."""
    condition = _condition(operands)
    return condition.size if condition is not None else None


@measures(_attributed, "yes", "no", gives=YES_OR_NO)
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
