"""Builder of flatbuffers, which grow from the end of the file towards its start. An offset counts bytes from the end."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from typing import Any

_FORMATS = {
    "bool": "B", "int8": "b", "uint8": "B", "int16": "h", "uint16": "H", "int32": "i", "uint32": "I",
    "int64": "q", "uint64": "Q", "float32": "f", "float64": "d",
}  # fmt: skip
_PACKERS = {name: struct.Struct(f"<{letter}") for name, letter in _FORMATS.items()}
_OFFSET, _SIGNED = _PACKERS["uint32"], _PACKERS["int32"]


def packed(kind: str, value: Any) -> bytes:
    """Return the bytes of a scalar. Raises ValueError for a value that its type cannot hold."""
    try:
        number = float(value) if kind.startswith("float") else int(value)
        return _PACKERS[kind].pack(number)
    except (TypeError, ValueError, OverflowError, struct.error) as error:
        raise ValueError(f"cannot hold its value: {error}") from error


class FlatbufferBuilder:
    """Parts of a flatbuffer, the last part of the file first; with the layout of flatbuffers' own Builder."""

    def __init__(self) -> None:
        self.size = 0
        self._parts: list[bytes | memoryview] = []
        self._widest = 1
        self._tables: dict[bytes, int] = {}

    def content(self) -> bytes:
        """Return the file."""
        return b"".join(reversed(self._parts))

    def vector(self, data: bytes | memoryview, count: int, align: int = 4) -> int:
        """Add a vector of ``count`` elements, and return its offset."""
        self._align(align, len(data))
        self._put(data)
        return self._put(_OFFSET.pack(count))

    def string(self, text: bytes) -> int:
        """Add a string, which a zero ends, and return its offset."""
        self._align(4, len(text) + 1)
        self._put(text + b"\0")
        return self._put(_OFFSET.pack(len(text)))

    def references(self, offsets: Sequence[int]) -> int:
        """Add a vector of references to earlier parts, and return its offset."""
        self._align(4, 4 * len(offsets))
        end = self.size + 4 * len(offsets)
        distances = [end - 4 * n - offset for n, offset in enumerate(offsets)]
        return self.vector(struct.pack(f"<{len(offsets)}I", *distances), len(offsets))

    def table(self, fields: Iterable[tuple[int, bytes | int]]) -> int:
        """Add a table of (slot, scalar's bytes or offset of an earlier part) in this order, and return its offset.

        Tables with equal layouts share one description of their slots.
        """
        start, places = self.size, dict[int, int]()
        for slot, value in fields:
            if isinstance(value, int):
                self._align(4)
                value = _OFFSET.pack(self.size + 4 - value)
            else:
                self._align(len(value))
            places[slot] = self._put(value)
        self._align(4)
        end = self.size + 4
        slots = [end - places[slot] if slot in places else 0 for slot in range(max(places, default=-1) + 1)]
        layout = struct.pack(f"<{len(slots) + 2}H", 2 * len(slots) + 4, end - start, *slots)
        known = self._tables.get(layout)
        self._put(_SIGNED.pack(len(layout) if known is None else known - end))
        if known is None:
            self._tables[layout] = self._put(layout)
        return end

    def finish(self, root: int, identifier: bytes) -> None:
        """Add the reference to the root table, and the file identifier (4 bytes, or none)."""
        self._align(self._widest, 4 + len(identifier))
        self._put(identifier)
        self._put(_OFFSET.pack(self.size + 4 - root))

    def _put(self, data: bytes | memoryview) -> int:
        self._parts.append(data)
        self.size += len(data)
        return self.size

    def _align(self, width: int, following: int = 0) -> None:
        """Pad such that the part that ends ``following`` bytes later begins at a multiple of ``width``."""
        self._widest = max(self._widest, width)
        if padding := -(self.size + following) % width:
            self._put(bytes(padding))
