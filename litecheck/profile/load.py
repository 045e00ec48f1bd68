"""Rule files to Profiles: kinds applied, inheritance checked, levels and relaxations attached."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from litecheck.data import rules_dir
from litecheck.errors import ProfileError
from litecheck.profile.conformance import read_conformance
from litecheck.profile.constraints import narrower, parse
from litecheck.profile.draft import OPERAND_VERBS, Clause, OperatorDraft, Reader, Stated
from litecheck.profile.levels import Levels
from litecheck.profile.paths import path_matches
from litecheck.profile.strict import Entries, Node, did_you_mean, entries, read_yaml, text, texts
from litecheck.profile.types import (
    Alternative,
    Constraint,
    Exactly,
    OneOf,
    OperatorRule,
    ProductOf,
    Profile,
    Range,
    Relaxation,
    Requirement,
    Roles,
    Rules,
    SameAs,
)
from litecheck.quantization import INTEGER_RANGES
from litecheck.report import LEVELS, Demand, Level, counted

_KEYS = (
    "profile", "title", "source", "extends", "activations", "unlisted", "kinds", "ops", "levels", "relaxes",
    "conformance",
)  # fmt: skip
_UNLISTED = ("not covered", "violation")
_DEPTH = 8


@dataclass(frozen=True, slots=True)
class _Loaded:
    """A profile with the drafts its children build on."""

    profile: Profile
    rules: Rules
    drafts: dict[str, OperatorDraft]
    kinds: dict[str, dict[str, Stated]]
    levels: Levels
    relaxes: dict[str, Relaxation]


def profile_names() -> tuple[str, ...]:
    """The profiles that come with litecheck, by name; those of targets stand behind the specifications."""
    files = [*rules_dir().glob("litert-*.yaml"), *rules_dir().glob("targets/*.yaml")]
    return tuple(sorted((f.stem for f in files), key=lambda name: (not name.startswith("litert"), name)))


def load_profile(name: str | Path) -> Profile:
    """A profile by name (``litert-int8``) or by file; raises ProfileError with file and line."""
    return _load(*_find(str(name), None), 0).profile


def _find(name: str, near: Path | None) -> tuple[Path, str]:
    for folder, shown in ((rules_dir(), "rules"), (rules_dir() / "targets", "rules/targets")):
        path = folder / f"{name}.yaml"
        if "/" not in name and path.is_file():
            return path, f"{shown}/{name}.yaml"
    path = Path(name) if near is None else near.parent / name
    if path.suffix in (".yaml", ".yml") or path.is_file():
        return path, str(path)
    names = profile_names()
    hint = did_you_mean(name, names) or f"; there are {', '.join(names)}, or name a .yaml file"
    raise ProfileError(str(near) if near else name, None, f"no profile {name!r}{hint}")


def _load(path: Path, shown: str, depth: int) -> _Loaded:
    if depth > _DEPTH:
        raise ProfileError(shown, None, "extends itself, or too many others")
    bundled = path.is_relative_to(rules_dir())
    return _bundled(path, shown, depth) if bundled else _read(path, shown, depth)


@cache
def _bundled(path: Path, shown: str, depth: int) -> _Loaded:
    """A profile that comes with litecheck, read once; a user's file is read anew, it may have been edited."""
    return _read(path, shown, depth)


def _read(path: Path, shown: str, depth: int) -> _Loaded:
    top = read_yaml(path, shown).only(_KEYS)
    name = text(top.get("profile"))
    if not name:
        raise ProfileError(shown, top.line, "the key profile, its name, is missing")
    parent = None
    if "extends" in top:
        parent = _load(*_find(text(top.get("extends")), path), depth + 1)
    builder = _Builder(name, shown, top, parent)
    loaded = builder.build()
    if not path.is_relative_to(rules_dir()):  # what comes with litecheck a test has checked
        builder.check(loaded)
    return loaded


