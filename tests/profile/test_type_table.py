"""Tables of types: rows as products of sets, impacts, and the version that was measured."""

from __future__ import annotations

import pytest

from litecheck import load_profile
from litecheck.profile.type_table import OperatorTypes, load_types, row_text, type_tables

INT8, BIAS = frozenset(("int8",)), frozenset(("int32", "-"))
CONV = OperatorTypes(
    ("input", "bias", "output"),
    ((INT8, BIAS, INT8), (frozenset(("float32",)),) * 3),
    (("crashes", ((INT8, frozenset(("bool",)), INT8),)),),
    "fails to load",
    False,
    1,
    {"bias": (("wrong results", ((INT8, frozenset(("int64",)), INT8),)),)},
)


@pytest.mark.parametrize(
    ("combination", "expected"),
    [
        (("int8", "int32", "int8"), None),
        (("int8", "-", "int8"), None),
        (("float32", "float32", "float32"), None),
        (("int8", "bool", "int8"), "crashes"),
        (("int8", "int64", "int8"), "fails to load"),
    ],
)
def test_a_combination_in_no_row_has_the_usual_impact(
    combination: tuple[str, ...], expected: str | None
) -> None:
    assert CONV.impact(combination) == expected


def test_parameters_of_the_right_type_have_an_impact_of_their_own() -> None:
    assert CONV.kept_impact("bias", ("int8", "int64", "int8")) == "wrong results"
    assert CONV.kept_impact("bias", ("int8", "bool", "int8")) == "crashes"
    assert CONV.kept_impact("output", ("int8", "int64", "int8")) == "fails to load"


def test_the_nearest_rows_differ_in_the_fewest_roles() -> None:
    assert [row_text(row) for row in CONV.nearest(("int8", "int64", "int8"))] == ["int8 -|int32 int8"]


@pytest.mark.parametrize("name", type_tables())
def test_a_table_is_of_the_runtime_of_its_profile(name: str) -> None:
    profile = load_profile({"litert": "litert-structure"}.get(name, name))
    assert profile.types is load_types(name)
    assert profile.types.runtime == profile.runtime


@pytest.mark.parametrize("name", type_tables())
def test_every_entry_has_the_roles_of_the_rule_and_its_line(name: str) -> None:
    rules, table = load_profile("litert-structure").operators, load_types(name)
    for opcode, types in table.operators.items():
        assert types.roles == (*rules[opcode].inputs, *rules[opcode].outputs), opcode
        assert types.line > 1
        assert all(len(row) == len(types.roles) for row in types.runs)


@pytest.mark.parametrize("opcode", ["STABLEHLO_ADD", "STABLEHLO_MULTIPLY"])
@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "int64", "float32"])
def test_integers_that_wrap_in_fewer_bits_are_right(opcode: str, dtype: str) -> None:
    """LiteRT adds and multiplies int32 as int8, although the same values wrap around in int8 only."""
    types = load_profile("litert-structure").types
    assert types is not None
    assert types.operators[opcode].impact((dtype,) * 3) is None
