"""Plain values of a trace for JSON, and node data for Model Explorer."""

from __future__ import annotations

from dataclasses import asdict, replace
from math import isfinite
from typing import Any

from litecheck.rendering.escape import visible
from litecheck.rendering.tracing import wording
from litecheck.tracing.trace_result import Trace

#: Version of the format; it increases when a key changes its meaning or is removed.
VERSION = 1


def values(trace: Trace) -> dict[str, Any]:
    """Return the trace as plain dicts and lists; schemas/trace.schema.json describes them."""
    return {
        "litecheck_trace": VERSION,
        "exit_code": trace.exit_code,
        "answer": wording.answer(trace),
        **_plain(trace),
    }


def _plain(trace: Trace) -> dict[str, Any]:
    plain: dict[str, Any] = _finite(asdict(replace(trace, distributions=())))
    del plain["distributions"], plain["doubt"]
    plain["failures"] = list(trace.failures)
    for name, rows in (("unmatched", trace.unmatched), ("missing", trace.missing)):
        plain[name] = [
            {"subgraph": sub, "operator": number, "opcode": opcode, "reason": reason}
            for sub, number, opcode, reason in rows
        ]
    plain["leading"] = (
        None if trace.leading is None else {"operator": trace.leading[0], "share": trace.leading[1]}
    )
    plain["against"] = None if trace.against is None else _plain(trace.against)
    return plain


def _finite(value: Any) -> Any:
    """Return plain values with null in place of numbers that JSON lacks, and names that are visible."""
    if isinstance(value, dict):
        return {key: _finite(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(inner) for inner in value]
    if isinstance(value, float):
        return value if isfinite(value) else None
    return visible(value) if isinstance(value, str) else value


def nodes(trace: Trace) -> dict[str, Any]:
    """Return Model Explorer's node data: the accumulated SNR of each operator, culprits in red."""
    named = wording.culprit_places(trace)
    graphs: dict[str, Any] = {}
    name = visible(f"litecheck trace: SNR in dB, {trace.file}")
    for one in trace.operators:
        if one.accumulated_snr is not None:
            background, text = (
                ("#c44400", "#ffffff")
                if (one.subgraph, one.operator) in named
                else _shade(one.accumulated_snr)
            )
            key = f"subgraph_{one.subgraph}" if one.subgraph else "main"
            graphs.setdefault(key, {"name": name, "results": {}})["results"][str(one.operator)] = {
                "value": round(one.accumulated_snr, 2),
                "bgColor": background,
                "textColor": text,
            }
    return graphs or {"main": {"name": name, "results": {}}}


def _shade(snr: float) -> tuple[str, str]:
    """Return a background and a text color: darker for a lower SNR."""
    light = round(150 + 90 * min(max(snr, 0.0), wording.BAR_DB) / wording.BAR_DB)
    return f"#{light:02x}{light:02x}ff", "#000000"
