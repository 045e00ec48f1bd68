"""Tables of plain text."""

from __future__ import annotations

from litecheck.rendering.columns import cells, table


def test_columns_are_as_wide_as_what_is_in_them() -> None:
    rows = [("1", "CONV_2D", "", "first"), ("12", "ADD", "", "second")]
    assert table((">#", "operator", "empty", "name"), rows, None).splitlines() == [
        "   #  operator  name",
        "   1  CONV_2D   first",
        "  12  ADD       second",
    ]


def test_the_last_column_takes_what_is_left() -> None:
    long = "a" * 30 + "z" * 30
    (_, row) = table(("#", "name"), [("1", long)], 40).splitlines()
    assert len(row) <= 40
    assert (row.count("…"), row[5], row[-1]) == (1, "a", "z")


def test_cells_stand_alone_and_the_last_keeps_the_room_it_is_given() -> None:
    rows = [("1", "", "a" * 30)]
    assert cells((">#", "empty", "name"), rows, 10, 6) == [["#", "name"], ["1", "aaa…aa"]]
