"""The rule files as data: valid by their schema, true to the page and to LiteRT's operand lists."""

from __future__ import annotations

import json
from functools import cache
from itertools import takewhile
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from litecheck import load_profile
from litecheck.data import rules_dir, schemas_dir

#: libyaml's, where PyYAML has it: ten times as fast.
BASE, SAFE = getattr(yaml, "CBaseLoader", yaml.BaseLoader), getattr(yaml, "CSafeLoader", yaml.SafeLoader)
#: Every profile and the template; operators.yaml, case_templates.yaml, geometry.yaml and notes.yaml have no
#: requirements.
FILES = sorted(
    path
    for path in (*rules_dir().glob("*.yaml"), *rules_dir().glob("targets/*.yaml"))
    if path.stem not in ("operators", "case_templates", "geometry", "notes")
)
#: The specification page, with a line per operand in its order: operator, place, name here, type, range, granularity,
#: dimension, restriction. "same" on an output: input and outputs must have the same scale and zero point. The bias's
#: range is that of its type. in0*in1 is input0_scale * input1_scale[...].
PAGE = """
ADD               input0  lhs    int8  -128..127 per-tensor -  -
ADD               input1  rhs    int8  -128..127 per-tensor -  -
ADD               output0 output int8  -128..127 per-tensor -  -
AVERAGE_POOL_2D   input0  input  int8  -128..127 per-tensor -  -
AVERAGE_POOL_2D   output0 output int8  -128..127 per-tensor -  same
CONCATENATION     input*  values int8  -128..127 per-tensor -  -
CONCATENATION     output0 output int8  -128..127 per-tensor -  same
CONV_2D           input0  input  int8  -128..127 per-tensor -  -
CONV_2D           input1  weight int8  -127..127 per-axis   0  zp=0
CONV_2D           input2  bias   int32 int32     per-axis   -  in0*in1,zp=0
CONV_2D           output0 output int8  -128..127 per-tensor -  -
DEPTHWISE_CONV_2D input0  input  int8  -128..127 per-tensor -  -
DEPTHWISE_CONV_2D input1  weight int8  -127..127 per-axis   3  zp=0
DEPTHWISE_CONV_2D input2  bias   int32 int32     per-axis   -  in0*in1,zp=0
DEPTHWISE_CONV_2D output0 output int8  -128..127 per-tensor -  -
FULLY_CONNECTED   input0  input  int8  -128..127 per-tensor -  -
FULLY_CONNECTED   input1  weight int8  -127..127 per-axis   0  zp=0
FULLY_CONNECTED   input2  bias   int32 int32     per-tensor -  in0*in1,zp=0
FULLY_CONNECTED   output0 output int8  -128..127 per-tensor -  -
L2_NORMALIZATION  input0  input  int8  -128..127 per-tensor -  -
L2_NORMALIZATION  output0 output int8  -128..127 per-tensor -  1/128,zp=0
LOGISTIC          input0  input  int8  -128..127 per-tensor -  -
LOGISTIC          output0 output int8  -128..127 per-tensor -  1/256,zp=-128
MAX_POOL_2D       input0  input  int8  -128..127 per-tensor -  -
MAX_POOL_2D       output0 output int8  -128..127 per-tensor -  same
MUL               input0  lhs    int8  -128..127 per-tensor -  -
MUL               input1  rhs    int8  -128..127 per-tensor -  -
MUL               output0 output int8  -128..127 per-tensor -  -
RESHAPE           input0  input  int8  -128..127 per-tensor -  -
RESHAPE           output0 output int8  -128..127 per-tensor -  same
RESIZE_BILINEAR   input0  input  int8  -128..127 per-tensor -  -
RESIZE_BILINEAR   output0 output int8  -128..127 per-tensor -  same
SOFTMAX           input0  input  int8  -128..127 per-tensor -  -
SOFTMAX           output0 output int8  -128..127 per-tensor -  1/256,zp=-128
SPACE_TO_DEPTH    input0  input  int8  -128..127 per-tensor -  -
SPACE_TO_DEPTH    output0 output int8  -128..127 per-tensor -  same
TANH              input0  input  int8  -128..127 per-tensor -  -
TANH              output0 output int8  -128..127 per-tensor -  1/128,zp=0
PAD               input0  input  int8  -128..127 per-tensor -  -
PAD               output0 output int8  -128..127 per-tensor -  same
GATHER            input0  input  int8  -128..127 per-tensor -  -
GATHER            output0 output int8  -128..127 per-tensor -  same
BATCH_TO_SPACE_ND input0  input  int8  -128..127 per-tensor -  -
BATCH_TO_SPACE_ND output0 output int8  -128..127 per-tensor -  same
SPACE_TO_BATCH_ND input0  input  int8  -128..127 per-tensor -  -
SPACE_TO_BATCH_ND output0 output int8  -128..127 per-tensor -  same
TRANSPOSE         input0  input  int8  -128..127 per-tensor -  -
TRANSPOSE         output0 output int8  -128..127 per-tensor -  same
MEAN              input0  input  int8  -128..127 per-tensor -  -
MEAN              output0 output int8  -128..127 per-tensor -  -
SUB               input0  lhs    int8  -128..127 per-tensor -  -
SUB               input1  rhs    int8  -128..127 per-tensor -  -
SUB               output0 output int8  -128..127 per-tensor -  -
SUM               input0  input  int8  -128..127 per-tensor -  -
SUM               output0 output int8  -128..127 per-tensor -  -
SQUEEZE           input0  input  int8  -128..127 per-tensor -  -
SQUEEZE           output0 output int8  -128..127 per-tensor -  same
LOG_SOFTMAX       input0  input  int8  -128..127 per-tensor -  -
LOG_SOFTMAX       output0 output int8  -128..127 per-tensor -  1/16,zp=127
MAXIMUM           input0  lhs    int8  -128..127 per-tensor -  -
MAXIMUM           output0 output int8  -128..127 per-tensor -  same
ARG_MAX           input0  input  int8  -128..127 per-tensor -  -
MINIMUM           input0  lhs    int8  -128..127 per-tensor -  -
MINIMUM           output0 output int8  -128..127 per-tensor -  same
LESS              input0  lhs    int8  -128..127 per-tensor -  -
LESS              input1  rhs    int8  -128..127 per-tensor -  -
PADV2             input0  input  int8  -128..127 per-tensor -  -
PADV2             output0 output int8  -128..127 per-tensor -  same
GREATER           input0  lhs    int8  -128..127 per-tensor -  -
GREATER           input1  rhs    int8  -128..127 per-tensor -  -
GREATER_EQUAL     input0  lhs    int8  -128..127 per-tensor -  -
GREATER_EQUAL     input1  rhs    int8  -128..127 per-tensor -  -
LESS_EQUAL        input0  lhs    int8  -128..127 per-tensor -  -
LESS_EQUAL        input1  rhs    int8  -128..127 per-tensor -  -
SLICE             input0  input  int8  -128..127 per-tensor -  -
SLICE             output0 output int8  -128..127 per-tensor -  same
EQUAL             input0  lhs    int8  -128..127 per-tensor -  -
EQUAL             input1  rhs    int8  -128..127 per-tensor -  -
NOT_EQUAL         input0  lhs    int8  -128..127 per-tensor -  -
NOT_EQUAL         input1  rhs    int8  -128..127 per-tensor -  -
SHAPE             input0  input  int8  -128..127 per-tensor -  -
QUANTIZE          input0  input  int8  -128..127 per-tensor -  -
QUANTIZE          output0 output int8  -128..127 per-tensor -  -
"""
#: Reading of the page where it contradicts itself or is incomplete. A bias has the granularity of its weights: the
#: page states per-axis twice and per-tensor once for the same formula.
BIAS_GRANULARITY = {"same_as": "weight"}
#: The page lists input 0 only and requires the same scale of all inputs.
BOTH_INPUTS = {"MAXIMUM", "MINIMUM"}

