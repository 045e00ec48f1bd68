"""Check ``scale``: every scale is finite and positive, and equals the number or the product in the rule.

Scales are compared as float32: a rational is rounded to the nearest float32, and a product of scales is the float32
nearest to the exact product.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from math import inf, log

import numpy as np
from numpy.typing import NDArray

from litecheck.checks.bound_operator import (
    NONE,
    BoundOperand,
    BoundOperator,
    Check,
    Fault,
    at,
    channel,
    types,
)
from litecheck.checks.wording import scale_text
from litecheck.finding import Effect
from litecheck.model.stored_values import stored_integers
from litecheck.profile.types import (
    Constraint,
    Exactly,
    MultipleOf,
    OneOf,
    OperatorRule,
    PowerOf,
    ProductOf,
    Range,
    Requirement,
    SameAs,
)

#: The smallest float32 that is not subnormal.
TINY = float(np.finfo(np.float32).tiny)
#: Text after an invalid scale, by the kind of fault; a zero needs no text.
_NAMES = {
    "not_a_number": ", not a number",
    "infinite": ", infinite",
    "negative": ", negative",
    "zero": "",
    "subnormal": ", subnormal",
}


def checker(rule: OperatorRule, requirement: Requirement, value: Constraint) -> Check:
    """Return the check: invalid scales first, then scales that differ from the required scales."""
    role = requirement.role or ""
    allowed, judge = types(rule, role), _judge(value)
    least = TINY if isinstance(value, Exactly) and value.value != "positive" else 0.0

    def check(bound: BoundOperator) -> Sequence[Fault]:
        faults: list[Fault] = []
        for operand in bound.roles[role]:
            facts = operand.facts
            if not facts.scales or facts.details is not None:
                continue
            if not (allowed is None or facts.dtype in allowed):
                continue
            if facts.single and least <= facts.scale < inf and facts.scale > 0:
                faults += judge(bound, operand)
            elif not (isinstance(value, ProductOf) and inherits_invalid_factors(bound, operand, value)):
                invalid = [
                    _mark_zeros(bound, fault, requirement.faults) for fault in _invalid_scales(operand, least)
                ]
                faults += invalid or judge(bound, operand)
        return faults

    return check


def valid(scale: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Return a mask that is True at each scale that is finite and greater than 0.

    For example, 0.1 is valid, and 0, -1, infinity and NaN are not.
    """
    return np.isfinite(scale) & (scale > 0)


def _invalid_scales(operand: BoundOperand, least: float) -> Sequence[Fault]:
    """Return a fault for each kind of invalid scale, with the first channel and the number of channels."""
    scale = operand.tensor.quantization.scale
    if (valid(scale) & (scale >= least)).all():
        return NONE
    return [_invalid(operand, kind, bad) for kind, bad in _kinds(scale, least) if bad.any()]


def _mark_zeros(bound: BoundOperator, fault: Fault, stated: Collection[str]) -> Fault:
    """Return the fault of a scale of 0 or a subnormal scale with a kind of its own if the tensor holds only zeros."""
    kind = f"{fault.kind}_of_zeros"
    if kind not in stated or fault.operand is None or fault.operand.tensor.index not in bound.context.zeros:
        return fault
    return replace(fault, kind=kind, found=f"{fault.found}; all its values are 0")


def _invalid(operand: BoundOperand, kind: str, bad: NDArray[np.bool_]) -> Fault:
    first = int(np.argmax(bad))
    number = scale_text(operand.tensor.quantization.scale[first])
    found = f"scale is {number}{_NAMES[kind]}{channel(first, bad)}"
    return at(operand, found, channels=int(bad.sum()), kind=kind)


def _kinds(scale: NDArray[np.float32], least: float) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    """Yield each kind of invalid scale with its mask; ``subnormal`` are the positive scales below ``least``."""
    yield "not_a_number", np.isnan(scale)
    yield "infinite", np.isinf(scale)
    yield "negative", np.isfinite(scale) & (scale < 0)
    yield "zero", scale == 0
    yield "subnormal", (scale > 0) & (scale < least)


