"""Same-quantization groups: ports that share a scale and zero point, by rule or because sharing costs nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from litecheck.conversion import formulas
from litecheck.conversion.binding import TensorUse
from litecheck.conversion.quant_spec import QuantSpec
from litecheck.errors import ConfigError
from litecheck.model.stored_values import stored_integers
from litecheck.model.types import Tensor
from litecheck.profile.types import Requirement
from litecheck.quantization import INTEGER_RANGES

#: (subgraph, tensor): the key of a tensor of a model.
Key = tuple[int, int]
#: Smallest and largest real value.
Interval = tuple[float, float]


@dataclass(frozen=True, slots=True)
class ScaleGroup:
    """Ports with the same quantization.

    ``tensors`` are their computed tensors with ranges, ``constants`` their constants with ranges. ``storage`` combines
    the requirements of all members. ``bound`` is False if no member has an operator's rule, because all members only
    pass values on.
    """

    ports: frozenset[TensorUse]
    storage: QuantSpec
    tensors: Mapping[Key, Interval] = field(default_factory=dict)
    constants: Mapping[Key, Interval] = field(default_factory=dict)
    bound: bool = True

    @property
    def hull(self) -> Interval:
        """Range of all members together, including 0."""
        return _hull([*self.tensors.values(), *self.constants.values()])


def _hull(ranges: Iterable[Interval]) -> Interval:
    ends = list(ranges)
    return min((0.0, *(low for low, _ in ends))), max((0.0, *(high for _, high in ends)))


def extent_of(tensor: Tensor) -> Interval:
    """Return the smallest and largest value of a constant. Infinities count as the largest finite float32."""
    values = stored_integers(tensor)
    if values is None or not values.size:
        return 0.0, 0.0
    most = float(np.finfo(np.float32).max)
    return max(float(values.min()), -most), min(float(values.max()), most)


#: Scale of tensors that were always 0. Any scale would be exact, but kernels abort at tiny scales: with TensorFlow's
#: 7.84e-9 a fused bound of 6 exceeds int32, and a later SOFTMAX has no valid multiplier.
DEAD = 2.0**-7


class Partition:
    """The groups of ports, which are joined in sequence."""

    def __init__(self) -> None:
        self._groups: dict[TensorUse, ScaleGroup] = {}

    def add(self, group: ScaleGroup) -> None:
        """Add a group."""
        self._groups.update(dict.fromkeys(group.ports, group))

    def __contains__(self, port: TensorUse) -> bool:
        return port in self._groups

    def __getitem__(self, port: TensorUse) -> ScaleGroup:
        return self._groups[port]

    def __iter__(self) -> Iterator[ScaleGroup]:
        return iter(self._distinct_groups())

    def _distinct_groups(self) -> list[ScaleGroup]:
        return list({id(group): group for group in self._groups.values()}.values())

    def join(self, a: TensorUse, b: TensorUse, why: str) -> None:
        """Join the groups of two ports. Raises ConfigError, with the rules of both, if no parameters fit both."""
        one, other = self[a], self[b]
        if one is other:
            return
        merged = join_groups(one, other)
        if merged is None:
            raise ConfigError(
                f"no scale and zero point keep these rules together: {_conflict(one, other)} ({why})"
            )
        self.add(merged)

    def replace(self, old: ScaleGroup, new: ScaleGroup) -> None:
        """Replace a group by another group of the same ports."""
        self._groups.update(dict.fromkeys(old.ports, new))


def _conflict(one: ScaleGroup, other: ScaleGroup) -> str:
    """Return the two conflicting rules, or the rule that excludes values and the range of these values."""
    apart = _conflicting_verb(one.storage, other.storage)
    if apart:
        pair = (_find_requirement(group, apart) for group in (one, other))
        return " and ".join(
            f"{r.path} ({r.demand})" if r else "the input or output of a subgraph" for r in pair
        )
    fixed = one if one.storage.scale is not None else other
    low, high = (other if fixed is one else one).hull
    rule = _find_requirement(fixed, "scale")
    wanted = f"{rule.path} ({rule.demand})" if rule else "a fixed scale"
    return f"{wanted}, and values of {low:g}..{high:g}"


def _find_requirement(group: ScaleGroup, verb: str) -> Requirement | None:
    return next((r for r in group.storage.requirements if r.verb == verb), None)


def _conflicting_verb(one: QuantSpec, other: QuantSpec) -> str:
    """Return the verb in which two storages conflict, or ""."""
    if one.dtype != other.dtype:
        return "dtype"
    if one.power != other.power or (None not in (one.scale, other.scale) and one.scale != other.scale):
        return "scale"
    low, high = zip(one.zero_points, other.zero_points, strict=True)
    return "zero_point" if max(low) > min(high) else ""


def join_groups(one: ScaleGroup, other: ScaleGroup) -> ScaleGroup | None:
    """Return the union of two groups, or None if their requirements conflict."""
    storage = _combine_storage(one.storage, other.storage)
    if storage is None:
        return None
    group = ScaleGroup(
        one.ports | other.ports,
        storage,
        {**one.tensors, **other.tensors},
        {**one.constants, **other.constants},
        one.bound or other.bound,
    )
    if storage.scale is not None and not _is_inside(
        group.hull, interval(storage, storage.scale, storage.zero_points[0])
    ):
        return None
    return group


def _combine_storage(one: QuantSpec, other: QuantSpec) -> QuantSpec | None:
    if _conflicting_verb(one, other):
        return None
    low, high = zip(one.zero_points, other.zero_points, strict=True)
    scale = one.scale if one.scale is not None else other.scale
    requirements = dict.fromkeys((*one.requirements, *other.requirements))
    return replace(
        one,
        zero_points=(max(low), min(high)),
        scale=scale,
        requirements=tuple(requirements),
        negated=one.negated or other.negated,
    )


def interval(storage: QuantSpec, scale: float, zero_point: int) -> Interval:
    """Return the range of real values of a storage with a scale and zero point."""
    return scale * (storage.low - zero_point), scale * (storage.high - zero_point)


def _is_inside(inner: Interval, outer: Interval) -> bool:
    """Return True if a range fits, up to a step at its ends. For example, 1.0 fits the 255/256 of a fixed scale of 1/256."""
    slack = (outer[1] - outer[0]) / 250
    return inner[0] >= outer[0] - slack and inner[1] <= outer[1] + slack


def parameters(group: ScaleGroup, factor: float = 1.0) -> tuple[float, int]:
    """Return the scale and zero point of a group. ``factor`` widens its range if a limit needs a larger scale."""
    storage, (low, high) = group.storage, group.hull
    low, high = low * factor, high * factor
    least, most = storage.zero_points
    if storage.scale is not None:
        return storage.scale, least
    if low == high:
        return DEAD * factor, min(max(0, least), most)
    if storage.power:
        return float(formulas.cell_scale(max(-low, high))), 0
    bottom, top = INTEGER_RANGES[storage.dtype]
    if least == most:
        return _smallest_scale(low, high, least, (-top if least == 0 else bottom, top)), least
    scale, zero_point = formulas.activation(low, high, storage.dtype)
    return float(scale), zero_point


def _smallest_scale(low: float, high: float, zero_point: int, ends: tuple[int, int]) -> float:
    """Return the smallest scale that covers a range for a given zero point.

    For example, -1..2.54 with zero point 0 in int8 gives 2.54 / 127 = 0.02.
    """
    above = high / (ends[1] - zero_point) if ends[1] > zero_point else 0.0
    below = low / (ends[0] - zero_point) if ends[0] < zero_point else 0.0
    scale = np.float32(max(above, below))
    return float(scale) if scale >= np.finfo(np.float32).tiny else 1.0
