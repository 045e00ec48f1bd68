"""Values of constants: weights, biases and further constants, over their whole range or as a test needs them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from litecheck.arrays import Array
from litecheck.profile.operator_plan import Plan, TensorPlan
from litecheck.profile.types import Exactly, Range
from litecheck.quantization import BITS, INTEGER_RANGES
from litecheck.reference.runtime_tensors import NUMPY_TYPES
from litecheck.suite.drafts import Draft

Drawing = Callable[[np.random.Generator, tuple[int, ...], tuple[int, int]], Array]
#: Upper limit of random integers without a scale.
_SMALL = 6
#: Largest magnitude of a random bias.
_BIAS = 1 << 28


def uniform(rng: np.random.Generator, shape: tuple[int, ...], span: tuple[int, int]) -> Array:
    """Draw values uniformly."""
    return rng.integers(*span, shape, endpoint=True)


def rails(rng: np.random.Generator, shape: tuple[int, ...], span: tuple[int, int]) -> Array:
    """Draw the lower or the upper limit at random for each element."""
    return np.where(rng.random(shape) < 0.5, *span)


def fill_constants(draft: Draft, plan: Plan, rng: np.random.Generator, weights: Drawing = uniform) -> Plan:
    """Return the plan with values for all constants that have none."""
    for role, tensors in plan.operands.items():
        made = [
            tensor.holding(_values(draft, plan, role, tensor, rng, weights), tensor.dtype)
            if tensor.name in draft.blank
            else tensor
            for tensor in tensors
        ]
        plan = plan.with_role(role, made)
    return plan


def _values(
    draft: Draft, plan: Plan, role: str, tensor: TensorPlan, rng: np.random.Generator, weights: Drawing
) -> Array:
    kind = draft.facts.inputs.get(role, "")
    if tensor.dtype not in INTEGER_RANGES:
        reals = rng.normal(size=tensor.shape)
        return (np.abs(reals) + 0.1 if kind == "positive" else reals).astype(NUMPY_TYPES[tensor.dtype])
    if kind == "bias":
        reach = bias_reach(draft, plan)
        return rng.integers(-reach, reach, tensor.shape, endpoint=True)
    low, high = span_of(draft, role, tensor)
    if kind == "weight":
        return weights(rng, tensor.shape, (low, high))
    if not tensor.scale.size:
        return rng.integers(1 if kind == "positive" else 0, min(_SMALL, high), tensor.shape, endpoint=True)
    return uniform(rng, tensor.shape, (low, high))


def span_of(draft: Draft, role: str, tensor: TensorPlan) -> tuple[int, int]:
    """Return the smallest and the largest value of an input; weights are symmetric, also if the rule allows more."""
    low, high = INTEGER_RANGES[tensor.dtype]
    kind = draft.facts.inputs.get(role, "")
    if kind == "weight" and low < 0:
        low = -high
    for r in draft.requirements:
        if r.role == role and r.verb == "range" and isinstance(r.value, Range) and tensor.dtype == "int8":
            low, high = max(low, int(r.value.low)), min(high, int(r.value.high))
        if r.role == role and r.verb == "range" and isinstance(r.value, Exactly):
            low = high = int(r.value.value)
    zero = int(tensor.zero_point[0]) if tensor.zero_point.size else 0
    if kind in ("positive", "non-negative"):
        low = min(high, max(low, zero + (kind == "positive")))
    return low, high


def depth(draft: Draft, plan: Plan) -> int:
    """Count the products in the sum of an output element; 1 for operators without products."""
    products, accumulates = draft.facts.products, draft.facts.accumulates
    tensor = plan.one(products[1]) if products else None
    if tensor is None or accumulates is None or not tensor.shape:
        return 1
    along = accumulates.channels % len(tensor.shape)
    return int(np.prod([n for at, n in enumerate(tensor.shape) if at != along]))


def bias_reach(draft: Draft, plan: Plan) -> int:
    """Return the largest magnitude of a bias that affects the sums without dominating them."""
    steps = 1.0
    for role in draft.facts.products:
        tensor = plan.one(role)
        steps *= 2.0 ** (BITS.get(tensor.dtype, 8) - 1) if tensor else 1.0
    steps = steps if steps > 1 else 2.0**14
    return int(min(_BIAS, steps * depth(draft, plan) ** 0.5 / 2))
