"""Parser of the entries of a rule file: kinds and operators as drafts, with checked names and line numbers."""

from __future__ import annotations

from collections.abc import Mapping

from litecheck.errors import ProfileError
from litecheck.finding import Demand
from litecheck.flatbuffer.schema import load_schema
from litecheck.model.shapes import LAWS
from litecheck.profile.constraints import parse
from litecheck.profile.measurements.registry import measurement_names, register_all
from litecheck.profile.measurements.suggestion import suggestion_text
from litecheck.profile.operators import traits_of
from litecheck.profile.rule_drafts import (
    OPERAND_VERBS,
    ConditionBlock,
    OperatorDraft,
    RawRequirement,
    RoleDraft,
    merge,
)
from litecheck.profile.types import NOTHING_OF_THE_KIND, Exactly, Exemption, Roles
from litecheck.profile.value_domains import known_types
from litecheck.profile.yaml_reader import MappingNode, Node, ScalarNode, SequenceNode, entries, text, texts
from litecheck.spelling import did_you_mean

OPERATOR_KEYS = (
    "inputs", "optional", "repeated", "outputs", "intermediates", "tensors", "same_quantization", "limits", "shapes",
    "any_of", "except", "unsupported", "nothing_to_judge", "scope", "because", "see",
)  # fmt: skip
#: Subjects of an entry besides an operator: any tensor, any subgraph, every operator.
ANY_TENSOR, ANY_SUBGRAPH, ANY_OPERATOR = "TENSOR", "SUBGRAPH", "OPERATOR"
#: Subjects that are not an operator.
PSEUDO = (ANY_TENSOR, ANY_SUBGRAPH, ANY_OPERATOR)
#: All keys of an entry without operands, which applies to any number of them.
_BARE = frozenset(("unsupported", "limits", "because", "see"))
_ANY_INPUTS, _ANY_OUTPUTS = ("values",), ("results",)
#: Words that are not a reason.
_NO_REASONS = ("", "yes", "no", "true", "false", "null", "~")


def _check_operator(opcode: str, file: str, line: int) -> None:
    """Raise ProfileError for an operator that is not in the schema: its rule would never apply."""
    known = (*load_schema().enums["BuiltinOperator"], ANY_TENSOR, ANY_SUBGRAPH, ANY_OPERATOR)
    if opcode not in known:
        raise ProfileError(file, line, f"no operator {opcode!r}{did_you_mean(opcode, known)}")


def _read_reasoned(node: Node, because: str, see: str) -> tuple[Node, str, str]:
    """Return a value with its reason and source: its own if it is written ``{value: ..., because: ...}``."""
    if not isinstance(node, MappingNode) or "value" not in node:
        return node, because, see
    node.only(("value", "because", "see"))
    return node.values["value"], node.text("because", because), node.text("see", see)


