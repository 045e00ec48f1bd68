"""Counts in words: numbers, plural forms, order and omissions."""

from __future__ import annotations

import pytest

from litecheck.summary_text import (
    checked_text,
    combined_exit_code,
    count_of,
    counts_text,
    coverage_text,
    effects_text,
    headlines_text,
    selection_text,
)


@pytest.mark.parametrize(
    ("number", "noun", "plural", "text"),
    [
        (0, "operator", "", "0 operators"),
        (1, "operator", "", "1 operator"),
        (2, "operator", "", "2 operators"),
        (12_000, "entry", "entries", "12,000 entries"),
        (1, "entry", "entries", "1 entry"),
    ],
)
def test_a_number_with_its_noun(number: int, noun: str, plural: str, text: str) -> None:
    assert count_of(number, noun, plural) == text


def test_a_coverage_leaves_out_rare_statuses_without_operators() -> None:
    coverage = {"conforms": 12, "violates": 1, "waived": 0, "not covered": 2}
    assert coverage_text(coverage) == "12 conform, 1 violates, 0 waived, 2 not covered of 15 operators"
    more = {**coverage, "structure checked only": 3, "not applicable": 1, "conforms": 1}
    assert coverage_text(more) == (
        "1 conforms, 1 violates, 0 waived, 3 structure checked only, 2 not covered, 1 not applicable of 8 operators"
    )


@pytest.mark.parametrize(
    ("counts", "effects", "text"),
    [
        ((0, 0, 0, 0), None, "no findings"),
        ((2, 0, 10, 1), None, "2 violations, 10 notes, 1 waived"),
        ((1, 1, 0, 2), {"crashes": 1}, "1 violation (1 crashes), 1 warning, 2 waived"),
    ],
)
def test_findings_in_words(counts: tuple[int, ...], effects: dict[str, int] | None, text: str) -> None:
    named = dict(zip(("violation", "warning", "note", "waived"), counts, strict=True))
    assert counts_text(named, effects) == text  # type: ignore[arg-type]


def test_effects_begin_with_the_gravest() -> None:
    assert effects_text({"fails to load": 2, "crashes": 1_000, "wrong results": 0}) == (
        "1,000 crashes, 2 fails to load"
    )
    assert effects_text({"none, as the operator stays on the CPU": 3}) == "3 none"


def test_uncovered_operators() -> None:
    assert checked_text({"conforms": 13, "not covered": 2}) == "13/15 operators checked, 2 not covered"
    assert checked_text({"not covered": 0, "conforms": 1}) == "1/1 operator checked"
    assert checked_text({"structure checked only": 4, "not covered": 1}) == (
        "0/5 operators checked, 4 structure checked only, 1 not covered"
    )


@pytest.mark.parametrize(
    ("patterns", "text"),
    [
        ((), ""),
        (("A",), " for A"),
        (("A", "B", "C"), " for A, B, C"),
        (("A", "B", "C", "D"), " for A, B, C and 1 more"),
        (("x" * 40,), f" for {'x' * 40}"),
        (("x" * 41,), f" for {'x' * 39}…"),
    ],
)
def test_a_selection_names_three_patterns(patterns: tuple[str, ...], text: str) -> None:
    assert selection_text(patterns) == text


def test_headlines_are_counted_in_the_order_of_verdicts() -> None:
    headlines = [("violates", "violates"), ("conforms", "conforms"), ("conforms", "conforms"),
                 ("conforms", "conforms for SOFTMAX"), ("not checked", "not checked")]  # fmt: skip
    assert headlines_text(headlines) == "2 conform, 1 conforms for SOFTMAX, 1 violates, 1 not checked"  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("codes", "code"),
    [((), 2), ((0,), 0), ((0, 1), 1), ((0, 2), 2), ((2, 1), 1), ((1, 2, 0), 1)],
)
def test_a_violation_outranks_a_model_that_is_not_checked(codes: tuple[int, ...], code: int) -> None:
    assert combined_exit_code(codes) == code
