"""Diagnosis data: for each kind of operator, the candidates that fit a device, and evidence against excluded
candidates."""

from __future__ import annotations

from dataclasses import dataclass

from litecheck.comparison.admitted_arithmetics import PublishedAgreement, agreement
from litecheck.comparison.types import MismatchCluster
from litecheck.comparison.vector_tails import SharedTail
from litecheck.devices.outcome import Outcome


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """A candidate: a variant for each active step of an operator, and a defect or "".

    ``published`` are the published arithmetics with these variants.
    """

    stages: tuple[tuple[str, str], ...]
    defect: str = ""
    published: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Return ``requantize: double, defect: no-activation``."""
        named = [f"{stage}: {variant}" for stage, variant in self.stages]
        defect = [f"defect: {self.defect}"] if self.defect else []
        return ", ".join([*named, *defect]) or "the only variant"


@dataclass(frozen=True, slots=True)
class ExcludedCandidate:
    """A candidate that does not fit: an example element, out of ``differing`` of ``size`` elements in one probe.

    ``accumulator`` is the sum before rescaling, if it is known; ``inputs`` are the stored inputs of the element, for
    elementwise operators.
    """

    way: Hypothesis
    probe: str
    run: int
    index: tuple[int, ...]
    expected: float
    actual: float
    differing: int
    size: int
    accumulator: int | None = None
    inputs: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class NearestHypothesis:
    """The candidate with the fewest differences over all probes, if none fits, with an example element."""

    differing: int
    size: int
    example: ExcludedCandidate


@dataclass(frozen=True, slots=True)
class UnansweredProbe:
    """A probe without a usable answer; ``fault`` is a known fault of the runtime that can be the reason."""

    probe: str
    outcome: Outcome
    message: str
    fault: str = ""


@dataclass(frozen=True, slots=True)
class NonDeterministic:
    """A probe whose repeated inputs did not always give the same outputs.

    ``odd`` of ``asked`` inferences differ from the usual answer to their input, in ``moving`` of ``size`` elements in
    all, and at most ``most`` elements at once; ``element`` is the single such element, else -1. ``inferences`` are the
    numbers of the odd inferences, from 1, ``every`` is their constant distance, else 0; ``repeats`` is True if the
    differing elements equal the outputs of the inference before. ``delayed`` is True if the elements always belong to
    the input of the inference before.
    """

    probe: str
    asked: int
    odd: int
    moving: int
    size: int
    element: int = -1
    most: int = 0
    inferences: tuple[int, ...] = ()
    every: int = 0
    repeats: bool = False
    delayed: bool = False


@dataclass(frozen=True, slots=True)
class PropertyBound:
    """A property of all failing probes.

    ``relation`` is ``is`` (a word), ``has`` or ``has not`` (an unusual feature), ``at least`` or ``at most`` (a
    number), ``not a multiple of`` (a vector length); ``next`` is the nearest number of a passing probe.
    """

    property: str
    relation: str
    value: int | str = ""
    next: int | None = None


@dataclass(frozen=True, slots=True)
class SharedTraits:
    """Traits of all failing probes, and the number of passing probes with all of these traits."""

    traits: tuple[PropertyBound, ...]
    passing: int


@dataclass(frozen=True, slots=True)
class Contrast:
    """The probes that the nearest candidate fails, the probes it passes, and the traits that separate them.

    ``apart`` is empty if no measured property separates them; ``patterns`` are those of ``patterned``, the first failing
    probe with any. ``tail`` is the remainder of vector loops that has all differences of the failing probes.
    """

    failing: tuple[str, ...]
    passing: tuple[str, ...]
    apart: tuple[SharedTraits, ...] = ()
    patterns: tuple[MismatchCluster, ...] = ()
    patterned: str = ""
    tail: SharedTail | None = None


@dataclass(frozen=True, slots=True)
class ModelOperator:
    """A model's own operator among the probes: file, name in the probes, name in the model, and ``explained``.

    ``explained`` is True if the diagnosis explains all outputs of the operator.
    """

    model: str
    called: str
    title: str
    explained: bool


@dataclass(frozen=True, slots=True)
class ProbedRange:
    """Values of one property in the answered probes of an operator.

    Numbers range from ``least`` to ``most``; ``words`` are the values of a word; ``having`` of ``probes`` have an
    unusual feature.
    """

    property: str
    probes: int
    least: int | None = None
    most: int | None = None
    words: tuple[str, ...] = ()
    having: int | None = None


@dataclass(frozen=True, slots=True)
class UntestedProperty:
    """A property that a diagnosis does not exercise. ``kind`` is one of:

    - ``types``: kernels support the types ``names``, but no probe had them; ``beside`` are the types that were tried;
    - ``peculiarity``: no probe had the features ``names``; ``words``: none had the values ``names`` of the property ``of``;
    - ``one value``: each property in ``names`` had the same value in all probes, in ``numbers``; ``larger``: none of the
      properties in ``names`` had a larger value than that in ``numbers``;
    - ``operators``: ``numbers`` operators of each kind in ``names`` of the model ``of`` were not run;
    - ``graphs``, ``threads``, ``shapes``, ``repetition``: no operator is tested for these; ``rarer``: faults rarer than
      once in ``numbers`` inferences are not detected.
    """

    kind: str
    names: tuple[str, ...] = ()
    numbers: tuple[int, ...] = ()
    of: str = ""
    beside: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class OperatorDiagnosis:
    """The diagnosis of operators of one kind with the same active steps.

    ``kind`` distinguishes groups of one operator (``int8``, ``float32``). ``probes`` and ``elements`` count compared
    probes and elements, ``inferences`` those of the device. ``fits`` are all candidates that give exactly the device's
    outputs, the most usual first; several are ambiguous. ``fault`` is a known fault of the runtime that can be the
    reason if none fits. ``tried`` has the properties of answered probes with their values; ``untried`` has the
    properties that no probe had. ``owned`` are the operators of models. ``condition`` distinguishes groups of one
    operator and kind (``grouped``).
    """

    opcode: str
    kind: str
    stages: tuple[str, ...]
    probes: int
    elements: int
    fits: tuple[Hypothesis, ...] = ()
    excluded: tuple[ExcludedCandidate, ...] = ()
    nearest: NearestHypothesis | None = None
    unanswered: tuple[UnansweredProbe, ...] = ()
    fault: str = ""
    inferences: int = 0
    unsteady: tuple[NonDeterministic, ...] = ()
    contrast: Contrast | None = None
    tried: tuple[ProbedRange, ...] = ()
    untried: tuple[UntestedProperty, ...] = ()
    owned: tuple[ModelOperator, ...] = ()
    condition: str = ""

    @property
    def form(self) -> str:
        """Kind and condition, for example ``int8, grouped``."""
        return ", ".join(filter(None, (self.kind, self.condition)))

    @property
    def conclusion(self) -> str:
        """``identified``, ``ambiguous``, ``unknown``, ``not repeatable`` or ``not answered``."""
        if not self.probes:
            return "not answered"
        if self.unsteady:
            return "not repeatable"
        if not self.fits:
            return "unknown"
        return "identified" if len(self.fits) == 1 else "ambiguous"


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The diagnosis of a device's arithmetic. ``models`` are files whose operators were probes as well.

    ``build`` is the device's version as the user states it, ``host`` the machine, ``started`` the time: the last two
    differ from run to run. ``untried`` lists properties that no operator was tested for.
    """

    version: str
    device: str
    described: str
    models: tuple[str, ...]
    seed: int
    operators: tuple[OperatorDiagnosis, ...]
    untried: tuple[UntestedProperty, ...] = ()
    build: str = ""
    host: str = ""
    started: str = ""

    @property
    def agreement(self) -> PublishedAgreement:
        """The published arithmetics of the candidates that fit."""
        exact = (
            (d.opcode, {name for hypothesis in d.fits for name in hypothesis.published})
            for d in self.operators
        )
        return agreement(exact)

    @property
    def identified(self) -> bool:
        """True if a candidate explains an operator, so that an arithmetic can be written."""
        return any(d.conclusion in ("identified", "ambiguous") for d in self.operators)

    @property
    def exit_code(self) -> int:
        """Exit code: 0 if every answered operator is explained, 1 if any is not, 2 if none answered."""
        conclusions = {d.conclusion for d in self.operators}
        if conclusions & {"unknown", "not repeatable"}:
            return 1
        return 0 if conclusions - {"not answered"} else 2