class Reader:
    """Reads the entries of a file; ``parent`` holds the drafts it extends."""

    def __init__(self, profile: str, file: str, parent: Mapping[str, OperatorDraft], kinds: set[str]) -> None:
        self.profile = profile
        self.file = file
        self.parent = parent
        self.kinds = kinds

    def demand(self, line: int) -> Demand:
        return Demand(self.profile, self.file, line)

    def fail(self, line: int, message: str) -> ProfileError:
        return ProfileError(self.file, line, message)

    def read_requirements(
        self, owner: MappingNode, verbs: tuple[str, ...], roles: tuple[str, ...]
    ) -> dict[str, RawRequirement]:
        """Return the checks in a mapping; its ``because`` and ``see`` apply to all entries without their own."""
        because, see = owner.text("because"), owner.text("see")
        found = {}
        for verb, node in owner.values.items():
            if verb in verbs:
                value, why, where = _read_reasoned(node, because, see)
                found[verb] = RawRequirement(
                    parse(value, verb, roles), why, where, self.demand(owner.lines[verb])
                )
        return found

    def kind(self, node: Node) -> dict[str, RawRequirement]:
        """Return a kind: defaults for inputs and outputs."""
        owner = entries(node, self.file).only((*OPERAND_VERBS, "because", "see"))
        return self.read_requirements(owner, OPERAND_VERBS, ())

    def operator(self, opcode: str, node: Node, line: int) -> OperatorDraft:
        """Return an operator's entry, over the parent's entry if the parent has an entry."""
        _check_operator(opcode, self.file, line)
        owner = entries(node, self.file).only(OPERATOR_KEYS)
        base = self.parent.get(opcode)
        if base is None and "unsupported" in owner and owner.values.keys() <= _BARE:
            base = self._draft_any_operands(opcode, line)
        inputs = self._operands(owner, "inputs", base.inputs if base else None)
        outputs = self._operands(owner, "outputs", base.outputs if base else None)
        intermediates = self._operands(owner, "intermediates", base.intermediates if base else ())
        roles = (*inputs, *outputs, *intermediates)
        twice = sorted({r for r in roles if roles.count(r) > 1})
        if twice:
            raise self.fail(line, f"{opcode} has two operands called {twice[0]!r}")
        clause = self._clause(owner, roles)
        any_of = {
            name: self._clause(
                entries(part, self.file).only(("tensors", "same_quantization", "limits")), roles, owner
            )
            for name, part in owner.entries("any_of").values.items()
        }
        draft = OperatorDraft(
            opcode, inputs, outputs,
            self._subset(owner, "optional", roles, base.optional if base else frozenset()),
            self._subset(owner, "repeated", roles, base.repeated if base else frozenset()),
            clause, any_of, self._exemptions(owner, roles, base), self._read_unsupported(owner),
            self._scope(owner, roles, base), owner.text("because"), owner.text("see"), self.demand(line),
            intermediates, owner.text("nothing_to_judge"),
            owner.text("because") if "optional" in owner else "",
        )  # fmt: skip
        self._check_repeated(draft, line)
        return merge(base, draft) if base else draft

    def _draft_any_operands(self, opcode: str, line: int) -> OperatorDraft:
        """Return the draft of an entry that only states ``unsupported``: any number of inputs and outputs without
        requirements."""
        facts = traits_of(opcode)
        inputs, outputs = tuple(facts.inputs) or _ANY_INPUTS, facts.outputs or _ANY_OUTPUTS
        roles, repeated = frozenset((*inputs, *outputs)), frozenset((inputs[-1], outputs[-1]))
        return OperatorDraft(
            opcode, inputs, outputs, roles, repeated, ConditionBlock(), {}, (), None, (), "", "", self.demand(line),
            implicit_operands=True,
        )  # fmt: skip

    def _read_unsupported(self, owner: MappingNode) -> RawRequirement | None:
        if "unsupported" not in owner:
            return None
        line, because = owner.lines["unsupported"], owner.text("unsupported")
        if because.lower() in _NO_REASONS:
            raise self.fail(line, "unsupported takes the reason, a clause to stand after because")
        return RawRequirement(NOTHING_OF_THE_KIND, because, owner.text("see"), self.demand(line))

    def _operands(self, owner: MappingNode, key: str, inherited: tuple[str, ...] | None) -> tuple[str, ...]:
        node = owner.get(key)
        if node is None:
            if inherited is None:
                raise owner.error(f"{key} is missing: the operands' names in file order")
            return inherited
        names = texts(node)
        if inherited is not None and names[: len(inherited)] != inherited:
            raise owner.wrong(key, f"{key} must begin with the inherited {', '.join(inherited)}")
        return names

    def _subset(
        self, owner: MappingNode, key: str, roles: tuple[str, ...], inherited: frozenset[str]
    ) -> frozenset[str]:
        node = owner.get(key)
        if node is None:
            return inherited
        for name in texts(node):
            if name not in roles:
                raise owner.wrong(key, f"{key}: no operand {name!r}{did_you_mean(name, roles)}")
        return frozenset(texts(node))

    def _scope(
        self, owner: MappingNode, roles: tuple[str, ...], base: OperatorDraft | None
    ) -> tuple[str, ...]:
        if "scope" not in owner:
            return base.scope if base else ()
        if not self._subset(owner, "scope", roles, frozenset()):
            raise owner.wrong("scope", "scope names the operands whose type decides, at least one")
        return owner.texts("scope")

    def _check_repeated(self, draft: OperatorDraft, line: int) -> None:
        for side in (draft.inputs, draft.outputs):
            repeated = [r for r in side if r in draft.repeated]
            if len(repeated) > 1 or (repeated and side[-1] != repeated[0]):
                raise self.fail(line, f"{draft.opcode}: only the last operand of a side can be repeated")

    def _clause(
        self, owner: MappingNode, roles: tuple[str, ...], whole: MappingNode | None = None
    ) -> ConditionBlock:
        """Return the requirements of an entry, or of an alternative; shared parameters and limits of an alternative
        have the reason of the ``whole`` entry."""
        tensors = owner.entries("tensors")
        for name in tensors.values:
            if name not in roles:
                raise tensors.wrong(name, f"no operand {name!r}{did_you_mean(name, roles)}")
        same, speaker = owner.get("same_quantization"), owner if whole is None else whole
        because, see = speaker.text("because"), speaker.text("see")
        shared = None
        if same is not None:
            self._subset(owner, "same_quantization", roles, frozenset())
            shared = RawRequirement(
                Roles(texts(same)), because, see, self.demand(owner.lines["same_quantization"])
            )
        return ConditionBlock(
            {name: self._role(node, roles) for name, node in tensors.values.items()},
            shared,
            self._limits(owner, because, see, roles),
            self._shapes(owner),
        )

    def _shapes(self, owner: MappingNode) -> RawRequirement | None:
        """Return the shape law of an operator, with the same reason for all laws."""
        name = owner.text("shapes")
        if not name:
            return None
        if name not in LAWS:
            raise owner.wrong("shapes", f"no law of shapes {name!r}{did_you_mean(name, LAWS)}")
        because = "the kernel works out its results' shapes from these"
        return RawRequirement(Exactly(name), because, "", self.demand(owner.lines["shapes"]))

    def _role(self, node: Node, roles: tuple[str, ...]) -> RoleDraft:
        if isinstance(node, ScalarNode):
            return RoleDraft(self._kind_name(node), {})
        owner = entries(node, self.file).only(("kind", *OPERAND_VERBS, "because", "see"))
        kind = owner.get("kind")
        return RoleDraft(
            self._kind_name(kind) if kind else None, self.read_requirements(owner, OPERAND_VERBS, roles)
        )

    def _kind_name(self, node: Node) -> str:
        name = text(node)
        if name not in self.kinds:
            raise node.error(f"no kind {name!r}{did_you_mean(name, self.kinds)}")
        return name

    def _limits(
        self, owner: MappingNode, because: str, see: str, roles: tuple[str, ...]
    ) -> dict[str, RawRequirement]:
        limits = owner.entries("limits")
        known = set(measurement_names(roles))
        if not known.issuperset(limits.values):
            register_all()  # a profile may use the measurements of any kind of target
            known = set(measurement_names(roles))
        found = {}
        for name, node in limits.values.items():
            if name not in known:
                told = f"no measurement {name!r}{suggestion_text(name, known) or ';'}"
                raise limits.wrong(name, f"{told} 'litecheck rules --measurements' lists all")
            value, why, where = _read_reasoned(node, because, see)
            found[name] = RawRequirement(
                parse(value, "limits", (), name), why, where, self.demand(limits.lines[name])
            )
        return found

    def _exemptions(
        self, owner: MappingNode, roles: tuple[str, ...], base: OperatorDraft | None
    ) -> tuple[Exemption, ...]:
        node = owner.get("except")
        if node is None:
            return base.exemptions if base else ()
        if not isinstance(node, SequenceNode):
            raise owner.wrong("except", "except is a list of {role: types, because: ...}")
        found = []
        for item in node:
            entry = entries(item, self.file).only((*roles, "because"))
            named = [key for key in entry.values if key != "because"]
            if len(named) != 1:
                raise entry.error("an exception names one operand and its types")
            types = known_types(entry.values[named[0]])
            found.append(Exemption(named[0], types, entry.text("because")))
        if base is not None:
            known = {(e.role, d) for e in base.exemptions for d in e.dtypes}
            if not {(e.role, d) for e in found for d in e.dtypes} <= known:
                raise owner.wrong("except", "a profile that extends another cannot except more")
        return tuple(found)
