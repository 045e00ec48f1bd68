"""Storage that a rule requires for a role: type, granularity, zero point and scale, with the line that states it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from litecheck.profile.generate.plan_solver import admits
from litecheck.profile.types import (
    Constraint,
    Exactly,
    OneOf,
    PowerOf,
    ProductOf,
    Range,
    Requirement,
    SameAs,
    parts_of,
)
from litecheck.quantization import INTEGER_RANGES


@dataclass(frozen=True, slots=True)
class QuantSpec:
    """The required storage of a quantized role.

    ``low`` and ``high`` are the allowed stored values, ``zero_points`` the smallest and largest zero point. ``scale``
    is a fixed scale, ``product`` the roles whose scales are multiplied, and ``power`` the base of which the scale is a
    power. ``requirements`` are the requirements that state it.
    """

    dtype: str
    per_axis: bool = False
    axis: int = 0
    low: int = -128
    high: int = 127
    zero_points: tuple[int, int] = (-128, 127)
    scale: float | None = None
    product: ProductOf | None = None
    scale_of: str = ""
    power: int = 0
    requirements: tuple[Requirement, ...] = ()
    block: int = 0
    """Values of a row that share a scale, 0 for scales per tensor or axis."""
    least_squares: bool = False
    """True for scales of constants with the smallest squared error, instead of those of the largest value."""
    negated: bool = False
    """True if a kernel negates the stored integers. The lowest integer has no negative."""
    derived: bool = False
    """True for constants that are stored as weights, whatever their granularity."""

    @property
    def symmetric(self) -> bool:
        """True if the zero point can only be 0."""
        return self.zero_points == (0, 0)


def quant_spec_of(
    requirements: Iterable[Requirement], default: str, preferred: Collection[str] = ()
) -> QuantSpec | None:
    """Return the storage that the requirements of a role state, or None if real values stay unchanged.

    ``default`` is the type of a role without a stated type, or empty if such a role is not quantized. Of several types
    or granularities, a ``preferred`` word is used, else the first. Example: with "int8" preferred, [int4, int8] is int8.
    """
    own = {r.verb: r for r in requirements}
    dtype = _dtype(own.get("dtype"), default, preferred)
    if dtype not in INTEGER_RANGES:
        return None
    granularity = _relax(own.get("granularity"))
    words = _words(granularity)
    if words and not {"per-tensor", "per-axis", "any"} & set(words) and not _copies_parameters(granularity):
        return None
    low, high = INTEGER_RANGES[dtype]
    scale = own.get("scale")
    value = scale.value if scale else None
    return QuantSpec(
        dtype,
        per_axis=_choose_word(words, preferred) == "per-axis",
        axis=int(_number(own["axis"].value)) if "axis" in own else 0,
        low=max(low, _ends(own.get("range"), low, high)[0]),
        high=min(high, _ends(own.get("range"), low, high)[1]),
        zero_points=_ends(own.get("zero_point"), low, high),
        scale=_fixed_value(value),
        product=value if isinstance(value, ProductOf) else None,
        scale_of=value.role if isinstance(value, SameAs) else "",
        power=value.base if isinstance(value, PowerOf) else 0,
        requirements=tuple(own.values()),
    )


def is_allowed(requirement: Requirement, word: str) -> bool:
    """Return True if a requirement admits a type or granularity, also if only a profile that relaxes it does."""
    relaxed = requirement.relaxation is not None and admits(requirement.relaxation.value, word)
    return relaxed or admits(requirement.value, word)


def _dtype(requirement: Requirement | None, default: str, preferred: Collection[str]) -> str:
    words = _words(requirement) or (default,)
    integers = [word for word in words if word in INTEGER_RANGES]
    return "float32" if "float32" in words else _choose_word(integers, preferred)


def _choose_word(words: Sequence[str], preferred: Collection[str]) -> str:
    return next((word for word in words if word in preferred), words[0] if words else "")


def _relax(requirement: Requirement | None) -> Requirement | None:
    """Return the requirement as a profile relaxes it.

    A profile allows a single scale for weights only if its device requires one.
    """
    if requirement is None or requirement.relaxation is None:
        return requirement
    return replace(requirement, value=requirement.relaxation.value)


def _copies_parameters(requirement: Requirement | None) -> bool:
    return requirement is not None and isinstance(requirement.value, SameAs)


def _words(requirement: Requirement | None) -> tuple[str, ...]:
    """Return the words of a requirement in the order of the file."""
    if requirement is None:
        return ()
    return tuple(str(part.value) for part in parts_of(requirement.value) if isinstance(part, Exactly))


def _number(value: Constraint) -> Fraction:
    return value.value if isinstance(value, Exactly) and isinstance(value.value, Fraction) else Fraction(0)


def _ends(requirement: Requirement | None, low: int, high: int) -> tuple[int, int]:
    value = requirement.value if requirement else None
    if isinstance(value, OneOf):
        value = value.values[0]
    if isinstance(value, Range):
        return max(low, int(value.low)), min(high, int(value.high))
    if isinstance(value, Exactly) and isinstance(value.value, Fraction):
        return int(value.value), int(value.value)
    return low, high


def _fixed_value(value: Constraint | None) -> float | None:
    if isinstance(value, OneOf):
        value = value.values[0]
    if isinstance(value, Exactly) and isinstance(value.value, Fraction):
        return float(np.float32(float(value.value)))
    return None


__all__ = ["QuantSpec", "is_allowed", "quant_spec_of"]
