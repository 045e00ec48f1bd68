"""Expected outputs of a suite's cases: read from its files, or computed for a claimed arithmetic that the suite lacks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from litecheck.errors import ConfigError
from litecheck.reference.engine.arithmetic import Arithmetic, arithmetic_names, load_arithmetic
from litecheck.reference.engine.interpreter import ReferenceInterpreter
from litecheck.reference.runtime_tensors import RunError
from litecheck.suite.manifest import CaseEntry, Suite
from litecheck.suite.mutant_causes import loaded_case
from litecheck.suite.mutants import compute_outputs

#: Outputs, each with all runs stacked.
Outputs = tuple[NDArray[Any], ...]


@dataclass(frozen=True, slots=True, eq=False)
class ExpectedOutputs:
    """Expected outputs by arithmetic. ``own`` are claimed arithmetics without answers in the suite."""

    suite: Suite
    own: Mapping[str, Arithmetic]

    def every(self, case: CaseEntry, named: Sequence[str]) -> Iterator[tuple[tuple[str, ...], Outputs]]:
        """Yield (names of arithmetics that agree, outputs): all answers of the suite, and those of ``named`` in
        ``own``."""
        for answer in case.answers:
            yield answer.arithmetics, self.suite.expected_outputs(answer)
        for name in named:
            if (outputs := self._compute(case, name)) is not None:
                yield (name,), outputs

    def under(self, case: CaseEntry, arithmetic: str) -> tuple[str, Outputs]:
        """Return an arithmetic's name and outputs; if it cannot compute the case, the suite's first answer."""
        if (outputs := self._compute(case, arithmetic)) is not None:
            return arithmetic, outputs
        answer = next((a for a in case.answers if arithmetic in a.arithmetics), case.answers[0])
        name = arithmetic if arithmetic in answer.arithmetics else answer.arithmetics[0]
        return name, self.suite.expected_outputs(answer)

    def _compute(self, case: CaseEntry, name: str) -> Outputs | None:
        if name not in self.own:
            return None
        loaded = loaded_case(self.suite, case)
        try:
            return compute_outputs(loaded, ReferenceInterpreter(loaded.model, self.own[name]))
        except RunError:
            return None


def named_arithmetic(name: str, known: Sequence[str]) -> tuple[str, Arithmetic | None]:
    """Return an arithmetic's name, and the arithmetic if the suite has no answers of it: that of a file, or a published
    one."""
    if name in known:
        return name, None
    if not name.endswith((".yaml", ".yml")) and name not in arithmetic_names():
        listed = ", ".join(known)
        raise ConfigError(f"the suite has no answers of the arithmetic {name!r}; it has those of {listed}")
    loaded = load_arithmetic(name)
    if loaded.name in known:
        raise ConfigError(f"{name}: calls its arithmetic {loaded.name!r}, of which the suite has answers")
    return loaded.name, loaded
