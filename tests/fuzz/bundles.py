"""Damage to the containers of models: the directory of a zip, the header of a LiteRT-LM bundle."""

from __future__ import annotations

import struct
from random import Random

from tests.fuzz.edges import integer

_SIGNATURES = (b"PK\x05\x06", b"PK\x01\x02", b"PK\x03\x04", b"PK\x06\x06", b"PK\x06\x07")
#: (place, width) of the numbers after each signature.
_NUMBERS: dict[bytes, tuple[tuple[int, int], ...]] = {
    b"PK\x05\x06": ((4, 2), (6, 2), (8, 2), (10, 2), (12, 4), (16, 4), (20, 2)),
    b"PK\x01\x02": ((8, 2), (10, 2), (20, 4), (24, 4), (28, 2), (30, 2), (32, 2), (42, 4)),
    b"PK\x03\x04": ((6, 2), (8, 2), (18, 4), (22, 4), (26, 2), (28, 2)),
    b"PK\x06\x06": ((24, 8), (32, 8), (40, 8), (48, 8)),
    b"PK\x06\x07": ((8, 8),),
}


def damage_bundle(rng: Random, data: bytearray) -> bool:
    """Change a number of the container or the start of a member; return False for a file without a container."""
    if data[:8] == b"LITERTLM":
        return _litertlm(rng, data)
    places = [(s, at) for s in _SIGNATURES for at in _all(data, s)]
    if not places:
        return False
    signature, at = rng.choice(places)
    if rng.random() < 0.1:
        data[at + rng.randrange(4)] ^= 1 << rng.randrange(8)
        return True
    if signature == b"PK\x01\x02" and rng.random() < 0.3:
        return _overlap(rng, data)
    place, width = rng.choice(_NUMBERS[signature])
    if at + place + width > len(data):
        return False
    old = int.from_bytes(data[at + place : at + place + width], "little")
    near = ((old + rng.choice((-1, 1, 2, 4, -4))) % (1 << 8 * width)).to_bytes(width, "little")
    data[at + place : at + place + width] = rng.choice((near, integer(rng, width, (len(data), old, at))))
    return True


def _all(data: bytearray, pattern: bytes) -> list[int]:
    found: list[int] = []
    at = data.find(pattern)
    while at >= 0 and len(found) < 50:
        found.append(at)
        at = data.find(pattern, at + 4)
    return found


def _overlap(rng: Random, data: bytearray) -> bool:
    """Make two members refer to the same bytes."""
    entries = _all(data, b"PK\x01\x02")
    first, second = rng.choice(entries), rng.choice(entries)
    if max(first, second) + 46 > len(data):
        return False
    begin = struct.unpack_from("<I", data, second + 42)[0]
    struct.pack_into("<I", data, first + 42, begin)
    return True


def _litertlm(rng: Random, data: bytearray) -> bool:
    """Change the version, the end of the header, or a word of the header's flatbuffer."""
    end = min(int.from_bytes(data[24:32], "little"), len(data) - 8, 4096)
    at, width = rng.choice(((8, 4), (24, 8), (rng.randrange(32, max(end, 33)) // 4 * 4, rng.choice((4, 8)))))
    data[at : at + width] = integer(rng, width, (len(data), end, 16384, 32768))
    return True
