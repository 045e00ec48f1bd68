"""Columns, vectors, texts and records of a verified flatbuffer."""

from __future__ import annotations

import numpy as np
import pytest

from litecheck.flatbuffer.schema import load_schema
from litecheck.flatbuffer.table import Table, UnknownField
from litecheck.flatbuffer.tables import Bytes, Tables, known_slots, numpy_type
from litecheck.flatbuffer.verifier import verify
from litecheck.flatbuffer.write import write

TFLITE = load_schema("tflite")


def read(root: Table, start: int = 0) -> Tables:
    tables, problems = verify(TFLITE, Bytes(np.frombuffer(write(root, TFLITE), np.uint8), start))
    assert problems == ()
    return tables


def ints(*values: int) -> np.ndarray:
    return np.array(values, np.int32)


QUANTIZED = Table(
    "QuantizationParameters", {"scale": np.array([0.5, 0.25], np.float32), "quantized_dimension": 3}
)
TENSORS = (
    Table("Tensor", {"shape": ints(2, 3), "name": "first", "type": 9, "quantization": QUANTIZED}),
    Table("Tensor", {"name": "", "buffer": 4, "is_variable": True}),
    Table("Tensor", {"shape": ints(), "type": 9}),
)
ADD = Table("AddOptions", {"fused_activation_function": 1, "pot_scale_int16": False})
OPERATORS = (
    Table("Operator", {"inputs": ints(0, 1), "builtin_options": ADD}),
    Table("Operator", {"inputs": ints(2)}),
    Table("Operator", {"builtin_options": Table("AddOptions", {"fused_activation_function": 3})}),
    Table("Operator", {"builtin_options": Table("AddOptions")}),
)
GRAPHS = (
    Table("SubGraph", {"name": "one", "tensors": TENSORS[:1]}),
    Table("SubGraph", {"name": "two", "tensors": TENSORS[1:], "operators": OPERATORS}),
)
MODEL = Table("Model", {"version": 3, "description": "words", "subgraphs": GRAPHS})


def test_counts() -> None:
    tables = read(MODEL)
    assert [tables.count(name) for name in ("Model", "SubGraph", "Tensor", "Operator", "AddOptions")] == [
        1,
        2,
        3,
        4,
        3,
    ]
    assert tables.count("Buffer") == 0
    assert tables.total() == 14


def row_of(tables: Tables, name: str) -> int:
    return next(row for row in range(tables.count("Tensor")) if tables.text("Tensor", "name", row) == name)


def test_columns_have_defaults() -> None:
    tables = read(MODEL)
    assert tables.column("Model", "version").tolist() == [3]
    first = row_of(tables, "first")
    types, buffers = tables.column("Tensor", "type"), tables.column("Tensor", "buffer")
    assert (types[first], buffers[first]) == (9, 0)
    assert sorted(types.tolist()) == [0, 9, 9]
    assert sorted(buffers.tolist()) == [0, 0, 4]
    assert (types.dtype, buffers.dtype) == (np.dtype("i1"), np.dtype("<u4"))
    assert sorted(tables.has("Tensor", "is_variable").tolist()) == [False, False, True]
    assert tables.has("Tensor", "shape")[first]


def test_vectors_and_texts() -> None:
    tables = read(MODEL)
    first = row_of(tables, "first")
    assert tables.vector("Tensor", "shape", first).tolist() == [2, 3]
    assert sorted(tables.vector("Tensor", "shape", row).size for row in range(3)) == [0, 0, 2]
    assert tables.vector("QuantizationParameters", "scale", 0).tolist() == [0.5, 0.25]
    assert tables.vector("QuantizationParameters", "zero_point", 0).dtype == np.dtype("<i8")
    assert tables.text("Model", "description", 0) == "words"
    assert sorted(tables.text("Tensor", "name", row) for row in range(3)) == ["", "", "first"]


