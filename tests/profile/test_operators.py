"""rules/operators.yaml: the vocabulary of rules and kernels, correct for existing shapes and options, read strictly."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from litecheck.cases.probes.catalogue import FAMILIES
from litecheck.comparison.exact_accumulator import FORMULAS
from litecheck.data import rules_dir, schemas_dir
from litecheck.errors import ProfileError
from litecheck.flatbuffer.schema import load_schema
from litecheck.model.build import options_table
from litecheck.model.shapes import lengths
from litecheck.profile import operators
from litecheck.profile.load import load_profile, profile_names
from litecheck.profile.operators import OPERANDS, STEERING, operator_names, traits_of
from litecheck.profile.parser import ANY_OPERATOR, ANY_SUBGRAPH, ANY_TENSOR
from litecheck.profile.types import OperatorRule
from litecheck.reference.engine.dispatch import signature
from litecheck.reference.registry import Kernel, all_kernels, kernels

NAMES = operator_names()
#: Operators with the shape of their operand, but outputs that depend on several elements.
BY_ROW_OR_STORAGE = {"LOG_SOFTMAX", "DENSIFY"}


def rules() -> Iterator[tuple[str, OperatorRule]]:
    """Yield every rule of every profile that lists operands."""
    for profile in map(load_profile, profile_names()):
        for opcode in {*profile.operators} - {ANY_TENSOR, ANY_SUBGRAPH, ANY_OPERATOR}:
            if not profile.operators[opcode].unsupported:
                yield opcode, profile.operators[opcode]


RULES = list(rules())


def laws() -> dict[str, str]:
    structure = load_profile("litert-structure").operators
    return {opcode: structure[opcode].law for opcode in NAMES if opcode in structure}


@pytest.mark.parametrize("kernel", [*all_kernels()], ids=lambda k: f"{k.opcode}-{'-'.join(k.types)}")
def test_roles_are_those_of_the_kernels(kernel: Kernel) -> None:
    """Missing operands of a kernel would get random values although they may be indices."""
    facts, roles = traits_of(kernel.opcode), signature(kernel.function)
    assert (tuple(facts.inputs), facts.outputs) == (roles.inputs, roles.outputs)


def test_roles_are_those_of_the_rules() -> None:
    wrong = {
        opcode
        for opcode, rule in RULES
        if (tuple(traits_of(opcode).inputs), traits_of(opcode).outputs) != (rule.inputs, rule.outputs)
    }
    assert wrong == set()


def test_every_operator_with_a_kernel_or_a_rule_is_listed_and_no_other() -> None:
    assert set(NAMES) == {*kernels(), *(opcode for opcode, _ in RULES)}
    builtin = {name for name in NAMES if not name.startswith("CUSTOM ")}
    assert builtin <= set(load_schema().enums["BuiltinOperator"])


def test_the_schema_describes_operators_yaml() -> None:
    jsonschema = pytest.importorskip("jsonschema", reason="needs jsonschema")
    schema = json.loads((schemas_dir() / "operators.schema.json").read_text("utf-8"))
    document = yaml.safe_load((rules_dir() / "operators.yaml").read_text("utf-8"))
    judge = jsonschema.Draft202012Validator(schema)
    judge.validate(document)
    kinds = schema["$defs"]["operator"]["properties"]["inputs"]["additionalProperties"]["enum"]
    assert tuple(kinds) == OPERANDS + STEERING
    assert set(schema["$defs"]["operator"]["properties"]) == set(operators._KEYS)
    document["ops"]["ADD"]["inputs"]["lhs"] = "wieght"
    assert not judge.is_valid(document)


def test_elementwise_operators_keep_or_broadcast_shapes() -> None:
    law = laws()
    unary = {opcode for opcode in law if law[opcode] in ("elementwise", "cast")} - BY_ROW_OR_STORAGE
    two = {*set(lengths.__all__) - {"cast", "product"}, "broadcast", "divide", "same_shapes", "prelu"}
    binary = {opcode for opcode in law if law[opcode] in two}
    assert {opcode for opcode in NAMES if traits_of(opcode).elementwise == "unary"} == unary
    assert {opcode for opcode in NAMES if traits_of(opcode).elementwise == "binary"} == binary


def test_windows_and_activations_are_options_of_the_operator() -> None:
    law, windows = laws(), set()
    for opcode in NAMES:
        facts, table = traits_of(opcode), options_table(opcode)
        options = {} if table is None else load_schema().tables[table.type]
        assert not facts.fuses or "fused_activation_function" in {f.name for f in options}, opcode
        if facts.windows:
            assert {"padding", "stride_h", "stride_w"} <= {field.name for field in options}
            windows.add(law[opcode])
    assert windows == {"conv_2d", "depthwise_conv_2d", "pool_2d"}


def test_traits_name_roles_of_the_operator() -> None:
    for opcode in NAMES:
        facts = traits_of(opcode)
        roles = {*facts.inputs, *facts.outputs}
        assert set(facts.products) <= set(facts.inputs), opcode
        assert {role for tie in facts.equal_dims for role in tie} <= roles, opcode
        assert not (facts.elementwise == "unary" and len(facts.inputs) != 1), opcode
        assert not (facts.elementwise == "binary" and len(facts.inputs) != 2), opcode


def test_traits_name_all_existing_formulas_and_probes() -> None:
    assert {traits_of(n).element for n in NAMES} - {""} == set(FORMULAS)
    assert {family for n in NAMES for family in traits_of(n).probes} == set(FAMILIES)


def test_an_operator_that_is_not_listed_has_no_facts() -> None:
    facts = traits_of("CUSTOM acme")
    assert (facts.role(0), facts.steers(""), facts.elementwise) == ("", False, "")


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("inputs: {input: dta}", "operators.yaml:2: 'dta' is not known here; did you mean 'data'?"),
        ("inptus: {input: data}", "operators.yaml:2: unknown key 'inptus'; did you mean 'inputs'?"),
        ("version: two", "operators.yaml:2: 'two' is not a whole number"),
        ("equal_dims: {input: 0}", "operators.yaml:2: expected a list here"),
        ("accumulates: {over: rows}", "operators.yaml:2: 'rows' is not known here; did you mean 'row'?"),
        ("result: [rescaled]", "operators.yaml:2: expected one value; got a list or a mapping"),
    ],
)
def test_a_mistake_is_named_with_its_line(
    entry: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "operators.yaml").write_text(f"ops:\n  ADD: {{{entry}}}\n")
    monkeypatch.setattr(operators, "rules_dir", lambda: tmp_path)
    operators._read_entries.cache_clear()
    operators.traits_of.cache_clear()
    try:
        with pytest.raises(ProfileError) as raised:
            operators.traits_of("ADD")
    finally:
        operators._read_entries.cache_clear()
        operators.traits_of.cache_clear()
    assert str(raised.value).endswith(message)
