"""Layout of strided slices: masks, negative indices, steps of both signs, and dimensions removed, added or not stated."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod

from litecheck.cases.geometry.covering_array import Row
from litecheck.cases.geometry.layout import Layout, factor_values, image, runtime, steering


@dataclass(frozen=True, slots=True)
class _Part:
    """Part of one dimension as the operator states it, with the masks whose bit it sets."""

    begin: int
    end: int
    step: int
    masks: frozenset[str] = frozenset()


def striding(row: Row) -> Layout | None:
    """Return an image and its part from ``begin`` in steps, backward for a negative step.

    ``end`` is the last element (``last``) or the one before (``early``). ``masked`` lists the limits that masks leave
    open. ``counted`` is ``back`` for indices that count from the end. ``shrunk`` lists dimensions that are removed.
    ``stated`` is ``new 2`` (adds a dimension and omits the last), ``ellipsis 1`` (leaves two dimensions to an ellipsis)
    or ``short 2`` (states the first two only). None if a dimension has no elements left.
    """
    shape = image(row)
    parts = list(_parts(row, shape))
    if None in parts:
        return None
    stated = _add_axes([part for part in parts if part is not None], row["stated"])
    options = {
        f"{name}_mask": sum(1 << n for n, part in enumerate(stated) if name in part.masks)
        for name in ("begin", "end", "ellipsis", "new_axis", "shrink_axis")
    }
    operands = {
        "input": runtime(shape),
        "begin": steering([part.begin for part in stated]),
        "end": steering([part.end for part in stated]),
        "strides": steering([part.step for part in stated]),
    }
    return Layout(operands, options, prod(shape))


def _add_axes(parts: list[_Part], stated: str) -> list[_Part]:
    word, _, place = stated.partition(" ")
    at = int(place or 0)
    if word == "new":
        return [*parts[:at], _Part(0, 1, 1, frozenset(("new_axis",))), *parts[at:-1]]
    if word == "ellipsis":
        return [*parts[:at], _Part(0, 1, 1, frozenset(("ellipsis",))), *parts[at + 2 :]]
    return parts[:at] if word == "short" else parts


def _parts(row: Row, shape: tuple[int, ...]) -> Iterator[_Part | None]:
    """Yield the part of each dimension; None if it is empty, or if the dimension is removed in steps."""
    removed = row["shrunk"].split()
    masks = frozenset(row["masked"].split()) - {"none"}
    less, backward = int(row["end"] == "early"), row["counted"] == "back"
    for at, (n, first, step) in enumerate(
        zip(shape, factor_values(row, "begin"), factor_values(row, "steps"), strict=True)
    ):
        if str(at) in removed:
            yield _shrunk_part(n, first, masks, backward) if step == 1 and first < n else None
        else:
            yield _range_part(n, first, step, less, masks, backward)


def _shrunk_part(n: int, first: int, masks: frozenset[str], backward: bool) -> _Part:
    """Return the part of a dimension with a single element, at position ``first`` from the end."""
    taken = n - 1 - first
    return _Part(taken - n * backward, taken + 1, 1, masks | {"shrink_axis"})


def _range_part(
    n: int, first: int, step: int, less: int, masks: frozenset[str], backward: bool
) -> _Part | None:
    """Return the part of a dimension. The stated value of a masked limit would leave at most one element."""
    if n - ("begin" not in masks) * first - ("end" not in masks) * less < 1:
        return None
    begin, end = (first, n - less) if step > 0 else (n - 1 - first, less - 1)
    if "begin" in masks:
        begin = n - 1 if step > 0 else 0
    if "end" in masks:
        return _Part(begin - n * backward, 0, step, masks)
    counted = end - n if end < 0 or (backward and end < n) else end
    return _Part(begin - n * backward, counted, step, masks)
