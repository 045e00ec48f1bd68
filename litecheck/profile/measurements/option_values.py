"""What an operator's options table states, as numbers and words.

An option that the file leaves out has the schema's default. Of an operator without options table, or with a table that
has no such option, an option is None: what LiteRT makes of that is judged by ``options_table``.
"""

from __future__ import annotations

from functools import cache
from math import isfinite

from litecheck.flatbuffer.schema import Field, load_schema
from litecheck.profile.measurements.bound import Operands


@cache
def scalar(table: str, name: str) -> Field | None:
    """A number among the fields of an options table."""
    fields = load_schema().tables.get(table, ())
    return next((field for field in fields if field.name == name and field.kind == "scalar"), None)


def number(operands: Operands, name: str) -> int | float | None:
    options = operands.operator.options
    field = None if options is None else scalar(options.type, name)
    if options is None or field is None:
        return None
    value = options.fields.get(name, field.default)
    return value if isinstance(value, (int, float)) else None


def integer(operands: Operands, name: str) -> int | None:
    value = number(operands, name)
    return value if type(value) is int else int(value) if value is not None and isfinite(value) else None


def word(operands: Operands, name: str) -> str | None:
    """The name of an option's member, or its number where the schema knows none."""
    value, options = integer(operands, name), operands.operator.options
    return None if value is None or options is None else _member(options.type, name, value)


def _member(table: str, name: str, value: int) -> str | None:
    field = scalar(table, name)
    if field is None or field.enum is None:
        return None
    return load_schema().enum_name(field.enum, value) or str(value)
