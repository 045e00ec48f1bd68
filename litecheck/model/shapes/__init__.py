"""Shapes of operator outputs: a law for each family, by name, shared by operators."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from litecheck.model.shapes import (
    conv,
    creation,
    elementwise,
    gathering,
    joining,
    lengths,
    movement,
    recurrent,
    slicing,
    windows,
)
from litecheck.model.shapes.call import Call, Law, Shape, ShapedOperand, ShapeError, Shapes

_FAMILIES = (
    elementwise, conv, movement, slicing, joining, gathering, creation, windows, recurrent, lengths,
)  # fmt: skip
#: Every law by the name a profile uses for it: its function's, which the module of its family lists.
LAWS: Mapping[str, Law] = MappingProxyType(
    {name.rstrip("_"): getattr(family, name) for family in _FAMILIES for name in family.__all__}
)

__all__ = ["LAWS", "Call", "Law", "Shape", "ShapeError", "ShapedOperand", "Shapes"]
