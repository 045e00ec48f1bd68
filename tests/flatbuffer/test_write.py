"""Tables to bytes: a tree reads the same after writing, with the schema's alignment."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from litecheck.errors import ModelError
from litecheck.flatbuffer.containers import Member, open_models
from litecheck.flatbuffer.schema import Field, Schema, load_schema
from litecheck.flatbuffer.table import Table, UnknownField
from litecheck.flatbuffer.tables import Bytes, Tables, numpy_type
from litecheck.flatbuffer.verifier import verify
from litecheck.flatbuffer.write import write

TFLITE = load_schema("tflite")


def _read(content: bytes, schema: Schema = TFLITE) -> Tables:
    tables, problems = verify(schema, Bytes(np.frombuffer(content, np.uint8)))
    assert problems == ()
    return tables


def _again(table: Table) -> Table:
    return _read(write(table, TFLITE)).record("Model", 0)


def _without_offsets(value: Any) -> Any:
    """Return the tree without deprecated fields that may be offsets, which cannot be copied."""
    if isinstance(value, tuple):
        return tuple(map(_without_offsets, value))
    if not isinstance(value, Table):
        return value
    fields = {name: _without_offsets(v) for name, v in value.fields.items()}
    return replace(value, fields=fields, unknown=tuple(u for u in value.unknown if not u.maybe_offset))


@pytest.mark.models
def test_every_public_model_reads_the_same_after_writing(models: Path) -> None:
    files = sorted(models.glob("*.tflite"))
    assert files
    for file in files:
        (member,) = open_models(file)
        assert isinstance(member, Member)
        tables, problems = verify(TFLITE, Bytes(member.data))
        assert problems == ()
        tree = _without_offsets(tables.record("Model", 0))
        content = write(tree, TFLITE)
        assert _read(content).record("Model", 0) == tree, file.name
        assert write(_read(content).record("Model", 0), TFLITE) == content, file.name


def _values(schema: Schema, f: Field) -> st.SearchStrategy[Any]:
    if f.kind in ("scalar", "scalars"):
        dtype = np.dtype(numpy_type(f.type))
        one: st.SearchStrategy[Any]
        if f.type == "bool":
            one = st.booleans()
        elif dtype.kind == "f":
            one = st.floats(width=8 * dtype.itemsize, allow_nan=False)  # type: ignore[call-overload]
        else:
            info = np.iinfo(dtype)
            one = st.integers(int(info.min), int(info.max))
        vector = st.lists(one, max_size=5).map(lambda v: np.array(v, dtype))
        return one if f.kind == "scalar" else vector
    if f.kind == "string":
        return st.text(max_size=8)
    if f.kind == "union":
        return st.sampled_from(schema.unions[f.type]).flatmap(lambda name: _tables(schema, name))
    child = st.deferred(lambda: _tables(schema, f.type))
    return child if f.kind == "table" else st.lists(child, max_size=2).map(tuple)


def _tables(schema: Schema, name: str) -> st.SearchStrategy[Table]:
    fields = {f.name: _values(schema, f) for f in schema.tables[name]}
    return st.fixed_dictionaries({}, optional=fields).map(lambda found: Table(name, found))


@pytest.mark.slow
@settings(max_examples=200)
@given(_tables(TFLITE, "Model"))
def test_any_tree_reads_the_same_after_writing(tree: Table) -> None:
    assert _again(tree) == tree


def _model(**fields: Any) -> Table:
    return Table("Model", {"version": 3, **fields})


def test_a_field_equal_to_its_default_is_written_because_it_was_there() -> None:
    tree = _model(operator_codes=(Table("OperatorCode", {"version": 1}), Table("OperatorCode")))
    codes = _again(tree).get("operator_codes")
    assert [set(code) for code in codes] == [{"version"}, set()]


@pytest.mark.parametrize("size", [0, 1, 15, 16, 17, 1023, 1024, 5000])
def test_buffers_begin_on_a_multiple_of_16(size: int) -> None:
    data = np.arange(size).astype(np.uint8)
    tree = _model(
        description="x" * size, buffers=tuple(Table("Buffer", {"data": data + i}) for i in range(3))
    )
    tables = _read(write(tree, TFLITE))
    refs = tables.refs("Buffer", "data")
    assert refs.length.tolist() == [size] * 3
    assert (refs.begin % 16 == 0).all()
    assert tables.record("Model", 0) == tree


def test_long_vectors_that_are_one_in_memory_are_one_in_the_file() -> None:
    data = np.arange(20_000).astype(np.uint8)
    buffers = tuple(Table("Buffer", {"data": data}) for _ in range(10))
    content = write(_model(buffers=buffers), TFLITE)
    assert len(content) < 102_000
    assert _read(content).record("Model", 0).get("buffers") == buffers


@pytest.mark.parametrize("size", [100, 3000])
def test_a_flatbuffer_beyond_the_limit_is_refused(monkeypatch: pytest.MonkeyPatch, size: int) -> None:
    tree = _model(buffers=(Table("Buffer", {"data": np.zeros(size, np.uint8)}),) * 30)
    assert len(write(tree, TFLITE)) > 2000
    monkeypatch.setattr("litecheck.flatbuffer.write.SIZE_MAX", 2000)
    with pytest.raises(ModelError) as caught:
        write(tree, TFLITE)
    assert caught.value.problems[0].code == "too-large"


NEWER = tuple(
    UnknownField(slot, data, maybe_offset=False)
    for slot, data in ((20, b"\x01"), (21, b"\x07\x00"), (23, b"\xff\xff\xff\xff"), (24, b"12345678"))
)


@pytest.mark.parametrize("count", range(1, 5))
def test_fields_newer_than_the_schema_are_carried_over(count: int) -> None:
    tensor = Table("Tensor", {"buffer": 7, "has_rank": True}, NEWER[-count:])
    tree = _model(subgraphs=(Table("SubGraph", {"tensors": (tensor,)}),))
    found = _again(tree).get("subgraphs")[0].get("tensors")[0]
    assert found.fields == tensor.fields
    assert [u.slot for u in found.unknown] == [u.slot for u in tensor.unknown]
    for mine, theirs in zip(tensor.unknown, found.unknown, strict=True):
        assert theirs.data.startswith(mine.data)
        assert not any(theirs.data[len(mine.data) :])


def test_a_newer_field_that_may_be_an_offset_is_refused_unless_dropped() -> None:
    unknown = (UnknownField(20, b"\x08\0\0\0", maybe_offset=True), *NEWER[3:])
    tensor = Table("Tensor", {"buffer": 7}, unknown, offset=44)
    tree = _model(subgraphs=(Table("SubGraph", {"tensors": (tensor, tensor)}),))
    with pytest.raises(ModelError) as caught:
        write(tree, TFLITE)
    assert [(p.code, p.path, p.offset) for p in caught.value.problems] == 2 * [
        ("unknown-field", "Tensor slot 20", 44)
    ]
    found = (
        _read(write(tree, TFLITE, drop_unknown=True)).record("Model", 0).get("subgraphs")[0].get("tensors")[0]
    )
    assert found.unknown == NEWER[3:]


def test_a_deprecated_field_that_may_be_an_offset_is_left_out() -> None:
    unknown = (UnknownField(3, b"\x08\0\0\0", maybe_offset=True),)
    tree = _model(signature_defs=(Table("SignatureDef", {"subgraph_index": 1}, unknown),))
    assert _again(tree).get("signature_defs") == (Table("SignatureDef", {"subgraph_index": 1}),)


@pytest.mark.parametrize(
    ("fields", "message"),
    [({"version": -1}, "Model"), ({"colour": 1}, "colour"), ({"version": 1 << 40}, "Model")],
)
def test_a_value_its_field_cannot_hold_is_refused(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        write(Table("Model", fields), TFLITE)


def test_strings_that_were_no_utf_8_are_written_as_they_were() -> None:
    content = write(_model(description=b"\xff\xfe".decode("utf-8", "surrogateescape")), TFLITE)
    assert b"\xff\xfe\0" in bytes(content)


@pytest.mark.slow
def test_twenty_thousand_operators_are_written_with_equal_tables_sharing_a_vtable() -> None:
    options = Table("Conv2DOptions", {"stride_w": 1, "stride_h": 1})
    inputs = np.array([0, 1, 2], "<i4")
    op = Table(
        "Operator", {"opcode_index": 0, "inputs": inputs, "outputs": inputs[:1], "builtin_options": options}
    )
    content = write(_model(subgraphs=(Table("SubGraph", {"operators": (op,) * 20_000}),)), TFLITE)
    tables = _read(content)
    assert tables.count("Operator") == 20_000
    assert len(np.unique(tables.rows["Operator"].vtable)) <= 2  # a vtable for each alignment padding
    assert len(content) < 120 * 20_000


@pytest.mark.parametrize(
    ("name", "size", "kept"), [("zero_point", 32, 1), ("zero_point", 31, 2), ("min", 512, 2)]
)
def test_equal_scales_and_zero_points_of_many_channels_are_kept_once(name: str, size: int, kept: int) -> None:
    dtype = np.int64 if name == "zero_point" else np.float32
    tensors = tuple(
        Table("Tensor", {"quantization": Table("QuantizationParameters", {name: np.full(size, 77, dtype)})})
        for _ in range(2)
    )
    root = Table("Model", {"version": 3, "subgraphs": (Table("SubGraph", {"tensors": tensors}),)})
    content = bytes(write(root, TFLITE))
    assert content.count(np.full(size, 77, dtype).tobytes()) == kept
    assert _again(root) == root
