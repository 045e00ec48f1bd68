"""Verdicts of cases, and the report of a verification with its verdict and exit code. Plain data, to and from JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from litecheck.cases.variable_state import TriedSeries
from litecheck.comparison.admitted_arithmetics import PublishedAgreement, agreement, is_published
from litecheck.comparison.types import Cause, Difference
from litecheck.devices.outcome import Outcome

#: Suffix of the name of a case that covers a whole subgraph.
WHOLE = "whole"
#: Claim that the device supports every operator.
EVERY = "all"


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict of a case: an operator or a segment of operators, cut out and run on the device.

    ``case`` is its stable name (``0012-CONV_2D``); ``operators`` are numbers in the subgraph, ``opcodes`` their kinds,
    ``name`` is the name of the first output tensor. ``arithmetic`` is the admissible arithmetic that fits exactly (or
    within the tolerance), ``fits`` are all admissible arithmetics that fit exactly. If several are admissible and none
    fits, ``nearest`` is the arithmetic with the fewest elements beyond the tolerance, and ``differences`` refer to it.
    ``causes`` are variants that explain the differences, ``also`` are published arithmetics outside the admissible that
    fit exactly. ``runs`` has the kind of each input (``propagated``, ``random``, ``directed``), ``elements`` is the
    number of compared output elements. ``fault`` is a known fault of the runtime that can cause the difference.
    ``exhaustive`` names the inputs that were tried completely (``all 256 values``), or is empty. ``message`` is a
    message of the device or of litecheck. ``memory`` describes the series of inferences of operators with state.
    """

    case: str
    subgraph: int
    operators: tuple[int, ...]
    opcodes: tuple[str, ...]
    name: str
    outcome: Outcome
    elements: int = 0
    runs: tuple[str, ...] = ()
    arithmetic: str = ""
    also: tuple[str, ...] = ()
    differences: tuple[Difference, ...] = ()
    message: str = ""
    fault: str = ""
    exhaustive: str = ""
    reproducer: str = ""
    memory: TriedSeries | None = None
    nearest: str = ""
    causes: tuple[Cause, ...] = ()
    fits: tuple[str, ...] = ()

    @property
    def opcode(self) -> str:
        """``CONV_2D``, or ``CONV_2D + RELU`` for a segment; more than four operators are shortened."""
        count = len(self.opcodes)
        return " + ".join(self.opcodes if count <= 4 else (*self.opcodes[:3], f"{count - 3} more"))

    @property
    def title(self) -> str:
        """Title of the case, for example ``CONV_2D #12 'block3/conv'``."""
        first, last = self.operators[0], self.operators[-1]
        number = f"#{first}" if first == last else f"#{first} to #{last}"
        return f"{self.opcode} {number} '{self.name}'"

    @property
    def mismatches(self) -> int:
        """Number of differing elements in all outputs."""
        return sum(d.mismatches for d in self.differences)

    @property
    def worst(self) -> Difference | None:
        """The output with the largest difference; None without differences."""
        return max(self.differences, key=lambda d: abs(d.largest), default=None)


@dataclass(frozen=True, slots=True)
class Step:
    """A tensor of a drift measurement: the device computes from its own outputs, the reference end to end.

    ``entered`` is True if the isolated operator differs: error enters here. ``largest`` is in LSB (``unit`` as in
    Difference), ``share`` is the share of elements that differ, ``rms`` is the root mean square difference.
    """

    operator: int
    opcode: str
    tensor: int
    name: str
    unit: str
    size: int
    largest: float
    share: float
    rms: float
    entered: bool


@dataclass(frozen=True, slots=True)
class Operation:
    """An operator of the verified model, with its input and output tensors, for the graph strip and Model Explorer.

    ``graph`` is the subgraph's own name, or that of its signature. ``kind`` is the type of the activations.
    ``granularity`` is that of the constants' scales (``per-axis``, ``per-tensor``), or empty without scales.
    """

    subgraph: int
    index: int
    opcode: str
    name: str
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    output_names: tuple[str, ...]
    graph: str = ""
    kind: str = ""
    granularity: str = ""


