"""Models inside a file: a plain flatbuffer, a MediaPipe ``.task`` zip, a LiteRT-LM bundle.

The content decides the type, never the suffix. Nothing is copied or decompressed: every model is a view into the
memory-mapped file. A problem of one model does not hide the other models.
"""

from __future__ import annotations

import mmap
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from litecheck.errors import ModelError, Problem
from litecheck.files import STDIN, NotRegularError, is_url, open_file, reason
from litecheck.spelling import similar_file

if TYPE_CHECKING:
    from litecheck.flatbuffer.tables import Tables

IDENTIFIER = b"TFL3"
LITERTLM = b"LITERTLM"
#: Maximum nesting of bundles: MediaPipe's gesture recognizer has a bundle in a bundle.
DEPTH_MAX = 4
#: Suffixes of bundle members that are models, readable or not.
MODEL_SUFFIXES = (".tflite", ".lite", ".tfl", ".task", ".litertlm")
#: Byte at which the flatbuffer that describes a LiteRT-LM bundle begins, and the major version with this layout.
HEADER = 32
LITERTLM_MAJOR = 1


@dataclass(frozen=True, slots=True, eq=False)
class Member:
    """One model inside a file.

    ``name`` is ``""`` if the file is the model, else the names of the enclosing bundles and of the member, joined by
    ``/``. ``start`` is the position of the first byte in the file; ``data`` is a read-only view of the bytes (uint8).
    """

    name: str
    start: int
    data: NDArray[np.uint8]


def open_models(path: str | Path, content: bytes | None = None) -> Iterator[Member | ModelError]:
    """Yield every model in the file, at least one item; a model that cannot be read yields the error.

    ``content`` is the content of the file if the caller has read it; then no file is opened.

    The view of a plain flatbuffer extends to the end of the file: a zip of associated files and buffers outside the
    flatbuffer may follow it. This function raises no error.
    """
    mapped = _load_path(path) if content is None else _wrap_content(content)
    if isinstance(mapped, Problem):
        yield ModelError(str(path), (mapped,))
        return
    yield from _models(str(path), Member("", 0, mapped), 0)


def _load_path(path: str | Path) -> NDArray[np.uint8] | Problem:
    return _download_first(path) if is_url(str(path)) else _map(Path(path))


def _wrap_content(content: bytes) -> NDArray[np.uint8] | Problem:
    return (
        np.frombuffer(content, np.uint8)
        if content
        else Problem("empty-file", "", None, "the content is empty")
    )


def _download_first(address: str | Path) -> Problem:
    message = (
        "is an address, and litecheck reads files; download it first, or pipe it in: "
        "curl -L ADDRESS | litecheck validate -"
    )
    return Problem("not-a-file", "", None, message)


def _map(path: Path) -> NDArray[np.uint8] | Problem:
    """Return the file's bytes, memory-mapped read-only, or the problem."""
    if str(path) == STDIN:
        return _read_stdin()
    try:
        with open_file(path) as file:
            if not os.fstat(file.fileno()).st_size:
                return Problem("empty-file", "", None, "the file is empty")
            return np.frombuffer(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ), np.uint8)
    except FileNotFoundError:
        return Problem("file-not-found", "", None, f"no such file{similar_file(path)}")
    except IsADirectoryError:
        return _folder(path)
    except NotRegularError:
        return Problem("not-a-file", "", None, "is a device, pipe or socket, not a file")
    except (OSError, ValueError) as error:
        why = reason(error) if isinstance(error, OSError) else str(error)
        return Problem("unreadable-file", "", None, f"cannot be opened: {why}")


@cache
def _read_stdin() -> NDArray[np.uint8] | Problem:
    """Return the bytes of stdin, read once for all callers."""
    content = sys.stdin.buffer.read()
    if not content:
        return Problem("empty-file", "", None, "nothing is piped to the program")
    return np.frombuffer(content, np.uint8)


def _folder(path: Path) -> Problem:
    from litecheck.flatbuffer.archive import LITECHECK_CONVERTS

    if os.path.isfile(path / "saved_model.pb"):
        return Problem("not-a-model", "", None, f"is a TensorFlow SavedModel folder; {LITECHECK_CONVERTS}")
    return Problem("not-a-file", "", None, "is a folder")


def _models(file: str, part: Member, depth: int) -> Iterator[Member | ModelError]:
    if _is_model(part):
        yield part
        return
    found = _contents(part)
    if depth == DEPTH_MAX:
        found = iter((Problem("too-many-members", "", part.start, "bundles lie too deep inside bundles"),))
    for item in found:
        if isinstance(item, Problem):
            yield ModelError(f"{file}!{part.name}" if part.name else file, (item,))
        else:
            yield from _models(file, item, depth + 1)


def _is_model(part: Member) -> bool:
    return part.data[4:8].tobytes() == IDENTIFIER


def _contents(part: Member) -> Iterator[Member | Problem]:
    """Yield the contents of a bundle, or the problem if the file is not a bundle."""
    from litecheck.flatbuffer.archive import is_zip

    if _is_litertlm(part):
        return _sections(part)
    return _zip_members(part) if is_zip(part.data) else iter((_not_a_model(part),))


def _is_litertlm(part: Member) -> bool:
    return part.data[:8].tobytes() == LITERTLM


