"""The one word that running a case on a device ends with."""

from __future__ import annotations

from enum import Enum


class Outcome(str, Enum):
    """The one word a case ends with; the value is what people read."""

    EXACT = "exact"
    WITHIN = "within tolerance"
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
    INITIAL_ONLY = "initial state only"
    NOT_TRIED = "not tried"

    @property
    def good(self) -> bool:
        """Whether the device did what it was asked for."""
        return self in (Outcome.EXACT, Outcome.WITHIN)

    @property
    def judged(self) -> bool:
        """Whether the device was judged at all: it was given the operator and there was something to compare with.

        One that remembers is not checked by inferences from the initial state alone.
        """
        return self not in (
            Outcome.NOT_DELEGATED,
            Outcome.NOT_SUPPORTED,
            Outcome.NO_REFERENCE,
            Outcome.INITIAL_ONLY,
            Outcome.NOT_TRIED,
        )


#: A device that ends like this may do so on some inputs only.
RETRIED = (Outcome.CRASHED, Outcome.REFUSED)
