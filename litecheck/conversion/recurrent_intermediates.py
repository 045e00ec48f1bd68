"""Intermediates of quantized recurrent layers. The float layer has none, and their ranges follow from the layer itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from litecheck.conversion import formulas
from litecheck.conversion.binding import BoundFloatOperator, TensorUse
from litecheck.conversion.conversion_plan import QuantParams
from litecheck.conversion.groups import Interval
from litecheck.conversion.request import REAL

#: (subgraph, operator, name): key of a value inside an operator, with calibration's name.
Inside = tuple[int, int, str]
_HIDDEN, _STATE, _PROJECTION = "hidden", "output_state", "projection_weights"
#: Bounds of the cell's output before projection: output gate, 0..1, times tanh of the cell, -1..1.
_BOUNDS = (-1.0, 1.0)
_GATE = "_intermediate"
#: Form of an intermediate that kernels do not read, but that must exist, as TensorFlow stores it.
_UNUSED = QuantParams(REAL, np.empty(0, np.float32), np.empty(0, np.int64))


def to_be_made(bound: BoundFloatOperator, port: TensorUse) -> bool:
    """Return True if a port is an intermediate that the float operator does not have."""
    return port.side == "intermediate" and port.place >= len(bound.operator.intermediates)


def range_of(port: TensorUse, role: str, inner: Mapping[Inside, Interval]) -> Interval | None:
    """Return the range of an intermediate: the observed range, or the bounds of its definition."""
    known = inner.get((port.subgraph, port.operator, role.removesuffix(_GATE)))
    return known or (_BOUNDS if role == _HIDDEN else None)


def same_as_state(bound: BoundFloatOperator) -> Iterator[tuple[TensorUse, TensorUse]]:
    """Yield ports with the same stored integers: without projection the cell's output is the output state."""
    if bound.ports.get(_HIDDEN) and bound.ports.get(_STATE) and not bound.ports.get(_PROJECTION):
        yield bound.ports[_HIDDEN][0], bound.ports[_STATE][0]


def intermediate_forms(
    bound: BoundFloatOperator, forms: Mapping[TensorUse, QuantParams], inner: Mapping[Inside, Interval]
) -> tuple[QuantParams, ...]:
    """Return the forms of all intermediates that an operator must list, in order, or () if it has its own or needs none.

    The sum of a gate with layer normalization is int16. An intermediate without requirements only fills its position.
    """
    rule = bound.rule
    if rule is None or not bound.storage or bound.operator.intermediates:
        return ()
    return tuple(_intermediate(bound, role, forms, inner) for role in rule.intermediates)


def _intermediate(
    bound: BoundFloatOperator,
    role: str,
    forms: Mapping[TensorUse, QuantParams],
    inner: Mapping[Inside, Interval],
) -> QuantParams:
    port = bound.ports[role][0]
    known = range_of(port, role, inner)
    if known is None:
        return _UNUSED
    if port in forms:
        return forms[port]
    scale, zero_point = formulas.activation(*known, "int16")
    low, high = known
    return QuantParams("int16", np.array([scale], np.float32), np.array([zero_point], np.int64), 0, low, high)
