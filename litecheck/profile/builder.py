"""Builder of a Profile from a rule file: kinds, extended and included profiles, levels and effects."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TypeVar, cast

from litecheck.errors import ProfileError
from litecheck.finding import CPU, LEVELS, STATED_EFFECTS, Effect, Level
from litecheck.profile.conformance import read_conformance
from litecheck.profile.extension import mark_relaxed, relaxations
from litecheck.profile.implicit_requirements import must_be_listed
from litecheck.profile.lazy_mapping import Lazy
from litecheck.profile.loaded_profile import LoadedProfile, changed_operators
from litecheck.profile.measurements.registry import register_measurements
from litecheck.profile.parser import ANY_OPERATOR, ANY_SUBGRAPH, ANY_TENSOR, PSEUDO, Reader
from litecheck.profile.paths import (
    Patterns,
    PatternValue,
    every_kind,
    is_wild,
    parts_match,
    pattern_parts,
    unlisted_hints,
)
from litecheck.profile.requirement_order import check_order, without_scope_dtype
from litecheck.profile.rule_drafts import (
    OperatorDraft,
    demands,
    include,
    listing_requirement,
    presence,
    under,
)
from litecheck.profile.rule_header import read_header, read_rewrites, read_types
from litecheck.profile.types import (
    Alternative,
    OperatorRule,
    Profile,
    Requirement,
    Rules,
)
from litecheck.profile.yaml_reader import MappingNode, text
from litecheck.spelling import did_you_mean

KEYS = (
    "profile", "title", "source", "runtime", "extends", "includes", "judges", "shapes", "target", "activations", "types",
    "unlisted", "kinds", "ops", "levels", "effects", "reasons", "hints", "relaxes", "conformance", "rewrites",
)  # fmt: skip
#: Effects of requirements without a stated effect. Neither is a placement.
_UNSTATED: tuple[Effect, ...] = ("the profile forbids it", "outside the specification")
Word = TypeVar("Word")


class Builder:
    """Builds the profile of a file over the profiles it extends and includes."""

    def __init__(
        self,
        name: str,
        file: str,
        top: MappingNode,
        parent: LoadedProfile | None,
        includes: tuple[LoadedProfile, ...],
        bundled: bool,
    ) -> None:
        self.name, self.file, self.top, self.parent, self.includes = name, file, top, parent, includes
        self.bundled = bundled
        self.kinds = {k: dict(v) for k, v in parent.kinds.items()} if parent else {}
        before = (*((parent,) if parent else ()), *includes)
        self.lineage = (*dict.fromkeys(name for part in before for name in part.lineage), name)
        self.head = read_header(top, name, parent.profile if parent else None)
        if self.head.target:
            register_measurements(self.head.target.measurements)
        self.stored_shapes = self.head.stored_shapes or any(p.profile.stored_shapes for p in before)
        self.levels: Patterns[Level] = Patterns(
            (*(one for part in before for one in part.levels.stated), *self._read_words("levels", LEVELS))
        )
        effects = (one for part in before for one in part.effects.stated)
        self.effects: Patterns[Effect] = Patterns((*effects, *self._read_words("effects", STATED_EFFECTS)))
        self.reasons = Patterns(
            (*(one for p in before for one in p.reasons.stated), *self._read_texts("reasons"))
        )
        self.hints = Patterns((*(one for p in before for one in p.hints.stated), *self._read_texts("hints")))
        #: Parts of the patterns with three parts or more, by first word ("" if it has wildcards) and number of parts.
        self.patterns: dict[tuple[str, int], list[tuple[str, ...]]] = {}
        for section in (self.levels, self.effects, self.reasons, self.hints):
            for one in section.stated:
                parts = pattern_parts(one.pattern)
                for word in parts[0].split("|") if len(parts) > 2 else ():
                    self.patterns.setdefault(("" if is_wild(word) else word, len(parts)), []).append(parts)

    def build(self) -> LoadedProfile:
        """Return the profile; each rule is built on first access."""
        top, parent = self.top, self.parent
        reader = Reader(self.name, self.file, parent.drafts if parent else {}, set())
        for kind, node in top.entries("kinds").values.items():
            self.kinds[kind] = {**self.kinds.get(kind, {}), **reader.kind(node)}
        reader.kinds = set(self.kinds)
        drafts = self._merge_drafts(reader)
        if not self.bundled:  # its errors are raised now, those of bundled files in a test
            for opcode in changed_operators(top, drafts, parent):
                drafts[opcode]
        rules = Rules(drafts, lambda opcode: self._rule(drafts[opcode], drafts.get(ANY_TENSOR)))
        inherited = parent.relaxes if parent else {}
        relaxes = relaxations(self.name, self.file, top.get("relaxes"), inherited, rules)
        if not self.bundled:
            list(relaxes.values())
        profile = self._profile(Rules(drafts, lambda opcode: mark_relaxed(rules[opcode], relaxes)))
        return LoadedProfile(
            profile, rules, drafts, self.kinds, self.levels, self.effects, self.reasons, self.hints, relaxes, self.lineage
        )  # fmt: skip

    def _merge_drafts(self, reader: Reader) -> Lazy[OperatorDraft]:
        """Return the file's entries over the parent's, merged with the entries of the profiles that it includes."""
        ops = self.top.entries("ops")
        inherited = self.parent.drafts if self.parent else {}

        def draft(opcode: str) -> OperatorDraft:
            own = None
            if opcode in ops:
                own = self._allow_listing(reader.operator(opcode, ops.values[opcode], ops.lines[opcode]))
            elif opcode in inherited:
                own = inherited[opcode]
            for part in self.includes:
                if opcode in part.drafts:
                    own = include(own, part.drafts[opcode]) if own else part.drafts[opcode]
            assert own
            if ANY_OPERATOR in ops and opcode not in PSEUDO:
                return under(
                    own, reader.operator(ANY_OPERATOR, ops.values[ANY_OPERATOR], ops.lines[ANY_OPERATOR])
                )
            return own

        # Entries of an included profile for any tensor or subgraph apply to this profile, too.
        pseudo = (op for part in self.includes for op in (ANY_TENSOR, ANY_SUBGRAPH) if op in part.drafts)
        return Lazy((*inherited, *ops.values, *pseudo), draft)

    def _allow_listing(self, draft: OperatorDraft) -> OperatorDraft:
        """Return the entry with the parent's requirement that the operator is listed, if the parent does not list it."""
        parent = self.parent.profile if self.parent else None
        if parent is None or draft.opcode in parent.operators or draft.opcode in PSEUDO or draft.unsupported:
            return draft
        if parent.unlisted == "not covered":
            return draft
        return replace(draft, parent_requirement=must_be_listed(parent, draft.opcode))

    def _profile(self, rules: Mapping[str, OperatorRule]) -> Profile:
        top, base, head = self.top, self.parent.profile if self.parent else None, self.head
        included = tuple(part.profile for part in self.includes)
        return Profile(
            self.name,
            top.text("title", self.name),
            top.text("source", base.source if base else ""),
            self.file,
            head.activations,
            head.unlisted,
            rules,
            base.name if base else None,
            head.unlisted_demand,
            read_conformance(top.get("conformance"), self.file, self.name, base.conformance if base else {}),
            top.text("runtime", base.runtime if base else ""),
            head.judges,
            unlisted_hints(self.hints, rules) if head.places else {},
            head.target.name if head.target else "",
            read_rewrites(top, self.name, head.target, base.rewrites if base else None),
            read_types(top, (base, *included)),
            self.stored_shapes,
            included or (base.includes if base else ()),
        )

    def _attach_texts(self, requirement: Requirement) -> Requirement:
        """Return the requirement with its level and effect, and with the kinds of faults that have their own.

        An effect describes a runtime's reaction to its own requirements, or to those of the page that it follows. An
        effect does not apply to requirements that an extending profile adds; neither does a reason.
        """
        demanded_by = requirement.demand.profile
        if self.bundled and not requirement.because:
            message = f"{requirement.path}: a because is missing"
            raise ProfileError(requirement.demand.file, requirement.demand.line, message)
        speak = self.lineage[self.lineage.index(demanded_by) :]
        whole = self._apply_patterns(requirement, requirement.path, speak)

        def texts(kind: str) -> Requirement:
            return self._apply_patterns(whole, f"{requirement.path}/{kind}", speak)

        kinds = (kind for kind in self._fault_kinds(requirement) if texts(kind) != whole)
        return replace(whole, faults=Lazy(kinds, texts))

    def _fault_kinds(self, requirement: Requirement) -> Iterator[str]:
        """Yield the kinds of faults of a requirement that a pattern below its path names."""
        parts = requirement.path.split("/")
        near = [
            pattern
            for length in range(len(parts) + 1, len(parts) + 3)
            for word in (parts[0], "")
            for pattern in self.patterns.get((word, length), ())
            if parts_match(parts, pattern[: len(parts)])
        ]
        for name in every_kind(requirement.verb) if near else ():
            whole = (*parts, *name.split("/"))
            if any(len(pattern) == len(whole) and parts_match(whole, pattern) for pattern in near):
                yield name

    def _apply_patterns(self, requirement: Requirement, path: str, speak: tuple[str, ...]) -> Requirement:
        """Return the requirement with the level, effect, reason and hint that pattern sections state for a path."""
        level = self.levels.find(path)
        effect = self.effects.find(path, speak) or self._effect_unless_stated(requirement)
        fallback: Level = "warning" if effect == CPU else requirement.level
        return replace(
            requirement,
            level=level or fallback,
            effect=effect,
            because=self.reasons.find(path, speak) or requirement.because,
            hint=self.hints.find(path, speak) or requirement.hint,
        )

    def _effect_unless_stated(self, requirement: Requirement) -> Effect:
        """Return the effect of a requirement without a stated effect.

        If the profile states placements, this is a placement: that of the parent's same requirement, for
        ``unsupported`` that of unlisted operators, else the CPU.
        """
        if not self.head.places or requirement.effect not in _UNSTATED:
            return requirement.effect
        if requirement.verb == "unsupported":
            return cast(Effect, self.head.unlisted)
        rule = self.parent.rules.get(requirement.path.partition("/")[0]) if self.parent else None
        same = (r.effect for r in rule.all_requirements() if r.path == requirement.path) if rule else iter(())
        return next((effect for effect in same if effect not in _UNSTATED), CPU)

    def _rule(self, draft: OperatorDraft, any_tensor: OperatorDraft | None) -> OperatorRule:
        own = (*presence(draft), *demands(draft, draft.clause, self.kinds))
        base = tuple(map(self._attach_texts, own))
        alternatives = tuple(
            Alternative(name, tuple(map(self._attach_texts, demands(draft, part, self.kinds))))
            for name, part in draft.any_of.items()
        )
        activations = self._scope(draft)
        base = without_scope_dtype(base, activations, draft, frozenset(self.head.activations))
        base = tuple(sorted(base, key=check_order))
        unsupported = (
            self._attach_texts(listing_requirement(draft.opcode, draft.unsupported))
            if draft.unsupported
            else None
        )
        if draft.parent_requirement:
            base = (self._attach_texts(draft.parent_requirement), *base)
        law = str(draft.clause.shapes.value) if draft.clause.shapes else ""
        everywhere = demands(any_tensor, any_tensor.clause, self.kinds) if any_tensor else ()
        named = "runtime" in self.top or bool(self.parent and self.parent.profile.runtime)
        strict = any_tensor is not None or not named
        return OperatorRule(
            draft.opcode, draft.inputs, draft.outputs, draft.optional, draft.repeated, activations, base, alternatives,
            draft.exemptions, unsupported, draft.because, draft.see, draft.demand, bool(draft.scope), draft.intermediates,
            draft.nothing_to_judge, law, next(map(self._attach_texts, everywhere), None), strict, self.stored_shapes,
        )  # fmt: skip

    def _scope(self, draft: OperatorDraft) -> tuple[str, ...]:
        """Return the roles whose type decides if the rule applies."""
        if draft.implicit_operands:
            return (*draft.inputs, *draft.outputs)
        roles = draft.scope or tuple(
            role for role in (*draft.inputs, *draft.outputs)
            if role in draft.clause.roles and draft.clause.roles[role].kind == "activation"
        )  # fmt: skip
        if not roles and not self.head.any_type and draft.opcode not in PSEUDO:
            message = f"{draft.opcode}: no operand says of which type it speaks; state a scope, or a kind activation"
            raise ProfileError(draft.demand.file, draft.demand.line, message)
        return roles

    def _read_words(self, key: str, words: tuple[Word, ...]) -> Iterator[PatternValue[Word]]:
        """Yield the patterns of a section, each with its word, which must be one of ``words``."""
        node = self.top.entries(key)
        for pattern, value in node.values.items():
            word = next((known for known in words if known == text(value)), None)
            if word is None:
                article, known = {"levels": "a level", "effects": "an effect"}[key], tuple(map(str, words))
                hint = did_you_mean(text(value), known)
                message = f"{article} is one of {', '.join(map(repr, known))}; not {text(value)!r}{hint}"
                raise node.wrong(pattern, message)
            if key == "effects" and self.head.places and word in _UNSTATED:
                raise node.wrong(pattern, f"{word!r} does not say where the target runs the operator")
            yield PatternValue(pattern, word, self.name)

    def _read_texts(self, key: str) -> Iterator[PatternValue[str]]:
        """Yield the patterns of a section, each with its sentence."""
        for pattern, value in self.top.entries(key).values.items():
            yield PatternValue(pattern, text(value), self.name)
