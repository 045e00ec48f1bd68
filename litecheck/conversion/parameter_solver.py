"""Solution of rules and ranges: join groups, choose scales, derive constants and biases."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from litecheck.conversion.binding import BoundFloatOperator, TensorUse, operands_at
from litecheck.conversion.conversion_plan import QuantParams
from litecheck.conversion.edges import Edge, call_edges, edges, entry_edges, exchange_ports, variables
from litecheck.conversion.exact_sums import exact_scales
from litecheck.conversion.groups import (
    Interval,
    Key,
    Partition,
    ScaleGroup,
    extent_of,
    join_groups,
    parameters,
)
from litecheck.conversion.quant_spec import QuantSpec
from litecheck.conversion.recurrent_intermediates import Inside, range_of, same_as_state, to_be_made
from litecheck.conversion.request import REAL
from litecheck.model.types import Model, Tensor
from litecheck.profile.operators import traits_of
from litecheck.quantization import INTEGER_RANGES

#: Largest ratio of a shared range to a tensor's own range before a separate QUANTIZE is better.
WIDER = 4.0


@dataclass(frozen=True, slots=True, eq=False)
class ScaleQuestion:
    """The input of the solver.

    It has the operators with their rules, the range of every computed tensor, the types of the model's inputs and
    outputs (``float32``, or a type), and the factors by which groups are widened to meet limits.
    """

    model: Model
    operators: tuple[BoundFloatOperator, ...]
    ranges: Mapping[Key, Interval]
    activation: str = "int8"
    inputs: str = REAL
    outputs: str = REAL
    scale_factors: Mapping[TensorUse, float] = field(default_factory=dict)
    constants: Mapping[Key, Interval] = field(default_factory=dict)
    """Ranges to which constants that represent infinity are clamped."""
    inner: Mapping[Inside, Interval] = field(default_factory=dict)
    """The ranges of values inside recurrent operators."""
    ties: tuple[tuple[str, str], ...] = ()
    """Names of inputs and outputs that are one state."""


@dataclass(frozen=True, slots=True, eq=False)
class Solution:
    """The form at each port of quantized values, without weights and biases, which are derived; and the groups."""

    forms: Mapping[TensorUse, QuantParams]
    partition: Partition


def solve(question: ScaleQuestion) -> Solution:
    """Return the forms of all activations. Raises ConfigError, naming the rules in conflict, if there are none."""
    partition = Partition()
    for group in _single_groups(question):
        partition.add(group)
    _join_by_rule(question, partition)
    _join_by_calls(question, partition)
    for subgraph in question.model.subgraphs:
        for wire in edges(subgraph):
            _join_by_tensor(question, partition, wire)
    factors = {g.ports: max(question.scale_factors.get(port, 1.0) for port in g.ports) for g in partition}
    scales = {group.ports: parameters(group, factors[group.ports])[0] for group in partition}
    exact = exact_scales(question.operators, partition, scales)
    forms: dict[TensorUse, QuantParams] = {}
    for group in partition:
        if group.bound:
            rise = exact.get(group.ports, 0.0) / scales[group.ports]
            forms.update(dict.fromkeys(group.ports, _form(group, factors[group.ports], rise)))
    return Solution(forms, partition)


def is_derived(bound: BoundFloatOperator, port: TensorUse, role: str) -> bool:
    """Return True if a tensor's form is derived from other forms: a bias, or constant weights."""
    storage = bound.storage[role]
    if storage.product is not None:
        return True
    if to_be_made(bound, port):
        return False
    kind = traits_of(bound.operator.kind).inputs.get(role)
    return bound.tensor(port).is_constant and (
        kind in ("weight", "bias") or storage.per_axis or storage.derived
    )


def _single_groups(question: ScaleQuestion) -> Iterator[ScaleGroup]:
    """Yield every port as its own group."""
    for bound in question.operators:
        for role, storage in bound.storage.items():
            for port in bound.ports[role]:
                if to_be_made(bound, port):
                    known = range_of(port, role, question.inner)
                    ranges = {(port.subgraph, -1 - port.operator): known} if known else {}
                    yield ScaleGroup(frozenset((port,)), storage, ranges)
                elif not is_derived(bound, port, role):
                    yield _make_group(question, port, bound.tensor(port), replace(storage, per_axis=False))
    if question.activation != REAL:
        plain, from_outside = _plain_storage(question.activation), entry_edges(question.model)
        for port, tensor in _forwarding_ports(question):
            is_outer_port = port.operator < 0 and port.subgraph in from_outside
            yield _make_group(question, port, tensor, plain, bound=is_outer_port)


def _plain_storage(dtype: str) -> QuantSpec:
    low, high = INTEGER_RANGES[dtype]
    return QuantSpec(dtype, low=low, high=high, zero_points=(0, 0) if dtype == "int16" else (low, high))


def _make_group(
    question: ScaleQuestion, port: TensorUse, tensor: Tensor, storage: QuantSpec, bound: bool = True
) -> ScaleGroup:
    key = port.subgraph, tensor.index
    ports = frozenset((port,))
    if tensor.is_constant and not tensor.is_variable:
        extent = question.constants.get(key) or extent_of(tensor)
        return ScaleGroup(ports, storage, constants={key: extent}, bound=bound)
    return ScaleGroup(
        ports, storage, tensors={key: question.ranges[key]} if key in question.ranges else {}, bound=bound
    )


