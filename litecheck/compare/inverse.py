"""What an element's accumulator would have to be for the value that a device gives."""

from __future__ import annotations

import math
from fractions import Fraction

from litecheck.compare.element import Exact
from litecheck.compare.types import Needed

_HALF = Fraction(1, 2)


def needed(value: Exact, device: int, low: int, high: int) -> Needed | None:
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
    return Needed(None if open_ends[0] else first, None if open_ends[1] else last)
