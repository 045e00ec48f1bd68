"""Where differences gather, in sentences: ``all 12 differences lie in channel 3 of 16, among 64 of the 1,024 elements``."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from litecheck.compare.types import Gathering
from litecheck.report import counted

_SIDES = {
    "bottom-right": "at the bottom and on the right",
    "top-left": "at the top and on the left",
    "all": "on all sides",
}
_APART = {"pattern": "lie elsewhere", "rails": "are not at a rail"}
_WAYS = {"nearer": "nearer to", "farther": "farther from"}


def gathering_sentence(g: Gathering) -> str:
    """One pattern with its evidence."""
    if g.pattern == "offset":
        return f"all {g.count:,} differ by exactly {g.offset:+d}"
    if g.pattern == "direction":
        beside = "" if g.zero_point is None else f" the zero point {g.zero_point}"
        return f"in all {g.count:,} the device's value is {_WAYS.get(g.side, g.side)}{beside}"
    left = " and ".join(_APART[why] for why in g.apart)
    among = f"among {g.there:,} of the {g.size:,} elements{f' that {left}' if left else ''}"
    return f"{_who(g)} {_CLAIMS[g.pattern](g)}, {among}"


def _who(g: Gathering) -> str:
    noun = "others" if g.rest else "differences"
    if g.held == g.count:
        return f"all {g.count:,} {noun}"
    return f"{g.held:,} of the {g.count:,} {noun} ({min(99.9, 100 * g.held / g.count):.3g} %)"


def _plural(name: str) -> str:
    return f"indexes{name[5:]}" if name.startswith("index") else f"{name}s" if name != "batch" else "batches"


def _range(g: Gathering) -> str:
    first, last, n = g.first or 0, g.last or 0, g.length
    length = last - first + 1
    words = f"{g.axis} {first}" if length == 1 else f"{_plural(g.axis)} {first} to {last}"
    ends = "the last" if last == n - 1 else "the first" if first == 0 else ""
    if ends:
        words += f", {ends} of {n}" if length == 1 else f", {ends} {length} of {n}"
    else:
        words += f" of {n}"
    return f"lie in {words}{f' (the tail behind whole vectors of {g.vector})' if g.vector else ''}"


def _tail(g: Gathering) -> str:
    words = f"the last {g.length - (g.first or 0)} of {g.length} {_plural(g.axis)}"
    return f"lie {_inside(g)} {words}, the tail behind whole vectors of {g.vector}"


def _flat_tail(g: Gathering) -> str:
    words = f"the last {counted(g.length, 'element')} of the flat tensor"
    return f"lie {_inside(g)} {words}, the tail behind whole vectors of {g.vector}"


def _inside(g: Gathering) -> str:
    return "outside" if g.outside else "in"


def _step(g: Gathering) -> str:
    nth = {2: "2nd", 3: "3rd"}.get(g.step, f"{g.step}th")
    return f"lie in every {nth} {g.axis}, from {g.first} on"


def _indexes(g: Gathering) -> str:
    shown = ", ".join(map(str, g.indexes))
    return f"lie in {len(g.indexes)} of {g.length} {_plural(g.axis)}: {shown}"


def _border(g: Gathering) -> str:
    rows = "the outermost row and column" if g.width == 1 else f"the outer {g.width} rows and columns"
    return f"lie in {rows} {_SIDES[g.side]} (the border that padding touches)"


def _expected(g: Gathering) -> str:
    ends = zip(g.values, g.ends, strict=True)
    return f"lie where the reference gives {' or '.join(f'{value}, {_end(end)}' for value, end in ends)}"


def _end(end: str) -> str:
    which, _, where = end.partition(" ")
    return f"its {which} value here" if where == "here" else f"the {which} value {where}"


_CLAIMS: Mapping[str, Callable[[Gathering], str]] = {
    "range": _range,
    "tail": _tail,
    "flat tail": _flat_tail,
    "step": _step,
    "indexes": _indexes,
    "border": _border,
    "run": lambda g: f"lie in run {g.run} of {g.length}",
    "expected": _expected,
    "given": lambda g: f"have the device give {g.values[0]}",
    "side": lambda g: f"lie {g.side} the zero point {g.zero_point}",
}
