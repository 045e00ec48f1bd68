"""How often which difference occurs, as rows of text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from litecheck.quantizer.comparison import Bucket

#: The longest bar.
BAR = 40
#: The least that still shows which bucket is fuller.
_LEAST = 8


def percent(part: int, whole: int) -> str:
    """Rounded, but never to nothing or to everything."""
    share = 100 * part / whole
    if 0 < share < 0.01:
        return "< 0.01 %"
    return "> 99.99 %" if 99.99 < share < 100 else f"{share:.4g} %"


def bars(histogram: Sequence[Bucket], plain: bool, width: int | None = None) -> Iterator[str]:
    """One row for each bucket, the longest bar being the fullest bucket's; ``plain`` keeps to ASCII.

    Bars are at most BAR long, and shorter where ``width`` has no room for that.
    """
    most = max((1, *(bucket.count for bucket in histogram)))
    names = [span(bucket) for bucket in histogram]
    numbers = [f"{bucket.count:,}" for bucket in histogram]
    taken = max(map(len, names), default=0) + max(map(len, numbers), default=0) + 4
    longest = BAR if width is None else max(_LEAST, min(BAR, width - taken))
    for name, number, bucket in zip(names, numbers, histogram, strict=True):
        length = max(1, round(longest * bucket.count / most))
        bar = ("#" if plain else "█") * length
        yield f"{name:>{max(map(len, names))}}  {number:>{max(map(len, numbers))}}  {bar}"


def span(bucket: Bucket) -> str:
    """``-1``, or ``+9..+16``."""
    return f"{bucket.low:+,}" if bucket.low == bucket.high else f"{bucket.low:+,}..{bucket.high:+,}"
