"""Zip archives and files of other types: positions of zip members, read within bounds, and names of file types."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from litecheck.errors import Problem

#: Maximum number of members of an archive. A directory that claims more is not read.
MEMBERS_MAX = 10_000

_END, _END64, _LOCATOR64 = b"PK\x05\x06", b"PK\x06\x06", b"PK\x06\x07"
_LOCAL, _CENTRAL = b"PK\x03\x04", b"PK\x01\x02"
_COMMENT_MAX = 65535


@dataclass(frozen=True, slots=True)
class ArchiveMember:
    """Member of an archive. The content is ``[begin, begin + size)`` of the archive, compressed unless ``stored``."""

    name: str
    begin: int
    size: int
    stored: bool


@dataclass(frozen=True, slots=True)
class _Directory:
    begin: int
    size: int
    count: int
    shift: int
    """Number to add to the archive's offsets if other bytes precede the archive."""


def is_zip(raw: NDArray[np.uint8]) -> bool:
    """Return True if the bytes are a zip file. Up to three NUL bytes of alignment may precede the first member."""
    first = raw[:4].tobytes()
    if first in (_LOCAL, _END):
        return True
    return first[:1] == b"\0" and _LOCAL.startswith(first.lstrip(b"\0")) and _find_end(raw) >= 0


def entries(raw: NDArray[np.uint8]) -> Iterator[ArchiveMember | Problem]:
    """Yield every file in the archive, in directory order. A problem of one file does not hide the other files."""
    directory = _read_directory(raw)
    if isinstance(directory, Problem):
        yield directory
        return
    content = raw[directory.begin : directory.begin + directory.size]
    at = 0
    for number in range(directory.count):
        head = content[at : at + 46].tobytes()
        if len(head) < 46 or head[:4] != _CENTRAL:
            message = f"the zip directory lists {directory.count} members and ends after {number}"
            yield Problem("bad-zip", "", directory.begin + min(at, directory.size), message)
            return
        name, extra, comment = struct.unpack_from("<3H", head, 28)
        record = content[at : at + 46 + name + extra].tobytes()
        yield from _entry(raw, directory, record, directory.begin + at)
        at += 46 + name + extra + comment


def _entry(
    raw: NDArray[np.uint8], directory: _Directory, record: bytes, at: int
) -> Iterator[ArchiveMember | Problem]:
    flags, method = struct.unpack_from("<2H", record, 8)
    packed, size, length, _extra = struct.unpack_from("<2I2H", record, 20)
    (header,) = struct.unpack_from("<I", record, 42)
    # Zip defines only UTF-8 and code page 437; names in model bundles are ASCII.
    name = record[46 : 46 + length].decode("utf-8", "backslashreplace")
    if name.endswith("/"):
        return
    size, packed, header = _zip64(record[46 + length :], size, packed, header)
    header += directory.shift
    if header + 30 > len(raw) or raw[header : header + 4].tobytes() != _LOCAL:
        yield Problem("bad-zip", name, at, f"no member begins at byte {header}, where the directory says")
        return
    local_name, local_extra = struct.unpack("<2H", raw[header + 26 : header + 30].tobytes())
    begin = header + 30 + local_name + local_extra
    if packed > len(raw) - begin:
        message = f"{packed} bytes from byte {begin} pass the end of the zip file's {len(raw)}"
        yield Problem("section-outside-file", name, at, message)
        return
    stored = method == 0 and not flags & 1 and size == packed
    yield ArchiveMember(name, begin, packed, stored)


def _read_directory(raw: NDArray[np.uint8]) -> _Directory | Problem:
    end = _find_end(raw)
    if end < 0:
        return Problem("bad-zip", "", len(raw), "the zip file is cut off: its directory is missing")
    count, size, offset = struct.unpack("<HII", raw[end + 10 : end + 20].tobytes())
    if count == 0xFFFF or 0xFFFFFFFF in (size, offset):
        end, count, size, offset = _read_directory64(raw, end) or (end, count, size, offset)
    begin = end - size
    if begin < 0 or begin < offset:
        return Problem(
            "bad-zip", "", end, f"a zip directory of {size} bytes does not fit in front of byte {end}"
        )
    if count > MEMBERS_MAX:
        return Problem("too-many-members", "", end, f"{count} members; at most {MEMBERS_MAX} are looked at")
    return _Directory(begin, size, count, begin - offset)


def _read_directory64(raw: NDArray[np.uint8], end: int) -> tuple[int, int, int, int] | None:
    """Return (end, count, size, offset) from the 64-bit record before the 32-bit record; None if there is none."""
    locator = raw[max(end - 20, 0) : end].tobytes()
    if locator[:4] != _LOCATOR64 or len(locator) < 20:
        return None
    (at,) = struct.unpack_from("<Q", locator, 8)
    record = raw[at : at + 56].tobytes() if at <= len(raw) else b""
    if record[:4] != _END64 or len(record) < 56:
        return None
    count, size, offset = struct.unpack_from("<3Q", record, 32)
    return at, count, size, offset


