"""Float inputs, outputs and operators of a model: the parts that keep it from being fully integer."""

from __future__ import annotations

from dataclasses import dataclass

from litecheck.summary_text import count_of


@dataclass(frozen=True, slots=True)
class FloatParts:
    """Numbers of float inputs and outputs of a model's entry points, and its float islands.

    An island is a set of connected float operators, each as (subgraph, operator). ``mixed`` is True if the model also
    has quantized tensors; without them, the text does not mention islands.
    """

    inputs: int = 0
    outputs: int = 0
    islands: tuple[tuple[tuple[int, int], ...], ...] = ()
    mixed: bool = False

    @property
    def ends(self) -> str:
        """Float inputs and outputs in words. Example: ``1 float input, 2 float outputs``; "" without any."""
        parts = ((self.inputs, "float input"), (self.outputs, "float output"))
        return ", ".join(count_of(number, noun) for number, noun in parts if number)

    def __str__(self) -> str:
        """Return all parts in words. Example: ``1 float output, 1 float island (3 operators)``; "" without any."""
        operators = count_of(sum(map(len, self.islands)), "operator")
        islands = f"{count_of(len(self.islands), 'float island')} ({operators})" if self.islands else ""
        return ", ".join(filter(None, (self.ends, islands)))
