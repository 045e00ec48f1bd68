"""Members of zip archives, problems of damaged archives, and names of unsupported file types."""

from __future__ import annotations

import io
import struct
import zipfile
from typing import Any

import numpy as np
import pytest

from litecheck.errors import Problem
from litecheck.flatbuffer.archive import (
    MEMBERS_MAX,
    ArchiveMember,
    entries,
    is_zip,
    looks_like,
    looks_like_zip,
)

END, CENTRAL, LOCAL = b"PK\x05\x06", b"PK\x01\x02", b"PK\x03\x04"


def raw(content: bytes | bytearray) -> Any:
    return np.frombuffer(bytes(content), np.uint8)


def zipped(comment: bytes = b"", **members: bytes) -> bytearray:
    """Return a zip of uncompressed members; ``_slash`` in a keyword is a slash in the name."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in members.items():
            archive.writestr(zipfile.ZipInfo(name.replace("_slash", "/")), content)
        archive.comment = comment
    return bytearray(out.getvalue())


def found(content: bytes | bytearray) -> list[ArchiveMember | Problem]:
    return list(entries(raw(content)))


def test_members_lie_behind_their_headers() -> None:
    """A local header has 30 bytes and the name."""
    content = zipped(a=b"12345", bcd=b"6789")
    assert found(content) == [ArchiveMember("a", 31, 5, True), ArchiveMember("bcd", 69, 4, True)]
    assert content[31:36] + content[69:73] == b"123456789"


def test_folders_are_no_members() -> None:
    assert [getattr(one, "name", "") for one in found(zipped(a_slash=b"", b=b"1"))] == ["b"]


def test_a_comment_of_any_length_is_skipped() -> None:
    for length in (1, 65535):
        assert found(zipped(comment=b"x" * length, a=b"1")) == [ArchiveMember("a", 31, 1, True)]


def test_extra_fields_are_skipped() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name in ("a", "b"):
            info = zipfile.ZipInfo(name)
            info.extra = struct.pack("<2H5s", 9, 5, b"extra")
            info.comment = b"comment"
            archive.writestr(info, b"12")
    assert found(out.getvalue()) == [ArchiveMember("a", 40, 2, True), ArchiveMember("b", 82, 2, True)]


def test_compressed_and_encrypted_members() -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(zipfile.ZipInfo("a"), bytes(99), zipfile.ZIP_DEFLATED)
    (member,) = found(out.getvalue())
    assert isinstance(member, ArchiveMember)
    assert (member.begin, member.stored) == (31, False)
    assert member.size < 99
    for at, value, stored in ((8, 1, False), (8, 2, True), (24, 4, False), (20, 4, False)):
        content = zipped(a=b"12345")
        content[content.find(CENTRAL) + at] = value
        (member,) = found(content)
        assert isinstance(member, ArchiveMember)
        assert member.stored is stored


def test_offsets_count_from_the_first_byte_of_the_archive() -> None:
    assert found(bytes(7) + zipped(a=b"12345")) == [ArchiveMember("a", 38, 5, True)]


def damaged(content: bytearray, mark: bytes, at: int, form: str, value: int) -> bytearray:
    """Return the archive with a number replaced, ``at`` bytes after a marker."""
    struct.pack_into(form, content, content.find(mark) + at, value)
    return content


SOUND = zipped(a=b"12345")  # header 31, content 5, directory 47, end 22: 105 bytes
NO_DIRECTORY = "the zip file is cut off: its directory is missing"


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (SOUND[:-1], Problem("bad-zip", "", 104, NO_DIRECTORY)),
        (SOUND[:36], Problem("bad-zip", "", 36, NO_DIRECTORY)),
        (damaged(SOUND[:], END, 12, "<I", 84),
         Problem("bad-zip", "", 83, "a zip directory of 84 bytes does not fit in front of byte 83")),
        (damaged(SOUND[:], END, 16, "<I", 37),
         Problem("bad-zip", "", 83, "a zip directory of 47 bytes does not fit in front of byte 83")),
        (damaged(SOUND[:], END, 10, "<H", MEMBERS_MAX + 1),
         Problem("too-many-members", "", 83, "10001 members; at most 10000 are looked at")),
        (damaged(SOUND[:], CENTRAL, 0, "<B", 0),
         Problem("bad-zip", "", 36, "the zip directory lists 1 members and ends after 0")),
        (damaged(SOUND[:], CENTRAL, 42, "<I", 1),
         Problem("bad-zip", "a", 36, "no member begins at byte 1, where the directory says")),
        (damaged(SOUND[:], CENTRAL, 42, "<I", 76),
         Problem("bad-zip", "a", 36, "no member begins at byte 76, where the directory says")),
        (damaged(SOUND[:], CENTRAL, 20, "<I", 75),
         Problem("section-outside-file", "a", 36, "75 bytes from byte 31 pass the end of the zip file's 105")),
    ],
)  # fmt: skip
def test_damaged_archives(content: bytearray, problem: Problem) -> None:
    assert found(content) == [problem]


def test_a_directory_that_ends_early() -> None:
    content = zipped(a=b"1", b=b"2")
    struct.pack_into("<H", content, content.find(END) + 10, 3)
    *members, problem = found(content)
    assert members == [ArchiveMember("a", 31, 1, True), ArchiveMember("b", 63, 1, True)]
    assert problem == Problem("bad-zip", "", 158, "the zip directory lists 3 members and ends after 2")


def test_a_member_that_fills_the_archive_to_its_end() -> None:
    (member,) = found(damaged(SOUND[:], CENTRAL, 20, "<I", 74))
    assert member == ArchiveMember("a", 31, 74, False)


def wide(content: bytearray, *, at: int | None = None) -> bytearray:
    """Return the archive with its numbers in the 64-bit record; ``at`` falsifies the offset of the record."""
    end = content.rfind(END)
    count, size, offset = struct.unpack_from("<HII", content, end + 10)
    record = struct.pack("<4sQHHIIQQQQ", b"PK\x06\x06", 44, 45, 45, 0, 0, count, count, size, offset)
    locator = struct.pack("<4sIQI", b"PK\x06\x07", 0, end if at is None else at, 1)
    struct.pack_into("<HII", content, end + 10, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF)
    content[end:end] = record + locator
    return content


def test_64_bit_directory() -> None:
    assert found(wide(zipped(a=b"12345"))) == [ArchiveMember("a", 31, 5, True)]


@pytest.mark.parametrize("at", [0, 82, 84, 10**6])
def test_wrong_offset_of_the_64_bit_directory(at: int) -> None:
    """Without a valid 64-bit record, its placeholders count as numbers."""
    (problem,) = found(wide(zipped(a=b"12345"), at=at))
    assert isinstance(problem, Problem)
    assert problem.message == "a zip directory of 4294967295 bytes does not fit in front of byte 159"


def member64(kind: int, values: tuple[int, ...], *placeholders: int) -> list[ArchiveMember | Problem]:
    """Return the members of a zip with 32-bit placeholders for size, packed size or offset, and 64-bit numbers in an
    extra field."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        info = zipfile.ZipInfo("a")
        info.extra = struct.pack("<2H2s", 9, 2, b"xx") + struct.pack(
            f"<2H{len(values)}Q", kind, 8 * len(values), *values
        )
        archive.writestr(info, b"12345")
    content = bytearray(out.getvalue())
    central = content.find(CENTRAL)
    for at in placeholders:
        struct.pack_into("<I", content, central + at, 0xFFFFFFFF)
    return found(content)