def _not_a_model(part: Member) -> Problem:
    from litecheck.flatbuffer.archive import looks_like

    kind = looks_like(part.data)
    if not kind and len(part.data) < 8:
        return Problem("file-too-short", "", part.start, f"{len(part.data)} bytes cannot hold a model")
    if not kind:
        found = part.data[4:8].tobytes()
        kind = f"an unknown format (bytes 4 to 8 are {found!r}, where a LiteRT model has {IDENTIFIER!r})"
    return Problem("not-a-model", "", part.start, _wrong_type_message(kind))


def _wrong_type_message(kind: str) -> str:
    """Return the message for a file of another type, with advice after a semicolon."""
    name, _, advice = kind.partition("; ")
    return f"this is {name}, not a LiteRT model" + (f"; {advice}" if advice else "")


def _zip_members(part: Member) -> Iterator[Member | Problem]:
    """Yield the models of a zip, in file order, after its problems."""
    from litecheck.flatbuffer.archive import entries, looks_like_zip

    models: list[Member] = []
    others: list[str] = []
    faults = 0
    for entry in entries(part.data):
        if isinstance(entry, Problem):
            faults += 1
            yield replace(entry, offset=part.start + (entry.offset or 0))
            continue
        member = _slice(part, entry.name, entry.begin, entry.begin + entry.size)
        named = entry.name.lower().endswith(MODEL_SUFFIXES)
        if named and not entry.stored:
            faults += 1
            message = "is compressed or encrypted; bundles store models as they are, to be mapped into memory"
            yield Problem("compressed-member", entry.name, member.start, message)
        elif entry.stored and (named or _is_model(member) or _is_litertlm(member)):
            models.append(member)
        else:
            others.append(entry.name)
    if not models and not faults:
        kind = looks_like_zip(others)
        if kind:
            yield Problem("not-a-model", "", part.start, _wrong_type_message(kind))
            return
        holds = ", ".join(others[:5]) + (" ..." if len(others) > 5 else "") if others else "nothing"
        yield Problem("not-a-model", "", part.start, f"this is a zip file without models (it holds {holds})")
    yield from _drop_overlaps(models)


def _slice(part: Member, name: str, begin: int, end: int) -> Member:
    return Member(f"{part.name}/{name}" if part.name else name, part.start + begin, part.data[begin:end])


def _drop_overlaps(members: list[Member]) -> Iterator[Member | Problem]:
    """Yield the members that share no byte with an earlier member. Each byte of a file is checked at most once."""
    end = 0
    for member in sorted(members, key=lambda m: m.start):
        if member.start < end:
            message = f"begins inside the member before it, which ends at byte {end}"
            yield Problem("overlapping-members", member.name, member.start, message)
            continue
        end = member.start + len(member.data)
        yield member


def _sections(part: Member) -> Iterator[Member | Problem]:
    """Yield the TFLite sections of a LiteRT-LM bundle, in file order, after the problems of its header."""
    from litecheck.flatbuffer.schema import load_schema
    from litecheck.flatbuffer.tables import Bytes
    from litecheck.flatbuffer.verifier import verify

    size = len(part.data)
    if size < HEADER:
        yield Problem("file-too-short", "", part.start, f"{size} bytes cannot hold a LiteRT-LM header")
        return
    major, end = int(part.data[8:12].view("<u4")[0]), int(part.data[24:32].view("<u8")[0])
    if major != LITERTLM_MAJOR:
        message = f"LiteRT-LM bundle of major version {major}; version {LITERTLM_MAJOR} is known"
        yield Problem("unknown-version", "", part.start + 8, message)
        return
    if not HEADER < end <= size:
        message = f"the header ends at byte {end}, the file has {size}: it is cut off"
        message = message if end > size else f"the header cannot end at byte {end}"
        yield Problem("section-outside-file", "", part.start + 24, message)
        return
    schema = load_schema("litertlm")
    tables, problems = verify(schema, Bytes(part.data[HEADER:end], part.start + HEADER))
    yield from problems
    if tables.count("SectionObject"):
        yield from _tflite_sections(part, end, tables)
    elif not problems:
        yield Problem("not-a-model", "", part.start, "this is a LiteRT-LM bundle without sections")


def _tflite_sections(part: Member, header_end: int, tables: Tables) -> Iterator[Member | Problem]:
    kind = tables.column("SectionObject", "data_type")
    begin, end = tables.column("SectionObject", "begin_offset"), tables.column("SectionObject", "end_offset")
    wanted = tables.schema.enums["AnySectionDataType"]["TFLiteModel"]
    models: list[Member] = []
    faults = 0
    for number, row in enumerate(tables.children("SectionMetadata", "objects", 0).tolist()):
        if (
            row < 0 or kind[row] != wanted
        ):  # row is -1 if the object failed verification, which is reported already
            continue
        first, last = int(begin[row]), int(end[row])
        if header_end <= first <= last <= len(part.data):
            models.append(_slice(part, f"section-{number}", first, last))
            continue
        faults += 1
        at = tables.offset("SectionObject", row)
        message = f"bytes {first} to {last} do not lie between the header's end and byte {len(part.data)}"
        message += "; the file is cut off" if last > len(part.data) else ""
        yield Problem("section-outside-file", f"section_metadata.objects[{number}]", at, message)
    if not models and not faults:
        yield Problem("not-a-model", "", part.start, "this is a LiteRT-LM bundle without a TFLite section")
    yield from _drop_overlaps(models)
