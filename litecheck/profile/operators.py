"""What is true of an operator and is no demand, from ``rules/operators.yaml``, each entry read when asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType

from litecheck.data import rules_dir
from litecheck.errors import ProfileError
from litecheck.model.types import Operator
from litecheck.profile.yaml_reader import Entries, Items, Node, entries, read_yaml, text, texts
from litecheck.spelling import did_you_mean

FILE = "rules/operators.yaml"
#: What an operand is where it is computed with, kept, or handed on.
OPERANDS = ("data", "positive", "non-negative", "weight", "bias", "state", "passed")
#: What an operand says that steers: where and how much, not what.
STEERING = (
    "axis", "order", "shape", "place", "count", "margin", "step", "bound", "truth", "branch", "handle",
)  # fmt: skip
_WORDS = {
    "elementwise": ("unary", "binary"),
    "windows": ("true",),
    "result": ("rescaled", "rounded", "moved"),
    "fuses": ("activation",),
    "memory": ("resource",),
    "cuts": ("ranges", "axis"),
    "joins": ("axis", "stack", "margins"),
    "reshapes": ("true",),
}
_OVER = ("window", "plane", "stamps", "row", "axes")
_KEYS = ("inputs", "outputs", "version", *_WORDS, "accumulates", "ties", "element", "probes", "unset")
#: The version of operators on 8-bit tensors, unless another is stated.
_VERSION = 2


@dataclass(frozen=True, slots=True)
class Accumulation:
    """What is added up for one element of the result: ``over`` what, products of which two operands (else elements of
    the first), ``channels`` the axis of the second along which the result's channels lie, ``mean`` a division behind."""

    over: str
    products: tuple[str, ...] = ()
    channels: int = 0
    mean: bool = False


@dataclass(frozen=True, slots=True)
class OperatorFacts:
    """An operator's plain truths; the words are those that ``rules/operators.yaml`` explains, empty where they do not
    hold. ``inputs`` has what each operand is by its role, in file order."""

    inputs: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    outputs: tuple[str, ...] = ()
    version: int = _VERSION
    elementwise: str = ""
    accumulates: Accumulation | None = None
    windows: bool = False
    result: str = ""
    fuses: str = ""
    memory: str = ""
    cuts: str = ""
    joins: str = ""
    reshapes: bool = False
    ties: tuple[Mapping[str, int], ...] = ()
    element: str = ""
    probes: tuple[str, ...] = ()
    unset: tuple[str, ...] = ()

    @property
    def products(self) -> tuple[str, ...]:
        """The two operands whose products are added up, if any are."""
        return self.accumulates.products if self.accumulates else ()

    @property
    def over(self) -> str:
        """What is added up over, if anything is."""
        return self.accumulates.over if self.accumulates else ""

    def role(self, place: int) -> str:
        """The role of an operand by its place; the last one may repeat."""
        return tuple(self.inputs)[min(place, len(self.inputs) - 1)] if self.inputs else ""

    def tensors(self, operator: Operator) -> dict[str, int]:
        """The tensors of an operator by role; absent ones, and those that repeat a role, are left out."""
        sides = ((self.inputs, operator.inputs), (self.outputs, operator.outputs))
        pairs = (pair for roles, side in sides for pair in zip(roles, side, strict=False))
        return {role: index for role, index in pairs if index >= 0}

    def steers(self, role: str) -> bool:
        """Whether an operand decides more than values: it cannot be made up. An operand nobody knows does not."""
        kind = self.inputs.get(role, "data")
        return kind in STEERING or kind == "passed"


_UNKNOWN = OperatorFacts()


def operator_names() -> tuple[str, ...]:
    """Every operator the file lists, in its order; custom ones as ``CUSTOM name``."""
    return tuple(_listed().values)


@cache
def facts_of(kind: str) -> OperatorFacts:
    """The facts of an operator by its kind; none where it is not listed. Raises ProfileError with the line at fault."""
    node = _listed().get(kind)
    return _UNKNOWN if node is None else _facts(entries(node, FILE))


@cache
def _listed() -> Entries:
    top = read_yaml(rules_dir() / "operators.yaml", FILE, trusted=True).only(("ops",))
    return entries(top.get("ops"), FILE)


def _facts(node: Entries) -> OperatorFacts:
    node.only(_KEYS)
    inputs = entries(node.get("inputs"), FILE).values
    words = {key: _word(node.get(key), allowed) for key, allowed in _WORDS.items()}
    return OperatorFacts(
        MappingProxyType({role: _word(kind, OPERANDS + STEERING) for role, kind in inputs.items()}),
        texts(node.get("outputs")),
        _number(node.get("version"), _VERSION),
        words["elementwise"],
        _accumulation(node.get("accumulates")),
        bool(words["windows"]),
        words["result"],
        words["fuses"],
        words["memory"],
        words["cuts"],
        words["joins"],
        bool(words["reshapes"]),
        tuple(
            MappingProxyType({role: _number(axis, 0) for role, axis in entries(tie, FILE).values.items()})
            for tie in _items(node.get("ties"))
        ),
        text(node.get("element")),
        texts(node.get("probes")),
        texts(node.get("unset")),
    )


def _accumulation(node: Node | None) -> Accumulation | None:
    if node is None:
        return None
    one = entries(node, FILE).only(("over", "products", "channels", "mean"))
    mean = bool(_word(one.get("mean"), ("true",)))
    return Accumulation(
        _word(one.get("over"), _OVER), texts(one.get("products")), _number(one.get("channels"), 0), mean
    )


def _items(node: Node | None) -> tuple[Node, ...]:
    if node is not None and not isinstance(node, Items):
        raise ProfileError(FILE, node.line, "expected a list here")
    return tuple(node) if node is not None else ()


def _word(node: Node | None, allowed: tuple[str, ...]) -> str:
    word = text(node)
    if node is not None and word not in allowed:
        hint = did_you_mean(word, allowed) or f"; there are {', '.join(allowed)}"
        raise ProfileError(FILE, node.line, f"{word!r} is not known here{hint}")
    return word


def _number(node: Node | None, default: int) -> int:
    if node is None:
        return default
    try:
        return int(text(node))
    except ValueError:
        raise ProfileError(FILE, node.line, f"{text(node)!r} is no whole number") from None
