"""Plain values of a verification: the JSON report, which verify/serialize.py reads back, and Model Explorer's node
data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from litecheck.comparison.admitted_arithmetics import PublishedAgreement
from litecheck.comparison.types import MismatchCluster
from litecheck.comparison.wording import element_sentence, gathering_sentence
from litecheck.devices.outcome import Outcome
from litecheck.rendering.node_data import GraphNode, graph_name, node_data
from litecheck.typed_json import encode
from litecheck.verification.result import Operation, Verdict, Verification
from litecheck.verification.serialize import to_json

#: Look of each outcome: symbol (legible without color), background, text color. Green is good, red is wrong, violet has
#: no answer, gray was not checked.
LOOKS: dict[Outcome, tuple[str, str, str]] = {
    Outcome.EXACT: ("=", "#2e7d32", "#ffffff"),
    Outcome.WITHIN: ("≈", "#9ccc65", "#000000"),
    Outcome.SATURATED: ("]", "#455a64", "#ffffff"),
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
    Outcome.NOT_RECORDED: ("O", "#616161", "#ffffff"),
    Outcome.INITIAL_ONLY: ("I", "#546e7a", "#ffffff"),
    Outcome.NOT_TRIED: ("·", "#e0e0e0", "#000000"),
}
_NUMBERED = frozenset({Outcome.EXACT, Outcome.WITHIN, Outcome.MISMATCH, Outcome.FLAKY})
#: Outcomes by severity: an operator of several cases has the first of them.
_GRAVEST = (
    *(o for o in Outcome if o.judged and not o.good),
    *(o for o in Outcome if not o.judged),
    Outcome.WITHIN,
    Outcome.EXACT,
)


def values(verification: Verification) -> dict[str, Any]:
    """Return the record with derived values: verdict, exit code, counts, and failing cases."""
    record = to_json(verification)
    record["verdicts"] = [
        {**_add_sentences(told, verdict), "failing": verification.failing(verdict)}
        for told, verdict in zip(record["verdicts"], verification.verdicts, strict=True)
    ]
    derived = {
        "verdict": verification.verdict,
        "exit_code": verification.exit_code,
        "counts": {outcome.value: n for outcome, n in verification.counts().items()},
        "agreement": encode(verification.agreement, PublishedAgreement),
    }
    return {"litecheck_verification": record.pop("litecheck_verification"), **derived, **record}


def _add_sentences(record: Mapping[str, Any], verdict: Verdict) -> dict[str, Any]:
    """Return the JSON of a verdict with ``gathers``, the sentences of its patterns, and ``sentence``, its explained
    element."""
    differences, causes = [], []
    for told, difference in zip(record["differences"], verdict.differences, strict=True):
        explained = told["explained"]
        if difference.explained is not None:
            explained = {"sentence": element_sentence(difference.explained), **explained}
        differences.append({**_add_patterns(told, difference.patterns), "explained": explained})
    for told, cause in zip(record["causes"], verdict.causes, strict=True):
        causes.append(_add_patterns(told, cause.patterns))
    return {**record, "differences": differences, "causes": causes}


def _add_patterns(record: Mapping[str, Any], patterns: Sequence[MismatchCluster]) -> dict[str, Any]:
    return {**record, "gathers": list(map(gathering_sentence, patterns))}


def nodes(verification: Verification) -> dict[str, Any]:
    """Return graph -> node -> share of differing elements, or the outcome if no output was compared.

    Nodes are output tensors, or operator numbers if a tensor's name is not unique.
    """
    told = by_operator(verification)
    operations = {(o.subgraph, o.index): o for o in verification.operations}
    names = Counter((o.subgraph, name) for o in verification.operations for name in o.output_names)
    found = (
        _node(told[place], _graph(place[0], operations.get(place)), key)
        for place in sorted(told)
        for key in _keys(operations.get(place), place, names)
    )
    return node_data(f"litecheck verify: {verification.device}", found)


def by_operator(verification: Verification) -> dict[tuple[int, int], Verdict]:
    """Map (subgraph, operator) to its case; if several cases have the operator, to the most severe."""
    told: dict[tuple[int, int], Verdict] = {}
    for verdict in sorted(verification.verdicts, key=lambda v: _GRAVEST.index(v.outcome)):
        for index in verdict.operators:
            told.setdefault((verdict.subgraph, index), verdict)
    return told


def _graph(subgraph: int, operation: Operation | None) -> str:
    """Return Model Explorer's name of a subgraph: its own name, or a number."""
    return (operation.graph if operation is not None else "") or graph_name(subgraph)


def _keys(operation: Operation | None, place: tuple[int, int], names: Counter[tuple[int, str]]) -> list[str]:
    subgraph, index = place
    outputs = () if operation is None else operation.output_names
    # A name of digits alone would be read as an operator's number.
    own = [name for name in outputs if name and not name.isdecimal() and names[subgraph, name] == 1]
    return own or [str(index)]


def _node(verdict: Verdict, graph: str, key: str) -> GraphNode:
    size = sum(d.size for d in verdict.differences)
    compared = verdict.outcome in _NUMBERED and (size or verdict.outcome is Outcome.EXACT)
    value = verdict.mismatches / max(size, 1) if compared else verdict.outcome.text
    return GraphNode(graph, key, value, LOOKS[verdict.outcome][1:])
