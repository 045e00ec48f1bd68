"""How one case of a verification ends, and the report they make together: plain data that goes to JSON and back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from litecheck.cases.memory import SeriesTried
from litecheck.compare.types import Cause, Difference
from litecheck.devices.outcome import Outcome

#: What the name of a case of a whole subgraph ends with.
WHOLE = "whole"
#: A claim to every operator.
EVERY = "all"


@dataclass(frozen=True, slots=True)
class Verdict:
    """One case: an operator or a segment of them, cut out and run on the device.

    ``case`` is its stable name (``0012-CONV_2D``); ``operators`` are numbers in the subgraph, ``opcodes`` their kinds,
    ``name`` what people call it (the first output tensor's name). ``arithmetic`` is the admissible one that fits
    exactly (or within the tolerance); where there are several and none does, ``nearest`` is the one with the fewest
    differences, which are those that are told. ``causes`` are ways of computing that explain them, ``also`` published
    arithmetics nobody admitted that fit exactly. ``runs`` says what the device was fed (``propagated``, ``random``,
    ``directed``), ``elements`` how many output elements were compared. ``fault`` is a known fault of the runtime that
    this operator's difference may come from. ``exhaustive`` says what inputs were tried completely (``all 256 values``),
    or is empty. ``message`` is the device's or litecheck's own words. ``memory`` says of operators that remember over
    which series of inferences they were run.
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
    memory: SeriesTried | None = None
    nearest: str = ""
    causes: tuple[Cause, ...] = ()

    @property
    def opcode(self) -> str:
        """``CONV_2D``, or ``CONV_2D + RELU`` for a segment; long ones are shortened."""
        count = len(self.opcodes)
        return " + ".join(self.opcodes if count <= 4 else (*self.opcodes[:3], f"{count - 3} more"))

    @property
    def title(self) -> str:
        """``CONV_2D #12 'block3/conv'``."""
        first, last = self.operators[0], self.operators[-1]
        number = f"#{first}" if first == last else f"#{first} to #{last}"
        return f"{self.opcode} {number} '{self.name}'"

    @property
    def mismatches(self) -> int:
        """Elements that differ, in all outputs."""
        return sum(d.mismatches for d in self.differences)

    @property
    def worst(self) -> Difference | None:
        """The output with the largest difference."""
        return max(self.differences, key=lambda d: abs(d.largest), default=None)


@dataclass(frozen=True, slots=True)
class Step:
    """One tensor of a drift measurement: the device fed with its own outputs against the reference end to end.

    ``entered`` says that the operator differs in isolation: error enters here. ``largest`` is in LSB (``unit`` as in
    Difference), ``share`` the part of elements that differ, ``rms`` the root mean square difference.
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
    """An operator of the verified model, for the graph strip and Model Explorer: what it reads and writes.

    ``graph`` is the subgraph's own name, or its signature's; ``kind`` the type of its activations, ``granularity``
    that of its constants' scales (``per-axis``, ``per-tensor``), empty where there are none.
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
class Untried:
    """A kind of operator, how many of them the device was given, and the parameters that none of these had, in words
    (``batch above 1``)."""

    opcode: str
    operators: int
    parameters: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Separation:
    """A property of operators that all that give wrong values have and none that gives right ones has.

    ``relation`` says how the values of the first lie to those of the others: ``above`` or ``below`` the ``bound``,
    ``not a multiple of`` it as the others are, or ``is`` where all have one value. ``failing`` and ``passing`` are the
    different values both have, ``fails`` and ``passes`` how many operators there are. ``chance`` says that so few
    operators may share a property by chance. ``property`` is ``operator`` where the kind tells them apart.
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
    """A model on a device: every verdict, in the order of the operators.

    ``device`` is as the user wrote it, ``described`` with versions. ``arithmetics`` are the admissible ones.
    ``mode`` is ``operators``, ``segments of N``, ``between A and B`` or ``whole``; ``inputs`` says in words what was
    fed. ``fits`` are published arithmetics, none of them admitted, under which every judged case is exact. ``claims``
    are the kinds of operators the device is said to have, ``all`` for every one. ``untried`` says for each kind of
    operator that was run what no such operator of the model had, ``across`` what all cases that give wrong values have
    and none that gives right ones has.
    ``started`` is the one field that differs from run to run.
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
    untried: tuple[Untried, ...] = ()
    across: tuple[Separation, ...] = ()

    def counts(self) -> Mapping[Outcome, int]:
        """How many cases ended how, in the order of Outcome; only what occurs."""
        found = Counter(v.outcome for v in self.verdicts)
        return {outcome: found[outcome] for outcome in Outcome if found[outcome]}

    def failing(self, verdict: Verdict) -> bool:
        """Whether a verdict fails the verification."""
        if verdict.outcome is Outcome.NOT_DELEGATED:
            return self.fail_on_fallback
        if verdict.outcome is Outcome.NOT_SUPPORTED:
            return EVERY in self.claims or bool(set(self.claims).intersection(verdict.opcodes))
        if verdict.outcome in (Outcome.NO_REFERENCE, Outcome.INITIAL_ONLY, Outcome.NOT_TRIED):
            return self.require_coverage
        return verdict.outcome.judged and not verdict.outcome.good

    @property
    def verdict(self) -> str:
        """``conforms``, ``fails``, or ``not checked`` where no case could be compared."""
        if any(map(self.failing, self.verdicts)):
            return "fails"
        return "conforms" if any(v.outcome.good for v in self.verdicts) else "not checked"

    @property
    def exit_code(self) -> int:
        """0 conforms, 1 fails, 2 not checked."""
        return {"conforms": 0, "fails": 1}.get(self.verdict, 2)
