"""What comparing gives: differences of an output, the element that tells most, ways of computing that explain them."""

from __future__ import annotations

from dataclasses import dataclass

from litecheck.quantizer.comparison import Bucket


@dataclass(frozen=True, slots=True)
class Candidate:
    """What one way of computing gives for an element: a published arithmetic's name, or a step and its variant
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
