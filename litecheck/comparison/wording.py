"""Sentences on the data of a comparison: defects of answers, explained elements, patterns."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from litecheck.comparison.types import Candidate, ExplainedElement, MismatchCluster
from litecheck.comparison.vector_tails import SharedTail
from litecheck.comparison.whole_outputs import NonRepeating, Similarity, StaleOutput
from litecheck.summary_text import count_of

_LIKE = {
    Similarity.UNSCALED_REALS: "real values cannot be compared with integers that have no scale; give the stored integers",
    Similarity.STORED_INTEGERS: "got stored integers, expected real values: dequantize them",
    Similarity.SAME_BYTES: "the bytes have the size of type {dtype}",
    Similarity.FLOAT32_BYTES: "the bytes have the size of float32 values; raw bytes are read in the tensor's type, so save "
    "real values as .npy",
    Similarity.RESHAPED: "the same number of elements in a different shape",
}
#: Largest number of names in a sentence.
_NAMED = 4
_SIDES = {
    "bottom-right": "at the bottom and on the right",
    "top-left": "at the top and on the left",
    "all": "on all sides",
}
_APART = {"pattern": "lie elsewhere", "rails": "are not saturated"}
_WAYS = {"nearer": "nearer to", "farther": "farther from"}


def unrepeated_sentence(found: NonRepeating) -> str:
    """Return ``the same random inputs gave different outputs in 3 of 64 elements when repeated``."""
    where = f"{found.differing:,} of {count_of(found.elements, 'element')}"
    inputs = f"{found.kind} inputs".strip()
    return f"the same {inputs} gave different outputs in {where} when repeated"


def left_over_sentence(found: StaleOutput) -> str:
    """Return ``all 12 wrong elements of 2 inferences equal the device's outputs of the previous inference``."""
    wrong = f"all {found.elements:,} wrong elements of {count_of(found.inferences, 'inference')}"
    if found.expected:
        return f"{wrong} equal the expected outputs of the previous inference"
    return f"{wrong} equal the device's outputs of the previous inference"


def likeness_sentence(found: Similarity, dtype: str) -> str:
    """Return advice on the expected form of values of ``dtype``."""
    return _LIKE[found].format(dtype=dtype)


def element_sentence(e: ExplainedElement) -> str:
    """Describe the element, its expected value, and the computations that give the device's value."""
    rounded = [c for c in e.candidates if c.kind == "rounding"]
    nearest = [] if e.limit is not None else rounded
    told = [*_exact(e), *_rounding_texts(nearest), _reference(e), *_needed_text(e), _device(e)]
    return f"element ({', '.join(map(str, e.index))}) of run {e.run}: {'; '.join(told)}"


def _exact(e: ExplainedElement) -> Iterator[str]:
    if not e.quotient:
        return
    if e.real:
        words = f"the real value is {e.quotient} steps of the output"
    elif e.accumulator is None or e.multiplier is None:
        words = f"the exact quotient is {e.quotient}"
    else:
        words = f"accumulator {e.accumulator} x multiplier {e.multiplier:.6g} = {e.quotient}"
    if e.precise:
        words += " exactly"
    if e.zero_point:
        words += f", plus the zero point {e.zero_point} = {e.shifted}"
    if e.limit is not None:
        words += f", limited to {e.limit}"
    yield words


def _rounding_texts(rounded: Sequence[Candidate]) -> Iterator[str]:
    """Yield ``half away gives 7, half even 6``, or a single value if every rounding to nearest agrees."""
    nearest = [c for c in rounded if c.name != "truncation"]
    if len({c.value for c in nearest}) == 1:
        yield f"rounded to nearest it is {nearest[0].value}"
    elif nearest:
        first, *rest = nearest
        yield ", ".join([f"{first.name} gives {first.value}", *(f"{c.name} {c.value}" for c in rest)])


def _reference(e: ExplainedElement) -> str:
    """Return the arithmetic's value, with its variants."""
    chosen = ", ".join(f"{v.step}: {v.variant}" for v in e.variants)
    return f"{e.arithmetic}{f' ({chosen})' if chosen else ''} gives {e.expected}"


def _needed_text(e: ExplainedElement) -> Iterator[str]:
    """Yield ``88 needs an accumulator of 12345 to 12401, 1022 to 1078 less``; nothing without an accumulator."""
    if e.needs is None or e.accumulator is None:
        return
    first, last, accumulator = e.needs.first, e.needs.last, e.accumulator
    if first is None or last is None:
        end, side = (first, "at least") if last is None else (last, "at most")
        if end is not None and end != accumulator:
            gap, more = abs(end - accumulator), "more" if end > accumulator else "less"
            least = side.replace("most", "least")
            yield f"{e.device} needs an accumulator of {side} {end}, {least} {gap} {more}"
    elif not first <= accumulator <= last:
        near, far = sorted((abs(first - accumulator), abs(last - accumulator)))
        span = f"{first}" if first == last else f"{first} to {last}"
        less = f"{near}" if near == far else f"{near} to {far}"
        more = "more" if first > accumulator else "less"
        yield f"{e.device} needs an accumulator of {span}, {less} {more}"


