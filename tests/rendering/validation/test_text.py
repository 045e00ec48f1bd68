from __future__ import annotations

import io
import re
from dataclasses import replace

import pytest
from rich.cells import cell_len
from rich.console import Console

from litecheck.rendering.formats import render
from litecheck.rendering.validation import text
from litecheck.report import Report


def printed(report, width=80, verbose=False, **options):
    file = io.StringIO()
    options = {"color_system": None, "force_terminal": False, "_environ": {}, **options}
    text.print_report(report, Console(file=file, width=width, **options), verbose)
    return file.getvalue()


@pytest.mark.parametrize("width", [40, 80, 120, 300])
def test_no_line_is_wider_than_the_console_nor_too_wide_to_read(sample, width):
    lines = printed(sample, width).splitlines()
    assert max(map(cell_len, lines)) <= min(width, 120)
    assert all(line == line.rstrip() for line in lines)


def test_render_is_the_same_as_an_80_column_console_without_colour(sample):
    assert render(sample) == printed(sample)
    assert "\x1b" not in render(sample)


def test_render_heeds_no_terminal_variables(sample, monkeypatch):
    before = render(sample)
    monkeypatch.setenv("COLUMNS", "30")
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert render(sample) == before


def test_a_colour_console_gets_colour_and_the_same_words(sample):
    coloured = printed(sample, color_system="standard", force_terminal=True)
    assert "\x1b[1;31mviolates" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == printed(sample)


def test_markup_in_names_stays_text(sample):
    assert "[bold]x[/bold]" in render(sample)


def test_an_ascii_console_gets_no_lines_it_cannot_draw(good):
    file = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    text.print_report(good, Console(file=file, width=80, color_system=None))
    file.flush()
    assert b"models/good.tflite ---" in file.buffer.getvalue()


def test_lists_beyond_a_handful_are_shortened_unless_verbose(sample):
    short, whole = printed(sample), printed(sample, verbose=True)
    assert "and 7 more" in short
    assert "head/dense_11" not in short
    assert "head/dense_11/kernel" in whole
    assert not re.search(r"and \d+ more", whole)


def test_a_requirement_broken_in_many_ways_is_cut_and_the_rest_counted(report_of, make_finding):
    report = report_of(*(make_finding(found=f"{n}", name=f"conv{n}") for n in range(9)))
    assert "and 4 other findings of this kind" in printed(report)
    assert "other findings" not in printed(report, verbose=True)


def test_many_reasons_for_no_coverage_are_cut(sample):
    float_model = sample.models[-1]
    ops = tuple(
        replace(float_model.operators[0], index=n, opcode="X" * (n % 40 + 1), reason=f"why {n}")
        for n in range(40)
    )
    report = Report("0.1.0", (replace(float_model, operators=ops),))
    assert "and 20 other kinds" in printed(report)
    assert "why 39" in printed(report, verbose=True)


def test_the_grammar_of_a_finding(sample):
    assert (
        "violation   CONCATENATION/same_quantization\n"
        "  at        CONCATENATION #2 'merge', values[1] 'right'\n"
        "  found     scale 0.023529412 and zero point -1\n"
        "  required  scale 0.019607844 and zero point -1, those of output 'merge'\n"
    ) in printed(sample)


def test_a_long_place_breaks_between_operator_and_operand(report_of, make_finding):
    report = report_of(make_finding(name="n" * 50, tensor="k" * 20))
    assert f"  at        CONV_2D #0 '{'n' * 50}',\n            weight '{'k' * 20}'\n" in printed(report)
    assert f"CONV_2D #0 '{'n' * 50}', weight '{'k' * 20}'\n" in printed(report, width=120)


def test_last_line_is_the_total(good):
    assert printed(good).splitlines()[-1] == "1 model: 1 conforms; no findings; 2/2 operators checked"
