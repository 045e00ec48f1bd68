"""Matching of two models by structure: float and quantized, two versions, before and after a converter."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import product, zip_longest
from typing import Any

from numpy.typing import NDArray

from litecheck.model.constant_likeness import closeness, fingerprint, largest_constant
from litecheck.model.graph import name_of
from litecheck.model.node_signatures import CONVERSIONS, ROUNDS, View, exact_key, kind_key, view_of
from litecheck.model.stored_values import same_bytes
from litecheck.model.tensor_matching import homes_of, reason_for
from litecheck.model.types import Model, Subgraph
from litecheck.public_call import shows_call

#: Minimum number of elements of constants that distinguish operators, and closeness below which two constants are
#: unrelated. Random values have a closeness of 0.29, doubled weights of 0.67.
_MIN_SAMPLE, _RELATED = 16, 0.4
#: Conditions for partners of transparent operators, strictest first: the same kind, the same origin, and whether readers
#: without a partner are allowed.
_TRANSPARENT_ROUNDS = ((True, True, False), (True, True, True), (True, False, False), (False, True, False))


@dataclass(frozen=True, slots=True)
class UnmatchedOperator:
    """Operator without a partner. ``side`` 0 is the first model, 1 the second. ``reason`` is display text."""

    side: int
    subgraph: int
    operator: int
    opcode: str
    name: str
    reason: str


@dataclass(frozen=True, slots=True, eq=False)
class SubgraphMatch:
    """Partners of two subgraphs.

    ``operators`` are pairs of operator numbers in the order of the second file. ``tensors`` maps tensors of the second
    subgraph to the tensors of the first with the same meaning, also through QUANTIZE and DEQUANTIZE. ``absorbed`` maps
    an operator of the first subgraph to the activations after it that its partner fuses.
    """

    first: Subgraph
    second: Subgraph
    operators: tuple[tuple[int, int], ...]
    tensors: Mapping[int, int]
    absorbed: Mapping[int, tuple[int, ...]]
    unmatched: tuple[UnmatchedOperator, ...]


@dataclass(frozen=True, slots=True, eq=False)
class ModelMatch:
    """Partners of two models, subgraph by subgraph."""

    first: Model
    second: Model
    subgraphs: tuple[SubgraphMatch, ...]

    @property
    def unmatched(self) -> tuple[UnmatchedOperator, ...]:
        """Operators without a partner."""
        return tuple(one for match in self.subgraphs for one in match.unmatched)


@shows_call("litecheck.match(first, second), both from load_model")
def match(first: Model, second: Model) -> ModelMatch:
    """Match the operators and tensors of two models by structure. Constants and names only decide between equal structures.

    Example: a float model and its int8 form, whose operators have another order and other names.
    """
    pairs = zip_longest(first.subgraphs, second.subgraphs)
    both = [(one, other) for one, other in pairs if one is not None and other is not None]
    return ModelMatch(first, second, tuple(match_subgraphs(one, other) for one, other in both))


def match_subgraphs(first: Subgraph, second: Subgraph) -> SubgraphMatch:
    """Match the operators and tensors of two subgraphs."""
    matcher = _Matcher(view_of(first), view_of(second))
    matcher.match()
    partners = tuple(sorted(matcher.partners.items(), key=lambda pair: pair[1]))
    tensors, absorbed = homes_of(first, second, partners)
    fused = {n for numbers in absorbed.values() for n in numbers}
    found = (set(matcher.partners), set(matcher.partners.values()))
    unmatched = tuple(
        UnmatchedOperator(
            side, subgraph.index, op.index, op.kind, name_of(subgraph, op),
            reason_for(subgraph, op, found[side], side == 0 and op.index in fused),
        )
        for side, subgraph in enumerate((first, second))
        for op in subgraph.operators
        if op.index not in found[side]
    )  # fmt: skip
    return SubgraphMatch(first, second, partners, tensors, absorbed, unmatched)


class _Matcher:
    """Operators of two views with the partners found so far, from first to second and back."""

    def __init__(self, first: View, second: View) -> None:
        self.views = first, second
        self.partners: dict[int, int] = {}
        self._back: dict[int, int] = {}
        self._strict = True
        self._prints: tuple[dict[int, NDArray[Any]], dict[int, NDArray[Any]]] = ({}, {})

    def match(self) -> None:
        found: dict[int, list[Mapping[int, Hashable]]] = {}
        for self._strict in (True, False):
            for number, signatures in enumerate(ROUNDS):
                if not (self._unmatched(0) and self._unmatched(1)):
                    break
                if number not in found:
                    found[number] = [signatures(view) for view in self.views]
                self._pair_by_signature(*found[number])
                self._pair_by_neighbors()
        self._pair_by_sequence(exact_key)
        self._pair_by_neighbors()
        self._pair_by_sequence(kind_key)
        self._pair_by_neighbors()
        self._pair_replacements()
        self._pair_transparent()

    def _pair(self, one: int, other: int) -> bool:
        if one in self.partners or other in self._back or (self._strict and self._differ(one, other)):
            return False
        self.partners[one] = other
        self._back[other] = one
        return True

    def _differ(self, one: int, other: int) -> bool:
        """Return True if the constants of two operators are unrelated. Example: an operator was removed from a row of
        equal ones."""
        held = [largest_constant(view, n) for view, n in zip(self.views, (one, other), strict=True)]
        if held[0] is None or held[1] is None or held[0].size != held[1].size or same_bytes(held[0], held[1]):
            return False
        mine, theirs = self._print(0, one), self._print(1, other)
        return mine.size == theirs.size >= _MIN_SAMPLE and closeness(mine, theirs) < _RELATED

    def _print(self, side: int, index: int) -> NDArray[Any]:
        known = self._prints[side]
        if index not in known:
            known[index] = fingerprint(self.views[side], index)
        return known[index]

    def _unmatched(self, side: int) -> list[int]:
        view, known = self.views[side], (self.partners, self._back)[side]
        return [n for n in view.order if n not in known and not view.is_transparent(n)]

    def _pair_by_signature(self, first: Mapping[int, Hashable], second: Mapping[int, Hashable]) -> None:
        """Pair operators with the same signature if both subgraphs have the same number of them."""
        groups: dict[Hashable, tuple[list[int], list[int]]] = {}
        for side, signatures in enumerate((first, second)):
            for index in self._unmatched(side):
                groups.setdefault(signatures[index], ([], []))[side].append(index)
        for ones, others in groups.values():
            if len(ones) == len(others):
                for one, other in self._rank_pairs(ones, others):
                    self._pair(one, other)

    def _rank_pairs(self, ones: Sequence[int], others: Sequence[int]) -> Iterator[tuple[int, int]]:
        """Yield pairs of operators with one signature: most similar constants and names first, then in order."""
        if len(ones) == 1:
            yield from zip(ones, others, strict=True)
            return
        scored = [
            (-self._similarity(one, other), abs(a - b), a, b)
            for a, one in enumerate(ones)
            for b, other in enumerate(others)
        ]
        taken: tuple[set[int], set[int]] = (set(), set())
        for _, _, a, b in sorted(scored):
            if a not in taken[0] and b not in taken[1]:
                taken[0].add(a)
                taken[1].add(b)
                yield ones[a], others[b]

    def _similarity(self, one: int, other: int) -> float:
        """Return the similarity of two operators, from constants (0 to 1), matched neighbors, names and options."""
        mine, theirs = self._print(0, one), self._print(1, other)
        first, second = self.views
        close = sum(
            kind == kind2 and (n == n2 if kind == "given" else kind == "made" and self.partners.get(n) == n2)
            for (kind, n), (kind2, n2) in zip(first.sources[one], second.sources[other], strict=False)
        )
        close += len({self.partners.get(n) for n in first.users[one]} & set(second.users[other]))
        alike = closeness(mine, theirs) if mine.size == theirs.size else 0.0
        ops = first.operator(one), second.operator(other)
        named = name_of(first.subgraph, ops[0]) == name_of(second.subgraph, ops[1])
        options = [None if op.options is None else str(op.options.fields) for op in ops]
        return round(2 * alike + close + 0.5 * named + 0.25 * (options[0] == options[1]), 3)

    def _pair_by_neighbors(self) -> None:
        """Pair producers at the same input, and consumers that are the only ones of their kind, until no pair is found."""
        for key in (exact_key, kind_key):
            while (
                self._unmatched(0)
                and self._unmatched(1)
                and sum(
                    self._pair_neighbors_of(one, other, key) for one, other in tuple(self.partners.items())
                )
            ):
                pass

    def _pair_neighbors_of(self, one: int, other: int, key: Any) -> bool:
        first, second = self.views
        changed = False
        for (kind, n), (kind2, n2) in zip(first.sources[one], second.sources[other], strict=False):
            if kind == kind2 == "made" and key(first, n) == key(second, n2):
                changed |= self._pair(n, n2)
        mine = [n for n in first.users[one] if n not in self.partners]
        theirs = [n for n in second.users[other] if n not in self._back]
        for n in mine:
            wanted = key(first, n)
            alike = [n2 for n2 in theirs if key(second, n2) == wanted]
            if len(alike) == 1 and sum(key(first, m) == wanted for m in mine) == 1:
                changed |= self._pair(n, alike[0])
        return changed

    def _pair_by_sequence(self, key: Any) -> None:
        """Pair the remaining operators by the longest common sequence in canonical order."""
        left = self._unmatched(0), self._unmatched(1)
        words = [[hash(key(view, n)) for n in side] for view, side in zip(self.views, left, strict=True)]
        for block in SequenceMatcher(None, words[0], words[1], autojunk=False).get_matching_blocks():
            for n in range(block.size):
                self._pair(left[0][block.a + n], left[1][block.b + n])

    def _pair_replacements(self) -> None:
        """Pair operators whose producers and consumers are partners, inputs in any order.

        Operators of one kind may have different constants. Example: a bias was removed.
        """
        for one in self._unmatched(0):
            if (found := next((n for n in self._unmatched(1) if self._is_replacement(one, n)), -1)) >= 0:
                self._pair(one, found)

    def _is_replacement(self, one: int, other: int) -> bool:
        first, second = self.views
        users = {self.partners.get(n, -1) for n in first.users[one]}
        mine = sorted(map(self._partner_source, first.sources[one]))
        theirs = sorted(map(_without_constants, second.sources[other]))
        if first.operator(one).kind == second.operator(other).kind:
            mine, theirs = ([pair for pair in side if _is_computed(pair)] for side in (mine, theirs))
        return mine == theirs and set(second.users[other]) == users

    def _partner_source(self, source: tuple[str, int]) -> tuple[str, int]:
        """Return the source of an input of the first model as a source of the second model."""
        kind, number = source
        return (kind, self.partners.get(number, -2)) if kind == "made" else _without_constants(source)

    def _pair_transparent(self) -> None:
        """Pair transparent operators (QUANTIZE, RESHAPE) by origin and readers, first with equal kinds, then with other
        kinds."""
        first, second = self.views
        left = [[n for n in view.order if view.is_transparent(n)] for view in self.views]
        for same_kind, same_origin, unknown in _TRANSPARENT_ROUNDS:
            for one, other in product(*left):
                kinds = first.operator(one).kind == second.operator(other).kind
                origins = second.sources[other][:1] == tuple(
                    map(self._partner_source, first.sources[one][:1])
                )
                if (
                    one not in self.partners
                    and other not in self._back
                    and kinds >= same_kind
                    and origins >= same_origin
                    and self._has_same_readers(one, other, unknown)
                ):
                    self._pair(one, other)

    def _has_same_readers(self, one: int, other: int, unknown: bool) -> bool:
        """Return True if a reader of the first output has a partner that reads the second output, or if neither has a
        reader.

        With ``unknown``, return True also if no reader of one of the outputs has a partner. A conversion with readers
        is never the partner of a conversion to an output of the model.
        """
        readers = [view.readers(n) for view, n in zip(self.views, (one, other), strict=True)]
        if not any(readers):
            return True
        if not all(readers) and self.views[0].operator(one).kind in CONVERSIONS:
            return False
        mine = {self.partners[n] for n in readers[0] if n in self.partners}
        theirs = readers[1] & set(self._back)
        return bool(mine & theirs) or (unknown and not (mine and theirs))


def _is_computed(source: tuple[str, int]) -> bool:
    return source[0] in ("given", "made")


def _without_constants(source: tuple[str, int]) -> tuple[str, int]:
    return (source[0], 0) if source[0] in ("constant", "variable") else source
