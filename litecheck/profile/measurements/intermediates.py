"""Measurements of intermediate tensors, in which an integer LSTM states scales."""

from __future__ import annotations

from litecheck.profile.measurements.bound import Measured, Operands
from litecheck.profile.measurements.register import measures
from litecheck.profile.operator_plan import Plan, TensorPlan


def _of_size(plan: Plan, value: int) -> Plan | None:
    tensor = TensorPlan("int16", (value,)).scaled(2.0**-10)
    return plan.but(intermediates=("intermediate",), operands={**plan.operands, "intermediate": (tensor,)})


@measures(_of_size)
def intermediate_elements(operands: Operands) -> Measured:
    """Largest number of elements of an intermediate tensor; none without intermediate tensors. Example:
    shapes (0) and (4) give 4."""
    tensors = operands.subgraph.tensors
    sizes = [tensors[i].size for i in operands.operator.intermediates if 0 <= i < len(tensors)]
    return max(sizes, default=None)