#: Every operator of litert-runtime: number of inputs (least..most, * for any number) and outputs of its kernel.
OPERANDS = """
CONV_2D 3 1, DEPTHWISE_CONV_2D 3 1, FULLY_CONNECTED 2..3 1, TRANSPOSE_CONV 3..4 1, BATCH_MATMUL 2 1,
SVDF 5 1, UNIDIRECTIONAL_SEQUENCE_LSTM 20..24 1, LSTM 20..24 1, EMBEDDING_LOOKUP 2 1,
ADD 2 1, SUB 2 1, MUL 2 1, DIV 2 1, SQUARED_DIFFERENCE 2 1, MAXIMUM 2 1, MINIMUM 2 1, PRELU 2 1,
EQUAL 2 1, NOT_EQUAL 2 1, LESS 2 1, LESS_EQUAL 2 1, GREATER 2 1, GREATER_EQUAL 2 1,
FLOOR_DIV 2 1, FLOOR_MOD 2 1, BITWISE_XOR 2 1, RIGHT_SHIFT 2 1, STABLEHLO_SHIFT_LEFT 2 1,
STABLEHLO_ADD 2 1, STABLEHLO_MULTIPLY 2 1, STABLEHLO_MAXIMUM 2 1, STABLEHLO_MINIMUM 2 1, STABLEHLO_AND 2 1,
RELU 1 1, RELU6 1 1, RELU_N1_TO_1 1 1, RELU_0_TO_1 1 1, LEAKY_RELU 1 1, HARD_SWISH 1 1, ELU 1 1, GELU 1 1,
ABS 1 1, EXP 1 1, LOG 1 1, SQRT 1 1, RSQRT 1 1, NEG 1 1, LOGISTIC 1 1, TANH 1 1, SOFTMAX 1 1, LOG_SOFTMAX 1 1,
L2_NORMALIZATION 1 1, QUANTIZE 1 1, DEQUANTIZE 1 1, CAST 1 1, BITCAST 1 1, FAKE_QUANT 1 1, DENSIFY 1 1,
MEAN 2 1, SUM 2 1, REDUCE_MAX 2 1, REDUCE_MIN 2 1, REDUCE_PROD 2 1, ARG_MAX 2 1, ARG_MIN 2 1,
SHAPE 1 1, RANK 1 1, WHERE 1 1, UNIQUE 1 2, TOPK_V2 2 2,
AVERAGE_POOL_2D 1 1, MAX_POOL_2D 1 1, RESHAPE 1..2 1, SQUEEZE 1 1, EXPAND_DIMS 2 1, TRANSPOSE 2 1,
RESIZE_BILINEAR 2 1, RESIZE_NEAREST_NEIGHBOR 2 1, SPACE_TO_DEPTH 1 1, DEPTH_TO_SPACE 1 1,
BATCH_TO_SPACE_ND 3 1, SPACE_TO_BATCH_ND 3 1, PAD 2 1, PADV2 3 1, MIRROR_PAD 2 1, STABLEHLO_PAD 2 1,
DILATE 3 1, CONCATENATION 1..* 1, PACK 1..* 1, UNPACK 1 1..*, SPLIT 2 1..*, SPLIT_V 3 1..*,
SLICE 3 1, STRIDED_SLICE 4 1, GATHER 2 1, GATHER_ND 2 1, STABLEHLO_GATHER 2 1, SCATTER_ND 3 1,
STABLEHLO_SCATTER 3 1, DYNAMIC_UPDATE_SLICE 3 1, SELECT 3 1, SELECT_V2 3 1, TILE 2 1, REVERSE_V2 2 1,
BROADCAST_TO 2 1, FILL 2 1, ONE_HOT 4 1, SPARSE_TO_DENSE 4 1, MATRIX_DIAG 1 1, MATRIX_SET_DIAG 2 1,
STABLEHLO_REDUCE_WINDOW 2 1, REDUCE_WINDOW 5 1,
READ_VARIABLE 1 1, ASSIGN_VARIABLE 2 0, IF 1..* 0..*, WHILE 0..* 0..*, STABLEHLO_CASE 1..* 0..*,
STABLEHLO_COMPOSITE 0..* 0..*, TENSOR 1 0
"""
#: Operators that the page lacks, with kernels that move or select stored integers, and the operands that must agree.
SAME = """
PACK values output, UNPACK input outputs, MIRROR_PAD input output, EXPAND_DIMS input output,
FILL value output, REDUCE_MAX input output, REDUCE_MIN input output, SPLIT input outputs,
SPLIT_V input outputs, STRIDED_SLICE input output, RESIZE_NEAREST_NEIGHBOR input output,
DEPTH_TO_SPACE input output, GATHER_ND input output, SCATTER_ND updates output,
SELECT on_true on_false output, SELECT_V2 on_true on_false output, TILE input output,
TOPK_V2 input values, REVERSE_V2 input output, BROADCAST_TO input output,
DYNAMIC_UPDATE_SLICE input update output, ONE_HOT on_value off_value output,
PADV2 input constant_values output, UNIQUE input output, SPARSE_TO_DENSE values default_value output,
MATRIX_DIAG diagonal output, MATRIX_SET_DIAG input diagonal output, DILATE input padding_value output,
STABLEHLO_GATHER input output, STABLEHLO_PAD input padding_value output,
STABLEHLO_MAXIMUM lhs rhs output, STABLEHLO_MINIMUM lhs rhs output, DENSIFY input output,
LSTM output_state output, UNIDIRECTIONAL_SEQUENCE_LSTM output_state output
"""
#: Operators with kernels that compute with the stored integers.
RAW = """CAST BITCAST FLOOR_DIV FLOOR_MOD BITWISE_XOR RIGHT_SHIFT STABLEHLO_SHIFT_LEFT STABLEHLO_ADD
STABLEHLO_MULTIPLY STABLEHLO_AND WHERE STABLEHLO_SCATTER STABLEHLO_REDUCE_WINDOW REDUCE_WINDOW"""
#: The operators LiteRT's converter and kernels run with int16 activations.
INT16 = """
IF STABLEHLO_CASE STABLEHLO_COMPOSITE WHILE
ADD AVERAGE_POOL_2D CONCATENATION CONV_2D DEPTHWISE_CONV_2D FULLY_CONNECTED LOGISTIC MAX_POOL_2D MUL
RESHAPE RESIZE_BILINEAR SOFTMAX TANH PAD GATHER BATCH_TO_SPACE_ND SPACE_TO_BATCH_ND TRANSPOSE MEAN SUB
SUM SQUEEZE MAXIMUM MINIMUM PADV2 SLICE SHAPE QUANTIZE PACK UNPACK MIRROR_PAD EXPAND_DIMS FILL
REDUCE_MAX REDUCE_MIN SPLIT SPLIT_V STRIDED_SLICE RESIZE_NEAREST_NEIGHBOR GATHER_ND SCATTER_ND SELECT
TILE REVERSE_V2 BROADCAST_TO RELU RELU6 LEAKY_RELU GELU ABS EXP LOG SQRT RSQRT SQUARED_DIFFERENCE
REDUCE_PROD BATCH_MATMUL TRANSPOSE_CONV WHERE READ_VARIABLE ASSIGN_VARIABLE DEQUANTIZE SELECT_V2
DYNAMIC_UPDATE_SLICE TENSOR LESS LESS_EQUAL GREATER GREATER_EQUAL
RELU_N1_TO_1 RELU_0_TO_1 HARD_SWISH ELU LOG_SOFTMAX L2_NORMALIZATION SPACE_TO_DEPTH DEPTH_TO_SPACE ARG_MAX ARG_MIN SVDF
"""
#: int16 operators that compare stored values, and rescale int8 values.
INT16_STORED = ("LESS", "LESS_EQUAL", "GREATER", "GREATER_EQUAL")
#: Operators of litert-int16x8 with kernels that have no int16 form.
INT16_REFUSED = """
RELU_N1_TO_1 RELU_0_TO_1 HARD_SWISH ELU LOG_SOFTMAX L2_NORMALIZATION SPACE_TO_DEPTH DEPTH_TO_SPACE ARG_MAX ARG_MIN SVDF
SCATTER_ND SQUARED_DIFFERENCE WHERE
"""


