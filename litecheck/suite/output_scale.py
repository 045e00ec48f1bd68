"""Output scales that fit an operator's outputs: both limits are reached, and few values are saturated."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from litecheck.arrays import Array, blocks
from litecheck.cases.inputs import DrawnInputs
from litecheck.cases.merged_inferences import outputs_of
from litecheck.cases.stimulus import Stimuli
from litecheck.model.types import Tensor
from litecheck.profile.assemble import assemble
from litecheck.profile.generate.plan_solver import following
from litecheck.profile.operator_plan import Plan
from litecheck.quantization import BITS, INTEGER_RANGES
from litecheck.reference.engine.interpreter import ReferenceInterpreter
from litecheck.suite.free_parameters import FreeParameters
from litecheck.suite.stimuli import case_of, known_inputs

#: Largest number of rounds; largest share of saturated outputs; smallest share of the range that outputs must cover.
_ROUNDS, _SATURATED, _COVERED = 14, 0.02, 0.2
#: Number of output elements to compute; largest number of inferences.
_RESULTS, _DRAWS = 64, 24
#: Ratio of the outputs' range to the type's range, so that a few values saturate.
_BEYOND = 1.08


def fit_output_scale(
    freedom: FreeParameters, plan: Plan, seed: int, stretch: float = 1.0, power: bool = False
) -> Plan:
    """Return the plan with fitted scales of free outputs, times ``stretch``; ``power`` makes them powers of two.

    Raise RunError if the reference cannot compute the model.
    """
    for role in _results(freedom, plan):
        plan = _fit_scale(freedom, plan, role, seed)
        scale = np.float64(plan.operands[role][0].scale[0]) * stretch
        if power or role in freedom.powers:
            scale = np.exp2(np.ceil(np.log2(scale)))
        plan = _set(freedom, plan, role, float(scale), None)
    return plan


def center_outputs(freedom: FreeParameters, plan: Plan, scale: float) -> Plan:
    """Return the plan with a scale for all outputs whose scale is free, and with zero points in the middle."""
    for role in _results(freedom, plan):
        low, high = freedom.zeros(role)
        plan = _set(freedom, plan, role, scale, (low + high + 1) // 2)
    return plan


def _results(freedom: FreeParameters, plan: Plan) -> Iterator[str]:
    """Yield the outputs whose scale is free and not shared with an input."""
    given = {role for role, kind in freedom.draft.facts.inputs.items() if kind != "state"}
    for role in plan.outputs:
        tensor = plan.one(role)
        free = role in freedom.scales and not freedom.groups[role] & given
        if tensor is not None and free and tensor.scale.size == 1 and BITS.get(tensor.dtype, 64) <= 16:
            yield role


def _fit_scale(freedom: FreeParameters, plan: Plan, role: str, seed: int) -> Plan:
    start, drawn = plan, dict[object, DrawnInputs]()
    for _ in range(_ROUNDS):
        tensor = plan.operands[role][0]
        low, high = INTEGER_RANGES[tensor.dtype]
        stored = _compute_outputs(freedom, plan, role, seed, drawn)
        zero, scale = int(tensor.zero_point[0]), float(tensor.scale[0])
        least, most = int(stored.min()), int(stored.max())
        if np.mean((stored == low) | (stored == high)) > _SATURATED and most > least:
            plan = _set(freedom, plan, role, scale * 8, zero)
        elif most - least < _COVERED * (high - low):
            plan = _set(freedom, plan, role, scale / 4, zero)
        else:
            return _place_range(freedom, plan, role, (scale * (least - zero), scale * (most - zero)))
    return start


def _place_range(freedom: FreeParameters, plan: Plan, role: str, reals: tuple[float, float]) -> Plan:
    """Set scale and zero point such that the outputs fill the range, within the limits of the zero point."""
    low, high = INTEGER_RANGES[plan.operands[role][0].dtype]
    first, last = freedom.zeros(role)
    scale = (reals[1] - reals[0]) / (high - low)
    zero = round(low - reals[0] / scale)
    if not first <= zero <= last:
        zero = min(max(zero, first), last)
        scale = max(reals[1] / max(high - zero, 1), -reals[0] / max(zero - low, 1))
    return _set(freedom, plan, role, scale / _BEYOND, zero)


def _set(freedom: FreeParameters, plan: Plan, role: str, scale: float, zero: int | None) -> Plan:
    for one in freedom.groups[role]:
        plan = plan.edit(one, lambda t: t.with_scale([scale], zero) if t.scale.size == 1 else t)
    return following(plan, freedom.draft.requirements)


def _compute_outputs(
    freedom: FreeParameters, plan: Plan, role: str, seed: int, drawn: dict[object, DrawnInputs]
) -> Array:
    """Return the reference's stored outputs for random inputs, without a fused activation; ``drawn`` caches inputs."""
    unbounded = {"fused_activation_function": "NONE"} if freedom.draft.facts.fuses == "activation" else {}
    model = assemble(plan.option(**unbounded) if unbounded else plan)
    main, interpreter = model.subgraphs[0], ReferenceInterpreter(model)
    alike = tuple(_drawn_by(main.tensors[index]) for index in main.inputs)
    if alike not in drawn:
        case = case_of(model, freedom.draft.form.name)
        drawn[alike] = DrawnInputs(case, known_inputs(model, freedom.draft.inputs), seed)
    size = max(1, math.prod(plan.operands[role][0].shape))
    several = Stimuli.join(drawn[alike].first(max(2, min(_DRAWS, _RESULTS // size)))).runs
    (place,) = (n for n, i in enumerate(main.outputs) if main.tensors[i].name == plan.operands[role][0].name)
    made = blocks(outputs_of(interpreter, several), place)
    return np.concatenate([array.reshape(-1) for array in made])


def _drawn_by(tensor: Tensor) -> object:
    """Return the properties of an input that decide its random values."""
    quantization = tensor.quantization
    return tensor.shape, tensor.dtype, quantization.scale.size, quantization.zero_point.tobytes()
