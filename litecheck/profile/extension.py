"""Rules of extension: a profile that extends another only narrows it and is nowhere milder, except for relaxations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from litecheck.errors import ProfileError
from litecheck.finding import CPU, LEVELS, REFUSED, Demand, Level
from litecheck.profile.constraints import narrower, parse
from litecheck.profile.implicit_requirements import HAS_A_RULE, IN_THE_LIST
from litecheck.profile.lazy_mapping import Lazy
from litecheck.profile.paths import path_matches
from litecheck.profile.rule_drafts import RawRequirement
from litecheck.profile.types import (
    LISTED_HERE,
    Constraint,
    OperatorRule,
    Profile,
    Relaxation,
    Requirement,
    Roles,
    Rules,
)
from litecheck.profile.yaml_reader import Node, entries, texts
from litecheck.spelling import did_you_mean


def only_narrows(
    parent: Profile, rules: Mapping[str, OperatorRule], file: str, levels: Mapping[str, int], top: int
) -> None:
    """Raise ProfileError unless every requirement of the parent is still in these rules, as narrow and as grave.

    ``levels`` are the lines of the file's own level patterns, ``top`` is its first line.
    """
    comparison = _Comparison(parent.name, file, levels, top)
    for opcode, rule in rules.items():
        old = parent.operators.get(opcode)
        if old is None:
            _check_listed(parent, rule, file)
        elif not rule.unsupported:
            comparison.operator(opcode, rule, old)


#: Text for a profile's treatment of unlisted operators.
_UNLISTED = {
    "violation": "forbids operators that it does not list",
    CPU: "leaves operators that it does not list on the CPU",
    REFUSED: "has its compiler refuse operators that it does not list",
}


def _check_listed(parent: Profile, rule: OperatorRule, file: str) -> None:
    """Raise ProfileError for an entry that permits an operator outside the parent's list without a relaxation."""
    line, path = rule.demand.line if rule.demand else 0, f"{rule.opcode}/unsupported"
    opens = any(r.path == path and r.relaxation is None for r in rule.requirements)
    least: Level = "warning" if parent.unlisted == CPU else "violation"
    stays = rule.unsupported is not None and rule.unsupported.effect == CPU and parent.unlisted == REFUSED
    milder = rule.unsupported is not None and LEVELS.index(rule.unsupported.level) < LEVELS.index(least)
    milder = parent.unlisted in _UNLISTED and (milder or stays)
    if opens or milder:
        message = f"{rule.opcode}: {parent.name} {_UNLISTED[parent.unlisted]} ({parent.unlisted_demand}); "
        how = (
            f"loosening goes under relaxes, as {path}, with a because"
            if opens
            else "unsupported is milder here"
        )
        raise ProfileError(file, line, message + how)


def kinds_reach(
    kinds: Mapping[str, Mapping[str, RawRequirement]],
    inherited: Mapping[str, Mapping[str, RawRequirement]],
    rules: Mapping[str, OperatorRule],
) -> None:
    """Raise ProfileError for a statement about an inherited kind without effect: every tensor of the kind overrides
    it."""
    met = {(r.verb, r.demand) for rule in rules.values() for r in rule.all_requirements()}
    for kind, demands in kinds.items():
        for key, stated in demands.items():
            if kind in inherited and inherited[kind].get(key) != stated and (key, stated.demand) not in met:
                message = f"{kind}: {key} reaches no operand: each of this kind states its own under ops"
                raise ProfileError(stated.demand.file, stated.demand.line, message)


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


_SHOWS = ("waived", "conforms")


def relaxations(
    name: str, file: str, section: Node | None, inherited: Mapping[str, Relaxation], rules: Rules
) -> Mapping[str, Relaxation]:
    """Return the relaxations of a file, over those of its parent."""
    node = entries(section, file)

    def relaxation(path: str) -> Relaxation:
        if path not in node:
            return inherited[path]
        return _relaxation(path, node.values[path], Demand(name, file, node.lines[path]), rules)

    return Lazy(dict.fromkeys((*inherited, *node.values)), relaxation)


def _relaxation(path: str, value: Node, demand: Demand, rules: Rules) -> Relaxation:
    rule = rules.get(path.split("/")[0])
    requirement = rule and next((r for r in rule.all_requirements() if r.path == path), None)
    if not rule or not requirement:
        hint = did_you_mean(path, rules.paths())
        raise ProfileError(demand.file, demand.line, f"no requirement {path!r}{hint}")
    entry = entries(value, demand.file).only(("value", "because", "shows"))
    because, shows = entry.text("because"), entry.text("shows", "waived")
    if requirement.value in (HAS_A_RULE, IN_THE_LIST):
        if not because or "value" in entry or shows not in _SHOWS:
            message = (
                f"{path}: relaxing it takes a because, and shows: waived or conforms; the entry says the rest"
            )
            raise ProfileError(demand.file, demand.line, message)
        return Relaxation(LISTED_HERE, because, demand, shows)
    if not because or "value" not in entry or shows not in _SHOWS:
        message = "relaxing takes a value, a because, and shows: waived or conforms"
        raise ProfileError(demand.file, demand.line, message)
    allowed = _relaxed_value(entry.values["value"], requirement, rule.roles, demand)
    return Relaxation(allowed, because, demand, shows)


def _relaxed_value(
    node: Node, requirement: Requirement, roles: tuple[str, ...], demand: Demand
) -> Constraint:
    """Return the value of a relaxation; for same_quantization, the shorter list of roles that still share."""
    if requirement.verb in ("operands", "unsupported"):
        message = f"{requirement.verb} cannot be relaxed: there is nothing to compute without them"
        raise ProfileError(demand.file, demand.line, message)
    if requirement.verb != "same_quantization":
        return parse(node, requirement.verb, roles, requirement.path.rpartition("/")[2])
    for role in texts(node):
        if role not in roles:
            raise ProfileError(demand.file, demand.line, f"no operand {role!r}{did_you_mean(role, roles)}")
    return Roles(texts(node))


def mark_relaxed(rule: OperatorRule, relaxes: Mapping[str, Relaxation]) -> OperatorRule:
    """Return the rule with its relaxed requirements marked."""

    def attach(r: Requirement) -> Requirement:
        return replace(r, relaxation=relaxes[r.path]) if r.path in relaxes else r

    if not any(r.path in relaxes for r in rule.all_requirements()):
        return rule
    return replace(
        rule,
        requirements=tuple(map(attach, rule.requirements)),
        any_of=tuple(replace(a, requirements=tuple(map(attach, a.requirements))) for a in rule.any_of),
    )
