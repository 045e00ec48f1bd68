"""Constants that stand for infinity (masks of -1e9, paddings of -inf): what they and all that comes of them are cut to.

A mask is added, or chosen, so that a SOFTMAX or MAXIMUM behind it sees nothing there. In 8 bits its range would leave
one step for everything else. It does its work just as well a little beyond everything it competes with.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from litecheck.convert.binding import BoundFloat, Port
from litecheck.convert.groups import Interval, Key
from litecheck.model.types import Tensor
from litecheck.model.values import stored_integers
from litecheck.profile.operators import facts_of
from litecheck.profile.types import Roles

#: How many times as large as everything beside it a constant must be to stand for infinity.
EXTREME = 1e4
#: How far beyond everything else it still counts as infinite: e**-8 is less than half a step of 1/256 is worth.
BEYOND = 8.0
#: The operators that add, by the family of their probes.
_SUMS = "sums_of_two"


@dataclass(slots=True)
class Cuts:
    """The ranges of computed tensors and the extents of constants after infinities are cut, and what was cut."""

    ranges: dict[Key, Interval]
    constants: dict[Key, Interval] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def cut_infinities(operators: tuple[BoundFloat, ...], ranges: Mapping[Key, Interval]) -> Cuts:
    """Every operator that is quantized, in execution order: constants cut, and the ranges of what is computed of them."""
    cuts = Cuts(dict(ranges))
    cut: set[Key] = set()
    for bound in operators:
        if not bound.storage or not _hands_on(bound):
            continue
        ports = [p for role in bound.ports for p in bound.ports[role] if p.side == "input"]
        known = {p: _extent(cuts, bound, p) for p in ports}
        plain = [p for p in ports if not bound.tensor(p).is_constant]
        reach = max((_reach(known[p]) for p in plain), default=0.0)
        for port in ports:
            tensor = bound.tensor(port)
            if plain and tensor.is_constant and reach and _reach(known[port]) >= EXTREME * reach:
                known[port] = _cut(cuts, bound, port, known[port], reach)
                cut.add((port.subgraph, tensor.index))
        if any((p.subgraph, bound.tensor(p).index) in cut for p in ports):
            _narrow(cuts, bound, list(known.values()), cut)
    return cuts


def _hands_on(bound: BoundFloat) -> bool:
    """Whether values reach the result as they are, or as sums."""
    moved = any(isinstance(r.value, Roles) for r in bound.requirements)
    return moved or _SUMS in facts_of(bound.operator.kind).probes


def _extent(cuts: Cuts, bound: BoundFloat, port: Port) -> Interval:
    tensor = bound.tensor(port)
    key = port.subgraph, tensor.index
    if tensor.is_constant and not tensor.is_variable:
        return cuts.constants.get(key, _finite(tensor))
    return cuts.ranges.get(key, (0.0, 0.0))


def _finite(tensor: Tensor) -> Interval:
    values = stored_integers(tensor)
    if values is None or not values.size:
        return 0.0, 0.0
    most = float(np.finfo(np.float32).max)
    return max(float(values.min()), -most), min(float(values.max()), most)


def _reach(interval: Interval) -> float:
    return max(-interval[0], interval[1])


def _cut(cuts: Cuts, bound: BoundFloat, port: Port, extent: Interval, reach: float) -> Interval:
    end = 2 * reach + BEYOND
    new = max(extent[0], -end), min(extent[1], end)
    tensor = bound.tensor(port)
    cuts.constants[port.subgraph, tensor.index] = new
    cuts.notes.append(
        f"constant '{tensor.name}' ({extent[0]:g}..{extent[1]:g}) stands for infinity and is clamped to"
        f" {new[0]:g}..{new[1]:g}: everything beside it lies within {reach:g}"
    )
    return new


def _narrow(cuts: Cuts, bound: BoundFloat, operands: list[Interval], cut: set[Key]) -> None:
    """The results' ranges, which cannot reach further than the operands do now."""
    join = sum if _SUMS in facts_of(bound.operator.kind).probes else max
    end = float(join(_reach(interval) for interval in operands))
    for role in bound.ports:
        for port in bound.ports[role]:
            key = port.subgraph, bound.tensor(port).index
            if port.side == "output" and key in cuts.ranges:
                low, high = cuts.ranges[key]
                cuts.ranges[key] = max(low, -end), min(high, end)
                cut.add(key)