@cache
def as_text(path: Path) -> dict[str, Any]:
    return dict(yaml.load(path.read_text("utf-8"), Loader=BASE))


def raw(name: str) -> dict[str, Any]:
    """Return a rule file as plain data; every scalar is text."""
    return as_text(rules_dir() / f"{name}.yaml")


@cache
def schema() -> dict[str, Any]:
    return dict(json.loads((schemas_dir() / "profile.schema.json").read_text("utf-8")))


@cache
def wire() -> dict[str, Any]:
    return dict(yaml.load((schemas_dir() / "tflite.yaml").read_text("utf-8"), Loader=SAFE))


def operators(name: str) -> dict[str, dict[str, Any]]:
    """Return a profile's operators, with their parent's entries added."""
    data = raw(name)
    found = operators(data["extends"]) if "extends" in data else {}
    for opcode, entry in data["ops"].items():
        base = found.get(opcode, {})
        found[opcode] = {**base, **entry, "tensors": {**base.get("tensors", {}), **entry.get("tensors", {})}}
    return found


def operand(data: dict[str, Any], opcode: str, role: str) -> dict[str, Any]:
    """Return the entry of an operand with its kind applied; a value with a reason becomes the value."""
    said = data["ops"][opcode]["tensors"].get(role, {})
    said = {"kind": said} if isinstance(said, str) else said
    merged = {**data["kinds"].get(said.get("kind"), {}), **said}
    return {key: v["value"] if isinstance(v, dict) and "value" in v else v for key, v in merged.items()}


