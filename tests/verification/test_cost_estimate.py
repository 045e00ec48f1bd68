"""Budgets during a run, the selected inputs of a case, and the cost estimate."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from litecheck.cases.stimulus import Stimuli
from litecheck.cases.variable_state import StateSupport
from litecheck.devices.outcome import Outcome
from litecheck.devices.port import Answer, Failure, Job
from litecheck.reference.engine.arithmetic import load_arithmetic
from litecheck.verification import cost_estimate as module
from litecheck.verification.cost_estimate import (
    BudgetDivision,
    CostEstimate,
    InvocationTime,
    PlannedCase,
    estimate_cost,
    narrow_job,
    time_invocation,
)
from litecheck.verification.jobs import CaseJob
from litecheck.verification.ranking import Ranking, Share
from litecheck.verification.schedule import every_case_job
from litecheck.verification.settings import Budget, Settings
from tests.verification.inprocess import InProcess
from tests.verification.planted import two_operators

FEW = Settings(kinds=("propagated", "random"))


@cache
def case_jobs() -> tuple[CaseJob, ...]:
    """Return the three cases of a small model."""
    arithmetic = load_arithmetic("litert-reference")
    return tuple(every_case_job(two_operators(), FEW, arithmetic, StateSupport.NONE))


@cache
def rankings() -> tuple[Ranking, ...]:
    """Return rankings in which each case has its own kind and every input detects a fault."""
    return tuple(
        Ranking(one.case.name, one.case.name, tuple(range(len(one.stimuli))), (1,) * len(one.stimuli))
        for one in case_jobs()
    )


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


class Timed:
    """Device that takes one second for an inference."""

    name = described = "timed"

    def __init__(self, clock: Clock) -> None:
        self.clock = clock

    def run(self, job: Job) -> Answer | Failure:
        self.clock.now += len(job.runs)
        return Failure(Outcome.REFUSED, "")

    def close(self) -> None:
        pass


def test_a_budget_of_invocations_is_divided_once() -> None:
    spending = BudgetDivision(Budget(invocations=7), rankings(), 1)
    assert sum(share.invocations for share in spending.shares) == 7
    spending = BudgetDivision(Budget(invocations=7), rankings(), 1, reserved=2)
    assert sum(share.invocations for share in spending.shares) == 5
    spending = BudgetDivision(Budget(invocations=2), rankings(), 1, reserved=3)
    assert sum(share.invocations for share in spending.shares) == 0


def test_a_job_is_limited_to_its_share() -> None:
    spending = BudgetDivision(Budget(invocations=4), rankings(), 1)
    limited = [spending.limit_job(one) for one in case_jobs()]
    assert [len(one.order) for one in limited] == [share.invocations for share in spending.shares]
    assert sum(len(one.order) for one in limited) == 4


def test_a_budget_of_time_follows_the_pace_of_the_device() -> None:
    """8 seconds at the estimated 2 seconds per inference allow 4 inferences. The real pace of 1 second leaves more."""
    clock = Clock()
    device = Timed(clock)
    spending = BudgetDivision(Budget(seconds=8), rankings(), 1, pace=2.0, clock=clock)
    assert sum(share.invocations for share in spending.shares) == 4
    first = spending.limit_job(case_jobs()[0])
    spending.run_job(device, first.job)
    made = len(first.order)
    second = spending.limit_job(case_jobs()[1])
    assert sum(share.invocations for share in spending.shares[1:]) == 8 - made
    assert sum(share.invocations for share in spending.shares) == 8
    assert len(second.order) == spending.shares[1].invocations


def test_inferences_that_were_given_but_not_made_are_reserved() -> None:
    clock = Clock()
    spending = BudgetDivision(Budget(seconds=8), rankings(), 1, reserved=1, pace=1.0, clock=clock)
    assert sum(share.invocations for share in spending.shares) == 7
    given = len(spending.limit_job(case_jobs()[0]).order)
    spending.limit_job(case_jobs()[1])
    assert sum(share.invocations for share in spending.shares[1:]) == 7 - given


def test_after_the_time_limit_no_job_runs() -> None:
    clock = Clock()
    device = Timed(clock)
    spending = BudgetDivision(Budget(seconds=1), rankings(), 1, pace=1.0, clock=clock)
    job = case_jobs()[0].job
    assert spending.run_job(device, job) == Failure(Outcome.REFUSED, "")
    assert spending.run_job(device, job) == Failure(Outcome.NOT_TRIED, "the time of the budget was over")
    clock.now = 101.0
    assert spending.run_job(device, job).outcome is Outcome.NOT_TRIED  # type: ignore[union-attr]
    clock.now = 1e9
    unlimited = BudgetDivision(Budget(invocations=1), rankings(), 1, clock=clock)
    assert unlimited.run_job(device, job) == Failure(Outcome.REFUSED, "")


def test_a_device_without_a_measurable_pace() -> None:
    spending = BudgetDivision(Budget(seconds=1), rankings(), 1, clock=Clock())
    assert [share.invocations for share in spending.shares] == [len(one.stimuli) for one in case_jobs()]


def test_a_narrowed_question() -> None:
    case_job = case_jobs()[0]
    found = narrow_job(case_job, Share((2, 0), (0,)))
    for made, number in zip(found.stimuli, (2, 0), strict=True):
        assert made.kind == case_job.stimuli.kinds[number]
        assert (made.arrays[0] == case_job.stimuli[number].arrays[0]).all()
    assert (found.again, found.order) == ((1,), (0, 1, 1))
    arithmetic = load_arithmetic("litert-reference")
    expected, whole = found.expected(arithmetic), case_job.expected(arithmetic)
    assert expected is not None
    assert whole is not None
    assert (expected[0][0] == whole[2][0]).all()
    assert (expected[1][0] == whole[0][0]).all()


def test_a_question_without_a_share() -> None:
    found = narrow_job(case_jobs()[0], Share((), ()))
    assert (len(found.stimuli), found.note, found.lacks) == (
        0,
        "the budget went to other cases",
        Outcome.NOT_TRIED,
    )
    empty = replace(case_jobs()[0], stimuli=Stimuli(), note="a note")
    assert narrow_job(empty, Share((), ())) is empty


def of(counts: tuple[int, ...], first: InvocationTime | None, further: int = 0) -> CostEstimate:
    cases = tuple(PlannedCase(f"c{n}", ("ADD",), "", n, n) for n in counts)
    return CostEstimate("m", "d", cases, further, sampled=first)


@pytest.mark.parametrize(
    ("made", "invocations", "seconds"),
    [
        (of((3, 4), None), 7, None),
        (of((3, 4), InvocationTime("c3", 0.5, 2.0)), 7, 7 * 0.5 + 2 * 2.0),
        (of((3, 0, 4), InvocationTime("c3", 0.5, 2.0), 5), 12, 12 * 0.5 + 2 * 2.0),
        (of((3, 1), InvocationTime("c3", 0.5)), 4, 2.0),
        (of((3,), InvocationTime("c3", 0.5, 0.0, "crashed: x")), 3, None),
    ],
)
def test_cost(made: CostEstimate, invocations: int, seconds: float | None) -> None:
    assert (made.invocations, made.seconds) == (invocations, seconds)


def measured(monkeypatch: pytest.MonkeyPatch, *seconds: float, instead: Any = None) -> InvocationTime | None:
    """Return the sample of a device with these times for one inference and for two."""
    clock, left = Clock(), list(seconds)

    def run(job: Job) -> Any:
        assert len(job.runs) == 1 + len(seconds) - len(left)
        clock.now += left.pop(0)
        return instead

    monkeypatch.setattr(module.time, "monotonic", clock)
    device = InProcess(instead=run if instead else lambda job: run(job))
    return time_invocation(device, case_jobs()[0])


@pytest.mark.parametrize(
    ("seconds", "one", "start"),
    [
        ((3.0, 5.0), 2.0, 1.0),
        ((3.0, 9.0), 3.0, 0.0),
        ((3.0, 2.0), 0.0, 3.0),
        ((10.0, 11.0), 1.0, 9.0),
        ((11.0,), 11.0, 0.0),
    ],
)
def test_a_sample(
    monkeypatch: pytest.MonkeyPatch, seconds: tuple[float, ...], one: float, start: float
) -> None:
    """The second call makes two inferences; after more than ten seconds there is no second call."""
    assert measured(monkeypatch, *seconds) == InvocationTime(case_jobs()[0].case.name, one, start)


@pytest.mark.parametrize(
    ("outcome", "failed"),
    [
        (Outcome.NOT_SUPPORTED, None),
        (Outcome.NOT_DELEGATED, None),
        (Outcome.CRASHED, "crashed: signal 11"),
    ],
)
def test_a_sample_that_fails(monkeypatch: pytest.MonkeyPatch, outcome: Outcome, failed: str | None) -> None:
    found = measured(monkeypatch, 3.0, instead=Failure(outcome, "signal 11"))
    name = case_jobs()[0].case.name
    assert found == (None if failed is None else InvocationTime(name, 3.0, 0.0, failed))


def test_no_sample_without_inputs() -> None:
    empty = replace(case_jobs()[0], stimuli=Stimuli())
    refuse: Callable[[Job], None] = lambda job: pytest.fail("a job was run")  # noqa: E731
    assert time_invocation(InProcess(instead=refuse), empty) is None


def test_a_forecast_of_a_small_model() -> None:
    found = estimate_cost(two_operators(), InProcess(), FEW)
    assert [case.opcodes for case in found.cases] == [("ADD",), ("LEAKY_RELU",), ("RESHAPE",)]
    assert [case.inputs for case in found.cases] == [len(one.stimuli) for one in case_jobs()]
    assert [case.invocations for case in found.cases] == [len(one.order) for one in case_jobs()]
    assert (found.further, found.described) == (0, "in-process")
    assert found.sampled is not None
    assert found.sampled.case == found.cases[0].case
    with_drift = estimate_cost(two_operators(), InProcess(), replace(FEW, drift=True))
    assert with_drift.further == 3


@pytest.mark.parametrize(("drift", "left"), [(False, 5), (True, 2)])
def test_a_forecast_with_a_budget(drift: bool, left: int) -> None:
    settings = replace(FEW, budget=Budget(invocations=5), drift=drift)
    found = estimate_cost(two_operators(), InProcess(), settings)
    assert sum(case.invocations for case in found.cases) == left
    assert found.invocations == 5