@pytest.mark.parametrize(
    ("values", "placeholders"),
    [((5,), (24,)), ((5,), (20,)), ((5, 5), (24, 20)), ((0,), (42,)), ((5, 5, 0), (24, 20, 42))],
)
def test_64_bit_numbers_of_a_member(values: tuple[int, ...], placeholders: tuple[int, ...]) -> None:
    begin = 31 + 6 + 4 + 8 * len(values)
    assert member64(1, values, *placeholders) == [ArchiveMember("a", begin, 5, True)]


def test_an_extra_field_of_another_kind_states_no_numbers() -> None:
    (problem,) = member64(2, (5,), 20)
    assert isinstance(problem, Problem)
    assert problem.message.startswith("4294967295 bytes from byte 49 pass the end")


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (SOUND, True),
        (END + bytes(18), True),
        (LOCAL, True),
        (b"\0" + SOUND, True),
        (bytes(3) + SOUND, True),
        (bytes(4) + SOUND, True),
        (bytes(4), False),
        (b"\0" + SOUND[:-1], False),
        (b"X" + SOUND, False),
        (b"\0X\0\0" + SOUND, False),
        (b"PK\x01\x02", False),
        (b"", False),
    ],
)
def test_zip_archives(content: bytes, expected: bool) -> None:
    assert is_zip(raw(content)) is expected


