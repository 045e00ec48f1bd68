"""How one case of a verification ends, and the report they make together: plain data that goes to JSON and back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from litecheck.quantizer.comparison import Bucket as Bucket

#: What the name of a case of a whole subgraph ends with.
WHOLE = "whole"
#: A claim to every operator.
EVERY = "all"


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

        One that remembers is not judged by inferences from the initial state alone.
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


@dataclass(frozen=True, slots=True)
class Candidate:
    """What one way of computing gives for an element: a published arithmetic's name, or a stage and its variant
    (``requantize: double-half-up``)."""

    name: str
    value: int
    note: str = ""


@dataclass(frozen=True, slots=True)
class Spot:
    """One element of an output: which run and where; values stored, or real in real types."""

    run: int
    index: tuple[int, ...]
    expected: float
    actual: float


@dataclass(frozen=True, slots=True)
class Explained:
    """One element followed from accumulator to stored value: ``spot`` where it is not the worst one.

    ``accumulator`` is the integer before rescaling where the operator has one; ``multiplier`` the real factor, and
    ``fixed`` its (32-bit multiplier, shift) in fixed point; ``quotient`` the exact value before rounding and the zero
    point, in decimals (``6.5000``). ``candidates`` are what ways of computing make of it, ``sentence`` says it all.
    """

    sentence: str
    accumulator: int | None = None
    multiplier: float | None = None
    fixed: tuple[int, int] | None = None
    quotient: str = ""
    candidates: tuple[Candidate, ...] = ()
    spot: Spot | None = None


@dataclass(frozen=True, slots=True)
class Along:
    """Mismatches by index of a dimension along which they gather; ``name`` is what it is called (``column``)."""

    dimension: int
    name: str
    counts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Difference:
    """One output of a case over all runs. ``unit`` is LSB for integers; for reals it is ``relative``: differences are
    then shares of the largest expected magnitude, and there is no histogram.

    ``mismatches`` counts elements that differ at all, ``beyond`` those that differ by more than ``tolerance``;
    ``largest`` is the largest difference, signed. ``channels`` are mismatches by index of the last dimension (at most
    4096 of them). ``gathers`` says in sentences where differences lie: channels, rows, tails, rails; ``along`` counts them
    along the dimension that shows a pattern, and is None where none does. ``free`` is the worst element at which neither
    side is at a rail, or at least the device is not, which tells more than ``worst``; None where there is none, or
    ``worst`` is that.
    """

    tensor: int
    name: str
    dtype: str
    shape: tuple[int, ...]
    unit: str
    size: int
    mismatches: int
    beyond: int
    tolerance: float
    largest: float
    histogram: tuple[Bucket, ...] = ()
    channels: tuple[int, ...] = ()
    worst: Spot | None = None
    gathers: tuple[str, ...] = ()
    explained: Explained | None = None
    along: Along | None = None
    free: Spot | None = None

    @property
    def share(self) -> float:
        """Mismatches by elements, 0 to 1."""
        return self.mismatches / self.size if self.size else 0.0


@dataclass(frozen=True, slots=True)
class Cause:
    """A way of computing that explains differences of a case: ``names`` (``departure: no-bias``), several of them
    together, ``does`` what goes wrong then. ``explained`` differences it has, ``left`` it has not; ``gathers`` says in
    sentences where those lie. ``alike`` are other ways that leave as many.
    """

    names: tuple[str, ...]
    does: str
    explained: int
    left: int
    gathers: tuple[str, ...] = ()
    alike: tuple[str, ...] = ()


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
    memory: str = ""
    nearest: str = ""
    causes: tuple[Cause, ...] = ()

    @property
    def opcode(self) -> str:
        """``CONV_2D``, or ``CONV_2D + RELU`` for a segment; long ones are shortened."""
        shown = (
            self.opcodes if len(self.opcodes) <= 4 else (*self.opcodes[:3], f"{len(self.opcodes) - 3} more")
        )
        return " + ".join(shown)

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

    ``graph`` is the subgraph's own name, or its signature's.
    """

    subgraph: int
    index: int
    opcode: str
    name: str
    inputs: tuple[int, ...]
    outputs: tuple[int, ...]
    output_names: tuple[str, ...]
    graph: str = ""


@dataclass(frozen=True, slots=True)
class Untried:
    """A kind of operator, how many of them the device was given, and the parameters that none of these had, in words
    (``batch beyond 1``)."""

    opcode: str
    operators: int
    parameters: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Verification:
    """A model on a device: every verdict, in the order of the operators.

    ``device`` is as the user wrote it, ``described`` with versions. ``arithmetics`` are the admissible ones.
    ``mode`` is ``operators``, ``segments of N``, ``between A and B`` or ``whole``; ``inputs`` says in words what was
    fed. ``fits`` are published arithmetics, none of them admitted, under which every judged case is exact. ``claims``
    are the kinds of operators the device is said to have, ``all`` for every one. ``untried`` says for each kind of
    operator that was run what no such operator of the model had, ``across`` in sentences what all cases that give wrong
    values have and none that gives right ones has.
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
    across: tuple[str, ...] = ()

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
        """``conforms``, ``fails``, or ``not judged`` where no case could be compared."""
        if any(map(self.failing, self.verdicts)):
            return "fails"
        return "conforms" if any(v.outcome.good for v in self.verdicts) else "not judged"

    @property
    def exit_code(self) -> int:
        """0 conforms, 1 fails, 2 not judged."""
        return {"conforms": 0, "fails": 1}.get(self.verdict, 2)
