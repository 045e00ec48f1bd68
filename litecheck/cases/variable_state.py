"""State of models with variables: the support of a device for it, and the series of inferences that tested it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class StateSupport(str, Enum):
    """Support for state in series of inferences."""

    NONE = "none"
    """Variables are reset before every inference."""
    KEPT = "kept"
    """Several inferences in a row, each from the state that the inference before it left."""
    SET = "set"
    """As KEPT, and the first inference of a series can start from given contents of variables."""


@dataclass(frozen=True, slots=True)
class Reach:
    """Range of a variable tensor: the smallest and largest value that it held."""

    name: str
    least: float
    greatest: float


@dataclass(frozen=True, slots=True)
class TriedSeries:
    """Series of inferences of an operator with state.

    State persists within each of ``series`` series and is reset between them; ``longest`` is the longest in inferences.
    ``begun`` is True if some started at the limits of the variables. Without series, every inference started from the
    initial state, and ``because`` is the reason: ``device`` (it does not keep state) or ``budget`` (used by earlier
    cases).
    """

    series: int = 0
    longest: int = 0
    begun: bool = False
    because: str = ""
    reached: tuple[Reach, ...] = ()
