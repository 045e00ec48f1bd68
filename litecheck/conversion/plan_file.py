"""A conversion plan as JSON: written, edited by hand, and read again with every value checked."""

from __future__ import annotations

from typing import Any, cast, get_args

import numpy as np

from litecheck.conversion.conversion_plan import (
    ConstantChange,
    ConversionPlan,
    Decision,
    QuantParams,
    TensorQuantParams,
)
from litecheck.conversion.formulas import Generation
from litecheck.conversion.json_layout import Decimals, layout_json
from litecheck.conversion.plan_reader import PLAN_KEYS, PlanReader
from litecheck.documents import decode_json
from litecheck.errors import ConfigError

#: Incremented when a key changes its meaning or is removed.
VERSION = 1
#: Advice for a file that is no plan.
_ORIGIN = "--save-plan writes a plan; a recipe is for --recipe"


def plan_values(plan: ConversionPlan) -> dict[str, Any]:
    """Return a plan as plain values of schemas/conversion-plan.schema.json, with float32 in their shortest form."""
    values: dict[str, Any] = {
        "litecheck_plan": VERSION,
        "source": plan.source,
        "profile": plan.profile,
        "to": plan.target,
        "generation": plan.generation,
        "notes": list(plan.notes),
        "operators": [_decision(one) for one in plan.operators],
        "tensors": [_tensor(one) for one in plan.tensors],
    }
    if plan.changes:
        values["changes"] = [_change(one) for one in plan.changes]
    return values


def plan_json(plan: ConversionPlan) -> str:
    """Return a plan as JSON text."""
    return layout_json(plan_values(plan), "\n") + "\n"


def read_plan(text: bytes | str, file: str) -> ConversionPlan:
    """Return the plan of a file. Raises ConfigError with the location of the problem."""
    try:
        values = decode_json(text, file)
    except ConfigError as error:
        raise ConfigError(f"{error}. {_ORIGIN}") from None
    reader = PlanReader(file)
    if not isinstance(values, dict) or values.get("litecheck_plan") != VERSION:
        raise ConfigError(f"{file}: no plan: got no litecheck_plan of {VERSION}. {_ORIGIN}")
    reader.object(values, "plan", PLAN_KEYS)
    generation = reader.text(values, "generation", "plan")
    if generation not in get_args(Generation):
        raise ConfigError(f"{file}: generation is none of {', '.join(get_args(Generation))}")
    return ConversionPlan(
        reader.text(values, "source", "plan"),
        reader.text(values, "profile", "plan"),
        reader.text(values, "to", "plan"),
        tuple(
            reader.tensor(one, f"tensors[{n}]")
            for n, one in enumerate(reader.items(values, "tensors", "plan"))
        ),
        tuple(
            reader.decision(one, f"operators[{n}]")
            for n, one in enumerate(reader.items(values, "operators", "plan"))
        ),
        cast("Generation", generation),
        tuple(map(str, reader.items(values, "notes", "plan"))),
        tuple(
            reader.change(one, f"changes[{n}]")
            for n, one in enumerate(reader.items(values, "changes", "plan"))
        ),
    )


def _change(one: ConstantChange) -> dict[str, Any]:
    return {
        "subgraph": one.subgraph,
        "tensor": one.tensor,
        "multiplies": one.multiplies,
        "axis": one.axis,
        "values": one.values.tolist(),
    }


def _decision(one: Decision) -> dict[str, Any]:
    values: dict[str, Any] = {
        "subgraph": one.subgraph,
        "operator": one.operator,
        "opcode": one.opcode,
        "name": one.name,
        "becomes": one.becomes,
        "version": one.version,
    }
    if one.because:
        values["because"] = one.because
    if one.added:
        values["added"] = [{"place": place, **_form(form)} for place, form in one.added.items()]
    if one.intermediates:
        values["intermediates"] = [_form(form) for form in one.intermediates]
    return values


def _tensor(one: TensorQuantParams) -> dict[str, Any]:
    """Return a tensor with each form once, and the number of its form for every port."""
    forms: list[QuantParams] = []

    def number(form: QuantParams | None) -> int | None:
        if form is None:
            return None
        known = next((n for n, other in enumerate(forms) if form.same(other)), len(forms))
        if known == len(forms):
            forms.append(form)
        return known

    written = number(one.written)
    read = [
        {"operator": port.operator, "place": port.place, "form": number(f)} for port, f in one.read.items()
    ]
    return {
        "subgraph": one.subgraph,
        "tensor": one.tensor,
        "name": one.name,
        "forms": [_form(form) for form in forms],
        "written": written,
        "read": read,
    }


def _form(form: QuantParams) -> dict[str, Any]:
    values: dict[str, Any] = {
        "dtype": form.dtype,
        "scale": Decimals(form.scale),
        "zero_point": form.zero_point.tolist(),
    }
    if form.scale.size > 1 or form.axis:
        values["axis"] = form.axis
    values["range"] = Decimals(np.array([form.low, form.high], np.float32))
    if form.block:
        values["block_size"] = form.block
    if form.dequantized:
        values["dequantized"] = True
    if form.rules:
        values["rules"] = list(form.rules)
    if form.because:
        values["because"] = form.because
    return values
