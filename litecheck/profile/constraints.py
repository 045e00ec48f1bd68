"""The values of the rule language: read from YAML, and compared for narrowness."""

from __future__ import annotations

import re
from fractions import Fraction

from litecheck.errors import ProfileError
from litecheck.profile.types import (
    Constraint,
    Exactly,
    MultipleOf,
    OneOf,
    PowerOf,
    ProductOf,
    Range,
    Roles,
    SameAs,
)
from litecheck.profile.yaml_reader import Entries, Items, Node, Text, text

_WORD = re.compile(r"[A-Za-z_][\w-]*$")
_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?(/\d+)?$")
#: The words each verb knows; any where it is not listed.
_WORDS: dict[str, tuple[str, ...]] = {
    "granularity": ("per-tensor", "per-axis", "blockwise", "multi-axis", "none", "any"),
    "scale": ("positive", "normal"),
    "zero_point": (),
    "axis": (),
    "range": (),
}
#: What each verb can judge, and how to say so: anything else would be demanded and never met, or never looked at.
_TAKES: dict[str, tuple[tuple[type, ...], str]] = {
    "dtype": ((Exactly, OneOf, SameAs), "a type, a list of types or same_as"),
    "granularity": ((Exactly, OneOf, SameAs), "words or same_as"),
    "axis": ((Exactly,), "one number"),
    "zero_point": ((Exactly, Range, OneOf), "a number, a range or a list of them"),
    "range": ((Exactly, Range), "one range"),
    "limits": (
        (Exactly, Range, OneOf, MultipleOf),
        "a number, a word, a range, a list of them or multiple_of",
    ),
}


def parse(node: Node, verb: str, roles: tuple[str, ...]) -> Constraint:
    """The constraint a node states for a verb; ``roles`` are the operands it may speak of."""
    value = _value(node, verb, roles)
    types, wanted = _TAKES.get(verb, ((object,), ""))
    if not isinstance(value, types):
        raise ProfileError(node.file, node.line, f"{verb} takes {wanted}")
    return value


def _value(node: Node, verb: str, roles: tuple[str, ...]) -> Constraint:
    if isinstance(node, Items):
        parts = tuple(_atom(n, verb) for n in node)
        if not parts:
            raise ProfileError(node.file, node.line, "an empty list allows nothing")
        return OneOf(parts)
    if isinstance(node, Text):
        return _atom(node, verb)
    return _mapping(node, verb, roles)


def _atom(node: Node, verb: str) -> Exactly | Range:
    word = text(node)
    if ".." in word:
        low, _, high = word.partition("..")
        span = Range(number(low, node), number(high, node))
        if span.low > span.high:
            raise ProfileError(node.file, node.line, f"the range {word} is empty")
        return span
    if _NUMBER.match(word):
        return Exactly(number(word, node))
    if verb == "limits" and not _WORD.match(word):
        forms = "a number, a range 1..3, a list [1, 3], a word or {multiple_of: 16}"
        raise ProfileError(node.file, node.line, f"a limit is {forms}, not {word!r}")
    known = _WORDS.get(verb)
    if known is not None and word not in known:
        words = f" or one of {', '.join(known)}" if known else ""
        raise ProfileError(node.file, node.line, f"{verb} is a number{words}, not {word!r}")
    return Exactly(word)


def number(word: str, node: Node) -> Fraction:
    """An exact number: integer, decimal or ratio."""
    if not _NUMBER.match(word.strip()):
        raise ProfileError(node.file, node.line, f"{word!r} is not a number such as 3, 0.5 or 1/256")
    try:
        return Fraction(word.strip())
    except (ValueError, ZeroDivisionError):
        raise ProfileError(node.file, node.line, f"{word!r} is not a number") from None


def _mapping(node: Entries, verb: str, roles: tuple[str, ...]) -> Constraint:
    def optional(key: str) -> Fraction:
        value = node.get(key)
        return number(text(value), node) if value is not None else Fraction(0)

    if "because" in node or "see" in node:
        message = "a value with a reason of its own is {value: ..., because: ...}"
        raise ProfileError(node.file, node.line, message)
    if "product_of" in node:
        node.only(("product_of", "ulps", "tolerated"))
        factors = node.get("product_of")
        if not isinstance(factors, Items):
            raise ProfileError(node.file, node.line, "product_of takes a list of roles and numbers")
        named = tuple(_factor(f, roles) for f in factors)
        return ProductOf(named, int(optional("ulps")), optional("tolerated"))
    if "same_as" in node:
        role = text(node.only(("same_as",)).get("same_as"))
        return SameAs(_role(role, node, roles))
    if "multiple_of" in node:
        return MultipleOf(number(text(node.only(("multiple_of",)).get("multiple_of")), node))
    if "power_of" in node:
        return PowerOf(int(number(text(node.only(("power_of",)).get("power_of")), node)))
    node.only(("equals", "tolerated"))
    if "equals" not in node:
        raise ProfileError(
            node.file, node.line, "expected equals, product_of, same_as, multiple_of or power_of"
        )
    return Exactly(number(text(node.get("equals")), node), optional("tolerated"))


def _factor(node: Node, roles: tuple[str, ...]) -> str | Fraction:
    word = text(node)
    return number(word, node) if _NUMBER.match(word) else _role(word, node, roles)


def _role(word: str, node: Node, roles: tuple[str, ...]) -> str:
    if word not in roles:
        raise ProfileError(
            node.file, node.line, f"{word!r} is not an operand here; there are {', '.join(roles)}"
        )
    return word


def narrower(child: Constraint, parent: Constraint) -> bool:
    """Whether everything ``child`` allows ``parent`` allows too, as far as the language can tell."""
    if child == parent or parent in (Exactly("any"), OneOf((Exactly("any"),))):
        return True
    if isinstance(parent, Roles):
        return isinstance(child, Roles) and set(parent.roles) <= set(child.roles)
    if isinstance(parent, ProductOf):
        if not isinstance(child, ProductOf) or child.factors != parent.factors:
            return False
        return child.ulps <= parent.ulps and child.tolerated <= parent.tolerated
    if isinstance(child, OneOf):
        return all(narrower(value, parent) for value in child.values)
    if isinstance(parent, OneOf):
        return any(narrower(child, value) for value in parent.values)
    return _within(child, parent)


def _within(child: Constraint, parent: Constraint) -> bool:
    if isinstance(parent, Range):
        if isinstance(child, Range):
            return parent.low <= child.low and child.high <= parent.high
        return (
            isinstance(child, Exactly)
            and isinstance(child.value, Fraction)
            and parent.low <= child.value <= parent.high
        )
    if isinstance(parent, MultipleOf):
        n = child.n if isinstance(child, MultipleOf) else child.value if isinstance(child, Exactly) else None
        return isinstance(n, Fraction) and (n / parent.n).denominator == 1
    if isinstance(parent, Exactly) and parent.value in ("positive", "normal"):
        if isinstance(child, Exactly) and isinstance(child.value, str):
            return child.value == "normal"
        return isinstance(child, (Exactly, ProductOf, PowerOf, Range, MultipleOf, SameAs))
    if isinstance(parent, Exactly) and isinstance(child, Exactly):
        return child.value == parent.value and child.tolerated <= parent.tolerated
    return False
