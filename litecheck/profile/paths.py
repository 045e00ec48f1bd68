"""Requirement paths: patterns that match several, statements by pattern, and kinds of faults below a path."""

from __future__ import annotations

from collections.abc import Container, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cache, lru_cache
from string import ascii_letters, digits
from types import MappingProxyType
from typing import Generic, TypeVar

from litecheck.flatbuffer.schema import load_schema

#: A word of only these characters has no wildcard.
_PLAIN = frozenset(ascii_letters + digits + "_.")


def path_matches(path: str, pattern: str) -> bool:
    """Return True if a pattern matches a requirement's path or a path above it.

    Parts are compared individually with shell wildcards (``*/weight/zero_point``, ``CONV_*``), a bar between
    alternatives (``ADD|SUB/lhs|rhs/scale``); a pattern with fewer parts matches everything below it. Case counts.

    For example, ``CONV_*/weight`` matches ``CONV_2D/weight/zero_point``.
    """
    return parts_match(path.split("/"), pattern_parts(pattern))


@cache
def pattern_parts(pattern: str) -> tuple[str, ...]:
    """Return the parts of a pattern: ``*/weight/`` has two. Profiles repeat patterns of the profiles that they include."""
    return tuple(pattern.strip("/").split("/"))


def parts_match(parts: Sequence[str], wanted: Sequence[str]) -> bool:
    """Return True if a path matches a pattern, both already split at their slashes.

    For example, CONV_2D alone does not match ``CONV_2D/weight``.
    """
    if len(wanted) > len(parts):
        return False
    for word, part in zip(wanted, parts, strict=False):  # noqa: SIM110 - a loop: of every rule and every pattern
        if word not in (part, "*") and not _fits(part, word):
            return False
    return True


@lru_cache(maxsize=1 << 16)
def _fits(part: str, word: str) -> bool:
    return any(
        alternative == part or (not _PLAIN.issuperset(alternative) and fnmatchcase(part, alternative))
        for alternative in word.split("|")
    )


Word = TypeVar("Word")
#: Parts that each position of a pattern matches, None for all parts.
_Words = tuple["Container[str] | None", ...]


@dataclass(frozen=True, slots=True)
class PatternValue(Generic[Word]):
    """Word that a profile states for every requirement that a pattern of paths matches."""

    pattern: str
    word: Word
    profile: str


class Patterns(Generic[Word]):
    """Statements of a profile and of the profiles that it builds on, by pattern.

    A profile's own statements follow those of the profiles that it extends; the last statement that matches applies.
    """

    def __init__(self, stated: tuple[PatternValue[Word], ...]) -> None:
        # Several included profiles can repeat a statement of a common profile; its last occurrence is sufficient.
        stated = tuple(reversed(dict.fromkeys(reversed(stated))))
        self.stated = stated
        patterns = [pattern_parts(one.pattern) for one in stated]
        self._words = [_words(one.pattern) for one in stated]
        self._known: dict[Hashable, Sequence[tuple[_Words, Word]]] = {}
        #: Patterns by their first part, or by the last of three parts if the first has wildcards.
        self._literal: dict[tuple[str, bool], list[int]] = {}
        self._wild: list[int] = []
        for at, parts in enumerate(patterns):
            last = len(parts) == 3 and not is_wild(parts[2])
            if is_wild(parts[0]) and not last:
                self._wild.append(at)
                continue
            behind = is_wild(parts[0])
            for name in parts[2 if behind else 0].split("|"):
                self._literal.setdefault((name, behind), []).append(at)

    def find(self, path: str, by: tuple[str, ...] | None = None) -> Word | None:
        """Return the word for a path, or None; with ``by`` only the statements of those profiles count."""
        parts = path.split("/")
        for words, word in self._possible(parts, by):
            for fits, part in zip(words, parts, strict=False):
                if fits is not None and part not in fits:
                    break
            else:
                return word
        return None

    def _possible(self, parts: Sequence[str], by: tuple[str, ...] | None) -> Sequence[tuple[_Words, Word]]:
        """Return the statements that can match a path, the last first, by the first and the third part."""
        first, third = parts[0], parts[2] if len(parts) > 2 else ""
        key = first, third, len(parts), by
        found = self._known.get(key)
        if found is None:
            places = (
                *self._wild,
                *self._literal.get((first, False), ()),
                *self._literal.get((third, True), ()),
            )
            chosen = ((self._words[at], self.stated[at]) for at in sorted(places, reverse=True))
            found = self._known[key] = [
                (words, one.word)
                for words, one in chosen
                if len(words) <= len(parts) and (by is None or one.profile in by)
            ]
        return found


