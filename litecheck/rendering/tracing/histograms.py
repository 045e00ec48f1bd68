"""Histograms of a trace's page: stored values of outputs and weights in their range, and effective bits by channel."""

from __future__ import annotations

from collections.abc import Sequence

from litecheck.quantization import BITS
from litecheck.rendering.html.page import text
from litecheck.rendering.operator_names import operator_name
from litecheck.summary_text import count_of
from litecheck.tracing.distribution import TensorDistribution
from litecheck.tracing.trace_result import Trace

_HEIGHT, _CHANNELS, _STRIP = 96, 256, 48
STYLE = """
.tensors details { border-top: 1px solid var(--line); padding-block: .4rem; }
.tensors summary { cursor: pointer; overflow-wrap: anywhere; }
.tensors .pair { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 20rem), 1fr)); gap: 1rem; }
.tensors figure { margin-block: .4rem; overflow: hidden; }
.tensors svg { width: 100%; height: 6rem; display: block; background: var(--panel); }
.tensors svg.strip { height: 3rem; margin-top: .3rem; }
.tensors .bars { fill: var(--accent); } .tensors .ends { fill: var(--bad); } .tensors .few { fill: var(--odd); }
.tensors .ruler { display: flex; justify-content: space-between; color: var(--quiet); font-size: .8rem; }
"""
#: Effective bits below those of the type from which a channel is marked.
_LOST = 4.0


def histograms(trace: Trace) -> str:
    """Return a section with a folded part for each operator, or "" for a trace without distributions."""
    grouped: dict[tuple[int, int], list[TensorDistribution]] = {}
    for one in trace.distributions:
        grouped.setdefault((one.subgraph, one.operator), []).append(one)
    parts = "".join(_operator(group) for _, group in sorted(grouped.items()))
    return f'<section class="tensors"><h2>Stored values</h2>{parts}</section>' if parts else ""


def _operator(group: Sequence[TensorDistribution]) -> str:
    first = group[0]
    head = text(f"{operator_name(first.subgraph, first.operator, first.opcode)} {first.name}")
    pictures = "".join(map(_picture, group))
    return f'<details><summary>{head}</summary><div class="pair">{pictures}</div></details>'


def _picture(one: TensorDistribution) -> str:
    saturated = f"saturated {100 * one.at_low:.1f} % at min, {100 * one.at_high:.1f} % at max; "
    caption = text(f"{one.role}: {saturated if one.role == 'output' else ''}{_resolution(one)}")
    ruler = f'<p class="ruler"><span>{one.low:.4g}</span><span>{one.high:.4g}</span></p>'
    strip = _strip(one) if len(one.bits) > 1 else ""
    return f"<figure><figcaption>{caption}</figcaption>{_bars(one)}{ruler}{strip}</figure>"


def _resolution(one: TensorDistribution) -> str:
    """Return the effective resolution of the best and of the worst channel."""
    if not one.bits:
        return "no values"
    worst = min(range(len(one.bits)), key=one.bits.__getitem__)
    most = f"effective resolution {max(one.bits):.1f} of {BITS[one.dtype]} bits"
    if len(one.bits) == 1:
        return most
    few = sum(bits < BITS[one.dtype] - _LOST for bits in one.bits)
    below = f", {count_of(few, 'channel')} below {BITS[one.dtype] - _LOST:g} bits" if few else ""
    return f"{most}, lowest {one.bits[worst]:.1f} in channel {worst}{below}"


def _svg(kind: str, count: int, height: int, label: str, paths: str) -> str:
    box = f'viewBox="0 0 {count} {height}" preserveAspectRatio="none"'
    return f'<svg class="{kind}" {box} role="img" aria-label="{label}">{paths}</svg>'


def _bars(one: TensorDistribution) -> str:
    """Return the counts as bars of square-root height, so that rare values are visible.

    Saturated ends of outputs have another color; weights reach the ends by design.
    """
    top = max(one.counts, default=0) or 1
    heights = [_HEIGHT * (count / top) ** 0.5 for count in one.counts]
    shares = ((0, one.at_low), (len(heights) - 1, one.at_high)) if one.role == "output" else ()
    ends = {n for n, share in shares if share}
    bars = _path("bars", [(n, h) for n, h in enumerate(heights) if n not in ends], _HEIGHT)
    return _svg(
        "histogram", len(heights), _HEIGHT, "histogram of stored values",
        bars + _path("ends", [(n, heights[n]) for n in sorted(ends)], _HEIGHT),
    )  # fmt: skip


def _strip(one: TensorDistribution) -> str:
    """Return the effective bits of the channels as bars; of many channels, the lowest of each group."""
    size = -(-len(one.bits) // _CHANNELS)
    least = [min(one.bits[n : n + size]) for n in range(0, len(one.bits), size)]
    few, rest = list[tuple[int, float]](), list[tuple[int, float]]()
    for n, bits in enumerate(least):
        target = few if bits < BITS[one.dtype] - _LOST else rest
        target.append((n, max(1.0, _STRIP * bits / BITS[one.dtype])))
    paths = _path("bars", rest, _STRIP) + _path("few", few, _STRIP)
    words = "effective bits by channel"
    ruler = f'<p class="ruler"><span>0</span><span>{words}</span><span>{len(one.bits) - 1}</span></p>'
    return _svg("strip", len(least), _STRIP, words, paths) + ruler


def _path(kind: str, bars: Sequence[tuple[int, float]], height: int) -> str:
    steps = "".join(f"M{n} {height}v{-h:.1f}h1V{height}z" for n, h in bars if h)
    return f'<path class="{kind}" d="{steps}"/>' if steps else ""