class _Builder:
    def __init__(self, name: str, file: str, top: Entries, parent: _Loaded | None) -> None:
        self.name, self.file, self.top, self.parent = name, file, top, parent
        self.kinds = {k: dict(v) for k, v in parent.kinds.items()} if parent else {}

    def build(self) -> _Loaded:
        top, parent = self.top, self.parent
        reader = Reader(self.name, self.file, parent.drafts if parent else {}, set())
        for kind, node in entries(top.get("kinds"), self.file).values.items():
            self.kinds[kind] = {**self.kinds.get(kind, {}), **reader.kind(node)}
        reader.kinds = set(self.kinds)
        drafts = dict(parent.drafts) if parent else {}
        ops = entries(top.get("ops"), self.file)
        for opcode, node in ops.values.items():
            drafts[opcode] = reader.operator(opcode, node, ops.lines[opcode])
        levels = Levels((*(parent.levels.given if parent else ()), *self._levels()))
        rules = Rules(drafts, lambda opcode: self._rule(drafts[opcode], levels))
        relaxes = {**(parent.relaxes if parent else {}), **self._relaxes(rules)}
        profile = self._profile(Rules(drafts, lambda opcode: _relaxed(rules[opcode], relaxes)))
        return _Loaded(profile, rules, drafts, self.kinds, levels, relaxes)

    def check(self, loaded: _Loaded) -> None:
        """What takes every rule to tell: that they only narrow the parent's, and that every level finds its path."""
        if self.parent:
            self._only_narrows(self.parent.profile, loaded.rules)
        self._levels_match(loaded.rules, loaded.levels)

    def _profile(self, rules: Mapping[str, OperatorRule]) -> Profile:
        top, base = self.top, self.parent.profile if self.parent else None
        unlisted = text(top.get("unlisted"), base.unlisted if base else "not covered")
        if unlisted not in _UNLISTED:
            raise ProfileError(self.file, top.lines["unlisted"], f"unlisted is {' or '.join(_UNLISTED)}")
        if base and base.unlisted == "violation" and unlisted != "violation":
            raise ProfileError(
                self.file, top.lines["unlisted"], f"{base.name} already forbids unlisted operators"
            )
        line = top.lines.get("unlisted")
        return Profile(
            self.name,
            text(top.get("title"), self.name),
            text(top.get("source"), base.source if base else ""),
            self.file,
            texts(top.get("activations")) or (base.activations if base else ("int8",)),
            unlisted,
            rules,
            base.name if base else None,
            Demand(self.name, self.file, line) if line else base.unlisted_demand if base else None,
            read_conformance(top.get("conformance"), self.file, self.name, base.conformance if base else {}),
        )

    def _rule(self, draft: OperatorDraft, levels: Levels) -> OperatorRule:
        base = tuple(map(levels.attach, (*self._operands(draft), *self._clause(draft, draft.clause))))
        alternatives = tuple(
            Alternative(name, tuple(map(levels.attach, self._clause(draft, clause))))
            for name, clause in draft.any_of.items()
        )
        activations = draft.scope or tuple(
            role for role in (*draft.inputs, *draft.outputs)
            if role in draft.clause.roles and draft.clause.roles[role].kind == "activation"
        )  # fmt: skip
        base = _without_scope_dtype(base, activations, draft)
        base = tuple(sorted(base, key=lambda r: isinstance(r.value, (ProductOf, SameAs))))
        unsupported = None
        if draft.unsupported:
            s = draft.unsupported
            value = Exactly("nothing of the kind")
            unsupported = Requirement(
                f"{draft.opcode}/unsupported", "unsupported", None, value, s.because, s.see, s.demand
            )
        return OperatorRule(
            draft.opcode, draft.inputs, draft.outputs, draft.optional, draft.repeated, activations, base,
            alternatives, draft.exemptions, unsupported, draft.because, draft.see, draft.demand, bool(draft.scope),
        )  # fmt: skip

    def _operands(self, draft: OperatorDraft) -> Iterator[Requirement]:
        """How many operands there are, and which must be present."""
        count = Exactly(f"{_span(draft, draft.inputs, 'input')} and {_span(draft, draft.outputs, 'output')}")
        because, see = draft.because if draft.demand else "", draft.see
        if not all(any(role in draft.repeated for role in side) for side in (draft.inputs, draft.outputs)):
            yield Requirement(f"{draft.opcode}/operands", "operands", None, count, "", see, draft.demand)
        for role in (*draft.inputs, *draft.outputs):
            if role not in draft.optional:
                path = f"{draft.opcode}/{role}/operands"
                yield Requirement(path, "operands", role, Exactly("present"), because, see, draft.demand)

    def _clause(self, draft: OperatorDraft, clause: Clause) -> Iterator[Requirement]:
        for role, spoken in clause.roles.items():
            stated = {**self.kinds.get(spoken.kind or "", {}), **spoken.stated}
            for verb in OPERAND_VERBS:
                if verb in stated and not (verb == "range" and _covers_type(stated)):
                    s = stated[verb]
                    path = f"{draft.opcode}/{role}/{verb}"
                    yield Requirement(path, verb, role, s.value, s.because, s.see, s.demand)
        if clause.same_quantization:
            s = clause.same_quantization
            path = f"{draft.opcode}/same_quantization"
            yield Requirement(path, "same_quantization", None, s.value, s.because, s.see, s.demand)
        for name, s in clause.limits.items():
            yield Requirement(
                f"{draft.opcode}/limits/{name}", "limits", None, s.value, s.because, s.see, s.demand
            )

    def _levels(self) -> tuple[tuple[str, Level], ...]:
        node = entries(self.top.get("levels"), self.file)
        found: list[tuple[str, Level]] = []
        for path, value in node.values.items():
            word = text(value)
            level = next((known for known in LEVELS if known == word), None)
            if level is None:
                raise ProfileError(
                    self.file, node.lines[path], f"a level is {', '.join(LEVELS)}, not {word!r}"
                )
            found.append((path, level))
        return tuple(found)

    def _levels_match(self, rules: Rules, levels: Levels) -> None:
        paths = rules.paths()
        for pattern, line in entries(self.top.get("levels"), self.file).lines.items():
            if pattern not in levels.met:
                hint = did_you_mean(pattern, paths)
                raise ProfileError(self.file, line, f"no requirement {pattern!r}{hint}")

    def _relaxes(self, rules: Rules) -> dict[str, Relaxation]:
        node = entries(self.top.get("relaxes"), self.file)
        found = {}
        for path, value in node.values.items():
            line = node.lines[path]
            rule = rules.get(path.split("/")[0])
            requirement = rule and next((r for r in rule.all_requirements() if r.path == path), None)
            if not rule or not requirement:
                hint = did_you_mean(path, rules.paths())
                raise ProfileError(self.file, line, f"no requirement {path!r}{hint}")
            entry = entries(value, self.file).only(("value", "because", "shows"))
            because, shows = text(entry.get("because")), text(entry.get("shows"), "waived")
            if not because or "value" not in entry or shows not in ("waived", "conforms"):
                raise ProfileError(
                    self.file, line, "relaxing takes a value, a because, and shows: waived or conforms"
                )
            allowed = self._allowed(entry.values["value"], requirement, rule, line)
            found[path] = Relaxation(allowed, because, Demand(self.name, self.file, line), shows)
        return found

    def _allowed(self, node: Node, requirement: Requirement, rule: OperatorRule, line: int) -> Constraint:
        """The value of a relaxation; for same_quantization it is the shorter list of roles that still share."""
        roles = (*rule.inputs, *rule.outputs)
        if requirement.verb in ("operands", "unsupported"):
            message = f"{requirement.verb} cannot be relaxed: there is nothing to compute without them"
            raise ProfileError(self.file, line, message)
        if requirement.verb != "same_quantization":
            return parse(node, requirement.verb, roles)
        for role in texts(node):
            if role not in roles:
                raise ProfileError(self.file, line, f"no operand {role!r}{did_you_mean(role, roles)}")
        return Roles(texts(node))

    def _only_narrows(self, parent: Profile, rules: Mapping[str, OperatorRule]) -> None:
        """Every demand of the parent must still be there, as narrow and as grave."""
        for opcode, old in parent.operators.items():
            new = rules[opcode]
            if new.unsupported:
                continue
            line = new.demand.line if new.demand else 0
            if not new.optional <= old.optional:
                extra = ", ".join(sorted(new.optional - old.optional))
                raise ProfileError(self.file, line, f"{opcode}: {parent.name} does not let {extra} be absent")
            mine = {r.path: r for r in new.requirements}
            for r in old.requirements:
                self._compare(mine.get(r.path), r, parent.name, line)
            for alternative in old.any_of:
                others = {r.path: r for a in new.any_of if a.name == alternative.name for r in a.requirements}
                for r in alternative.requirements:
                    self._compare(others.get(r.path), r, parent.name, line)
            if {a.name for a in new.any_of} - {a.name for a in old.any_of} and old.any_of:
                raise ProfileError(self.file, line, f"{opcode}: a further alternative allows more")

    def _compare(self, mine: Requirement | None, old: Requirement, parent: str, line: int) -> None:
        if mine is None:
            if old.verb == "operands" or old.verb == "dtype":
                return
            raise ProfileError(
                self.file, line, f"{old.path}: {parent} demands {old.value}, which is gone here"
            )
        if old.verb != "operands" and not narrower(mine.value, old.value):
            message = f"{old.path}: {mine.value} allows more than {parent}'s {old.value} ({old.demand}); "
            raise ProfileError(
                self.file, mine.demand.line, message + "loosening goes under relaxes, with a because"
            )
        if LEVELS.index(mine.level) < LEVELS.index(old.level):
            message = f"{old.path}: {mine.level} is milder than {parent}'s {old.level}"
            raise ProfileError(self.file, self._level_line(old.path), message)

    def _level_line(self, path: str) -> int:
        lines = entries(self.top.get("levels"), self.file).lines
        return next((line for pattern, line in lines.items() if path_matches(path, pattern)), self.top.line)


