"""Maps as the flatbuffers package writes them, of every width, and bytes that are none."""

from __future__ import annotations

import pytest
from flatbuffers import flexbuffers

from litecheck.flatbuffer.flexbuffer import FlexbufferError, read_map

ENTRIES = {
    "small": 3, "negative": -70_000, "long": 2**40, "unsigned": 200, "half": 0.5, "tenth": 0.1, "yes": True, "no": False,
}  # fmt: skip


def written(entries: dict[str, object], more: bool = False) -> bytes:
    builder = flexbuffers.Builder()
    with builder.Map():
        for name, value in entries.items():
            builder.Key(name)
            builder.Add(value)
        if more:
            builder.Key("text")
            builder.String("not a number")
            builder.Key("list")
            builder.VectorFromElements([1, 2, 3])
            builder.Key("null")
            builder.Null()
            builder.Key("indirect")
            builder.IndirectFloat(0.25)
    return bytes(builder.Finish())


def test_numbers_come_back():
    assert read_map(written(ENTRIES)) == ENTRIES


@pytest.mark.parametrize("name", ENTRIES)
def test_every_width_comes_back(name):
    assert read_map(written({name: ENTRIES[name]})) == {name: ENTRIES[name]}
    assert type(read_map(written({name: ENTRIES[name]}))[name]) is type(ENTRIES[name])


def test_values_that_are_no_numbers_are_omitted():
    assert read_map(written(ENTRIES, more=True)) == {**ENTRIES, "indirect": 0.25}


def test_an_empty_map():
    assert read_map(written({})) == {}


@pytest.mark.parametrize(
    "data", [b"", b"\0", b"abcdef", bytes([3, 4, 1]), bytes([9, 36, 1]), bytes([200, 36, 1])]
)
def test_bytes_that_are_no_map_are_an_error(data):
    with pytest.raises(FlexbufferError):
        read_map(data)


def test_damage_never_ends_otherwise():
    whole = written(ENTRIES, more=True)
    for at in range(len(whole)):
        for byte in (0, 1, 37, 127, 255):
            damaged = whole[:at] + bytes([byte]) + whole[at + 1 :]
            try:
                assert isinstance(read_map(damaged), dict)
            except FlexbufferError:
                continue
