"""What only the quantized form of a recurrent layer has: intermediates, whose ranges follow from the layer itself."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from litecheck.convert.binding import BoundFloat, Port
from litecheck.convert.groups import Interval
from litecheck.convert.plan import Form

#: The cell's output before projection: the output gate, 0..1, times tanh of the cell, -1..1.
_HIDDEN, _BOUNDS = "hidden", (-1.0, 1.0)
_STATE, _PROJECTION = "output_state", "projection_weights"
#: An intermediate of which nothing is demanded: it is counted, and never looked at.
_UNUSED = Form("int16", np.empty(0, np.float32), np.empty(0, np.int64))


def to_be_made(bound: BoundFloat, port: Port) -> bool:
    """Whether a place is that of an intermediate which the float operator does not have."""
    return port.side == "intermediate" and port.place >= len(bound.operator.intermediates)


def range_of(role: str) -> Interval | None:
    """The range of an intermediate by its definition, where that bounds it."""
    return _BOUNDS if role == _HIDDEN else None


def same_as_state(bound: BoundFloat) -> Iterator[tuple[Port, Port]]:
    """Places that hold the same stored integers: without projection the cell's output is the output state."""
    if bound.ports.get(_HIDDEN) and bound.ports.get(_STATE) and not bound.ports.get(_PROJECTION):
        yield bound.ports[_HIDDEN][0], bound.ports[_STATE][0]


def intermediate_forms(bound: BoundFloat, forms: dict[Port, Form]) -> tuple[Form, ...]:
    """The forms of all intermediates an operator must list, in order; none where it has its own or needs none."""
    rule = bound.rule
    if rule is None or not bound.storage or bound.operator.intermediates:
        return ()
    ports = [next(iter(bound.ports.get(role, ())), None) for role in rule.intermediates]
    return tuple(forms.get(port, _UNUSED) if port else _UNUSED for port in ports)
