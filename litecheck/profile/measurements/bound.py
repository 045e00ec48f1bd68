"""One operator with its tensors by role: what measurements look at."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from litecheck.model.types import Model, Operator, Subgraph, Tensor

Measured = Fraction | int | str | None


class Operands:
    """One operator with its tensors by role; a role has several where it is repeated, none where it is absent.

    ``looked_around`` tells whether a measurement has asked for more than the operator and its tensors: only what does
    not is the same for every operator like it.
    """

    __slots__ = ("_model", "_subgraph", "looked_around", "operator", "roles")

    def __init__(
        self, operator: Operator, roles: Mapping[str, tuple[Tensor, ...]], subgraph: Subgraph, model: Model
    ) -> None:
        self.operator = operator
        self.roles = roles
        self.looked_around = False
        self._subgraph = subgraph
        self._model = model

    @property
    def subgraph(self) -> Subgraph:
        """The subgraph the operator stands in."""
        self.looked_around = True
        return self._subgraph

    @property
    def model(self) -> Model:
        """The whole model."""
        self.looked_around = True
        return self._model

    def one(self, role: str) -> Tensor | None:
        """The tensor of a role that is not repeated."""
        tensors = self.roles.get(role)
        return tensors[0] if tensors else None

    def option(self, name: str, default: int = 0) -> int:
        """An integer of the operator's builtin options."""
        return int(self.operator.options.get(name, default)) if self.operator.options else default


def one_zero_point(tensor: Tensor | None) -> int | None:
    """A tensor's one zero point."""
    if tensor is None or tensor.quantization.zero_point.size != 1:
        return None
    return int(tensor.quantization.zero_point[0])


def one_scale(tensor: Tensor | None) -> Fraction | None:
    """A tensor's one scale, exactly."""
    if tensor is None or tensor.quantization.scale.size != 1:
        return None
    value = float(tensor.quantization.scale[0])
    return Fraction(value) if value == value and abs(value) != float("inf") else None
