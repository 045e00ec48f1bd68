"""Mutation coverage of a suite: every mutant of every operator, and the case that detects it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from numpy.typing import NDArray

from litecheck.arrays import Array, Arrays
from litecheck.cases.geometry.design import design_of
from litecheck.errors import ConfigError
from litecheck.model.types import Model
from litecheck.reference.defects.registry import DEFECTS
from litecheck.reference.engine.arithmetic import Arithmetic, load_arithmetic
from litecheck.reference.engine.interpreter import ReferenceInterpreter
from litecheck.reference.runtime_tensors import RunError
from litecheck.suite.case import SuiteCase
from litecheck.suite.equivalent_mutants import reason_of
from litecheck.suite.geometry.fault import GeometryFault, Inference
from litecheck.suite.geometry.geometry_faults import faults_of
from litecheck.suite.manifest import CaseEntry, Suite, by_operator
from litecheck.suite.mutant_causes import loaded_case
from litecheck.suite.mutants import DEFECT, FAR, Mutant, compute_outputs, find_detecting_runs, mutants
from litecheck.version import __version__

#: Prefix of the names of geometric faults.
GEOMETRY = "geometry"
#: Default arithmetic.
_REFERENCE = "litert-reference"


@dataclass(frozen=True, slots=True)
class MutantCoverage:
    """A mutant of an operator on a type: the ``case`` that detects it, the ``run``, and the difference in LSB
    (``worst``).

    ``worst`` is 0 for an undetected mutant. ``because`` is the reason if it is equivalent: it gives the expected
    outputs.
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
    def detected(self) -> bool:
        """True if a case detects the mutant."""
        return bool(self.case)

    def survives(self, tolerance: int) -> bool:
        """Return True if no case detects the mutant under a tolerance in LSB."""
        return self.worst <= tolerance


@dataclass(frozen=True, slots=True)
class MutationCoverage:
    """Mutants of every operator and type of a suite, under an arithmetic."""

    version: str
    suite: str
    profile: str
    level: str
    arithmetic: str
    cases: int
    vectors: int
    rows: tuple[MutantCoverage, ...]

    def survivors(self, tolerance: int = 0) -> tuple[MutantCoverage, ...]:
        """Return the undetected mutants under a tolerance, without equivalent mutants."""
        return tuple(row for row in self.rows if row.survives(tolerance) and not row.because)

    @property
    def non_equivalent(self) -> tuple[MutantCoverage, ...]:
        """Mutants that are not equivalent."""
        return tuple(row for row in self.rows if not row.because)

    @property
    def exit_code(self) -> int:
        """Exit code: 1 if a mutant survives, else 0."""
        return 1 if self.survivors() else 0


def prove(
    suite: Suite, arithmetic: str = "", progress: Callable[[str], None] | None = None
) -> MutationCoverage:
    """Return the mutation coverage of a suite under an arithmetic (default: the reference, else the suite's first).

    ``progress`` is called with each operator and type. Raise ConfigError if the suite has no answers of the arithmetic.
    """
    there = suite.manifest.arithmetics
    arithmetic = arithmetic or (_REFERENCE if _REFERENCE in there else there[0])
    if arithmetic not in there:
        raise ConfigError(f"the suite has no answers of the arithmetic {arithmetic!r}; of {', '.join(there)}")
    base = load_arithmetic(arithmetic, quoting=False)
    positive = [case for case in suite.manifest.cases if not case.broken and case.answers]
    rows: list[MutantCoverage] = []
    for (opcode, kind), several in by_operator(positive).items():
        rows += _mutant_rows(suite, several, base)
        if progress is not None:
            progress(f"{opcode} {kind}")
    return MutationCoverage(
        __version__,
        suite.sha256,
        suite.manifest.profile,
        suite.manifest.level,
        arithmetic,
        len(positive),
        sum(case.runs for case in positive),
        tuple(rows),
    )


def _mutant_rows(suite: Suite, entries: Sequence[CaseEntry], base: Arithmetic) -> Iterator[MutantCoverage]:
    cases = [loaded_case(suite, entry) for entry in entries]
    expected = [_expected_outputs(suite, entry, base) for entry in entries]
    possible: dict[Mutant, list[int]] = {}
    for number, case in enumerate(cases):
        for mutant in mutants(case, base):
            possible.setdefault(mutant, []).append(number)
    yield from _geometry(entries, cases, expected, base, suite.manifest.profile)
    for mutant, numbers in possible.items():
        yield _row(mutant, [(cases[n], expected[n]) for n in numbers], base, suite.manifest.profile)


