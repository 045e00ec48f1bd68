"""Structural verification: each damage has its own code, path and byte, and hostile sharing ends at once."""

from __future__ import annotations

import struct
from collections.abc import Callable

import numpy as np
import pytest

from fixtures.models import conv_int8, fc_int8
from litecheck.errors import Problem
from litecheck.flatbuffer.faults import SHOWN, path_of
from litecheck.flatbuffer.schema import load_schema
from litecheck.flatbuffer.table import Table
from litecheck.flatbuffer.tables import Bytes, Tables
from litecheck.flatbuffer.verifier import verify
from litecheck.flatbuffer.write import write
from litecheck.model.save import model_bytes
from tests.fuzz.bombs import BOMBS, overlapping, shared
from tests.fuzz.judge import alarm


def check(content: bytes | bytearray, start: int = 0) -> tuple[Tables, tuple[Problem, ...]]:
    return verify(load_schema("tflite"), Bytes(np.frombuffer(bytes(content), np.uint8), start))


class File:
    """A valid model with its bytes and the offsets of its fields, for damage."""

    def __init__(self) -> None:
        self.data = bytearray(model_bytes(fc_int8()))
        self.tables, problems = check(self.data)
        assert problems == ()

    def field(self, table: str, name: str, row: int = 0) -> int:
        at = int(self.tables.rows[table].at[name][row])
        assert at, "the field is there"
        return at

    def target(self, table: str, name: str, row: int = 0) -> int:
        at = self.field(table, name, row)
        return at + int(struct.unpack_from("<I", self.data, at)[0])

    def position(self, table: str, row: int = 0) -> int:
        return int(self.tables.rows[table].position[row])

    def vtable(self, table: str, row: int = 0) -> int:
        return int(self.tables.rows[table].vtable[row])

    def put(self, code: str, at: int, *values: int) -> None:
        struct.pack_into(f"<{code}", self.data, at, *values)


#: Function that damages a file, and returns path and offset of the expected problem.
Damage = Callable[[File], tuple[str, int]]


def _root(value: int) -> Damage:
    def damage(file: File) -> tuple[str, int]:
        file.put("I", 0, value)
        return "", 0

    return damage


def _identifier(file: File) -> tuple[str, int]:
    file.data[4:8] = b"TFL9"
    return "", 4


def _too_short(file: File) -> tuple[str, int]:
    del file.data[7:]
    return "", 0


def _vtable_outside(file: File) -> tuple[str, int]:
    at = file.position("Tensor", 2)
    file.put("i", at, at + 2)
    return "subgraphs[0].tensors[2]", at


def _vtable_behind(file: File) -> tuple[str, int]:
    at = file.position("Tensor", 2)
    file.put("i", at, at - len(file.data))
    return "subgraphs[0].tensors[2]", at


def _vtable_size(size: int) -> Damage:
    def damage(file: File) -> tuple[str, int]:
        file.put("H", file.vtable("SubGraph"), size)
        return "subgraphs[0]", file.position("SubGraph")

    return damage


def _table_size(file: File) -> tuple[str, int]:
    file.put("H", file.vtable("SubGraph") + 2, 0xFFFF)
    return "subgraphs[0]", file.position("SubGraph")


def _field_place(entry: int) -> Damage:
    def damage(file: File) -> tuple[str, int]:
        file.put("H", file.vtable("SubGraph") + 4 + 2 * 1, entry)
        return "subgraphs[0].inputs", file.position("SubGraph")

    return damage


def _offset(new: Callable[[int, int], int]) -> Damage:
    """Return a damage of the offset of ``tensors``: ``new`` computes it from its position and the file size."""

    def damage(file: File) -> tuple[str, int]:
        at = file.field("SubGraph", "tensors")
        file.put("I", at, new(at, len(file.data)))
        return "subgraphs[0].tensors", at

    return damage


