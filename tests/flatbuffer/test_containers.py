"""Models inside files: recognized by content and read in place; a damaged member does not hide valid members."""

from __future__ import annotations

import io
import os
import struct
import zipfile
from pathlib import Path

import numpy as np
import pytest

from litecheck.errors import ModelError
from litecheck.flatbuffer import containers
from litecheck.flatbuffer.archive import MEMBERS_MAX
from litecheck.flatbuffer.containers import Member, open_models
from litecheck.flatbuffer.schema import load_schema
from litecheck.flatbuffer.table import Table
from litecheck.flatbuffer.write import write
from litecheck.model.load import load_model

MODEL = b"\x08\0\0\0TFL3" + b"\0" * 24


def _zip(members: dict[str, bytes], compression: int = zipfile.ZIP_STORED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", compression) as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name), content, compression)
    return out.getvalue()


def _litertlm(sections: list[tuple[int, bytes]], *, shift: int = 0) -> bytes:
    """Return a LiteRT-LM bundle of (data type, content); ``shift`` falsifies the offsets of sections."""
    at, objects, body = 16384, [], b""
    for kind, content in sections:
        fields = {"begin_offset": at + shift, "end_offset": at + shift + len(content), "data_type": kind}
        objects.append(Table("SectionObject", fields))
        body += content + bytes(-len(content) % 16384)
        at = 16384 + len(body)
    root = Table(
        "LiteRTLMMetaData", {"section_metadata": Table("SectionMetadata", {"objects": tuple(objects)})}
    )
    header = write(root, load_schema("litertlm"))
    begin = b"LITERTLM" + struct.pack("<3I4xQ", 1, 5, 0, 32 + len(header))
    return (begin + header).ljust(16384, b"\0") + body


def _open(tmp_path: Path, content: bytes, name: str = "file.bin") -> list[Member | ModelError]:
    path = tmp_path / name
    path.write_bytes(content)
    return list(open_models(path))


def _names(items: list[Member | ModelError]) -> list[str]:
    return [i.name if isinstance(i, Member) else i.problems[0].code for i in items]


@pytest.mark.parametrize("name", ["m.tflite", "m.lite", "m.zip", "m"])
def test_a_plain_model_is_known_by_its_content(tmp_path: Path, name: str) -> None:
    (found,) = _open(tmp_path, MODEL, name)
    assert isinstance(found, Member)
    assert (found.name, found.start, found.data.tobytes()) == ("", 0, MODEL)
    assert not found.data.flags.writeable


def test_a_zip_behind_a_plain_model_belongs_to_it(tmp_path: Path) -> None:
    content = MODEL + _zip({"labels.txt": b"cat", "other.tflite": MODEL})
    (found,) = _open(tmp_path, content)
    assert isinstance(found, Member)
    assert len(found.data) == len(content)


def test_every_model_of_a_task_is_read_in_place(tmp_path: Path) -> None:
    other = MODEL + b"tail"
    content = _zip({"a.tflite": MODEL, "tokenizer": b"text", "TF_LITE_PREFILL": other})
    items = _open(tmp_path, content)
    assert _names(items) == ["a.tflite", "TF_LITE_PREFILL"]
    for item, data in zip(items, (MODEL, other), strict=True):
        assert isinstance(item, Member)
        assert item.data.tobytes() == data == content[item.start : item.start + len(data)]


@pytest.mark.parametrize("padding", [1, 3, 4, 300])
def test_a_task_may_begin_with_nuls(tmp_path: Path, padding: int) -> None:
    content = bytearray(bytes(padding) + _zip({"a.tflite": MODEL}))
    end = content.rfind(b"PK\x05\x06")
    central = content.find(b"PK\x01\x02")
    struct.pack_into("<I", content, central + 42, padding)
    struct.pack_into("<I", content, end + 16, central)
    assert _names(_open(tmp_path, bytes(content))) == ["a.tflite"]


def test_offsets_that_ignore_a_prefix_are_shifted(tmp_path: Path) -> None:
    items = _open(tmp_path, bytes(8) + _zip({"a.tflite": MODEL}))
    assert _names(items) == ["a.tflite"]


def test_a_task_inside_a_task_is_opened(tmp_path: Path) -> None:
    inner = _zip({"detector.tflite": MODEL})
    items = _open(tmp_path, _zip({"hand.task": inner, "gesture.tflite": MODEL}))
    assert _names(items) == ["hand.task/detector.tflite", "gesture.tflite"]


def test_bundles_inside_bundles_end_somewhere(tmp_path: Path) -> None:
    content = MODEL
    for _ in range(10):
        content = _zip({"x.task": content})
    assert _names(_open(tmp_path, content)) == ["too-many-members"]


def test_a_64_bit_zip_is_read(tmp_path: Path) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive, archive.open("a.tflite", "w", force_zip64=True) as member:
        member.write(MODEL)
    content = bytearray(out.getvalue())
    end = content.rfind(b"PK\x05\x06")
    count, size, at = struct.unpack_from("<HII", content, end + 10)
    record = struct.pack("<4sQHHIIQQQQ", b"PK\x06\x06", 44, 45, 45, 0, 0, count, count, size, at)
    locator = struct.pack("<4sIQI", b"PK\x06\x07", 0, end, 1)
    struct.pack_into("<HHII", content, end + 8, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF)
    content[end:end] = record + locator
    assert _names(_open(tmp_path, bytes(content))) == ["a.tflite"]


def test_a_compressed_model_is_a_problem_and_does_not_hide_the_others(tmp_path: Path) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("a.tflite", MODEL, zipfile.ZIP_DEFLATED)
        archive.writestr("b.tflite", MODEL, zipfile.ZIP_STORED)
        archive.writestr("labels.txt", b"cat", zipfile.ZIP_DEFLATED)
    items = _open(tmp_path, out.getvalue())
    assert _names(items) == ["compressed-member", "b.tflite"]
    assert isinstance(items[0], ModelError)
    assert items[0].problems[0].path == "a.tflite"


def test_a_member_that_is_no_model_does_not_hide_the_others(tmp_path: Path) -> None:
    items = _open(tmp_path, _zip({"a.tflite": b"not a model at all", "b.tflite": MODEL}))
    assert _names(items) == ["not-a-model", "b.tflite"]
    assert isinstance(items[0], ModelError)
    assert items[0].file.endswith("!a.tflite")


def test_a_member_outside_the_zip_does_not_hide_the_others(tmp_path: Path) -> None:
    content = bytearray(_zip({"a.tflite": MODEL, "b.tflite": MODEL}))
    struct.pack_into("<II", content, content.find(b"PK\x01\x02") + 20, 1 << 30, 1 << 30)
    assert _names(_open(tmp_path, bytes(content))) == ["section-outside-file", "b.tflite"]


def test_members_that_share_bytes_are_opened_once(tmp_path: Path) -> None:
    content = bytearray(_zip({"a.tflite": MODEL, "b.tflite": MODEL}))
    second = content.find(b"PK\x01\x02", content.find(b"PK\x01\x02") + 4)
    struct.pack_into("<I", content, second + 42, 0)
    assert _names(_open(tmp_path, bytes(content))) == ["a.tflite", "overlapping-members"]


def test_a_zip_with_too_many_members_is_not_read(tmp_path: Path) -> None:
    content = bytearray(_zip({"a.tflite": MODEL}))
    struct.pack_into("<HH", content, content.rfind(b"PK\x05\x06") + 8, MEMBERS_MAX + 1, MEMBERS_MAX + 1)
    assert _names(_open(tmp_path, bytes(content))) == ["too-many-members"]


def test_no_cut_and_no_byte_of_a_zip_raises(tmp_path: Path) -> None:
    content = _zip({"a.tflite": MODEL, "b.task": _zip({"c.tflite": MODEL})})
    for cut in range(1, len(content)):
        assert _open(tmp_path, content[:cut])
    for at in range(len(content)):
        for value in (0, 0x7F, 0xFF):
            damaged = content[:at] + bytes([value]) + content[at + 1 :]
            assert _open(tmp_path, damaged)


def test_tflite_sections_of_a_litertlm_are_cut_exactly(tmp_path: Path) -> None:
    other = MODEL + b"more"
    items = _open(tmp_path, _litertlm([(5, b"metadata"), (3, MODEL), (1, b"blob"), (3, other)]))
    assert _names(items) == ["section-1", "section-3"]
    for item, data in zip(items, (MODEL, other), strict=True):
        assert isinstance(item, Member)
        assert item.start % 16384 == 0
        assert item.data.tobytes() == data


def test_a_section_outside_the_file_does_not_hide_the_others(tmp_path: Path) -> None:
    content = _litertlm([(3, MODEL), (3, MODEL)])
    items = _open(tmp_path, content[: 2 * 16384 + 8])
    assert _names(items) == ["section-outside-file", "section-0"]
    assert isinstance(items[0], ModelError)
    problem = items[0].problems[0]
    assert problem.path == "section_metadata.objects[1]"
    stated = f"bytes 32768 to {32768 + len(MODEL)} do not lie between the header's end and byte 32776"
    assert problem.message == f"{stated}; the file is cut off"


def test_a_section_inside_the_header_is_refused(tmp_path: Path) -> None:
    """The file is not cut off, also where the section ends with it."""
    content = _litertlm([(3, MODEL)], shift=-16384)
    end = struct.unpack_from("<Q", content, 24)[0]
    last = _litertlm([(3, MODEL)], shift=end - len(MODEL) - 16384)[:end]
    for data in (content, last):
        (item,) = _open(tmp_path, data)
        assert isinstance(item, ModelError)
        assert item.problems[0].code == "section-outside-file"
        assert item.problems[0].message.endswith(f"do not lie between the header's end and byte {len(data)}")


def test_a_section_that_is_no_model_is_a_problem(tmp_path: Path) -> None:
    assert _names(_open(tmp_path, _litertlm([(3, b"\x7fELF" + bytes(9)), (3, MODEL)]))) == [
        "not-a-model",
        "section-1",
    ]


def test_a_litertlm_without_models_is_a_problem(tmp_path: Path) -> None:
    (error,) = _open(tmp_path, _litertlm([(5, b"metadata")]))
    assert isinstance(error, ModelError)
    assert "without a TFLite section" in str(error)


@pytest.mark.parametrize(
    ("at", "value", "code"),
    [(8, 2, "unknown-version"), (24, 8, "section-outside-file"), (32, 3, "offset-outside-file")],
)
def test_a_damaged_litertlm_header_is_located(tmp_path: Path, at: int, value: int, code: str) -> None:
    content = bytearray(_litertlm([(3, MODEL)]))
    struct.pack_into("<I", content, at, value)
    items = _open(tmp_path, bytes(content))
    assert _names(items) == [code]
    assert isinstance(items[0], ModelError)
    assert items[0].problems[0].offset == at


def test_no_byte_of_a_litertlm_header_raises(tmp_path: Path) -> None:
    content = _litertlm([(3, MODEL)])
    header = struct.unpack_from("<Q", content, 24)[0]
    for at in range(8, header):
        for value in (0, 0x80, 0xFF):
            assert _open(tmp_path, content[:at] + bytes([value]) + content[at + 1 :])


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"\x89HDF\r\n\x1a\n" + bytes(99), "HDF5"),
        (b"\x08\x07\x12\x07pytorch\x1a\x051.9.0" + bytes(9), "ONNX"),
        (b"\x08\x01\x12\xff\x10\x0a" + bytes(9), "SavedModel"),
        (b"\x1f\x8b\x08" + bytes(20), "gzip"),
        (b"\x7fELF\x02" + bytes(20), "ELF"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 5\n", "git-lfs"),
        (b"<!DOCTYPE html><html></html>", "HTML"),
        (b'{"a": 1}', "JSON"),
        (b"hello, world\n", "text"),
        (bytes(64), "NUL"),
        (b"\x10\0\0\0ORTM" + bytes(40), "ONNX Runtime"),
        (b"\x10\0\0\0TFL2" + bytes(40), "version 2"),
        (b"\x10\0\0\0XYZ9" + bytes(40), "XYZ9"),
        (b"PK\x05\x06" + bytes(18), "zip"),
        (bytes(257) + b"ustar\x0000" + bytes(40), "tar archive, not a LiteRT model; unpack it first"),
        (b"\x08" + bytes(7) + b'{"a": 1}', "safetensors"),
        (b"\x80\x03}q\x00.", "pickle, perhaps of PyTorch, not a LiteRT model; if it is, convert"),
        (
            _zip({"archive/data.pkl": b"x", "archive/version": b"3"}),
            "PyTorch file, not a LiteRT model; convert",
        ),
        (
            _zip({"config.json": b"{}", "model.weights.h5": b"x"}),
            "Keras model (.keras), not a LiteRT model; `litecheck",
        ),
        (_zip({"m/saved_model.pb": b"x"}), "zipped TensorFlow SavedModel"),
        (_zip({"x.npy": b"x"}), "numpy archive"),
    ],
)
def test_files_of_other_formats_are_named_by_their_format(
    tmp_path: Path, content: bytes, message: str
) -> None:
    (error,) = _open(tmp_path, content)
    assert isinstance(error, ModelError)
    assert error.problems[0].code == "not-a-model"
    assert message in str(error)


