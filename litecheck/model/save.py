"""Writer of a Model to a file: atomic, with large constants streamed from their source."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from litecheck.errors import ModelError, wrong_type
from litecheck.files import atomic_write, file_digest
from litecheck.flatbuffer.schema import load_schema
from litecheck.flatbuffer.table import Table
from litecheck.flatbuffer.write import SIZE_MAX, write
from litecheck.model.encode import encode
from litecheck.model.types import Buffer, Model
from litecheck.public_call import shows_call

#: Alignment in bytes of a buffer outside the flatbuffer.
ALIGNMENT = 16
#: Minimum size in bytes of buffers that move outside if the flatbuffer would exceed its limit.
LARGE = 1 << 16
#: Bytes reserved for all content except buffers in this decision.
RESERVE = 1 << 26
_CHUNK = 1 << 24
#: Hashes of models in memory. Computing a hash takes as long as writing the model.
_HASHES: WeakKeyDictionary[Model, str] = WeakKeyDictionary()


@shows_call("litecheck.save_model(model, 'model.tflite')")
def save_model(
    model: Model,
    path: str | Path,
    *,
    outside_above: int | None = None,
    drop_unknown: bool = False,
) -> None:
    """Write a model to a file atomically; ``path`` may be the file that it was read from.

    Buffers of more than ``outside_above`` bytes are stored after the flatbuffer. Without it, these are the buffers that
    were there before, and all large buffers of a model beyond 2 GB.

    Fields newer than litecheck's schema that cannot be written raise ModelError, unless ``drop_unknown`` leaves them
    out. A model that is too large raises ModelError. Raises ConfigError if the system cannot write the file.
    """
    if not isinstance(model, Model):
        raise wrong_type("save_model", "a Model first", model, "litecheck.save_model(model, 'model.tflite')")
    try:
        pieces = _make_pieces(model, outside_above, drop_unknown)
    except ModelError as error:
        raise ModelError(str(path), error.problems) from error
    atomic_write(path, pieces)


def file_size(model: Model) -> int:
    """Return the size of a model's file in bytes, or of the file that saving would write."""
    return model.size or len(model_bytes(model, drop_unknown=True))


def model_hash(model: Model) -> str:
    """Return the SHA-256 of a model as :func:`save_model` writes it. A file and an equal model built in memory have one
    hash."""
    if model not in _HASHES:
        digest = hashlib.sha256()
        for piece in _make_pieces(replace(model, unknown_content=()), None, False):
            digest.update(piece)
        _HASHES[model] = digest.hexdigest()
    return _HASHES[model]


def hash_saved_file(model: Model, path: str | Path) -> None:
    """Compute :func:`model_hash` from a file that :func:`save_model` wrote with the default ``outside_above``."""
    if model not in _HASHES and not model.unknown_content:
        _HASHES[model] = file_digest(path)


@shows_call("litecheck.model_bytes(model)")
def model_bytes(model: Model, *, outside_above: int | None = None, drop_unknown: bool = False) -> bytes:
    """Return the bytes that :func:`save_model` writes."""
    return b"".join(_make_pieces(model, outside_above, drop_unknown))


def _make_pieces(model: Model, outside_above: int | None, drop_unknown: bool) -> Iterator[bytes | memoryview]:
    if model.unknown_content and not drop_unknown:
        raise ModelError("", model.unknown_content)
    schema = load_schema("tflite")
    table = encode(model)
    outside = _select_outside(table, model.buffers, outside_above)
    written = write(
        _with_outside(table, dict.fromkeys(outside, ALIGNMENT)), schema, drop_unknown=drop_unknown
    )
    if outside:
        # The positions of the buffers depend on the size of the flatbuffer; the size does not depend on the positions.
        places = _place_outside(len(written), outside)
        written = write(_with_outside(table, places), schema, drop_unknown=drop_unknown)
    return _stream(written, list(outside.values()))


def _select_outside(
    table: Table, buffers: tuple[Buffer, ...], above: int | None
) -> dict[int, NDArray[np.uint8]]:
    """Return the buffers that are stored after the flatbuffer, by number."""
    data = {i: b.fields["data"] for i, b in enumerate(table.fields["buffers"]) if "data" in b}  # type: ignore
    if above is not None:
        return {i: d for i, d in data.items() if len(d) > above}
    there = {i for i, b in enumerate(buffers) if b.outside}
    inside = sum(len(d) for i, d in data.items() if i not in there)
    least = LARGE if inside + RESERVE > SIZE_MAX else inside + 1
    return {i: d for i, d in data.items() if i in there or len(d) >= least}


def _place_outside(start: int, outside: Mapping[int, NDArray[np.uint8]]) -> dict[int, int]:
    places = {}
    for number, data in outside.items():
        places[number] = start + -start % ALIGNMENT
        start = places[number] + len(data)
    return places


def _with_outside(table: Table, places: Mapping[int, int]) -> Table:
    """Return the tree with some buffers stored at these positions of the file instead of in their tables."""
    tables: list[Any] = list(table.get("buffers"))
    for number, offset in places.items():
        size = len(tables[number].fields["data"])
        tables[number] = Table("Buffer", {"offset": offset, "size": size})
    return replace(table, fields={**table.fields, "buffers": tuple(tables)})


def _stream(written: memoryview, outside: list[NDArray[np.uint8]]) -> Iterator[bytes | memoryview]:
    """Yield the bytes of the file in order; buffers outside the flatbuffer in windows of their source."""
    yield written
    at = len(written)
    for data in outside:
        yield bytes(-at % ALIGNMENT)
        for start in range(0, len(data), _CHUNK):
            yield data[start : start + _CHUNK].data
        at += -at % ALIGNMENT + len(data)
