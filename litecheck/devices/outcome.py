"""Outcome of running a test case on a device."""

from __future__ import annotations

from enum import Enum


class Outcome(str, Enum):
    """Outcome of a test case. The value is the code in JSON and in result files."""

    EXACT = "exact"
    WITHIN = "within tolerance"
    SATURATED = "all outputs saturate"
    MISMATCH = "mismatch"
    WRONG_SHAPE = "wrong shape or type"
    FLAKY = "flaky"
    NOT_DELEGATED = "not delegated"
    NOT_SUPPORTED = "not supported"
    REFUSED = "refused"
    CRASHED = "crashed"
    TIMED_OUT = "timed out"
    OUT_OF_MEMORY = "out of memory"
    NO_REFERENCE = "no reference"
    NOT_RECORDED = "not recorded"
    INITIAL_ONLY = "initial state only"
    NOT_TRIED = "not tried"

    @property
    def text(self) -> str:
        """Text in reports for people. Example: ``rejected`` for the code ``refused``."""
        return "rejected" if self is Outcome.REFUSED else self.value

    @property
    def good(self) -> bool:
        """True if the device computed correct outputs."""
        return self in (Outcome.EXACT, Outcome.WITHIN)

    @property
    def judged(self) -> bool:
        """True if the outcome is a verdict: the device got the operator, and a reference was available.

        Outputs that are all at the limits of their type (SATURATED) show no rounding. Inferences from the initial state
        alone (INITIAL_ONLY) do not verify a device with state.
        """
        return self not in (
            Outcome.NOT_DELEGATED,
            Outcome.NOT_SUPPORTED,
            Outcome.NO_REFERENCE,
            Outcome.NOT_RECORDED,
            Outcome.INITIAL_ONLY,
            Outcome.NOT_TRIED,
            Outcome.SATURATED,
        )


#: Outcomes that may occur for some inputs only.
RETRIED = (Outcome.CRASHED, Outcome.REFUSED)
