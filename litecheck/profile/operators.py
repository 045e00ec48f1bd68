"""Facts about operators that are not requirements, from ``rules/operators.yaml``; an entry is read on first access."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType

from litecheck.data import rules_dir
from litecheck.errors import ProfileError
from litecheck.model.types import Operator
from litecheck.profile.yaml_reader import MappingNode, Node, SequenceNode, entries, read_yaml, text
from litecheck.spelling import suggestion

FILE = "rules/operators.yaml"
#: Kinds of inputs with values that are computed, kept, or passed on.
OPERANDS = ("data", "positive", "non-negative", "weight", "bias", "state", "forwarded")
#: Kinds of inputs that are positions, sizes or conditions.
STEERING = (
    "axis", "order", "shape", "index", "size", "margin", "step", "bound", "predicate", "branch", "handle",
)  # fmt: skip
_WORDS = {
    "elementwise": ("unary", "binary"),
    "windows": ("true",),
    "result": ("rescaled", "rounded", "moved"),
    "fuses": ("activation",),
    "memory": ("resource",),
    "slices": ("ranges", "axis"),
    "concatenates": ("axis", "stack", "margins"),
    "any_order": ("elements", "rows"),
    "view": ("true",),
    "shape_only": ("true",),
    "probability": ("true",),
}
_BOOL = "bool"
_OVER = ("window", "plane", "stamps", "row", "axes")
_KEYS = (
    "inputs",
    "outputs",
    "version",
    *_WORDS,
    "accumulates",
    "equal_dims",
    "element",
    "probes",
    "unset",
    "bounds",
    "unpacked",
    "writes",
)
#: Default version: that of operators on 8-bit tensors.
_VERSION = 2


@dataclass(frozen=True, slots=True)
class Accumulation:
    """Sum in an element of an output.

    ``over`` is the summed dimension, ``products`` the two inputs that are multiplied (else elements of the first input
    are summed). ``channels`` is the axis of the second input with the output's channels, ``mean`` a division after the
    sum.
    """

    over: str
    products: tuple[str, ...] = ()
    channels: int = 0
    mean: bool = False


@dataclass(frozen=True, slots=True)
class OperatorTraits:
    """Facts about an operator. ``rules/operators.yaml`` explains the words; empty words do not apply.

    ``inputs`` has the meaning of each input by its role, in file order.
    """

    inputs: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    outputs: tuple[str, ...] = ()
    version: int = _VERSION
    elementwise: str = ""
    accumulates: Accumulation | None = None
    windows: bool = False
    result: str = ""
    fuses: str = ""
    memory: str = ""
    slices: str = ""
    concatenates: str = ""
    view: bool = False
    equal_dims: tuple[Mapping[str, int], ...] = ()
    element: str = ""
    probes: tuple[str, ...] = ()
    unset: tuple[str, ...] = ()
    bounds: tuple[float, float] = (-math.inf, math.inf)
    shape_only: bool = False
    unpacked: tuple[str, ...] = ()
    writes: str = ""
    any_order: str = ""
    probability: bool = False

    @property
    def products(self) -> tuple[str, ...]:
        """Two inputs whose products are summed, empty if there are none."""
        return self.accumulates.products if self.accumulates else ()

    @property
    def over(self) -> str:
        """Dimension of the sum, "" if the operator has none."""
        return self.accumulates.over if self.accumulates else ""

    def role(self, place: int) -> str:
        """Return the role of an input by its position; the last role may repeat."""
        return tuple(self.inputs)[min(place, len(self.inputs) - 1)] if self.inputs else ""

    def tensors(self, operator: Operator) -> dict[str, int]:
        """Return the tensors of an operator by role, without absent tensors and without tensors that repeat a role."""
        sides = ((self.inputs, operator.inputs), (self.outputs, operator.outputs))
        pairs = (pair for roles, side in sides for pair in zip(roles, side, strict=False))
        return {role: index for role, index in pairs if index >= 0}

    def written_type(self, operator: Operator) -> int | str:
        """Return the tensor whose type the kernel writes to its outputs, or the type; "" if it keeps the file's type.

        For example, EQUAL gives ``bool``, and SPLIT the index of its second input.
        """
        if self.writes not in self.inputs:
            return self.writes
        place = tuple(self.inputs).index(self.writes)
        return operator.inputs[place] if place < len(operator.inputs) and operator.inputs[place] >= 0 else ""

    def valid_reordering(self, role: str) -> str:
        """Return ``elements`` or ``rows`` if an input stays valid with these in another order; else "".

        A predicate stays valid with its elements in another order.
        """
        kind = self.inputs.get(role)
        return "elements" if kind == "predicate" else self.any_order if kind == "index" else ""

    def steers(self, role: str) -> bool:
        """Return True if an input decides more than values and cannot be invented; False for an unknown input."""
        kind = self.inputs.get(role, "data")
        return kind in STEERING or kind == "forwarded"

    def reads_when_run(self, role: str) -> bool:
        """Return True if the kernel reads the values of an input before it knows its output shape; a predicate only has a
        shape."""
        return self.steers(role) and self.inputs.get(role) != "predicate"


_UNKNOWN = OperatorTraits()


def operator_names() -> tuple[str, ...]:
    """Return every operator in the file, in its order; custom operators as ``CUSTOM name``."""
    return tuple(_read_entries().values)


@cache
def traits_of(kind: str) -> OperatorTraits:
    """Return the facts of an operator by its kind; empty if it is not listed. Raise ProfileError with the invalid
    line."""
    node = _read_entries().get(kind)
    return _UNKNOWN if node is None else _facts(entries(node, FILE))


@cache
def _read_entries() -> MappingNode:
    top = read_yaml(rules_dir() / "operators.yaml", FILE, trusted=True).only(("ops",))
    return top.entries("ops")


def _facts(node: MappingNode) -> OperatorTraits:
    node.only(_KEYS)
    inputs = node.entries("inputs").values
    words = {key: _word(node.get(key), allowed) for key, allowed in _WORDS.items()}
    return OperatorTraits(
        MappingProxyType({role: _word(kind, OPERANDS + STEERING) for role, kind in inputs.items()}),
        node.texts("outputs"),
        _number(node.get("version"), _VERSION),
        words["elementwise"],
        _accumulation(node.get("accumulates")),
        bool(words["windows"]),
        words["result"],
        words["fuses"],
        words["memory"],
        words["slices"],
        words["concatenates"],
        bool(words["view"]),
        tuple(
            MappingProxyType({role: _number(axis, 0) for role, axis in entries(tie, FILE).values.items()})
            for tie in _items(node.get("equal_dims"))
        ),
        node.text("element"),
        node.texts("probes"),
        node.texts("unset"),
        _bounds(node.get("bounds")),
        bool(words["shape_only"]),
        node.texts("unpacked"),
        _word(node.get("writes"), (*inputs, _BOOL)),
        words["any_order"],
        bool(words["probability"]),
    )


def _bounds(node: Node | None) -> tuple[float, float]:
    """Return the lowest and the highest output: infinite if the entry states none."""
    if node is None:
        return -math.inf, math.inf
    ends = entries(node, FILE).only(("low", "high"))
    low, high = ends.get("low"), ends.get("high")
    return (
        -math.inf if low is None else _number(low, 0),
        math.inf if high is None else _number(high, 0),
    )


def _accumulation(node: Node | None) -> Accumulation | None:
    if node is None:
        return None
    one = entries(node, FILE).only(("over", "products", "channels", "mean"))
    mean = bool(_word(one.get("mean"), ("true",)))
    return Accumulation(
        _word(one.get("over"), _OVER), one.texts("products"), _number(one.get("channels"), 0), mean
    )


def _items(node: Node | None) -> tuple[Node, ...]:
    if node is not None and not isinstance(node, SequenceNode):
        raise ProfileError(FILE, node.line, "expected a list here")
    return tuple(node) if node is not None else ()


def _word(node: Node | None, allowed: tuple[str, ...]) -> str:
    word = text(node)
    if node is not None and word not in allowed:
        hint = suggestion(word, allowed, "there are")
        raise ProfileError(FILE, node.line, f"{word!r} is not known here{hint}")
    return word


def _number(node: Node | None, default: int) -> int:
    if node is None:
        return default
    try:
        return int(text(node))
    except ValueError:
        raise ProfileError(FILE, node.line, f"{text(node)!r} is not a whole number") from None