def test_a_zip_without_models_names_its_members(tmp_path: Path) -> None:
    (error,) = _open(tmp_path, _zip({"archive/other.bin": b"x", "readme": b"y"}, zipfile.ZIP_DEFLATED))
    assert isinstance(error, ModelError)
    assert "archive/other.bin" in str(error)


def test_empty_files_folders_and_short_files_have_their_own_codes(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    (tmp_path / "folder").mkdir()
    (tmp_path / "saved").mkdir()
    (tmp_path / "saved" / "saved_model.pb").write_bytes(b"x")
    (tmp_path / "short").write_bytes(b"\x01\x00")
    codes = {
        name: _names(list(open_models(tmp_path / name)))
        for name in ("none", "empty", "folder", "saved", "short")
    }
    assert codes == {
        "none": ["file-not-found"],
        "empty": ["empty-file"],
        "folder": ["not-a-file"],
        "saved": ["not-a-model"],
        "short": ["file-too-short"],
    }
    assert _names(list(open_models("nul\0byte"))) == ["unreadable-file"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes on this system")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert _names(list(open_models(tmp_path / "pipe"))) == ["not-a-file"]


def test_random_bytes_never_raise(tmp_path: Path) -> None:
    random = np.random.default_rng(0)
    for prefix in (b"", b"PK\x03\x04", b"LITERTLM\x01\0\0\0", bytes(8)):
        for _ in range(200):
            size = int(random.integers(1, 200))
            assert _open(tmp_path, prefix + random.integers(0, 256, size, np.uint8).tobytes())


@pytest.mark.parametrize("content", [MODEL, b""])
def test_a_model_is_read_from_a_pipe(content: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    containers._read_stdin.cache_clear()
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))
    (item,) = open_models("-")
    containers._read_stdin.cache_clear()
    if content:
        assert isinstance(item, Member)
        assert item.data.tobytes() == content
    else:
        assert isinstance(item, ModelError)
        assert item.problems[0].code == "empty-file"
        assert item.problems[0].message == "nothing is piped to the program"


def test_a_single_model_has_no_members() -> None:
    with pytest.raises(ModelError, match="got member 'x', expected no member: the file is a single model"):
        load_model(Path(__file__).parents[2] / "fixtures" / "conv_int8.tflite", "x")
