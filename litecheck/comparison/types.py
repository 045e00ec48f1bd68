"""Data of a comparison: differences of an output, explained elements, patterns and causes."""

from __future__ import annotations

from dataclasses import dataclass

from litecheck.quantizer.comparison_result import Bucket


@dataclass(frozen=True, slots=True)
class Candidate:
    """A value of an element under a computation, with its name.

    ``kind`` is the kind of computation: a rounding of the exact value (``half away``), a published arithmetic, a step
    and its variant (``requantize: double-half-up``), or a defect.
    """

    name: str
    value: int
    note: str = ""
    kind: str = ""


@dataclass(frozen=True, slots=True)
class MismatchExample:
    """An element of an output: run, index, and values (stored integers, or floats for float types)."""

    run: int
    index: tuple[int, ...]
    expected: float
    actual: float


@dataclass(frozen=True, slots=True)
class Variant:
    """A step that decides an operator's outputs, and the arithmetic's variant of it."""

    step: str
    variant: str


@dataclass(frozen=True, slots=True)
class AccumulatorBounds:
    """Smallest and largest accumulator that give a value; None on the side of a limit, where every accumulator gives
    it."""

    first: int | None
    last: int | None


@dataclass(frozen=True, slots=True)
class ExplainedElement:
    """An element traced from accumulator to stored value; ``spot`` is set if it is not the worst element.

    ``index`` is its location, ``run`` the run's name or number. The ``arithmetic``, with these ``variants`` of the
    active steps, gives ``expected``; the device gives ``device``. ``accumulator`` is the integer before rescaling, if
    the operator has one; ``multiplier`` is the real factor, and ``fixed`` its (32-bit multiplier, shift) in fixed
    point. ``quotient`` is the value before rounding and zero point, in decimals (``6.5000``): ``precise`` is True if
    the decimals are exact, ``real`` if the operator has no exact value. ``shifted`` is the quotient plus
    ``zero_point``. ``candidates`` are values under further computations. ``needs`` are the smallest and the largest
    accumulator that give the device's value (None on the side of a limit). ``limit`` is the limit of the type or of a
    fused activation that the rounded value exceeds; such an element does not determine an accumulator.
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
    spot: MismatchExample | None = None
    precise: bool = False
    real: bool = False
    zero_point: int = 0
    shifted: str = ""
    needs: AccumulatorBounds | None = None
    limit: int | None = None


@dataclass(frozen=True, slots=True)
class PerAxisCounts:
    """Mismatches by index of a dimension with a pattern; ``name`` is the name of the dimension (``column``)."""

    dimension: int
    name: str
    counts: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class MismatchCluster:
    """A pattern of the differences of one output, by location or by value; unused fields are empty.

    ``pattern`` is the kind: ``range`` (indexes ``first`` to ``last`` of a dimension), ``tail`` (indexes from
    ``first`` on, the remainder after whole vectors of ``vector``; ``outside``: all other indexes), ``step`` (every
    ``step``-th from ``first`` on), ``indexes`` (a few arbitrary indexes), ``border`` (``width`` outermost rows and
    columns on ``side``: ``all``, ``top-left``, ``bottom-right``), ``flat tail`` (as ``tail``, of the flat tensor,
    ``length`` elements), ``row tail`` (as ``tail``, of rows of the last two or more dimensions, ``length`` elements
    each), ``run`` (one run of ``length``), ``expected`` and ``given`` (the reference, or the device, has one of
    ``values``, which ``ends`` names as the smallest or the largest of the type or of the output), ``side`` (all
    values are ``below`` or ``above`` the zero point), ``offset`` (all differ by this number), ``direction`` (the
    device's values are ``larger``, ``smaller``, ``nearer`` to the zero point or ``farther`` from it).

    The pattern has ``held`` of ``count`` differences, among ``there`` of ``size`` considered elements. ``apart`` lists
    reasons for excluded elements: ``pattern`` (elements of an earlier pattern), ``rails`` (saturated). ``rest`` is
    True for a pattern of the differences outside an earlier pattern.
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
    """Differences of one output of a case over all runs.

    ``unit`` is LSB for integers; for floats it is ``relative``: differences are shares of the largest expected
    magnitude, and there is no histogram. ``mismatches`` counts elements that differ, ``beyond`` those that differ by
    more than ``tolerance``; ``largest`` is the largest difference, signed. ``channels`` are mismatches by index of the
    last dimension (at most 4096). ``patterns`` are patterns of the differences; ``along`` counts differences along the
    dimension of a pattern, None without a pattern. ``free`` is the worst element of the same run that is unsaturated on both
    sides, or else in the device's output; it shows more than ``worst``. It is None if there is none, or if it equals
    ``worst``.
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
    worst: MismatchExample | None = None
    patterns: tuple[MismatchCluster, ...] = ()
    explained: ExplainedElement | None = None
    along: PerAxisCounts | None = None
    free: MismatchExample | None = None

    @property
    def share(self) -> float:
        """Share of the elements that differ, 0 to 1."""
        return self.mismatches / self.size if self.size else 0.0


@dataclass(frozen=True, slots=True)
class Cause:
    """Variants or defects that explain differences of a case.

    ``names`` (``defect: no-bias``) act together, ``does`` describes the defect. ``explained`` differences have this
    cause, ``left`` do not; ``patterns`` are those of the remaining differences. ``alike`` are candidates that leave as
    many.
    """

    names: tuple[str, ...]
    does: str
    explained: int
    left: int
    patterns: tuple[MismatchCluster, ...] = ()
    alike: tuple[str, ...] = ()
