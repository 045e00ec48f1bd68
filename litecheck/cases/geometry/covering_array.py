"""Covering arrays: few rows of factor values in which every combination of two or three values occurs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations, product

#: A value of each factor.
Row = Mapping[str, str]
#: Values of some factors, as (number of the factor, value), in the order of the factors.
_Part = tuple[tuple[int, str], ...]


def covering(
    factors: Mapping[str, Sequence[str]],
    strength: int,
    allowed: Callable[[Row], bool],
    given: Iterable[Row] = (),
) -> Iterator[Row]:
    """Yield rows that contain every allowed combination of ``strength`` values that no given row contains.

    A greedy search starts each row with a missing combination, and sets each further factor to the value that adds most
    missing combinations. The first value of a factor is its usual value: a combination is impossible if it is not
    allowed with the usual values of all other factors. Example: three factors of two values each have 12 pairs, which
    four rows contain.
    """
    names = list(factors)
    missing = dict.fromkeys(parts(factors, strength))
    for row in given:
        _remove(missing, row, names, strength)
    usual = {name: values[0] for name, values in factors.items()}
    while missing:
        start = next(iter(missing))
        del missing[start]
        row = {names[n]: value for n, value in start}
        if not allowed({**usual, **row}):
            continue
        for name in names:
            if name not in row:
                fitting = (v for v in factors[name] if allowed({**usual, **row, name: v}))
                row[name] = max(
                    fitting, key=lambda v: _gain(missing, names, {**row, name: v}, name, strength)
                )
        _remove(missing, row, names, strength)
        yield {name: row[name] for name in names}


def parts(factors: Mapping[str, Sequence[str]], strength: int) -> Iterator[_Part]:
    """Yield every combination of values of ``strength`` factors."""
    numbered = list(enumerate(factors.values()))
    for chosen in combinations(numbered, min(strength, len(numbered))):
        numbers = [n for n, _ in chosen]
        yield from (tuple(zip(numbers, values, strict=True)) for values in product(*(v for _, v in chosen)))


def _remove(missing: dict[_Part, None], row: Row, names: Sequence[str], strength: int) -> None:
    for part in combinations([(n, row[name]) for n, name in enumerate(names)], min(strength, len(names))):
        missing.pop(part, None)


def _gain(missing: Mapping[_Part, None], names: Sequence[str], row: Row, name: str, strength: int) -> int:
    """Count the missing combinations in a row that contain one factor."""
    number = names.index(name)
    own = (number, row[name])
    known = [(n, row[other]) for n, other in enumerate(names) if other in row and n != number]
    several = combinations(known, min(strength, len(names)) - 1)
    return sum(tuple(sorted((own, *part))) in missing for part in several)
