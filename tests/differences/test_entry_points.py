"""Changes of metadata in words."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from litecheck.differences.entry_points import model_changes
from litecheck.model.load import load_model
from litecheck.model.matching import match
from litecheck.model.types import Model

MODEL = load_model(Path(__file__).resolve().parents[2] / "fixtures" / "conv_int8.tflite")


def with_metadata(content: bytes | None) -> Model:
    if content is None:
        return replace(MODEL, metadata=())
    buffers = (*MODEL.buffers, replace(MODEL.buffers[0], data=np.frombuffer(content, np.uint8)))
    return replace(MODEL, metadata=(("origin", len(MODEL.buffers)),), buffers=buffers)


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (b"1.5.0\0\0", b"1.14.0\0", ("1.5.0", "1.14.0", "")),
        (None, bytes(252), ("absent", "252 bytes", "")),
        (b"\1" * 252, b"\2" * 252, ("", "", "252 bytes, other content")),
    ],
)
def test_metadata(old: bytes | None, new: bytes, words: tuple[str, str, str]) -> None:
    (change,) = model_changes(match(with_metadata(old), with_metadata(new)))
    assert (change.kind, change.name) == ("metadata", "origin")
    assert (change.before, change.after, change.text) == words