def _relaxed(rule: OperatorRule, relaxes: dict[str, Relaxation]) -> OperatorRule:
    def attach(r: Requirement) -> Requirement:
        return replace(r, relaxed=relaxes[r.path]) if r.path in relaxes else r

    if not any(r.path in relaxes for r in rule.all_requirements()):
        return rule
    return replace(
        rule,
        requirements=tuple(map(attach, rule.requirements)),
        any_of=tuple(replace(a, requirements=tuple(map(attach, a.requirements))) for a in rule.any_of),
    )


def _without_scope_dtype(
    requirements: tuple[Requirement, ...], activations: tuple[str, ...], draft: OperatorDraft
) -> tuple[Requirement, ...]:
    """Where one operand's type alone decides whether the rule speaks, that type is scope, not a demand."""
    if len(activations) != 1 or activations[0] in draft.repeated:
        return requirements
    apart = f"{draft.opcode}/{activations[0]}/dtype"
    return tuple(r for r in requirements if r.path != apart)


def _covers_type(stated: dict[str, Stated]) -> bool:
    """Whether a range lets every value of the operand's types pass, which then is no demand at all."""
    span = stated["range"].value
    types = stated["dtype"].value if "dtype" in stated else None
    words = types.values if isinstance(types, OneOf) else (types,)
    ranges = [INTEGER_RANGES.get(str(t.value)) if isinstance(t, Exactly) else None for t in words]
    return isinstance(span, Range) and all(
        r is not None and span.low <= r[0] and r[1] <= span.high for r in ranges
    )


def _span(draft: OperatorDraft, side: tuple[str, ...], noun: str) -> str:
    """How many operands one side may have: ``2 inputs``, ``2 to 3 inputs``, ``at least 1 input``."""
    least = len(side) - sum(role in draft.optional for role in side)
    if any(role in draft.repeated for role in side):
        return f"at least {counted(least, noun)}"
    return ("" if least == len(side) else f"{least} to ") + counted(len(side), noun)
