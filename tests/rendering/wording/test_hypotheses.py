"""Sentences of a diagnosis: counts, the matching variant, evidence, and reasons for missing conclusions."""

from __future__ import annotations

from types import SimpleNamespace as N
from typing import Any

import pytest

from litecheck.devices.outcome import Outcome
from litecheck.rendering.wording import hypotheses as wording


def diagnosed(**more: Any) -> Any:
    known = {"conclusion": "identified", "fits": ("double",), "unanswered": (), "probes": 3, "elements": 1_000,
             "inferences": 0, "unsteady": (), "nearest": None, "contrast": None, "fault": "", "excluded": (),
             "owned": ()}  # fmt: skip
    return N(**{**known, **more})


def diagnosis(*operators: Any, models: tuple[str, ...] = ()) -> Any:
    return N(operators=operators, models=models)


def excluded(**more: Any) -> Any:
    known = {"probe": "ties", "index": (0, 17), "run": 0, "accumulator": None, "inputs": (), "expected": 5.0, "actual": 6.0,
             "differing": 1_021, "size": 4_099, "way": "single"}  # fmt: skip
    return N(**{**known, **more})


class Way(str):
    """Name of a variant with its published arithmetics."""

    published: tuple[str, ...] = ()


def test_summary() -> None:
    assert wording.summary(diagnosis(diagnosed(), diagnosed())) == "2,000 outputs of 6 probes"
    one = diagnosis(diagnosed(inferences=1), models=("a/net.tflite", "other.tflite"))
    assert wording.summary(one) == (
        "1,000 outputs of 3 probes in 1 inference, with the operators of net.tflite and other.tflite"
    )


def test_tally() -> None:
    some = diagnosis(diagnosed(), diagnosed(conclusion="unknown"), diagnosed())
    assert wording.tally(some) == "3 kinds of operators: 2 identified, 1 unknown"
    assert wording.tally(diagnosis()) == "0 kinds of operators"


@pytest.mark.parametrize(
    ("one", "words"),
    [
        (diagnosed(), "double"),
        (diagnosed(conclusion="unknown", fits=()), "unknown"),
        (diagnosed(conclusion="not repeatable", fits=("single",)), "not repeatable; mostly single"),
        (diagnosed(conclusion="not repeatable", fits=()), "not repeatable"),
    ],
)
def test_the_way_that_fits(one: Any, words: str) -> None:
    assert wording.candidate_text(one) == words


@pytest.mark.parametrize(
    ("one", "words"),
    [
        (diagnosed(), ""),
        (diagnosed(fits=("a", "b")), "1 other ambiguous"),
        (diagnosed(fits=("a", "b", "c"), unanswered=(1, 2)), "2 others ambiguous, 2 not answered"),
        (diagnosed(unanswered=(1,), probes=0), ""),
    ],
)
def test_notes(one: Any, words: str) -> None:
    assert wording.notes(one) == words


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ({}, "'ties' [0, 17]: would be 5, is 6; 1,021 of 4,099 differ"),
        ({"run": 2}, "'ties' [0, 17] of run 2: would be 5, is 6; 1,021 of 4,099 differ"),
        (
            {"accumulator": 0, "inputs": (1,)},
            "'ties' [0, 17], accumulator 0: would be 5, is 6; 1,021 of 4,099 differ",
        ),
        ({"inputs": (1, -2)}, "'ties' [0, 17], stored 1 and -2: would be 5, is 6; 1,021 of 4,099 differ"),
    ],
)
def test_an_excluded_way(more: dict[str, Any], words: str) -> None:
    assert wording.excluded_sentence(excluded(**more)) == words


def test_evidence() -> None:
    """Published variants come first; four are shown."""
    ways = [Way(f"w{n}") for n in range(6)]
    ways[5].published = ("tflm",)
    told = [*wording.evidence(diagnosed(fits=("a", "b"), excluded=[excluded(way=w) for w in ways]))]
    assert told[0] == "same outputs for all inputs: b"
    assert [line.split()[1].rstrip(":") for line in told[1:5]] == ["w5", "w0", "w1", "w2"]
    assert told[5] == "not 2 further variants"
    four = [*wording.evidence(diagnosed(excluded=[excluded(way=w) for w in ways[:4]]))]
    assert len(four) == 4


def test_problems() -> None:
    nearest = N(differing=1_200, size=3_000, example=excluded())
    told = [*wording.problems(diagnosed(nearest=nearest, fault="issue 1"))]
    assert told == [
        "nearest is single: 1,200 of 3,000 outputs differ",
        f"such as {wording.excluded_sentence(excluded())}",
        "a known fault of this runtime: issue 1",
    ]


def test_reasons_for_silence_are_stated_once() -> None:
    some = [N(outcome=Outcome.CRASHED, fault="", message="m"), N(outcome=Outcome.CRASHED, fault="", message="m"),
            N(outcome=Outcome.REFUSED, fault="known", message="m"),
            N(outcome=Outcome.REFUSED, fault="", message="exit status 3\nno memory")]  # fmt: skip
    told = [*wording.silent(diagnosed(unanswered=some))]
    assert told == ["crashed: m", "rejected: known", "rejected: exit status 3; no memory"]


def test_operators_of_a_model_are_named() -> None:
    owned = (N(called="#1", title="conv"), N(called="#12", title="add"))
    assert [*wording.operator_names(diagnosed(owned=owned), ["'#12, ties' [0]"])] == ["#12 is 'add'"]
