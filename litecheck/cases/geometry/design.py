"""Covering designs of operators from ``rules/geometry.yaml``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache

from litecheck.cases.geometry.covering_array import Row, covering, parts
from litecheck.cases.geometry.layout import Layout
from litecheck.cases.geometry.layouts import LAYOUTS
from litecheck.data import rules_dir
from litecheck.errors import ProfileError
from litecheck.profile.operators import traits_of
from litecheck.profile.yaml_reader import MappingNode, Node, SequenceNode, entries, read_yaml, text, texts

_SHOWN = "rules/geometry.yaml"
_KEYS = (
    "operators", "layout", "most", "factors", "suite_factors", "extremes", "suite_extremes", "ranks", "never",
)  # fmt: skip
_REQUIRED = ("operators", "layout", "most", "factors")
#: Values that occur together: pairs at level standard, triples at level exhaustive.
STRENGTHS = {"standard": 2, "exhaustive": 3}
#: Strength at which every value occurs once, for the shapes that ``diagnose`` and ``verify`` add.
ONCE = 1
#: Factor of operators with a fused activation.
_ACTIVATION = "activation"


@dataclass(frozen=True, slots=True)
class Design:
    """Geometric factors of some operators, with boundary values, the usual value first.

    ``most`` is the largest cost of a row of the covering array. ``extremes`` are values that occur in one row each,
    with usual values of the other factors. ``suite_factors`` and ``suite_extremes`` are factors and extremes of suites
    only: parameters, and sizes that would make ``verify`` slow. ``ranks`` are ranks of inputs, also in forms. ``never``
    are properties that no case has.
    """

    operators: tuple[str, ...]
    layout: str
    most: int
    factors: Mapping[str, tuple[str, ...]]
    extremes: tuple[Row, ...] = ()
    suite_factors: frozenset[str] = frozenset()
    suite_extremes: tuple[Row, ...] = ()
    ranks: tuple[int, ...] = ()
    never: tuple[str, ...] = ()

    @property
    def usual(self) -> Row:
        """Usual value of each factor."""
        return {name: values[0] for name, values in self.factors.items()}

    @property
    def all_extremes(self) -> tuple[Row, ...]:
        """Extremes, those of suites last."""
        return (*self.extremes, *self.suite_extremes)

    @property
    def shared_values(self) -> Mapping[str, tuple[str, ...]]:
        """Every value of each factor that ``verify`` has, too, those of extremes last."""
        found = dict.fromkeys(self._values(self.extremes))
        names = (name for name in self.factors if name not in self.suite_factors)
        return {name: tuple(value for factor, value in found if factor == name) for name in names}

    def values(self) -> Iterator[tuple[str, str]]:
        """Yield every factor with each of its values, extremes last."""
        yield from dict.fromkeys(self._values(self.all_extremes))

    def _values(self, extremes: Iterable[Row]) -> Iterator[tuple[str, str]]:
        yield from ((name, value) for name, values in self.factors.items() for value in values)
        yield from (part for row in extremes for part in row.items())

    def layout_of(self, row: Row) -> Layout | None:
        """Return the layout of a row; None for an impossible or too expensive one."""
        made = LAYOUTS[self.layout](row)
        return None if made is None or (made.cost > self.most and not self._is_extreme(row)) else made

    def _is_extreme(self, row: Row) -> bool:
        return any({**self.usual, **extreme} == row for extreme in self.all_extremes)

    def combinations(self) -> int:
        """Count the pairs of values of different factors."""
        return sum(1 for _ in parts(self.factors, 2))


def design_of(opcode: str) -> Design | None:
    """Return the design of an operator; None if it has none."""
    return _designs().get(opcode)


def designed_operators() -> tuple[str, ...]:
    """Return the operators with a design."""
    return tuple(_designs())


@cache
def rows_of(opcode: str, strength: int) -> tuple[Row, ...]:
    """Return the covering array of an operator, of single values (1), pairs (2) or triples (3).

    Pairs are followed by the extremes, whose pairs no further row repeats. Pairs of extremes with another rank are
    repeated, because these extremes have other dimensions. The values of extremes are among the single values, except
    those of suites.
    """
    design = design_of(opcode)
    if design is None:
        return ()
    factors = design.factors if strength > ONCE else design.shared_values
    extremes = [{**design.usual, **row} for row in design.all_extremes if strength == min(STRENGTHS.values())]
    ranks = factors.get("rank", ())
    alike = [row for row in extremes if len(ranks) != 1 or row["rank"] in ranks]
    rows = covering(factors, strength, lambda row: design.layout_of(row) is not None, alike)
    return (*rows, *extremes)


@cache
def _designs() -> Mapping[str, Design]:
    """Return every design by operator. Raise ProfileError with the line for an invalid file."""
    listed = read_yaml(rules_dir() / "geometry.yaml", _SHOWN).only(("geometry",)).get("geometry")
    if not isinstance(listed, SequenceNode):
        raise ProfileError(_SHOWN, 1, "geometry is a list")
    return {
        opcode: design if traits_of(opcode).fuses == _ACTIVATION else _without_activation(design)
        for design in map(_read, listed)
        for opcode in design.operators
    }


def _without_activation(design: Design) -> Design:
    """Return the design of an operator without a fused activation."""
    factors = {name: values for name, values in design.factors.items() if name != _ACTIVATION}
    suite = tuple(
        {name: value for name, value in row.items() if name != _ACTIVATION} for row in design.suite_extremes
    )
    return replace(design, factors=factors, suite_extremes=suite)


def _read(node: Node) -> Design:
    entry: MappingNode = entries(node, _SHOWN).only(_KEYS)
    missing = [key for key in _REQUIRED if key not in entry]
    if missing:
        raise ProfileError(_SHOWN, entry.line, f"a design without {', '.join(missing)}")
    layout = text(entry.get("layout"))
    if layout not in LAYOUTS:
        raise ProfileError(_SHOWN, entry.line, f"no layout {layout!r}; there are {', '.join(LAYOUTS)}")
    shared, parameters = _factors(entry, "factors"), _factors(entry, "suite_factors")
    factors = {**shared, **parameters}
    return Design(
        texts(entry.get("operators")),
        layout,
        int(text(entry.get("most"))),
        factors,
        tuple(_extremes(entry, "extremes", shared)),
        frozenset(parameters),
        tuple(_extremes(entry, "suite_extremes", factors)),
        tuple(map(int, texts(entry.get("ranks")))),
        texts(entry.get("never")),
    )


def _factors(entry: MappingNode, key: str) -> Mapping[str, tuple[str, ...]]:
    if key not in entry:
        return {}
    return {name: texts(values) for name, values in entries(entry.get(key), _SHOWN).values.items()}


def _extremes(entry: MappingNode, key: str, factors: Mapping[str, tuple[str, ...]]) -> Iterator[Row]:
    listed = entry.get(key)
    for node in listed if isinstance(listed, SequenceNode) else ():
        row = entries(node, _SHOWN).only(tuple(factors))
        yield {name: text(value) for name, value in row.values.items()}
