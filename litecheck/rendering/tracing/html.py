"""HTML page of a trace: SNR by operator along the graph, histograms, and the document."""

from __future__ import annotations

from litecheck.rendering.html.page import page as laid_out
from litecheck.rendering.html.page import text
from litecheck.rendering.tracing import wording
from litecheck.rendering.tracing.document import document
from litecheck.rendering.tracing.histograms import STYLE, histograms
from litecheck.tracing.trace_result import Trace, TracedOperator

#: Size of the picture, and the SNR in dB at its upper end.
_WIDTH, _HEIGHT, _MOST = 960, 220, 80.0
_LEFT, _BOTTOM = 40, 24
#: Largest number of operators whose numbers are below the plot.
_NUMBERS = 24
_STYLE = """
figure { margin-block: 1rem; overflow-x: auto; }
.snr { width: 100%; min-width: 40rem; height: auto; }
.snr text { fill: var(--quiet); font-size: 11px; }
.snr line { stroke: var(--line); }
.snr .whole { fill: none; stroke: var(--accent); stroke-width: 2; }
.snr .alone { fill: none; stroke: var(--good-ink); stroke-width: 1.5; }
.snr .twin { fill: none; stroke: var(--quiet); stroke-dasharray: 4 3; }
.snr .device { fill: none; stroke: var(--dead); stroke-width: 1.5; }
.snr .culprit { fill: var(--bad); }
.snr circle { fill: var(--accent); }
@media (max-width: 46rem) { .snr text { font-size: 17px; } }
.key b { padding-inline: .3rem; }
.key .whole { color: var(--accent); } .key .alone { color: var(--good-ink); }
.key .twin { color: var(--quiet); } .key .device { color: var(--dead); } .key .culprit { color: var(--bad); }
"""


def page(trace: Trace) -> str:
    """Return the page."""
    return laid_out(document(trace), picture(trace), _STYLE + STYLE, histograms(trace))


def picture(trace: Trace) -> str:
    """Return the plot of SNR by operator as SVG, with a title on each mark; nothing for a trace without SNR."""
    rows = [one for one in trace.operators if one.accumulated_snr is not None]
    if not rows:
        return ""
    named = wording.culprit_places(trace)
    marks = "".join(
        _mark(n, len(rows), one, (one.subgraph, one.operator) in named) for n, one in enumerate(rows)
    )
    lines = "".join(_line(name, [getattr(one, field) for one in rows]) for name, field in _SERIES)
    grid = "".join(_grid(level) for level in range(0, int(_MOST) + 1, 20))
    each = -(-len(rows) // _NUMBERS)
    numbers = "".join(_number(n, len(rows), one) for n, one in enumerate(rows) if n % each == 0)
    key = "".join(
        f'<b class="{name}">{words}</b>' for name, words in _KEY if name != "device" or trace.device
    )
    head = f'<svg class="snr" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="SNR by operator">'
    drawing = f"{head}{grid}{numbers}{lines}{marks}</svg>"
    return f'<figure tabindex="0"><p class="key">SNR in dB by operator: {key}</p>{drawing}</figure>'


_SERIES = (
    ("twin", "twin_snr"), ("alone", "alone_snr"), ("device", "device_snr"), ("whole", "accumulated_snr"),
)  # fmt: skip
_KEY = (
    ("whole", "whole model"), ("alone", "operator alone"), ("twin", "possible"), ("device", "device"),
    ("culprit", "culprit"),
)  # fmt: skip


def _x(n: int, count: int) -> float:
    return round(_LEFT + (_WIDTH - _LEFT - 10) * (n + 0.5) / count, 1)


def _y(snr: float) -> float:
    return round(_HEIGHT - _BOTTOM - (_HEIGHT - _BOTTOM - 10) * min(max(snr, 0.0), _MOST) / _MOST, 1)


def _grid(level: int) -> str:
    y = _y(level)
    return f'<line x1="{_LEFT}" y1="{y}" x2="{_WIDTH}" y2="{y}"/><text x="4" y="{y + 4}">{level}</text>'


def _number(n: int, count: int, one: TracedOperator) -> str:
    label = f"{one.subgraph}:{one.operator}" if one.subgraph else f"#{one.operator}"
    return f'<text x="{_x(n, count)}" y="{_HEIGHT - 6}" text-anchor="middle">{label}</text>'


def _line(name: str, values: list[float | None]) -> str:
    """Return a line with gaps at unknown values."""
    steps, known = "", False
    for n, value in enumerate(values):
        if value is not None:
            steps += f"{'L' if known else 'M'}{_x(n, len(values))} {_y(value)}"
        known = value is not None
    return f'<path class="{name}" d="{steps}"/>' if "L" in steps else ""


def _mark(n: int, count: int, one: TracedOperator, culprit: bool) -> str:
    told = text(
        f"{wording.where(one)} {one.name}: {one.accumulated_snr:.1f} dB, avoidable {one.avoidable_db:.1f} dB"
    )
    kind = ' class="culprit"' if culprit else ""
    place = f'cx="{_x(n, count)}" cy="{_y(one.accumulated_snr or 0)}" r="{5 if culprit else 2.5}"'
    return f"<circle{kind} {place}><title>{told}</title></circle>"
