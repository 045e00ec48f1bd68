"""Limits of a type at which a stored value may be saturated."""

from __future__ import annotations

import math

from litecheck.model.types import Operator, Subgraph, Tensor
from litecheck.profile.operators import OperatorTraits, traits_of
from litecheck.quantization import INTEGER_RANGES
from litecheck.reference.numerics.fused_activation import activation_bounds

Interval = tuple[float, float]
_UNBOUNDED: Interval = (-math.inf, math.inf)


def saturable_ends(subgraph: Subgraph, operator: Operator, output: Tensor) -> tuple[bool, bool]:
    """Return two flags: True if the lowest and the highest value of an output's type may be a saturated value.

    A value at a limit is not saturated if the operator has no values beyond the limit: with a fused RELU, -128 with
    zero point -128 is 0. Example: CONV_2D with RELU and this zero point gives (False, True).
    """
    limits = _range_of(output)
    if limits is None:
        return True, True
    step = float(output.quantization.scale[0])
    low, high = _bounds(subgraph, operator)
    return low < limits[0] - step, high > limits[1] + step


def _bounds(subgraph: Subgraph, operator: Operator) -> Interval:
    """Return the real bounds of an operator's outputs; infinite without a bound."""
    facts, (low, high) = traits_of(operator.kind), activation_bounds(operator.options)
    low, high = max(low, facts.bounds[0]), min(high, facts.bounds[1])
    ranges = [_range_of(subgraph.tensors[i]) or _UNBOUNDED for i in _bounding_inputs(facts, operator)]
    if not ranges:
        return low, high
    return max(low, min(one[0] for one in ranges)), min(high, max(one[1] for one in ranges))


def _bounding_inputs(facts: OperatorTraits, operator: Operator) -> list[int]:
    """Return the inputs whose extremes bound all outputs: inputs of data movement, pooling and means."""
    pools = facts.windows and facts.accumulates is None
    means = facts.accumulates is not None and facts.accumulates.mean
    if not (pools or means or facts.view or facts.result == "moved"):
        return []
    return [i for n, i in enumerate(operator.inputs) if i >= 0 and not facts.steers(facts.role(n))]


def _range_of(tensor: Tensor) -> Interval | None:
    """Return the real values at the limits of a type, or None without a single scale."""
    q = tensor.quantization
    if tensor.dtype not in INTEGER_RANGES or q.scale.size != 1 or q.details is not None:
        return None
    return q.real_range(tensor.dtype)