def unlisted_hints(hints: Patterns[str], listed: Iterable[str]) -> Mapping[str, str]:
    """Return alternatives to the operators that ``OP/unsupported`` names and that are not listed."""
    known = load_schema().enums["BuiltinOperator"].keys() - set(listed)
    named = (one for one in hints.stated if one.pattern.endswith("/unsupported"))
    return {op: one.word for one in named for op in one.pattern.split("/")[0].split("|") if op in known}


class _Wildcard:
    """Parts of paths that fit a word with wildcards."""

    def __init__(self, word: str) -> None:
        self._word = word

    def __contains__(self, part: object) -> bool:
        return _fits(str(part), self._word)


@cache
def _words(pattern: str) -> _Words:
    return tuple(map(_word, pattern_parts(pattern)))


@cache
def _word(word: str) -> Container[str] | None:
    """Return the parts of paths that fit a word of a pattern; None if all do."""
    return None if word == "*" else _Wildcard(word) if is_wild(word) else frozenset(word.split("|"))


@cache
def is_wild(part: str) -> bool:
    """Return True if a part of a pattern has shell wildcards."""
    return not set("*?[").isdisjoint(part)


#: Names of the kinds of faults of each check.
FAULT_KINDS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "scale": (
            "not_a_number",
            "infinite",
            "negative",
            "zero",
            "subnormal",
            "zero_of_zeros",
            "subnormal_of_zeros",
        ),
        "granularity": ("absent", "blockwise"),
        "range": ("unsigned",),
        "axis": ("blockwise", "same_length"),
        "limits": (
            "above",
            "unknown",
            "unset",
            "replaced",
            "result_size",
            "condition_size",
            "absent",
            "elsewhere",
            "invalid",
            "rejected",
            "empty",
            "weights",
            "forget",
        ),
        "dtype": ("int32",),
        "zero_point": ("outside_type",),
        "operands": ("left_out",),
        "shapes": (
            "incompatible",
            "centers",
            "rank",
            "computed",
            "batch",
            "valid_padding",
            "ellipses",
            "filters",
            "index_values",
            "late_index",
            "bias_length",
            "empty_diagonal",
            "long_diagonal",
            "misplaced_diagonal",
            "part_count",
            "inferred_zero",
            "repeated_axis",
            "repeated_axis_delegated",
            "output_channels",
            "pointwise",
            "padded_rank",
            "surplus",
            "surplus_lost",
            "rows",
            "computed_rows",
            "unpacked",
            "int8_beyond",
            "float16_beyond",
            "float32_beyond",
        ),
    }
)

#: Conditions on the operator under which a fault has an impact of its own, by check; ``fault_conditions`` tests them.
FAULT_CONDITIONS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "scale": ("bias_scale_single", "bias_scale_valid", "weight_scale_single"),
        "granularity": ("bias_scale_single", "bias_scale_for_each_value", "fused_activation"),
        "shapes": ("delegated_slice",),
        "zero_point": ("bias_scale_single", "parameters_differ"),
        "same_quantization": ("input_differs",),
        "limits": (
            "scale_is_one",
            "output_gate_differs",
            "cell_input_differs",
            "delegated_slice",
            "surplus_operands",
            "bias_is_int32",
        ),
    }
)


def conditional_kinds(verb: str) -> tuple[str, ...]:
    """Return the names of a check's faults under a condition. Example: ``infinite/bias_scale_single`` of a scale."""
    conditions = FAULT_CONDITIONS.get(verb, ())
    own = (f"{kind}/{condition}" for kind in FAULT_KINDS.get(verb, ()) for condition in conditions)
    return (*own, *conditions)


def every_kind(verb: str) -> tuple[str, ...]:
    """Return the names of all kinds of faults of a check, with and without a condition."""
    return (*FAULT_KINDS.get(verb, ()), *conditional_kinds(verb))
