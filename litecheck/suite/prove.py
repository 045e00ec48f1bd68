"""A suite put to the proof: every known mistake of every operator, and the first case that catches it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from litecheck.errors import ConfigError
from litecheck.reference.defects.registry import DEFECTS
from litecheck.reference.engine.arithmetic import Arithmetic, load_arithmetic
from litecheck.reference.engine.interpreter import Machine
from litecheck.reference.operands import RunError
from litecheck.suite.case import SuiteCase
from litecheck.suite.causes import loaded_case
from litecheck.suite.equivalents import reason_of
from litecheck.suite.manifest import CaseEntry, Suite, by_operator
from litecheck.suite.mutants import DEFECT, Mistake, computed, mistakes, shown
from litecheck.version import __version__

#: What is expected where nothing else is said.
_REFERENCE = "litert-reference"


@dataclass(frozen=True, slots=True)
class KillRow:
    """One mistake of an operator on one type: the ``case`` that catches it, in which ``run`` and by how many LSB.

    ``tolerated`` is the largest tolerance in LSB under which some case catches it; 0 for one that none catches.
    ``because`` says of such a one why nothing could: it gives the same values as what is expected.
    """

    opcode: str
    kind: str
    mistake: str
    does: str
    case: str = ""
    run: int = 0
    worst: int = 0
    because: str = ""

    @property
    def killed(self) -> bool:
        """Whether a case catches it."""
        return bool(self.case)

    def survives(self, tolerance: int) -> bool:
        """Whether nothing catches it under a tolerance of so many LSB."""
        return self.worst <= tolerance


@dataclass(frozen=True, slots=True)
class KillTable:
    """Every mistake on every operator and type of a suite, under one arithmetic."""

    version: str
    suite: str
    profile: str
    level: str
    arithmetic: str
    cases: int
    vectors: int
    rows: tuple[KillRow, ...]

    def survivors(self, tolerance: int = 0) -> tuple[KillRow, ...]:
        """What nothing catches under a tolerance, but for what gives the expected values anyway."""
        return tuple(row for row in self.rows if row.survives(tolerance) and not row.because)

    @property
    def counted(self) -> tuple[KillRow, ...]:
        """The mistakes that can be told from what is expected."""
        return tuple(row for row in self.rows if not row.because)

    @property
    def exit_code(self) -> int:
        """1 where a mistake survives."""
        return 1 if self.survivors() else 0


def prove(suite: Suite, arithmetic: str = "", progress: Callable[[str], None] | None = None) -> KillTable:
    """The kill table of a suite under one of its arithmetics, by default the reference or, without it, the first.

    ``progress`` is called with each operator and type. Raises ConfigError where the suite has no answers of the arithmetic.
    """
    there = suite.manifest.arithmetics
    arithmetic = arithmetic or (_REFERENCE if _REFERENCE in there else there[0])
    if arithmetic not in there:
        raise ConfigError(f"the suite has no answers of the arithmetic {arithmetic!r}; of {', '.join(there)}")
    base = load_arithmetic(arithmetic, quoting=False)
    positive = [case for case in suite.manifest.cases if not case.broken and case.answers]
    rows: list[KillRow] = []
    for (opcode, kind), several in by_operator(positive).items():
        rows += _killed(suite, several, base)
        if progress is not None:
            progress(f"{opcode} {kind}")
    return KillTable(
        __version__,
        suite.sha256,
        suite.manifest.profile,
        suite.manifest.level,
        arithmetic,
        len(positive),
        sum(case.runs for case in positive),
        tuple(rows),
    )


def _killed(suite: Suite, entries: Sequence[CaseEntry], base: Arithmetic) -> Iterator[KillRow]:
    cases = [loaded_case(suite, entry) for entry in entries]
    expected = [_expected(suite, entry, base) for entry in entries]
    possible: dict[Mistake, list[int]] = {}
    for number, case in enumerate(cases):
        for mistake in mistakes(case, base):
            possible.setdefault(mistake, []).append(number)
    for mistake, numbers in possible.items():
        yield _row(mistake, [(cases[n], expected[n]) for n in numbers], base, suite.manifest.profile)


def _expected(suite: Suite, entry: CaseEntry, base: Arithmetic) -> tuple[NDArray[Any], ...] | None:
    answer = next((a for a in entry.answers if base.name in a.arithmetics), None)
    return None if answer is None else suite.expected(answer)


def _row(
    mistake: Mistake,
    cases: Sequence[tuple[SuiteCase, tuple[NDArray[Any], ...] | None]],
    base: Arithmetic,
    profile: str,
) -> KillRow:
    """The case that shows a mistake by most, the smallest first; no more are tried once a tolerance of 1 catches it."""
    first, worst, run = "", 0, 0
    for case, expected in sorted(cases, key=lambda pair: sum(x.nbytes for run in pair[0].runs for x in run)):
        if expected is None:
            continue
        try:
            found = shown(mistake.name, expected, _mistaken(case, mistake, base))
        except RunError:
            continue
        if found is not None and found.worst > worst:
            first, worst, run = case.name, found.worst, found.runs[0]
        if worst > 1:
            break
    opcode, kind = cases[0][0].opcode, cases[0][0].kind
    because = "" if first else reason_of(opcode, kind, mistake.name, profile)
    return KillRow(opcode, kind, mistake.name, _does(mistake), first, run, worst, because)


def _mistaken(case: SuiteCase, mistake: Mistake, base: Arithmetic) -> tuple[NDArray[Any], ...]:
    return computed(case, Machine(case.model, mistake.under(base, case.opcode)))


def _does(mistake: Mistake) -> str:
    return DEFECTS[mistake.variant].does if mistake.step == DEFECT else ""
