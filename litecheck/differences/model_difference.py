"""Difference of two models: changes of matched operators, operators without a partner, entry points, findings."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path

from litecheck.differences.change import (
    KINDS,
    Change,
    ChangeKind,
    ModelDifference,
    OutputComparison,
    select_changes,
)
from litecheck.differences.consequences import with_causes
from litecheck.differences.entry_points import entry_changes, model_changes
from litecheck.differences.findings import finding_changes
from litecheck.differences.operator_changes import operator_changes
from litecheck.errors import ConfigError
from litecheck.model.load import load_model
from litecheck.model.matching import SubgraphMatch, match
from litecheck.model.types import Model
from litecheck.public_call import shows_call
from litecheck.spelling import suggestion
from litecheck.version import __version__


@shows_call("litecheck.diff('a.tflite', 'b.tflite', select=['ADD'])")
def diff(
    first: Model | str | Path,
    second: Model | str | Path,
    *,
    select: Sequence[str] = (),
    ignore: Sequence[str] = (),
    seed: int | None = None,
    arithmetic: str = "litert-reference",
) -> ModelDifference:
    """Return the changes from one model to another.

    Operators are matched by structure, so that another order of operators or tensors, or other names of tensors inside,
    are no change. ``select`` and ``ignore`` are kinds of changes, with wildcards: ``scale``, ``finding-*``. With ``seed``,
    both models run on random inputs under ``arithmetic``, and operators with different outputs are changes; ``run`` counts
    the compared operators. ``/dev/null`` is an absent model, as git names it. Raise ModelError
    for files that cannot be read, ConfigError for a pattern that no kind has, RunError for models that do not run.
    """
    _check_patterns((*select, *ignore))
    one, other = _load(first), _load(second)
    found = match(one, other)
    changes: list[Change] = []
    for part in found.subgraphs:
        start = len(changes)
        placed = with_causes(part, tuple(operator_changes(part)))
        changes += [replace(c, cause=c.cause + start if c.cause >= 0 else -1) for c in placed]
        changes += (*_unmatched_changes(part), *entry_changes(part))
    changes += model_changes(found)
    changes += finding_changes(found, changes)
    run: OutputComparison | None = None
    if seed is not None and one.subgraphs and other.subgraphs:
        from litecheck.differences.output_changes import (
            output_changes,  # imported here because a comparison of files does not need the kernels
        )

        run, differing = output_changes(found, seed, arithmetic)
        changes += differing
    chosen = select_changes(changes, tuple(select), tuple(ignore))
    return ModelDifference(
        __version__,
        _model_name(one, "first"),
        _model_name(other, "second"),
        chosen,
        sum(len(part.operators) for part in found.subgraphs),
        (_count(one), _count(other)),
        len(changes) - len(chosen),
        run,
    )


def _load(model: Model | str | Path) -> Model:
    if isinstance(model, Model):
        return model
    # git gives this name to the missing side of an added or a deleted file
    return Model((), file=os.devnull) if str(model) == os.devnull else load_model(model)


def _model_name(model: Model, default: str) -> str:
    return f"{model.file}:{model.member}" if model.member else model.file or default


def _count(model: Model) -> int:
    return sum(len(subgraph.operators) for subgraph in model.subgraphs)


def _check_patterns(patterns: Sequence[str]) -> None:
    for pattern in patterns:
        if not any(fnmatchcase(kind, pattern) for kind in KINDS):
            hint = suggestion(pattern, KINDS, "the kinds are")
            raise ConfigError(f"unknown kind of change {pattern!r}{hint}")


def _unmatched_changes(part: SubgraphMatch) -> Iterator[Change]:
    for one in part.unmatched:
        kind: ChangeKind = "operator-added" if one.side else "operator-removed"
        numbers = (-1, one.operator) if one.side else (one.operator, -1)
        yield Change(kind, one.subgraph, *numbers, one.opcode, one.name, text=one.reason)
