"""Outcomes of answers: tolerances, the nearest arithmetic, and answers of a wrong form."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from litecheck.cases.variable_state import StateSupport
from litecheck.data import rules_dir
from litecheck.devices.outcome import Outcome
from litecheck.devices.port import Answer, Failure
from litecheck.finding import Demand
from litecheck.profile.load import load_profile
from litecheck.profile.types import Conformance
from litecheck.reference.engine.arithmetic import Arithmetic, load_arithmetic
from litecheck.verification.case_verdict import Judge, Tolerances, tolerances
from litecheck.verification.jobs import CaseJob
from litecheck.verification.schedule import every_case_job
from litecheck.verification.settings import Settings
from tests.profile.test_conformance import written
from tests.verification.inprocess import InProcess
from tests.verification.planted import changed, two_operators


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "int32", "int64", "bool", "int4"])
def test_integers_must_be_exact_without_a_declared_tolerance(dtype: str) -> None:
    assert tolerances(None).of("CONV_2D", dtype) == (0.0, "")


@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
@pytest.mark.parametrize("profile", [None, "litert-runtime", "litert-int8"])
def test_real_sums_may_be_added_up_in_another_order(profile: str | None, dtype: str) -> None:
    tolerance, because = tolerances(load_profile(profile) if profile else None).of("FULLY_CONNECTED", dtype)
    assert tolerance == 4e-6
    assert "order" in because


def test_the_template_declares_one_operator() -> None:
    template = tolerances(load_profile(rules_dir() / "template.yaml"))
    assert template.of("RESIZE_BILINEAR", "int8")[0] == 1.0
    assert template.of("CONV_2D", "int8")[0] == 0.0
    assert template.of("CONV_2D", "float32")[0] == 4e-6


def test_an_operators_own_entry_comes_before_that_of_all(tmp_path: Path) -> None:
    found = tolerances(load_profile(written(tmp_path, "ADD: {tolerance: 0, because: it can}")))
    assert found.of("ADD", "int8") == (0.0, "it can")
    assert found.of("SUB", "int8") == (1.0, "a slow bus")
    assert found.of("RESIZE_BILINEAR", "int8") == (2.0, "the scaler has eight bits")
    # An entry without a tolerance for reals uses that of the entry for all operators.
    assert found.of("ADD", "float32") == (1e-3, "a slow bus")


def test_a_child_lowers_tolerances_and_inherits_the_rest(tmp_path: Path) -> None:
    found = tolerances(load_profile(written(tmp_path, '"*": {reals: 1e-4, because: a faster bus}')))
    assert found.of("ADD", "float32") == (1e-4, "a faster bus")
    assert found.of("ADD", "int8")[0] == 1.0
    assert found.of("RESIZE_BILINEAR", "int8")[0] == 2.0


def test_a_child_may_add_a_tolerance(tmp_path: Path) -> None:
    path = tmp_path / "own.yaml"
    path.write_text(
        "profile: own\nextends: litert-int8\nconformance: {TANH: {tolerance: 1, because: a small table}}\n"
    )
    assert tolerances(load_profile(path)).of("TANH", "int8") == (1.0, "a small table")


@cache
def case_job(repeat: int = 2) -> CaseJob:
    """Return the ADD of a small model with 257 inputs, each of them twice."""
    settings = Settings(repeat=repeat, kinds=("propagated", "random"))
    asked = every_case_job(two_operators(), settings, ARITHMETIC, StateSupport.NONE)
    return next(one for one in asked if one.case.opcodes == ("ADD",))


ARITHMETIC = load_arithmetic("litert-reference")
#: A differently named arithmetic: ADD saturates before the zero point is added.
OTHER = replace(changed("ADD", defect="saturates-first"), name="other")
BOTH = frozenset({"litert-reference", "other"})


def judge(tolerance: int = 0, admissible: tuple[Arithmetic, ...] = (ARITHMETIC,)) -> Judge:
    stated = {"ADD": Conformance(tolerance, None, "a reason", Demand("p", "f", 1))}
    return Judge(admissible, (ARITHMETIC, OTHER), Tolerances((stated,)))


def answered(change: Callable[[list[np.ndarray]], None] | None = None, **fields: Any) -> Answer:
    """Return the reference's answer after a change, with one output array for each inference."""
    answer = InProcess().run(case_job().job)
    assert isinstance(answer, Answer)
    outputs = [run[0].copy() for run in answer.runs]
    if change is not None:
        change(outputs)
    return Answer(tuple((output,) for output in outputs), **fields)


def test_an_exact_answer() -> None:
    found = judge()(case_job(), answered(message="a remark"), BOTH)
    assert (found.outcome, found.message, found.mismatches) == (Outcome.EXACT, "a remark", 0)
    assert (found.nearest, found.arithmetic, found.against) == (ARITHMETIC, "litert-reference", "")
    assert "litert-reference" in found.still_possible
    assert len(found.actual) == len(case_job().stimuli)
    assert found.also == ()


def test_only_viable_arithmetics_fit() -> None:
    assert judge()(case_job(), answered(), frozenset({"other"})).still_possible <= {"other"}


def step(number: int, by: int, inference: int = 0) -> Callable[[list[np.ndarray]], None]:
    """Change the first elements of an inference, and of its repetition."""

    def change(outputs: list[np.ndarray]) -> None:
        order = case_job().order
        for at, stimulus in enumerate(order):
            if stimulus == inference:
                flat = outputs[at].reshape(-1)[:number]
                flat += np.where(flat < 100, by, -by).astype(flat.dtype)

    return change


