"""Cost of a verification: budgets, their division among cases, the faults that they find, and the estimate."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from litecheck.arrays import Arrays
from litecheck.cli.app import app
from litecheck.devices.outcome import Outcome
from litecheck.devices.port import Answer, Failure, Job
from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.save import save_model
from litecheck.reference.engine.arithmetic import load_arithmetic
from litecheck.verification.cost_estimate import BudgetDivision, estimate_cost
from litecheck.verification.device_run import verify
from litecheck.verification.jobs import CaseJob
from litecheck.verification.journal import Journal
from litecheck.verification.ranking import Ranking, rank, shares
from litecheck.verification.schedule import every_case_job, weights
from litecheck.verification.serialize import from_note
from litecheck.verification.settings import Budget, Settings, parse_budget
from tests.verification.inprocess import InProcess
from tests.verification.networks import convolutional
from tests.verification.planted import changed, two_operators

#: Strict form: a single arithmetic for every device.
REFERENCE = ("litert-reference",)


pytestmark = pytest.mark.slow


class Counting(InProcess):
    """Counts invocations."""

    invocations = 0

    def run(self, job: Job) -> Answer | Failure:
        self.invocations += len(job.runs)
        return super().run(job)


def budget(text: str) -> Settings:
    return Settings(REFERENCE, budget=parse_budget(text))


@st.composite
def rankings(draw: st.DrawFn) -> tuple[Ranking, ...]:
    found = []
    for n in range(draw(st.integers(1, 5))):
        stimuli = draw(st.permutations(range(draw(st.integers(0, 6)))))
        telling = draw(st.integers(0, len(stimuli)))
        notices = [draw(st.integers(1, 9)) for _ in range(telling)] + [0] * (len(stimuli) - telling)
        found.append(Ranking(f"case {n}", draw(st.sampled_from("ab")), tuple(stimuli), tuple(notices)))
    return tuple(found)


@given(rankings(), st.integers(0, 60), st.integers(1, 3))
def test_a_budget_is_spent_completely_and_never_exceeded(
    found: tuple[Ranking, ...], invocations: int, repeat: int
) -> None:
    """Every case runs once before any case runs twice, and each input runs at most ``repeat`` times."""
    divided = shares(found, invocations, repeat)
    spent = [share.invocations for share in divided]
    useful = [len(ranking.stimuli) * repeat for ranking in found]
    assert sum(spent) == min(invocations, sum(useful))
    for share, ranking, most in zip(divided, found, useful, strict=True):
        assert share.invocations <= most
        assert set(share.again) <= set(share.stimuli) <= set(ranking.stimuli)
        assert share.stimuli[:1] == ranking.stimuli[: len(share.stimuli[:1])]
    if max(spent) > 1:
        assert all(n or not ranking.stimuli for n, ranking in zip(spent, found, strict=True))


def test_inputs_that_detect_most_faults_come_first() -> None:
    dull, telling = Ranking("dull", "a", (0, 1, 2), (3, 0, 0)), Ranking("telling", "a", (4, 5, 6), (3, 2, 1))
    given = [[share.stimuli for share in shares((dull, telling), n, 2)] for n in (1, 2, 3, 4, 5)]
    assert given == [
        [(0,), ()],
        [(0,), (4,)],
        [(0,), (4, 5)],
        [(0,), (4, 5, 6)],
        [(0, 1), (4, 5, 6)],  # different inputs, so that a stale output shows
    ]
    # Kinds of cases without any run come before further cases of a kind.
    assert [s.invocations for s in shares((dull, telling, Ranking("b", "b", (0,), (1,))), 2, 1)] == [1, 0, 1]
    # Earlier inputs then run once more, so that a changed output shows.
    assert [s.again for s in shares((dull, telling), 7, 2)] == [(0,), (4,)]


@pytest.mark.parametrize("invocations", [3, 45])
def test_a_budget_is_kept_and_omitted_cases_are_reported(invocations: int) -> None:
    device = Counting()
    report = verify(convolutional(), device, budget(str(invocations)))
    assert device.invocations == invocations
    tried = [v for v in report.verdicts if v.outcome is Outcome.EXACT]
    assert len(tried) == min(7, invocations)
    assert {v.outcome for v in report.verdicts if v not in tried} <= {Outcome.NOT_TRIED}
    assert report.verdict == "conforms"
    assert f"within a budget of {invocations} invocations" in report.inputs


def test_an_omitted_case_is_no_coverage() -> None:
    settings = Settings(REFERENCE, budget=Budget(invocations=3), require_coverage=True)
    assert verify(convolutional(), Counting(), settings).verdict == "fails"


def previous(job: Job, number: int, outputs: Arrays) -> Arrays:
    """Repeat the previous output in AVERAGE_POOL_2D."""
    if "AVERAGE" not in job.name:
        return outputs
    before = LAST.get(job.name, outputs) if number else outputs
    LAST[job.name] = outputs
    return before


LAST: dict[str, Arrays] = {}


def beyond(job: Job, number: int, outputs: Arrays) -> Arrays:
    """Limit the outputs of FULLY_CONNECTED to 126."""
    return (np.minimum(outputs[0], 126),) if "FULLY" in job.name else outputs


FAULTY = {
    "nothing": (InProcess(), None),
    "single rounding": (InProcess(changed("CONV_2D", requantize="single")), "CONV_2D"),
    "the answer before": (InProcess(change=previous), "AVERAGE_POOL_2D"),
    "short of the rail": (InProcess(change=beyond), "FULLY_CONNECTED"),
}


@pytest.mark.parametrize("fault", FAULTY)
def test_a_small_budget_finds_faults(fault: str) -> None:
    """28 invocations for 7 operators, where a verification without a budget makes 1,700."""
    device, opcode = FAULTY[fault]
    report = verify(convolutional(), device, budget("28"))
    failing = [v.opcode for v in report.verdicts if report.failing(v)]
    assert failing == ([opcode] if opcode else [])


@pytest.fixture(scope="module")
def asked() -> tuple[CaseJob, ...]:
    """Return every case of a small network with all its inputs."""
    return tuple(
        every_case_job(
            convolutional(), Settings(REFERENCE), load_arithmetic("litert-reference"), InProcess().memory
        )
    )


@pytest.fixture(scope="module")
def ranked(asked: tuple[CaseJob, ...]) -> tuple[Ranking, ...]:
    return tuple(rank(case_job, load_arithmetic("litert-reference")) for case_job in asked)


def test_a_stimulus_that_detects_more_comes_first(
    asked: tuple[CaseJob, ...], ranked: tuple[Ranking, ...]
) -> None:
    """Inputs with only zeros detect few faults of a convolution, so they are not first."""
    conv, ranking = asked[0], ranked[0]
    assert sorted(ranking.stimuli) == list(range(len(conv.stimuli)))
    assert ranking.notices[0] > 10
    first = conv.stimuli[ranking.stimuli[0]].arrays[0]
    assert len(np.unique(first)) > 20


class Board:
    """Device with a fixed time per invocation, measured by its own clock."""

    name = described = "board"

    def __init__(self, seconds: float) -> None:
        self.now, self.seconds, self.invocations = 0.0, seconds, 0

    def run(self, job: Job) -> Answer | Failure:
        self.now += self.seconds * len(job.runs)
        self.invocations += len(job.runs)
        return Failure(Outcome.REFUSED, "")

    def close(self) -> None:
        """Do nothing, because no process runs."""


@pytest.mark.parametrize("pace", [0.2, 1.0, 5.0])
def test_a_time_is_kept_however_wrong_the_first_estimate_was(
    asked: tuple[CaseJob, ...], ranked: tuple[Ranking, ...], pace: float
) -> None:
    board = Board(1.0)
    spending = BudgetDivision(Budget(seconds=30), ranked, 2, pace=pace, clock=lambda: board.now)
    outcomes = [
        spending.run_job(board, narrow.job).outcome  # type: ignore[union-attr]
        for narrow in map(spending.limit_job, asked)
        if narrow.stimuli
    ]
    # The budget of the first case follows the first estimate; further budgets follow measured times.
    assert board.now <= 30 + max(1, 1 / pace) * 10
    assert board.invocations >= 15
    assert len(outcomes) == 7
    assert outcomes.count(Outcome.REFUSED) >= 6


def test_jobs_after_the_time_limit_do_not_run(asked: tuple[CaseJob, ...]) -> None:
    board = Board(1.0)
    spending = BudgetDivision(Budget(seconds=5), [], 2, clock=lambda: board.now)
    board.now = 5.5
    late = spending.run_job(board, asked[0].job)
    assert isinstance(late, Failure)
    assert late.outcome is Outcome.NOT_TRIED
    assert board.invocations == 0


def test_a_resumed_run_runs_the_omitted_cases(tmp_path: Path) -> None:
    book = Journal(tmp_path / "journal", {"litecheck": 1}, False, from_note)
    verify(convolutional(), Counting(), budget("4"), journal=book)
    book.close()
    assert len((tmp_path / "journal").read_text().splitlines()) == 1 + 4


def test_a_crash_is_not_investigated_beyond_the_budget() -> None:
    def crash(job: Job) -> Failure | None:
        return Failure(Outcome.CRASHED, "SIGSEGV") if "CONV_2D" in job.name else None

    device = Counting(instead=crash)
    report = verify(convolutional(), device, budget("30"))
    assert device.invocations == 30
    assert report.counts()[Outcome.CRASHED] == 2


@pytest.mark.parametrize(
    "settings", [Settings(REFERENCE), budget("33"), Settings(REFERENCE, repeat=1, kinds=("propagated",))]
)
def test_the_estimated_number_of_invocations_is_exact(settings: Settings) -> None:
    told = estimate_cost(two_operators(), InProcess(), settings)
    device = Counting()
    verify(two_operators(), device, settings)
    assert told.invocations == device.invocations
    assert told.sampled is not None
    assert (told.sampled.case, told.sampled.failed) == ("0000-ADD", "")


def test_the_progress_bar_has_the_estimated_total(asked: tuple[CaseJob, ...]) -> None:
    estimated = weights(convolutional(), Settings(REFERENCE))
    assert list(estimated) == [case_job.case.name for case_job in asked]
    assert sum(estimated.values()) == pytest.approx(sum(len(q.order) for q in asked), rel=0.1)
    assert sum(weights(convolutional(), budget("33")).values()) == pytest.approx(33)


def test_operators_that_only_move_values_are_fed_a_few_inputs(asked: tuple[CaseJob, ...]) -> None:
    fed = {case_job.case.opcodes[0]: len(case_job.stimuli) for case_job in asked}
    assert fed["RESHAPE"] < 10 < 200 < fed["FULLY_CONNECTED"]


@pytest.fixture
def network(tmp_path: Path) -> str:
    save_model(two_operators(), tmp_path / "network.tflite")
    return str(tmp_path / "network.tflite")


@pytest.mark.runtime
def test_a_dry_run_estimates_without_a_verification(network: str) -> None:
    pytest.importorskip("ai_edge_litert")
    asked = ["verify", network, "--device", "litert:reference", "--dry-run", "--budget", "40"]
    done = CliRunner().invoke(app, asked)
    assert done.exit_code == 0
    text = " ".join(done.output.split())
    assert "nothing was verified" in text
    assert re.search(r"3 cases, 40 invocations, about .* one of 0000-ADD took", text)


def test_an_invalid_budget_is_an_error_of_the_command_line(network: str) -> None:
    done = CliRunner().invoke(app, ["verify", network, "--device", "litert:reference", "--budget", "soon"])
    assert done.exit_code == 64


@pytest.mark.parametrize("budget_of", [None, Budget(invocations=500)])
def test_a_budget_does_not_turn_a_known_crash_into_a_failure(budget_of: Budget | None) -> None:
    """LiteRT's SOFTMAX crashes on rows of 512 equal inputs; without a budget these inputs are left out."""
    builder = ModelBuilder("softmax")
    main = builder.subgraph()
    x, y = (
        main.tensor("x", (1, 512), "int8", qparams(0.1, 3)),
        main.tensor("y", (1, 512), "int8", qparams(1 / 256, -128)),
    )
    main.add("SOFTMAX", [x], [y], beta=1.0)
    main.inputs(x)
    main.outputs(y)

    def crash(job: Job) -> Failure | None:
        equal = any((array == array.flat[0]).all() for run in job.runs for array in run)
        return Failure(Outcome.CRASHED, "ended with SIGABRT") if equal else None

    device = InProcess(instead=crash, name="litert:reference")
    report = verify(builder.finish(), device, Settings(budget=budget_of))
    assert report.verdict != "fails"
    assert "SOFTMAX crashes" in report.verdicts[0].fault