def _element(value: int) -> Damage:
    def damage(file: File) -> tuple[str, int]:
        at = file.target("SubGraph", "tensors") + 4 + 4 * 1
        file.put("I", at, value)
        return "subgraphs[0].tensors[1]", at

    return damage


def _length(table: str, name: str, path: str, value: int) -> Damage:
    def damage(file: File) -> tuple[str, int]:
        file.put("I", file.target(table, name), value)
        return path, file.field(table, name)

    return damage


def _inputs(length: int) -> Damage:
    return _length("SubGraph", "inputs", "subgraphs[0].inputs", length)


def _loose_string(file: File) -> tuple[str, int]:
    target = file.target("Model", "description")
    (length,) = struct.unpack_from("<I", file.data, target)
    file.data[target + 4 + length] = 1
    return "description", file.field("Model", "description")


def _skewed_longs(file: File) -> tuple[str, int]:
    at = file.field("QuantizationParameters", "zero_point")
    target = file.target("QuantizationParameters", "zero_point")
    file.put("I", target + 4, 1)  # the length, 4 bytes too late
    file.put("I", at, target + 4 - at)
    return "subgraphs[0].tensors[0].quantization.zero_point", at


DAMAGES: dict[str, tuple[str, Damage]] = {
    "nothing left": ("file-too-short", _too_short),
    "another identifier": ("bad-identifier", _identifier),
    "root offset 0": ("offset-outside-file", _root(0)),
    "root offset not a multiple of 4": ("offset-outside-file", _root(18)),
    "root behind the end": ("offset-outside-file", _root(1 << 20)),
    "root far behind the end": ("offset-outside-file", _root(2**32 - 4)),
    "vtable in front of the file": ("vtable-outside-file", _vtable_outside),
    "vtable behind the file": ("vtable-outside-file", _vtable_behind),
    "vtable of no bytes": ("bad-vtable", _vtable_size(0)),
    "vtable of odd size": ("bad-vtable", _vtable_size(17)),
    "vtable beyond the end": ("bad-vtable", _vtable_size(0xFFFE)),
    "table beyond the end": ("bad-vtable", _table_size),
    "field inside the table's own offset": ("field-outside-table", _field_place(2)),
    "field behind its table": ("field-outside-table", _field_place(0x7FFC)),
    "field at an odd place": ("misaligned", _field_place(5)),
    "offset 0": ("offset-zero", _offset(lambda at, size: 0)),
    "offset to the end": ("offset-outside-file", _offset(lambda at, size: size - at)),
    "offset to the last byte but two": ("offset-outside-file", _offset(lambda at, size: size - 3 - at)),
    "offset backwards": ("offset-outside-file", _offset(lambda at, size: 2**32 - 8)),
    "offset to an odd place": ("misaligned", _offset(lambda at, size: 5)),
    "element 0": ("offset-zero", _element(0)),
    "element behind the end": ("offset-outside-file", _element(2**31)),
    "element at an odd place": ("misaligned", _element(6)),
    "scalars beyond the end": ("vector-outside-file", _inputs(2**30)),
    "scalars that wrap around": ("vector-outside-file", _inputs(2**30 + 1)),
    "tables beyond the end": ("vector-outside-file", _length("SubGraph", "tensors", "subgraphs[0].tensors", 2**32 - 1)),
    "string beyond the end": ("vector-outside-file", _length("Model", "description", "description", 2**32 - 5)),
    "string without its NUL": ("string-not-terminated", _loose_string),
}  # fmt: skip


@pytest.mark.parametrize("name", DAMAGES)
def test_each_damage_has_its_code_path_and_byte(name: str) -> None:
    code, damage = DAMAGES[name]
    file = File()
    place = damage(file)
    _, problems = check(file.data)
    assert [(p.code, p.path, p.offset) for p in problems] == [(code, *place)]
    assert problems[0].message


