"""Impacts of findings that the context changes: types that the runtime computes, subgraphs that initialize variables."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from litecheck.finding import IGNORED, RUNTIME_FAILURES, Effect, Finding

#: Impacts of rejected models, and requirements of fields that the runtime reads when it loads a model.
_REJECTED: tuple[Effect, ...] = ("fails to load", "rejected by the default interpreter only")
#: Impacts of operators that only the default delegate rejects, and that only the default delegate runs.
_PARTIAL: tuple[Effect, ...] = (
    "rejected by the default interpreter only",
    "rejected without the default delegate",
)
_READ_AT_LOAD = ("/version", "/unsupported", "/unknown_types", "/options_table")


def ignore_types(found: Iterable[Finding]) -> list[Finding]:
    """Return the findings of an operator whose types the runtime computes: a wrong type has no effect on it."""
    return [
        replace(f, effect=IGNORED) if f.path.endswith("/dtype") and f.effect in RUNTIME_FAILURES else f
        for f in found
    ]


def combine_rejections(found: list[Finding]) -> list[Finding]:
    """Return the findings of an operator that LiteRT's own kernels and, for another reason, its default delegate reject:
    no resolver runs it."""
    violations = {f.effect for f in found if f.level == "violation" and not f.waiver}
    if not {*_PARTIAL} <= violations:
        return found
    return [replace(f, effect="fails to load") if f.effect in _PARTIAL else f for f in found]


def delay_rejections(found: Iterable[Finding]) -> list[Finding]:
    """Return the findings of a subgraph that only initializes variables: LiteRT rejects its operators when it runs.

    Versions and options are read when the model is loaded.
    """
    return [
        replace(f, effect="fails at run time")
        if f.effect in _REJECTED and not f.path.endswith(_READ_AT_LOAD)
        else f
        for f in found
    ]