def _geometry(
    entries: Sequence[CaseEntry],
    cases: Sequence[SuiteCase],
    expected: Sequence[tuple[NDArray[Any], ...] | None],
    base: Arithmetic,
    profile: str,
) -> Iterator[MutantCoverage]:
    """Yield the geometric faults of an operator with a design, if the suite has cases of the design."""
    first = entries[0]
    design = design_of(first.opcode)
    if design is None or not any(entry.factors for entry in entries):
        return
    ordered = sorted(zip(entries, cases, expected, strict=True), key=lambda part: not part[0].factors)
    several = [(case, outputs) for _, case, outputs in ordered if outputs]
    for fault in faults_of(first.opcode, design):
        found = (
            (case.name, run)
            for case, outputs in several
            for run, inference in enumerate(inferences_of(case, outputs, base))
            if is_shown(fault, inference)
        )
        case, run = next(found, ("", 0))
        name = f"{GEOMETRY}: {fault.name}"
        because = "" if case else reason_of(first.opcode, first.kind, name, profile)
        yield MutantCoverage(
            first.opcode, first.kind, name, fault.description, case, run, FAR if case else 0, because
        )


def inferences_of(
    case: SuiteCase, outputs: tuple[NDArray[Any], ...], base: Arithmetic
) -> Iterator[Inference]:
    """Yield the inferences of a case with its first output."""
    main, interpreter = case.model.subgraphs[0], ReferenceInterpreter(case.model, base)
    used = [index for operator in main.operators for index in operator.inputs if index >= 0]

    def compute(inputs: Arrays) -> Array:
        interpreter.restart()
        return interpreter.run(main, inputs)[main.outputs[0]]

    def variant(model: Model, inputs: Arrays) -> Array:
        return ReferenceInterpreter(model, base).run(model.subgraphs[0], inputs)[main.outputs[0]]

    for inputs, output in zip(case.runs, outputs[0], strict=True):
        yield Inference(tuple(inputs), output, len(set(used)) < len(used), compute, case.model, variant)


def is_shown(fault: GeometryFault, inference: Inference) -> bool:
    """Return True if an inference shows the fault; False if the kernel rejects the wrong inputs."""
    try:
        return fault.spoil(inference) is not None
    except RunError:
        return False


def _expected_outputs(suite: Suite, entry: CaseEntry, base: Arithmetic) -> tuple[NDArray[Any], ...] | None:
    answer = next((a for a in entry.answers if base.name in a.arithmetics), None)
    return None if answer is None else suite.expected_outputs(answer)


def _row(
    mutant: Mutant,
    cases: Sequence[tuple[SuiteCase, tuple[NDArray[Any], ...] | None]],
    base: Arithmetic,
    profile: str,
) -> MutantCoverage:
    """Return the case with the largest difference of a mutant, smallest cases first; stop at a difference above 1."""
    first, worst, run = "", 0, 0
    for case, expected in sorted(cases, key=lambda pair: sum(x.nbytes for run in pair[0].runs for x in run)):
        if expected is None:
            continue
        try:
            found = find_detecting_runs(mutant.name, expected, _mutant_outputs(case, mutant, base))
        except RunError:
            continue
        if found is not None and found.worst > worst:
            first, worst, run = case.name, found.worst, found.runs[0]
        if worst > 1:
            break
    opcode, kind = cases[0][0].opcode, cases[0][0].kind
    because = "" if first else reason_of(opcode, kind, mutant.name, profile)
    return MutantCoverage(opcode, kind, mutant.name, _description(mutant), first, run, worst, because)


def _mutant_outputs(case: SuiteCase, mutant: Mutant, base: Arithmetic) -> tuple[NDArray[Any], ...]:
    return compute_outputs(case, ReferenceInterpreter(case.model, mutant.under(base, case)))


def _description(mutant: Mutant) -> str:
    return DEFECTS[mutant.variant].description if mutant.step == DEFECT else ""