@pytest.mark.parametrize(
    ("tolerance", "by", "outcome", "arithmetic"),
    [
        (0, 1, Outcome.MISMATCH, ""),
        (1, 1, Outcome.WITHIN, "litert-reference"),
        (1, 2, Outcome.MISMATCH, ""),
        (2, 2, Outcome.WITHIN, "litert-reference"),
    ],
)
def test_tolerances_decide(tolerance: int, by: int, outcome: Outcome, arithmetic: str) -> None:
    found = judge(tolerance)(case_job(), answered(step(3, by)), BOTH)
    assert (found.outcome, found.mismatches, found.arithmetic) == (outcome, 3, arithmetic)
    assert (found.still_possible, found.against) == (frozenset(), "")


def test_the_nearest_of_several_arithmetics() -> None:
    """A mismatch is described relative to the arithmetic with the fewest differences."""
    outputs = case_job().expected(OTHER)
    assert outputs is not None
    runs = tuple(outputs[number] for number in case_job().order)
    exact = judge(admissible=(ARITHMETIC, OTHER))(case_job(), Answer(runs), BOTH)
    assert (exact.outcome, exact.arithmetic, exact.against) == (Outcome.EXACT, "other", "")
    alone = judge()(case_job(), Answer(runs), BOTH)
    assert (alone.outcome, alone.also, alone.against) == (Outcome.MISMATCH, ("other",), "")
    assert alone.mismatches > 0
    changed = tuple((run[0].copy(),) for run in runs)
    for run in changed:
        run[0].reshape(-1)[0] ^= 64
    near = judge(admissible=(ARITHMETIC, OTHER))(case_job(), Answer(changed), BOTH)
    assert (near.outcome, near.arithmetic, near.against) == (Outcome.MISMATCH, "", "other")
    assert near.mismatches == len(case_job().stimuli)


def test_a_failure_is_its_outcome() -> None:
    found = judge()(case_job(), Failure(Outcome.CRASHED, "signal 11"), BOTH)
    assert (found.outcome, found.message, found.still_possible, found.actual) == (
        Outcome.CRASHED,
        "signal 11",
        BOTH,
        (),
    )


@pytest.mark.parametrize(
    ("delegated", "message"),
    [
        ((False,), "the device did not take it: the runtime computed it."),
        ((False, False), "the device did not take it: the runtime computed it."),
        ((True, False, False), "2 of its outputs were left: the runtime computed it."),
    ],
)
def test_outputs_that_the_runtime_computed(delegated: tuple[bool, ...], message: str) -> None:
    found = judge()(case_job(), answered(delegated=delegated), BOTH)
    assert (found.outcome, found.message) == (Outcome.NOT_DELEGATED, message)
    found = judge()(case_job(), answered(delegated=delegated, message="Because."), BOTH)
    assert found.message == f"{message} Because."
    assert judge()(case_job(), answered(delegated=(True, True)), BOTH).outcome is Outcome.EXACT


def test_without_an_expected_output() -> None:
    unknown = replace(case_job(), expected=lambda arithmetic: None, note="a note")
    found = judge()(unknown, answered(), BOTH)
    assert (found.outcome, found.message, found.still_possible) == (Outcome.NO_REFERENCE, "a note", BOTH)


def test_answers_of_another_form() -> None:
    count = len(case_job().order)
    sound = answered().runs
    shape = list(sound[0][0].shape)
    for runs, message in (
        (sound[:-1], f"{count - 1} answers to {count} inferences"),
        ((sound[0] * 2, *sound[1:]), "2 outputs, the model has 1"),
        (((), *sound[1:]), "0 outputs, the model has 1"),
        (((sound[0][0].astype(np.int16),), *sound[1:]),
         f"'y' is int16 of shape {shape}, it should be int8 of shape {shape}"),
        (((sound[0][0].reshape(-1),), *sound[1:]),
         f"'y' is int8 of shape [32], it should be int8 of shape {shape}: the same number of elements in a different shape"),
    ):  # fmt: skip
        found = judge()(case_job(), Answer(runs), BOTH)
        assert (found.outcome, found.message, found.still_possible) == (
            Outcome.WRONG_SHAPE,
            message,
            frozenset(),
        )


def test_an_end_after_the_answer_is_a_crash() -> None:
    found = judge()(case_job(), answered(ended="it ended with signal 11", message="Last words."), BOTH)
    assert found.outcome is Outcome.CRASHED
    assert found.message == "it ended with signal 11 after it had answered; its answer: exact. Last words."
    found = judge()(case_job(), answered(ended="it ended with signal 11"), BOTH)
    assert found.message == "it ended with signal 11 after it had answered; its answer: exact."


def test_other_outputs_when_repeated() -> None:
    def once(outputs: list[np.ndarray]) -> None:
        outputs[-1].reshape(-1)[:3] ^= 1

    kind = case_job().stimuli[case_job().order[-1]].kind
    found = judge()(case_job(), answered(once), BOTH)
    assert found.outcome is Outcome.FLAKY
    assert found.message.splitlines()[0] == (
        f"the same {kind} inputs gave different outputs in 3 of 32 elements when repeated"
    )


def test_a_memory_that_was_not_tried() -> None:
    untried = replace(case_job(), state_unchecked=True)
    assert judge()(untried, answered(), BOTH).outcome is Outcome.INITIAL_ONLY
    assert judge()(untried, answered(step(3, 1)), BOTH).outcome is Outcome.MISMATCH