@dataclass(frozen=True, slots=True)
class CoverageGap:
    """Parameters not exercised: an operator kind, the number of its operators that the device ran, and the parameters
    that none of them had, as display text (``batch above 1``)."""

    opcode: str
    operators: int
    parameters: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FailureCorrelation:
    """A property that all operators with wrong values have and no operator with correct values has.

    ``relation`` compares the failing values with the passing values: ``above`` or ``below`` the ``bound``, ``not a
    multiple of`` the bound (all passing values are multiples), or ``is`` if all failing operators have the same value.
    ``failing`` and ``passing`` are the distinct values, ``fails`` and ``passes`` the numbers of operators. ``chance``
    is True if so few operators can share a property by chance. ``property`` is ``operator`` if the opcode separates
    them.
    """

    property: str
    relation: str
    bound: float
    failing: tuple[float | str, ...]
    passing: tuple[float | str, ...]
    fails: int
    passes: int
    chance: bool = False


@dataclass(frozen=True, slots=True)
class Verification:
    """The verification of a model on a device: all verdicts, in the order of the operators.

    ``device`` is the user's text, ``described`` has versions. ``arithmetics`` are the admissible arithmetics. ``mode``
    is ``operators``, ``segments of N``, ``between A and B`` or ``whole``; ``inputs`` describes the inputs. ``fits``
    are published, not admitted arithmetics under which every judged case is exact. ``claims`` are the operator kinds
    that the device must support, ``all`` for every kind. ``untried`` lists the parameters not exercised, per operator
    kind. ``across`` lists the properties of all cases with wrong values that no case with correct values has.
    ``started`` is the only field that differs from run to run.
    """

    version: str
    model: str
    sha256: str
    device: str
    described: str
    arithmetics: tuple[str, ...]
    mode: str
    inputs: str
    verdicts: tuple[Verdict, ...]
    operations: tuple[Operation, ...] = ()
    drift: tuple[Step, ...] = ()
    fits: tuple[str, ...] = ()
    fail_on_fallback: bool = False
    require_coverage: bool = False
    claims: tuple[str, ...] = ()
    started: str = ""
    notes: tuple[str, ...] = field(default_factory=tuple)
    untried: tuple[CoverageGap, ...] = ()
    across: tuple[FailureCorrelation, ...] = ()

    def counts(self) -> Mapping[Outcome, int]:
        """Count the cases by outcome, in the order of Outcome; outcomes without cases are omitted."""
        found = Counter(v.outcome for v in self.verdicts)
        return {outcome: found[outcome] for outcome in Outcome if found[outcome]}

    @property
    def agreement(self) -> PublishedAgreement:
        """The admissible arithmetics that fit the exact cases."""
        exact = ((v.opcode, v.fits) for v in self.verdicts if v.outcome is Outcome.EXACT)
        return agreement(exact, self.arithmetics)

    def known_fault(self, verdict: Verdict) -> bool:
        """Return True if a known fault of the device's own runtime explains a wrong outcome."""
        wrong = verdict.outcome.judged and not verdict.outcome.good
        return bool(verdict.fault) and wrong and is_published(self.device)

    def failing(self, verdict: Verdict) -> bool:
        """Return True if a verdict fails the verification. A known fault of a published runtime does not.

        What a device left to the CPU fails with ``fail_on_fallback``, an unsupported operator if ``claims`` names it, and a
        case without an answer with ``require_coverage``.
        """
        if self.known_fault(verdict):
            return False
        if verdict.outcome is Outcome.NOT_DELEGATED:
            return self.fail_on_fallback
        if verdict.outcome is Outcome.NOT_SUPPORTED:
            return EVERY in self.claims or bool(set(self.claims).intersection(verdict.opcodes))
        return not verdict.outcome.good if verdict.outcome.judged else self.require_coverage

    @property
    def verdict(self) -> str:
        """``conforms``, ``fails``, or ``not checked`` if no case passed or failed."""
        if any(map(self.failing, self.verdicts)):
            return "fails"
        return "conforms" if any(v.outcome.good for v in self.verdicts) else "not checked"

    @property
    def exit_code(self) -> int:
        """Exit code: 0 conforms, 1 fails, 2 not checked."""
        return {"conforms": 0, "fails": 1}.get(self.verdict, 2)