def items(table: str) -> list[list[str]]:
    return [entry.split() for entry in table.replace("\n", " ").split(",") if entry.strip()]


def test_the_schema_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(schema())


@pytest.mark.parametrize("loader", [BASE, SAFE], ids=["as text", "as an editor types it"])
@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_every_rule_file_keeps_the_schema(path: Path, loader: Any) -> None:
    data = yaml.load(path.read_text("utf-8"), Loader=loader)
    errors = jsonschema.Draft202012Validator(schema()).iter_errors(data)
    assert [f"{e.json_path}: {e.message}" for e in errors] == []


@pytest.mark.parametrize(
    "broken",
    [
        "{profile: x, title: X}",
        "{profile: x, title: X, extends: litert-int8, colour: red}",
        "{profile: x, title: X, extends: litert-int8, ops: {conv_2d: {because: no}}}",
        "{profile: x, title: X, extends: litert-int8, ops: {CONV_2D: {tensors: {input: {dtype: int9}}}}}",
        "{profile: x, title: X, extends: litert-int8, ops: {CONV_2D: {tensors: {input: {range: 3}}}}}",
        "{profile: x, title: X, extends: litert-int8, ops: {CONV_2D: {tensors: {input: {scale: big}}}}}",
        "{profile: x, title: X, extends: litert-int8, ops: {ADD: {same_quantization: [lhs]}}}",
        "{profile: x, title: X, extends: litert-int8, levels: {ADD/lhs/dtype: fatal}}",
        "{profile: x, title: X, extends: litert-int8, relaxes: {ADD/lhs/dtype: {value: int16}}}",
        "{profile: x, title: X, extends: litert-int8, unlisted: forbidden}",
        "{profile: x, title: X, judges: placement, activations: any, ops: {}}",
        "{profile: x, title: X, judges: placement, activations: any, unlisted: violation, ops: {}}",
    ],
)
def test_the_schema_refuses(broken: str) -> None:
    data = yaml.load(broken, Loader=BASE)
    assert not jsonschema.Draft202012Validator(schema()).is_valid(data)


