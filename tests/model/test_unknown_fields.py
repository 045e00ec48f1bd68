"""Files of a newer schema: known fields are read, and unknown fields are never dropped silently by writing."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest

from litecheck.errors import ModelError
from litecheck.flatbuffer.schema import load_schema
from litecheck.flatbuffer.table import Table, UnknownField
from litecheck.flatbuffer.tables import Bytes
from litecheck.flatbuffer.verifier import verify
from litecheck.flatbuffer.write import write
from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.encode import encode
from litecheck.model.load import load_model, load_models
from litecheck.model.save import save_model

NEWER = (UnknownField(40, b"\x01\x00\x00\x00", maybe_offset=False),)


def _model(operator: str = "CAST") -> Table:
    builder = ModelBuilder()
    main = builder.subgraph()
    x, y = (main.tensor(n, (1,), quantization=qparams(0.5)) for n in "xy")
    main.add(operator, [x], [y])
    main.inputs(x)
    main.outputs(y)
    builder.signature("go", main, {"x": x}, {"y": y})
    builder.metadata("note", b"n")
    return encode(builder.finish())


def _with(root: Table, field: str, number: int, changed: Table) -> Table:
    entries = list(root.fields[field])  # type: ignore[arg-type]
    entries[number] = changed
    return Table(root.type, {**root.fields, field: tuple(entries)})


@pytest.mark.parametrize(
    ("field", "table"),
    [
        ("operator_codes", "OperatorCode"),
        ("buffers", "Buffer"),
        ("signature_defs", "SignatureDef"),
        ("metadata", "Metadata"),
    ],
)
def test_a_newer_field_the_model_cannot_carry_stops_writing(tmp_path: Path, field: str, table: str) -> None:
    root = _model()
    old = root.get(field)[0]
    path = tmp_path / "newer.tflite"
    path.write_bytes(write(_with(root, field, 0, Table(table, old.fields, NEWER)), load_schema("tflite")))
    model = load_model(path)
    assert [p.path for p in model.unknown_content] == [f"{table} slot 40"]
    with pytest.raises(ModelError) as caught:
        save_model(model, tmp_path / "out.tflite")
    assert caught.value.problems == model.unknown_content
    assert not (tmp_path / "out.tflite").exists()
    save_model(model, tmp_path / "out.tflite", drop_unknown=True)
    assert encode(load_model(tmp_path / "out.tflite")) == encode(model)
    assert load_model(tmp_path / "out.tflite").unknown_content == ()


def test_options_of_a_kind_the_schema_does_not_know_stop_writing(tmp_path: Path) -> None:
    content = bytearray(write(_model(), load_schema("tflite")))
    tables, _ = verify(load_schema("tflite"), Bytes(np.frombuffer(bytes(content), np.uint8)))
    content[int(tables.rows["Operator"].at["builtin_options_type"][0])] = 250
    path = tmp_path / "newer.tflite"
    path.write_bytes(content)
    model = load_model(path)
    assert model.subgraphs[0].operators[0].options is None
    assert [p.path for p in model.unknown_content] == ["Operator.builtin_options"]
    assert model.unknown_content[0].offset == tables.offset("Operator", 0, "builtin_options")


def test_newer_fields_that_the_model_keeps_do_not_stop_writing(tmp_path: Path) -> None:
    root = _model()
    main = root.get("subgraphs")[0]
    tensor = main.get("tensors")[0]
    op = main.get("operators")[0]
    options = Table("CastOptions", {}, NEWER)
    changed = Table(
        "SubGraph",
        {
            **main.fields,
            "tensors": (Table("Tensor", tensor.fields, NEWER), *main.get("tensors")[1:]),
            "operators": (Table("Operator", {**op.fields, "builtin_options": options}, NEWER),),
        },
        NEWER,
    )
    path, out = tmp_path / "newer.tflite", tmp_path / "out.tflite"
    path.write_bytes(write(_with(root, "subgraphs", 0, changed), load_schema("tflite")))
    model = load_model(path)
    assert model.unknown_content == ()
    save_model(model, out)
    (back,) = load_model(out).subgraphs
    assert back.unknown == back.tensors[0].unknown == NEWER
    assert back.operators[0].fields is not None
    assert back.operators[0].fields.unknown == NEWER
    assert back.operators[0].options is not None
    assert back.operators[0].options.unknown == NEWER


def test_a_vtable_that_many_tables_share_does_not_cost_its_length_each_time(tmp_path: Path) -> None:
    tensors, slots = 5000, 30000
    main = Table("SubGraph", {"tensors": (Table("Tensor"),) * tensors, "operators": ()})
    root = Table("Model", {"version": 3, "buffers": (Table("Buffer"),), "subgraphs": (main,)})
    content = bytearray(write(root, load_schema("tflite")))
    tables, _ = verify(load_schema("tflite"), Bytes(np.frombuffer(bytes(content), np.uint8)))
    vtable = len(content)
    content += struct.pack(f"<HH{slots}H", 4 + 2 * slots, 60000, *[0] * 11, *[4] * (slots - 11))
    content += bytes(60000)
    for position in tables.rows["Tensor"].position.tolist():
        struct.pack_into("<i", content, position, position - vtable)
    path = tmp_path / "bomb.tflite"
    path.write_bytes(content)
    (error,) = load_models(path)
    assert isinstance(error, ModelError)
    assert [p.code for p in error.problems] == ["shared-too-often"]
