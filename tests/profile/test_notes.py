"""The file of notes: every note has a measurement, texts and operators of the schema."""

from __future__ import annotations

from math import inf

import pytest

from litecheck.finding import INFORMATION_LOSS
from litecheck.flatbuffer.schema import load_schema
from litecheck.profile.implicit_requirements import implied_requirements
from litecheck.profile.load import load_profile
from litecheck.profile.measurements.resolution import RESOLUTION
from litecheck.profile.notes import Note, all_notes, notes_of


@pytest.mark.parametrize("note", all_notes(), ids=lambda note: note.name)
def test_a_note_is_complete(note: Note) -> None:
    assert note.name in RESOLUTION
    assert note.operators.keys() <= load_schema().enums["BuiltinOperator"].keys()
    assert note.required
    assert note.because
    assert (note.least, note.most) != (-inf, inf)
    assert note.example != note.found


def test_notes_of_an_operator_are_in_the_order_of_the_file() -> None:
    assert [note.name for note in notes_of("QUANTIZE")] == ["kept_range", "output_levels"]
    assert notes_of("RESHAPE") == ()


def test_a_note_is_a_requirement_of_every_runtime() -> None:
    (found,) = implied_requirements(load_profile("tflm"), "QUANTIZE/kept_range")
    assert (found.level, found.effect, found.demand.profile) == ("note", INFORMATION_LOSS, "tflm")
    assert not list(implied_requirements(load_profile("litert-int8"), "QUANTIZE/kept_range"))