_Judge = Callable[[BoundOperator, BoundOperand], Sequence[Fault]]


def _judge(value: Constraint) -> _Judge:
    """Return the check of valid scales against a constraint."""
    if isinstance(value, Exactly) and isinstance(value.value, str):
        return lambda bound, operand: NONE  # a word requires only a scale
    if isinstance(value, ProductOf):
        return lambda bound, operand: check_product(bound, operand, value)
    if isinstance(value, SameAs):
        return lambda bound, operand: _check_same(bound, operand, value)
    exact = _nearest(value)
    return lambda bound, operand: (
        NONE if operand.facts.single and operand.facts.scale == exact else _check_number(operand, value)
    )


def _nearest(value: Constraint) -> float | None:
    """Return the only scale that a number allows: the nearest float32."""
    one = isinstance(value, Exactly) and isinstance(value.value, Fraction)
    return float(np.float32(float(value.value))) if one else None  # type: ignore[union-attr]


def _check_number(operand: BoundOperand, value: Constraint) -> Sequence[Fault]:
    scale = operand.tensor.quantization.scale
    bad = ~np.array([_fits(float(s), value) for s in scale])
    if not bad.any():
        return NONE
    first = int(np.argmax(bad))
    tolerated = isinstance(value, Exactly) and value.tolerance
    near = bool(tolerated) and all(_near(float(s), value) for s in scale[bad])
    found = f"scale is {scale_text(scale[first])}{channel(first, bad)}"
    return (at(operand, found, channels=int(bad.sum()), level="warning" if near else None),)


def _check_same(bound: BoundOperator, operand: BoundOperand, value: SameAs) -> Sequence[Fault]:
    source = bound.one(value.role)
    if source is None or not bound.is_valid(source, "dtype", "granularity", "scale"):
        return NONE
    scale, other = operand.tensor.quantization.scale, source.quantization.scale
    if other.size != scale.size or not valid(other).all() or scale.tobytes() == other.tobytes():
        return NONE
    first = int(np.argmax(scale != other))
    found = f"scale is {scale_text(scale[first])}, that of {value.role} is {scale_text(other[first])}"
    return (at(operand, found),)


def _fits(scale: float, value: Constraint) -> bool:
    if isinstance(value, OneOf):
        return any(_fits(scale, part) for part in value.values)
    if isinstance(value, Range):
        return value.low <= Fraction(scale) <= value.high
    if isinstance(value, MultipleOf):
        return (Fraction(scale) / value.n).denominator == 1
    if isinstance(value, PowerOf):
        return Fraction(value.base) ** round(log(scale, value.base)) == Fraction(scale)
    if isinstance(value, Exactly) and isinstance(value.value, Fraction):
        return scale == _nearest(value)
    return isinstance(value, Exactly)


def _near(scale: float, value: Constraint) -> bool:
    if not isinstance(value, Exactly) or isinstance(value.value, str):
        return False
    return abs(Fraction(scale) - value.value) <= value.tolerance * abs(value.value)


