"""Dispatch table: the backends that run an operator, and the conditions on the operator, from
rules/arithmetic/dispatch.yaml."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, partial

import numpy as np

from litecheck.data import rules_dir
from litecheck.errors import ProfileError
from litecheck.model.types import Operator, Subgraph, Tensor
from litecheck.profile.yaml_reader import MappingNode, Node, SequenceNode, entries, read_yaml, text, texts
from litecheck.reference.dispatch_conditions import MEASUREMENTS, PlacedOperator, in_table
from litecheck.spelling import did_you_mean

#: Names of the backends that run an operator, and ``in table`` if XNNPACK computes the operator as part of a table.
BackendSet = frozenset[str]
XNNPACK, OPTIMIZED, IN_TABLE = "xnnpack", "optimized", "in table"
#: Roles of an operator that is a function of a single value, by its number of operands.
_ROLES = {1: ("input",), 2: ("lhs", "rhs")}
ALL_BACKENDS: BackendSet = frozenset({XNNPACK, OPTIMIZED})
_FILE = "rules/arithmetic/dispatch.yaml"


@dataclass(frozen=True, slots=True)
class Condition:
    """Condition: a check, its subject (a role, a ratio, a measurement, an option), and the allowed values."""

    verb: str
    subject: str
    allowed: tuple[str, ...]

    def holds(self, placed: PlacedOperator) -> bool:
        """Return True if an operator satisfies the condition."""
        return VERBS[self.verb](placed, self.subject, self.allowed)


#: Alternative lists of conditions. At least one list must hold in full.
Alternatives = tuple[tuple[Condition, ...], ...]


def _any_holds(alternatives: Alternatives, placed: PlacedOperator) -> bool:
    return any(all(condition.holds(placed) for condition in conditions) for conditions in alternatives)


@dataclass(frozen=True, slots=True)
class Backend:
    """Backend that runs operators: alternatives by operator, and a default for operators without an entry."""

    unlisted: bool
    operators: Mapping[str, Alternatives]
    functions: Mapping[str, tuple[str, ...]]
    """Operators that are functions of one value and can be merged into one table, by ``quantized`` or float type."""

    def accepts(self, placed: PlacedOperator) -> bool:
        """Return True if the backend runs the operator: all conditions of one alternative hold."""
        known = self.operators.get(placed.operator.opcode)
        return self.unlisted if known is None else _any_holds(known, placed)


@dataclass(frozen=True, slots=True)
class Dispatch:
    """Dispatch table: backends that run operators, and the conditions by which an arithmetic may choose variants."""

    backends: Mapping[str, Backend]
    conditions: Mapping[str, Alternatives]


def holding_conditions(
    subgraph: Subgraph,
    operator: Operator,
    inputs: tuple[str, ...],
    outputs: tuple[str, ...],
    conditions: Collection[str],
) -> frozenset[str]:
    """Return the conditions among ``conditions`` that hold for an operator. Roles are in the order of its tensors."""
    table = load_dispatch()
    placed = PlacedOperator.of(subgraph, operator, inputs, outputs) if conditions else None
    return frozenset(name for name in conditions if placed and _any_holds(table.conditions[name], placed))


def backends_of(
    subgraph: Subgraph, operator: Operator, inputs: tuple[str, ...], outputs: tuple[str, ...]
) -> BackendSet:
    """Return the backends that run an operator. ``inputs`` and ``outputs`` are its roles in the order of its tensors."""
    table = load_dispatch()
    placed = PlacedOperator.of(subgraph, operator, inputs, outputs)
    accepting = frozenset(name for name, backend in table.backends.items() if backend.accepts(placed))
    doubled = len(operator.inputs) == 2 and operator.inputs[0] == operator.inputs[1]
    if XNNPACK in accepting and doubled:
        steps = (partial(_is_function, subgraph), partial(_splits_activation, subgraph))
        return accepting | {IN_TABLE} if in_table(subgraph, operator, *steps) else accepting
    return accepting


def _splits_activation(subgraph: Subgraph, operator: Operator) -> bool:
    """Return True if XNNPACK treats an activation fused into an operator as a separate operator."""
    return len(operator.inputs) == 2 and _is_function(subgraph, operator)


def _is_function(subgraph: Subgraph, operator: Operator) -> bool:
    """Return True if XNNPACK runs an operator as a function of a single value."""
    backend = load_dispatch().backends[XNNPACK]
    kinds = {subgraph.tensors[i].dtype for i in (*operator.inputs, *operator.outputs) if i >= 0}
    if kinds == {"float32"}:
        return operator.opcode in backend.functions["float32"]
    if operator.opcode not in backend.functions["quantized"] or len(operator.inputs) not in _ROLES:
        return False
    return backend.accepts(PlacedOperator.of(subgraph, operator, _ROLES[len(operator.inputs)], ("output",)))


def _has_one_scale(placed: PlacedOperator, role: str, _: tuple[str, ...]) -> bool:
    stated = placed.tensors[role].quantization
    return stated.scale.size == 1 and stated.axis == 0


def _has_scales_along(placed: PlacedOperator, role: str, allowed: tuple[str, ...]) -> bool:
    tensor = placed.tensors[role]
    several = tensor.quantization.scale.size > 1 and tensor.dtype != "uint8"
    return (
        _within(tensor.quantization.axis, allowed)
        if several
        else tensor.dtype != "uint8" or _has_one_scale(placed, role, ())
    )


def _has_values(tensor: Tensor) -> bool:
    return tensor.is_constant and tensor.size > 0


def _rank(placed: PlacedOperator, role: str, allowed: tuple[str, ...]) -> bool:
    shape = placed.tensors[role].shape
    return _within(len(shape), allowed) and all(n > 0 for n in shape)


def _ratio(placed: PlacedOperator, roles: str, allowed: tuple[str, ...]) -> bool:
    over, under = roles.split("/")
    first, *others = (placed.scale(role.strip()) for role in over.split("*"))
    for scale in others:
        first = np.float32(first * scale)
    with np.errstate(all="ignore"):
        return _within(float(np.float32(first / placed.scale(under.strip()))), allowed)


Verb = Callable[[PlacedOperator, str, tuple[str, ...]], bool]
#: Checks of a role. They hold if the role is absent.
ROLES: dict[str, Verb] = {
    "types": lambda placed, role, allowed: placed.tensors[role].dtype in allowed,
    "same_type": lambda placed, role, others: (
        {placed.tensors[role].dtype} >= {placed.tensors[other].dtype for other in others}
    ),
    "one_scale": _has_one_scale,
    "scales_of": _has_scales_along,
    "has_scale": lambda placed, role, _: placed.tensors[role].quantization.scale.size > 0,
    "zero_point": lambda placed, role, allowed: all(
        _within(zero, allowed) for zero in set(placed.tensors[role].quantization.zero_point.tolist())
    ),
    "constant": lambda placed, role, _: _has_values(placed.tensors[role]),
    "static": lambda placed, role, _: _has_values(placed.tensors[role]) or role in placed.unpacked,
    "rank": _rank,
}


def _declined_by(placed: PlacedOperator, backend: str, _: tuple[str, ...]) -> bool:
    return not load_dispatch().backends[backend].accepts(placed)


def _check_role(verb: str, placed: PlacedOperator, role: str, allowed: tuple[str, ...]) -> bool:
    return role not in placed.tensors or ROLES[verb](placed, role, allowed)


VERBS: dict[str, Verb] = {
    **{name: partial(_check_role, name) for name in ROLES},
    "ratio": _ratio,
    "limits": lambda placed, name, allowed: _within(MEASUREMENTS[name](placed), allowed),
    "options": lambda placed, name, allowed: str(placed.options.get(name)) in allowed,
    "declined_by": _declined_by,
    "version": lambda placed, _, allowed: _within(placed.operator.version, allowed),
}


def _within(value: float, ranges: tuple[str, ...]) -> bool:
    """Return True if a number is in a list of numbers and ranges: ``0``, ``1/256..128``, ``9..``, ``1..<256``.

    For example, 64 is in ``1/256..128``, and 256 is not in ``1..<256``.
    """
    return any(low <= value <= high and (closed or value < high) for low, high, closed in map(_range, ranges))


@cache
def _range(words: str) -> tuple[float, float, bool]:
    low, dots, high = words.partition("..")
    closed = not high.startswith("<")
    first = float(Fraction(low))
    return first, (first if not dots else float(Fraction(high.lstrip("<"))) if high else math.inf), closed


@cache
def load_dispatch() -> Dispatch:
    """Load the dispatch table. Raises ProfileError with file and line."""
    top = read_yaml(rules_dir() / "arithmetic" / "dispatch.yaml", _FILE).only(("backends", "conditions"))
    found = {}
    for name, node in entries(top.get("backends"), _FILE).values.items():
        stated = entries(node, _FILE).only(("unlisted", "functions", "see", "operators"))
        functions = {
            kind: texts(names) for kind, names in entries(stated.get("functions"), _FILE).values.items()
        }
        operators = _alternatives(stated.get("operators"))
        found[name] = Backend(text(stated.get("unlisted")) == "taken", operators, functions)
    return Dispatch(found, _alternatives(top.get("conditions")))


def _alternatives(node: Node | None) -> dict[str, Alternatives]:
    return {
        name: tuple(tuple(_conditions(entries(one, _FILE))) for one in alternatives)
        for name, alternatives in entries(node, _FILE).values.items()
        if isinstance(alternatives, SequenceNode)
    }


def _conditions(alternative: MappingNode) -> Iterator[Condition]:
    for verb, node in alternative.only(VERBS).values.items():
        if isinstance(node, MappingNode):
            for subject, allowed in node.values.items():
                _check_measurement(verb, subject, node, subject)
                yield Condition(verb, subject, _words(allowed))
        elif verb == "version":
            yield Condition(verb, "", _words(node))
        else:
            yield from (Condition(verb, role, ()) for role in texts(node))


def _check_measurement(verb: str, subject: str, node: MappingNode, key: str) -> None:
    if verb == "limits" and subject not in MEASUREMENTS:
        hint = did_you_mean(subject, MEASUREMENTS)
        raise ProfileError(node.file, node.lines[key], f"unknown measurement {subject!r}{hint}")


def _words(node: Node) -> tuple[str, ...]:
    return tuple(word.strip() for one in texts(node) for word in one.split(","))
