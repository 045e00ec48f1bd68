"""Sentences on probes that fail and probes that pass."""

from __future__ import annotations

from typing import Any

import pytest

from litecheck.diagnosis.result import Contrast, NonDeterministic, PropertyBound, SharedTraits
from litecheck.rendering.wording.contrasts import contrast_sentences, unsteady_sentence

WIDE, WIDEST = PropertyBound("channels", "at least", 33, 32), PropertyBound("channels", "at least", 1_000)
NARROW, SAME = PropertyBound("rows", "at most", 5, 7), PropertyBound("padding", "is", "SAME")
BIAS, BARE, NOT = (
    PropertyBound("a bias", "has"),
    PropertyBound("bias", "has not"),
    PropertyBound("no bias", "has not"),
)


@pytest.mark.parametrize(
    ("shared", "sentence"),
    [
        (SharedTraits((WIDE,), 0), "all that fail have channels of 33 or more (next is 32); none that passes has"),
        (SharedTraits((WIDEST,), 2), "all that fail have channels of 1,000 or more; so have 2 of 3 that pass"),
        (SharedTraits((NARROW, SAME), 0),
         "all that fail have rows of 5 or less (next is 7) and padding SAME; none that passes has both"),
        (SharedTraits((BIAS, BARE, NOT), 0),
         "all that fail have a bias and no bias and no bias; none that passes has all three"),
    ],
)  # fmt: skip
def test_shared_traits(shared: SharedTraits, sentence: str) -> None:
    contrast = Contrast(("p",), ("q", "r", "s"), (shared,))
    assert list(contrast_sentences(contrast)) == [sentence]


@pytest.mark.parametrize(
    ("failing", "passing", "sentences"),
    [
        ((), ("q",), []),
        (("p",), (), ["no probe passes"]),
        (("p",), ("q",), ["nothing that is measured of them"]),
    ],
)
def test_contrasts_without_traits(
    failing: tuple[str, ...], passing: tuple[str, ...], sentences: list[str]
) -> None:
    assert list(contrast_sentences(Contrast(failing, passing))) == sentences


def unsteady(**facts: Any) -> NonDeterministic:
    return NonDeterministic(
        "p", **{"asked": 20, "odd": 2, "moving": 7, "size": 19, "most": 3, "inferences": (4, 9), **facts}
    )


@pytest.mark.parametrize(
    ("facts", "sentence"),
    [
        ({}, "inferences 4, 9; 7 of 19 elements differ"),
        ({"odd": 1, "inferences": (4,)}, "inference 4; 7 of 19 elements differ"),
        ({"odd": 4, "inferences": (4, 8, 12, 16), "every": 4}, "inferences 4, 8, 12, 16, every 4; 7 of 19 elements differ"),
        ({"odd": 5, "inferences": (1, 4, 8, 12, 17)}, "inferences 1, 4, 8, 12, ...; 7 of 19 elements differ"),
        ({"most": 1}, "inferences 4, 9; one element differs each time"),
        ({"moving": 1, "most": 1, "element": 3}, "inferences 4, 9; only element 3 of 19 differs"),
        ({"moving": 1, "most": 1, "element": 18}, "inferences 4, 9; only element 18 of 19, the last, differs"),
        ({"moving": 19}, "inferences 4, 9; all 19 elements differ"),
        ({"repeats": True},
         "inferences 4, 9; the different values equal those of the previous inference; 7 of 19 elements differ"),
        ({"delayed": True}, "7 of 19 elements as the input of the inference before has it"),
    ],
)  # fmt: skip
def test_answers_that_do_not_repeat(facts: dict[str, Any], sentence: str) -> None:
    assert unsteady_sentence(unsteady(**facts)) == sentence
