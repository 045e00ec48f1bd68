"""What an element's accumulator would have to be for the value that a device gives."""

from __future__ import annotations

import math
from fractions import Fraction

from litecheck.compare.element import Exact

_HALF = Fraction(1, 2)


def needed(value: Exact, device: int, low: int, high: int) -> tuple[int | None, int | None] | None:
    """The smallest and the largest accumulator that give ``device`` when they are rounded to nearest and clamped to
    ``low`` and ``high``; None on the side where a rail stands for all that lies beyond. A tie counts for both sides.

    None where the element has no accumulator, or nothing in it is between the values next to the device's.
    """
    if value.accumulator is None or not value.multiplier:
        return None
    rescaled = device - value.zero_point
    ends = [(rescaled - _HALF) / value.multiplier, (rescaled + _HALF) / value.multiplier]
    open_ends = [device == low, device == high]
    if value.multiplier < 0:
        ends, open_ends = ends[::-1], open_ends[::-1]
    first, last = math.ceil(ends[0]), math.floor(ends[1])
    if first > last and not any(open_ends):  # beyond a rail there is always one
        return None
    return None if open_ends[0] else first, None if open_ends[1] else last


def needed_words(value: Exact, device: int, low: int, high: int) -> list[str]:
    """``88 needs an accumulator of 12345 to 12401, 1022 to 1078 less``; nothing where it has none."""
    found = needed(value, device, low, high)
    if found is None or value.accumulator is None or found == (None, None):
        return []
    first, last = found
    accumulator = value.accumulator
    if first is None or last is None:
        end, side = (first, "at least") if last is None else (last, "at most")
        if end is None or end == accumulator:
            return []
        gap, more = abs(end - accumulator), "more" if end > accumulator else "less"
        return [
            f"{device} needs an accumulator of {side} {end}, {side.replace('most', 'least')} {gap} {more}"
        ]
    if first <= accumulator <= last:
        return []
    near, far = sorted((abs(first - accumulator), abs(last - accumulator)))
    span = f"{first}" if first == last else f"{first} to {last}"
    less = f"{near}" if near == far else f"{near} to {far}"
    return [f"{device} needs an accumulator of {span}, {less} {'more' if first > accumulator else 'less'}"]
