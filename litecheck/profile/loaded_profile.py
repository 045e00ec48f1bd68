"""Profiles as loaded, with the data for profiles that extend them, and the checks of a user's file."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from litecheck.errors import ProfileError
from litecheck.finding import Effect, Level
from litecheck.profile.extension import kinds_reach, only_narrows
from litecheck.profile.parser import PSEUDO
from litecheck.profile.paths import Patterns, every_kind, path_matches
from litecheck.profile.rule_drafts import OperatorDraft, RawRequirement
from litecheck.profile.types import OperatorRule, Profile, Relaxation, Rules
from litecheck.profile.yaml_reader import MappingNode
from litecheck.spelling import did_you_mean

#: Sections with patterns of requirement paths.
_PATTERNS = ("levels", "effects", "reasons", "hints")
#: Keys of a file that changes only the operators that it names.
_INHERITING = frozenset(
    ("profile", "title", "source", "extends", "ops", "relaxes", "conformance", "rewrites", *_PATTERNS)
)


@dataclass(frozen=True, slots=True)
class LoadedProfile:
    """A profile with the drafts for profiles that extend it, and the names of its parts, its own name last."""

    profile: Profile
    rules: Rules
    drafts: Mapping[str, OperatorDraft]
    kinds: dict[str, dict[str, RawRequirement]]
    levels: Patterns[Level]
    effects: Patterns[Effect]
    reasons: Patterns[str]
    hints: Patterns[str]
    relaxes: Mapping[str, Relaxation]
    lineage: tuple[str, ...]


def check_profile(top: MappingNode, loaded: LoadedProfile, parent: LoadedProfile | None) -> None:
    """Check the rules of a file: they must only narrow the parent's rules, and every pattern must match a path.

    ``top`` is the file. Raise ProfileError.
    """
    rules = {
        opcode: loaded.profile.operators[opcode] for opcode in changed_operators(top, loaded.rules, parent)
    }
    if parent:
        only_narrows(parent.profile, rules, top.file, top.entries("levels").lines, top.line)
        if "kinds" in top:
            kinds_reach(loaded.kinds, parent.kinds, loaded.rules)
    if not any(key in top for key in _PATTERNS):
        return
    hinted = [f"{opcode}/unsupported" for opcode in loaded.profile.unlisted_hints]
    paths = _paths(rules)
    for key in _PATTERNS:
        beside = hinted if key == "hints" else []
        known = [*paths, *beside]
        for pattern, line in top.entries(key).lines.items():
            if not any(path_matches(path, pattern) for path in known):
                hint = did_you_mean(pattern, [*_paths(loaded.rules), *beside])
                raise ProfileError(top.file, line, f"no requirement {pattern!r}{hint}")


def changed_operators(
    top: MappingNode, operators: Collection[str], parent: LoadedProfile | None
) -> Collection[str]:
    """Return the operators whose rules may differ from the parent's: those that a file names, or all of them.

    Rules are built on first access. A file of ten lines over a parent of 120 operators then costs 10 ms in place of
    500 ms.
    """
    own = top.entries("ops").values
    if parent is None or not _INHERITING.issuperset(top.values) or not own.keys().isdisjoint(PSEUDO):
        return operators
    named = [pattern.strip("/").split("/")[0] for key in _PATTERNS for pattern in top.entries(key).values]
    return [op for op in operators if op in own or any(path_matches(op, name) for name in named)]


def _paths(rules: Mapping[str, OperatorRule]) -> list[str]:
    """Return the paths of the requirements of rules, and of their kinds of faults."""
    every = [r for rule in rules.values() for r in rule.all_requirements()]
    return [
        *(r.path for r in every),
        *(f"{r.path}/{kind}" for r in every for kind in every_kind(r.verb)),
    ]
