"""Covering arrays: every allowed combination occurs, in few rows, the same each time."""

from __future__ import annotations

from itertools import combinations, product

import pytest

from litecheck.cases.geometry.covering_array import Row, covering, parts

FACTORS = {"a": ("0", "1", "2"), "b": ("0", "1", "2"), "c": ("0", "1"), "d": ("0", "1", "2", "3")}


def occurring(rows: list[Row], strength: int) -> set[tuple[tuple[str, str], ...]]:
    return {part for row in rows for part in combinations(row.items(), strength)}


def possible(strength: int) -> set[tuple[tuple[str, str], ...]]:
    return {
        tuple(zip(names, values, strict=True))
        for names in combinations(FACTORS, strength)
        for values in product(*(FACTORS[name] for name in names))
    }


@pytest.mark.parametrize(("strength", "most"), [(1, 4), (2, 15), (3, 48)])
def test_every_combination_occurs_in_few_rows(strength: int, most: int) -> None:
    """Pairs of 4 and 3 values need 12 rows at least, triples of 4, 3 and 3 values 36; all combinations are 72."""
    rows = list(covering(FACTORS, strength, lambda row: True))
    assert occurring(rows, strength) == possible(strength)
    assert len(rows) <= most
    assert rows == list(covering(FACTORS, strength, lambda row: True))
    assert sum(1 for _ in parts(FACTORS, strength)) == len(possible(strength))


def test_only_combinations_that_are_not_allowed_are_left_out() -> None:
    def allowed(row: Row) -> bool:
        return not (row["a"] == "2" and row["d"] == "3")

    rows = list(covering(FACTORS, 2, allowed))
    assert all(map(allowed, rows))
    assert possible(2) - occurring(rows, 2) == {(("a", "2"), ("d", "3"))}