def test_texts_that_are_not_utf_8() -> None:
    content = bytearray(write(MODEL, TFLITE))
    at = content.find(b"words")
    content[at] = 0xFF
    tables, _ = verify(TFLITE, Bytes(np.frombuffer(bytes(content), np.uint8)))
    assert tables.text("Model", "description", 0) == "\\xfford" + "s"


def test_children() -> None:
    tables = read(MODEL)
    graphs = tables.children("Model", "subgraphs", 0)
    assert [tables.text("SubGraph", "name", int(row)) for row in graphs] == ["one", "two"]
    counts = [
        (
            len(tables.children("SubGraph", "tensors", int(row))),
            len(tables.children("SubGraph", "operators", int(row))),
        )
        for row in graphs
    ]
    assert counts == [(1, 0), (2, 4)]
    assert len(tables.children("Model", "buffers", 0)) == 0
    assert tables.refs("Model", "subgraphs").length.tolist() == [2]


@pytest.mark.parametrize("start", [0, 4096])
def test_offsets_count_from_the_start_of_the_file(start: int) -> None:
    tables = read(MODEL, start)
    position = int(tables.rows["Model"].position[0])
    assert tables.offset("Model", 0) == start + position
    at = int(tables.rows["Model"].at["version"][0])
    assert tables.offset("Model", 0, "version") == start + at != start + position
    assert tables.offset("Model", 0, "buffers") == start + position
    assert tables.record("Model", 0).offset == start + position


def test_a_record_is_the_whole_tree() -> None:
    assert read(MODEL).record("Model", 0) == MODEL


def test_a_shallow_record_has_no_tables() -> None:
    found = read(MODEL).record_shallow("Model", 0)
    assert found == Table("Model", {"version": 3, "description": "words"})
    tables = read(MODEL)
    first = row_of(tables, "first")
    assert set(tables.record_shallow("Tensor", first).fields) == {"shape", "name", "type"}


def test_records_of_all_rows_are_the_single_records() -> None:
    tables = read(MODEL)
    for name in ("AddOptions", "Tensor", "QuantizationParameters"):
        single = [tables.record(name, row) for row in range(tables.count(name))]
        together = tables.records(name)
        assert together == single
        assert [one.offset for one in together] == [one.offset for one in single]
        assert [list(map(type, one.fields.values())) for one in together] == [
            list(map(type, one.fields.values())) for one in single
        ]


def test_equal_options_are_held_once() -> None:
    twins = tuple(Table("Operator", {"builtin_options": Table("AddOptions", {"fused_activation_function": 3})})
                  for _ in range(3))  # fmt: skip
    other = Table("Operator", {"builtin_options": Table("AddOptions", {"pot_scale_int16": True})})
    graph = Table("SubGraph", {"operators": (*twins, other)})
    found = read(Table("Model", {"version": 3, "subgraphs": (graph,)})).records("AddOptions")
    same = [one for one in found if "fused_activation_function" in one]
    assert len(same) == 3
    assert all(one.fields is same[0].fields for one in same)
    assert [one.fields for one in found if one not in same] == [{"pot_scale_int16": True}]


def test_a_bool_that_is_neither_0_nor_1_stays_a_number() -> None:
    graph = Table("SubGraph", {"operators": (Table("Operator", {"builtin_options": ADD}),)})
    content = bytearray(write(Table("Model", {"version": 3, "subgraphs": (graph,)}), TFLITE))
    tables, _ = verify(TFLITE, Bytes(np.frombuffer(bytes(content), np.uint8)))
    content[int(tables.rows["AddOptions"].at["pot_scale_int16"][0])] = 2
    tables, _ = verify(TFLITE, Bytes(np.frombuffer(bytes(content), np.uint8)))
    for found in (tables.record("AddOptions", 0), tables.records("AddOptions")[0]):
        assert found.fields["pot_scale_int16"] == 2
        assert not isinstance(found.fields["pot_scale_int16"], bool)


