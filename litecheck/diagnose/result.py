"""What a diagnosis finds: for each kind of operator the ways of computing that fit a device, and why others do not."""

from __future__ import annotations

from dataclasses import dataclass

from litecheck.compare.types import Gathering
from litecheck.devices.outcome import Outcome


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """A way to compute an operator: a variant for each stage that counts, and a defect (``defect``) or nothing.

    ``published`` are the arithmetics that come with litecheck and have it so.
    """

    stages: tuple[tuple[str, str], ...]
    defect: str = ""
    published: tuple[str, ...] = ()

    def __str__(self) -> str:
        """``requantize: double, defect: no-activation``."""
        named = [f"{stage}: {variant}" for stage, variant in self.stages]
        defect = [f"defect: {self.defect}"] if self.defect else []
        return ", ".join([*named, *defect]) or "the only way there is"


@dataclass(frozen=True, slots=True)
class Excluded:
    """A way that does not fit: one element that shows it, out of ``differing`` of ``size`` in one probe.

    ``accumulator`` is the sum before rescaling, where it is known; ``inputs`` the stored operands of the element, for
    operators on elements.
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
    """Where no way fits, the one with the fewest differences over all probes, and an element that shows one."""

    differing: int
    size: int
    example: Excluded


@dataclass(frozen=True, slots=True)
class Unanswered:
    """A probe that the device gave no usable answer to; ``fault`` is a known one of the runtime that may be why."""

    probe: str
    outcome: Outcome
    message: str
    fault: str = ""


@dataclass(frozen=True, slots=True)
class Unsteady:
    """A probe whose inputs were given several times, and did not always give the same.

    ``odd`` of ``asked`` inferences differ from what their input gives otherwise, in ``moving`` of ``size`` elements
    together and ``most`` of them at once; ``element`` is the one where there is one, else -1. ``inferences`` are the odd
    ones, from 1, ``every`` the distance between them where it is always the same, else 0; ``repeats`` says that what
    differs is what the inference before gave. ``delayed`` says instead that the elements always hold what belongs to the
    input of the inference before.
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
class Trait:
    """A property that all failing probes have: ``relation`` is ``is`` a word, ``has`` or ``has not`` a peculiarity, ``at
    least`` or ``at most`` a number, of which ``next`` is the nearest one that a passing probe has."""

    property: str
    relation: str
    value: int | str = ""
    next: int | None = None


@dataclass(frozen=True, slots=True)
class SharedTraits:
    """Traits that all failing probes have, and how many of the passing ones have all of them too."""

    traits: tuple[Trait, ...]
    passing: int


@dataclass(frozen=True, slots=True)
class Contrast:
    """Where no way fits: the probes the nearest one fails on and those it passes, and what tells the two apart.

    ``apart`` is empty where nothing that is measured tells them apart; ``patterns`` say where differences lie in the
    first probe that fails.
    """

    failing: tuple[str, ...]
    passing: tuple[str, ...]
    apart: tuple[SharedTraits, ...] = ()
    patterns: tuple[Gathering, ...] = ()


@dataclass(frozen=True, slots=True)
class Owned:
    """A model's own operator among the probes: its file, how probes name it, what the model calls it, and whether what
    was found explains all it gave."""

    model: str
    called: str
    title: str
    explained: bool


@dataclass(frozen=True, slots=True)
class ProbedRange:
    """The values that the answered probes of an operator had of one property: numbers from ``least`` to ``most``,
    ``words``, or, of a peculiarity, ``having`` of so many ``probes``."""

    property: str
    probes: int
    least: int | None = None
    most: int | None = None
    words: tuple[str, ...] = ()
    having: int | None = None


@dataclass(frozen=True, slots=True)
class Untested:
    """Something of which a diagnosis knows nothing. ``kind`` says what is told:

    - ``types``: ``names`` are those that kernels have and no probe had, ``beside`` those that were tried;
    - ``peculiarity``: no probe had ``names``; ``words``: none had these ``names`` of the property ``of``;
    - ``one value``: each of the properties ``names`` had the same of ``numbers`` in all probes; ``larger``: none of them
      had more than it;
    - ``operators``: so many (``numbers``) of each kind (``names``) of the model ``of`` were not asked for;
    - ``graphs``, ``threads``, ``shapes``, ``repetition``: no operator is asked for these; ``rarer``: nor for what goes
      wrong less often than once in ``numbers`` inferences.
    """

    kind: str
    names: tuple[str, ...] = ()
    numbers: tuple[int, ...] = ()
    of: str = ""
    beside: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Diagnosed:
    """Operators of one kind that the same stages decide.

    ``kind`` tells groups of one operator apart (``int8``, ``float32``). ``probes`` and ``elements`` count what was
    compared, ``inferences`` what the device was asked for. ``fits`` are all ways that give exactly what the device
    gave, the most usual one first; several of them were ambiguous by any input. ``fault`` is a known fault of the
    runtime, where that may be why nothing fits. ``tried`` are properties of the probes that were answered, with the
    values they had; ``untried`` says what no probe had. ``owned`` are the operators of models.
    """

    opcode: str
    kind: str
    stages: tuple[str, ...]
    probes: int
    elements: int
    fits: tuple[Hypothesis, ...] = ()
    excluded: tuple[Excluded, ...] = ()
    nearest: NearestHypothesis | None = None
    unanswered: tuple[Unanswered, ...] = ()
    fault: str = ""
    inferences: int = 0
    unsteady: tuple[Unsteady, ...] = ()
    contrast: Contrast | None = None
    tried: tuple[ProbedRange, ...] = ()
    untried: tuple[Untested, ...] = ()
    owned: tuple[Owned, ...] = ()

    @property
    def conclusion(self) -> str:
        """``named``, ``ambiguous``, ``none fits``, ``not repeatable`` or ``not answered``."""
        if not self.probes:
            return "not answered"
        if self.unsteady:
            return "not repeatable"
        if not self.fits:
            return "none fits"
        return "named" if len(self.fits) == 1 else "ambiguous"


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """A device's arithmetic as far as it was found. ``models`` are the files whose operators were tried too.

    ``build`` is what is known of the device's version, ``host`` the machine it was asked from, ``started`` when: the
    last two differ from run to run. ``untried`` says what no operator was asked for.
    """

    version: str
    device: str
    described: str
    models: tuple[str, ...]
    seed: int
    operators: tuple[Diagnosed, ...]
    untried: tuple[Untested, ...] = ()
    build: str = ""
    host: str = ""
    started: str = ""

    @property
    def exit_code(self) -> int:
        """0 where every operator that answered is explained, 1 where one is not, 2 where none answered."""
        conclusions = {d.conclusion for d in self.operators}
        if conclusions & {"none fits", "not repeatable"}:
            return 1
        return 0 if conclusions - {"not answered"} else 2
