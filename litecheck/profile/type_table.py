"""Tables of the types that a runtime supports, by operator: ``rules/types/NAME.json``, measured on the runtime.

A combination is one type per role, inputs before outputs, with ``-`` for an absent tensor. A row is a set of
combinations: ``int8 int8|int16`` is ``int8 int8`` and ``int8 int16``. ``runs`` are the supported rows. ``impacts`` are
the rows with an impact of their own; every combination in no row has the impact ``otherwise``. All were measured with
parameters that fit the types; ``further_impacts`` are the other impacts, by role, of tensors that keep the parameters of the
right type.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, cast

from litecheck.data import rules_dir
from litecheck.finding import Effect
from litecheck.profile.lazy_mapping import Lazy

#: Types of the roles of an operator, in the order of its rule.
Combination = tuple[str, ...]
Row = tuple[frozenset[str], ...]
#: Rows by impact.
Impacts = tuple[tuple[Effect, tuple[Row, ...]], ...]
#: Types that are measured with a scale; all other outputs are measured without.
SCALED = ("int8", "uint8", "int16", "int4", "uint4", "int2", "uint16")
#: Word for an absent tensor.
ABSENT = "-"


@dataclass(frozen=True, slots=True, eq=False)
class OperatorTypes:
    """Types of one operator. ``by_role`` is True if only the types of single roles were measured, not combinations."""

    roles: tuple[str, ...]
    runs: tuple[Row, ...]
    impacts: Impacts
    otherwise: Effect
    by_role: bool
    line: int
    further_impacts: Mapping[str, Impacts]

    @lru_cache(maxsize=1 << 12)  # noqa: B019 -- tables are kept as long as the program runs
    def impact(self, combination: Combination) -> Effect | None:
        """Return the impact of a combination, or None if the runtime supports it."""
        if _is_listed(combination, self.runs):
            return None
        return next(
            (effect for effect, rows in self.impacts if _is_listed(combination, rows)), self.otherwise
        )

    def kept_impact(self, role: str, combination: Combination) -> Effect | None:
        """Return the impact of a combination if the tensor of this role has the parameters of the right type.

        Return None if the runtime supports the combination or only single roles were measured.
        """
        listed = (
            effect for effect, rows in self.further_impacts.get(role, ()) if _is_listed(combination, rows)
        )
        return next(listed, None if self.by_role else self.impact(combination))

    def nearest(self, combination: Combination) -> tuple[Row, ...]:
        """Return the supported rows that differ from a combination in the fewest roles."""
        apart = [sum(c not in cell for c, cell in zip(combination, row, strict=True)) for row in self.runs]
        return tuple(row for row, n in zip(self.runs, apart, strict=True) if n == min(apart))


@dataclass(frozen=True, slots=True, eq=False)
class TypeTable:
    """The types that a runtime supports; ``file`` is the shown path of the table."""

    name: str
    file: str
    runtime: str
    operators: Mapping[str, OperatorTypes]


@cache
def load_types(name: str) -> TypeTable:
    """Return the bundled table with this name. Example: ``litert``."""
    import json  # imported here because only profiles with a table need it

    text = (rules_dir() / "types" / f"{name}.json").read_text()
    table, lines = json.loads(text), dict(_lines(text))
    operators = table["operators"]
    entries = Lazy(operators, lambda opcode: operator_types(operators[opcode], lines[opcode]))
    return TypeTable(name, f"rules/types/{name}.json", table["runtime"], entries)


def type_tables() -> tuple[str, ...]:
    """Return the names of the bundled tables."""
    return tuple(sorted(file.stem for file in (rules_dir() / "types").glob("*.json")))


def row_text(row: Row) -> str:
    """Return a row as text. Example: ``int8 int8|int16``."""
    return " ".join("|".join(sorted(cell)) for cell in row)


def operator_types(entry: Mapping[str, Any], line: int) -> OperatorTypes:
    """Return the types of an operator from its entry in a file, which begins in this line."""
    kept = {role: _impacts(by_effect) for role, by_effect in entry.get("kept", {}).items()}
    return OperatorTypes(
        tuple(entry["roles"].split()), _rows(entry["runs"]), _impacts(entry.get("impacts", {})), entry["otherwise"],
        entry.get("by_role", False), line, kept,
    )  # fmt: skip


def _impacts(by_effect: Mapping[str, Sequence[str]]) -> Impacts:
    return tuple((cast(Effect, effect), _rows(rows)) for effect, rows in by_effect.items())


def _rows(texts: Sequence[str]) -> tuple[Row, ...]:
    return tuple(tuple(frozenset(cell.split("|")) for cell in text.split()) for text in texts)


def _is_listed(combination: Combination, rows: Sequence[Row]) -> bool:
    return any(all(c in cell for c, cell in zip(combination, row, strict=True)) for row in rows)


def _lines(text: str) -> Iterator[tuple[str, int]]:
    """Yield each operator with the line of its entry."""
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith('  "') and line.endswith("{"):
            yield line.split('"')[1], number
