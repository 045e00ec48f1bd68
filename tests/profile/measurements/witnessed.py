"""Plans of operators in which a setter has set a measurement."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from functools import cache
from itertools import groupby, islice
from typing import Any

import numpy as np

from litecheck.profile.assemble import measurable
from litecheck.profile.generate.plan_solver import (
    UnsolvableError,
    conforming_plan,
    limit,
    requirements_of,
    satisfying_values,
)
from litecheck.profile.generate.violating_limits import values_outside
from litecheck.profile.load import load_profile, profile_names
from litecheck.profile.measurements.measured_operator import Measured, Operands
from litecheck.profile.measurements.register import OPERATOR
from litecheck.profile.measurements.registry import (
    measurement,
    operand_measurements,
    operator_measurements,
    setter_of,
)
from litecheck.profile.operator_plan import Plan, TensorPlan
from litecheck.profile.parser import ANY_OPERATOR
from litecheck.profile.types import Requirement
from tests.differential.vela_bounds import sound_plans

#: Numbers for setters, in order; words come from the limits of a rule.
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
    """Return the measurement in the plan that its setter made for a value; ``no plan`` if it made none."""
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
    """Return the values that the setters of a package's measurements set, in at most two operators each.

    ``stride_h CONV_2D: plan 1, sets 1..17`` omits -1 and 0, which have no plan. ``5:4`` means that the measurement is
    4 in the plan for 5. Two further lines, for two values, have the tensors and options that the setter changed.
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
    words = setter_of(name).rejected_words
    borders = [
        value
        for r in requirements
        for value in (*islice(satisfying_values(r.value), 2), *islice(values_outside(r.value, words), 2))
    ]
    values = list(dict.fromkeys(v for v in borders if isinstance(v, str))) or NUMBERS
    found = [(value, measured_after(name, opcode, value)) for value in values]
    head = f"plan {measurement(name)(measurable(plan_of(opcode)))}, sets {' '.join(_spans(found))}".rstrip()
    changed = (
        f"\n  {value}: {text}"
        for value in sorted(values, key=lambda value: value not in (1, 3))
        if (text := _changed(name, opcode, value))
    )
    return head + "".join(islice(changed, 2))


def _changed(name: str, opcode: str, value: Any) -> str:
    """Return the tensors and options that the plan for a value does not share with the plan before."""
    before, after = plan_of(opcode), setter_of(name).apply(plan_of(opcode), value)
    old, new = described(before), {} if after is None else described(after)
    return "; ".join(f"{key} {text}".rstrip() for key, text in new.items() if old.get(key) != text)


def described(plan: Plan) -> dict[str, str]:
    """Return the tensors, options and neighbors of a plan as text, by name."""
    found = {
        f"{role} {n}" if n else role: _tensor(tensor)
        for role, tensors in plan.operands.items()
        for n, tensor in enumerate(tensors)
    }
    found |= {f"{role} absent": "" for role, tensors in plan.operands.items() if not tensors}
    found |= {f"option {name}": str(stated) for name, stated in (plan.options or {"no": "options"}).items()}
    found |= {
        f"{call.option} calls": " ".join(map(_tensor, (*call.inputs, *call.outputs)))
        + " again" * call.recursive
        for call in plan.calls
    }
    found |= {
        f"beside {n}": f"{_tensor(b.tensor)} {b.place} {b.writers}" for n, b in enumerate(plan.bystanders)
    }
    if plan.assignment is not None:
        found["assigned"] = f"{' '.join(map(_tensor, plan.assignment.values))} {plan.assignment.before}"
    rest = (
        "inputs",
        "outputs",
        "intermediates",
        "version",
        "explicit_absent",
        "cut_roles",
        "concatenation_axis",
        "lists_buffers",
    )
    return found | {name: str(getattr(plan, name)) for name in rest}


def _tensor(tensor: TensorPlan) -> str:
    """Return e.g. ``int8 2 scale 0.5 zero 3 axis 0, 1 scales, of 2 values 7 8 .. 7 8``."""
    text = f"{tensor.dtype} {'x'.join(map(str, tensor.shape)) or 'scalar'}"
    if tensor.scale.size:
        scales, zeros = (" ".join(f"{v:.4g}" for v in part[:3]) for part in (tensor.scale, tensor.zero_point))
        text += f" scale {scales} zero {zeros} axis {tensor.quantization.axis}, {tensor.scale.size} scales"
    if tensor.values is not None:
        stored = tensor.values.reshape(-1).astype(np.float64)
        first, last = (" ".join(f"{v:.4g}" for v in part) for part in (stored[:6], stored[-2:]))
        text += f", of {stored.size} values {first} .. {last}"
    if tensor.blocks is not None:
        text += f" blocks {tensor.blocks.size} {tensor.blocks.scales.dtype} {tensor.blocks.scales.shape}"
    marks = (("variable", tensor.variable), (f"signature {tensor.signature}", tensor.signature),
             ("shapeless", tensor.shapeless))  # fmt: skip
    return " ".join([text, *(word for word, holds in marks if holds)])


def _spans(found: list[tuple[Any, Measured]]) -> Iterator[str]:
    """Yield ranges of values with the same outcome: ``0..4`` is set exactly, ``5..17:4`` is measured as 4."""

    def outcome(pair: tuple[Any, Measured]) -> str:
        return "" if pair[0] == pair[1] else f":{pair[1]}"

    for text, group in groupby(found, outcome):
        run = [value for value, _ in group]
        number = not isinstance(run[0], str)
        span = f"{run[0]}..{run[-1]}" if number and len(run) > 1 else ", ".join(map(str, run))
        if text != ":no plan":
            yield span + text


@cache
def _measurable_plans() -> dict[str, tuple[Operands, ...]]:
    """Return the plans of every operator: the first forms that suites have, and the plan without limits."""
    names = load_profile("litert-structure").operators.keys() - {ANY_OPERATOR}
    found = {}
    for opcode in sorted(names):
        plans = (*islice(sound_plans(opcode), 3), *_planned(opcode))
        found[opcode] = tuple(map(measurable, plans))
    return found


def _planned(opcode: str) -> Iterator[Plan]:
    with suppress(UnsolvableError, KeyError, ValueError):
        yield plan_of(opcode)


def measured_table(package: str) -> str:
    """Return the values of a package's measurements in plans of operators: ``stride_h: else None | 1: CONV_2D MEAN``."""
    lines = []
    for name, (measure, _) in sorted(OPERATOR.items()):
        if not measure.__module__.startswith(package):
            continue
        found: dict[str, list[str]] = {}
        for opcode, plans in _measurable_plans().items():
            values = " ".join(dict.fromkeys(str(measurement(name)(operands)) for operands in plans))
            found.setdefault(values, []).append(opcode)
        usual = max(found, key=lambda value: len(found[value]), default="")
        rest = (f"{value}: {' '.join(opcodes)}" for value, opcodes in sorted(found.items()) if value != usual)
        lines.append(f"{name}: {' | '.join([f'else {usual}', *rest])}\n")
    return "".join(lines)
