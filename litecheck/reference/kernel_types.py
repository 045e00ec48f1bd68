"""What a kernel is: its operator, types and function, and the steps that devices do differently.

What devices do differently is a *step*. An arithmetic chooses a variant of it, and others where a *condition* of the
dispatch table (rules/arithmetic/takers.yaml) holds: ``requantize: {default: float32, declined: double}``. A step under
the conditions that hold for one operator is a *cell*; its path is ``requantize/declined+grouped``, or ``requantize``
where none holds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import combinations, compress, product
from typing import Any

KernelFunction = Callable[..., Any]
#: Stands for every type, and for no operand at all.
ANY = "any"
Variants = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Cell:
    """A step under all the conditions that hold, in the step's order, and its variants there, the first its default."""

    step: str
    conditions: tuple[str, ...]
    variants: tuple[str, ...]

    @property
    def path(self) -> str:
        """``requantize``, or ``requantize/declined+grouped``."""
        return path(self.step, self.conditions)

    def variant(self, stated: Variants) -> str:
        """What an arithmetic states, by path: under the most that holds here, of which the first condition counts most.

        The default where nothing is stated, or nothing that there is.
        """
        for kept in product((True, False), repeat=len(self.conditions)):
            variant = stated.get(path(self.step, tuple(compress(self.conditions, kept))))
            if variant in self.variants:
                return variant
        return self.variants[0]

    def others(self, stated: Variants) -> tuple[str, ...]:
        """The variants that an arithmetic does not choose."""
        chosen = self.variant(stated)
        return tuple(variant for variant in self.variants if variant != chosen)


@dataclass(frozen=True, slots=True)
class KernelStep:
    """The variants of a step, the first its default, and the conditions under which an arithmetic may choose others.

    Conditions are in the order in which they count; behind one that holds and has variants of its ``own`` none is asked.
    """

    variants: tuple[str, ...]
    conditions: tuple[str, ...]
    own: Mapping[str, tuple[str, ...]]

    def cell(self, name: str, held: Callable[[str], bool]) -> Cell:
        """The cell of the step called ``name`` where these conditions hold."""
        holding: tuple[str, ...] = ()
        for condition in filter(held, self.conditions):
            holding += (condition,)
            if condition in self.own:
                return Cell(name, holding, self.own[condition])
        return Cell(name, holding, self.variants)

    def cells(self, name: str) -> Iterator[Cell]:
        """Every cell there can be, that without conditions first."""
        for count in range(len(self.conditions) + 1):
            for some in combinations(self.conditions, count):
                cell = self.cell(name, some.__contains__)
                if cell.conditions == some:
                    yield cell


def path(name: str, conditions: tuple[str, ...]) -> str:
    """The path of a step under conditions, by which arithmetics and reports name it."""
    return f"{name}/{'+'.join(conditions)}" if conditions else name


def step(variants: tuple[str, ...], *conditions: str, **own: tuple[str, ...]) -> KernelStep:
    """A step with conditions, those of them that have variants of their own with these."""
    return KernelStep(variants, conditions, own)


@dataclass(frozen=True, slots=True)
class Kernel:
    """A kernel with what it can be asked: ``types`` are those of the operand that decides (see ``deciding``),
    ``steps`` what devices do differently."""

    opcode: str
    types: tuple[str, ...]
    function: KernelFunction
    steps: Mapping[str, KernelStep]
    deciding: str | None = None

    def cells(self) -> Iterator[Cell]:
        """Every cell of every step."""
        for name, one in self.steps.items():
            yield from one.cells(name)
