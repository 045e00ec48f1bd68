"""One rule file to a Profile: kinds applied, other profiles extended and included, levels and effects attached."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TypeVar, get_args

from litecheck.errors import ProfileError
from litecheck.finding import CPU, LEVELS, REFUSED, Demand, Effect, Level
from litecheck.profile.conformance import read_conformance
from litecheck.profile.extension import kinds_reach, only_narrows, relaxations, relaxed
from litecheck.profile.lazy import Lazy
from litecheck.profile.parsed import OperatorDraft, Stated, demands, include, presence, under
from litecheck.profile.parser import ANY_OPERATOR, ANY_SUBGRAPH, ANY_TENSOR, Reader
from litecheck.profile.paths import FAULT_KINDS, Assigned, Patterns, path_matches, unlisted_hints
from litecheck.profile.rewrites import NOTHING, read_rewrites
from litecheck.profile.takes import known_types
from litecheck.profile.types import (
    Alternative,
    Exactly,
    OperatorRule,
    ProductOf,
    Profile,
    Relaxation,
    Requirement,
    Rules,
    SameAs,
    words_of,
)
from litecheck.profile.yaml_reader import Entries, entries, text, texts
from litecheck.spelling import did_you_mean

KEYS = (
    "profile", "title", "source", "runtime", "extends", "includes", "judges", "activations", "unlisted", "kinds", "ops",
    "levels", "effects", "reasons", "hints", "relaxes", "conformance", "rewrites",
)  # fmt: skip
_UNLISTED = ("not covered", "violation", CPU, REFUSED)
_JUDGES = ("quantization", "structure", "placement")
#: Entries that are about no operator of their own.
_PSEUDO = (ANY_TENSOR, ANY_SUBGRAPH, ANY_OPERATOR)
#: Stands for operators of every type.
ANY = "any"

Word = TypeVar("Word")


@dataclass(frozen=True, slots=True)
class Loaded:
    """A profile with the drafts its children build on, and the profiles it is built from, its own name last."""

    profile: Profile
    rules: Rules
    drafts: Mapping[str, OperatorDraft]
    kinds: dict[str, dict[str, Stated]]
    levels: Patterns[Level]
    effects: Patterns[Effect]
    reasons: Patterns[str]
    hints: Patterns[str]
    relaxes: Mapping[str, Relaxation]
    lineage: tuple[str, ...]


class Builder:
    """Builds the profile of one file over the profiles it extends and includes."""

    def __init__(
        self,
        name: str,
        file: str,
        top: Entries,
        parent: Loaded | None,
        includes: tuple[Loaded, ...],
        bundled: bool,
    ) -> None:
        self.name, self.file, self.top, self.parent, self.includes = name, file, top, parent, includes
        self.bundled = bundled
        self.kinds = {k: dict(v) for k, v in parent.kinds.items()} if parent else {}
        before = (*((parent,) if parent else ()), *includes)
        self.lineage = (*dict.fromkeys(name for part in before for name in part.lineage), name)
        self.levels: Patterns[Level] = Patterns(
            (*(one for part in before for one in part.levels.stated), *self._words("levels", LEVELS))
        )
        words = self._words("effects", get_args(Effect))
        self.effects: Patterns[Effect] = Patterns(
            (*(one for part in before for one in part.effects.stated), *words)
        )
        self.speaks_of = texts(top.get("activations")) or (
            parent.profile.activations if parent else ("int8",)
        )
        self.any_type = self.speaks_of == (ANY,)
        if "activations" in top and not self.any_type:
            known_types(top.values["activations"], ANY)
        self.reasons = Patterns((*(one for p in before for one in p.reasons.stated), *self._texts("reasons")))
        self.hints = Patterns((*(one for p in before for one in p.hints.stated), *self._texts("hints")))

    def build(self) -> Loaded:
        """The profile, its rules made when they are asked for."""
        top, parent = self.top, self.parent
        reader = Reader(self.name, self.file, parent.drafts if parent else {}, set())
        for kind, node in entries(top.get("kinds"), self.file).values.items():
            self.kinds[kind] = {**self.kinds.get(kind, {}), **reader.kind(node)}
        reader.kinds = set(self.kinds)
        drafts = self._drafts(reader)
        if not self.bundled:  # its errors are told now, those of bundled files by a test
            list(drafts.values())
        rules = Rules(drafts, lambda opcode: self._rule(drafts[opcode], drafts.get(ANY_TENSOR)))
        inherited = parent.relaxes if parent else {}
        relaxes = relaxations(self.name, self.file, top.get("relaxes"), inherited, rules)
        if not self.bundled:
            list(relaxes.values())
        profile = self._profile(Rules(drafts, lambda opcode: relaxed(rules[opcode], relaxes)))
        return Loaded(
            profile, rules, drafts, self.kinds, self.levels, self.effects, self.reasons, self.hints, relaxes, self.lineage
        )  # fmt: skip

    def _drafts(self, reader: Reader) -> Lazy[OperatorDraft]:
        """The file's entries over the parent's, joined with those of the profiles it includes."""
        ops = entries(self.top.get("ops"), self.file)
        inherited = self.parent.drafts if self.parent else {}

        def draft(opcode: str) -> OperatorDraft:
            own = None
            if opcode in ops:
                own = reader.operator(opcode, ops.values[opcode], ops.lines[opcode])
            elif opcode in inherited:
                own = inherited[opcode]
            for part in self.includes:
                if opcode in part.drafts:
                    own = include(own, part.drafts[opcode]) if own else part.drafts[opcode]
            assert own
            if ANY_OPERATOR in ops and opcode not in _PSEUDO:
                return under(
                    own, reader.operator(ANY_OPERATOR, ops.values[ANY_OPERATOR], ops.lines[ANY_OPERATOR])
                )
            return own

        # What an included profile says of any tensor or subgraph holds here too; its other entries are its own.
        pseudo = (op for part in self.includes for op in (ANY_TENSOR, ANY_SUBGRAPH) if op in part.drafts)
        return Lazy((*inherited, *ops.values, *pseudo), draft)

    def check(self, loaded: Loaded) -> None:
        """What takes every rule to tell: that they only narrow the parent's, and that every pattern finds its path."""
        if self.parent:
            lines = entries(self.top.get("levels"), self.file).lines
            only_narrows(self.parent.profile, loaded.rules, self.file, lines, self.top.line)
            kinds_reach(self.kinds, self.parent.kinds, loaded.rules)
        every = [r for rule in loaded.rules.values() for r in rule.all_requirements()]
        kinds = [f"{r.path}/{kind}" for r in every for kind in FAULT_KINDS.get(r.verb, ())]
        for key in ("levels", "effects", "reasons", "hints"):
            unlisted = loaded.profile.unlisted_hints if key == "hints" else ()
            self._all_met(key, [*(r.path for r in every), *kinds, *(f"{op}/unsupported" for op in unlisted)])

    def _profile(self, rules: Mapping[str, OperatorRule]) -> Profile:
        top, base = self.top, self.parent.profile if self.parent else None
        unlisted = self._one_of("unlisted", _UNLISTED, base.unlisted if base else _UNLISTED[0])
        if base and base.unlisted == "violation" and unlisted != "violation":
            raise ProfileError(
                self.file, top.lines["unlisted"], f"{base.name} already forbids unlisted operators"
            )
        judges = self._one_of("judges", _JUDGES, base.judges if base else _JUDGES[0])
        line = top.lines.get("unlisted")
        if unlisted in (CPU, REFUSED) and judges != "placement":
            raise ProfileError(self.file, line or top.line, f"unlisted: {unlisted} takes judges: placement")
        return Profile(
            self.name,
            text(top.get("title"), self.name),
            text(top.get("source"), base.source if base else ""),
            self.file,
            self.speaks_of,
            unlisted,
            rules,
            base.name if base else None,
            Demand(self.name, self.file, line) if line else base.unlisted_demand if base else None,
            read_conformance(top.get("conformance"), self.file, self.name, base.conformance if base else {}),
            text(top.get("runtime"), base.runtime if base else ""),
            judges,
            unlisted_hints(self.hints, rules) if unlisted in (CPU, REFUSED) else {},
            read_rewrites(top.get("rewrites"), self.file, self.name, base.rewrites if base else NOTHING),
        )

    def _one_of(self, key: str, words: tuple[str, ...], default: str) -> str:
        word = text(self.top.get(key), default)
        if word not in words:
            raise ProfileError(
                self.file,
                self.top.lines[key],
                f"{key} is one of {', '.join(words)}; not {word!r}{did_you_mean(word, words)}",
            )
        return word

    def _attached(self, requirement: Requirement) -> Requirement:
        """The requirement with its level and effect, and with those of the kinds of faults that have their own.

        An effect is what a runtime does with what that runtime, or the page it follows, demands: it does not speak of
        what a profile further down demands beyond it. Nor does a reason.
        """
        demanded_by = requirement.demand.profile
        if self.bundled and not requirement.because:
            message = f"{requirement.path}: a because is missing"
            raise ProfileError(requirement.demand.file, requirement.demand.line, message)
        speak = self.lineage[self.lineage.index(demanded_by) :]
        whole = self._stated(requirement, requirement.path, speak)
        names = FAULT_KINDS.get(requirement.verb, ())
        kinds = ((name, self._stated(whole, f"{requirement.path}/{name}", speak)) for name in names)
        return replace(whole, faults=tuple((name, own) for name, own in kinds if own != whole))

    def _stated(self, requirement: Requirement, path: str, speak: tuple[str, ...]) -> Requirement:
        """The requirement with what the sections by pattern say of a path."""
        level, effect = self.levels.find(path), self.effects.find(path, speak)
        fallback: Level = "warning" if (effect or requirement.effect) == CPU else requirement.level
        return replace(
            requirement,
            level=level or fallback,
            effect=effect or requirement.effect,
            because=self.reasons.find(path, speak) or requirement.because,
            hint=self.hints.find(path, speak) or requirement.hint,
        )

    def _rule(self, draft: OperatorDraft, any_tensor: OperatorDraft | None) -> OperatorRule:
        own = (*presence(draft), *demands(draft, draft.clause, self.kinds))
        base = tuple(map(self._attached, own))
        alternatives = tuple(
            Alternative(name, tuple(map(self._attached, demands(draft, clause, self.kinds))))
            for name, clause in draft.any_of.items()
        )
        activations = self._scope(draft)
        base = _without_scope_dtype(base, activations, draft, frozenset(self.speaks_of))
        base = tuple(sorted(base, key=_late))
        unsupported = None
        if draft.unsupported:
            s = draft.unsupported
            value = Exactly("nothing of the kind")
            unsupported = self._attached(
                Requirement(
                    f"{draft.opcode}/unsupported", "unsupported", None, value, s.because, s.see, s.demand
                )
            )
        law = str(draft.clause.shapes.value) if draft.clause.shapes else ""
        everywhere = (
            map(self._attached, demands(any_tensor, any_tensor.clause, self.kinds)) if any_tensor else ()
        )
        named = "runtime" in self.top or bool(self.parent and self.parent.profile.runtime)
        strict = any_tensor is not None or not named
        return OperatorRule(
            draft.opcode, draft.inputs, draft.outputs, draft.optional, draft.repeated, activations, base,
            alternatives, draft.exemptions, unsupported, draft.because, draft.see, draft.demand, bool(draft.scope),
            draft.intermediates, draft.nothing_to_judge, law, next(iter(everywhere), None), strict,
        )  # fmt: skip

    def _scope(self, draft: OperatorDraft) -> tuple[str, ...]:
        """The operands whose type decides whether the rule speaks."""
        roles = draft.scope or tuple(
            role for role in (*draft.inputs, *draft.outputs)
            if role in draft.clause.roles and draft.clause.roles[role].kind == "activation"
        )  # fmt: skip
        if not roles and not self.any_type and draft.opcode not in _PSEUDO:
            message = f"{draft.opcode}: no operand says of which type it speaks; state a scope, or a kind activation"
            raise ProfileError(draft.demand.file, draft.demand.line, message)
        return roles

    def _words(self, key: str, words: tuple[Word, ...]) -> Iterator[Assigned[Word]]:
        """The patterns of a section, each with one of the words it takes."""
        node = entries(self.top.get(key), self.file)
        for pattern, value in node.values.items():
            word = next((known for known in words if known == text(value)), None)
            if word is None:
                article = {"levels": "a level", "effects": "an effect"}[key]
                message = f"{article} is {', '.join(map(str, words))}, not {text(value)!r}"
                raise ProfileError(self.file, node.lines[pattern], message)
            yield Assigned(pattern, word, self.name)

    def _texts(self, key: str) -> Iterator[Assigned[str]]:
        """The patterns of a section, each with a sentence."""
        for pattern, value in entries(self.top.get(key), self.file).values.items():
            yield Assigned(pattern, text(value), self.name)

    def _all_met(self, key: str, paths: list[str]) -> None:
        for pattern, line in entries(self.top.get(key), self.file).lines.items():
            if not any(path_matches(path, pattern) for path in paths):
                hint = did_you_mean(pattern, paths)
                raise ProfileError(self.file, line, f"no requirement {pattern!r}{hint}")


def _late(requirement: Requirement) -> int:
    """What is compared with another operand comes after what that operand must be, shapes after everything."""
    return 2 if requirement.verb == "shapes" else int(isinstance(requirement.value, (ProductOf, SameAs)))


def _without_scope_dtype(
    requirements: tuple[Requirement, ...],
    activations: tuple[str, ...],
    draft: OperatorDraft,
    types: frozenset[str],
) -> tuple[Requirement, ...]:
    """Where one operand's type alone decides whether the rule speaks, that type is scope, not a demand.

    It is one where the rule allows fewer types than the profile speaks about.
    """
    if len(activations) != 1 or activations[0] in draft.repeated:
        return requirements
    apart = f"{draft.opcode}/{activations[0]}/dtype"
    return tuple(r for r in requirements if r.path != apart or not types <= words_of(r.value))
