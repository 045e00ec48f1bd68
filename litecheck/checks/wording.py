"""Text of requirements: the only source of the "required" text of findings."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction

import numpy as np

from litecheck.profile.types import (
    NOTHING_OF_THE_KIND,
    Constraint,
    Exactly,
    OneOf,
    ProductOf,
    Range,
    Requirement,
    SameAs,
)

#: End of a requirement's noun: the name of the role goes here, before the rest.
_CLAUSE = re.compile("(?= that is | as | within | equal to )")

_UNSUPPORTED = "another operator: this one is not supported"


def requirement_phrase(requirement: Requirement) -> str:
    """Return the requirement as a noun phrase, to follow "requires"."""
    value, role = requirement.value, requirement.role
    if requirement.verb == "operands":
        return f"{role} to be present" if role else str(value)
    if requirement.verb == "limits":
        name = requirement.path.rsplit("/", 1)[1].replace("_", " ")
        return f"{name} {_number(value)}"
    if requirement.verb in ("same_quantization", "types", "kernel", "note"):
        return str(value)
    if requirement.verb == "unsupported":
        return _UNSUPPORTED if value == NOTHING_OF_THE_KIND else str(value)
    if requirement.verb == "shapes":
        return "operands whose shapes go together"
    noun, *clause = _CLAUSE.split(_OF[requirement.verb](value), maxsplit=1)
    return "".join((noun, f" of {role}" if role else "", *clause))


def scale_text(scale: np.float32) -> str:
    """Return the shortest decimal that reads back as the same float32. For example, 1/256 gives ``0.00390625``."""
    return str(np.float32(scale)).removesuffix(".0") if np.isfinite(scale) else str(float(scale))


def _number(value: Constraint) -> str:
    if isinstance(value, Range):
        return f"in {value}"
    if isinstance(value, OneOf):
        return " or ".join(map(_number, value.values))
    return str(value)


def _granularity(value: Constraint) -> str:
    if isinstance(value, SameAs):
        return f"as many scales as {value.role} has"
    if isinstance(value, Exactly):
        return {"none": "no quantization", "any": "well-formed quantization"}.get(
            str(value.value), f"{value.value} quantization"
        )
    return (
        " or ".join(_granularity(part) for part in value.values) if isinstance(value, OneOf) else str(value)
    )


def _scale(value: Constraint) -> str:
    if isinstance(value, Exactly) and value.value == "positive":
        return "a finite scale above 0"
    if isinstance(value, Exactly) and value.value == "normal":
        return "a finite, normal scale above 0"
    if isinstance(value, ProductOf):
        ulps = "ulp" if value.ulps == 1 else "ulps"
        return f"a scale within {value.ulps} {ulps} of {value}" if value.ulps else f"a scale equal to {value}"
    if isinstance(value, Exactly) and isinstance(value.value, Fraction):
        return f"scale {value.value}"
    return f"a scale that is {_number(value)}"


_OF: dict[str, Callable[[Constraint], str]] = {
    "dtype": lambda v: f"type {_number(v)}",
    "granularity": _granularity,
    "axis": lambda v: f"quantized dimension {v}",
    "zero_point": lambda v: f"zero point {_number(v)}",
    "scale": _scale,
    "range": lambda v: f"values {_number(v)}",
}
