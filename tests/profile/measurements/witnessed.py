"""Plans of operators in which a witness has set a measurement."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any

from litecheck.profile.assemble import measurable
from litecheck.profile.generate.conforming import conforming_plan, requirements_of
from litecheck.profile.load import load_profile
from litecheck.profile.measurements.bound import Measured
from litecheck.profile.measurements.registry import measurement, setter_of
from litecheck.profile.operator_plan import Plan


@cache
def plan_of(opcode: str) -> Plan:
    """Return a plan that follows an operator's rule except for its limits.

    The rule is of ``litert-runtime``, or of ``litert-structure`` for operators without quantization.
    """
    profile = load_profile("litert-runtime")
    if opcode not in profile.operators:
        profile = load_profile("litert-structure")
    rule = profile.operators[opcode]
    kept = tuple(r for r in requirements_of(rule, 0) if r.verb != "limits")
    return conforming_plan(profile, replace(rule, requirements=kept, any_of=()))


def measured_after(name: str, opcode: str, value: Any) -> Measured:
    """Return the measurement in the plan that its witness made for a value; ``no plan`` if there is none."""
    plan = setter_of(name).apply(plan_of(opcode), value)
    return "no plan" if plan is None else measurement(name)(measurable(plan))
