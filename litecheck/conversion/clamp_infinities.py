"""Constants that represent infinity (masks of -1e9, paddings of -inf): limits for them and for values computed from them.

A mask is added or selected so that a later SOFTMAX or MAXIMUM ignores elements. In 8 bits its range would leave one step
for all other values. The mask has the same effect if it is slightly beyond all values that it competes with.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from litecheck.conversion.binding import BoundFloatOperator, TensorUse
from litecheck.conversion.groups import Interval, Key, extent_of
from litecheck.profile.operators import traits_of
from litecheck.profile.types import Roles

#: Ratio to all other values from which a constant represents infinity.
EXTREME = 1e4
#: Distance beyond all other values that still counts as infinite: e**-8 is less than half a step of 1/256.
BEYOND = 8.0
#: A mask that is set only in part, by 1/64, still hides all elements: its factor reaches PARTLY times as far, and the
#: product saturates.
PARTLY = 64
#: Probe families of the operators that add, and of those that multiply.
_SUMS, _PRODUCTS = "sums_of_two", "products_of_two"


@dataclass(slots=True)
class ClampedInfinities:
    """The ranges of computed tensors and constants after infinities are cut, and notes about the cuts."""

    ranges: dict[Key, Interval]
    constants: dict[Key, Interval] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)


def clamp_infinities(
    operators: tuple[BoundFloatOperator, ...], ranges: Mapping[Key, Interval]
) -> ClampedInfinities:
    """Cut infinities of every quantized operator in execution order: constants, computed masks, and ranges of outputs."""
    cuts = ClampedInfinities(dict(ranges))
    cut: set[Key] = set()
    squashed = _find_squashed(operators)
    for bound in operators:
        if not bound.storage or not _passes_values(bound):
            continue
        ports = bound.ports_on("input")
        known = {p: _extent(cuts, bound, p) for p in ports}
        is_squashed = any(_key(bound, p) in squashed for p in bound.ports_on("output"))
        for port in ports:
            others = [p for p in ports if p != port and not bound.tensor(p).is_constant]
            reach = max((_reach(known[p]) for p in others), default=0.0)
            if (
                reach
                and _reach(known[port]) >= EXTREME * reach
                and _is_infinity(bound, port, known[port], reach, is_squashed)
            ):
                known[port] = _clamp_tensor(
                    cuts, bound, port, known[port], _infinity_limit(bound, reach, is_squashed), reach
                )
                cut.add(_key(bound, port))
        if any(_key(bound, p) in cut for p in ports):
            _narrow_outputs(cuts, bound, list(known.values()), cut)
    _cut_sources(cuts, operators, cut)
    return cuts


def _cut_sources(cuts: ClampedInfinities, operators: tuple[BoundFloatOperator, ...], cut: set[Key]) -> None:
    """Cut the sources of a mask, from its end to its start.

    A tensor that is only moved gets the range of the mask. A constant factor (-1e9 times 0 or 1) gets the range that
    makes the mask.
    """
    for bound in reversed(operators):
        inputs = bound.ports_on("input")
        ends = [_reach(_extent(cuts, bound, p)) for p in bound.ports_on("output") if _key(bound, p) in cut]
        if not bound.storage or not ends:
            continue
        if _PRODUCTS in traits_of(bound.operator.kind).probes:
            for port in inputs:
                other = max((_reach(_extent(cuts, bound, p)) for p in inputs if p != port), default=0.0)
                if bound.tensor(port).is_constant and other:
                    _limit_range(
                        cuts.constants, bound, port, _extent(cuts, bound, port), PARTLY * max(ends) / other
                    )
        elif _only_moves(bound):
            for port in inputs:
                if not bound.tensor(port).is_constant:
                    _limit_range(cuts.ranges, bound, port, _extent(cuts, bound, port), max(ends))
                    cut.add(_key(bound, port))


def _limit_range(
    known: dict[Key, Interval], bound: BoundFloatOperator, port: TensorUse, extent: Interval, end: float
) -> Interval:
    """Record that a tensor's values stay within ``end`` on either side."""
    known[_key(bound, port)] = new = max(-end, min(extent[0], end)), max(-end, min(extent[1], end))
    return new


