"""Deterministic mutator of model files: the same seeds and number always give the same bytes.

Most mutations are aimed with the schema (:mod:`tests.fuzz.atlas`), so that a reader reads the damaged place: an offset,
a vtable, a length, an index, a type, a scale. The remaining mutations rewrite the tree of tables, which gives files of
valid structure and wrong content, share vectors, or damage the container of the models.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

from tests.fuzz.atlas import Atlas, Seed, follow, vector
from tests.fuzz.bombs import bomb
from tests.fuzz.bundles import damage_bundle
from tests.fuzz.edges import element, integer
from tests.fuzz.trees import rewritten


@dataclass(frozen=True, slots=True)
class Mutant:
    """Damaged file: its seed, the mutation, and the bytes."""

    number: int
    seed: str
    operator: str
    content: bytes


#: Function that damages bytes without changing the file's size; it returns False if nothing can be damaged.
InPlace = Callable[[Random, bytearray, Atlas], bool]


def mutant(seeds: Sequence[Seed], seed: int, number: int) -> Mutant:
    """Return the mutant of this number in the sequence of ``seed``."""
    rng = Random(f"litecheck {seed} {number}")
    source = rng.choice(seeds)
    kind = rng.choices(("in place", "resized", "tree", "bomb"), (60, 12, 24, 4))[0]
    if kind == "tree":
        return Mutant(number, source.name, "tree", rewritten(rng, source))
    if kind == "bomb":
        name, content = bomb(rng)
        return Mutant(number, "-", f"bomb {name}", content)
    data = bytearray(source.content)
    if kind == "resized":
        operator = rng.choice(RESIZING)
        operator(rng, data)
        return Mutant(number, source.name, operator.__name__, bytes(data))
    names: list[str] = []
    wanted = rng.choice((1, 1, 1, 2, 3))
    while len(names) < wanted:
        change = rng.choices(OPERATORS, WEIGHTS)[0]
        if change(rng, data, rng.choice(source.atlases)):
            names.append(change.__name__)
    return Mutant(number, source.name, "+".join(names), bytes(data))


def flip_bits(rng: Random, data: bytearray, atlas: Atlas) -> bool:
    """Flip a few bits, anywhere or close to a table."""
    for _ in range(rng.choice((1, 1, 2, 8))):
        data[_somewhere(rng, data, atlas)] ^= 1 << rng.randrange(8)
    return True


def overwrite(rng: Random, data: bytearray, atlas: Atlas) -> bool:
    """Overwrite a byte or word by a value at the limit of its range, or by random bytes."""
    width = rng.choice((1, 2, 4, 8))
    at = _somewhere(rng, data, atlas) // width * width
    if at + width > len(data):
        return False
    data[at : at + width] = integer(rng, width, (*atlas.counts, atlas.size))
    return True


def _somewhere(rng: Random, data: bytearray, atlas: Atlas) -> int:
    if rng.random() < 0.3:
        return rng.randrange(len(data))
    return min(max(atlas.table(rng) + rng.randrange(-16, 32), 0), len(data) - 1)


def redirect_offset(rng: Random, data: bytearray, atlas: Atlas) -> bool:
    """Redirect an offset: to itself, to the end, beyond it, backwards, to a different table, or by a few bytes."""
    at = _offset(rng, data, atlas)
    if at is None:
        return False
    target = follow(data, at)
    other = _offset(rng, data, atlas) or at
    new = rng.choice(
        (
            at, target + 1, target + 2, target + 4, target - 4, target + 4 * rng.randrange(-64, 64),
            len(data), len(data) - 4, len(data) - 3, len(data) - 8, at - 4, atlas.start, at + 2**31,
            at + 2**32 - 1, atlas.table(rng), follow(data, other), atlas.start + 4, rng.randrange(len(data) + 8),
        )
    )  # fmt: skip
    struct.pack_into("<I", data, at, (new - at) % 2**32)
    return True


def _offset(rng: Random, data: bytearray, atlas: Atlas) -> int | None:
    """Return the place of an offset: of a field, of an element of a vector, or of the root."""
    if rng.random() < 0.02:
        return atlas.start
    found = atlas.field(rng, "string", "table", "tables", "union", "scalars")
    if found is None:
        return None
    column, at = found
    if column.field.kind == "tables" and rng.random() < 0.6:
        place, length = vector(data, at)
        if length and place + 4 + 4 * length <= len(data):
            return place + 4 + 4 * rng.randrange(length)
    return at


def change_vtable(rng: Random, data: bytearray, atlas: Atlas) -> bool:
    """Change the offset of a vtable, its size, its table's size, or the place of a single field."""
    at = atlas.table(rng)
    vtable = at - struct.unpack_from("<i", data, at)[0]
    if not 0 <= vtable <= len(data) - 4 or rng.random() < 0.2:
        value = rng.choice(
            (0, -1, 1, 2, at, -at, at - 2, 4 - len(data), 2**31 - 1, -(2**31), rng.randrange(999))
        )
        struct.pack_into("<i", data, at, value)
        return True
    size = int(struct.unpack_from("<H", data, vtable)[0])
    slot = rng.choice((0, 1, rng.randrange(2, max(size // 2, 3)), rng.randrange(2, max(size // 2, 3))))
    place = vtable + 2 * slot
    if place + 2 > len(data):
        return False
    old = int(struct.unpack_from("<H", data, place)[0])
    value = rng.choice(
        (0, 1, 2, 3, 4, 5, 6, 8, 12, 0x7FFF, 0xFFFE, 0xFFFF, old + 1, old + 2, old + 4, abs(old - 2))
    )
    struct.pack_into("<H", data, place, value & 0xFFFF)
    return True


def change_length(rng: Random, data: bytearray, atlas: Atlas) -> bool:
    """Change a vector's or string's length: 0, larger or smaller by 1, slightly or far too large."""
    found = atlas.field(rng, "string", "tables", "scalars")
    if found is None:
        return False
    column, at = found
    place, length = vector(data, at)
    if place < 0:
        return False
    rest = (len(data) - place - 4) // column.field.width
    new = rng.choice(
        (0, 1, length + 1, max(length - 1, 0), length + 2, 2 * length, 1000, rest, rest + 1, 2**16, 2**30,
         2**31 - 1, 2**31, 2**32 - 1, rng.randrange(rest + 2))
    )  # fmt: skip
    struct.pack_into("<I", data, place, new)
    return True


def share(rng: Random, data: bytearray, atlas: Atlas) -> bool:
    """Redirect many offsets to a single place: elements of a vector, or one field of many tables."""
    found = atlas.field(rng, "table", "tables", "string", "union", "scalars")
    if found is None:
        return False
    column, at = found
    places = [int(p) for p in column.at[:2000]]
    if column.field.kind == "tables" and rng.random() < 0.5:
        place, length = vector(data, at)
        if place < 0 or place + 4 + 4 * length > len(data):
            return False
        places = [place + 4 + 4 * i for i in range(min(length, 2000))]
    if not places:
        return False
    target = max(follow(data, p) for p in places) if rng.random() < 0.7 else follow(data, rng.choice(places))
    for p in places:
        if 0 < target - p < 2**32 and rng.random() < 0.9:
            struct.pack_into("<I", data, p, target - p)
    return True


def change_scalar(rng: Random, data: bytearray, atlas: Atlas) -> bool:
    """Change a number inside a table: an index, an enum, a union's type, an offset outside the flatbuffer."""
    found = atlas.field(rng, "scalar")
    if found is None:
        return False
    column, at = found
    value = element(rng, column.field.type, (*atlas.counts, atlas.size))
    data[at : at + len(value)] = value
    return True


def change_element(rng: Random, data: bytearray, atlas: Atlas) -> bool:
    """Change elements of a vector of numbers: shapes, indices of tensors, scales, zero points."""
    found = atlas.field(rng, "scalars")
    if found is None:
        return False
    column, at = found
    place, length = vector(data, at)
    width = column.field.width
    if not length or place + 4 + width * length > len(data):
        return False
    for _ in range(rng.choice((1, 1, 2, 4))):
        begin = place + 4 + width * rng.randrange(length)
        data[begin : begin + width] = element(rng, column.field.type, (*atlas.counts, atlas.size))
    return True


def damage_around(rng: Random, data: bytearray, atlas: Atlas) -> bool:
    """Damage the container of the models; return False for a plain model."""
    return damage_bundle(rng, data)


def truncate(rng: Random, data: bytearray) -> None:
    """Cut the end off."""
    del data[rng.choice((rng.randrange(64), rng.randrange(len(data)), len(data) - rng.randrange(1, 32))) :]


def insert_block(rng: Random, data: bytearray) -> None:
    """Insert bytes, which shifts the rest of the file."""
    block = rng.choice((b"\0", b"\xff" * 4, b"\0" * 16, rng.randbytes(rng.randrange(1, 64)), b"PK\x05\x06"))
    at = rng.choice((rng.randrange(len(data)), rng.randrange(min(len(data), 256)), len(data)))
    data[at:at] = block


def delete_block(rng: Random, data: bytearray) -> None:
    """Delete some bytes."""
    at = rng.choice((rng.randrange(len(data)), rng.randrange(min(len(data), 256))))
    del data[at : at + rng.choice((1, 2, 4, 8, 16, 64, 4096))]


def move_block(rng: Random, data: bytearray) -> None:
    """Copy some bytes over a different place."""
    size = rng.choice((4, 8, 16, 64, 256))
    source, target = rng.randrange(len(data)), rng.randrange(len(data))
    block = data[source : source + size]
    data[target : target + len(block)] = block


def append_directory(rng: Random, data: bytearray) -> None:
    """Append a zip directory to the model, valid or not."""
    data += b"PK\x05\x06" + rng.randbytes(rng.randrange(30)) + b"PK\x01\x02" * rng.randrange(3)


OPERATORS: tuple[InPlace, ...] = (
    flip_bits, overwrite, redirect_offset, change_vtable, change_length, share, change_scalar, change_element,
    damage_around,
)  # fmt: skip
WEIGHTS = (8, 8, 20, 14, 14, 8, 24, 20, 6)
RESIZING: tuple[Callable[[Random, bytearray], None], ...] = (
    truncate, insert_block, delete_block, move_block, append_directory,
)  # fmt: skip
