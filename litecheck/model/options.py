"""Options of an operator as plain values, for people and for JSON."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from litecheck.flatbuffer.schema import load_schema
from litecheck.flatbuffer.table import Table
from litecheck.model.types import Operator


def options_of(op: Operator) -> dict[str, Any]:
    """Return an operator's builtin options by name, with defaults, and with enum members by name."""
    if op.options is None:
        return {}
    schema = load_schema("tflite")
    values = {}
    for field in schema.tables.get(op.options.type, ()):
        default = field.default if field.kind == "scalar" else None
        value = plain(op.options.get(field.name, default))
        name = schema.enum_name(field.enum, value) if field.enum and isinstance(value, int) else None
        values[field.name] = bool(value) if field.type == "bool" and value is not None else name or value
    return values


def unset_types(op: Operator) -> frozenset[str]:
    """Return the options that contain a type and are absent in the file. Example: quantized_bias_type."""
    if op.options is None:
        return frozenset()
    fields = load_schema("tflite").tables.get(op.options.type, ())
    return frozenset(f.name for f in fields if f.enum == "TensorType" and f.name not in op.options)


def plain(value: Any) -> Any:
    """Return a value for JSON: arrays become lists; infinities and NaN become their names."""
    if isinstance(value, Table):
        return {name: plain(value.get(name)) for name in value}
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value


def option_text(value: Any) -> str:
    """Return an option's value as text, floats in the shortest form with the same float32. Example: 0.01."""
    return str(np.float32(value)) if isinstance(value, (float, np.floating)) else str(value)