@pytest.mark.parametrize(
    "kept",
    [
        "{profile: x, title: X, judges: placement, activations: any, unlisted: stays on the CPU, ops: {}}",
        "{profile: x, title: X, activations: int8, ops: {CAST: {unsupported: it has no converter}}}",
        "{profile: x, title: X, extends: a.yaml, relaxes: {CAST/unsupported: {because: it has one}}}",
    ],
)
def test_the_schema_takes(kept: str) -> None:
    errors = jsonschema.Draft202012Validator(schema()).iter_errors(yaml.load(kept, Loader=BASE))
    assert [f"{e.json_path}: {e.message}" for e in errors] == []


def test_every_key_of_the_schema_is_described() -> None:
    def bare(node: Any, path: str) -> list[str]:
        if isinstance(node, list):
            return [p for i, value in enumerate(node) for p in bare(value, f"{path}/{i}")]
        if not isinstance(node, dict):
            return []
        keys = node.get("properties")
        own = (
            [f"{path}/{k}" for k, v in keys.items() if not v.get("description")]
            if isinstance(keys, dict)
            else []
        )
        return own + [p for key, value in node.items() for p in bare(value, f"{path}/{key}")]

    assert bare(schema(), "") == []


def test_the_schemas_type_names_are_the_wire_formats() -> None:
    types = wire()["enums"]["TensorType"]["values"]
    assert schema()["$defs"]["typeName"]["enum"] == [name.lower() for name in types]


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_editors_find_the_schema_and_lines_are_readable(path: Path) -> None:
    lines = path.read_text("utf-8").splitlines()
    up = "../" * len(path.relative_to(rules_dir()).parts)
    assert lines[0] == f"# yaml-language-server: $schema={up}schemas/profile.schema.json"
    assert [i for i, line in enumerate(lines, 1) if len(line) > 120 or line != line.rstrip()] == []


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_every_operator_is_one_of_the_wire_format(path: Path) -> None:
    known = {*wire()["enums"]["BuiltinOperator"]["values"], "TENSOR", "SUBGRAPH", "OPERATOR"}
    assert sorted(set(as_text(path)["ops"]) - known) == []


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_reasons_read_on_after_because(path: Path) -> None:
    def reasons(node: Any) -> list[str]:
        if isinstance(node, list):
            return [r for value in node for r in reasons(value)]
        if not isinstance(node, dict):
            return []
        own = [v for k, v in node.items() if k in ("because", "unsupported") and isinstance(v, str)]
        return own + [r for value in node.values() for r in reasons(value)]

    message = reasons(as_text(path))
    assert message
    assert [r for r in message if r.endswith(".") or r.lower().startswith("because")] == []
    names = ("LiteRT", "TFLM", "QUANTIZE", "SOFTMAX", "FAKE_QUANT")
    assert [r for r in message if r[0].isupper() and not r.startswith(names)] == []


