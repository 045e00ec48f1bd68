"""Unrolled loops: corresponding operators of all steps, and one range for their tensors, so that few samples suffice.

An unrolled GRU computes with the same weights in each step. A range from 12 samples of one step is exceeded by other
samples; the range of 12 samples of 24 steps is not.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from litecheck.conversion.binding import operands_at
from litecheck.conversion.groups import Interval, Key
from litecheck.model.types import Model, Operator, Subgraph
from litecheck.profile.operators import traits_of

#: Largest ratio of the range of all steps to that of a step before the step keeps its own.
WIDER = 2.0


@dataclass(slots=True)
class _Classes:
    """Tensors of a subgraph in classes of equal meaning."""

    leader: dict[int, int] = field(default_factory=dict)

    def find(self, tensor: int) -> int:
        while (above := self.leader.get(tensor, tensor)) != tensor:
            tensor = above
        return tensor

    def join_all(self, operators: Sequence[Operator], side: str) -> bool:
        """Join the tensors of operators at each place of a side. Return True if any classes were different."""
        before = len(self.leader)
        for operator in operators[1:]:
            for one, other in zip(operands_at(operators[0], side), operands_at(operator, side), strict=False):
                first, second = self.find(one), self.find(other)
                if min(one, other) >= 0 and first != second:
                    self.leader[second] = first
        return len(self.leader) > before


def widen_loop_ranges(model: Model, ranges: Mapping[Key, Interval]) -> Mapping[Key, Interval]:
    """Return the ranges, with the range of all steps for tensors of unrolled loops.

    Operators with the same constant weights belong to steps of a loop. Their inputs correspond, and so do their outputs and
    the outputs of equal operators on corresponding tensors. A range that would more than double stays.
    """
    found = dict(ranges)
    for subgraph in model.subgraphs:
        classes = _match_steps(subgraph)
        members: dict[int, list[Key]] = {}
        for tensor in {*classes.leader, *classes.leader.values()}:
            members.setdefault(classes.find(tensor), []).append((subgraph.index, tensor))
        for keys in members.values():
            known = [ranges[key] for key in keys if key in ranges]
            for key in keys:
                if key in ranges:
                    found[key] = _range_of_steps(ranges[key], known)
    return found


def loop_steps(subgraph: Subgraph) -> Mapping[int, tuple[int, ...]]:
    """Return the operators of later steps of unrolled loops by the corresponding operator of the first step.

    Example: 24 steps of a GRU with one multiplication each give {9: (25, 41, ...)} for it.
    """
    classes = _match_steps(subgraph)
    groups = _group_operators(classes, subgraph) if classes.leader else {}
    return {ops[0].index: tuple(op.index for op in ops[1:]) for ops in groups.values() if len(ops) > 1}


def _range_of_steps(own: Interval, steps: list[Interval]) -> Interval:
    low, high = min(0.0, *(s[0] for s in steps)), max(0.0, *(s[1] for s in steps))
    width = max(own[1], 0.0) - min(own[0], 0.0)
    return (min(s[0] for s in steps), max(s[1] for s in steps)) if high - low <= WIDER * width else own


def _match_steps(subgraph: Subgraph) -> _Classes:
    """Return the classes of tensors that correspond in the steps of a loop."""
    classes = _Classes()
    weighted: dict[Hashable, list[Operator]] = {}
    for operator in subgraph.operators:
        weights = tuple(_weights(subgraph, operator))
        if weights:
            weighted.setdefault((operator.kind, weights), []).append(operator)
    changed = sum(classes.join_all(ops, "input") for ops in weighted.values()) > 0
    while changed:
        groups = _group_operators(classes, subgraph).values()
        changed = sum(classes.join_all(ops, "output") for ops in groups) > 0
    return classes


def _group_operators(classes: _Classes, subgraph: Subgraph) -> Mapping[Hashable, list[Operator]]:
    """Return equal operators on tensors that correspond."""
    found: dict[Hashable, list[Operator]] = {}
    for operator in subgraph.operators:
        options = str(operator.options.fields) if operator.options else ""
        meaning = operator.kind, options, tuple(map(classes.find, operator.inputs))
        found.setdefault(meaning, []).append(operator)
    return found


def _weights(subgraph: Subgraph, operator: Operator) -> Iterator[int]:
    traits = traits_of(operator.kind)
    for place, index in enumerate(operator.inputs):
        is_weight = traits.inputs.get(traits.role(place)) == "weight"
        if is_weight and index >= 0 and subgraph.tensors[index].is_constant:
            yield index
