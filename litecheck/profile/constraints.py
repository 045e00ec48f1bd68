"""Constraints of the rule language: read from YAML, and compared for narrowness."""

from __future__ import annotations

import re
from fractions import Fraction

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
from litecheck.profile.value_domains import RELEASED, ValueDomain, domain_of
from litecheck.profile.yaml_reader import MappingNode, Node, ScalarNode, SequenceNode, text

_NUMBER = re.compile(r"[+-]?\d+(\.\d+)?(/\d+)?$")
#: Largest number of characters of a number, so that its magnitude fits a float64.
_DIGITS_MAX = 100


def parse(node: Node, verb: str, roles: tuple[str, ...], measured: str = "") -> Constraint:
    """Return the constraint that a node states for a check; for ``limits``, for a measurement. It can name
    ``roles``."""
    takes = domain_of(verb, measured)
    if verb == "limits" and isinstance(node, ScalarNode) and node.value == RELEASED:
        return Exactly(RELEASED)
    value = _value(node, takes, roles)
    if not isinstance(value, takes.types):
        raise takes.refusal(node)
    return value


def _value(node: Node, takes: ValueDomain, roles: tuple[str, ...]) -> Constraint:
    if isinstance(node, SequenceNode):
        parts = tuple(_atom(n, takes) for n in node)
        if not parts:
            raise node.error("an empty list allows nothing")
        return OneOf(parts)
    if isinstance(node, ScalarNode):
        return _atom(node, takes)
    value = _parse_mapping(node, takes, roles)
    takes.judge(value, node)
    return value


def _atom(node: Node, takes: ValueDomain) -> Exactly | Range:
    if not isinstance(node, ScalarNode):
        message = f"{takes.name}: a list holds single values and ranges; a mapping or a list stands alone"
        raise node.error(message)
    word, value = node.value, parse_constraint(node)
    if isinstance(value, Range) and value.low > value.high:
        raise node.error(f"the range {word} is empty")
    if isinstance(value, Range) and Range not in takes.types:
        raise takes.refusal(node, repr(word))
    takes.judge(value, node)
    return value


def parse_constraint(node: Node) -> Exactly | Range:
    """Return a range, a number or a word as it is written. Example: ``1..4`` is a range. Raise ProfileError."""
    word = text(node)
    low, dots, high = word.partition("..")
    if dots:
        return Range(number(low, node), number(high, node))
    return Exactly(number(word, node) if _NUMBER.match(word) else word)


def number(word: str, node: Node) -> Fraction:
    """Return an exact number: integer, decimal or ratio. For example, ``0.1`` is 1/10."""
    if not _NUMBER.match(word.strip()):
        raise node.error(f"{word!r} is not a number such as 3, 0.5 or 1/256")
    if len(word) > _DIGITS_MAX:
        message = f"a number is too long: got {len(word):,} characters, expected at most {_DIGITS_MAX}"
        raise node.error(message)
    try:
        return Fraction(word.strip())
    except (ValueError, ZeroDivisionError):
        raise node.error(f"{word!r} is not a number") from None


def _parse_mapping(node: MappingNode, takes: ValueDomain, roles: tuple[str, ...]) -> Constraint:
    def optional(key: str, whole: bool = False) -> Fraction:
        return _bounded_number(node, key, 0, whole) if key in node else Fraction(0)

    if "because" in node or "see" in node:
        raise node.error("a value with a reason of its own is {value: ..., because: ...}")
    if "product_of" in node:
        node.only(("product_of", "ulps", "tolerated"))
        factors = node.get("product_of")
        if not isinstance(factors, SequenceNode):
            raise node.error("product_of takes a list of roles and numbers")
        named = tuple(_factor(f, roles) for f in factors)
        return ProductOf(named, int(optional("ulps", whole=True)), optional("tolerated"))
    if "same_as" in node:
        role = text(node.only(("same_as",)).get("same_as"))
        return SameAs(_role(role, node, roles))
    if "multiple_of" in node:
        return MultipleOf(_bounded_number(node.only(("multiple_of",)), "multiple_of", 0, above=True))
    if "power_of" in node:
        return PowerOf(int(_bounded_number(node.only(("power_of",)), "power_of", 2, whole=True)))
    node.only(("equals", "tolerated"))
    if "tolerated" in node and takes.name != "scale":
        raise node.wrong("tolerated", "only a scale can be tolerated to be off")
    if "equals" not in node:
        raise node.error("expected equals, product_of, same_as, multiple_of or power_of")
    return Exactly(number(node.text("equals"), node), optional("tolerated"))


def _bounded_number(
    node: MappingNode, key: str, least: int, whole: bool = False, above: bool = False
) -> Fraction:
    """Return the number under a key. Raise ProfileError if it is below ``least``, or with ``whole`` not an integer."""
    value = number(node.text(key), node)
    if value < least or (above and value == least) or (whole and value.denominator != 1):
        wanted = f"{'a whole number' if whole else 'a number'} {'above' if above else 'of at least'} {least}"
        raise node.wrong(key, f"{key} takes {wanted}, not {node.text(key)!r}")
    return value


def _factor(node: Node, roles: tuple[str, ...]) -> str | Fraction:
    word = text(node)
    return number(word, node) if _NUMBER.match(word) else _role(word, node, roles)


def _role(word: str, node: Node, roles: tuple[str, ...]) -> str:
    if word not in roles:
        raise node.error(f"{word!r} is not an operand here; there are {', '.join(roles)}")
    return word


def narrower(child: Constraint, parent: Constraint) -> bool:
    """Return True if ``parent`` allows everything that ``child`` allows, as far as the rule language can decide."""
    if child == parent or parent in (Exactly("any"), OneOf((Exactly("any"),))):
        return True
    if isinstance(parent, Roles):
        return isinstance(child, Roles) and set(parent.roles) <= set(child.roles)
    if isinstance(parent, ProductOf):
        if not isinstance(child, ProductOf) or child.factors != parent.factors:
            return False
        return child.ulps <= parent.ulps and child.tolerance <= parent.tolerance
    if isinstance(child, OneOf):
        return all(narrower(value, parent) for value in child.values)
    if isinstance(parent, OneOf):
        return any(narrower(child, value) for value in parent.values)
    return _is_within(child, parent)


def _is_within(child: Constraint, parent: Constraint) -> bool:
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
        return child.value == parent.value and child.tolerance <= parent.tolerance
    return False
