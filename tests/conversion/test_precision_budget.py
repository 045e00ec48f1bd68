"""Types within a budget: values of the option, the chain of moves, and the choice on a modeled network."""

from __future__ import annotations

import math
from contextlib import nullcontext
from itertools import pairwise

import pytest

from fixtures.detector import float_detector
from litecheck import convert_model
from litecheck.conversion.fixes import lowest_snr
from litecheck.conversion.precision_budget import (
    BORDER,
    BudgetChoice,
    ConversionBudget,
    OperatorCost,
    TriedAssignment,
    TypeAssignment,
    budget_warning,
    chain,
    check_size,
    choose_assignment,
    noise_of,
    operator_costs,
    parse_budget,
)
from litecheck.errors import ConfigError

#: Operator 0 is noisy and small, 1 is noisy and large, 2 has no weights, 3 has no int16x8 form.
COSTS = (
    OperatorCost(0, 0.1, 0.02, 1_000),
    OperatorCost(1, 0.05, 0.03, 100_000),
    OperatorCost(2, 0.01, 0.0001, 0),
    OperatorCost(3, 0.001, None, 10),
)
#: Size of the float model in bytes.
FLOAT = 414_000


def modeled(assignment: TypeAssignment) -> TriedAssignment:
    """Return the outcome of an assignment for a network with noise and bytes that are sums over its operators."""
    noise, size = 0.0, 10_000
    for one in COSTS:
        wide, real = one.number in assignment.int16x8, one.number in assignment.real
        noise += 0.0 if real else (one.wide or 0.0) if wide else one.narrow
        size += one.weights * (4 if real else 1) + BORDER * (wide or real)
    return TriedAssignment(assignment, size, -10 * math.log10(noise) if noise else math.inf)


@pytest.mark.parametrize(
    ("text", "budget"),
    [
        ("size=2MB", ConversionBudget("size", 2e6)),
        ("size=1.5kb", ConversionBudget("size", 1500)),
        ("size=77", ConversionBudget("size", 77)),
        ("snr=30", ConversionBudget("snr", 30)),
    ],
)
def test_values(text: str, budget: ConversionBudget) -> None:
    assert parse_budget(text) == budget


@pytest.mark.parametrize(
    "text", ["30", "snr", "snr=", "snr=30dB", "size=-1", "size=infMB", "size=nan", "time=3"]
)
def test_wrong_values(text: str) -> None:
    with pytest.raises(ConfigError, match=f"--budget {text}: expected a size or an SNR"):
        parse_budget(text)


def test_moves_with_the_largest_gain_per_byte_come_first() -> None:
    steps = chain(TypeAssignment(), COSTS)
    assert [str(step) for step in steps[:3]] == ["int8", "1 operator int16x8", "2 operators int16x8"]
    assert steps[1].int16x8 == {0}
    assert steps[2].int16x8 == {0, 1}
    assert all(a.real <= b.real and a.int16x8 <= b.int16x8 | b.real for a, b in pairwise(steps))
    assert len(steps[-1].real) == len(COSTS) - 1
    assert not chain(TypeAssignment(frozenset({0, 1, 2})), COSTS)[1].int16x8 >= {0, 1, 2}


def test_more_noise_comes_earlier() -> None:
    """A changed order of costs changes the first move."""
    louder = (*COSTS[:2], OperatorCost(2, 0.5, 0.0, 0), COSTS[3])
    assert chain(TypeAssignment(), louder)[1].int16x8 == {2}


@pytest.mark.parametrize(
    ("budget", "better"),
    [("snr=9", "size"), ("snr=11", "size"), ("snr=15", "size"), ("size=112KB", "snr"), ("size=116KB", "snr")],
)
def test_the_choice_is_within_the_budget_and_beats_uniform_choices(budget: str, better: str) -> None:
    found = choose_assignment(parse_budget(budget), COSTS, modeled, FLOAT)
    chosen, limit = found.trial, found.budget.limit
    assert chosen.size <= limit if better == "snr" else chosen.snr >= limit
    for one in found.uniform:
        if better == "snr" and one.size <= limit:
            assert chosen.snr >= one.snr
        if better == "size" and one.snr >= limit:
            assert chosen.size <= one.size * 1.02
            assert len(chosen.assignment.int16x8) < len(one.assignment.int16x8)
    assert chosen.assignment.real or chosen.assignment.int16x8