def page() -> list[list[str]]:
    return [line.split() for line in PAGE.split("\n") if line.strip()]


def test_the_operators_are_those_of_the_page() -> None:
    listed = {row[0] for row in page()}
    assert len(listed) == 38
    assert set(raw("litert-int8")["ops"]) == listed


def test_the_constrained_operands_are_those_of_the_page() -> None:
    for opcode, entry in raw("litert-int8")["ops"].items():
        listed = {row[2] for row in page() if row[0] == opcode} | (
            {"rhs"} if opcode in BOTH_INPUTS else set()
        )
        assert set(entry["tensors"]) == listed, opcode


@pytest.mark.parametrize("row", page(), ids=lambda row: f"{row[0]}-{row[1]}")
def test_each_operand_equals_the_row_of_the_page(row: list[str]) -> None:
    opcode, place, role, dtype, span, granularity, dim, restriction = row
    data = raw("litert-int8")
    entry, message = data["ops"][opcode], operand(data, opcode, role)
    side, number = place.rstrip("*0123456789"), place.lstrip("inputo")
    assert entry[f"{side}s"][0 if number == "*" else int(number)] == role
    assert (role in entry.get("repeated", [])) == (number == "*")
    assert message["dtype"] == dtype
    if role == "bias":
        assert message["granularity"] == BIAS_GRANULARITY
        assert message["scale"]["product_of"] == [entry["inputs"][0], entry["inputs"][1]]
        assert message["zero_point"] == "0"
        return
    assert message["range"] == span
    assert message["granularity"] == granularity
    assert message.get("axis", "-") == dim
    assert message["zero_point"] == (restriction.partition("zp=")[2] or "-128..127")
    fixed = restriction.partition(",")[0] if restriction[0].isdigit() else "positive"
    assert message["scale"] in (fixed, {"equals": fixed, "tolerated": "1/1000"})


def test_same_scale_restrictions_are_the_pages() -> None:
    entries = raw("litert-int8")["ops"]
    listed = {row[0] for row in page() if row[-1] == "same"}
    assert len(listed) == 16
    assert {opcode for opcode, entry in entries.items() if "same_quantization" in entry} == listed
    for opcode in listed:
        assert set(entries[opcode]["same_quantization"]) == set(entries[opcode]["tensors"]), opcode


def test_only_softmax_has_a_tolerated_distance_from_its_fixed_scale() -> None:
    entries = raw("litert-int8")["ops"]
    tolerant = [op for op, e in entries.items() for t in e["tensors"].values() if "equals" in str(t)]
    assert tolerant == ["SOFTMAX"]


def test_one_scale_for_all_channels_is_a_note() -> None:
    assert raw("litert-int8")["levels"] == {"*/weight/granularity": "note"}