def options_with(*unknown: UnknownField) -> Table:
    """Return the options of an ADD with fields of a newer schema, after writing and reading."""
    table = Table("AddOptions", {"fused_activation_function": 1}, unknown)
    graph = Table("SubGraph", {"operators": (Table("Operator", {"builtin_options": table}),)})
    tables = read(Table("Model", {"version": 3, "subgraphs": (graph,)}))
    found = tables.record("AddOptions", 0)
    assert tables.records("AddOptions") == [found]
    assert tables.unknown("AddOptions", 0) == found.unknown
    return found


def test_fields_of_a_newer_schema() -> None:
    last = max(f.slot for f in TFLITE.tables["AddOptions"])
    assert options_with().unknown == ()
    (found,) = options_with(UnknownField(last + 1, b"\x07\x00\x00\x00", False)).unknown
    assert (found.slot, found.data[:4]) == (last + 1, b"\x07\x00\x00\x00")
    (found,) = options_with(UnknownField(last + 3, bytes(range(1, 9)), False)).unknown
    assert (found.slot, found.data) == (last + 3, bytes(range(1, 9)))


@pytest.mark.parametrize(
    ("data", "maybe"),
    [
        (b"\x04\x00\x00\x00", True),
        (b"\x08\x00\x00\x00", True),
        (b"\x06\x00\x00\x00", False),
        (b"\x00\x00\x00\x00", False),
        (b"\x00\x00\x01\x00", False),
    ],
)
def test_four_bytes_that_may_be_an_offset(data: bytes, maybe: bool) -> None:
    content = np.zeros(64, np.uint8)
    tables = Tables(TFLITE, Bytes(content))
    assert tables._maybe_offset(8, data) is maybe
    assert not tables._maybe_offset(9, data)
    assert not tables._maybe_offset(8, data[:3])


def test_an_offset_may_lead_to_the_last_word() -> None:
    tables = Tables(TFLITE, Bytes(np.zeros(64, np.uint8)))
    assert tables._maybe_offset(8, b"\x34\x00\x00\x00")
    assert not tables._maybe_offset(8, b"\x38\x00\x00\x00")


def test_known_slots() -> None:
    """The type of a union is in the slot before the union."""
    known = known_slots(TFLITE, "Operator")
    union = TFLITE.field("Operator", "builtin_options").slot
    assert known[union - 1]
    assert known[union]
    assert len(known) == 1 + max(f.slot for f in TFLITE.tables["Operator"])
    gap = known_slots(TFLITE, "Model")
    named = {f.slot for f in TFLITE.tables["Model"]}
    assert [at for at, one in enumerate(gap) if not one] == sorted(set(range(len(gap))) - named)
    empty = next(name for name, fields in TFLITE.tables.items() if not fields)
    assert known_slots(TFLITE, empty) == []


@pytest.mark.parametrize(
    ("scalar", "name"),
    [
        ("bool", "u1"), ("int8", "<i1"), ("uint8", "<u1"), ("int16", "<i2"), ("uint16", "<u2"), ("int32", "<i4"),
        ("uint32", "<u4"), ("int64", "<i8"), ("uint64", "<u8"), ("float32", "<f4"), ("float64", "<f8"),
    ],
)  # fmt: skip
def test_types_of_scalars(scalar: str, name: str) -> None:
    assert numpy_type(scalar) == name


def test_bytes() -> None:
    """A last partial element is left out; views are made once."""
    data = Bytes(np.arange(11, dtype=np.uint8), 7)
    assert (data.size, data.start) == (11, 7)
    assert data.view("<u2").tolist() == [0x0100, 0x0302, 0x0504, 0x0706, 0x0908]
    assert len(data.view("<u8")) == 1
    assert data.view("<u2") is data.view("<u2")
    assert data.gather("u1", np.array([3, 10])).tolist() == [3, 10]
    assert data.gather("<u2", np.array([2, 8])).tolist() == [0x0302, 0x0908]
    assert data.gather("<u4", np.array([4])).tolist() == [0x07060504]
    assert data.gather("<i8", np.array([0])).tolist() == [0x0706050403020100]
