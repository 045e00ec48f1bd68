"""Shapes of operator outputs: laws by name, grouped by family and shared by operators."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from litecheck.model.shapes import (
    calls,
    concatenation,
    conv,
    creation,
    elementwise,
    gather_scatter,
    lengths,
    movement,
    recurrent,
    slices,
    windows,
)
from litecheck.model.shapes.call import Call, Law, Shape, ShapedOperand, ShapeError, Shapes

_FAMILIES = (
    elementwise, conv, movement, slices, concatenation, gather_scatter, creation, windows, recurrent, lengths,
    calls,
)  # fmt: skip
#: Laws by the name in profiles, which is the name of the function in ``__all__`` of its family.
LAWS: Mapping[str, Law] = MappingProxyType(
    {name.rstrip("_"): getattr(family, name) for family in _FAMILIES for name in family.__all__}
)

__all__ = ["LAWS", "Call", "Law", "Shape", "ShapeError", "ShapedOperand", "Shapes"]