def counts(entry: dict[str, Any], side: str) -> str:
    names, optional, repeated = entry[side], entry.get("optional", []), entry.get("repeated", [])
    most = "*" if set(names) & set(repeated) else str(len(names))
    trailing = len(list(takewhile(optional.__contains__, reversed(names))))
    least = str(len(names) - trailing)
    return least if least == most else f"{least}..{most}"


def test_operand_lists_are_the_kernels() -> None:
    entries = operators("litert-runtime")
    assert {op: [counts(e, "inputs"), counts(e, "outputs")] for op, e in entries.items()} == {
        opcode: [inputs, outputs] for opcode, inputs, outputs in items(OPERANDS)
    }


def test_operators_that_move_stored_integers_keep_their_quantization() -> None:
    entries = raw("litert-runtime")["ops"]
    found = {op: e["same_quantization"] for op, e in entries.items() if "same_quantization" in e}
    assert found == {opcode: roles for opcode, *roles in items(SAME)}


def test_kernels_that_compute_with_stored_integers_warn_about_parameters() -> None:
    data = raw("litert-runtime")
    found = {
        op
        for op, e in data["ops"].items()
        if set(map(str, e.get("tensors", {"": ""}).values())) <= {"raw", "raw_int8"}
    }
    assert found == set(RAW.split())
    assert data["kinds"]["raw"]["granularity"] == "none"
    for opcode in RAW.split():
        assert data["levels"][f"{opcode}/*/granularity"] == "warning"
        assert set(data["ops"][opcode]["scope"]) == set(data["ops"][opcode]["tensors"])


def test_convolutions_need_a_bias_and_further_layers_do_not() -> None:
    entries = operators("litert-runtime")
    for opcode in ("CONV_2D", "DEPTHWISE_CONV_2D"):
        assert entries[opcode]["optional"] == []
    for opcode in ("FULLY_CONNECTED", "TRANSPOSE_CONV"):
        assert entries[opcode]["optional"] == ["bias"]


def test_int4_weights_are_waived_if_kernels_unpack_them() -> None:
    relaxes = raw("litert-runtime")["relaxes"]
    weights = {path: entry["value"] for path, entry in relaxes.items() if path.endswith("/weight/dtype")}
    assert weights == {
        "CONV_2D/weight/dtype": ["int8", "int4"],
        "DEPTHWISE_CONV_2D/weight/dtype": ["int8", "int4"],
        "FULLY_CONNECTED/weight/dtype": ["int8", "int4", "int2"],
    }
    assert all("shows" not in relaxes[path] for path in weights)


@pytest.mark.parametrize("opcode", ["LSTM", "UNIDIRECTIONAL_SEQUENCE_LSTM"])
def test_lstm_biases_follow_their_gates(opcode: str) -> None:
    entry = raw("litert-runtime")["ops"][opcode]
    assert len(entry["inputs"]) == 24
    for number, gate in enumerate(("input", "forget", "cell", "output")):
        bias = f"{gate}_gate_bias"
        assert entry["inputs"][12 + number] == bias
        plain = entry["any_of"]["plain"]["tensors"][bias]["scale"]["product_of"]
        assert plain == ["input", entry["inputs"][1 + number]]
        normal = entry["any_of"]["layer_norm"]["tensors"][bias]["scale"]["product_of"]
        assert normal == [entry["inputs"][20 + number], "1/1024"]


def test_int16_operators() -> None:
    assert sorted(raw("litert-int16x8")["ops"]) == sorted(INT16.split())


def test_int16_activations_are_symmetric_and_fixed_outputs_have_fifteen_bits() -> None:
    data = raw("litert-int16x8")
    assert data["activations"] == "int16"
    assert (data["kinds"]["activation"]["dtype"], data["kinds"]["activation"]["zero_point"]) == ("int16", "0")
    for opcode in ("LOGISTIC", "TANH", "SOFTMAX"):
        assert "1/32768" in str(operand(data, opcode, "output")["scale"])


def test_int16_biases() -> None:
    data = raw("litert-int16x8")
    assert operand(data, "DEPTHWISE_CONV_2D", "bias")["dtype"] == "int64"
    for opcode in ("CONV_2D", "FULLY_CONNECTED", "TRANSPOSE_CONV"):
        assert operand(data, opcode, "bias")["dtype"] == ["int64", "int32"]


