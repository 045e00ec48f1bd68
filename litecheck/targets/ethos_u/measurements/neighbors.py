"""Measurements of what stands around an operator, which an accelerator's compiler reads or rewrites with it."""

from __future__ import annotations

from math import prod
from typing import Any

from litecheck.model.types import Operator, Tensor
from litecheck.model.visits import visits_of
from litecheck.profile.measurements.bound import Measured, Operands
from litecheck.profile.measurements.register import measures
from litecheck.profile.operators import facts_of
from litecheck.profile.plan import Plan


def _unlisted(plan: Plan, value: Any) -> Plan | None:
    """A file without buffers, which nothing constant can be in."""
    constants = any(t.values is not None for tensors in plan.operands.values() for t in tensors)
    return plan.but(lists_buffers=not value) if value in (0, 1) and not (value and constants) else None


@measures(_unlisted)
def missing_buffer_table(operands: Operands) -> Measured:
    """1 where the file lists no buffers, not even the empty one at the head, else 0."""
    return int(not operands.model.buffers)


def _cut(plan: Plan, value: Any) -> Plan | None:
    """So many operands cut out of larger tensors, and handed out as well."""
    roles = [role for role in ("lhs", "rhs") if (t := plan.one(role)) and t.values is None and t.shape]
    return plan.but(cut=tuple(roles[: int(value)])) if 0 <= value <= len(roles) else None


@measures(_cut)
def shared_slice_inputs(operands: Operands) -> Measured:
    """How many operands are parts of another tensor that a reader shares from which a compiler comes to them before this
    operator does: another operator, the subgraph's caller, or this operator's other side; unless one stays aside."""
    tensors = {t.index: t for ts in operands.roles.values() for t in ts if t.data is None}
    operator, subgraph = operands.operator, operands.subgraph
    visits = visits_of(operands.model, subgraph)

    def is_shared(index: int) -> bool:
        readers = visits.graph.consumers[index]
        others = [n for n in readers if n != operator.index and n in visits.operators]
        if not operands.aside.isdisjoint(others):
            return False
        return (
            readers.count(operator.index) > 1 or visits.readers.get(index, operator.index) != operator.index
        )

    return sum(
        is_shared(index)
        for index in set(operator.inputs) & tensors.keys()
        if (writer := visits.graph.producer[index]) >= 0
        and _lies_within(subgraph.operators[writer], subgraph.tensors)
    )


def _lies_within(writer: Operator, tensors: tuple[Tensor, ...]) -> bool:
    """Whether an operator's results lie within its input: at the places of an axis only where all in front of it is 1."""
    cuts = facts_of(writer.kind).cuts
    if cuts != "axis":
        return cuts == "ranges"
    shape = tensors[writer.inputs[0]].shape
    axis = 0 if writer.options is None else int(writer.options.get("axis", 0))
    return prod(shape[: axis if axis >= 0 else len(shape) + axis]) == 1
