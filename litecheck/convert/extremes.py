"""Constants that stand for infinity (masks of -1e9, paddings of -inf): what they and all that comes of them are cut to.

A mask is added, or chosen, so that a SOFTMAX or MAXIMUM behind it sees nothing there. In 8 bits its range would leave
one step for everything else. It does its work just as well a little beyond everything it competes with.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from litecheck.convert.binding import BoundFloat, Port
from litecheck.convert.groups import Interval, Key, extent_of
from litecheck.profile.operators import facts_of
from litecheck.profile.types import Roles

#: How many times as large as everything beside it a constant must be to stand for infinity.
EXTREME = 1e4
#: How far beyond everything else it still counts as infinite: e**-8 is less than half a step of 1/256 is worth.
BEYOND = 8.0
#: A mask that is there only in part, by one 64th, still hides all: what it is multiplied by reaches so much further, and
#: the product saturates.
PARTLY = 64
#: The operators that add, and that multiply, by the families of their probes.
_SUMS, _PRODUCTS = "sums_of_two", "products_of_two"


@dataclass(slots=True)
class Cuts:
    """The ranges of computed tensors and the extents of constants after infinities are cut, and what was cut."""

    ranges: dict[Key, Interval]
    constants: dict[Key, Interval] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def cut_infinities(operators: tuple[BoundFloat, ...], ranges: Mapping[Key, Interval]) -> Cuts:
    """Every operator that is quantized, in execution order: constants cut, masks that are computed, and the ranges of what
    comes of them."""
    cuts = Cuts(dict(ranges))
    cut: set[Key] = set()
    squashed = _squashed(operators)
    for bound in operators:
        if not bound.storage or not _hands_on(bound):
            continue
        ports = bound.placed("input")
        known = {p: _extent(cuts, bound, p) for p in ports}
        behind = any(_key(bound, p) in squashed for p in bound.placed("output"))
        for port in ports:
            others = [p for p in ports if p != port and not bound.tensor(p).is_constant]
            reach = max((_reach(known[p]) for p in others), default=0.0)
            if (
                reach
                and _reach(known[port]) >= EXTREME * reach
                and _infinite(bound, port, known[port], reach, behind)
            ):
                known[port] = _cut(cuts, bound, port, known[port], _end(bound, reach, behind), reach)
                cut.add(_key(bound, port))
        if any(_key(bound, p) in cut for p in ports):
            _narrow(cuts, bound, list(known.values()), cut)
    _cut_sources(cuts, operators, cut)
    return cuts


def _cut_sources(cuts: Cuts, operators: tuple[BoundFloat, ...], cut: set[Key]) -> None:
    """What a mask was computed of, from its end: what is only moved reaches no further than the mask, and a constant it is
    multiplied by (-1e9 times 0 or 1) no further than makes that."""
    for bound in reversed(operators):
        inputs = bound.placed("input")
        ends = [_reach(_extent(cuts, bound, p)) for p in bound.placed("output") if _key(bound, p) in cut]
        if not bound.storage or not ends:
            continue
        if _PRODUCTS in facts_of(bound.operator.kind).probes:
            for port in inputs:
                other = max((_reach(_extent(cuts, bound, p)) for p in inputs if p != port), default=0.0)
                if bound.tensor(port).is_constant and other:
                    _bound(
                        cuts.constants, bound, port, _extent(cuts, bound, port), PARTLY * max(ends) / other
                    )
        elif _moves(bound):
            for port in inputs:
                if not bound.tensor(port).is_constant:
                    _bound(cuts.ranges, bound, port, _extent(cuts, bound, port), max(ends))
                    cut.add(_key(bound, port))


def _bound(
    known: dict[Key, Interval], bound: BoundFloat, port: Port, extent: Interval, end: float
) -> Interval:
    """Note that an operand reaches no further than an end on either side."""
    known[_key(bound, port)] = new = max(-end, min(extent[0], end)), max(-end, min(extent[1], end))
    return new


def _key(bound: BoundFloat, port: Port) -> Key:
    return port.subgraph, bound.tensor(port).index


def _squashed(operators: tuple[BoundFloat, ...]) -> set[Key]:
    """Tensors that some operator reads whose results end at a fixed value (SOFTMAX), be it behind one that moves them."""
    found: set[Key] = set()
    for bound in reversed(operators):
        outputs = bound.placed("output")
        rule = bound.rule.outputs if bound.rule else ()
        fixed = any(s.scale is not None for role, s in bound.storage.items() if role in rule)
        if fixed or (_moves(bound) and any(_key(bound, p) in found for p in outputs)):
            found |= {_key(bound, p) for p in bound.placed("input")}
    return found


def _infinite(bound: BoundFloat, port: Port, extent: Interval, reach: float, behind: bool) -> bool:
    """Whether an operand so large stands for infinity: a constant does, and a mask that is computed: far below 0 on one
    side, added, and squashed behind that."""
    if bound.tensor(port).is_constant:
        return True
    return behind and _adds(bound) and extent[1] <= reach


def _adds(bound: BoundFloat) -> bool:
    return _SUMS in facts_of(bound.operator.kind).probes


def _end(bound: BoundFloat, reach: float, behind: bool) -> float:
    """Where infinity is cut: with everything beside it where it is only compared or moved; so far beyond that nothing is
    left of it where it is squashed, or added."""
    return 2 * reach + BEYOND if behind or _adds(bound) else reach


def _hands_on(bound: BoundFloat) -> bool:
    """Whether values reach the result as they are, or as sums."""
    return _adds(bound) or _moves(bound)


def _moves(bound: BoundFloat) -> bool:
    return any(isinstance(r.value, Roles) for r in bound.requirements)


def _extent(cuts: Cuts, bound: BoundFloat, port: Port) -> Interval:
    tensor, key = bound.tensor(port), _key(bound, port)
    if tensor.is_constant and not tensor.is_variable:
        return cuts.constants.get(key) or extent_of(tensor)
    return cuts.ranges.get(key, (0.0, 0.0))


def _reach(interval: Interval) -> float:
    return max(-interval[0], interval[1])


def _cut(cuts: Cuts, bound: BoundFloat, port: Port, extent: Interval, end: float, reach: float) -> Interval:
    tensor = bound.tensor(port)
    new = _bound(cuts.constants if tensor.is_constant else cuts.ranges, bound, port, extent, end)
    what = "constant" if tensor.is_constant else "tensor"
    cuts.notes.append(
        f"{what} '{tensor.name}' ({extent[0]:g}..{extent[1]:g}) stands for infinity and is clamped to"
        f" {new[0]:g}..{new[1]:g}: everything beside it lies within {reach:g}"
    )
    return new


def _narrow(cuts: Cuts, bound: BoundFloat, operands: list[Interval], cut: set[Key]) -> None:
    """The results' ranges, which cannot reach further than the operands do now."""
    join = sum if _adds(bound) else max
    end = float(join(_reach(interval) for interval in operands))
    for port in bound.placed("output"):
        key = _key(bound, port)
        if key in cuts.ranges:
            low, high = cuts.ranges[key]
            cuts.ranges[key] = max(low, -end), min(high, end)
            cut.add(key)