def test_bytes_count_from_the_start_of_the_file_a_model_lies_in() -> None:
    file = File()
    path, at = _element(0)(file)
    _, problems = check(file.data, start=4096)
    assert [(p.path, p.offset) for p in problems] == [(path, 4096 + at)]


def test_all_damages_are_reported() -> None:
    file = File()
    wanted = {_loose_string(file), _element(0)(file)}
    _, problems = check(file.data)
    assert {(p.path, p.offset) for p in problems} == wanted


def test_numbers_of_8_bytes_at_a_multiple_of_4_are_read() -> None:
    file = File()
    path, _ = _skewed_longs(file)
    tables, problems = check(file.data)
    assert not problems
    assert [(path_of(tables, table, row), name) for table, name, row in tables.skewed] == [
        tuple(path.rsplit(".", 1))
    ]
    assert len(tables.vector(*tables.skewed[0][:2], tables.skewed[0][2])) == 1


def test_valid_tables_stay_readable_beside_damaged_tables() -> None:
    file = File()
    _element(0)(file)
    tables, _ = check(file.data)
    assert tables.count("Tensor") == file.tables.count("Tensor") - 1
    assert tables.text("Model", "description", 0) == fc_int8().description


def test_many_equal_faults_are_listed_in_part_and_counted() -> None:
    tensors = tuple(Table("Tensor", {"shape": np.zeros(0, np.int32)}) for _ in range(SHOWN + 7))
    root = Table("Model", {"version": 3, "subgraphs": (Table("SubGraph", {"tensors": tensors}),)})
    content = bytearray(write(root, load_schema("tflite")))
    tables, _ = check(content)
    for at in tables.rows["Tensor"].at["shape"].tolist():
        struct.pack_into("<I", content, at, 0)
    _, problems = check(content)
    assert [p.path for p in problems[:SHOWN]] == [f"subgraphs[0].tensors[{i}].shape" for i in range(SHOWN)]
    (rest,) = problems[SHOWN:]
    assert (rest.code, rest.offset, rest.message[:10]) == ("offset-zero", 0, "and 7 more")


def test_a_longer_vtable_of_a_newer_schema_is_no_damage() -> None:
    file = File()
    content, at = file.data, file.position("SubGraph")
    old = struct.unpack_from("<2H", content, file.vtable("SubGraph"))
    entries = content[file.vtable("SubGraph") + 4 : file.vtable("SubGraph") + old[0]]
    content += bytes(-len(content) % 4)
    vtable = len(content)
    content += struct.pack("<2H", 4 + 2 * 40, old[1]) + entries.ljust(2 * 39, b"\0") + struct.pack("<H", 4)
    content += bytes(-len(content) % 4)
    struct.pack_into("<i", content, at, at - vtable)
    tables, problems = check(content)
    assert problems == ()
    assert [u.slot for u in tables.unknown("SubGraph", 0)] == [39]


def test_a_union_member_of_a_newer_schema_is_no_damage() -> None:
    file = File()
    file.data[file.field("Operator", "builtin_options_type")] = 250
    tables, problems = check(file.data)
    assert problems == ()
    assert "builtin_options" not in tables.record("Operator", 0)
    assert tables.count("FullyConnectedOptions") == 0


def test_an_offset_may_be_shared_within_reason() -> None:
    file = File()
    for row in range(file.tables.count("Tensor")):
        at = file.field("Tensor", "name", row)
        last = max(file.target("Tensor", "name", r) for r in range(file.tables.count("Tensor")))
        file.put("I", at, last - at)
    tables, problems = check(file.data)
    assert problems == ()
    assert len({tables.text("Tensor", "name", row) for row in range(tables.count("Tensor"))}) == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["SubGraph.operators", "SubGraph.tensors", "SignatureDef.inputs", "Tensor.variant_tensors"]
)
def test_tables_shared_too_often_are_refused_at_once(name: str) -> None:
    assert name in BOMBS
    content = shared(name, 6_000, 30_000)  # 180 million elements
    with alarm(1.0):
        _, problems = check(content)
    assert [p.code for p in problems] == ["shared-too-often"]
    assert problems[0].offset == 0


