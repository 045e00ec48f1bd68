"""Words of a difference between two models: the summary, groups of alike changes, and the line of a change."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from litecheck.differences.change import Change, ChangeKind, ModelDifference, OutputComparison
from litecheck.rendering.operator_names import operator_name, subgraph_prefix
from litecheck.summary_text import count_of

#: Name of each kind of change, singular and plural.
NOUNS: dict[ChangeKind, tuple[str, str]] = {
    "operator-added": ("operator added", "operators added"),
    "operator-removed": ("operator removed", "operators removed"),
    "operator-replaced": ("operator replaced", "operators replaced"),
    "operator-version": ("operator version changed", "operator versions changed"),
    "option": ("option changed", "options changed"),
    "operand-order": ("operator with inputs in another order", "operators with inputs in another order"),
    "operand-presence": ("optional input added or removed", "optional inputs added or removed"),
    "rewired": ("input from another tensor", "inputs from other tensors"),
    "dtype": ("type changed", "types changed"),
    "shape": ("shape changed", "shapes changed"),
    "granularity": ("granularity changed", "granularities changed"),
    "scale": ("scale changed", "scales changed"),
    "zero-point": ("zero point changed", "zero points changed"),
    "axis": ("quantized dimension changed", "quantized dimensions changed"),
    "block-quantization": ("block quantization changed", "block quantizations changed"),
    "constant": ("constant changed", "constants changed"),
    "constancy": ("tensor became constant or computed", "tensors became constant or computed"),
    "variable": ("variable flag changed", "variable flags changed"),
    "subgraph": ("subgraph added or removed", "subgraphs added or removed"),
    "model-inputs": ("change of the inputs", "changes of the inputs"),
    "model-outputs": ("change of the outputs", "changes of the outputs"),
    "name": ("input or output renamed", "inputs or outputs renamed"),
    "signature": ("signature changed", "signatures changed"),
    "metadata": ("metadata changed", "metadata changed"),
    "finding-new": ("new finding", "new findings"),
    "finding-gone": ("finding gone", "findings gone"),
    "output-values": ("operator with different outputs", "operators with different outputs"),
}
#: Smallest number of changes of one kind and role that form a group.
GROUPED = 4


@dataclass(frozen=True, slots=True)
class ChangeGroup:
    """Causes of one kind and role, with the number of changes that follow from them."""

    kind: ChangeKind
    role: str
    changes: tuple[Change, ...]
    consequences: int


def summary(difference: ModelDifference) -> str:
    """Return the answer: ``same``, or the number of causes by kind, and of changes that follow from them."""
    if not difference.changes and difference.unselected:
        return f"no selected change; {count_of(difference.unselected, 'other change')}"
    if not difference.changes:
        return f"same: {count_of(difference.matched, 'operator')} compared"
    counts = Counter(change.kind for change in difference.causes)
    words = ", ".join(f"{n:,} {NOUNS[kind][n > 1]}" for kind, n in counts.most_common())
    follow = len(difference.changes) - len(difference.causes)
    return (
        f"{words}; {count_of(follow, 'more change')} {'follows' if follow == 1 else 'follow'}"
        if follow
        else words
    )


def facts(difference: ModelDifference) -> list[tuple[str, str]]:
    """Return the compared files, the matched operators and, after a run, the comparison of outputs, with labels."""
    old, new = difference.operators
    run = difference.run
    return [
        ("before", f"{difference.first}: {count_of(old, 'operator')}"),
        ("after", f"{difference.second}: {count_of(new, 'operator')}"),
        ("matched", count_of(difference.matched, "operator")),
        *([("outputs", outputs(run))] if run else []),
    ]


def outputs(run: OutputComparison) -> str:
    """Return ``different in 2 of 6 operators, in one inference on random inputs of seed 0, arithmetic tflm``."""
    return (
        f"different in {run.different:,} of {count_of(run.compared, 'operator')}, in one inference on random inputs of "
        f"seed {run.seed}, arithmetic {run.arithmetic}"
    )


def groups(difference: ModelDifference) -> tuple[ChangeGroup, ...]:
    """Return the causes by kind and role, in the order of their first."""
    followers = Counter(
        _root(difference.changes, n) for n, c in enumerate(difference.changes) if c.cause >= 0
    )
    found: dict[tuple[ChangeKind, str], list[int]] = {}
    for number, change in enumerate(difference.changes):
        if change.cause < 0:
            found.setdefault((change.kind, change.role), []).append(number)
    return tuple(
        ChangeGroup(
            kind, role, tuple(difference.changes[n] for n in numbers), sum(followers[n] for n in numbers)
        )
        for (kind, role), numbers in found.items()
    )


def _root(changes: Sequence[Change], number: int) -> int:
    seen = set()
    while changes[number].cause >= 0 and number not in seen:
        seen.add(number)
        number = changes[number].cause
    return number


def title(group: ChangeGroup) -> str:
    """Return ``53 constants changed (weight), rms 0.3-2 %; 53 more follow``."""
    n = len(group.changes)
    role = f" ({group.role})" if group.role else ""
    sizes = [change.relative for change in group.changes if change.kind == "constant" and change.relative]
    spread = f", rms {100 * min(sizes):.2g}-{100 * max(sizes):.2g} %" if len(sizes) > 1 else ""
    verb = "follows" if group.consequences == 1 else "follow"
    follow = (
        f"; {count_of(group.consequences, 'change')} {verb} from {'it' if n == 1 else 'them'}"
        if group.consequences
        else ""
    )
    return f"{n:,} {NOUNS[group.kind][n > 1]}{role}{spread}{follow}"


def place(change: Change) -> str:
    """Return ``CONV_2D #3`` and the new number if it is another: ``CONV_2D #3 (now #4)``."""
    if not change.opcode:
        return f"{subgraph_prefix(change.subgraph)}model"
    number = change.operator if change.operator >= 0 else change.other
    now = f" (now #{change.other})" if change.operator >= 0 <= change.other != change.operator else ""
    return f"{operator_name(change.subgraph, number, change.opcode)}{now}"


def words(change: Change) -> str:
    """Return the change: ``weight: 0.01 -> 0.02 (x 2, channel 3, 1 of 8 channels)``."""
    role = f"{change.role}: " if change.role else ""
    arrow = f"{change.before} -> {change.after}" if change.before or change.after else ""
    text = f"({change.text})" if arrow and change.text else change.text
    return f"{role}{' '.join(filter(None, (arrow, text)))}" or NOUNS[change.kind][0]
