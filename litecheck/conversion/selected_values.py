"""Ranges of tensors whose values a selection (SELECT_V2) reads: only values that can be selected need a range.

SELU computes 1.76 * (exp(x) - 1) for all x and selects it where x < 0. Without this module, values of exp(x) for large x,
which are never selected, would set the scale.
"""

from __future__ import annotations

from collections.abc import Mapping

from litecheck.conversion.edges import edges
from litecheck.conversion.groups import Interval, Key, extent_of
from litecheck.model.types import Model, Operator, Subgraph
from litecheck.profile.operators import traits_of

_ALL = (float("-inf"), float("inf"))


def limit_selected_ranges(model: Model, ranges: Mapping[Key, Interval]) -> Mapping[Key, Interval]:
    """Return the ranges. A value that only selections read is limited to the range of the selected values.

    The range also limits the inputs of sums and products with a constant before a selection. Example: a SELECT_V2 gives
    -1.7..3.7; its input 1.76 * (e - 1) of -1.7..56 gets -1.7..3.7, and e of 0..32.8 gets 0..3.1.
    """
    found = dict(ranges)
    for subgraph in model.subgraphs:
        if any(map(_selects, subgraph.operators)):
            for edge in reversed(edges(subgraph)):
                key = edge.subgraph, edge.tensor
                wanted = [
                    _distinguished_values(subgraph, port.operator, port.place, found) for port in edge.readers
                ]
                if key in found and wanted:
                    found[key] = _clip_interval(
                        found[key], (min(w[0] for w in wanted), max(w[1] for w in wanted))
                    )
    return found


def selection_notes(
    model: Model, before: Mapping[Key, Interval], after: Mapping[Key, Interval]
) -> tuple[str, ...]:
    """Return a note that names the tensors with a smaller range, or nothing."""
    names = [f"'{model.subgraphs[s].tensors[t].name}'" for s, t in before if before[s, t] != after[s, t]]
    return (f"values that no selection can choose saturate: {', '.join(names)}",) if names else ()


def _selects(operator: Operator) -> bool:
    kinds = traits_of(operator.kind).inputs.values()
    return "predicate" in kinds and "data" in kinds


def _distinguished_values(
    subgraph: Subgraph, number: int, place: int, ranges: Mapping[Key, Interval]
) -> Interval:
    """Return the values of an input that an operator distinguishes, for the range of its output."""
    if number < 0:
        return _ALL
    operator = subgraph.operators[number]
    output = ranges.get((subgraph.index, operator.outputs[0]), _ALL) if operator.outputs else _ALL
    if _selects(operator):
        return output
    rest = [subgraph.tensors[index] for n, index in enumerate(operator.inputs) if n != place]
    if len(rest) != 1 or not rest[0].is_constant or rest[0].is_variable:
        return _ALL
    return _solve_input(traits_of(operator.kind).element, place, output, extent_of(rest[0]))


def _solve_input(element: str, place: int, output: Interval, constant: Interval) -> Interval:
    """Return the input for which a sum or product with constants has values of an interval.

    Examples: x - 1 within -1..2 gives 0..3; 1 - x gives -1..2; 2 * x gives -0.5..1.
    """
    (low, high), (least, most) = output, constant
    if element == "add":
        return low - most, high - least
    if element == "sub":
        return (low + least, high + most) if place == 0 else (least - high, most - low)
    if element == "mul" and not least <= 0 <= most:
        ends = [end / factor for end in output for factor in constant]
        return min(ends), max(ends)
    return _ALL


def _clip_interval(interval: Interval, limits: Interval) -> Interval:
    """Return the part of an interval within limits; the nearest limit if there is none."""
    return min(max(interval[0], limits[0]), limits[1]), max(min(interval[1], limits[1]), limits[0])
