"""Outputs of the previous inference are recognized if all wrong elements have its values."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from litecheck.arrays import Arrays
from litecheck.comparison.whole_outputs import OutputHistory
from litecheck.comparison.wording import left_over_sentence, unrepeated_sentence
from litecheck.devices.outcome import Outcome
from litecheck.devices.port import Job
from litecheck.verification.device_run import verify
from litecheck.verification.settings import Settings
from tests.verification.inprocess import InProcess
from tests.verification.networks import convolutional

RNG = np.random.default_rng(4)
FEEDS = tuple((RNG.integers(-100, 100, 40).astype(np.int8),) for _ in range(4))
ORDER = (0, 1, 2, 3, 3, 2, 1, 0)


def sequel(*actual: Arrays) -> OutputHistory:
    return OutputHistory(ORDER, ("random",) * 4, FEEDS, actual)


def right() -> list[Arrays]:
    return [(FEEDS[n][0].copy(),) for n in ORDER]


def test_correct_outputs_are_no_stale_outputs() -> None:
    assert (sequel(*right()).flaky(), sequel(*right()).find_stale_output()) == (None, None)


def test_the_answer_before() -> None:
    late = [right()[0], *right()[:-1]]
    found = sequel(*late)
    restless, stale = found.flaky(), found.find_stale_output()
    assert restless is not None
    assert stale is not None
    assert unrepeated_sentence(restless).startswith("the same random inputs gave different outputs in ")
    assert left_over_sentence(stale) == (
        f"all {sum(int((a[0] != b[0]).sum()) for a, b in zip(late, right(), strict=True)):,} wrong elements of 6 "
        "inferences equal the expected outputs of the previous inference"
    )


def test_a_last_element_that_is_never_written() -> None:
    stale = right()
    for now in stale:
        now[0][-1] = 77  # an unrelated value from memory
    assert (
        sequel(*stale).find_stale_output() is None
    )  # a single repeated value has many possible explanations
    stale = right()
    for before, now in pairwise(stale):
        now[0][-3:] = before[0][-3:]
    found = sequel(*stale).find_stale_output()
    assert found is not None
    assert left_over_sentence(found).endswith("equal the device's outputs of the previous inference")


def test_one_wrong_element_of_another_kind_is_no_left_over() -> None:
    late = [right()[0], *right()[:-1]]
    late[5][0][7] ^= 1
    assert sequel(*late).find_stale_output() is None


def test_a_wrong_kernel_that_repeats_its_error_is_no_left_over() -> None:
    wrong = tuple((FEEDS[0][0] ^ 1,) for _ in range(3))
    assert OutputHistory((0, 0, 0), ("random",), FEEDS[:1], wrong).find_stale_output() is None
    alike = ((FEEDS[0][0],), (np.r_[FEEDS[0][0][:20], FEEDS[1][0][20:]],))
    made = [np.r_[feed[0][:20] ^ 1, feed[0][20:]] for feed in alike]  # wrong only where both inputs agree
    actual = tuple((made[number],) for number in (0, 1, 0))
    assert OutputHistory((0, 1, 0), ("random",) * 2, alike, actual).find_stale_output() is None


def test_a_verdict_reports_stale_outputs() -> None:
    kept: list[Arrays] = []

    def previous(job: Job, number: int, outputs: Arrays) -> Arrays:
        if "FULLY" not in job.name:
            return outputs
        kept.append(outputs)
        return kept[-2] if number else outputs

    report = verify(convolutional(), InProcess(change=previous), Settings(kinds=("random", "directed")))
    found = {v.opcode: v for v in report.verdicts}["FULLY_CONNECTED"]
    assert found.outcome is Outcome.FLAKY
    assert "equal the expected outputs of the previous inference" in found.message
    assert {v.outcome for v in report.verdicts if v is not found} == {Outcome.EXACT}
