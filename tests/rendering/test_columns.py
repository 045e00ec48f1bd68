"""Tables of plain text."""

from __future__ import annotations

from io import StringIO

import pytest
from rich.console import Console

from litecheck.rendering.columns import break_lines, cells, table, width_of


def test_columns_are_as_wide_as_their_content() -> None:
    rows = [("1", "CONV_2D", "", "first"), ("12", "ADD", "", "second")]
    assert table((">#", "operator", "empty", "name"), rows, None).splitlines() == [
        "   #  operator  name",
        "   1  CONV_2D   first",
        "  12  ADD       second",
    ]


def test_the_last_column_has_the_remaining_width() -> None:
    long = "a" * 30 + "z" * 30
    (_, row) = table(("#", "name"), [("1", long)], 40).splitlines()
    assert len(row) <= 40
    assert (row.count("…"), row[5], row[-1]) == (1, "a", "z")


def test_cells_are_separated_and_the_last_keeps_its_width() -> None:
    rows = [("1", "", "a" * 30)]
    assert cells((">#", "empty", "name"), rows, 10, 6) == [["#", "name"], ["1", "aaa…aa"]]


def test_a_row_without_room_continues_on_further_lines() -> None:
    """Columns of 2, 12, 12 and 40 characters exceed a width of 40, so the name has its own line."""
    rows = [("1", "CONV_2D", "int8 1x4x4x8", "a" * 60), ("2", "ADD", "int8 1x4", "")]
    assert table((">#", "operator", "output", "name"), rows, 40).splitlines() == [
        "  #  operator  output",
        "      name",
        "  1  CONV_2D   int8 1x4x4x8",
        f"      {'a' * 17}…{'a' * 16}",
        "  2  ADD       int8 1x4",
    ]


@pytest.mark.parametrize(
    ("width", "lines"), [(None, ["one two three"]), (80, ["one two three"]), (9, ["one two", "  three"])]
)
def test_lines_are_broken_between_words(width: int | None, lines: list[str]) -> None:
    assert list(break_lines(["one two three", ""], width, "  ")) == [*lines, ""]


def test_the_environment_states_the_width_of_a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    assert width_of(Console(file=StringIO())) is None
    monkeypatch.setenv("COLUMNS", "60")
    assert width_of(Console(file=StringIO())) == 60
