"""Reading of a conversion plan from plain values: every value is checked, and errors name the location."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from litecheck.conversion import conversion_plan as plans
from litecheck.conversion.binding import TensorUse
from litecheck.conversion.conversion_plan import (
    ConstantChange,
    Decision,
    QuantParams,
    TensorQuantParams,
    error_in,
)
from litecheck.conversion.request import REAL
from litecheck.errors import ConfigError
from litecheck.quantization import INTEGER_RANGES
from litecheck.spelling import suggestion

#: Possible decisions about an operator.
BECOMES = ("int8", "int16", "uint8", "hybrid", "weight-only", "float16", "float32", plans.UNTOUCHED)
_TYPES = (*INTEGER_RANGES, "float16")
#: Keys of the plan and of its parts.
PLAN_KEYS = (
    "litecheck_plan", "source", "profile", "to", "generation", "notes", "operators", "tensors", "changes",
)  # fmt: skip
_OPERATOR = (
    "subgraph", "operator", "opcode", "name", "becomes", "version", "because", "added", "intermediates",
)  # fmt: skip
_FORM = ("dtype", "scale", "zero_point", "axis", "range", "rules", "because", "block_size", "dequantized")
_ADDED = ("place", *_FORM)
_TENSOR = ("subgraph", "tensor", "name", "forms", "written", "read")
_READ = ("operator", "place", "form")
_CHANGE = ("subgraph", "tensor", "multiplies", "axis", "values")


class PlanReader:
    """Reader of a plan. Errors name the file and the location."""

    def __init__(self, file: str) -> None:
        self.file = file

    def error(self, place: str, message: str) -> ConfigError:
        return ConfigError(f"{self.file}: {place}: {message}")

    def text(self, values: Mapping[str, Any], key: str, place: str) -> str:
        found = values.get(key, "")
        if not isinstance(found, str):
            raise self.error(place, f"{key} is not text")
        return found

    def items(self, values: Mapping[str, Any], key: str, place: str) -> list[Any]:
        found = values.get(key, [])
        if not isinstance(found, list):
            raise self.error(place, f"{key} is not a list")
        return found

    def number(self, values: Mapping[str, Any], key: str, place: str) -> int:
        found = values.get(key)
        if not isinstance(found, int) or isinstance(found, bool):
            raise self.error(place, f"{key} is not a whole number")
        return found

    def word(self, values: Mapping[str, Any], key: str, place: str, known: tuple[str, ...]) -> str:
        found = self.text(values, key, place)
        if found not in known:
            raise self.error(place, f"{key} is {found!r}, not one of {', '.join(known)}")
        return found

    def version(self, values: Mapping[str, Any], place: str) -> int:
        found = self.number(values, "version", place)
        if not 1 <= found < 1 << 31:
            raise self.error(place, f"there is no version {found}")
        return found

    def object(self, values: Any, place: str, known: tuple[str, ...]) -> Mapping[str, Any]:
        if not isinstance(values, dict):
            raise self.error(place, "expected an object")
        odd = next((key for key in values if key not in known), None)
        if odd is not None:
            hint = suggestion(odd, known)
            raise self.error(place, f"unknown key {odd!r}{hint}")
        return values

    def decision(self, values: Any, place: str) -> Decision:
        one = self.object(values, place, _OPERATOR)
        added = {
            self.number(self.object(item, place, _ADDED), "place", place): self.form(
                item, f"{place}.added[{n}]", _ADDED
            )
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
            tuple(
                self.form(item, f"{place}.intermediates[{n}]", types=(*_TYPES, REAL))
                for n, item in enumerate(intermediates)
            ),
            self.version(one, place),
        )

    def change(self, values: Any, place: str) -> ConstantChange:
        one = self.object(values, place, _CHANGE)
        try:
            numbers = np.array(self.items(one, "values", place), np.float64).reshape(-1)
        except (TypeError, ValueError, OverflowError) as error:
            raise self.error(place, f"values hold numbers: {error}") from error
        if not np.isfinite(numbers).all() or not isinstance(one.get("multiplies"), bool):
            raise self.error(place, "needs finite values, and multiplies true or false")
        subgraph, tensor, axis = (self.number(one, key, place) for key in ("subgraph", "tensor", "axis"))
        return ConstantChange(subgraph, tensor, one["multiplies"], axis, numbers)

    def tensor(self, values: Any, place: str) -> TensorQuantParams:
        one = self.object(values, place, _TENSOR)
        subgraph = self.number(one, "subgraph", place)
        forms = [
            self.form(item, f"{place}.forms[{n}]") for n, item in enumerate(self.items(one, "forms", place))
        ]
        read: dict[TensorUse, QuantParams | None] = {}
        for n, item in enumerate(self.items(one, "read", place)):
            at = f"{place}.read[{n}]"
            where = self.object(item, at, _READ)
            port = TensorUse(
                subgraph, self.number(where, "operator", at), "input", self.number(where, "place", at)
            )
            read[port] = self.choose_form(where.get("form"), forms, at)
        return TensorQuantParams(
            subgraph,
            self.number(one, "tensor", place),
            self.text(one, "name", place),
            self.choose_form(one.get("written"), forms, place),
            read,
        )

    def choose_form(self, number: Any, forms: list[QuantParams], place: str) -> QuantParams | None:
        if number is None:
            return None
        if type(number) is not int or not 0 <= number < len(forms):
            raise self.error(place, f"there is no form {number!r}, the tensor has {len(forms)}")
        return forms[number]

    def form(
        self, values: Any, place: str, known: tuple[str, ...] = _FORM, types: tuple[str, ...] = _TYPES
    ) -> QuantParams:
        one = self.object(values, place, known)
        dtype = self.text(one, "dtype", place)
        if dtype not in types:
            raise self.error(place, f"dtype {dtype!r} is not one of {', '.join(types)}")
        try:
            with np.errstate(over="ignore"):
                scale = np.array(self.items(one, "scale", place), np.float32).reshape(-1)
            zeros = self.items(one, "zero_point", place)
            if not all(type(zero) is int and abs(zero) < 1 << 31 for zero in zeros):
                raise ValueError("a zero point is a whole number of 32 bits")
            zero_point = np.array(zeros, np.int64).reshape(-1)
            low, high = map(float, one.get("range", (0.0, 0.0)))
        except (TypeError, ValueError, OverflowError) as error:
            raise self.error(place, f"scale, zero_point and range hold numbers: {error}") from error
        axis = self.number(one, "axis", place) if "axis" in one else 0
        form = QuantParams(
            dtype, scale, zero_point, axis, low, high,
            tuple(map(str, self.items(one, "rules", place))), self.text(one, "because", place),
            self.number(one, "block_size", place) if "block_size" in one else 0, one.get("dequantized") is True,
        )  # fmt: skip
        if mistake := error_in(form):
            raise self.error(place, mistake)
        return form
