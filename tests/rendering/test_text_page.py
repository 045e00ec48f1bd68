"""Text with a margin, and tables that fit the width."""

from __future__ import annotations

import io

import pytest
from rich.cells import cell_len
from rich.console import Console

from litecheck.rendering.text_page import Page, capture_text

HEADS = (">#", "operator", "extra", "name")
ROWS = (("1", "CONV_2D", "an extra word", "first"), ("12", "ADD", "", "second/name"))


def printed(width: int, spare: tuple[str, ...] = ("extra",), **options: object) -> list[str]:
    file = io.StringIO()
    page = Page(Console(file=file, width=width, color_system=None, _environ={}, **options), False)  # type: ignore[arg-type]
    page.grid(HEADS, ROWS, ("", "red"), 1, spare)
    return file.getvalue().splitlines()


def test_a_wide_table_has_all_columns() -> None:
    assert printed(60) == [
        "   #  operator  extra          name",
        "   1  CONV_2D   an extra word  first",
        "  12  ADD                      second/name",
    ]


def test_a_narrow_table_omits_the_spare_column_first() -> None:
    assert printed(30) == ["   #  operator  name", "   1  CONV_2D   first", "  12  ADD       second/name"]


def test_a_very_narrow_table_becomes_sentences() -> None:
    assert printed(24) == [
        "   1  CONV_2D, an extra",
        "      word, first",
        "  12  ADD, second/name",
    ]


def test_numbers_in_sentences_have_the_heading_of_their_column() -> None:
    page = io.StringIO()
    rows = [("int8", "-1..0.5", "40.0 dB", "102 passed, 2 refused", "x/1")]
    Page(Console(file=page, width=32, _environ={}), False).grid(
        ("type", ">range", ">SNR", "ended", "name"), rows, ("",)
    )
    assert " ".join(page.getvalue().split()) == "int8 range -1..0.5, SNR 40.0 dB, 102 passed, 2 refused, x/1"


@pytest.mark.parametrize("width", [24, 30, 45, 60])
def test_no_row_is_wider_than_the_console(width: int) -> None:
    assert max(map(cell_len, printed(width))) <= width


def test_a_column_alone_is_coloured() -> None:
    file = io.StringIO()
    console = Console(file=file, width=60, color_system="standard", force_terminal=True, _environ={})
    Page(console, False).grid(HEADS, ROWS, ("", "red"), 1)
    last = file.getvalue().splitlines()[-1]
    assert "\x1b[31mADD" in last
    assert last.count("\x1b[31m") == 1


def test_captured_is_80_columns_of_plain_text() -> None:
    assert capture_text(lambda console: console.print("[red]" + "y" * 90)) == f"{'y' * 80}\n{'y' * 10}\n"


def test_wide_characters_are_counted_as_two() -> None:
    rows = [("1", "ADD", "", "字" * 20)]
    file = io.StringIO()
    Page(Console(file=file, width=30, color_system=None, _environ={}), False).grid(HEADS, rows, ("",))
    assert max(map(cell_len, file.getvalue().splitlines())) == 30


def test_a_whole_table_shortens_no_word_and_wraps_the_last_column() -> None:
    """In a verdict such as "12 refused", the word must stay readable."""
    file = io.StringIO()
    page = Page(Console(file=file, width=40, color_system=None, _environ={}), False)
    rows = (("CONV_2D", "long extra", "64 passed, 2 refused, 18 accepted"), ("ADD", "", "1 passed"))
    page.grid(("operator", "extra", "ended"), rows, ("", ""), None, ("extra",), whole=True)
    assert file.getvalue().splitlines() == [
        "  operator  ended",
        "  CONV_2D   64 passed, 2 refused, 18",
        "            accepted",
        "  ADD       1 passed",
    ]


def test_a_folder_is_never_broken() -> None:
    file = io.StringIO()
    page = Page(Console(file=file, width=30, color_system=None, _environ={}), False)
    for label in ("files", "message"):
        page.print_labeled(label, "cases/CONV_2D/int8/two-images")
    assert file.getvalue().splitlines() == [
        "  files     cases/CONV_2D/int8/two-images",
        "  message   cases/CONV_2D/int8",
        "            /two-images",
    ]


def test_a_verdict_longer_than_a_line_follows_the_name() -> None:
    file = io.StringIO()
    page = Page(Console(file=file, width=30, color_system=None, _environ={}), False)
    page.title("acme", "conforms: 12 of 991 cases, 93 % of it", "")
    assert file.getvalue().splitlines() == ["acme  conforms: 12 of 991", "cases, 93 % of it"]
