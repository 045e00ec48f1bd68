"""Table of a flatbuffer as a value: type, fields, and content beyond litecheck's schema."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Union

import numpy as np
from numpy.typing import NDArray

#: Value of a field: a number, a string, a numpy vector of numbers, a table, or a tuple of tables or strings.
Value = Union[bool, int, float, str, NDArray[Any], "Table", "tuple[Table | str, ...]"]

_EMPTY: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class UnknownField:
    """Field of a newer schema: slot, inline bytes, and whether the bytes may be an offset."""

    slot: int
    data: bytes
    maybe_offset: bool


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """Fields of a table by name. Fields that are absent in the file are absent here, without their defaults.

    Enum fields hold their integer. ``offset`` is the position of the table in the file, in bytes, or -1.
    """

    type: str
    fields: Mapping[str, Value] = field(default_factory=lambda: _EMPTY)
    unknown: tuple[UnknownField, ...] = ()
    offset: int = -1

    def get(self, name: str, default: Any = None) -> Any:
        """Return the field's value, or ``default`` if it is absent."""
        return self.fields.get(name, default)

    def __contains__(self, name: str) -> bool:
        return name in self.fields

    def __iter__(self) -> Iterator[str]:
        return iter(self.fields)

    def __eq__(self, other: object) -> bool:
        """Return True for equal types and fields. Vectors are compared by value and floats by bits; offsets are ignored."""
        return (
            isinstance(other, Table)
            and self.type == other.type
            and self.unknown == other.unknown
            and self.fields.keys() == other.fields.keys()
            and all(_same(value, other.fields[name]) for name, value in self.fields.items())
        )

    __hash__ = None  # type: ignore[assignment]


def _same(a: Value, b: Value) -> bool:
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return (
            isinstance(a, np.ndarray)
            and isinstance(b, np.ndarray)
            and a.dtype == b.dtype
            and a.tobytes() == b.tobytes()
        )
    if isinstance(a, float) and isinstance(b, float):
        return bool(np.float64(a).tobytes() == np.float64(b).tobytes())
    return bool(a == b)
