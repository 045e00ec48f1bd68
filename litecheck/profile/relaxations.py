"""What a profile relaxes: requirements of its parent under ``relaxes:``, each with a reason."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from litecheck.errors import ProfileError
from litecheck.finding import Demand
from litecheck.profile.constraints import parse
from litecheck.profile.lazy import Lazy
from litecheck.profile.types import Constraint, OperatorRule, Relaxation, Requirement, Roles, Rules
from litecheck.profile.yaml_reader import Node, entries, text, texts
from litecheck.spelling import did_you_mean


def relaxations(
    name: str, file: str, section: Node | None, inherited: Mapping[str, Relaxation], rules: Rules
) -> Mapping[str, Relaxation]:
    """What a file relaxes, over what its parent does."""
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
    because, shows = text(entry.get("because")), text(entry.get("shows"), "waived")
    if not because or "value" not in entry or shows not in ("waived", "conforms"):
        message = "relaxing takes a value, a because, and shows: waived or conforms"
        raise ProfileError(demand.file, demand.line, message)
    allowed = _allowed(entry.values["value"], requirement, rule.roles, demand)
    return Relaxation(allowed, because, demand, shows)


def _allowed(node: Node, requirement: Requirement, roles: tuple[str, ...], demand: Demand) -> Constraint:
    """The value of a relaxation; for same_quantization it is the shorter list of roles that still share."""
    if requirement.verb in ("operands", "unsupported"):
        message = f"{requirement.verb} cannot be relaxed: there is nothing to compute without them"
        raise ProfileError(demand.file, demand.line, message)
    if requirement.verb != "same_quantization":
        return parse(node, requirement.verb, roles)
    for role in texts(node):
        if role not in roles:
            raise ProfileError(demand.file, demand.line, f"no operand {role!r}{did_you_mean(role, roles)}")
    return Roles(texts(node))


def relaxed(rule: OperatorRule, relaxes: Mapping[str, Relaxation]) -> OperatorRule:
    """The rule with each requirement that is relaxed saying so."""

    def attach(r: Requirement) -> Requirement:
        return replace(r, relaxed=relaxes[r.path]) if r.path in relaxes else r

    if not any(r.path in relaxes for r in rule.all_requirements()):
        return rule
    return replace(
        rule,
        requirements=tuple(map(attach, rule.requirements)),
        any_of=tuple(replace(a, requirements=tuple(map(attach, a.requirements))) for a in rule.any_of),
    )
