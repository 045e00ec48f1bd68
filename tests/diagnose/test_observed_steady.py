"""What becomes of answers to inputs that come again."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from litecheck.arrays import Arrays
from litecheck.diagnose.observed import settled
from litecheck.rendering.wording.contrasts import unsteady_sentence

#: Irregular turns of three inputs.
ASKED = (0, 1, 2, 0, 0, 2, 1, 1, 0, 2, 2, 1, 0, 1, 0)
RIGHT = tuple(np.arange(5, dtype=np.int8) + 10 * n for n in range(3))


def answers() -> list[Arrays]:
    return [(RIGHT[number].copy(),) for number in ASKED]


def test_a_steady_device_is_left_alone() -> None:
    runs, unsteady = settled("p", ASKED, answers())
    assert unsteady is None
    for run, right in zip(runs, RIGHT, strict=True):
        np.testing.assert_array_equal(run[0], right)


def test_one_wrong_answer_is_named_and_the_usual_one_counts() -> None:
    given = answers()
    given[8][0][2] ^= 1
    runs, unsteady = settled("p", ASKED, given)
    assert unsteady is not None
    assert (unsteady.asked, unsteady.odd) == (15, 1)
    assert unsteady_sentence(unsteady) == "inference 9; only element 2 of 5 differs"
    np.testing.assert_array_equal(runs[0][0], RIGHT[0])


def test_a_rhythm_is_told() -> None:
    given = answers()
    for at in (3, 7, 11):
        given[at][0][at % 3] += 1
    _, unsteady = settled("p", ASKED, given)
    assert unsteady is not None
    assert unsteady_sentence(unsteady) == "inferences 4, 8, 12, every 4; one element differs each time"


def test_an_answer_left_over_is_told() -> None:
    given = answers()
    given[5] = (given[4][0].copy(),)
    _, unsteady = settled("p", ASKED, given)
    assert unsteady is not None
    assert (
        unsteady_sentence(unsteady)
        == "inference 6; what differs there is what the inference before gave; all 5 elements differ"
    )


def test_answers_to_the_input_before_are_given_to_it() -> None:
    late = [(np.full(5, 99, np.int8),), *answers()[:-1]]
    runs, unsteady = settled("p", ASKED, late)
    assert unsteady is not None
    assert unsteady_sentence(unsteady) == "all 5 elements as the input of the inference before has it"
    assert unsteady.odd == sum(a != b for a, b in pairwise(ASKED))
    for run, right in zip(runs, RIGHT, strict=True):
        np.testing.assert_array_equal(run[0], right)


def test_a_last_element_of_the_input_before_is_told() -> None:
    given = answers()
    for at in range(len(given) - 1, 0, -1):
        given[at][0][-1] = RIGHT[ASKED[at - 1]][-1]
    runs, unsteady = settled("p", ASKED, given)
    assert unsteady is not None
    assert (
        unsteady_sentence(unsteady) == "element 4 of 5, the last, as the input of the inference before has it"
    )
    np.testing.assert_array_equal(runs[1][0], RIGHT[1])


def test_outputs_of_several_tensors_keep_their_shapes_and_types() -> None:
    late = [(np.zeros((1, 5), np.int8), np.zeros(2, np.float32))]
    late += [(RIGHT[n].reshape(1, 5), np.full(2, n + 0.5, np.float32)) for n in ASKED[:-1]]
    runs, unsteady = settled("p", ASKED, late)
    assert unsteady is not None
    assert [(a.shape, a.dtype) for a in runs[2]] == [((1, 5), np.dtype("i1")), ((2,), np.dtype("f4"))]
    np.testing.assert_array_equal(runs[2][1], [2.5, 2.5])
