"""Small sums: parameters and inputs for which an error of 1 in a sum of many products changes the output."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from litecheck.arrays import Array
from litecheck.cases.inputs import RANDOM, Input, draw_stimuli, inputs_of
from litecheck.cases.model_parts import Case
from litecheck.cases.stimulus import Stimulus
from litecheck.profile.operator_plan import Plan
from litecheck.suite.draft_constants import depth
from litecheck.suite.free_parameters import FreeParameters
from litecheck.suite.output_scale import center_outputs

#: Approximate number of products in a sum that are not zero.
_PRODUCTS = 1.5
#: Least number of places that differ from the zero point.
_PLACES = 4
#: Quotient of the output's scale and the largest scale of a sum: multipliers are below 1.
_COARSER = 1.5
#: Largest magnitude of a bias.
_BIAS = 20


def tune_small_sums(freedom: FreeParameters, plan: Plan, rng: np.random.Generator) -> Plan:
    """Return the plan with an output scale of about a unit of the sums, and with small biases.

    An operator without two quantized operands that are multiplied keeps its plan.
    """
    steps = [float(tensor.scale.max()) for role in freedom.draft.facts.products
             if (tensor := plan.one(role)) is not None and tensor.scale.size]  # fmt: skip
    if len(steps) != 2:
        return plan
    bias = plan.one("bias")
    if bias is not None and bias.name in freedom.draft.blank:
        values = rng.integers(-_BIAS, _BIAS, bias.shape, endpoint=True)
        plan = plan.edit("bias", lambda t: t.holding(values, t.dtype))
    return center_outputs(freedom, plan, _COARSER * steps[0] * steps[1])


def sparse_inputs(
    case: Case, known: Mapping[int, Array], freedom: FreeParameters, seed: int, count: int
) -> Iterator[Stimulus]:
    """Yield inputs that equal the zero point except at few places, where they differ by 1; further inputs are drawn.

    Sums then have one or two products.
    """
    share = min(1.0, _PRODUCTS / _count_terms(freedom))
    uses = inputs_of(case)
    for number, drawn in enumerate(draw_stimuli(case, known, seed, count)):
        rng = np.random.default_rng([seed, number, *case.name.encode()])
        arrays = list(drawn.arrays)
        place = next((n for n, use in enumerate(uses) if use.is_quantized and not use.steers), None)
        if place is not None:
            arrays[place] = _sparse(uses[place], arrays[place], share, rng)
        yield Stimulus(RANDOM, tuple(arrays))


def _sparse(use: Input, like: Array, share: float, rng: np.random.Generator) -> Array:
    chosen = rng.random(like.shape) < share
    if np.count_nonzero(chosen) < _PLACES:
        chosen.flat[rng.choice(chosen.size, min(_PLACES, chosen.size), replace=False)] = True
    away = rng.choice([-1, 1], like.shape) * chosen
    values: Array = np.clip(use.zero_point + away, *use.bounds).astype(like.dtype)
    return values


def _count_terms(freedom: FreeParameters) -> int:
    """Return the number of products in a sum. Example: 9,216 for a window of 3 x 3 and 1,024 channels."""
    facts, plan = freedom.draft.facts, freedom.draft.plan
    first = plan.one(facts.products[0]) if facts.products else None
    if first is not None and facts.accumulates is not None and facts.accumulates.over == "row":
        return max(1, first.shape[-1])
    return max(1, depth(freedom.draft, plan))
