"""A conversion plan as JSON: written, edited by hand, and read again with every value checked."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast, get_args

import numpy as np
from numpy.typing import NDArray

from litecheck.conversion import conversion_plan as plans
from litecheck.conversion.binding import TensorUse
from litecheck.conversion.conversion_plan import (
    ConstantChange,
    ConversionPlan,
    Decision,
    QuantParams,
    TensorQuantParams,
    error_in,
)
from litecheck.conversion.formulas import Generation
from litecheck.conversion.json_layout import laid_out
from litecheck.documents import decode_json
from litecheck.errors import ConfigError
from litecheck.quantization import INTEGER_RANGES

#: Possible decisions about an operator.
BECOMES = ("int8", "int16", "uint8", "hybrid", "float32", plans.UNTOUCHED)
#: Incremented when a key changes its meaning or is removed.
VERSION = 1
_TYPES = (*INTEGER_RANGES, "float16")


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
    return laid_out(plan_values(plan), "\n") + "\n"


def read_plan(text: bytes | str, file: str) -> ConversionPlan:
    """Return the plan of a file. Raises ConfigError with the location of the problem."""
    values = decode_json(text, file)
    reader = _Reader(file)
    if not isinstance(values, dict) or values.get("litecheck_plan") != VERSION:
        raise ConfigError(f"{file}: this is no conversion plan (litecheck_plan is not {VERSION})")
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
        "scale": _shortest(form.scale),
        "zero_point": form.zero_point.tolist(),
    }
    if form.scale.size > 1 or form.axis:
        values["axis"] = form.axis
    values["range"] = _shortest(np.array([form.low, form.high], np.float32))
    if form.rules:
        values["rules"] = list(form.rules)
    if form.because:
        values["because"] = form.because
    return values


def _shortest(values: NDArray[np.float32]) -> list[float]:
    """Return the shortest decimals that give the same float32 again."""
    return [float(str(value)) for value in values]


class _Reader:
    """Reader of a plan. Errors name the file and the location."""

    def __init__(self, file: str) -> None:
        self.file = file

    def wrong(self, place: str, message: str) -> ConfigError:
        return ConfigError(f"{self.file}: {place}: {message}")

    def text(self, values: Mapping[str, Any], key: str, place: str) -> str:
        found = values.get(key, "")
        if not isinstance(found, str):
            raise self.wrong(place, f"{key} is no text")
        return found

    def items(self, values: Mapping[str, Any], key: str, place: str) -> list[Any]:
        found = values.get(key, [])
        if not isinstance(found, list):
            raise self.wrong(place, f"{key} is no list")
        return found

    def number(self, values: Mapping[str, Any], key: str, place: str) -> int:
        found = values.get(key)
        if not isinstance(found, int) or isinstance(found, bool):
            raise self.wrong(place, f"{key} is no whole number")
        return found

    def word(self, values: Mapping[str, Any], key: str, place: str, known: tuple[str, ...]) -> str:
        found = self.text(values, key, place)
        if found not in known:
            raise self.wrong(place, f"{key} is {found!r}, not one of {', '.join(known)}")
        return found

    def version(self, values: Mapping[str, Any], place: str) -> int:
        found = self.number(values, "version", place)
        if not 1 <= found < 1 << 31:
            raise self.wrong(place, f"there is no version {found}")
        return found

    def object(self, values: Any, place: str) -> Mapping[str, Any]:
        if not isinstance(values, dict):
            raise self.wrong(place, "expected an object")
        return values

    def decision(self, values: Any, place: str) -> Decision:
        one = self.object(values, place)
        added = {
            self.number(self.object(item, place), "place", place): self.form(item, f"{place}.added[{n}]")
            for n, item in enumerate(self.items(one, "added", place))
        }
        intermediates = self.items(one, "intermediates", place)
        return Decision(
            self.number(one, "subgraph", place),
            self.number(one, "operator", place),
            self.text(one, "opcode", place),
            self.text(one, "name", place),
            self.word(one, "becomes", place, BECOMES),
            self.text(one, "because", place),
            added,
            tuple(self.form(item, f"{place}.intermediates[{n}]") for n, item in enumerate(intermediates)),
            self.version(one, place),
        )

    def change(self, values: Any, place: str) -> ConstantChange:
        one = self.object(values, place)
        try:
            numbers = np.array(self.items(one, "values", place), np.float64).reshape(-1)
        except (TypeError, ValueError, OverflowError) as error:
            raise self.wrong(place, f"values hold numbers: {error}") from error
        if not np.isfinite(numbers).all() or not isinstance(one.get("multiplies"), bool):
            raise self.wrong(place, "needs finite values, and multiplies true or false")
        subgraph, tensor, axis = (self.number(one, key, place) for key in ("subgraph", "tensor", "axis"))
        return ConstantChange(subgraph, tensor, one["multiplies"], axis, numbers)

    def tensor(self, values: Any, place: str) -> TensorQuantParams:
        one = self.object(values, place)
        subgraph = self.number(one, "subgraph", place)
        forms = [
            self.form(item, f"{place}.forms[{n}]") for n, item in enumerate(self.items(one, "forms", place))
        ]
        read: dict[TensorUse, QuantParams | None] = {}
        for n, item in enumerate(self.items(one, "read", place)):
            at = f"{place}.read[{n}]"
            where = self.object(item, at)
            port = TensorUse(
                subgraph, self.number(where, "operator", at), "input", self.number(where, "place", at)
            )
            read[port] = self.chosen(where.get("form"), forms, at)
        return TensorQuantParams(
            subgraph,
            self.number(one, "tensor", place),
            self.text(one, "name", place),
            self.chosen(one.get("written"), forms, place),
            read,
        )

    def chosen(self, number: Any, forms: list[QuantParams], place: str) -> QuantParams | None:
        if number is None:
            return None
        if type(number) is not int or not 0 <= number < len(forms):
            raise self.wrong(place, f"there is no form {number!r}, the tensor has {len(forms)}")
        return forms[number]

    def form(self, values: Any, place: str) -> QuantParams:
        one = self.object(values, place)
        dtype = self.text(one, "dtype", place)
        if dtype not in _TYPES:
            raise self.wrong(place, f"dtype {dtype!r} is not one of {', '.join(_TYPES)}")
        try:
            with np.errstate(over="ignore"):
                scale = np.array(self.items(one, "scale", place), np.float32).reshape(-1)
            zeros = self.items(one, "zero_point", place)
            if not all(type(zero) is int and abs(zero) < 1 << 31 for zero in zeros):
                raise ValueError("a zero point is a whole number of 32 bits")
            zero_point = np.array(zeros, np.int64).reshape(-1)
            low, high = map(float, one.get("range", (0.0, 0.0)))
        except (TypeError, ValueError, OverflowError) as error:
            raise self.wrong(place, f"scale, zero_point and range hold numbers: {error}") from error
        axis = self.number(one, "axis", place) if "axis" in one else 0
        form = QuantParams(
            dtype, scale, zero_point, axis, low, high,
            tuple(map(str, self.items(one, "rules", place))), self.text(one, "because", place),
        )  # fmt: skip
        if mistake := error_in(form):
            raise self.wrong(place, mistake)
        return form
