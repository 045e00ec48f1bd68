"""One element followed from its accumulator to what the device gives, in a sentence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from litecheck.compare.types import Candidate, Explained

#: Names listed in a sentence.
_NAMED = 4


def element_sentence(e: Explained) -> str:
    """What the element is, what it should be, and which way of computing gives what the device gives."""
    rounded = [c for c in e.candidates if c.kind == "rounding"]
    told = [*_exact(e), *_rounded(rounded), _reference(e), *_needed(e), _device(e)]
    return f"element ({', '.join(map(str, e.index))}) of run {e.run}: {'; '.join(told)}"


def _exact(e: Explained) -> Iterator[str]:
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
    yield words


def _rounded(rounded: Sequence[Candidate]) -> Iterator[str]:
    """``half away gives 7, half even 6``; in one where every rounding to nearest gives the same."""
    nearest = [c for c in rounded if c.name != "truncation"]
    if len({c.value for c in nearest}) == 1:
        yield f"rounded to nearest it is {nearest[0].value}"
    elif nearest:
        first, *rest = nearest
        yield ", ".join([f"{first.name} gives {first.value}", *(f"{c.name} {c.value}" for c in rest)])


def _reference(e: Explained) -> str:
    """What the arithmetic gives, and by which variants."""
    chosen = ", ".join(f"{v.step}: {v.variant}" for v in e.variants)
    return f"{e.arithmetic}{f' ({chosen})' if chosen else ''} gives {e.expected}"


def _needed(e: Explained) -> Iterator[str]:
    """``88 needs an accumulator of 12345 to 12401, 1022 to 1078 less``; nothing where it has none."""
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


def _device(e: Explained) -> str:
    known = (c for c in e.candidates if c.kind != "rounding")
    names = [c.name for c in known if c.value == e.device and c.name != e.arithmetic]
    if not names:
        return f"the device gives {e.device}, as no known way of computing does"
    shown = names if len(names) <= _NAMED else [*names[: _NAMED - 1], f"{len(names) - _NAMED + 1} others"]
    listed = shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}"
    return f"the device gives {e.device}, as {'does' if len(names) == 1 else 'do'} {listed}"
