"""Model files: containers opened, verified and decoded, every diagnosis as a ModelError."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from litecheck.errors import ModelError, Problem
from litecheck.flatbuffer.containers import Member, open_models
from litecheck.flatbuffer.schema import load_schema
from litecheck.flatbuffer.tables import Bytes
from litecheck.flatbuffer.verify import verify
from litecheck.model.decode import decode
from litecheck.model.external import ExternalFiles
from litecheck.model.integrity import check_integrity
from litecheck.model.types import Model


def load_model(path: str | Path, member: str = "") -> Model:
    """Read one model.

    ``member`` chooses a model inside a container (``.task``, ``.litertlm``); without it the file must hold
    exactly one. Raises ModelError with every diagnosis when the file is not a sound model.
    """
    found = [m for m in open_models(path) if isinstance(m, ModelError) or member in ("", m.name)]
    if len(found) != 1:
        names = ", ".join(m.name for m in open_models(path) if not isinstance(m, ModelError))
        message = (
            f"holds the models {names}: name one with --member"
            if not member
            else f"no member {member!r} among {names}"
        )
        raise ModelError(str(path), (Problem("which-member", "", 0, message),))
    if isinstance(found[0], ModelError):
        raise found[0]
    return read_model(found[0], str(path))


def load_models(path: str | Path) -> Iterator[Model | ModelError]:
    """Every model inside a file, damaged ones as the error that says why."""
    try:
        for found in open_models(path):
            try:
                yield found if isinstance(found, ModelError) else read_model(found, str(path))
            except ModelError as error:
                yield error
    except ModelError as error:
        yield error


def model_from(content: bytes, file: str) -> Model:
    """The model that these bytes are, called by a file's name; raises ModelError."""
    return read_model(Member("", 0, np.frombuffer(content, np.uint8)), file)


def read_model(member: Member, file: str) -> Model:
    """The model at the start of ``member``; raises ModelError."""
    schema = load_schema("tflite")
    tables, problems = verify(schema, Bytes(member.data, member.start))
    external = ExternalFiles(Path(file).parent)
    if not problems:
        problems = check_integrity(tables, external)
    if problems:
        raise ModelError(f"{file}!{member.name}" if member.name else file, problems)
    return decode(tables, external, file, member.name)