def test_a_small_file_with_900_million_shared_tables_is_rejected_at_once() -> None:
    """30,000 subgraphs of 4 bytes each share a list of 30,000 references to the same operator."""
    n = 30_000
    vtable = struct.pack("<5H", 12, 8, 0, 0, 0) + struct.pack("<H", 4)  # SubGraph: operators at 4
    model = struct.pack("<6H", 10, 12, 8, 0, 4, 0)  # Model: version at 8, subgraphs at 4
    out = bytearray(b"\0\0\0\0TFL3" + model + vtable)
    root = len(out)
    struct.pack_into("<I", out, 0, root)
    out += struct.pack("<iII", root - 8, 8, 3)
    out += struct.pack("<I", n) + bytes(4 * n)  # vector of subgraphs: all elements are the same table
    subgraph = len(out)
    for i in range(n):
        struct.pack_into("<I", out, root + 16 + 4 * i, subgraph - (root + 16 + 4 * i))
    out += struct.pack("<iI", subgraph - 20, 4) + struct.pack("<I", n) + bytes(4 * n)
    operator = len(out)
    for i in range(n):
        struct.pack_into("<I", out, subgraph + 12 + 4 * i, operator - (subgraph + 12 + 4 * i))
    out += struct.pack("<i", 4) + bytes(8)
    struct.pack_into("<i", out, operator, operator - len(out))
    out += struct.pack("<2H", 4, 4)
    assert len(out) < 250_000
    with alarm(1.0):
        _, problems = check(out)
    assert [(p.code, p.offset) for p in problems] == [("shared-too-often", 0)]


def test_overlapping_vectors_are_refused_at_once() -> None:
    content = overlapping(30_000, 0x40004, 0x40004)
    with alarm(1.0):
        _, problems = check(content)
    assert [(p.code, p.path) for p in problems] == [("shared-too-often", "subgraphs[0].operators")]


def test_a_vtable_full_of_newer_fields_shared_by_many_tables_is_refused() -> None:
    tensors = (Table("Tensor"),) * 3000
    root = Table("Model", {"version": 3, "subgraphs": (Table("SubGraph", {"tensors": tensors}),)})
    content = bytearray(write(root, load_schema("tflite")))
    tables, _ = check(content)
    content += bytes(-len(content) % 4)
    vtable = len(content)
    content += struct.pack("<2H", 40_000, 4) + bytes(39_996)
    for at in tables.rows["Tensor"].position.tolist():
        struct.pack_into("<i", content, at, at - vtable)
    with alarm(1.0):
        _, problems = check(content)
    assert [p.code for p in problems] == ["shared-too-often"]


def test_paths_name_unions_and_vectors_of_tables() -> None:
    file = File()
    assert path_of(file.tables, "FullyConnectedOptions", 0) == "subgraphs[0].operators[0].builtin_options"
    assert path_of(file.tables, "QuantizationParameters", 3) == "subgraphs[0].tensors[3].quantization"
    assert path_of(file.tables, "Model", 0) == ""


@pytest.mark.parametrize("part", [0.05, 0.3, 0.6, 0.9, 0.999])
def test_a_file_without_its_end_is_called_cut_off(part: float) -> None:
    content = model_bytes(conv_int8())
    _, problems = check(content[: int(len(content) * part)])
    assert [problem.code for problem in problems] == ["cut-off"]


def test_one_damaged_number_is_not_a_cut() -> None:
    content = bytearray(model_bytes(conv_int8()))
    struct.pack_into("<I", content, File().field("Model", "subgraphs"), 1 << 20)
    _, problems = check(content)
    assert [problem.code for problem in problems] == ["offset-outside-file"]
