"""Forms of operators from ``rules/case_templates.yaml``: shapes by role, options and steering values, without types."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import numpy as np

from litecheck.arrays import Array
from litecheck.cases.template_operand import TemplateOperand
from litecheck.data import rules_dir
from litecheck.errors import ProfileError
from litecheck.model.build import Option, options_table
from litecheck.profile.operators import STEERING, OperatorTraits, operator_names, traits_of
from litecheck.profile.yaml_reader import (
    MappingNode,
    Node,
    ScalarNode,
    SequenceNode,
    entries,
    read_yaml,
    text,
)
from litecheck.quantization import BITS
from litecheck.spelling import did_you_mean
from litecheck.suite.case import LEVELS

FILE = "rules/case_templates.yaml"
_KEYS = ("none", "like", "version", "options", "types", "typed", "unusual", "forms")
_FORM_KEYS = ("level", "operands", "options", "results", "calls")
_OPERAND_KEYS = ("shape", "values", "given", "by_inference", "constant")
_WHOLE = re.compile(r"[+-]?\d+$")
_REAL = re.compile(r"[+-]?(\d+\.\d*|\.\d+|\d+)(e[+-]?\d+)?$")


@dataclass(frozen=True, slots=True, eq=False)
class CaseTemplate:
    """A form of an operator.

    ``operands`` has only present roles; ``results`` is the number of outputs of a repeated role. ``types`` are those
    of roles without rules, or roles with the same type. ``type_options`` options state the types of roles, ``unusual``
    options state a type that is not the first in the rule. ``calls`` lists, for each option that names a subgraph, the
    inputs that are its outputs.
    """

    opcode: str
    name: str
    level: str
    line: int
    operands: Mapping[str, tuple[TemplateOperand, ...]]
    options: Mapping[str, Option]
    version: int
    results: int = 1
    types: Mapping[str, str] = field(default_factory=dict)
    type_options: Mapping[str, str] = field(default_factory=dict)
    calls: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    unusual: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class OperatorTemplates:
    """The forms of an operator, or in ``none`` the reason that there are none."""

    forms: tuple[CaseTemplate, ...]
    none: str = ""


def templates_of(opcode: str) -> OperatorTemplates:
    """Return the forms of an operator. Raise ProfileError with the line of an error."""
    return _forms().get(opcode) or OperatorTemplates((), "rules/case_templates.yaml has no form of it")


@cache
def _forms() -> Mapping[str, OperatorTemplates]:
    return read_templates(rules_dir() / "case_templates.yaml", FILE)


def read_templates(path: Path, shown: str) -> Mapping[str, OperatorTemplates]:
    """Return all forms of a file by operator. Raise ProfileError with the line of an error."""
    ops = entries(read_yaml(path, shown).only(("ops",)).get("ops"), shown)
    known = operator_names()
    for opcode in ops.values:
        if opcode not in known:
            raise ProfileError(
                shown, ops.lines[opcode], f"no operator {opcode!r}{did_you_mean(opcode, known)}"
            )
    return {opcode: _operator(opcode, entries(node, shown), ops) for opcode, node in ops.values.items()}


def _operator(opcode: str, node: MappingNode, ops: MappingNode) -> OperatorTemplates:
    node.only(_KEYS)
    facts = traits_of(opcode)
    like = entries(_referenced_entry(node, ops), node.file)
    forms = entries(like.get("forms") or node.get("forms"), node.file)
    none = text(node.get("none"))
    if bool(none) == bool(forms.values):
        raise ProfileError(node.file, node.line, f"{opcode} takes forms, like, or none with the reason")
    roles = (*facts.inputs, *facts.outputs)
    types = {role: text(n) for role, n in _entries_by_role(node, "types", roles)}
    for role, dtype in types.items():
        if dtype not in (*BITS, *roles):
            raise ProfileError(node.file, node.line, f"{role}: no type and no operand {dtype!r}")
    typed, unusual = (
        {option: text(n) for option, n in entries(node.get(key), node.file).values.items()}
        for key in ("typed", "unusual")
    )
    version = int(text(node.get("version"))) if node.get("version") else facts.version
    options = _options(like.get("options") or node.get("options"), node.file)
    made = []
    for name, form in forms.values.items():
        one = entries(form, node.file).only(_FORM_KEYS)
        made.append(
            CaseTemplate(
                opcode, name, _level(one), one.line, dict(_operands(one, facts)),
                options | _options(one.get("options"), one.file), version, _results(one), types, typed,
                dict(_calls(one)),
                unusual,
            )
        )  # fmt: skip
        _check_options(made[-1], one)
    return OperatorTemplates(tuple(made), none)


def _referenced_entry(node: MappingNode, ops: MappingNode) -> Node | None:
    """Return the entry of the operator that has the same forms."""
    name = text(node.get("like"))
    if name and name not in ops:
        raise ProfileError(
            node.file, node.lines["like"], f"{name!r} has no entry{did_you_mean(name, ops.values)}"
        )
    return ops.get(name) if name else None


def _check_options(form: CaseTemplate, node: MappingNode) -> None:
    """Raise ProfileError for options that the operator does not have."""
    try:
        options_table(
            form.opcode, **dict.fromkeys((*form.type_options, *form.unusual, *form.calls), 0), **form.options
        )
    except (ValueError, KeyError) as error:
        raise ProfileError(node.file, node.line, f"{form.opcode}, form {form.name}: {error}") from None


def _entries_by_role(node: MappingNode, key: str, roles: tuple[str, ...]) -> Iterator[tuple[str, Node]]:
    """Yield the entries of a key, by role."""
    found = entries(node.get(key), node.file)
    for role, value in found.values.items():
        if role not in roles:
            raise ProfileError(
                node.file, found.lines[role], f"{role!r} is not an operand here{did_you_mean(role, roles)}"
            )
        yield role, value


def _level(node: MappingNode) -> str:
    level = text(node.get("level"), "standard")
    if level not in LEVELS:
        raise ProfileError(node.file, node.line, f"no level {level!r}; there are {', '.join(LEVELS)}")
    return level


def _results(node: MappingNode) -> int:
    return int(_integer(node.get("results"))) if node.get("results") else 1


def _calls(node: MappingNode) -> Iterator[tuple[str, tuple[int, ...]]]:
    for option, places in entries(node.get("calls"), node.file).values.items():
        yield option, tuple(map(_integer, _list(places)))


def _operands(node: MappingNode, facts: OperatorTraits) -> Iterator[tuple[str, tuple[TemplateOperand, ...]]]:
    """Yield inputs by role. A plain list is a shape; for a steering input, it has the values of a constant."""
    for role, value in _entries_by_role(node, "operands", tuple(facts.inputs)):
        steers = facts.inputs[role] in STEERING
        several = (
            not steers
            and isinstance(value, SequenceNode)
            and any(not isinstance(v, ScalarNode) for v in value)
        )
        parts = _list(value) if several else (value,)
        yield role, tuple(_operand(part, facts.inputs[role]) for part in parts)


def _operand(node: Node, kind: str) -> TemplateOperand:
    if not isinstance(node, MappingNode):
        if kind in STEERING:
            values = _array(node)
            return TemplateOperand(values.shape, values, constant=True)
        return TemplateOperand(_shape(node), constant=kind in ("weight", "bias"))
    node.only(_OPERAND_KEYS)
    if len(node.values) != 1:
        raise ProfileError(node.file, node.line, f"one of {', '.join(_OPERAND_KEYS)}")
    ((key, value),) = node.values.items()
    if key in ("shape", "constant"):
        return TemplateOperand(_shape(value), constant=key == "constant")
    if key == "by_inference":
        return _operand_by_inference(value)
    values = _array(value)
    return TemplateOperand(values.shape, values, constant=key == "values")


def _operand_by_inference(node: Node) -> TemplateOperand:
    several = tuple(map(_array, _list(node)))
    if len({values.shape for values in several}) != 1:
        raise ProfileError(node.file, node.line, "expected values of one shape for each inference")
    return TemplateOperand(several[0].shape, several[0], by_inference=several)


def _shape(node: Node) -> tuple[int, ...]:
    return tuple(map(_integer, _list(node)))


def _list(node: Node) -> tuple[Node, ...]:
    if not isinstance(node, SequenceNode):
        raise ProfileError(node.file, node.line, "expected a list here")
    return node.values


def _integer(node: Node | None) -> int:
    if not isinstance(node, ScalarNode) or not _WHOLE.match(node.value):
        raise ProfileError(FILE, node.line if node else 0, "expected a whole number here")
    return int(node.value)


def _array(node: Node) -> Array:
    """Return nested lists of numbers or bools as an array."""
    nested = _nested_lists(node)
    try:
        values: Array = np.asarray(nested)
    except ValueError:
        raise ProfileError(node.file, node.line, "rows of different lengths") from None
    if values.size and values.dtype.kind not in "bif":
        raise ProfileError(node.file, node.line, "expected numbers, or true and false")
    return values if values.size else values.astype(np.int64)


def _nested_lists(node: Node) -> object:
    return [_nested_lists(one) for one in node] if isinstance(node, SequenceNode) else _scalar(node)


def _scalar(node: Node) -> bool | int | float | str:
    word = text(node)
    if word in ("true", "false"):
        return word == "true"
    return int(word) if _WHOLE.match(word) else float(word) if _REAL.match(word) else word


def _options(node: Node | None, file: str) -> dict[str, Option]:
    found: dict[str, Option] = {}
    for name, value in entries(node, file).values.items():
        if isinstance(value, SequenceNode):
            array = _array(value)
            found[name] = array.astype(np.float32) if array.dtype.kind == "f" else array.astype(np.int64)
        else:
            found[name] = _scalar(value)
    return found