def check_product(bound: BoundOperator, operand: BoundOperand, value: ProductOf) -> Sequence[Fault]:
    """Return a fault for scales further from the product than allowed, with the worst and its effect on the output.

    Example: ``CONV_2D/bias/scale``, the product of the input scale and the weight scale of each channel. With an input
    scale of 0.5 and weight scales 0.25 and 0.1, the bias scales are 0.125 and 0.05.
    """
    exact = _exact_product(bound, value)
    scale = operand.tensor.quantization.scale
    if exact is None or scale.size != exact.size:
        return NONE
    with np.errstate(over="ignore", under="ignore"):
        ulps = np.abs(scale.view(np.int32).astype(np.int64) - exact.astype(np.float32).view(np.int32))
    bad = ulps > value.ulps
    if not bad.any():
        return NONE
    with np.errstate(over="ignore", divide="ignore"):
        relative = np.where(bad, np.abs(scale.astype(np.float64) - exact) / exact, -1.0)
    worst = int(np.argmax(relative))
    effect, no_effect = _effect(bound, operand, exact)
    off = float(relative[worst])
    distance = (
        f"{ulps[worst]} ulps off" if off < 1e-5 else _distance(float(scale[worst]) / float(exact[worst]))
    )
    found = (
        f"scale is {scale_text(scale[worst])} where {value} is {scale_text(np.float32(exact[worst]))}"
        f"{channel(worst, bad)}, {distance}{effect}"
    )
    mild = off <= float(value.tolerance) or no_effect
    impact: Effect | None = "outside the specification" if no_effect else None
    return (at(operand, found, channels=int(bad.sum()), level="warning" if mild else None, effect=impact),)


def _distance(ratio: float) -> str:
    """Return the ratio of a scale to its product as text. Examples: 1.0005 gives ``0.05% off``, 20 ``20 times as large``."""
    return f"{100 * abs(ratio - 1):.2g}% off" if 0.5 < ratio < 2 else f"{ratio:.3g} times as large"


def inherits_invalid_factors(bound: BoundOperator, operand: BoundOperand, value: ProductOf) -> bool:
    """Return True if invalid scales equal the product of their factors: the fault is then in the factors."""
    exact: NDArray[np.float64] = np.ones(1)
    for factor in value.factors:
        if isinstance(factor, Fraction):
            exact = exact * float(factor)
            continue
        tensor = bound.one(factor)
        if tensor is None:
            return False
        scale = tensor.quantization.scale
        if not scale.size or 1 not in (scale.size, exact.size):
            return False
        with np.errstate(invalid="ignore"):
            exact = exact * scale.astype(np.float64)
    own = operand.tensor.quantization.scale
    if own.size != exact.size:
        return False
    with np.errstate(over="ignore", under="ignore"):
        near = exact.astype(np.float32)
    apart = np.abs(own.view(np.int32).astype(np.int64) - near.view(np.int32))
    return bool(((apart <= value.ulps) | (np.isnan(own) & np.isnan(near))).all())


def _exact_product(bound: BoundOperator, value: ProductOf) -> NDArray[np.float64] | None:
    """Return the product in float64, which is exact for two float32 scales.

    Return None if a factor is absent or faulty, or if the numbers of scales do not match.
    """
    exact = np.ones(1)
    for factor in value.factors:
        if isinstance(factor, Fraction):
            exact = exact * float(factor)
            continue
        tensor = bound.one(factor)
        if tensor is None or not bound.is_valid(tensor, "dtype", "granularity", "scale"):
            return None
        scale = tensor.quantization.scale
        if not scale.size or not (scale > 0).all() or not np.isfinite(scale).all():
            return None
        if 1 not in (scale.size, exact.size):
            return None
        exact = exact * scale.astype(np.float64)
    return exact


def _effect(bound: BoundOperator, operand: BoundOperand, exact: NDArray[np.float64]) -> tuple[str, bool]:
    """Return the effect of a wrong scale of added constants on the output, in LSB, and True if it has no effect."""
    values, output = stored_integers(operand.tensor), bound.one("output")
    if values is None or not values.size or output is None or output.quantization.scale.size != 1:
        return "", False
    most = np.abs(values.reshape(-1).astype(np.float64))
    if not most.any():
        return "; all values are 0, so no output differs", True
    off = np.abs(operand.tensor.quantization.scale.astype(np.float64) - exact)
    if off.size not in (1, most.size):
        return "", False
    step = float(output.quantization.scale[0])
    lsb = float((most * off).max() / step) if step > 0 else 0.0
    return f"; outputs differ by up to {lsb:.3g} LSB", False