@pytest.mark.parametrize("opcode", INT16.split())
def test_int16_operands_are_those_of_int8(opcode: str) -> None:
    mine, other = raw("litert-int16x8")["ops"][opcode], operators("litert-runtime")[opcode]
    for key in ("inputs", "outputs", "repeated"):
        assert mine.get(key, []) == other.get(key, []), key
    if opcode in INT16_STORED:
        assert mine["same_quantization"] == ["lhs", "rhs"]
    elif "unsupported" not in mine:
        assert mine.get("same_quantization", []) == other.get("same_quantization", [])
    # Only the int8 kernel of DEPTHWISE_CONV_2D cannot do without a bias.
    optional = ["bias"] if opcode == "DEPTHWISE_CONV_2D" else other.get("optional", [])
    assert mine.get("optional", []) == optional


def test_int16_operators_without_a_kernel() -> None:
    ops = raw("litert-int16x8")["ops"]
    assert {op for op in ops if "unsupported" in ops[op]} == set(INT16_REFUSED.split())


def test_uint8_operands_are_those_of_int8() -> None:
    mine, other = raw("litert-uint8")["ops"], operators("litert-runtime")
    assert set(mine) <= set(other)
    for opcode in mine:
        for key in ("inputs", "outputs", "repeated"):
            assert mine[opcode].get(key, []) == other[opcode].get(key, []), (opcode, key)


def test_uint8_operators_that_move_data_are_those_of_int8_except_concatenation() -> None:
    mine, other = raw("litert-uint8")["ops"], operators("litert-runtime")
    same = {op: e["same_quantization"] for op, e in mine.items() if "same_quantization" in e}
    moved = {op for op in set(mine) & set(other) if "same_quantization" in other[op]}
    assert set(same) == moved - {"CONCATENATION"}
    assert all(same[op] == other[op]["same_quantization"] for op in same)


def test_uint8_has_no_scales_per_axis_and_fixed_outputs_lie_128_higher() -> None:
    data, page_data = raw("litert-uint8"), raw("litert-int8")
    assert data["activations"] == "uint8"
    assert {kind.get("granularity") for name, kind in data["kinds"].items() if "weight" in name} == {
        "per-tensor"
    }
    for opcode in ("LOGISTIC", "TANH", "SOFTMAX", "LOG_SOFTMAX", "L2_NORMALIZATION"):
        mine, other = operand(data, opcode, "output"), operand(page_data, opcode, "output")
        assert mine["scale"] == other["scale"]
        assert int(mine["zero_point"]) == int(other["zero_point"]) + 128


def test_hybrid_entries_are_selected_by_their_weights() -> None:
    ops = raw("litert-hybrid")["ops"]
    weights = {"table", "rhs", "input"}  # of EMBEDDING_LOOKUP, BATCH_MATMUL and DEQUANTIZE
    for opcode in set(ops) - {"TENSOR"}:
        entry = ops[opcode]
        named = {role for role in entry["tensors"] if "weight" in role} or weights & set(entry["inputs"])
        assert set(entry["scope"]) == named, opcode
        assert entry["except"], opcode


@pytest.mark.parametrize("name", ["litert-uint8", "litert-hybrid"])
def test_every_requirement_of_the_new_profiles_has_an_effect(name: str) -> None:
    effects = {r.path: r.effect for r in load_profile(name).requirements()}
    assert [path for path, effect in effects.items() if effect == "the profile forbids it"] == []


def test_the_template_shows_every_part_of_the_language() -> None:
    data = raw("template")
    assert (data["profile"], data["extends"], data["unlisted"]) == ("acme-npu", "litert-int8", "violation")
    # Keys that only LiteRT's own rule files need are documented, but not in the template for vendors.
    assert set(data) == set(schema()["properties"]) - {
        "includes",
        "judges",
        "reasons",
        "rewrites",
        "target",
        "types",
    }
    used = {key for entry in data["ops"].values() for key in entry}
    own = {"scope", "intermediates", "shapes", "nothing_to_judge"}
    assert used == set(schema()["$defs"]["operator"]["properties"]) - own
