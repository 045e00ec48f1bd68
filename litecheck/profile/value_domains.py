"""Values that each check and each measurement accepts: a requirement with another value would be pointless or
impossible."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cache

from litecheck.errors import ProfileError
from litecheck.profile.measurements.registry import vocabulary
from litecheck.profile.measurements.vocabulary import NUMBERS, TYPES, Vocabulary, tensor_types
from litecheck.profile.types import (
    Constraint,
    Exactly,
    MultipleOf,
    OneOf,
    PowerOf,
    ProductOf,
    Range,
    SameAs,
)
from litecheck.profile.yaml_reader import Node, SequenceNode, text, texts
from litecheck.spelling import did_you_mean

#: Value that removes a limit.
RELEASED = "any"
_A_RANGE = "a range such as -128..127"


@dataclass(frozen=True, slots=True)
class ValueDomain:
    """Values that a check or measurement accepts; ``forms`` describes them in messages."""

    name: str
    forms: str
    types: tuple[type, ...]
    words: Vocabulary = NUMBERS
    numbers: bool = True
    whole: bool = False
    above: Fraction | None = None

    def refusal(self, node: Node, found: str = "", hint: str = "") -> ProfileError:
        """Return the error for a value that is not accepted."""
        return ProfileError(
            node.file,
            node.line,
            f"{self.name} takes {self.forms}" + (f", not {found}" if found else "") + hint,
        )

    def judge(self, part: Constraint, node: Node) -> None:
        """Raise ProfileError for a word or number that is not accepted, alone or in a list."""
        if isinstance(part, Exactly) and isinstance(part.value, str):
            if not self.words.has(part.value):
                raise self.refusal(node, repr(part.value), did_you_mean(part.value, self.words.list_words()))
            return
        ends = (part.low, part.high) if isinstance(part, Range) else (getattr(part, "value", None),)
        for end in ends:
            if isinstance(end, Fraction) and (not self.numbers or (self.whole and end.denominator != 1)):
                raise self.refusal(node, repr(str(part)))
        last = ends[-1]
        if self.above is not None and isinstance(last, Fraction) and last <= self.above:
            raise node.error(f"{self.name} {part}: it is above {self.above} always")


def _words(*words: str) -> Vocabulary:
    return Vocabulary("a word", lambda: words)


_GRANULARITIES = ("per-tensor", "per-axis", "blockwise", "multi-axis", "none", "any")
_VERBS = {
    takes.name: takes
    for takes in (
        ValueDomain(
            "dtype", "a type such as int8, a list of types or {same_as: role}", (Exactly, OneOf, SameAs), TYPES, False
        ),
        ValueDomain(
            "granularity",
            f"{', '.join(_GRANULARITIES)}, a list of these or {{same_as: role}}",
            (Exactly, OneOf, SameAs), _words(*_GRANULARITIES), False,
        ),
        ValueDomain("axis", "one whole number", (Exactly,), whole=True),
        ValueDomain("zero_point", f"a whole number, {_A_RANGE}, or a list of these", (Exactly, Range, OneOf), whole=True),
        ValueDomain("range", f"one whole number or {_A_RANGE}", (Exactly, Range), whole=True),
        ValueDomain(
            "scale",
            "a number such as 1/256, a range such as 1/512..1, positive, normal, a list of these, or a mapping with "
            "equals, product_of, same_as, multiple_of or power_of",
            (Exactly, Range, OneOf, MultipleOf, PowerOf, ProductOf, SameAs), _words("positive", "normal"), above=Fraction(0),
        ),
    )
}  # fmt: skip


def domain_of(verb: str, measured: str = "") -> ValueDomain:
    """Return the values that a check accepts; for ``limits``, those of the measurement with that name."""
    return _VERBS[verb] if verb != "limits" else _limit(measured)


@cache
def _limit(name: str) -> ValueDomain:
    gives = vocabulary(name)
    if gives.numeric:
        forms = "a number, a range such as 1..3, a list of these, or {multiple_of: 16}"
        return ValueDomain(name, forms, (Exactly, Range, OneOf, MultipleOf))
    words = gives.list_words()
    listed = f": {', '.join(words)}" if len(words) <= _FEW and gives.noun != " or ".join(words) else ""
    return ValueDomain(name, f"{gives.noun}{listed}, or a list of these", (Exactly, OneOf), gives, False)


#: Largest number of words that a message lists.
_FEW = 8


def known_types(node: Node, *more: str) -> tuple[str, ...]:
    """Return the types that a node lists. Raise ProfileError for a type that is neither in the schema nor in
    ``more``."""
    known = (*tensor_types(), *more)
    if isinstance(node, SequenceNode) and not node.values:
        raise node.error("an empty list names no type")
    for word in node if isinstance(node, SequenceNode) else (node,):
        if text(word) not in known:
            hint = did_you_mean(text(word), known) or "; types are such as int8, int16 and float32"
            raise word.error(f"no type {text(word)!r}{hint}")
    return texts(node)
