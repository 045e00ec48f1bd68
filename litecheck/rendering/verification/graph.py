"""Node data for Model Explorer: each operator's outcome as a colour and a value on the picture of the graph."""

from __future__ import annotations

from collections import Counter
from typing import Any

from litecheck.devices.outcome import Outcome
from litecheck.rendering.escape import visible
from litecheck.verify.outcome import Operation, Verdict, Verification

#: How outcomes look: a sign, for who does not see colours, background, text. Green is well, red is wrong, violet gave no
#: answer, grey was not judged.
LOOKS: dict[Outcome, tuple[str, str, str]] = {
    Outcome.EXACT: ("=", "#2e7d32", "#ffffff"),
    Outcome.WITHIN: ("≈", "#9ccc65", "#000000"),
    Outcome.MISMATCH: ("≠", "#c62828", "#ffffff"),
    Outcome.WRONG_SHAPE: ("S", "#ad1457", "#ffffff"),
    Outcome.FLAKY: ("F", "#ef6c00", "#000000"),
    Outcome.NOT_DELEGATED: ("N", "#bdbdbd", "#000000"),
    Outcome.NOT_SUPPORTED: ("U", "#a1887f", "#000000"),
    Outcome.REFUSED: ("R", "#8e24aa", "#ffffff"),
    Outcome.CRASHED: ("C", "#4a148c", "#ffffff"),
    Outcome.TIMED_OUT: ("T", "#5e35b1", "#ffffff"),
    Outcome.OUT_OF_MEMORY: ("M", "#7b1fa2", "#ffffff"),
    Outcome.NO_REFERENCE: ("–", "#757575", "#ffffff"),
    Outcome.INITIAL_ONLY: ("I", "#546e7a", "#ffffff"),
    Outcome.NOT_TRIED: ("·", "#e0e0e0", "#000000"),
}
_NUMBERED = frozenset({Outcome.EXACT, Outcome.WITHIN, Outcome.MISMATCH, Outcome.FLAKY})
#: Where cases overlap in an operator, the first of these is shown.
_GRAVEST = (
    *(o for o in Outcome if o.judged and not o.good),
    *(o for o in Outcome if not o.judged),
    Outcome.WITHIN,
    Outcome.EXACT,
)


def nodes(verification: Verification) -> dict[str, Any]:
    """Graph id -> results by output tensor, or by operator number where a name is none's own.

    The value is the share of elements that differ, or the outcome where nothing was compared.
    """
    told = by_operator(verification)
    operations = {(o.subgraph, o.index): o for o in verification.operations}
    names = Counter((o.subgraph, name) for o in verification.operations for name in o.output_names)
    title = visible(f"litecheck verify: {verification.device}")
    graphs: dict[str, Any] = {}
    for place in sorted(told):
        graph = graphs.setdefault(_graph(place[0], operations.get(place)), {"name": title, "results": {}})
        for key in _keys(operations.get(place), place, names):
            graph["results"][key] = _result(told[place])
    return graphs or {"main": {"name": title, "results": {}}}


def by_operator(verification: Verification) -> dict[tuple[int, int], Verdict]:
    """(subgraph, operator) -> its case; where several hold the operator, the gravest."""
    told: dict[tuple[int, int], Verdict] = {}
    for verdict in sorted(verification.verdicts, key=lambda v: _GRAVEST.index(v.outcome)):
        for index in verdict.operators:
            told.setdefault((verdict.subgraph, index), verdict)
    return told


def _graph(subgraph: int, operation: Operation | None) -> str:
    """Model Explorer's name of a subgraph: its own, or a number's."""
    own = operation.graph if operation is not None else ""
    return own or (f"subgraph_{subgraph}" if subgraph else "main")


def _keys(operation: Operation | None, place: tuple[int, int], names: Counter[tuple[int, str]]) -> list[str]:
    subgraph, index = place
    outputs = () if operation is None else operation.output_names
    # A name of digits alone would be read as an operator's number.
    own = [name for name in outputs if name and not name.isdecimal() and names[subgraph, name] == 1]
    return own or [str(index)]


def _result(verdict: Verdict) -> dict[str, Any]:
    size = sum(d.size for d in verdict.differences)
    compared = verdict.outcome in _NUMBERED and (size or verdict.outcome is Outcome.EXACT)
    _, background, text = LOOKS[verdict.outcome]
    value = verdict.mismatches / max(size, 1) if compared else verdict.outcome.value
    return {"value": value, "bgColor": background, "textColor": text}
