"""What becomes of a broken model, measured: in the words the profiles state under ``effects``.

What only BUILTIN_REF refuses does not count, it is there for debugging; a crash counts wherever it happens. A model
that no real number says the meaning of is ignored in what makes it so where its results stay the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from typing import Protocol

from tests.differential.oracle import Refused
from tests.differential.rules_changes import FAINT, MALFORMED

#: How LiteRT begins or ends what it says of a kernel that was loaded and then failed, and of a process that died.
AT_RUN, DEAD = "failed to invoke", ("process ended", "TimeoutError")


IGNORED = "ignored by LiteRT, may matter on hardware"


class Seen(Protocol):
    """What evidence needs of an outcome."""

    @property
    def change(self) -> str: ...
    @property
    def paths(self) -> tuple[str, ...]: ...
    @property
    def noted(self) -> tuple[str, ...]: ...
    @property
    def effect(self) -> str: ...


class Evidence:
    """By the path of a requirement, what became of the models that break it and nothing else, and how often."""

    def __init__(self) -> None:
        self.seen: dict[str, Counter[str]] = {}

    def add(self, outcome: Seen) -> None:
        """Count an outcome, unless it breaks several requirements or tells nothing of the one."""
        paths = set(outcome.paths) or set(outcome.noted)
        if len(paths) != 1 or not outcome.effect:
            return
        path = paths.pop()
        malformed = path.endswith("/granularity") and outcome.change.endswith(MALFORMED)
        if not malformed and not (outcome.effect == IGNORED and outcome.change.endswith(FAINT)):
            self.seen.setdefault(path, Counter())[outcome.effect] += 1


def effect_of(answers: Mapping[str, object], wrong: Collection[str] | None) -> str:
    """One effect from what each resolver answered; ``wrong`` are those that ran and computed something else."""
    said = {resolver: a.message for resolver, a in answers.items() if isinstance(a, Refused)}
    if any(message.startswith(DEAD) for message in said.values()):
        return "crashes"
    said = {r: message for r, message in said.items() if r != "reference" or len(said) == len(answers)}
    if said and set(said) == {"xnnpack"} and len(answers) > 1 and not wrong:
        return "rejected by the default interpreter only"
    if said:
        return "fails at run time" if all(AT_RUN in m for m in said.values()) else "fails to load"
    if wrong is None:
        return ""
    if wrong and "xnnpack" not in wrong and "xnnpack" in answers:
        return "wrong results without the default delegate" if "optimized" in wrong else IGNORED
    return "wrong results" if wrong else IGNORED