@pytest.mark.parametrize(
    ("budget", "real", "why"),
    [
        ("size=10kb", FLOAT, "no choice of operators is within it; the nearest has 111.0 kB"),
        (
            "snr=90",
            FLOAT,
            "no tried choice .* at most 414.0 kB, the size .*; the nearest has 15.2 dB",
        ),
        (
            "snr=15",
            111_500,
            "no tried choice .* at most 111.5 kB, the size .*; the nearest has .* dB",
        ),
    ],
)
def test_an_unreachable_budget_is_an_error(budget: str, real: int, why: str) -> None:
    with pytest.raises(ConfigError, match=f"--budget {budget}: {why}"):
        choose_assignment(parse_budget(budget), COSTS, modeled, real)


@pytest.mark.parametrize(
    ("budget", "snr", "missed"), [("snr=30", 29.9, True), ("snr=30", 30.0, False), ("size=2MB", 1.0, False)]
)
def test_a_budget_that_other_samples_miss_is_a_warning(budget: str, snr: float, missed: bool) -> None:
    choice = BudgetChoice(parse_budget(budget), TriedAssignment(TypeAssignment(), 1, 34.0), ())
    words = (
        "--budget snr=30: the lowest channel has 29.9 dB on all 32 samples, and 34.0 dB on those of the search. "
        "Next step: "
    )
    assert [text[: len(words)] for text in budget_warning(choice, 32, snr)] == [words] * missed
    assert budget_warning(None, 32, snr) == ()


def test_int8_is_a_choice_even_if_the_float_model_is_smaller() -> None:
    found = choose_assignment(parse_budget("snr=7"), COSTS, modeled, 1_000)
    assert found.trial.assignment == TypeAssignment()


@pytest.mark.parametrize(("budget", "fails"), [("size=1KB", True), ("size=95KB", False), ("snr=90", False)])
def test_a_size_far_below_int8_fails_before_costs_are_measured(budget: str, fails: bool) -> None:
    expected = pytest.raises(ConfigError, match=f"{budget}: .*int8 has 96.0 kB") if fails else nullcontext()
    with expected:
        check_size(parse_budget(budget), 96_000, 16)


@pytest.mark.parametrize(("lead", "chosen"), [(0.01, 7_500), (3.0, 8_000)])
def test_an_equal_snr_is_reached_without_float_operators(lead: float, chosen: int) -> None:
    def measure(one: TypeAssignment) -> TriedAssignment:
        return TriedAssignment(
            one, 8_000 if one.real else 7_500, (30.0 if one.int16x8 else 9.0) + lead * bool(one.real)
        )

    costs = operator_costs({0: 10.0, 1: 12.0}, {0: 30.0, 1: 30.0}, frozenset({0, 1}), {}, {})
    choice = choose_assignment(ConversionBudget("size", 8_000), costs, measure, 14_000)
    assert choice.trial.size == chosen


def test_costs_follow_from_decibels() -> None:
    assert noise_of(20) == 0.01
    assert noise_of(math.inf) == 0
    costs = operator_costs({0: 10, 1: 20}, {0: 30}, frozenset({0}), {0: 7}, {1: (3, 5)})
    assert costs == (OperatorCost(0, 0.1, 0.001, 7), OperatorCost(1, 0.01, None, 0, (3, 5)))


def test_all_steps_of_a_loop_move_together() -> None:
    """Operators 4 to 6 are three steps. The moves cost three borders, and a further operator stays quantized."""
    costs = (OperatorCost(4, 0.1, 0.02, 0, (5, 6)), OperatorCost(7, 0.1, 0.02, 0))
    states = chain(TypeAssignment(), costs)
    assert states[1].int16x8 == {7}  # the same gain for a single border
    assert states[2].int16x8 == {4, 5, 6, 7}
    assert [len(state.real) for state in states[3:]] == [1]
    assert choose_assignment(
        parse_budget("snr=1"), costs, lambda a: TriedAssignment(a, 1, len(a.int16x8)), 1
    ).uniform[1].assignment.int16x8 == {4, 5, 6, 7}


def test_a_detector_reaches_its_budget_in_fewer_bytes_than_float() -> None:
    options = {"data": ("fixtures/float_detector.npz",), "device": "litecheck", "samples": 4}
    record = convert_model(float_detector(), budget="snr=33", **options)
    assert record.verdict == "conforms"
    assert record.budget is not None
    assert record.agreement is not None
    assert record.calibration is not None
    assert (record.calibration.statistics.samples, record.agreement.samples) == (16, 16)
    narrow, _ = record.budget.uniform
    assert narrow.snr < 20, "boxes and scores share a scale, and the scores are lost"
    assert lowest_snr(record.agreement) >= 33
    assert record.size == record.budget.trial.size < record.source_size
    for options_of, why in (
        ({"to": "int16x8"}, "neither --to nor --recipe"),
        ({"data": ()}, "missing option --data"),
    ):
        with pytest.raises(ConfigError, match=why):
            convert_model(float_detector(), budget="snr=30", **{**options, **options_of})
