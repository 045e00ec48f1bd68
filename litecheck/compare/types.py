"""What comparing gives: differences of an output, the element that tells most, ways of computing that explain them."""

from __future__ import annotations

from dataclasses import dataclass

from litecheck.quantizer.comparison import Bucket


@dataclass(frozen=True, slots=True)
class Candidate:
    """What one way of computing gives for an element: a rounding of the exact value (``half away``), an arithmetic's
    name, a step and its variant (``requantize: double-half-up``), or a defect; ``kind`` says which of these."""

    name: str
    value: int
    note: str = ""
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Spot:
    """One element of an output: which run and where; values stored, or real in real types."""

    run: int
    index: tuple[int, ...]
    expected: float
    actual: float


@dataclass(frozen=True, slots=True)
class Variant:
    """A step that decides what an operator gives, and how an arithmetic computes it."""

    step: str
    variant: str


@dataclass(frozen=True, slots=True)
class Needed:
    """The accumulators that give a value; None on the side where a rail stands for all that lies beyond."""

    first: int | None
    last: int | None


@dataclass(frozen=True, slots=True)
class Explained:
    """One element followed from accumulator to stored value: ``spot`` where it is not the worst one.

    ``index`` is where it lies and ``run`` in which run, by name or number. The ``arithmetic`` with these ``variants`` of
    the steps that decide gives ``expected``, the device ``device``. ``accumulator`` is the integer before rescaling
    where the operator has one; ``multiplier`` the real factor, and ``fixed`` its (32-bit multiplier, shift) in fixed
    point; ``quotient`` the value before rounding and the zero point, in decimals (``6.5000``): ``precise`` where nothing
    is rounded off, else ``real`` where the operator has no exact value. ``zero_point`` is added to it, which is
    ``shifted``. ``candidates`` are what ways of computing make of it, ``needs`` the smallest and the largest
    accumulator that would give what the device gives (None where a rail stands for all beyond).
    """

    index: tuple[int, ...]
    run: str
    arithmetic: str
    variants: tuple[Variant, ...]
    expected: int
    device: int
    accumulator: int | None = None
    multiplier: float | None = None
    fixed: tuple[int, int] | None = None
    quotient: str = ""
    candidates: tuple[Candidate, ...] = ()
    spot: Spot | None = None
    precise: bool = False
    real: bool = False
    zero_point: int = 0
    shifted: str = ""
    needs: Needed | None = None


@dataclass(frozen=True, slots=True)
class Along:
    """Mismatches by index of a dimension along which they gather; ``name`` is what it is called (``column``)."""

    dimension: int
    name: str
    counts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Gathering:
    """Where differences of one output gather, or what their values have in common; fields that a pattern has no use for
    are empty.

    ``pattern`` is the kind: ``range`` (indexes ``first`` to ``last`` of a dimension), ``tail`` (indexes from ``first``
    on, what whole vectors of ``vector`` leave over; ``outside``: all but those), ``step`` (every ``step``-th from
    ``first`` on), ``indexes`` (a few anywhere), ``border`` (``width`` outermost rows and columns on ``side``: ``all``,
    ``top-left``, ``bottom-right``), ``flat tail`` (as ``tail``, of the flat tensor, ``length`` elements), ``run`` (one run
    of ``length``), ``expected`` and ``given`` (the reference, or the device, has one of ``values`` there, each of which
    ``ends`` may name as the smallest or the largest of the type or of what occurs), ``side`` (all lie ``below`` or
    ``above`` the zero point), ``offset`` (all differ by that), ``direction`` (the device's values are ``larger``,
    ``smaller``, ``nearer`` to the zero point or ``farther`` from it).

    It holds ``held`` of ``count`` differences, among ``there`` elements of the ``size`` that come into account.
    ``apart`` says why those are not all: ``pattern`` (elements of an earlier one), ``rails``. ``rest``: of the
    differences that an earlier pattern leaves.
    """

    pattern: str
    held: int
    count: int
    there: int = 0
    size: int = 0
    apart: tuple[str, ...] = ()
    rest: bool = False
    dimension: int | None = None
    axis: str = ""
    length: int = 0
    first: int | None = None
    last: int | None = None
    indexes: tuple[int, ...] = ()
    step: int = 0
    vector: int = 0
    outside: bool = False
    width: int = 0
    side: str = ""
    run: str = ""
    values: tuple[int, ...] = ()
    ends: tuple[str, ...] = ()
    zero_point: int | None = None
    offset: int | None = None


@dataclass(frozen=True, slots=True)
class Difference:
    """One output of a case over all runs. ``unit`` is LSB for integers; for reals it is ``relative``: differences are
    then shares of the largest expected magnitude, and there is no histogram.

    ``mismatches`` counts elements that differ at all, ``beyond`` those that differ by more than ``tolerance``;
    ``largest`` is the largest difference, signed. ``channels`` are mismatches by index of the last dimension (at most
    4096 of them). ``patterns`` say where differences lie: channels, rows, tails, rails; ``along`` counts them
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
    patterns: tuple[Gathering, ...] = ()
    explained: Explained | None = None
    along: Along | None = None
    free: Spot | None = None

    @property
    def share(self) -> float:
        """Mismatches by elements, 0 to 1."""
        return self.mismatches / self.size if self.size else 0.0


@dataclass(frozen=True, slots=True)
class Cause:
    """A way of computing that explains differences of a case: ``names`` (``defect: no-bias``), several of them
    together, ``does`` what goes wrong then. ``explained`` differences it has, ``left`` it has not; ``patterns`` say
    where those lie. ``alike`` are other ways that leave as many.
    """

    names: tuple[str, ...]
    does: str
    explained: int
    left: int
    patterns: tuple[Gathering, ...] = ()
    alike: tuple[str, ...] = ()
