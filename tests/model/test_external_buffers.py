"""Constants in weights files: only files beside the model, offsets in bounds, and each problem with its location."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fixtures.models import fc_int8
from litecheck.checks.validate import validate_file
from litecheck.errors import ModelError
from litecheck.flatbuffer.schema import load_schema
from litecheck.flatbuffer.table import Table
from litecheck.flatbuffer.tables import Bytes
from litecheck.flatbuffer.verifier import verify
from litecheck.flatbuffer.write import write
from litecheck.model.encode import encode
from litecheck.model.load import load_model
from tests.model.test_integrity import at, put

WEIGHTS = bytes(range(100, 124))
PLAIN: dict[str, Any] = {"id": 7, "group": 0, "offset": 8, "length": 24}


def _write(folder: Path, name: str = "weights.bin", *, tensor: int = 7, **changes: Any) -> Path:
    """Write fc_int8 with its weight of 24 bytes in a separate file."""
    fields = {k: v for k, v in {**PLAIN, **changes}.items() if v is not None}
    root = put(encode(fc_int8()), "subgraphs.0.tensors.1.external_buffer", tensor)
    root = put(root, "external_buffer_groups", (Table("ExternalBufferGroup", {"name": name}),))
    other = Table("ExternalBuffer", {**PLAIN, "id": 3})
    root = put(root, "external_buffers", (other, Table("ExternalBuffer", fields)))
    path = folder / "m.tflite"
    path.write_bytes(write(root, load_schema("tflite")))
    return path


def _weights(folder: Path, name: str = "weights.bin") -> None:
    (folder / name).write_bytes(bytes(8) + WEIGHTS)


def test_a_constant_in_a_weights_file_is_read_in_place(tmp_path: Path) -> None:
    _weights(tmp_path)
    weight = load_model(_write(tmp_path)).subgraphs[0].tensors[1]
    assert weight.data is not None
    assert weight.data.tobytes() == WEIGHTS
    assert not weight.data.flags.writeable


def _problems(path: Path) -> list[tuple[str, str, int | None]]:
    with pytest.raises(ModelError) as caught:
        load_model(path)
    return [(p.code, p.path, p.offset) for p in caught.value.problems]


def _at(path: Path, table: str, row: int, name: str | None) -> int:
    content = np.frombuffer(path.read_bytes(), np.uint8)
    return verify(load_schema("tflite"), Bytes(content))[0].offset(table, row, name)


@pytest.mark.parametrize(
    ("changes", "code", "field"),
    [
        ({"group": 1}, "index-out-of-range", "group"),
        ({"packing": "gzip"}, "unknown-packing", "packing"),
        ({"offset": 9}, "buffer-outside-file", "offset"),
        ({"offset": 2**64 - 8}, "buffer-outside-file", "offset"),
        ({"length": 2**64 - 1}, "buffer-outside-file", "offset"),
    ],
)
def test_each_fault_has_its_code_path_and_byte(
    tmp_path: Path, changes: dict[str, Any], code: str, field: str
) -> None:
    _weights(tmp_path)
    path = _write(tmp_path, **changes)
    row = 1 if _at(path, "ExternalBuffer", 1, None) != _at(path, "ExternalBuffer", 0, None) else 0
    places = {(code, f"external_buffers[1].{field}", _at(path, "ExternalBuffer", r, field)) for r in (0, row)}
    assert len(places & set(_problems(path))) == 1
    assert {c for c, *_ in _problems(path)} == {code}


def test_a_constant_too_short_for_its_shape_is_a_problem(tmp_path: Path) -> None:
    _weights(tmp_path)
    assert [p[:2] for p in _problems(_write(tmp_path, length=23))] == [
        ("wrong-buffer-size", "subgraphs[0].tensors[1].buffer")
    ]


def test_an_unlisted_external_buffer_is_a_problem(tmp_path: Path) -> None:
    _weights(tmp_path)
    path = _write(tmp_path, tensor=5)
    place = _at(path, "Tensor", 1, "external_buffer")
    assert _problems(path) == [("index-out-of-range", "subgraphs[0].tensors[1].external_buffer", place)]


@pytest.mark.parametrize(
    "name",
    [
        "weights.bin",
        "",
        ".",
        "..",
        "../weights.bin",
        "/etc/hostname",
        "a\\b",
        "a\0b",
        "x" * 300,
        "x" * 5000,
        "folder",
    ],
)
def test_a_missing_weights_file_is_a_problem(tmp_path: Path, name: str) -> None:
    (tmp_path / "folder").mkdir()
    model = tmp_path / "models"
    model.mkdir()
    _weights(tmp_path)
    codes = {(code, path) for code, path, _ in _problems(_write(model, name))}
    assert codes == {("weights-file-missing", f"external_buffers[{i}].group") for i in (0, 1)}


def test_an_empty_or_unreadable_weights_file_is_a_problem(tmp_path: Path) -> None:
    path = _write(tmp_path)
    (tmp_path / "weights.bin").write_bytes(b"")
    assert {code for code, *_ in _problems(path)} == {"weights-file-missing"}
    (tmp_path / "weights.bin").unlink()
    os.mkfifo(tmp_path / "weights.bin")
    assert {code for code, *_ in _problems(path)} == {"weights-file-missing"}


def test_many_faulty_external_buffers_are_summarized(tmp_path: Path) -> None:
    root = encode(fc_int8())
    lost = tuple(Table("ExternalBuffer", {"id": i, "group": i}) for i in range(1000))
    path = tmp_path / "m.tflite"
    root = put(root, "subgraphs.0.tensors.1.external_buffer", 999)
    path.write_bytes(write(put(root, "external_buffers", lost), load_schema("tflite")))
    (report,) = validate_file(path)
    assert len(report.problems) < 50
    assert at(root, "subgraphs.0.tensors.1.external_buffer") == 999


@pytest.mark.skipif(os.name == "nt", reason="links as POSIX has them")
def test_weights_behind_a_link_are_read_only_beside_the_model_or_the_file_behind_its_link(
    tmp_path: Path,
) -> None:
    place, store = tmp_path / "place", tmp_path / "store"
    place.mkdir()
    store.mkdir()
    _weights(store)
    path = _write(place)
    (place / "weights.bin").symlink_to(store / "weights.bin")
    assert {code for code, *_ in _problems(path)} == {"weights-file-missing"}
    # As a cache of downloaded files lays them out: the names are links to a store.
    path.rename(store / "model")
    path.symlink_to(store / "model")
    assert load_model(path).subgraphs[0].tensors[1].data is not None
