"""One table of a flatbuffer as a value: its type, its fields, and its content beyond litecheck's schema."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Union

import numpy as np
from numpy.typing import NDArray

#: A field's value: a number, a string, a numpy vector of numbers, a table, or a tuple of tables or strings.
Value = Union[bool, int, float, str, NDArray[Any], "Table", "tuple[Table | str, ...]"]

_EMPTY: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class UnknownField:
    """A field of a newer schema: its slot and its inline bytes, and whether those may be an offset."""

    slot: int
    data: bytes
    maybe_offset: bool


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """A table's fields by name; what the file leaves out is absent here, so defaults stay defaults.

    Enum fields hold their integer. ``offset`` is the table's byte in the file it was read from, or -1.
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
        """Return True for equal types and fields; vectors are compared by value, floats by bits, offsets not at all."""
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
