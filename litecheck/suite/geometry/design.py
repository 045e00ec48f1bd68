"""Covering designs of operators from ``rules/suite/geometry.yaml``."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from litecheck.data import rules_dir
from litecheck.errors import ProfileError
from litecheck.profile.yaml_reader import MappingNode, Node, SequenceNode, entries, read_yaml, text, texts
from litecheck.suite.geometry.covering import Row, covering, parts
from litecheck.suite.geometry.layouts import LAYOUTS, Layout

_SHOWN = "rules/suite/geometry.yaml"
_KEYS = ("operators", "layout", "most", "factors", "never")
#: Values that occur together: pairs at level standard, triples at level exhaustive.
STRENGTHS = {"standard": 2, "exhaustive": 3}


@dataclass(frozen=True, slots=True)
class Design:
    """The geometric factors of some operators, with boundary values, the usual value first.

    ``most`` is the largest cost of a case. ``never`` are properties that no case has.
    """

    operators: tuple[str, ...]
    layout: str
    most: int
    factors: Mapping[str, tuple[str, ...]]
    never: tuple[str, ...]

    def laid_out(self, row: Row) -> Layout | None:
        """Return the layout of a row; None for an impossible or too expensive one."""
        made = LAYOUTS[self.layout](row)
        return None if made is None or made.cost > self.most else made

    def combinations(self) -> int:
        """Count the pairs of values of different factors."""
        return sum(1 for _ in parts(self.factors, 2))


def design_of(opcode: str) -> Design | None:
    """Return the design of an operator; None if it has none."""
    return _designs().get(opcode)


@cache
def rows_of(opcode: str, strength: int) -> tuple[Row, ...]:
    """Return the covering array of an operator, of pairs (2) or triples (3) of values."""
    design = design_of(opcode)
    if design is None:
        return ()
    return tuple(covering(design.factors, strength, lambda row: design.laid_out(row) is not None))


@cache
def _designs() -> Mapping[str, Design]:
    """Return every design by operator. Raise ProfileError with the line for an invalid file."""
    listed = read_yaml(rules_dir() / "suite" / "geometry.yaml", _SHOWN).only(("geometry",)).get("geometry")
    if not isinstance(listed, SequenceNode):
        raise ProfileError(_SHOWN, 1, "geometry is a list")
    return {opcode: design for design in map(_read, listed) for opcode in design.operators}


def _read(node: Node) -> Design:
    entry: MappingNode = entries(node, _SHOWN).only(_KEYS)
    missing = [key for key in _KEYS[:-1] if key not in entry]
    if missing:
        raise ProfileError(_SHOWN, entry.line, f"a design without {', '.join(missing)}")
    layout = text(entry.get("layout"))
    if layout not in LAYOUTS:
        raise ProfileError(_SHOWN, entry.line, f"no layout {layout!r}; there are {', '.join(LAYOUTS)}")
    factors = {name: texts(values) for name, values in entries(entry.get("factors"), _SHOWN).values.items()}
    return Design(
        texts(entry.get("operators")),
        layout,
        int(text(entry.get("most"))),
        factors,
        texts(entry.get("never")),
    )
