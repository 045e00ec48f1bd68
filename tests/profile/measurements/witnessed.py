"""Plans of operators in which a witness has set a measurement."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import groupby, islice
from typing import Any

from litecheck.profile.assemble import measurable
from litecheck.profile.generate.conforming import allowed, conforming_plan, limit, requirements_of
from litecheck.profile.generate.violating_limits import values_outside
from litecheck.profile.load import load_profile, profile_names
from litecheck.profile.measurements.bound import Measured
from litecheck.profile.measurements.registry import (
    measurement,
    operand_measurements,
    operator_measurements,
    setter_of,
)
from litecheck.profile.operator_plan import Plan
from litecheck.profile.parser import ANY_OPERATOR
from litecheck.profile.types import Requirement

#: Numbers that witnesses set, in order; words are the ones next to the borders of a rule.
NUMBERS = (-1, 0, 1, 2, 3, 4, 5, 7, 8, 9, 16, 17)


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


@cache
def limited() -> dict[str, dict[str, list[Requirement]]]:
    """Return the limits of all profiles by measurement and operator."""
    found: dict[str, dict[str, list[Requirement]]] = {}
    for rule in (rule for name in profile_names() for rule in load_profile(name).operators.values()):
        for number in range(max(1, len(rule.any_of))):
            for r in requirements_of(rule, number):
                if r.verb == "limits" and rule.opcode != ANY_OPERATOR:
                    found.setdefault(limit(r), {}).setdefault(rule.opcode, []).append(r)
    return found


def table(package: str) -> str:
    """Return the values that the witnesses of a package's measurements set, in at most two operators each.

    ``stride_h CONV_2D: plan 1, sets 1..17`` leaves out -1 and 0, for which there is no plan. ``5:4`` means that the
    measurement is 4 in the plan for 5.
    """
    functions = {**operator_measurements(), **operand_measurements()}
    lines = (
        f"{name} {opcode}: {_row(name, opcode, operators[opcode])}"
        for name, operators in sorted(limited().items())
        if functions[name.rpartition(".")[2]].__module__.startswith(package)
        for opcode in sorted({min(operators), max(operators)})
    )
    return "".join(f"{line}\n" for line in lines)


def _row(name: str, opcode: str, requirements: list[Requirement]) -> str:
    words = setter_of(name).words
    borders = [
        value
        for r in requirements
        for value in (*islice(allowed(r.value), 2), *islice(values_outside(r.value, words), 2))
    ]
    values = list(dict.fromkeys(v for v in borders if isinstance(v, str))) or NUMBERS
    found = [(value, measured_after(name, opcode, value)) for value in values]
    return f"plan {measurement(name)(measurable(plan_of(opcode)))}, sets {' '.join(_spans(found))}".rstrip()


def _spans(found: list[tuple[Any, Measured]]) -> Iterator[str]:
    """Yield runs of values: set exactly, or measured alike, e.g. ``0..4`` and ``5..17:4``."""

    def outcome(pair: tuple[Any, Measured]) -> str:
        return "" if pair[0] == pair[1] else f":{pair[1]}"

    for text, group in groupby(found, outcome):
        run = [value for value, _ in group]
        number = not isinstance(run[0], str)
        span = f"{run[0]}..{run[-1]}" if number and len(run) > 1 else ", ".join(map(str, run))
        if text != ":no plan":
            yield span + text