def _zip64(extra: bytes, size: int, packed: int, header: int) -> tuple[int, int, int]:
    """Return the three numbers. The extra field replaces numbers that do not fit into 32 bits."""
    at, values = 0, [size, packed, header]
    while at + 4 <= len(extra):
        kind, length = struct.unpack_from("<2H", extra, at)
        if kind == 1:
            wide = [i for i, value in enumerate(values) if value == 0xFFFFFFFF]
            stated = extra[at + 4 : at + 4 + length]
            for place, i in enumerate(wide[: len(stated) // 8]):
                (values[i],) = struct.unpack_from("<Q", stated, 8 * place)
        at += 4 + length
    return values[0], values[1], values[2]


def _find_end(raw: NDArray[np.uint8]) -> int:
    """Return the position of the end record of the central directory, or -1."""
    first = max(len(raw) - 22 - _COMMENT_MAX, 0)
    at = raw[first:].tobytes().rfind(_END)
    return first + at if at >= 0 and first + at + 22 <= len(raw) else -1


#: Advice for a float model in another format that litecheck can convert.
LITECHECK_CONVERTS = "`litecheck convert` makes an int8 .tflite of it (with TensorFlow installed)"
_BY_TENSORFLOW = "convert it with TensorFlow: `litecheck convert` reads a SavedModel of it"
_BY_LITERT_TORCH = "convert it with LiteRT Torch (litert-torch), from the program that defines the network"
_FROM_ONNX = "convert it to a SavedModel or a .tflite file first (onnx2tf does that)"
_MAGIC: tuple[tuple[bytes, str], ...] = (
    (b"version https://git-lfs", "a git-lfs pointer; `git lfs pull` fetches the file it stands for"),
    (
        b"\x89HDF\r\n\x1a\n",
        f"an HDF5 file, perhaps of Keras; if it is a whole model named .h5, {LITECHECK_CONVERTS}",
    ),
    (b"\x1f\x8b", "gzip data; decompress it first"),
    (b"\x28\xb5\x2f\xfd", "zstd data; decompress it first"),
    (b"\xfd7zXZ\0", "xz data; decompress it first"),
    (b"BZh", "bzip2 data; decompress it first"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive; unpack it first"),
    (b"\x7fELF", "a program or library (ELF)"),
    (b"MZ", "a program or library (PE)"),
    (b"GGUF", "a GGUF model of llama.cpp"),
    (b"\x93NUMPY", "a numpy array"),
    (b"\x89PNG", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"%PDF", "a PDF document"),
    (b"\x80\x02", f"a Python pickle, perhaps of PyTorch; if it is, {_BY_LITERT_TORCH}"),
    (b"\x80\x03", f"a Python pickle, perhaps of PyTorch; if it is, {_BY_LITERT_TORCH}"),
    (b"\x80\x04", f"a Python pickle, perhaps of PyTorch; if it is, {_BY_LITERT_TORCH}"),
    (b"\x80\x05", f"a Python pickle, perhaps of PyTorch; if it is, {_BY_LITERT_TORCH}"),
    (b"\x08\x01\x12", "a TensorFlow SavedModel's protobuf; give `litecheck convert` the folder it lies in"),
    (b"\x0a", f"perhaps a TensorFlow GraphDef (protobuf); {_BY_TENSORFLOW}"),
)
_FLATBUFFERS = {
    b"ORTM": "an ONNX Runtime model (ORT format); start from the ONNX model it was made of",
    b"ET12": "an ExecuTorch program; start from the PyTorch program it was exported from",
    b"CIR0": "a Circle model of ONE",
    b"TFL1": "a TFLite model of schema version 1, which no runtime reads any more",
    b"TFL2": "a TFLite model of schema version 2, which no runtime reads any more",
}
#: Tags of the fields 2 to 8 of ModelProto. In an ONNX file, one of these tags follows ir_version.
_ONNX_NEXT = b"\x12\x1a\x22\x28\x32\x3a\x42"


def looks_like(raw: NDArray[np.uint8]) -> str:
    """Return the apparent file type as a noun phrase, with advice; "" if it is unknown."""
    head = raw[:4096].tobytes()
    text = _text(head)
    if head.startswith(_MAGIC[0][0]) or not text:
        for magic, meaning in _MAGIC:
            if head.startswith(magic):
                return meaning
    if text:
        return text
    if len(head) >= 3 and head[0] == 8 and head[1] <= 32 and head[2] in _ONNX_NEXT:
        return f"an ONNX model; {_FROM_ONNX}"
    if head[257:262] == b"ustar":
        return "a tar archive; unpack it first"
    if head[8:10] == b'{"' and int.from_bytes(head[:8], "little") <= len(raw) - 8:
        return "a safetensors file, which holds weights and no graph; convert the network from the program that defines it"
    if not any(head):
        return "nothing but NUL bytes"
    return _FLATBUFFERS.get(head[4:8], "")


def looks_like_zip(names: Sequence[str]) -> str:
    """Return the apparent type of a zip file with members of these names, with advice; "" if it is unknown."""
    if {"config.json", "model.weights.h5"} <= set(names):
        return f"a Keras model (.keras); {LITECHECK_CONVERTS}"
    if any(name == "data.pkl" or name.endswith("/data.pkl") for name in names):
        return f"a PyTorch file; {_BY_LITERT_TORCH}"
    if any(name == "saved_model.pb" or name.endswith("/saved_model.pb") for name in names):
        return "a zipped TensorFlow SavedModel; unpack it and give the folder to `litecheck convert`"
    if any(name.endswith(".npy") for name in names):
        return "a numpy archive (.npz)"
    return ""


def _text(head: bytes) -> str:
    if b"\0" in head:
        return ""
    try:
        text = head.decode("utf-8")
    except UnicodeDecodeError as error:
        if error.start < len(head) - 3:
            return ""
        text = head[: error.start].decode("utf-8")
    if not all(c.isprintable() or c.isspace() for c in text):
        return ""
    start = text.lstrip().lower()
    if start.startswith(("<!doctype html", "<html")):
        return "an HTML page, perhaps the answer of a failed download"
    if start.startswith("<?xml"):
        return "an XML file"
    if start.startswith(("{", "[")):
        return "a JSON file"
    return "a text file"
