"""A verification at a terminal."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from rich.cells import cell_len
from rich.console import Console

from litecheck.devices.outcome import Outcome
from litecheck.rendering.formats import render
from litecheck.rendering.verification import text
from litecheck.verification.cost_estimate import CostEstimate, InvocationTime, PlannedCase
from litecheck.verification.result import Verification


def printed(verification: Verification, width: int = 80, verbose: bool = False, **options: object) -> str:
    file = io.StringIO()
    options = {"color_system": None, "force_terminal": False, "_environ": {}, **options}
    text.print_report(verification, Console(file=file, width=width, **options), verbose)  # type: ignore[arg-type]
    return file.getvalue()


def test_at_a_wide_terminal_cases_are_a_table(
    sample: Verification, golden: Callable[[str, str], None]
) -> None:
    golden("verification.wide.txt", printed(sample, 120))


def test_a_conforming_run(good: Verification, golden: Callable[[str, str], None]) -> None:
    golden("verification.good.txt", printed(good))


@pytest.mark.parametrize("verbose", [False, True])
@pytest.mark.parametrize("width", [40, 60, 80, 100, 120, 300])
def test_no_line_is_wider_than_the_console_nor_too_wide_to_read(
    sample: Verification, width: int, verbose: bool
) -> None:
    lines = printed(sample, width, verbose).splitlines()
    assert max(map(cell_len, lines)) <= min(width, 120)
    assert all(line == line.rstrip() for line in lines)


def test_render_is_the_same_as_an_80_column_console_without_colour(
    sample: Verification, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "30")
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert render(sample) == printed(sample)
    assert "\x1b" not in render(sample)


def test_a_colour_console_gets_colour_and_the_same_words(sample: Verification) -> None:
    coloured = printed(sample, 120, color_system="standard", force_terminal=True)
    assert re.search(r"QUANTIZE +\x1b\[32mexact", coloured)
    assert re.search(r"CONV_2D +\x1b\[1;31mmismatch", coloured)
    assert re.search(r"CALL_ONCE +\x1b\[35mno reference", coloured)
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == printed(sample, 120)


def test_an_ascii_console_gets_bars_it_can_draw(good: Verification, sample: Verification) -> None:
    file = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    conv = replace(sample, verdicts=sample.verdicts[:2], drift=(), notes=())
    text.print_report(conv, Console(file=file, width=120, color_system=None))
    file.flush()
    assert b"-1  8  " + b"#" * 40 in file.buffer.getvalue()  # type: ignore[attr-defined]


def test_columns_give_way_one_after_the_other(sample: Verification) -> None:
    few = replace(sample, verdicts=sample.verdicts[:6])
    row = r"LOGISTIC +exact +0/4,096 +litert-xnnpack +all 256 values +gate\n"
    assert re.search(row, printed(few, 120))
    assert re.search(r"LOGISTIC +exact +0/4,096 +litert-xnnpack +gate\n", printed(few, 106))
    assert re.search(r"LOGISTIC +exact +0/4,096 +gate\n", printed(few, 90))
    assert "LOGISTIC, exact, differ 0/4,096, litert-xnnpack, all 256 values, gate" in " ".join(
        printed(few, 70).split()
    )


def test_one_arithmetic_needs_no_column(sample: Verification) -> None:
    few = replace(sample, verdicts=sample.verdicts[:6], arithmetics=("litert-reference",))
    assert re.search(r"LOGISTIC +exact +0/4,096 +all 256 values +gate\n", printed(few, 120))


def test_many_failures_are_cut_unless_verbose(sample: Verification) -> None:
    (failure,) = (v for v in sample.verdicts if v.outcome is Outcome.CRASHED)
    many = replace(sample, verdicts=(failure,) * 25, drift=(), notes=())
    short, whole = printed(many), printed(many, verbose=True)
    assert "and 5 other failing cases" in short
    assert short.count("message   SIGSEGV") == 20
    assert whole.count("message   SIGSEGV") == 25


def test_a_failed_fallback_is_listed_with_the_failures(sample: Verification) -> None:
    strict = printed(replace(sample, fail_on_fallback=True))
    assert "not delegated\n" not in strict
    assert re.search(
        r"^not delegated  CUSTOM #11 'detect'\n  message   the plan leaves it", strict, re.MULTILINE
    )
    assert "not checked  7 of 23 cases" in strict


def test_drift_shows_the_origin_and_growth_of_errors(sample: Verification) -> None:
    told = printed(sample, 120).split("drift  ")[1]
    assert re.search(r"1  CONV_2D +-2 LSB +0.061 +0.293 % +here +block1/conv\n", told)
    assert re.search(r"2  AVERAGE_POOL_2D +\+1 LSB +0.5 +25 % +pool\n", told)
    assert "RESHAPE" not in told
    assert "2 tensors without difference" in told
    assert "RESHAPE" in printed(sample, 120, verbose=True).split("drift  ")[1]
    none = replace(sample, drift=tuple(replace(s, largest=0, share=0, entered=False) for s in sample.drift))
    assert "5 tensors without difference" in printed(none)
    assert "drift" not in printed(replace(sample, drift=()))


def test_the_end_has_the_matching_arithmetics_and_the_total(
    sample: Verification, unjudged: Verification
) -> None:
    fits, total = (
        printed(sample, 300).replace("\n", " ").split("the published arithmetic ")[1].split(" fails: ")
    )
    assert fits == "tflm fits every operator that was compared exactly"
    assert total.startswith("23 operators: 3 exact, 1 within tolerance, 1 all outputs saturate, 5 mismatch")
    assert "1 not tried; inputs 3 runs" in total
    last = printed(unjudged, 120).splitlines()[-1]
    assert last == "not checked: 1 case: 1 not delegated"


def test_a_segment_of_many_is_its_first_operator_and_a_count(good: Verification) -> None:
    (one,) = good.verdicts
    many = replace(one, operators=tuple(range(5)), opcodes=("DEPTHWISE_CONV_2D", *["ADD"] * 4))
    assert " 0-4  DEPTHWISE_CONV_2D + 4 more  exact" in printed(replace(good, verdicts=(many,)), 100)


def test_properties_of_no_operator_are_listed_by_kind(sample: Verification) -> None:
    shown = printed(sample)
    assert "not exercised  properties that no operator of the model has" in shown
    assert "- CONV_2D (12): a batch beyond 1, unequal strides" in shown
    assert "RESHAPE (1)" not in shown
    assert "not exercised" not in printed(replace(sample, untried=()))


SAMPLED = InvocationTime("0000-CONV_2D", 1.0)


@pytest.mark.parametrize(
    ("invocations", "further", "sampled", "message"),
    [
        ((), 0, None, "0 cases, 0 invocations"),
        ((1,), 0, None, "1 case, 1 invocation"),
        ((100, 48), 0, SAMPLED, "2 cases, 148 invocations, about 2 min 28 s: one of 0000-CONV_2D took 1 s"),
        ((2,), 1000, None, "1 case, 1,002 invocations (1,000 of them for drift)"),
        (
            (1, 0), 0, InvocationTime("0000-A\x1b", 1.23456, 0.5),
            "2 cases, 1 invocation, about 1.7 s: one of 0000-A\\x1b took 1.23 s, the start of the device 0.5 s",
        ),
        (
            (1,), 0, InvocationTime("0000-A", 1.0, 0.5, "crashed: \x1b\nmore"),
            "1 case, 1 invocation; how long they take is not known: 0000-A, crashed: \\x1b",
        ),
    ],
)  # fmt: skip
def test_words_of_an_estimate(
    invocations: tuple[int, ...], further: int, sampled: InvocationTime | None, message: str
) -> None:
    cases = tuple(PlannedCase(f"{n:04}-A", ("A",), "a", 1, count) for n, count in enumerate(invocations))
    assert text.forecast_words(CostEstimate("m", "d", cases, further, "", sampled)) == message


@pytest.mark.parametrize(
    ("seconds", "message"),
    [
        (0.25, "0.25 s"), (2.54, "2.5 s"), (59.4, "59 s"), (60, "1 min 00 s"), (148, "2 min 28 s"),
        (3599.4, "59 min 59 s"), (3600, "1 h 00 min"), (11100, "3 h 05 min"), (360_000, "100 h 00 min"),
    ],
)  # fmt: skip
def test_durations(seconds: float, message: str) -> None:
    assert text.duration(seconds) == message


@pytest.mark.parametrize("verbose", [False, True])
def test_an_estimate_lists_the_cases(verbose: bool, golden: Callable[[str, str], None]) -> None:
    long = "a/very/long/name" * 5
    cases = (PlannedCase("0000-A\x1b", ("A",), long, 1000, 2000), PlannedCase("0001-B", ("B",), "b", 1, 2))
    file = io.StringIO()
    console = Console(file=file, width=100, color_system=None, force_terminal=False, _environ={})
    text.print_forecast(CostEstimate("m.tflite", "tflm \x1b", cases, 0, "90 s"), console, verbose)
    golden(f"forecast.{'verbose' if verbose else 'short'}.txt", file.getvalue())
