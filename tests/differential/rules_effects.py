"""Measured effects of broken models, named as in the profiles' ``effects``.

A rejection by BUILTIN_REF only does not count, because it is for debugging; a crash counts on any resolver. A model
without stated real values counts as ignored if its outputs are unchanged.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from typing import Protocol

from tests.differential.oracle import Refused
from tests.differential.rules_changes import FAINT, MALFORMED

#: Beginning or end of LiteRT's message for a kernel that fails at run time, and for a process that ended.
AT_RUN, DEAD = "failed to invoke", ("process ended", "TimeoutError")


IGNORED = "ignored by LiteRT, may matter on hardware"


class Seen(Protocol):
    """Attributes of an outcome that evidence needs."""

    @property
    def change(self) -> str: ...
    @property
    def paths(self) -> tuple[str, ...]: ...
    @property
    def noted(self) -> tuple[str, ...]: ...
    @property
    def effect(self) -> str: ...


class Evidence:
    """Observed effects of the models that violate a single requirement only, with counts, by path."""

    def __init__(self) -> None:
        self.seen: dict[str, Counter[str]] = {}

    def add(self, outcome: Seen) -> None:
        """Count an outcome, unless it violates several requirements or proves nothing about its requirement."""
        paths = set(outcome.paths) or set(outcome.noted)
        if len(paths) != 1 or not outcome.effect:
            return
        path = paths.pop()
        malformed = path.endswith("/granularity") and outcome.change.endswith(MALFORMED)
        if not malformed and not (outcome.effect == IGNORED and outcome.change.endswith(FAINT)):
            self.seen.setdefault(path, Counter())[outcome.effect] += 1


def effect_of(answers: Mapping[str, object], wrong: Collection[str] | None) -> str:
    """Return one effect from the answers of all resolvers; ``wrong`` are the resolvers with wrong outputs."""
    messages = {resolver: a.message for resolver, a in answers.items() if isinstance(a, Refused)}
    if any(message.startswith(DEAD) for message in messages.values()):
        return "crashes"
    messages = {
        r: message for r, message in messages.items() if r != "reference" or len(messages) == len(answers)
    }
    if messages and set(messages) == {"xnnpack"} and len(answers) > 1 and not wrong:
        return "rejected by the default interpreter only"
    if messages:
        return "fails at run time" if all(AT_RUN in m for m in messages.values()) else "fails to load"
    if wrong is None:
        return ""
    if wrong and "xnnpack" not in wrong and "xnnpack" in answers:
        return "wrong results without the default delegate" if "optimized" in wrong else IGNORED
    return "wrong results" if wrong else IGNORED
