"""What may differ: the tolerances a profile declares for each operator, with their reasons."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from litecheck.profile.conformance import EVERY
from litecheck.profile.load import load_profile
from litecheck.profile.types import Conformance, Profile
from litecheck.quantization import INTEGER_RANGES

#: What is asked where the profile says nothing, or where there is none.
FALLBACK = "litert-runtime"


@dataclass(frozen=True, slots=True)
class Tolerances:
    """The conformance of profiles, the one that is asked first in front."""

    stated: tuple[Mapping[str, Conformance], ...]

    def of(self, opcode: str, dtype: str) -> tuple[float, str]:
        """(tolerance, reason) of an operator's output of that type; 0 and no reason where nothing is declared.

        Integers: LSB. Reals: a share of the largest magnitude.
        """
        for entry in self._entries(opcode):
            value = entry.tolerance if dtype in INTEGER_RANGES or dtype == "bool" else entry.reals
            if value is not None:
                return float(value), entry.because
        return 0.0, ""

    def _entries(self, opcode: str) -> Iterator[Conformance]:
        for conformance in self.stated:
            yield from (conformance[key] for key in (opcode, EVERY) if key in conformance)


def tolerances(profile: Profile | None) -> Tolerances:
    """The tolerances under a profile; what it leaves unstated is as litert-runtime has it."""
    fallback = load_profile(FALLBACK).conformance
    return Tolerances((profile.conformance, fallback) if profile else (fallback,))
