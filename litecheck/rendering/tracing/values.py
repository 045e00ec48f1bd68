"""Plain values of a trace for JSON, and node data for Model Explorer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, replace
from typing import Any

from litecheck.rendering.escape import json_values
from litecheck.rendering.node_data import Colors, GraphNode, graph_name, node_data
from litecheck.rendering.tracing import wording
from litecheck.tracing.trace_result import Trace

#: Version of the format; it increases when a key changes its meaning or is removed.
VERSION = 1
_CULPRIT: Colors = ("#c44400", "#ffffff")


def values(trace: Trace) -> dict[str, Any]:
    """Return the trace as plain dicts and lists; schemas/trace.schema.json describes them."""
    return {
        "litecheck_trace": VERSION,
        "exit_code": trace.exit_code,
        "answer": wording.answer(trace),
        **_trace_values(trace),
    }


def _trace_values(trace: Trace) -> dict[str, Any]:
    plain: dict[str, Any] = json_values(asdict(replace(trace, distributions=())))
    del plain["distributions"], plain["doubt"], plain["parent"]
    plain["failures"] = list(trace.failures)
    for name, rows in (
        ("unmatched", trace.unmatched),
        ("missing", trace.missing),
        ("invalid", trace.invalid),
    ):
        plain[name] = [
            {"subgraph": sub, "operator": number, "opcode": opcode, "reason": reason}
            for sub, number, opcode, reason in rows
        ]
    plain["leading"] = (
        None if trace.leading is None else {"operator": trace.leading[0], "share": trace.leading[1]}
    )
    plain["against"] = None if trace.against is None else _trace_values(trace.against)
    return plain


def nodes(trace: Trace) -> dict[str, Any]:
    """Return Model Explorer's node data: the accumulated SNR of each operator, culprits in red."""
    return node_data(f"litecheck trace: SNR in dB, {trace.file}", _nodes(trace))


def _nodes(trace: Trace) -> Iterator[GraphNode]:
    named = wording.culprit_places(trace)
    for one in trace.operators:
        if one.accumulated_snr is not None:
            colors = _CULPRIT if (one.subgraph, one.operator) in named else _shade(one.accumulated_snr)
            value = round(one.accumulated_snr, 2)
            yield GraphNode(graph_name(one.subgraph), str(one.operator), value, colors)


def _shade(snr: float) -> Colors:
    """Return a background and a text color: darker for a lower SNR."""
    light = round(150 + 90 * min(max(snr, 0.0), wording.BAR_DB) / wording.BAR_DB)
    return f"#{light:02x}{light:02x}ff", "#000000"
