"""Files have the bytes of flatbuffers' own builder."""

from __future__ import annotations

import flatbuffers
import numpy as np
import pytest

from litecheck.flatbuffer.flatbuffer_builder import FlatbufferBuilder, packed

TEXTS = ("", "a", "abc", "abcdefg")


def by_flatbuffers(identifier: bytes) -> bytes:
    """A root with an int16 in slot 2 and references to a string, to bytes and to a table for each text."""
    theirs = flatbuffers.Builder(0)
    theirs.ForceDefaults(True)
    tables = []
    for number, text in enumerate(TEXTS):
        name = theirs.CreateString(text)
        theirs.StartObject(3)
        theirs.PrependInt64Slot(1, number - 2, 0)
        theirs.PrependUOffsetTRelativeSlot(0, name, 0)
        tables.append(theirs.EndObject())
    theirs.StartVector(4, len(tables), 4)
    for table in reversed(tables):
        theirs.PrependUOffsetTRelative(table)
    several = theirs.EndVector()
    theirs.Prep(16, 5)
    data = theirs.CreateNumpyVector(np.arange(5, dtype=np.uint8))
    theirs.StartObject(9)
    theirs.PrependUOffsetTRelativeSlot(3, several, 0)
    theirs.PrependUOffsetTRelativeSlot(0, data, 0)
    theirs.PrependInt16Slot(2, -3, 0)
    theirs.Finish(theirs.EndObject(), identifier or None)
    return bytes(theirs.Output())


@pytest.mark.parametrize("identifier", [b"", b"TFL3"])
def test_bytes_are_those_of_flatbuffers(identifier: bytes) -> None:
    ours = FlatbufferBuilder()
    tables = []
    for number, text in enumerate(TEXTS):
        name = ours.string(text.encode())
        tables.append(ours.table([(1, packed("int64", number - 2)), (0, name)]))
    several = ours.references(tables)
    data = ours.vector(bytes(range(5)), 5, 16)
    ours.finish(ours.table([(3, several), (0, data), (2, packed("int16", -3))]), identifier)
    assert ours.content() == by_flatbuffers(identifier)
    assert ours.size == len(ours.content())


@pytest.mark.parametrize(
    ("kind", "value", "wanted"),
    [("bool", True, "01"), ("int16", -2, "feff"), ("float32", 1, "0000803f"), ("uint64", 1, "01" + "00" * 7)],
)
def test_scalars_are_little_endian(kind: str, value: object, wanted: str) -> None:
    assert packed(kind, value).hex() == wanted


@pytest.mark.parametrize(
    ("kind", "value"), [("int8", 128), ("uint8", -1), ("int32", None), ("float32", 1e39), ("bool", "x")]
)
def test_a_value_that_its_type_cannot_hold_is_named(kind: str, value: object) -> None:
    with pytest.raises(ValueError, match="cannot hold its value"):
        packed(kind, value)
