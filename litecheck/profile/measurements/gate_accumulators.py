"""The accumulators of an LSTM: how large the sums of its gates and of its projection can become."""

from __future__ import annotations

import numpy as np

from litecheck.model.scan import signed_sums
from litecheck.model.types import Tensor
from litecheck.profile.measurements.accumulators import largest_value
from litecheck.profile.measurements.bound import Measured, Operands, one_zero_point
from litecheck.profile.measurements.register import measures
from litecheck.profile.plan import CHANNELS, Plan


def _heavy_gate(plan: Plan, value: int) -> Plan | None:
    data = plan.one("input")
    if data is None:
        return None
    plan = plan.edit("input_to_forget_weights", lambda t: t.holding(np.eye(CHANNELS)))
    rest = min(value - (127 - int(data.zero_point[0])), 2**31 - 1)
    return plan.edit("forget_gate_bias", lambda t: t.holding(np.full(CHANNELS, rest)))


@measures(_heavy_gate)
def gate_accumulator(operands: Operands) -> Measured:
    """What no gate of an LSTM exceeds when it adds up constant weights times any input, or output, and its bias.

    The input's products and the recurrent ones are two sums; the bias joins the first.
    """
    largest = 0
    for gate in ("input", "forget", "cell", "output"):
        bias = operands.one(f"{gate}_gate_bias")
        added = 0 if bias is None else largest_value(bias) or 0
        for source, data, extra in (("input", "input", added), ("recurrent", "output_state", 0)):
            weights = operands.one(f"{source}_to_{gate}_weights")
            reach = _reach_of(operands.one(data), weights)
            largest = max(largest, reach + extra)
    return max(largest, _projected(operands)) or None


def _projected(operands: Operands) -> int:
    """What no sum of an LSTM's projection and its bias exceeds: 255 is the farthest a hidden value is from any zero."""
    weights, bias = operands.one("projection_weights"), operands.one("projection_bias")
    found = None
    if weights is not None and weights.dtype == "int8" and len(weights.shape) == 2:
        found = signed_sums(weights, (*weights.shape, 1))
    reach = int((found[0] - found[1]).max(initial=0)) * 255 if found is not None else 0
    return reach + (0 if bias is None else largest_value(bias) or 0)


def _reach_of(data: Tensor | None, weights: Tensor | None) -> int:
    """What no product of a matrix of constant weights and any vector of stored values exceeds."""
    zero = one_zero_point(data)
    if data is None or weights is None or zero is None or len(weights.shape) != 2 or data.dtype != "int8":
        return 0
    found = (
        signed_sums(weights, (*weights.shape, 1)) if weights.dtype == "int8" and weights.is_constant else None
    )
    if found is None or not found[0].size:
        return 0
    return int((found[0] - found[1]).max()) * max(127 - zero, zero + 128)