def _forwarding_ports(question: ScaleQuestion) -> Iterator[tuple[TensorUse, Tensor]]:
    """Yield the ports that only pass values on: inputs and outputs of calls and of subgraphs."""
    model, from_outside = question.model, entry_edges(question.model)
    seen: dict[TensorUse, None] = {}
    for bound in question.operators:
        for pair in call_edges(model, bound):
            seen.update(dict.fromkeys(pair))
    for subgraph in model.subgraphs:
        if subgraph.index in from_outside:
            ends = (
                ("output", subgraph.inputs, question.inputs),
                ("input", subgraph.outputs, question.outputs),
            )
            for side, indexes, dtype in ends:
                if dtype != REAL:
                    seen.update((TensorUse(subgraph.index, -1, side, n), None) for n in range(len(indexes)))
    for port in seen:
        tensor = model.subgraphs[port.subgraph].tensors[tensor_at(model, port)[1]]
        if tensor.dtype == REAL:
            yield port, tensor


def tensor_at(model: Model, port: TensorUse) -> Key:
    """Return the tensor at a port, with index -1 if it does not exist yet."""
    subgraph = model.subgraphs[port.subgraph]
    if port.operator < 0:
        ends = subgraph.inputs if port.side == "output" else subgraph.outputs
    else:
        ends = operands_at(subgraph.operators[port.operator], port.side)
    return port.subgraph, ends[port.place] if port.place < len(ends) else -1


def _join_by_rule(question: ScaleQuestion, partition: Partition) -> None:
    for bound in question.operators:
        for requirement, ports in bound.groups():
            known_ports = [port for port in ports if port in partition]
            for port in known_ports[1:]:
                partition.join(known_ports[0], port, requirement.path)
        for pair in same_as_state(bound):
            if pair[0] in partition and pair[1] in partition:
                partition.join(*pair, f"{bound.operator.opcode}: one state")
        for role, storage in bound.storage.items():
            if storage.scale_of:
                _join_scales(bound, role, storage.scale_of, partition)


def _join_scales(bound: BoundFloatOperator, role: str, leader: str, partition: Partition) -> None:
    """Join two tensors that must have the same scale because the kernel negates stored integers. Both get zero point 0,
    so that zero points are equal as well."""
    pair = bound.ports[role][0], bound.ports[leader][0]
    for port in pair:
        group = partition[port]
        storage = replace(group.storage, zero_points=(0, 0), negated=True)
        partition.replace(group, replace(group, storage=storage))
    partition.join(*pair, f"{bound.operator.opcode}/{role}/scale")


def _join_by_calls(question: ScaleQuestion, partition: Partition) -> None:
    for bound in question.operators:
        for mine, theirs in call_edges(question.model, bound):
            if mine in partition and theirs in partition:
                partition.join(mine, theirs, f"{bound.operator.opcode} hands stored integers on")
    for name, ports in variables(question.model).items():
        known_ports = [port for port in ports if port in partition]
        for port in known_ports[1:]:
            partition.join(known_ports[0], port, f"variable {'/'.join(name)}")
    for shared, ports in exchange_ports(question.model, question.ties).items():
        known_ports = [port for port in ports if port in partition]
        for port in known_ports[1:]:
            partition.join(known_ports[0], port, f"signatures exchange '{shared}'")


def _join_by_tensor(question: ScaleQuestion, partition: Partition, wire: Edge) -> None:
    """Use a single quantization for a tensor at all its ports, unless that costs more than a QUANTIZE."""
    tensor = question.model.subgraphs[wire.subgraph].tensors[wire.tensor]
    if tensor.is_constant and not tensor.is_variable:
        return
    places = [p for p in (wire.writer, *wire.readers) if p is not None and p in partition]
    for port in places[1:]:
        one, other = partition[places[0]], partition[port]
        if one is not other and _is_worth_joining(one, other, (wire.subgraph, wire.tensor), len(places) > 2):
            partition.join(places[0], port, f"tensor '{tensor.name}'")


def _is_worth_joining(one: ScaleGroup, other: ScaleGroup, key: Key, shared: bool) -> bool:
    """Return True if a single group is better than a QUANTIZE between two groups that share a tensor.

    A QUANTIZE before a negation computes no -128, whose negative wraps around to -128.
    """
    merged = join_groups(one, other)
    if merged is None or (other.storage.negated and not one.storage.negated):
        return False
    finer = one if _width(one) <= _width(other) else other
    if _width(merged) <= WIDER * _width(finer):
        return True
    return not (shared and finer is one) and finer.tensors.keys() <= {key} and not finer.constants


def _width(group: ScaleGroup) -> float:
    storage = group.storage
    if storage.scale is not None:
        return float(storage.scale) * (storage.high - storage.low)
    low, high = group.hull
    return high - low


def _form(group: ScaleGroup, factor: float, rise: float) -> QuantParams:
    """Return the form of a group whose range is widened by a factor, and by a rise above 1 that makes a sum exact."""
    scale, zero_point = parameters(group, factor * max(rise, 1.0))
    low, high = group.hull
    widened = f"its range was widened {factor:g} times to keep a limit" if factor > 1 else ""
    if rise > 1:
        widened = f"its range was widened by {100 * (rise - 1):.2g} % so that a sum with a constant is exact"
    return QuantParams(
        group.storage.dtype,
        np.array([scale], np.float32),
        np.array([zero_point], np.int64),
        low=low,
        high=high,
        rules=_deciding_rules(group.storage),
        because=widened,
    )


def _deciding_rules(storage: QuantSpec) -> tuple[str, ...]:
    return tuple(
        f"{r.path} ({r.demand.file}:{r.demand.line})" for r in storage.requirements if r.verb in _DECIDING
    )


_DECIDING = ("scale", "zero_point", "granularity")
