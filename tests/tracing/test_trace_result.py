"""Decibels, limits and exit codes of a trace."""

from __future__ import annotations

from dataclasses import replace

import pytest

from litecheck.model.tensor_matching import NO_PARTNER
from litecheck.tracing.trace_result import TracedOutput, TriedFix, decibels
from tests.rendering.tracing.traces import BAD, GOOD


@pytest.mark.parametrize(
    ("signal", "noise", "wanted"),
    [
        (100.0, 1.0, 20.0),
        (1.0, 0.0, 120.0),
        (0.0, 1.0, -120.0),
        (1.0, 1e-30, 120.0),
        (1.0, float("inf"), -120.0),
    ],
)
def test_decibels(signal: float, noise: float, wanted: float) -> None:
    assert decibels(signal, noise) == pytest.approx(wanted)


@pytest.mark.parametrize(
    ("limits", "code"),
    [({}, 1), ({"min_snr": 5.0}, 0), ({"min_snr": 9.0}, 1), ({"max_loss": 20.0}, 0), ({"max_loss": 13.0}, 1)],
)
def test_limits_replace_the_verdict(limits: dict[str, float], code: int) -> None:
    assert replace(BAD, **limits).exit_code == code
    assert GOOD.exit_code == 0


STRANGER = ((0, 4, "ADD", NO_PARTNER), (0, 5, "QUANTIZE", "converts between types"))


@pytest.mark.parametrize(
    ("rows", "snr", "named", "code"),
    [
        ({"unmatched": STRANGER}, 9.0, ("ADD #4 of the quantized model",), 1),
        ({"missing": STRANGER}, 9.0, ("ADD #4 of the float model",), 1),
        ({"unmatched": STRANGER}, 11.0, (), 0),
        ({}, 9.0, (), 0),
    ],
)
def test_an_operator_without_a_partner_explains_a_bad_output(
    rows: dict[str, object], snr: float, named: tuple[str, ...], code: int
) -> None:
    found = replace(GOOD, outputs=(TracedOutput("y", snr),), **rows)  # type: ignore[arg-type]
    assert found.unexplained == named
    assert found.exit_code == code


@pytest.mark.parametrize("limits", [{}, {"min_snr": 5.0}])
def test_a_model_that_does_not_load_fails(limits: dict[str, float]) -> None:
    assert replace(GOOD, load_faults=("CONV_2D #0: bias: it is absent",), **limits).exit_code == 1


@pytest.mark.parametrize("limits", [{}, {"min_snr": 5.0}])
def test_an_operator_that_no_kernel_computes_because_it_violates_a_rule_fails(
    limits: dict[str, float],
) -> None:
    invalid = ((0, 1, "UNIDIRECTIONAL_SEQUENCE_LSTM", "cell state.scale is 0.1"),)
    assert replace(GOOD, invalid=invalid, **limits).exit_code == 1


@pytest.mark.parametrize(
    ("shares", "together", "fails"),
    [
        ((0.002, 0.003), 0.5, (True, True)),
        ((0.002, 0.003), 0.005, (False, False)),
        ((0.002, 0.003), None, (False, False)),
        ((0.002, 0.3), 0.3, (False, True)),
    ],
    ids=["only together", "not together", "unknown", "one alone"],
)
def test_culprits_fail_that_reach_the_outputs_only_together(
    shares: tuple[float, ...], together: float | None, fails: tuple[bool, ...]
) -> None:
    culprits = tuple(replace(BAD.culprits[0], share=share) for share in shares)
    found = replace(BAD, culprits=culprits, explained=together)
    assert tuple(map(found.fails, culprits)) == fails
    assert found.exit_code == any(fails)


def test_gain() -> None:
    assert TriedFix("convert", 8.0, 21.5).gain == 13.5