CONVERTS = "`litecheck convert` makes an int8 .tflite of it (with TensorFlow installed)"
TORCH = "convert it with LiteRT Torch (litert-torch), from the program that defines the network"
PICKLE = f"a Python pickle, perhaps of PyTorch; if it is, {TORCH}"
ONNX = "an ONNX model; convert it to a SavedModel or a .tflite file first (onnx2tf does that)"
SAFETENSORS = "a safetensors file, which holds weights and no graph; convert the network from the program that defines it"


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (b"version https://git-lfs.github.com/spec", "a git-lfs pointer; `git lfs pull` fetches the file it stands for"),
        (b"\x89HDF\r\n\x1a\n\0", f"an HDF5 file, perhaps of Keras; if it is a whole model named .h5, {CONVERTS}"),
        (b"\x1f\x8b\0", "gzip data; decompress it first"),
        (b"\x28\xb5\x2f\xfd\0", "zstd data; decompress it first"),
        (b"\xfd7zXZ\0", "xz data; decompress it first"),
        (b"BZh9\0", "bzip2 data; decompress it first"),
        (b"7z\xbc\xaf\x27\x1c", "a 7z archive; unpack it first"),
        (b"\x7fELF", "a program or library (ELF)"),
        (b"MZ\0", "a program or library (PE)"),
        (b"GGUF\0", "a GGUF model of llama.cpp"),
        (b"\x93NUMPY", "a numpy array"),
        (b"\x89PNG\0", "a PNG image"),
        (b"\xff\xd8\xff\0", "a JPEG image"),
        (b"%PDF\0", "a PDF document"),
        (b"\x80\x02.\0", PICKLE),
        (b"\x80\x03.\0", PICKLE),
        (b"\x80\x04.\0", PICKLE),
        (b"\x80\x05.\0", PICKLE),
        (b"\x80\x06\0", ""),
        (b"\x08\x01\x12\0",
         "a TensorFlow SavedModel's protobuf; give `litecheck convert` the folder it lies in"),
        (b"\x0a\0", "perhaps a TensorFlow GraphDef (protobuf); convert it with TensorFlow: `litecheck convert` reads "
         "a SavedModel of it"),
        (b"\x08\x07\x12\0", ONNX),
        (b"\x08\x20\x42\0", ONNX),
        (b"\x08\x00\x3a", ONNX),
        (b"\x08\x21\x42\0", ""),
        (b"\x08\x07\x4a\0", ""),
        (b"\x09\x07\x12\0", ""),
        (b"\x08\x07", ""),
        (b"\x01" + bytes(256) + b"ustar\0", "a tar archive; unpack it first"),
        (b"\x01" + bytes(255) + b"ustar\0", ""),
        (b"\x08" + bytes(7) + b'{"a": 1}', SAFETENSORS),
        (b"\x09" + bytes(7) + b'{"a": 1}', ""),
        (b"\x02" + bytes(7) + b'["a", 1]', ""),
        (bytes(5), "nothing but NUL bytes"),
        (b"\x10\0\0\0ORTM\0", "an ONNX Runtime model (ORT format); start from the ONNX model it was made of"),
        (b"\x10\0\0\0ET12\0", "an ExecuTorch program; start from the PyTorch program it was exported from"),
        (b"\x10\0\0\0CIR0\0", "a Circle model of ONE"),
        (b"\x10\0\0\0TFL1\0", "a TFLite model of schema version 1, which no runtime reads any more"),
        (b"\x10\0\0\0TFL2\0", "a TFLite model of schema version 2, which no runtime reads any more"),
        (b"\x10\0\0\0XYZ9\0", ""),
        (b"  <!DOCTYPE html>", "an HTML page, perhaps the answer of a failed download"),
        (b"<HTML>", "an HTML page, perhaps the answer of a failed download"),
        (b"<?xml version", "an XML file"),
        (b"\n {", "a JSON file"),
        (b"[1]", "a JSON file"),
        (b"BZh is a text", "a text file"),
        (b"caf\xc3\xa9", "a text file"),
        (b"cafe \xc3", "a text file"),
        (b"cafe \xe2\x82", "a text file"),
        (b"caf\xc3ee\xc3", ""),
        (b"a\x01b", ""),
    ],
)  # fmt: skip
def test_other_files(content: bytes, name: str) -> None:
    assert looks_like(raw(content)) == name


def test_the_first_4096_bytes_decide() -> None:
    assert looks_like(raw(b"a" * 4096 + b"\0")) == "a text file"
    assert looks_like(raw(b"a" * 4095 + b"\0")) == ""


@pytest.mark.parametrize(
    ("names", "name"),
    [
        (["config.json", "model.weights.h5", "x"], f"a Keras model (.keras); {CONVERTS}"),
        (["config.json"], ""),
        (["data.pkl"], f"a PyTorch file; {TORCH}"),
        (["archive/data.pkl"], f"a PyTorch file; {TORCH}"),
        (["mydata.pkl"], ""),
        (
            ["saved_model.pb"],
            "a zipped TensorFlow SavedModel; unpack it and give the folder to `litecheck convert`",
        ),
        (
            ["m/saved_model.pb"],
            "a zipped TensorFlow SavedModel; unpack it and give the folder to `litecheck convert`",
        ),
        (["unsaved_model.pb"], ""),
        (["a", "b.npy"], "a numpy archive (.npz)"),
        ([], ""),
    ],
)
def test_other_archives(names: list[str], name: str) -> None:
    assert looks_like_zip(names) == name
