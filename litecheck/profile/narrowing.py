"""The law of extension: a profile that extends another only narrows it, and is nowhere milder."""

from __future__ import annotations

from collections.abc import Mapping

from litecheck.errors import ProfileError
from litecheck.finding import LEVELS
from litecheck.profile.constraints import narrower
from litecheck.profile.paths import path_matches
from litecheck.profile.types import OperatorRule, Profile, Requirement


def only_narrows(
    parent: Profile, rules: Mapping[str, OperatorRule], file: str, levels: Mapping[str, int], top: int
) -> None:
    """Raise ProfileError unless every demand of the parent is still there, as narrow and as grave.

    ``levels`` are the lines of the file's own level patterns, ``top`` is its first line.
    """
    comparison = _Comparison(parent.name, file, levels, top)
    for opcode, old in parent.operators.items():
        if not rules[opcode].unsupported:
            comparison.operator(opcode, rules[opcode], old)


class _Comparison:
    def __init__(self, parent: str, file: str, levels: Mapping[str, int], top: int) -> None:
        self.parent, self.file, self.levels, self.top = parent, file, levels, top

    def operator(self, opcode: str, new: OperatorRule, old: OperatorRule) -> None:
        line = new.demand.line if new.demand else 0
        if not new.optional <= old.optional:
            extra = ", ".join(sorted(new.optional - old.optional))
            raise ProfileError(self.file, line, f"{opcode}: {self.parent} does not let {extra} be absent")
        mine = {r.path: r for r in new.requirements}
        for r in old.requirements:
            self.requirement(mine.get(r.path), r, line)
        for alternative in old.any_of:
            others = {r.path: r for a in new.any_of if a.name == alternative.name for r in a.requirements}
            for r in alternative.requirements:
                self.requirement(others.get(r.path), r, line)
        if {a.name for a in new.any_of} - {a.name for a in old.any_of} and old.any_of:
            raise ProfileError(self.file, line, f"{opcode}: a further alternative allows more")

    def requirement(self, mine: Requirement | None, old: Requirement, line: int) -> None:
        if mine is None:
            if old.verb in ("operands", "dtype"):
                return
            message = f"{old.path}: {self.parent} demands {old.value}, which is gone here"
            raise ProfileError(self.file, line, message)
        if old.verb != "operands" and not narrower(mine.value, old.value):
            message = (
                f"{old.path}: {mine.value} allows more than {self.parent}'s {old.value} ({old.demand}); "
            )
            raise ProfileError(
                self.file, mine.demand.line, message + "loosening goes under relaxes, with a because"
            )
        if LEVELS.index(mine.level) < LEVELS.index(old.level):
            message = f"{old.path}: {mine.level} is milder than {self.parent}'s {old.level}"
            line = next(
                (n for pattern, n in self.levels.items() if path_matches(old.path, pattern)), self.top
            )
            raise ProfileError(self.file, line, message)