def _key(bound: BoundFloatOperator, port: TensorUse) -> Key:
    return port.subgraph, bound.tensor(port).index


def _find_squashed(operators: tuple[BoundFloatOperator, ...]) -> set[Key]:
    """Return tensors read by an operator with fixed output scale (SOFTMAX), directly or through operators that move them."""
    found: set[Key] = set()
    for bound in reversed(operators):
        outputs = bound.ports_on("output")
        rule = bound.rule.outputs if bound.rule else ()
        fixed = any(s.scale is not None for role, s in bound.storage.items() if role in rule)
        if fixed or (_only_moves(bound) and any(_key(bound, p) in found for p in outputs)):
            found |= {_key(bound, p) for p in bound.ports_on("input")}
    return found


def _is_infinity(
    bound: BoundFloatOperator, port: TensorUse, extent: Interval, reach: float, is_squashed: bool
) -> bool:
    """Return True if a value of this size represents infinity.

    A constant of this size represents infinity. A computed mask represents it if an operator adds it, all its values are
    at most ``reach``, and a later operator has a fixed output scale (SOFTMAX).
    """
    if bound.tensor(port).is_constant:
        return True
    return is_squashed and _is_sum(bound) and extent[1] <= reach


def _is_sum(bound: BoundFloatOperator) -> bool:
    return _SUMS in traits_of(bound.operator.kind).probes


def _infinity_limit(bound: BoundFloatOperator, reach: float, is_squashed: bool) -> float:
    """Return the limit of infinity.

    For a value that is only compared or moved, this is the reach of the other values. For a value that is added, or
    that a SOFTMAX reads later, this is ``2 * reach + BEYOND``.
    """
    return 2 * reach + BEYOND if is_squashed or _is_sum(bound) else reach


def _passes_values(bound: BoundFloatOperator) -> bool:
    """Return True if input values reach the output unchanged or in sums."""
    return _is_sum(bound) or _only_moves(bound)


def _only_moves(bound: BoundFloatOperator) -> bool:
    return any(isinstance(r.value, Roles) for r in bound.requirements)


def _extent(cuts: ClampedInfinities, bound: BoundFloatOperator, port: TensorUse) -> Interval:
    tensor, key = bound.tensor(port), _key(bound, port)
    if tensor.is_constant and not tensor.is_variable:
        return cuts.constants.get(key) or extent_of(tensor)
    return cuts.ranges.get(key, (0.0, 0.0))


def _reach(interval: Interval) -> float:
    return max(-interval[0], interval[1])


def _clamp_tensor(
    cuts: ClampedInfinities,
    bound: BoundFloatOperator,
    port: TensorUse,
    extent: Interval,
    end: float,
    reach: float,
) -> Interval:
    tensor = bound.tensor(port)
    new = _limit_range(cuts.constants if tensor.is_constant else cuts.ranges, bound, port, extent, end)
    what = "constant" if tensor.is_constant else "tensor"
    cuts.notes.append(
        f"{what} '{tensor.name}' ({extent[0]:g}..{extent[1]:g}) stands for infinity and is clamped to"
        f" {new[0]:g}..{new[1]:g}: everything beside it lies within {reach:g}"
    )
    return new


def _narrow_outputs(
    cuts: ClampedInfinities, bound: BoundFloatOperator, operands: list[Interval], cut: set[Key]
) -> None:
    """Narrow the ranges of the outputs to the reach of the inputs."""
    join = sum if _is_sum(bound) else max
    end = float(join(_reach(interval) for interval in operands))
    for port in bound.ports_on("output"):
        key = _key(bound, port)
        if key in cuts.ranges:
            low, high = cuts.ranges[key]
            cuts.ranges[key] = max(low, -end), min(high, end)
            cut.add(key)
