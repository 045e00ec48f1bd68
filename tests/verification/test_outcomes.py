"""A real delegate that fails in a single kind of operator: the outcome belongs to it, and the rest of the run
completes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from litecheck.devices.outcome import Outcome
from litecheck.devices.port import Limits
from litecheck.devices.registry import open_device
from litecheck.verification.device_run import verify
from litecheck.verification.result import Verification
from litecheck.verification.settings import Settings
from tests.delegate.build import delegate, device  # noqa: F401 - a fixture
from tests.delegate.specimens import network

pytestmark = [pytest.mark.runtime, pytest.mark.slow]

#: Every failure class of the delegate, and words of its message.
MODES = {
    "crash": (Outcome.CRASHED, "SIGSEGV"),
    "abort": (Outcome.CRASHED, "SIGABRT"),
    "hang": (Outcome.TIMED_OUT, "no answer after"),
    "refuse": (Outcome.REFUSED, ""),
    "refuse-invoke": (Outcome.REFUSED, ""),
    "wrong-shape": (Outcome.WRONG_SHAPE, "it should be"),
    "corrupt": (Outcome.CRASHED, "after it had answered; its answer: exact"),
    "exit0": (Outcome.CRASHED, "status 0 without an answer"),
    "nothing": (Outcome.MISMATCH, "wrote nothing"),
    "flaky": (Outcome.FLAKY, "when repeated"),
    "memory": (Outcome.OUT_OF_MEMORY, ""),
}


def verified(text: str, settings: Settings | None = None, seconds: float = 60.0) -> Verification:
    opened = open_device(text, Limits(seconds, 1 << 30))
    try:
        return verify(network(), opened, settings or Settings(jobs=2))
    finally:
        opened.close()


def outcomes(report: Verification) -> dict[str, set[Outcome]]:
    found: dict[str, set[Outcome]] = {}
    for verdict in report.verdicts:
        found.setdefault(verdict.opcode, set()).add(verdict.outcome)
    return found


def test_without_a_fault_delegated_operators_are_exact(delegate: Path) -> None:  # noqa: F811
    found = outcomes(verified(device(delegate)))
    assert found.pop("RESHAPE", {Outcome.NOT_DELEGATED}) == {Outcome.NOT_DELEGATED}
    assert set().union(*found.values()) == {Outcome.EXACT}


@pytest.mark.parametrize("mode", MODES)
def test_each_failure_is_the_outcome_of_its_operator_and_the_run_goes_on(
    delegate: Path,  # noqa: F811
    mode: str,
) -> None:
    seconds = 2.0 if mode == "hang" else 60.0
    report = verified(device(delegate, mode=mode, at="CONV_2D"), seconds=seconds)
    found = outcomes(report)
    outcome, message = MODES[mode]
    assert found.pop("CONV_2D") == {outcome}
    found.pop("RESHAPE", None)
    assert set().union(*found.values()) == {Outcome.EXACT}
    assert all(message in v.message for v in report.verdicts if v.opcode == "CONV_2D")
    assert report.exit_code == 1


def test_a_delegate_without_operators_is_not_verified(delegate: Path) -> None:  # noqa: F811
    report = verified(device(delegate, mode="claims-none"))
    assert {v.outcome for v in report.verdicts} == {Outcome.NOT_DELEGATED}
    assert report.exit_code == 2
    assert replace(report, fail_on_fallback=True).exit_code == 1


@pytest.mark.parametrize(
    "fault", ["half-up", "truncate", "no-input-zero-point", "wrap-output", "per-tensor-scale"]
)
def test_a_planted_fault_is_found_in_its_operator_alone(delegate: Path, fault: str) -> None:  # noqa: F811
    found = outcomes(
        verified(device(delegate, fault=fault, at="CONV_2D"), Settings(("litert-reference",), jobs=2))
    )
    assert Outcome.MISMATCH in found.pop("CONV_2D")
    found.pop("RESHAPE", None)
    assert set().union(*found.values()) == {Outcome.EXACT}
