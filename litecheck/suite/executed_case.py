"""Endings of test cases before any comparison: outputs, or the reason for missing outputs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from numpy.typing import NDArray

from litecheck.devices.outcome import Outcome
from litecheck.model.types import Tensor
from litecheck.suite.case_outcome import CaseOutcome
from litecheck.suite.manifest import CaseEntry
from litecheck.suite.results import CaseResult
from litecheck.suite.verdict import CaseVerdict

#: Ending for each outcome of a device.
ENDINGS = {
    Outcome.FLAKY.value: CaseOutcome.FLAKY,
    Outcome.REFUSED.value: CaseOutcome.REFUSED,
    Outcome.CRASHED.value: CaseOutcome.CRASHED,
    Outcome.TIMED_OUT.value: CaseOutcome.HUNG,
    Outcome.OUT_OF_MEMORY.value: CaseOutcome.OUT_OF_MEMORY,
    Outcome.NOT_DELEGATED.value: CaseOutcome.NOT_DELEGATED,
    Outcome.NOT_SUPPORTED.value: CaseOutcome.NOT_SUPPORTED,
    Outcome.NO_REFERENCE.value: CaseOutcome.MISSING,
    Outcome.NOT_RECORDED.value: CaseOutcome.MISSING,
    Outcome.WRONG_SHAPE.value: CaseOutcome.FAILED,
}

_IDLE = "rejected like every valid model of the operator\n"


@dataclass(frozen=True, slots=True, eq=False)
class ExecutedCase:
    """A case's outputs, or the reason for missing outputs, and the arithmetics that fit exactly.

    ``tensors`` reads the model's outputs lazily: they are not needed if everything is as expected.
    """

    case: CaseEntry
    result: CaseResult | None
    tensors: Callable[[], tuple[Tensor, ...]] = tuple
    outputs: tuple[NDArray[Any], ...] = ()
    fits: tuple[str, ...] = ()
    wrong: str = ""

    @property
    def comparable(self) -> bool:
        """True if there are outputs of the right shapes and types, and expected outputs."""
        return bool(self.outputs) and not self.wrong and not self.case.broken


def broken_ending(case: CaseEntry, result: CaseResult) -> CaseOutcome:
    """Return the ending of an invalid model.

    A model without inputs whose result has no outputs was not run: earlier versions gave it to no device.
    """
    if result.answered:
        return CaseOutcome.ACCEPTED if case.inputs or result.outputs else CaseOutcome.NOT_TESTED
    if result.outcome in (Outcome.REFUSED.value, Outcome.NOT_DELEGATED.value, Outcome.NOT_SUPPORTED.value):
        return CaseOutcome.REJECTED
    missing = ENDINGS.get(result.outcome) is CaseOutcome.MISSING
    return CaseOutcome.NOT_TESTED if missing else CaseOutcome.BROKE_DOWN


def judge_operator(compared: Sequence[ExecutedCase], verdicts: Sequence[CaseVerdict]) -> list[CaseVerdict]:
    """Return the verdicts of an operator. A device that computes no valid case rejects everything, so its rejections
    of invalid models show nothing."""
    results = [one.result for one in compared if one.result is not None and not one.case.broken]
    if not results or any(result.answered for result in results):
        return list(verdicts)
    return [
        replace(one, ending=CaseOutcome.NOT_TESTED, message=f"{_IDLE}{one.message}")
        if one.ending is CaseOutcome.REJECTED
        else one
        for one in verdicts
    ]


def delegation_status(result: CaseResult) -> str:
    """Return ``proved``, ``partly`` or ``left to others``; "" if the device is not a delegate."""
    if result.delegated is None or not result.delegated:
        return ""
    if all(result.delegated):
        return "proved"
    return "partly" if any(result.delegated) else "left to others"


def placement(compared: Sequence[ExecutedCase]) -> str:
    said = {
        delegation_status(one.result) for one in compared if one.result is not None and one.comparable
    } - {""}
    if not said:
        return ""
    return said.pop() if len(said) == 1 else "partly"
