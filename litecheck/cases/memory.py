"""Models with variables: whether a device hands state on from inference to inference, and in which series it was tried."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Memory(str, Enum):
    """What series of inferences can be asked for."""

    NONE = "none"
    """Every inference begins with variables as they are at first."""
    KEPT = "kept"
    """Several inferences in a row, each from what the one before left behind."""
    SET = "set"
    """That, and the first of them from contents that it is given."""


@dataclass(frozen=True, slots=True)
class Reach:
    """How far a variable tensor went: the least and the greatest value it held."""

    name: str
    least: float
    greatest: float


@dataclass(frozen=True, slots=True)
class SeriesTried:
    """Over which series of inferences an operator with a memory was run.

    State was handed on inside each of ``series``, of which the longest has ``longest`` inferences, and reset between
    them; ``begun`` says that some began at the ends of the variables. Where there is no series every inference was from
    the initial state, and ``because`` says why: ``device`` (it hands no state on) or ``budget`` (spent elsewhere).
    """

    series: int = 0
    longest: int = 0
    begun: bool = False
    because: str = ""
    reached: tuple[Reach, ...] = ()
