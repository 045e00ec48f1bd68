"""Operand of a template: shape, and values of index tensors."""

from __future__ import annotations

from dataclasses import dataclass

from litecheck.arrays import Array


@dataclass(frozen=True, slots=True, eq=False)
class TemplateOperand:
    """The shape of an input, and its values if the form states them.

    ``by_inference`` are the values of the first inferences at run time, which later inferences repeat in order.
    ``values`` are then the first of them.
    """

    shape: tuple[int, ...]
    values: Array | None = None
    constant: bool = False
    by_inference: tuple[Array, ...] = ()

    @property
    def is_runtime_input(self) -> bool:
        """True if the values are given at run time."""
        return self.values is not None and not self.constant
