"""One case of a suite: a model of one operator, what it is fed, and what is special about it."""

from __future__ import annotations

from dataclasses import dataclass

from litecheck.arrays import Arrays
from litecheck.model.types import Model

#: How thorough a suite is; each level has the cases of those before it.
LEVELS = ("smoke", "standard", "exhaustive")


@dataclass(frozen=True, slots=True, eq=False)
class SuiteCase:
    """One thing a device is asked: a model of one operator and its inputs, or a model it must refuse.

    ``kind`` is the type of the activations, ``granularity`` that of the weights' scales, empty where there are none.
    ``level`` is the lowest that has the case. ``lengths`` are those of series, within each of which state is handed on.
    ``broken`` is the path of the one requirement that a model to be refused does not keep, ``effect`` what the rule says
    becomes of such a model.
    """

    name: str
    opcode: str
    kind: str
    granularity: str
    title: str
    level: str
    model: Model
    runs: tuple[Arrays, ...]
    """Stored values, in the order of the model's inputs; none for a model that is to be refused."""
    lengths: tuple[int, ...] = ()
    broken: str = ""
    effect: str = ""