def _device(e: ExplainedElement) -> str:
    known = (c for c in e.candidates if c.kind != "rounding")
    names = [c.name for c in known if c.value == e.device and c.name != e.arithmetic]
    if not names:
        return f"the device gives {e.device}, a value of no known variant or defect"
    shown = names if len(names) <= _NAMED else [*names[: _NAMED - 1], f"{len(names) - _NAMED + 1} others"]
    listed = shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
    return f"the device gives {e.device}, as {'does' if len(names) == 1 else 'do'} {listed}"


def gathering_sentence(g: MismatchCluster) -> str:
    """Describe one pattern with its evidence."""
    if g.pattern == "offset":
        return f"all {g.count:,} differ by exactly {g.offset:+d}"
    if g.pattern == "direction":
        beside = "" if g.zero_point is None else f" the zero point {g.zero_point}"
        return f"in all {g.count:,} the device's value is {_WAYS.get(g.side, g.side)}{beside}"
    left = " and ".join(_APART[why] for why in g.apart)
    among = f"among {g.there:,} of the {g.size:,} elements{f' that {left}' if left else ''}"
    return f"{_who(g)} {_CLAIMS[g.pattern](g)}, {among}"


def _who(g: MismatchCluster) -> str:
    noun = "others" if g.rest else "differences"
    if g.held == g.count:
        return f"all {g.count:,} {noun}"
    return f"{g.held:,} of the {g.count:,} {noun} ({min(99.9, 100 * g.held / g.count):.3g} %)"


def _plural(name: str) -> str:
    return f"indexes{name[5:]}" if name.startswith("index") else f"{name}s" if name != "batch" else "batches"


def _range(g: MismatchCluster) -> str:
    first, last, n = g.first or 0, g.last or 0, g.length
    length = last - first + 1
    words = f"{g.axis} {first}" if length == 1 else f"{_plural(g.axis)} {first} to {last}"
    ends = "the last" if last == n - 1 else "the first" if first == 0 else ""
    if ends:
        words += f", {ends} of {n}" if length == 1 else f", {ends} {length} of {n}"
    else:
        words += f" of {n}"
    return f"lie in {words}{f' (the tail behind whole vectors of {g.vector})' if g.vector else ''}"


def _tail(g: MismatchCluster) -> str:
    words = f"the last {g.length - (g.first or 0)} of {g.length} {_plural(g.axis)}"
    return f"lie {_inside(g)} {words}, the tail behind whole vectors of {g.vector}"


def _flat_tail(g: MismatchCluster) -> str:
    words = f"the last {count_of(g.length, 'element')} of the flat tensor"
    return f"lie {_inside(g)} {words}, the tail behind whole vectors of {g.vector}"


def _row_tail(g: MismatchCluster) -> str:
    words = f"the last {g.length - (g.first or 0)} of {g.length} elements of each row"
    return f"lie in {words}, the tail behind whole vectors of {g.vector}"


def shared_tail_sentence(tail: SharedTail, noun: str = "failing cases") -> str:
    """Return ``all differences of 12 failing cases lie in the last n % 16 of n channels, the tail behind whole vectors
    of 16``."""
    rows = {0: "n elements of the flat tensor", 1: "n channels"}
    row = rows.get(tail.dimensions, f"n elements of each row of the last {tail.dimensions} dimensions")
    words = f"all differences of {tail.cases:,} {noun} lie in the last n % {tail.vector} of {row}"
    return f"{words}, the tail behind whole vectors of {tail.vector}"


def _inside(g: MismatchCluster) -> str:
    return "outside" if g.outside else "in"


def _step(g: MismatchCluster) -> str:
    nth = {2: "2nd", 3: "3rd"}.get(g.step, f"{g.step}th")
    return f"lie in every {nth} {g.axis}, from {g.first} on"


def _indexes(g: MismatchCluster) -> str:
    shown = ", ".join(map(str, g.indexes))
    return f"lie in {len(g.indexes)} of {g.length} {_plural(g.axis)}: {shown}"


def _border(g: MismatchCluster) -> str:
    rows = "the outermost row and column" if g.width == 1 else f"the outer {g.width} rows and columns"
    return f"lie in {rows} {_SIDES[g.side]} (the border that padding touches)"


def _expected_text(g: MismatchCluster) -> str:
    ends = zip(g.values, g.ends, strict=True)
    return f"lie where the reference gives {' or '.join(f'{value}, {_end(end)}' for value, end in ends)}"


def _end(end: str) -> str:
    which, _, where = end.partition(" ")
    return f"its {which} value here" if where == "here" else f"the {which} value {where}"


_CLAIMS: Mapping[str, Callable[[MismatchCluster], str]] = {
    "range": _range,
    "tail": _tail,
    "flat tail": _flat_tail,
    "row tail": _row_tail,
    "step": _step,
    "indexes": _indexes,
    "border": _border,
    "run": lambda g: f"lie in run {g.run} of {g.length}",
    "expected": _expected_text,
    "given": lambda g: f"have the device's value {g.values[0]}",
    "side": lambda g: f"lie {g.side} the zero point {g.zero_point}",
}
