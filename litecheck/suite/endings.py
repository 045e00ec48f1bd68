"""How a case ended before anything of it is compared: what the device gave, or why it gave nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from litecheck.devices.outcome import Outcome
from litecheck.model.types import Tensor
from litecheck.suite.manifest import CaseEntry
from litecheck.suite.results import ANSWERED, CaseResult
from litecheck.suite.verdict import Ending

#: What an outcome of a device is called here.
ENDINGS = {
    Outcome.REFUSED.value: Ending.REFUSED,
    Outcome.CRASHED.value: Ending.CRASHED,
    Outcome.TIMED_OUT.value: Ending.HUNG,
    Outcome.OUT_OF_MEMORY.value: Ending.OUT_OF_MEMORY,
    Outcome.NOT_DELEGATED.value: Ending.NOT_DELEGATED,
    Outcome.NOT_SUPPORTED.value: Ending.NOT_SUPPORTED,
    Outcome.NO_REFERENCE.value: Ending.SKIPPED,
    Outcome.WRONG_SHAPE.value: Ending.FAILED,
}


@dataclass(frozen=True, slots=True, eq=False)
class FacedCase:
    """A case's outputs, or why there are none, and the arithmetics they fit exactly; ``tensors`` reads the model's outputs,
    which nobody asks for where everything is as expected."""

    case: CaseEntry
    result: CaseResult | None
    tensors: Callable[[], tuple[Tensor, ...]] = tuple
    outputs: tuple[NDArray[Any], ...] = ()
    fits: tuple[str, ...] = ()
    wrong: str = ""

    @property
    def comparable(self) -> bool:
        """Whether there are outputs, of the right shapes and types, and something to compare them with."""
        return bool(self.outputs) and not self.wrong and not self.case.broken


def broken_ending(result: CaseResult) -> Ending:
    """How a model ends that must be refused."""
    if result.outcome == ANSWERED:
        return Ending.ACCEPTED
    if result.outcome in (Outcome.REFUSED.value, Outcome.NOT_DELEGATED.value, Outcome.NOT_SUPPORTED.value):
        return Ending.REJECTED
    return Ending.SKIPPED if result.outcome == Outcome.NO_REFERENCE.value else Ending.BROKE_DOWN


def delegated(result: CaseResult) -> str:
    """``proved``, ``partly``, ``left to others``; nothing where the device is no delegate."""
    if result.delegated is None or not result.delegated:
        return ""
    if all(result.delegated):
        return "proved"
    return "partly" if any(result.delegated) else "left to others"


def placement(compared: Sequence[FacedCase]) -> str:
    said = {delegated(one.result) for one in compared if one.result is not None and one.comparable} - {""}
    if not said:
        return ""
    return said.pop() if len(said) == 1 else "partly"
