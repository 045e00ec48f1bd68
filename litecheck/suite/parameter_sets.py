"""Sets of quantization parameters for a form: plain sets, and sets that detect mutants, all within the rule."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from litecheck.arrays import Array
from litecheck.profile.operator_plan import Plan
from litecheck.quantization import BITS, INTEGER_RANGES
from litecheck.suite.draft_constants import fill_constants, rails
from litecheck.suite.free_parameters import FreeParameters
from litecheck.suite.output_scale import fit_output_scale

Random = np.random.Generator
#: Function that returns a plan with the set's parameters, or None if the set does not apply to the form.
Tuning = Callable[[FreeParameters, Random, int], Plan | None]


@dataclass(frozen=True, slots=True)
class ParameterSet:
    """A parameter set.

    ``everywhere`` applies it to every form, else only to an operator's first form (except in exhaustive suites).
    ``moves`` applies it to operators that only move values. ``sharp`` adds inputs that distinguish variants. ``size``
    is the number of input bytes, 0 for the usual number.
    """

    name: str
    title: str
    level: str
    make: Tuning
    everywhere: bool = False
    moves: bool = False
    sharp: bool = False
    size: int = 0


def _tune_plainly(freedom: FreeParameters, rng: Random, seed: int) -> Plan | None:
    plan = freedom.move_parameters(
        lambda role, base: base * np.exp(rng.uniform(-0.3, 0.3, base.shape)),
        lambda role, span: _inner(rng, span),
    )
    return fit_output_scale(freedom, fill_constants(freedom.draft, plan, rng), seed)


def _drawn(freedom: FreeParameters, rng: Random, seed: int) -> Plan | None:
    plan = freedom.move_parameters(
        lambda role, base: base * np.exp(rng.uniform(-2, 2) + rng.uniform(-0.5, 0.5, base.shape)),
        lambda role, span: int(rng.integers(*span, endpoint=True)),
    )
    return fit_output_scale(freedom, fill_constants(freedom.draft, plan, rng), seed)


def _zeros_at(end: int) -> Tuning:
    def make(freedom: FreeParameters, rng: Random, seed: int) -> Plan | None:
        if all(low == high for low, high in map(freedom.zeros, freedom.draft.plan.operands)):
            return None
        plan = freedom.move_parameters(lambda role, base: base, lambda role, span: span[end])
        kept = {role: plan.operands[role][0].zero_point for role in plan.outputs if plan.one(role)}
        plan = fit_output_scale(freedom, fill_constants(freedom.draft, plan, rng), seed)
        for role, zero in kept.items():
            plan = plan.edit(role, lambda t, z=zero: t.with_scale(t.scale, z) if t.scale.size else t)  # type: ignore[misc]
        return plan

    return make


def _powers(freedom: FreeParameters, rng: Random, seed: int) -> Plan | None:
    plan = freedom.move_parameters(_power(rng), lambda role, span: _inner(rng, span))
    return fit_output_scale(freedom, fill_constants(freedom.draft, plan, rng), seed, power=True)


def _power(rng: Random) -> Callable[[str, Array], Array]:
    return lambda role, base: np.exp2(np.round(np.log2(base)) + rng.integers(-1, 2, base.shape))


def _stretch_tuning(factor: float) -> Tuning:
    def make(freedom: FreeParameters, rng: Random, seed: int) -> Plan | None:
        plan = freedom.move_parameters(lambda role, base: base, lambda role, span: _inner(rng, span))
        plan = fill_constants(freedom.draft, plan, rng)
        made = fit_output_scale(freedom, plan, seed, factor)
        return None if made is fit_output_scale(freedom, plan, seed) else made

    return make


def _decades(freedom: FreeParameters, rng: Random, seed: int) -> Plan | None:
    """Spread weight scales over five decades."""
    if not any(t.scale.size > 1 for tensors in freedom.draft.plan.operands.values() for t in tensors):
        return None
    plan = freedom.move_parameters(
        lambda role, base: base * 10 ** np.linspace(-4, 1, base.size) if base.size > 1 else base,
        lambda role, span: _inner(rng, span),
    )
    return fit_output_scale(freedom, fill_constants(freedom.draft, plan, rng), seed)


def _weights(draw: Callable[[Random, tuple[int, ...], tuple[int, int]], Array]) -> Tuning:
    def make(freedom: FreeParameters, rng: Random, seed: int) -> Plan | None:
        weights = {role for role, kind in freedom.draft.facts.inputs.items() if kind == "weight"}
        if not any(
            t.name in freedom.draft.blank for role in weights for t in freedom.draft.plan.operands[role]
        ):
            return None
        plan = freedom.move_parameters(lambda role, base: base, lambda role, span: _inner(rng, span))
        return fit_output_scale(freedom, fill_constants(freedom.draft, plan, rng, draw), seed)

    return make


def _draw_with_zeros(rng: Random, shape: tuple[int, ...], span: tuple[int, int]) -> Array:
    """Draw values uniformly, with zeros at the first index of the first and the last dimension: a channel without
    weights."""
    values: Array = rng.integers(*span, shape, endpoint=True)
    for axis in (0, len(shape) - 1):
        if shape and shape[axis] > 1:
            values[(slice(None),) * axis + (0,)] = 0
    return values


def _bias(freedom: FreeParameters, plan: Plan, values: Array) -> Plan:
    return plan.edit("bias", lambda t: t.holding(values, t.dtype))


def _ties(freedom: FreeParameters, rng: Random, seed: int) -> Plan | None:
    """Set biases half-way between two outputs: sums are ties if the input equals its zero point."""
    if not _has_bias(freedom):
        return None
    plan = freedom.move_parameters(_power(rng), lambda role, span: _inner(rng, span))
    return _set_tied_biases(
        freedom, fit_output_scale(freedom, fill_constants(freedom.draft, plan, rng), seed, power=True), rng
    )


def _near_ties(freedom: FreeParameters, rng: Random, seed: int) -> Plan | None:
    """Set biases next to the middle between two 8-bit outputs, with multipliers so small that float32 changes some
    roundings."""
    output = freedom.draft.plan.one("output")
    if output is None or BITS.get(output.dtype) != 8 or not _has_bias(freedom):
        return None
    plan = freedom.move_parameters(lambda role, base: base, lambda role, span: _inner(rng, span))
    return _set_tied_biases(
        freedom, fit_output_scale(freedom, fill_constants(freedom.draft, plan, rng), seed, 2.0**12), rng
    )


def _set_tied_biases(freedom: FreeParameters, plan: Plan, rng: Random) -> Plan:
    """Return the plan with biases next to the middle between two outputs."""
    bias, output = plan.operands["bias"][0], plan.operands["output"][0]
    low, high = INTEGER_RANGES[output.dtype]
    codes = rng.integers(low, high, bias.shape) - int(output.zero_point[0]) + 0.5
    halves = np.round(codes * np.float64(output.scale[0]) / bias.scale.astype(np.float64))
    reach = INTEGER_RANGES["int32"][1] // 4
    return _bias(freedom, plan, np.clip(halves, -reach, reach).astype(np.int64))


def _ends(freedom: FreeParameters, rng: Random, seed: int) -> Plan | None:
    """Set biases as near to the limits of int32 as the sums and the rule allow."""
    if not _has_bias(freedom):
        return None
    plan = freedom.move_parameters(lambda role, base: base, lambda role, span: _inner(rng, span))
    plan = fill_constants(freedom.draft, plan, rng)
    bias = plan.operands["bias"][0]
    signs = np.where(np.arange(bias.shape[0]) % 2, -1, 1).reshape(bias.shape)
    for bits in (31, 30.9, 30.5, 30, 29.9, 29, 28):
        made = fit_output_scale(
            freedom, _bias(freedom, plan, (signs * int(2**bits - 1)).astype(np.int64)), seed
        )
        if not freedom.draft.violated_limits(made):
            return made
    return None


def _has_bias(freedom: FreeParameters) -> bool:
    bias = freedom.draft.plan.one("bias")
    output = freedom.draft.plan.one("output")
    rescaled = output is not None and output.scale.size == 1
    return bool(rescaled and bias is not None and bias.name in freedom.draft.blank and bias.scale.size)


def _inner(rng: Random, span: tuple[int, int]) -> int:
    """Draw a zero point from the middle half of its range."""
    quarter = (span[1] - span[0]) // 4
    return int(rng.integers(span[0] + quarter, span[1] - quarter, endpoint=True))


SETS = (
    ParameterSet("plain", "plain parameters", "smoke", _tune_plainly, everywhere=True, moves=True, sharp=True),
    ParameterSet("powers-of-two", "all scales powers of two: ties", "standard", _powers, sharp=True),
    ParameterSet("zero-points-low", "zero points at the lower end of the type", "standard", _zeros_at(0), moves=True),
    ParameterSet("zero-points-high", "zero points at the upper end of the type", "standard", _zeros_at(1), moves=True),
    ParameterSet("drawn-1", "scales and zero points drawn", "standard", _drawn, everywhere=True),
    ParameterSet("drawn-2", "scales and zero points drawn", "standard", _drawn, sharp=True),
    ParameterSet("drawn-3", "scales and zero points drawn", "standard", _drawn),
    ParameterSet("small-multipliers", "results of a few steps", "standard", _stretch_tuning(50)),
    ParameterSet("smallest-multipliers", "results that are hardly a step", "standard", _stretch_tuning(2.0**14)),
    ParameterSet("large-multipliers", "results that mostly saturate", "standard", _stretch_tuning(1 / 50)),
    ParameterSet("scales-over-decades", "weight scales over five decades", "standard", _decades),
    ParameterSet("zero-channel", "a channel whose weights are all 0", "standard", _weights(_draw_with_zeros)),
    ParameterSet("weights-on-rails", "weights at both ends of their range", "standard", _weights(rails)),
    ParameterSet("bias-ties", "biases half-way between two results", "standard", _ties, sharp=True),
    ParameterSet("bias-near-ties", "biases next to the middle of two results", "standard", _near_ties, sharp=True),
    ParameterSet("bias-ends", "biases near the ends of an int32", "standard", _ends),
    *(ParameterSet(f"drawn-{n}", "scales and zero points drawn", "exhaustive", _drawn) for n in range(4, 9)),
)  # fmt: skip
