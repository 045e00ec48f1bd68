"""Complete problems of damaged files: each word of a model, and bytes of bundles, are changed."""

from __future__ import annotations

import os
import struct
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from fixtures.models import fc_int8
from litecheck.errors import LitecheckError
from litecheck.flatbuffer.schema import load_schema
from litecheck.flatbuffer.tables import Bytes
from litecheck.flatbuffer.verifier import verify
from litecheck.model.load import load_model
from litecheck.model.save import model_bytes

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
#: Changes of a word.
WORDS: dict[str, Callable[[int], int]] = {
    "plus 4": lambda word: word + 4,
    "zero": lambda word: 0,
    "huge": lambda word: 0x7FFFFFF0,
}
#: Changed places of a bundle.
PLACES = 20


def problems(data: bytes) -> str:
    """Return the problems of a file in short form."""
    _, found = verify(load_schema("tflite"), Bytes(np.frombuffer(data, np.uint8), 0))
    return " | ".join(f"{p.code} {p.path} {p.offset}: {p.message}" for p in found[:3])


def damaged(change: Callable[[int], int]) -> Iterator[str]:
    """Yield the problems after each changed word, except for words without a problem."""
    data = model_bytes(fc_int8())
    for at in range(0, len(data) - 3, 4):
        changed = bytearray(data)
        struct.pack_into("<I", changed, at, change(struct.unpack_from("<I", data, at)[0]) & 0xFFFFFFFF)
        if text := problems(bytes(changed)):
            yield f"{at}: {text}"


@pytest.mark.parametrize("name", WORDS)
def test_whole_damage(name: str, golden: Callable[[str, str], None]) -> None:
    golden(f"damage.{name.replace(' ', '-')}.txt", "".join(f"{line}\n" for line in damaged(WORDS[name])))


def read(file: Path) -> str:
    """Return the number of operators in a file, or the error without the folder."""
    try:
        return f"{sum(len(s.operators) for s in load_model(file).subgraphs)} operators"
    except LitecheckError as error:
        return str(error).replace(f"{file.parent}{os.sep}", "")


@pytest.mark.parametrize(
    "name", ["bundle.task", "bundle.litertlm", "appended_zip.tflite", "outside_buffers.tflite"]
)
def test_whole_damage_of_bundles(name: str, tmp_path: Path, golden: Callable[[str, str], None]) -> None:
    data, lines = (FIXTURES / name).read_bytes(), []
    for at in range(0, len(data), max(1, len(data) // PLACES)):
        (tmp_path / name).write_bytes(data[:at])
        lines.append(f"cut at {at}: {read(tmp_path / name)}")
        (tmp_path / name).write_bytes(data[:at] + b"\xff\xff\xff\x7f" + data[at + 4 :])
        lines.append(f"changed at {at}: {read(tmp_path / name)}")
    golden(f"bundle.{name}.txt", "".join(f"{line}\n" for line in lines))
