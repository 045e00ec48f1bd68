"""Plots of a model: scales along the graph, and the used share of each constant's range."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from litecheck.quantization import INTEGER_RANGES, TensorSurvey
from litecheck.rendering.escape import shorten
from litecheck.rendering.operator_names import subgraph_prefix
from litecheck.report import ModelReport
from litecheck.summary_text import count_of

#: Largest number of marks in a plot; if there are more tensors, neighbors share a mark.
_MARKS = 400
#: Largest number of levels of a plotted constant: biases use a small share of 32 bits by design.
_NARROW = 2**16
#: A constant that uses less than this share of its type's levels is marked: it loses bits.
_SPARSE = 0.25


@dataclass(frozen=True, slots=True)
class Mark:
    """A mark at a position along the graph: from ``low`` to ``high``, its text, and True if it needs attention."""

    at: float
    low: float
    high: float
    description: str
    striking: bool = False


def plots(model: ModelReport) -> dict[str, Any]:
    """Return the marks of three plots: scales of computed tensors, scales of weights, and stored values by type."""
    order = {
        (op.subgraph, op.index): n
        for n, op in enumerate(sorted(model.operators, key=lambda op: (op.subgraph, op.index)))
    }
    made = [one for one in model.survey if not one.constant]
    narrow = [one for one in model.survey if one.constant and _width(one) <= _NARROW]
    opcodes = {(op.subgraph, op.index): op.opcode for op in model.operators}
    by_type: dict[str, list[Mark]] = defaultdict(list)
    for one in narrow:
        if one.stored is not None:
            by_type[one.dtype].append(_values(one, order, opcodes))
    return {
        "operators": len(model.operators),
        "made": _marks([_scales(one, order, opcodes) for one in made]),
        "weights": _marks([_scales(one, order, opcodes) for one in narrow]),
        "values": [
            {"type": dtype, "range": INTEGER_RANGES[dtype], "marks": _marks(marks), "count": len(marks)}
            for dtype, marks in sorted(by_type.items())
        ],
    }


_Places = dict[tuple[int, int], int]
_Opcodes = dict[tuple[int, int], str]


def _width(one: TensorSurvey) -> int:
    low, high = INTEGER_RANGES[one.dtype]
    return high - low + 1


def _tensor_name(one: TensorSurvey, opcodes: _Opcodes) -> str:
    opcode = shorten(opcodes.get((one.subgraph, one.operator), ""))
    return f"{subgraph_prefix(one.subgraph)}#{one.operator} {opcode} '{shorten(one.name)}'"


def _scales(one: TensorSurvey, order: _Places, opcodes: _Opcodes) -> Mark:
    low, high = one.scales
    scales = (
        f"scale {low:.4g}" if one.channels == 1 else f"{one.channels:,} scales from {low:.4g} to {high:.4g}"
    )
    least, most = one.zero_points
    zero = f"zero point {least}" if least == most else f"zero points from {least} to {most}"
    told = f"{_tensor_name(one, opcodes)}: {one.dtype}, {scales}, {zero}"
    return Mark(order.get((one.subgraph, one.operator), 0), low, high, told)


def _values(one: TensorSurvey, order: _Places, opcodes: _Opcodes) -> Mark:
    low, high = one.stored or (0, 0)
    share = (high - low + 1) / _width(one)
    told = f"{_tensor_name(one, opcodes)}: {one.dtype} from {low} to {high}, {100 * share:.3g} % of the range"
    return Mark(order.get((one.subgraph, one.operator), 0), low, high, told, share < _SPARSE)


def _marks(marks: Sequence[Mark]) -> list[tuple[float, float, float, str, bool]]:
    """Return at most as many marks as a plot has: neighbors merge, from the lowest to the highest of them."""
    size = -(-len(marks) // _MARKS) or 1
    groups = [marks[at : at + size] for at in range(0, len(marks), size)]
    return [_merge_marks(group) for group in groups]


def _merge_marks(marks: Sequence[Mark]) -> tuple[float, float, float, str, bool]:
    low, high = min(mark.low for mark in marks), max(mark.high for mark in marks)
    told = marks[0].description
    if len(marks) > 1:
        several = count_of(len(marks), "tensor")
        told = f"{several} from {low:.4g} to {high:.4g}, the first {told}"
    at = sum(mark.at for mark in marks) / len(marks)
    return round(at, 2), low, high, told, any(mark.striking for mark in marks)
