"""Outputs for inputs that occur repeatedly."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from litecheck.arrays import Arrays
from litecheck.cases.probes.probe import Probe
from litecheck.devices.outcome import Outcome
from litecheck.devices.port import Answer, Failure
from litecheck.diagnosis import observed_output
from litecheck.diagnosis.observed_output import ObservedOutput, compare_candidate, deterministic, observe
from litecheck.diagnosis.result import ExcludedCandidate, Hypothesis, NonDeterministic, UnansweredProbe
from litecheck.model.build import ModelBuilder, qparams
from litecheck.reference.runtime_tensors import RunError
from litecheck.rendering.wording.contrasts import unsteady_sentence

#: Irregular order of three inputs.
ASKED = (0, 1, 2, 0, 0, 2, 1, 1, 0, 2, 2, 1, 0, 1, 0)
RIGHT = tuple(np.arange(5, dtype=np.int8) + 10 * n for n in range(3))


def answers() -> list[Arrays]:
    return [(RIGHT[number].copy(),) for number in ASKED]


def test_a_steady_device_is_left_alone() -> None:
    runs, unsteady = deterministic("p", ASKED, answers())
    assert unsteady is None
    for run, right in zip(runs, RIGHT, strict=True):
        np.testing.assert_array_equal(run[0], right)


def test_one_wrong_answer_is_named_and_the_usual_one_counts() -> None:
    given = answers()
    given[8][0][2] ^= 1
    runs, unsteady = deterministic("p", ASKED, given)
    assert unsteady is not None
    assert (unsteady.asked, unsteady.odd) == (15, 1)
    assert unsteady_sentence(unsteady) == "inference 9; only element 2 of 5 differs"
    np.testing.assert_array_equal(runs[0][0], RIGHT[0])


def test_a_period_of_wrong_inferences_is_reported() -> None:
    given = answers()
    for at in (3, 7, 11):
        given[at][0][at % 3] += 1
    _, unsteady = deterministic("p", ASKED, given)
    assert unsteady is not None
    assert unsteady_sentence(unsteady) == "inferences 4, 8, 12, every 4; one element differs each time"


def test_an_output_of_the_previous_inference_is_reported() -> None:
    given = answers()
    given[5] = (given[4][0].copy(),)
    _, unsteady = deterministic("p", ASKED, given)
    assert unsteady is not None
    assert (
        unsteady_sentence(unsteady)
        == "inference 6; the different values equal those of the previous inference; all 5 elements differ"
    )


def test_delayed_outputs_are_assigned_to_their_inputs() -> None:
    late = [(np.full(5, 99, np.int8),), *answers()[:-1]]
    runs, unsteady = deterministic("p", ASKED, late)
    assert unsteady is not None
    assert unsteady_sentence(unsteady) == "all 5 elements as the input of the inference before has it"
    assert unsteady.odd == sum(a != b for a, b in pairwise(ASKED))
    for run, right in zip(runs, RIGHT, strict=True):
        np.testing.assert_array_equal(run[0], right)


def test_a_stale_last_element_is_reported() -> None:
    given = answers()
    for at in range(len(given) - 1, 0, -1):
        given[at][0][-1] = RIGHT[ASKED[at - 1]][-1]
    runs, unsteady = deterministic("p", ASKED, given)
    assert unsteady is not None
    assert (
        unsteady_sentence(unsteady) == "element 4 of 5, the last, as the input of the inference before has it"
    )
    np.testing.assert_array_equal(runs[1][0], RIGHT[1])


def test_outputs_of_several_tensors_keep_their_shapes_and_types() -> None:
    late = [(np.zeros((1, 5), np.int8), np.zeros(2, np.float32))]
    late += [(RIGHT[n].reshape(1, 5), np.full(2, n + 0.5, np.float32)) for n in ASKED[:-1]]
    runs, unsteady = deterministic("p", ASKED, late)
    assert unsteady is not None
    assert [(a.shape, a.dtype) for a in runs[2]] == [((1, 5), np.dtype("i1")), ((2,), np.dtype("f4"))]
    np.testing.assert_array_equal(runs[2][1], [2.5, 2.5])


def sums(*runs: list[int], order: tuple[int, ...] = ()) -> Probe:
    """Return an ADD of two inputs with three elements; the second input is always (1, 2, 3)."""
    builder = ModelBuilder()
    graph = builder.subgraph()
    x, y, z = (graph.tensor(name, (3,), "int8", qparams(1.0)) for name in "xyz")
    graph.add("ADD", [x, y], [z])
    graph.inputs(x, y)
    graph.outputs(z)
    fed = tuple((np.array(run, np.int8), np.array([1, 2, 3], np.int8)) for run in runs)
    return Probe("p", "ADD", builder.finish(), fed, order=order)


WAY, WRONG = Hypothesis(()), Hypothesis((), "no-output-zero-point")
PROBE = sums([10, 20, 30], [1, 1, 1])


def observed_runs(*runs: list[int]) -> ObservedOutput:
    return ObservedOutput(PROBE, tuple((np.array(run, np.int8),) for run in runs))


SOUND = ([11, 22, 33], [2, 3, 4])


def test_a_way_that_fits() -> None:
    assert observed_runs(*SOUND).against(WAY) is None
    assert compare_candidate(observed_runs(*SOUND), WAY) == "fits"
    assert observed_runs(*SOUND).size == 6
    assert observed_runs(*SOUND).distance(WAY) == 0


def test_the_first_element_that_differs() -> None:
    """Three elements differ; the operands of the first are 20 and 2."""
    found = observed_runs([11, 25, 33], [2, 9, 5]).against(WAY)
    assert found == ExcludedCandidate(WAY, "p", 0, (1,), 22, 25, 3, 6, None, (20, 2))
    assert compare_candidate(observed_runs([11, 25, 33], [2, 9, 5]), WAY) == found
    later = observed_runs([11, 22, 33], [2, 3, 5]).against(WAY)
    assert later == ExcludedCandidate(WAY, "p", 1, (2,), 4, 5, 1, 6, None, (1, 3))


def test_a_known_accumulator() -> None:
    seen = replace(
        observed_runs([11, 25, 33], [2, 3, 4]), probe=replace(PROBE, accumulators=np.array([5, 6, 7]))
    )
    found = seen.against(WAY)
    assert found is not None
    assert found.accumulator == 6


def test_distance_and_nearness() -> None:
    """Differences are 3, 0, 0 and 0, -2, 1."""
    seen = observed_runs([14, 22, 33], [2, 1, 5])
    assert seen.distance(WAY) == 6
    assert seen.near(WAY, 3, 1.0)
    assert not seen.near(WAY, 2, 1.0)
    assert seen.near(WAY, 2, 2 / 3)
    assert not seen.near(WAY, 1, 0.99)
    assert seen.near(WAY, 0, 1 / 3)


def test_ways_that_differ() -> None:
    assert not observed_runs(*SOUND).differ(WAY, WAY)
    wraps = Hypothesis((), "wraps")
    assert not observed_runs(*SOUND).differ(WAY, wraps)
    large = ObservedOutput(sums([127, 0, 0]), ((np.array([127, 2, 3], np.int8),),))
    assert large.differ(WAY, wraps)


def test_a_way_that_cannot_be_computed(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(probe: Probe, way: Hypothesis) -> None:
        raise RunError("no kernel")

    monkeypatch.setattr(observed_output, "outputs", refuse)
    seen = observed_runs(*SOUND)
    assert compare_candidate(seen, WAY) == "cannot be computed"
    assert seen.distance(WAY) == float("inf")
    assert seen.near(WAY, 99, 0.0) is False
    assert seen.differ(WAY, WRONG) is False


def answer(*runs: list[int], **fields: Any) -> Answer:
    return Answer(tuple((np.array(run, np.int8),) for run in runs), **fields)


def test_an_answer_is_seen() -> None:
    found = observe(PROBE, answer(*SOUND))
    assert isinstance(found, ObservedOutput)
    assert (found.unsteady, found.size) == (None, 6)
    assert [run[0].tolist() for run in found.runs] == list(SOUND)
    assert isinstance(observe(PROBE, answer(*SOUND, delegated=(True,))), ObservedOutput)


@pytest.mark.parametrize(
    ("given", "unanswered"),
    [
        (Failure(Outcome.REFUSED, "no"), UnansweredProbe("p", Outcome.REFUSED, "no")),
        (answer(*SOUND, delegated=(True, False)),
         UnansweredProbe("p", Outcome.NOT_DELEGATED, "the device did not take it")),
        (answer(SOUND[0]), UnansweredProbe("p", Outcome.WRONG_SHAPE, "outputs of another number, shape or type")),
        (answer(SOUND[0], [2, 3]), UnansweredProbe("p", Outcome.WRONG_SHAPE, "outputs of another number, shape or type")),
        (Answer(((np.zeros(3, np.int16),),) * 2),
         UnansweredProbe("p", Outcome.WRONG_SHAPE, "outputs of another number, shape or type")),
        (answer(*SOUND, ended="SIGSEGV"), UnansweredProbe("p", Outcome.CRASHED, "SIGSEGV after it had answered")),
    ],
)  # fmt: skip
def test_answers_without_outputs(given: Answer | Failure, unanswered: UnansweredProbe) -> None:
    assert observe(PROBE, given) == unanswered


def test_counts_of_an_unsteady_device() -> None:
    """Inferences 4, 8 and 12 differ: in elements 0 and 1, in 1, and in 1."""
    given = answers()
    given[3][0][:2] += 1
    given[7][0][1] += 1
    given[11][0][1] += 1
    _, unsteady = deterministic("p", ASKED, given)
    assert unsteady == NonDeterministic(
        "p",
        asked=15,
        odd=3,
        moving=2,
        size=5,
        element=-1,
        most=2,
        inferences=(4, 8, 12),
        every=4,
        repeats=False,
    )


def test_two_odd_inferences_have_no_rhythm() -> None:
    given = answers()
    for at in (3, 7):
        given[at][0][0] += 1
    _, unsteady = deterministic("p", ASKED, given)
    assert unsteady is not None
    assert (unsteady.every, unsteady.element, unsteady.most) == (0, 0, 1)


def test_counts_of_a_delayed_device() -> None:
    given = answers()
    for at in range(len(given) - 1, 0, -1):
        given[at][0][:2] = RIGHT[ASKED[at - 1]][:2]
    _, unsteady = deterministic("p", ASKED, given)
    different = sum(last != now for last, now in pairwise(ASKED))
    assert unsteady == NonDeterministic("p", 15, different, 2, 5, -1, delayed=True)


@pytest.mark.parametrize(("count", "delayed"), [(7, False), (8, True)])
def test_a_delay_needs_eight_inferences(count: int, delayed: bool) -> None:
    asked = (0, 1, 0, 0, 1, 1, 0, 1)[:count]
    late = [(RIGHT[2],), *((RIGHT[number],) for number in asked[:-1])]
    _, unsteady = deterministic("p", asked, late)
    assert unsteady is not None
    assert unsteady.delayed is delayed


def test_operands_of_an_element_need_its_shape() -> None:
    seen = observed_runs([11, 25, 33], [2, 3, 4])
    assert seen._inputs(0, (1,), (3,)) == (20, 2)
    assert seen._inputs(0, (1,), (4,)) == ()
    floats = replace(PROBE, runs=((np.zeros(3, np.float32), np.zeros(3, np.int8)),))
    assert ObservedOutput(floats, ())._inputs(0, (1,), (3,)) == ()
    apart = replace(PROBE, runs=((np.zeros(3, np.int8), np.zeros(2, np.int8)),))
    assert ObservedOutput(apart, ())._inputs(0, (1,), (3,)) == ()
    row = replace(PROBE, runs=((np.array([[5], [6]], np.int8), np.array([7, 8], np.int8)),))
    assert ObservedOutput(row, ())._inputs(0, (1, 0), (2, 2)) == (6, 7)


def test_equal_bits_of_reals_are_equal() -> None:
    nan = np.array([np.nan, 0.0], np.float32)
    assert np.array_equal(observed_output._bits(nan), observed_output._bits(nan.copy()))
    assert not np.array_equal(
        observed_output._bits(nan), observed_output._bits(np.array([np.nan, -0.0], np.float32))
    )
    whole = np.array([1, -1], np.int8)
    assert observed_output._bits(whole) is whole
