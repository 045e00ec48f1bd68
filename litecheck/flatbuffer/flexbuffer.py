"""Flexbuffers, the format of custom options: numbers in a map. Source: flatbuffers, docs/flexbuffers."""

from __future__ import annotations

import struct
from collections.abc import Iterator

Scalar = bool | int | float
#: Upper six bits of a type byte: a number that is stored in place, or a number at an offset (indirect).
_SIGNED, _UNSIGNED, _FLOAT, _BOOL, _MAP = 1, 2, 3, 26, 9
_INDIRECT = {6: _SIGNED, 7: _UNSIGNED, 8: _FLOAT}
_FORMATS = {
    _SIGNED: {1: "<b", 2: "<h", 4: "<i", 8: "<q"},
    _UNSIGNED: {1: "<B", 2: "<H", 4: "<I", 8: "<Q"},
    _BOOL: {1: "<B", 2: "<H", 4: "<I", 8: "<Q"},
    _FLOAT: {2: "<e", 4: "<f", 8: "<d"},
}


class FlexbufferError(ValueError):
    """Error for bytes that are not a flexbuffer of a map; the message names the byte."""


def read_map(data: bytes) -> dict[str, Scalar]:
    """Return the entries of a map that are numbers or bools; strings, lists, blobs and null are left out.

    Raises FlexbufferError for bytes that are not a map and for offsets outside the bytes.
    """
    if len(data) < 3:
        raise FlexbufferError(f"{len(data)} bytes hold no flexbuffer")
    width, packed = data[-1], data[-2]
    if packed >> 2 != _MAP or width not in (1, 2, 4, 8):
        raise FlexbufferError(f"the root is of type {packed >> 2} and {width} bytes, not a map")
    at = _offset(data, len(data) - 2 - width, width)
    return dict(_entries(data, at, 1 << (packed & 3)))


def _entries(data: bytes, at: int, width: int) -> Iterator[tuple[str, Scalar]]:
    """Yield the numbers of a map. The count, the width of the keys and the offset of the keys precede the values."""
    count = _unsigned(data, at - width, width)
    if count > len(data):
        raise FlexbufferError(f"byte {at}: {count} entries do not fit into {len(data)} bytes")
    key_width = _unsigned(data, at - 2 * width, width)
    if key_width not in (1, 2, 4, 8):
        raise FlexbufferError(f"byte {at}: keys of {key_width} bytes")
    keys = _offset(data, at - 3 * width, width)
    for number in range(count):
        packed = _unsigned(data, at + count * width + number, 1)
        place, kind, size = at + number * width, packed >> 2, width
        if kind in _INDIRECT:
            place, kind, size = _offset(data, place, width), _INDIRECT[kind], 1 << (packed & 3)
        if kind in _FORMATS:
            key = _text(data, _offset(data, keys + number * key_width, key_width))
            value = _number(data, place, size, _FORMATS[kind])
            yield key, bool(value) if kind == _BOOL else value


def _number(data: bytes, at: int, width: int, formats: dict[int, str]) -> int | float:
    if at < 0 or at + width > len(data) or width not in formats:
        raise FlexbufferError(f"byte {at}: no room for {width} bytes of a number")
    (found,) = struct.unpack_from(formats[width], data, at)
    made: int | float = found
    return made


def _unsigned(data: bytes, at: int, width: int) -> int:
    return int(_number(data, at, width, _FORMATS[_UNSIGNED]))


def _offset(data: bytes, at: int, width: int) -> int:
    """Return the target of an offset, which counts backwards from its own position."""
    found = at - _unsigned(data, at, width)
    if not 0 <= found < len(data):
        raise FlexbufferError(f"byte {at}: an offset that leads outside, to byte {found}")
    return found


def _text(data: bytes, at: int) -> str:
    end = data.find(b"\0", at)
    if end < 0:
        raise FlexbufferError(f"byte {at}: a key without an end")
    return data[at:end].decode("utf-8", "replace")
