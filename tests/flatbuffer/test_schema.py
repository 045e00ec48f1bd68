"""The wire format as data: every slot, type, default, enum and union equals LiteRT's generated code."""

from __future__ import annotations

import ast
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path

import pytest

from litecheck.flatbuffer.schema import WIDTHS, Field, Schema, load_schema

#: (name without underscores, kind, element type, default); the type byte of a union is a separate field.
Facts = tuple[str, str, str, float]


@lru_cache(maxsize=1)
def _generated() -> ast.Module:
    """Return the syntax tree of the code that FlatBuffers generated from LiteRT's schema."""
    pytest.importorskip("ai_edge_litert", reason="needs ai-edge-litert")
    spec = find_spec("ai_edge_litert.schema_py_generated")
    assert spec is not None
    assert spec.origin is not None
    return ast.parse(Path(spec.origin).read_text(encoding="utf-8"))


def _classes() -> dict[str, ast.ClassDef]:
    return {node.name: node for node in _generated().body if isinstance(node, ast.ClassDef)}


def _enums() -> dict[str, dict[str, int]]:
    """Return every class that consists of numbered names."""
    found = {}
    for name, node in _classes().items():
        assigned = [a for a in node.body if isinstance(a, ast.Assign)]
        numbers = {
            a.targets[0].id: ast.literal_eval(a.value)
            for a in assigned
            if isinstance(a.targets[0], ast.Name) and a.targets[0].id != "__slots__"
        }
        if numbers and len(numbers) == len(node.body):
            found[name] = numbers
    return found


def _functions() -> dict[str, ast.FunctionDef]:
    return {node.name: node for node in _generated().body if isinstance(node, ast.FunctionDef)}


def _call(node: ast.AST) -> ast.Call:
    """Return the ``builder.<method>(...)`` call of a builder function."""
    calls = (n for n in ast.walk(node) if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute))
    return next(c for c in calls if isinstance(c.func, ast.Attribute) and _is_builder(c.func))


def _is_builder(node: ast.Attribute) -> bool:
    return isinstance(node.value, ast.Name) and node.value.id == "builder"


def _generated_tables() -> dict[str, dict[int, Facts]]:
    """Return the fields of every table in the generated code, by slot."""
    functions, classes = _functions(), _classes()
    tables = {}
    for name, node in classes.items():
        if not any(isinstance(m, ast.FunctionDef) and m.name == "GetRootAs" for m in node.body):
            continue
        methods = {m.name: m for m in node.body if isinstance(m, ast.FunctionDef)}
        adders = {k.removeprefix(f"{name}Add"): f for k, f in functions.items() if k.startswith(f"{name}Add")}
        tables[name] = dict(_facts(name, k, f, methods, functions) for k, f in adders.items())
    return tables


def _facts(
    table: str,
    name: str,
    adder: ast.FunctionDef,
    methods: dict[str, ast.FunctionDef],
    functions: dict[str, ast.FunctionDef],
) -> tuple[int, Facts]:
    call = _call(adder)
    assert isinstance(call.func, ast.Attribute)
    slot, default = ast.literal_eval(call.args[0]), ast.literal_eval(call.args[2])
    stored = call.func.attr.removeprefix("Prepend").removesuffix("Slot").lower()
    if stored != "uoffsettrelative":
        return slot, (name.lower(), "scalar", stored, float(default))
    text = ast.unparse(methods[name])
    made = [
        n.func.id for n in ast.walk(methods[name]) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name)
    ]
    child = next((m for m in made if m not in ("Table", "bytearray")), "")
    if f"{table}Start{name}Vector" not in functions:
        if "_tab.Union(" in text:
            return slot, (name.lower(), "union", "", 0)
        return slot, (name.lower(), *(("table", child) if child else ("string", "string")), 0)
    if child:
        return slot, (name.lower(), "tables", child, 0)
    element = text.split("number_types.")[2].split("Flags")[0].lower()
    width = ast.literal_eval(_call(functions[f"{table}Start{name}Vector"]).args[0])
    assert width == WIDTHS[element]
    return slot, (name.lower(), "scalars", element, 0)


def _our_facts(f: Field) -> dict[int, Facts]:
    name = f.name.replace("_", "")
    if f.kind == "union":
        return {f.slot - 1: (f"{name}type", "scalar", "uint8", 0), f.slot: (name, "union", "", 0)}
    return {f.slot: (name, f.kind, f.type, float(f.default))}


@pytest.fixture(scope="module")
def schema() -> Schema:
    return load_schema("tflite")


@pytest.mark.runtime
def test_every_table_has_the_generated_slots_types_and_defaults(schema: Schema) -> None:
    ours = {
        table: {slot: facts for f in fields for slot, facts in _our_facts(f).items()}
        for table, fields in schema.tables.items()
    }
    theirs = _generated_tables()
    assert ours.keys() == theirs.keys()
    assert {name: dict(sorted(t.items())) for name, t in ours.items()} == {
        name: dict(sorted(t.items())) for name, t in theirs.items()
    }


@pytest.mark.runtime
def test_every_enum_and_union_has_the_generated_numbers(schema: Schema) -> None:
    theirs = _enums()
    unions = {name: {"NONE": 0, **{m: i for i, m in enumerate(t, 1)}} for name, t in schema.unions.items()}
    assert {**schema.enums, **unions} == theirs


@pytest.mark.runtime
def test_the_comparison_notices_a_wrong_slot_and_a_missing_table(schema: Schema) -> None:
    theirs = _generated_tables()
    assert theirs["Conv2DOptions"][4] == ("dilationwfactor", "scalar", "int32", 1.0)
    assert theirs["Tensor"][4] == ("quantization", "table", "QuantizationParameters", 0)
    assert sum(map(len, theirs.values())) > 315
    wrong = Field("stride_w", 2, "scalar", "int32")
    assert _our_facts(wrong)[2] != theirs["Conv2DOptions"][2]


@pytest.mark.parametrize("name", ["tflite", "litertlm"])
def test_parents_come_before_their_children(name: str) -> None:
    schema = load_schema(name)
    place = {table: i for i, table in enumerate(schema.order)}
    for table, fields in schema.tables.items():
        for f in fields:
            children = schema.unions[f.type] if f.kind == "union" else (f.type,)
            assert all(place[table] < place[child] for child in children if child in place), (table, f.name)
    assert set(schema.order) <= set(schema.tables)


def test_no_two_fields_share_a_slot(schema: Schema) -> None:
    for table, fields in schema.tables.items():
        slots = [slot for f in fields for slot in _our_facts(f)]
        assert len(slots) == len(set(slots)), table


def test_only_vectors_aligned_beyond_their_element_state_an_alignment(schema: Schema) -> None:
    aligned = {(t, f.name): f.align for t, fields in schema.tables.items() for f in fields if f.align}
    assert aligned == {
        ("Buffer", "data"): 16,
        ("CustomQuantization", "custom"): 16,
        ("Uint16Vector", "values"): 4,
        ("Uint8Vector", "values"): 4,
    }


def test_a_number_the_schema_does_not_know_has_no_name(schema: Schema) -> None:
    assert schema.enum_name("TensorType", 9) == "INT8"
    assert schema.enum_name("TensorType", 99) is None
