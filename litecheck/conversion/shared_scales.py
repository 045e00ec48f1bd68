"""Cost of sharing: the same-quantization groups of a plan, and the effective resolution of each member."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import log2

from litecheck.conversion.binding import BoundFloatOperator, TensorUse, bind
from litecheck.conversion.conversion_plan import ConversionPlan, QuantParams
from litecheck.conversion.edges import edges, entry_edges
from litecheck.conversion.groups import Interval, Key
from litecheck.conversion.plan_profiles import activation_of
from litecheck.model.graph import name_of
from litecheck.model.stored_values import stored_integers
from litecheck.model.types import Model, Tensor
from litecheck.profile.types import Profile, Requirement

#: Members with fewer effective bits have too little resolution: 6 bits are 64 of 256 values.
LOW_RESOLUTION = 6.0


@dataclass(frozen=True, slots=True)
class SharedScaleConstraint:
    """An operator that makes tensors share a quantization, and the requirement and line that states it.

    ``leaves`` is True if its output is an output of the model. ``results`` are the indexes of its output tensors.
    """

    subgraph: int
    operator: int
    opcode: str
    name: str
    path: str
    demand: str
    leaves: bool
    results: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SharedMember:
    """A tensor of a group: its own range, and its effective bits, log2 of the range in steps of the group's scale.

    ``bits`` is None if all values are equal. ``joints`` are the operators that read or write the tensor in the group.
    """

    subgraph: int
    tensor: int
    name: str
    low: float
    high: float
    bits: float | None
    joints: tuple[SharedScaleConstraint, ...]

    @property
    def low_resolution(self) -> bool:
        """True if the tensor has too few effective bits."""
        return self.bits is not None and self.bits < LOW_RESOLUTION


@dataclass(frozen=True, slots=True)
class SharedQuantization:
    """Tensors that share a scale and zero point by rule, those with the fewest effective bits first."""

    dtype: str
    scale: float
    zero_point: int
    members: tuple[SharedMember, ...]


def shared_quantizations(
    model: Model, plan: ConversionPlan, profile: Callable[[Key], Profile], ranges: Mapping[Key, Interval]
) -> tuple[SharedQuantization, ...]:
    """Return the groups of several tensors, the group with the worst member first. Members of unknown range are omitted.

    ``profile`` returns the profile that an operator, (subgraph, number), was bound to.
    """
    places, activation = _Places(model, plan), activation_of(plan)
    for subgraph in model.subgraphs:
        for operator in subgraph.operators:
            key = subgraph.index, operator.index
            bound = bind(model, subgraph, operator, profile(key), activation(key))
            for requirement, ports in bound.groups():
                places.join(bound, requirement, [port for port in ports if port in places.forms])
    found = [_shared_quantization(model, places, group, ranges) for group in places.groups()]
    several = [group for group in found if len(group.members) > 1]
    return tuple(sorted(several, key=lambda group: _bits(group.members[0])))


class _Places:
    """The ports of a plan's tensors, joined where rules join them."""

    def __init__(self, model: Model, plan: ConversionPlan) -> None:
        self.forms: dict[TensorUse, QuantParams] = {}
        self.tensors: dict[TensorUse, Key] = {}
        self.joints: dict[TensorUse, list[SharedScaleConstraint]] = {}
        self._leader: dict[TensorUse, TensorUse] = {}
        self._ends = _ends(model)
        writers = {(w.subgraph, w.tensor): w.writer for s in model.subgraphs for w in edges(s)}
        for one in plan.tensors:
            key = one.subgraph, one.tensor
            here = dict(one.read)
            writer = writers.get(key)
            if writer is not None:
                here[writer] = one.written
            self._add(key, here)

    def _add(self, key: Key, here: Mapping[TensorUse, QuantParams | None]) -> None:
        """Add the ports of a tensor. Ports with the same form are joined."""
        ports = [(port, form) for port, form in here.items() if form is not None and not form.dequantized]
        for port, form in ports:
            self.forms[port], self.tensors[port] = form, key
            first = next(p for p, other in ports if form.same(other))
            self._leader[port] = port if first == port else self._find_leader(first)

    def _find_leader(self, port: TensorUse) -> TensorUse:
        while self._leader[port] != port:
            port = self._leader[port]
        return port

    def join(self, bound: BoundFloatOperator, requirement: Requirement, ports: Sequence[TensorUse]) -> None:
        """Join the ports of a requirement that have the same quantization."""
        alike = [port for port in ports if self.forms[port].same(self.forms[ports[0]])]
        operator, subgraph = bound.operator, bound.subgraph
        leaves = any((subgraph.index, index) in self._ends for index in operator.outputs)
        name = name_of(subgraph, operator)
        path, demand = requirement.path, str(requirement.demand)
        joint = SharedScaleConstraint(
            subgraph.index, operator.index, operator.opcode, name, path, demand, leaves, operator.outputs
        )
        for port in alike if len(alike) > 1 else ():
            self._leader[self._find_leader(port)] = self._find_leader(alike[0])
            self.joints.setdefault(port, []).append(joint)

    def groups(self) -> list[list[TensorUse]]:
        """Return the ports of each group."""
        found: dict[TensorUse, list[TensorUse]] = {}
        for port in self._leader:
            found.setdefault(self._find_leader(port), []).append(port)
        return list(found.values())


def _ends(model: Model) -> frozenset[Key]:
    """Return the output tensors of the model."""
    return frozenset((n, index) for n in entry_edges(model) for index in model.subgraphs[n].outputs)


def _shared_quantization(
    model: Model, places: _Places, group: Sequence[TensorUse], ranges: Mapping[Key, Interval]
) -> SharedQuantization:
    form = places.forms[group[0]]
    ports: dict[Key, list[TensorUse]] = {}
    for port in group:
        ports.setdefault(places.tensors[port], []).append(port)
    members = sorted(_members(model, places, form, ports, ranges), key=_bits)
    return SharedQuantization(form.dtype, float(form.scale[0]), int(form.zero_point[0]), tuple(members))


def _members(
    model: Model,
    places: _Places,
    form: QuantParams,
    ports: Mapping[Key, Sequence[TensorUse]],
    ranges: Mapping[Key, Interval],
) -> Iterator[SharedMember]:
    for key, own in ports.items():
        tensor = model.subgraphs[key[0]].tensors[key[1]]
        joints = tuple(dict.fromkeys(joint for port in own for joint in places.joints.get(port, ())))
        extent = ranges.get(key) or _extent(tensor)
        if joints and extent is not None:
            bits = effective_bits(extent, form)
            yield SharedMember(*key, tensor.name, *extent, bits, joints)


def _extent(tensor: Tensor) -> Interval | None:
    """Return the range of a constant, or None for other tensors."""
    values = stored_integers(tensor) if tensor.is_constant and not tensor.is_variable else None
    return None if values is None or not values.size else (float(values.min()), float(values.max()))


def effective_bits(extent: Interval, form: QuantParams) -> float | None:
    """Return log2 of the steps of a range within the form's reach, at least 0. Return None for a single value."""
    least, most = form.reach
    low, high = max(extent[0], least), min(extent[1], most)
    if extent[0] == extent[1]:
        return None
    steps = (high - low) / float(form.scale[0])
    return log2(steps) if steps > 1 else 0.0


def _bits(member: SharedMember) -> float:
    return float("inf") if member.bits is None else member.bits
