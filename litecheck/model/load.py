"""Models read from files or memory: containers are opened, verified and decoded. Every fault is a ModelError."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import numpy as np

from litecheck.errors import ModelError, Problem, wrong_type
from litecheck.flatbuffer.containers import Member, open_models
from litecheck.flatbuffer.schema import load_schema
from litecheck.flatbuffer.tables import Bytes
from litecheck.flatbuffer.verifier import verify
from litecheck.model.decode import decode
from litecheck.model.external_buffers import ExternalFiles
from litecheck.model.integrity import check_integrity
from litecheck.model.types import Model
from litecheck.public_call import shows_call

#: A path, the bytes of a file, or a file opened for reading in binary mode.
ModelSource = str | os.PathLike[str] | bytes | bytearray | memoryview | BinaryIO
#: Name of models that were read from bytes.
IN_MEMORY = "<bytes>"


@shows_call("litecheck.load_model('bundle.task', member='model.tflite')")
def load_model(source: ModelSource, member: str = "") -> Model:
    """Read a model from a path, from bytes (the return value of ``TFLiteConverter.convert()``) or from an open binary file.

    ``member`` selects a model inside a container (``.task``, ``.litertlm``); without it the file must contain exactly
    one model. Raises ModelError with all faults if the model is invalid.
    """
    path, content = _open_source(source, "load_model")
    found = [m for m in open_models(path, content) if isinstance(m, ModelError) or member in ("", m.name)]
    if len(found) != 1:
        names = ", ".join(m.name for m in open_models(path, content) if not isinstance(m, ModelError))
        message = f"no member {member!r} among {names}"
        if not member:
            message = f"holds the models {names}: name one with --member, in verify with --set member=NAME"
        elif not names:
            message = f"got member {member!r}, expected no member: the file is a single model"
        raise ModelError(path, (Problem("which-member", "", 0, message),))
    if isinstance(found[0], ModelError):
        raise found[0]
    return read_model(found[0], path)


def load_models(source: ModelSource) -> Iterator[Model | ModelError]:
    """Yield every model in a file or in a container; a damaged model yields its error."""
    path, content = _open_source(source, "load_models")
    return _read_all(path, content)


def _read_all(path: str, content: bytes | None) -> Iterator[Model | ModelError]:
    try:
        for found in open_models(path, content):
            try:
                yield found if isinstance(found, ModelError) else read_model(found, path)
            except ModelError as error:
                yield error
    except ModelError as error:
        yield error


def _open_source(source: ModelSource, function: str) -> tuple[str, bytes | None]:
    """Return the name of a source, and its bytes unless they have to be read from the path with that name."""
    if isinstance(source, (str, os.PathLike)):
        return os.fspath(source), None
    if isinstance(source, (bytes, bytearray, memoryview)):
        return IN_MEMORY, bytes(source)
    call = f"litecheck.{function}('model.tflite'), or the bytes of that file"
    wanted = "a path, bytes or an open binary file"
    if not hasattr(source, "read"):
        raise wrong_type(function, wanted, source, call)
    content = source.read()
    if not isinstance(content, bytes):
        raise wrong_type(function, wanted, source, "open(path, 'rb') opens one in binary mode")
    name = getattr(source, "name", None)
    return name if isinstance(name, str) else IN_MEMORY, content


def model_from(content: bytes, file: str) -> Model:
    """Return the model in these bytes, with a file name for messages. Raises ModelError."""
    return read_model(Member("", 0, np.frombuffer(content, np.uint8)), file)


def read_model(member: Member, file: str) -> Model:
    """Return the model at the start of ``member``. Raises ModelError."""
    schema = load_schema("tflite")
    tables, problems = verify(schema, Bytes(member.data, member.start))
    external = ExternalFiles(Path(file))
    if not problems:
        problems = check_integrity(tables, external)
    if problems:
        raise ModelError(f"{file}!{member.name}" if member.name else file, problems)
    return decode(tables, external, file, member.name)
