"""Ending of a case of a suite on a device."""

from __future__ import annotations

from enum import Enum


class CaseOutcome(str, Enum):
    """The ending of a case; the value is the code in JSON, CSV and files of results."""

    PASSED = "passed"
    TOLERATED = "tolerated"
    FAILED = "failed"
    FLAKY = "flaky"
    REFUSED = "refused"
    CRASHED = "crashed"
    HUNG = "hung"
    OUT_OF_MEMORY = "out of memory"
    NOT_DELEGATED = "not delegated"
    NOT_SUPPORTED = "not supported"
    MISSING = "missing"
    """The result of a valid model is missing."""
    REJECTED = "rejected"
    ACCEPTED = "accepted"
    """A model that breaks a requirement and was computed all the same."""
    BROKE_DOWN = "broke down"
    """A model that breaks a requirement, on which the device crashed, hung or ran out of memory."""
    NOT_TESTED = "not tested"
    """The result of a model that breaks a requirement is missing, or no valid case of its operator was computed."""

    @property
    def text(self) -> str:
        """Text in reports for people. Example: ``wrongly accepted`` for the code ``accepted``."""
        return _TEXTS.get(self, self.value)

    @property
    def good(self) -> bool:
        """True if the device behaved as required."""
        return self in (CaseOutcome.PASSED, CaseOutcome.TOLERATED, CaseOutcome.REJECTED)

    @property
    def fails(self) -> bool:
        """True if the ending fails the device.

        Endings of invalid models never fail: LiteRT itself computes some of these models and crashes on others.
        """
        return self in (
            CaseOutcome.FAILED,
            CaseOutcome.FLAKY,
            CaseOutcome.REFUSED,
            CaseOutcome.CRASHED,
            CaseOutcome.HUNG,
            CaseOutcome.OUT_OF_MEMORY,
        )

    @property
    def of_invalid(self) -> bool:
        """True if the ending is that of an invalid model."""
        valid_only = self.fails or self.lacks or self in (CaseOutcome.PASSED, CaseOutcome.TOLERATED)
        return not valid_only

    @property
    def lacks(self) -> bool:
        """True if the device itself computed nothing; a claimed case then fails, too."""
        return self in (CaseOutcome.NOT_DELEGATED, CaseOutcome.NOT_SUPPORTED, CaseOutcome.MISSING)


#: Texts that differ from the code.
_TEXTS = {
    CaseOutcome.REFUSED: "wrongly rejected",
    CaseOutcome.ACCEPTED: "wrongly accepted",
    CaseOutcome.BROKE_DOWN: "crashed on an invalid model",
}
