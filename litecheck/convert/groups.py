"""Same-quantization groups: places that share one scale and zero point, by rule or because it costs nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from litecheck.convert import formulas
from litecheck.convert.binding import Port
from litecheck.convert.storage import Storage
from litecheck.errors import ConfigError
from litecheck.model.types import Tensor
from litecheck.model.values import stored_integers
from litecheck.profile.types import Requirement
from litecheck.quantization import INTEGER_RANGES

#: (subgraph, tensor): how a tensor of a model is named here.
Key = tuple[int, int]
#: The smallest and the largest real value.
Interval = tuple[float, float]


@dataclass(frozen=True, slots=True)
class ScaleGroup:
    """Places of one quantization. ``tensors`` are the computed ones among them, with their ranges; ``constants`` those
    whose values are known. ``storage`` is what all members demand together; ``bound`` says whether an operator's rule
    is among them, which is not so where all members only hand values on."""

    ports: frozenset[Port]
    storage: Storage
    tensors: Mapping[Key, Interval] = field(default_factory=dict)
    constants: Mapping[Key, Interval] = field(default_factory=dict)
    bound: bool = True

    @property
    def hull(self) -> Interval:
        """The range of all members together, 0 included."""
        return _hull([*self.tensors.values(), *self.constants.values()])


def _hull(ranges: Iterable[Interval]) -> Interval:
    ends = list(ranges)
    return min((0.0, *(low for low, _ in ends))), max((0.0, *(high for _, high in ends)))


def extent_of(tensor: Tensor) -> Interval:
    """The smallest and largest value of a constant; infinities count as the largest finite one."""
    values = stored_integers(tensor)
    if values is None or not values.size:
        return 0.0, 0.0
    most = float(np.finfo(np.float32).max)
    return max(float(values.min()), -most), min(float(values.max()), most)


#: The scale of tensors that were 0 throughout. Any would do, but kernels end the process at tiny ones: TensorFlow's
#: 7.84e-9 makes a fused bound of 6 wider than int32, and a SOFTMAX behind it without a multiplier.
DEAD = 2.0**-7


class Partition:
    """The groups there are, as places are joined one by one."""

    def __init__(self) -> None:
        self._groups: dict[Port, ScaleGroup] = {}

    def add(self, group: ScaleGroup) -> None:
        """A group of its own."""
        self._groups.update(dict.fromkeys(group.ports, group))

    def __contains__(self, port: Port) -> bool:
        return port in self._groups

    def __getitem__(self, port: Port) -> ScaleGroup:
        return self._groups[port]

    def __iter__(self) -> Iterator[ScaleGroup]:
        return iter(self._distinct())

    def _distinct(self) -> list[ScaleGroup]:
        return list({id(group): group for group in self._groups.values()}.values())

    def join(self, a: Port, b: Port, why: str) -> None:
        """Put two groups together. Raises ConfigError, with the rules of both, where no parameters would do."""
        one, other = self[a], self[b]
        if one is other:
            return
        merged = joined(one, other)
        if merged is None:
            raise ConfigError(
                f"no scale and zero point keep these rules together: {_conflict(one, other)} ({why})"
            )
        self.add(merged)

    def replace(self, old: ScaleGroup, new: ScaleGroup) -> None:
        """Another group of the same places."""
        self._groups.update(dict.fromkeys(old.ports, new))


def _conflict(one: ScaleGroup, other: ScaleGroup) -> str:
    """The rules that exclude each other: the fewest there are, one of either side, or one and the values beyond it."""
    apart = _apart(one.storage, other.storage)
    if apart:
        pair = (_demanding(group, apart) for group in (one, other))
        return " and ".join(f"{r.path} ({r.demand})" if r else "what a subgraph hands on" for r in pair)
    fixed = one if one.storage.scale is not None else other
    low, high = (other if fixed is one else one).hull
    rule = _demanding(fixed, "scale")
    wanted = f"{rule.path} ({rule.demand})" if rule else "a fixed scale"
    return f"{wanted}, and values of {low:g}..{high:g}"


def _demanding(group: ScaleGroup, verb: str) -> Requirement | None:
    return next((r for r in group.storage.requirements if r.verb == verb), None)


def _apart(one: Storage, other: Storage) -> str:
    """The verb in which two storages exclude each other; nothing where they do not."""
    if one.dtype != other.dtype:
        return "dtype"
    if one.power != other.power or (None not in (one.scale, other.scale) and one.scale != other.scale):
        return "scale"
    low, high = zip(one.zero_points, other.zero_points, strict=True)
    return "zero_point" if max(low) > min(high) else ""


def joined(one: ScaleGroup, other: ScaleGroup) -> ScaleGroup | None:
    """Two groups as one; None where what they demand excludes each other."""
    storage = _both(one.storage, other.storage)
    if storage is None:
        return None
    group = ScaleGroup(
        one.ports | other.ports,
        storage,
        {**one.tensors, **other.tensors},
        {**one.constants, **other.constants},
        one.bound or other.bound,
    )
    if storage.scale is not None and not _inside(
        group.hull, interval(storage, storage.scale, storage.zero_points[0])
    ):
        return None
    return group


def _both(one: Storage, other: Storage) -> Storage | None:
    if _apart(one, other):
        return None
    low, high = zip(one.zero_points, other.zero_points, strict=True)
    scale = one.scale if one.scale is not None else other.scale
    requirements = dict.fromkeys((*one.requirements, *other.requirements))
    return replace(one, zero_points=(max(low), min(high)), scale=scale, requirements=tuple(requirements))


def interval(storage: Storage, scale: float, zero_point: int) -> Interval:
    """The real values that an operand so stored can hold."""
    return scale * (storage.low - zero_point), scale * (storage.high - zero_point)


def _inside(inner: Interval, outer: Interval) -> bool:
    """Whether a range fits, but for a step at its ends: 1.0 in the 255/256 that a fixed scale of 1/256 reaches."""
    slack = (outer[1] - outer[0]) / 250
    return inner[0] >= outer[0] - slack and inner[1] <= outer[1] + slack


def parameters(group: ScaleGroup, factor: float = 1.0) -> tuple[float, int]:
    """The scale and zero point of a group, its range widened by a factor where a limit wants a larger scale."""
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
        return _around(low, high, least, (-top if least == 0 else bottom, top)), least
    scale, zero_point = formulas.activation(low, high, storage.dtype)
    return float(scale), zero_point


def _around(low: float, high: float, zero_point: int, ends: tuple[int, int]) -> float:
    """The smallest scale that holds a range around a given zero point."""
    above = high / (ends[1] - zero_point) if ends[1] > zero_point else 0.0
    below = low / (ends[0] - zero_point) if ends[0] < zero_point else 0.0
    scale = np.float32(max(above, below))
    return float(scale) if scale >= np.finfo(np.float32).tiny else 1.0
