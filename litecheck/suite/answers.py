"""What arithmetics give for a suite's cases: as its files hold it, or computed where a claimed one is not among them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from litecheck.reference.engine.arithmetic import Arithmetic
from litecheck.reference.engine.interpreter import Machine
from litecheck.reference.operands import RunError
from litecheck.suite.causes import loaded_case
from litecheck.suite.manifest import CaseEntry, Suite
from litecheck.suite.mutants import computed

#: Outputs, each with all runs stacked.
Outputs = tuple[NDArray[Any], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """Expected outputs by arithmetic. ``own`` are arithmetics that the suite has no answers of."""

    suite: Suite
    own: Mapping[str, Arithmetic]

    def every(self, case: CaseEntry, named: Sequence[str]) -> Iterator[tuple[tuple[str, ...], Outputs]]:
        """Names that agree, with what they give: all the suite has, and those of ``named`` that it has not."""
        for answer in case.answers:
            yield answer.arithmetics, self.suite.expected(answer)
        for name in named:
            if (outputs := self._computed(case, name)) is not None:
                yield (name,), outputs

    def under(self, case: CaseEntry, arithmetic: str) -> tuple[str, Outputs]:
        """What an arithmetic gives, and its name; where it cannot compute the case, what the suite's first gives."""
        if (outputs := self._computed(case, arithmetic)) is not None:
            return arithmetic, outputs
        answer = next((a for a in case.answers if arithmetic in a.arithmetics), case.answers[0])
        name = arithmetic if arithmetic in answer.arithmetics else answer.arithmetics[0]
        return name, self.suite.expected(answer)

    def _computed(self, case: CaseEntry, name: str) -> Outputs | None:
        if name not in self.own:
            return None
        loaded = loaded_case(self.suite, case)
        try:
            return computed(loaded, Machine(loaded.model, self.own[name]))
        except RunError:
            return None
