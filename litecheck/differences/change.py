"""Changes between two models as plain data."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Literal, get_args

ChangeKind = Literal[
    "operator-added",
    "operator-removed",
    "operator-replaced",
    "operator-version",
    "option",
    "operand-order",
    "operand-presence",
    "rewired",
    "dtype",
    "shape",
    "granularity",
    "scale",
    "zero-point",
    "axis",
    "block-quantization",
    "constant",
    "constancy",
    "variable",
    "subgraph",
    "model-inputs",
    "model-outputs",
    "name",
    "signature",
    "metadata",
    "finding-new",
    "finding-gone",
    "output-values",
]
KINDS: tuple[ChangeKind, ...] = get_args(ChangeKind)


@dataclass(frozen=True, slots=True)
class Change:
    """One change.

    ``operator`` is the number in the first model and ``other`` in the second, -1 if there is none. ``before`` and
    ``after`` are the values in words. ``changed`` of ``elements`` differ; ``relative`` is the root mean square
    difference as a share of the old values, 0 to 1 and more. ``cause`` is the number of the change that this change
    follows from, -1 for a cause of its own. Example: a bias scale follows from the scale of the weight.
    """

    kind: ChangeKind
    subgraph: int = 0
    operator: int = -1
    other: int = -1
    opcode: str = ""
    name: str = ""
    role: str = ""
    before: str = ""
    after: str = ""
    text: str = ""
    changed: int = 0
    elements: int = 0
    relative: float = 0.0
    cause: int = -1


@dataclass(frozen=True, slots=True)
class OutputComparison:
    """Run of both models on the same random inputs: seed, arithmetic, and numbers of compared and different operators.

    An operator is compared if both models have it, and if it has an output. Example: 6 compared, 0 different.
    """

    seed: int
    arithmetic: str
    compared: int
    different: int


@dataclass(frozen=True, slots=True)
class ModelDifference:
    """The selected changes from one file to another; ``matched`` operators have a partner.

    ``unselected`` is the number of changes whose kind was not selected. They do not count for the exit code. ``run`` is
    the run of both models, or None without a run.
    """

    version: str
    first: str
    second: str
    changes: tuple[Change, ...]
    matched: int
    operators: tuple[int, int]
    unselected: int = 0
    run: OutputComparison | None = None

    @property
    def causes(self) -> tuple[Change, ...]:
        """Changes that follow from no other change."""
        return tuple(change for change in self.changes if change.cause < 0)

    @property
    def exit_code(self) -> int:
        """1 if a selected change was found, else 0."""
        return int(bool(self.changes))


def select_changes(
    changes: list[Change], select: tuple[str, ...], ignore: tuple[str, ...]
) -> tuple[Change, ...]:
    """Return the changes of the selected kinds, with their causes renumbered. Patterns may have wildcards: ``oper*``."""

    def wanted(change: Change) -> bool:
        chosen = not select or any(fnmatchcase(change.kind, pattern) for pattern in select)
        return chosen and not any(fnmatchcase(change.kind, pattern) for pattern in ignore)

    kept = [n for n, change in enumerate(changes) if wanted(change)]
    places = {old: new for new, old in enumerate(kept)}
    return tuple(replace(changes[n], cause=places.get(changes[n].cause, -1)) for n in kept)
