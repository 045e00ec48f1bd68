"""Tables with words that are never cut."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from litecheck.rendering.word_table import fold_words, print_table, shares


@pytest.mark.parametrize(
    ("words", "width", "lines"),
    [
        ("limits/fused_activation", 20, "limits/fused_\nactivation"),
        ("limits/fused_activation", 30, "limits/fused_activation"),
        ("rules/targets/ethos-u55.yaml:594", 20, "rules/targets/ethos-\nu55.yaml:594"),
        ("per-tensor quantization", 12, "per-tensor quantization"),
        ("incompressible", 4, "incompressible"),
        ("", 4, ""),
    ],
)
def test_a_word_is_wrapped_after_a_separator(words: str, width: int, lines: str) -> None:
    assert fold_words(words, width) == lines


@pytest.mark.parametrize(
    ("needs", "room", "widths"),
    [
        ({"a": 10, "b": 10}, 40, {"a": 10, "b": 10}),
        ({"a": 10, "b": 50}, 40, {"a": 10, "b": 30}),
        ({"a": 50, "b": 50}, 40, {"a": 20, "b": 20}),
        ({"a": 50}, 0, {"a": 1}),
        ({}, 40, {}),
    ],
)
def test_unused_width_of_a_column_is_shared(needs: dict[str, int], room: int, widths: dict[str, int]) -> None:
    assert shares(needs, room) == widths


@pytest.mark.parametrize("width", [20, 40, 60, 80, 200])
def test_a_table_is_as_wide_as_the_terminal_at_most(width: int) -> None:
    out = io.StringIO()
    row = ("CONV_2D/limits/dilated_kernel_h", "dilated kernel h in 1..64", "violation")
    print_table(("path", "required", "level"), [row], ("path", "level"), Console(file=out, width=width))
    assert max(map(len, out.getvalue().splitlines())) <= width
    assert "violation" in out.getvalue() or width == 20
