"""A defect is a way to compute wrongly that devices are found to have; here is what one is, and the register of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from litecheck.profile.operators import OperatorFacts
from litecheck.reference.registry import Kernel

Arguments = Mapping[str, Any]
Change = Callable[[Kernel, Arguments], Any]
Concerns = Callable[[OperatorFacts], bool]


@dataclass(frozen=True, slots=True)
class Defect:
    """``does`` says in words what goes wrong; ``concerns`` whether an operator can have it.

    ``change`` is given a kernel and its arguments by name. ``windowed``: it looks at what one output element is made
    of, not at where that stands; these are slow.
    """

    does: str
    concerns: Concerns
    change: Change
    windowed: bool = False


#: By the name an arithmetic file uses, in the order in which they are tried.
DEFECTS: dict[str, Defect] = {}


def defect(name: str, does: str, concerns: Concerns, windowed: bool = False) -> Callable[[Change], Change]:
    """Register a function around a kernel as a defect."""

    def register(change: Change) -> Change:
        DEFECTS[name] = Defect(does, concerns, change, windowed)
        return change

    return register


def weighted(facts: OperatorFacts) -> bool:
    """Whether products of an input and weights are added up."""
    return facts.products == ("input", "weight")


def summed(facts: OperatorFacts) -> bool:
    """Whether such products are added up one after the other for each element of the result."""
    return weighted(facts) and facts.over != "stamps"


def convolves(facts: OperatorFacts) -> bool:
    """Whether that is done in windows with padding."""
    return weighted(facts) and facts.windows


def rescales(facts: OperatorFacts) -> bool:
    """Whether a zero point is added to what has been rescaled."""
    return facts.result == "rescaled"
