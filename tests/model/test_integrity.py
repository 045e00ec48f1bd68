"""Conditions of a valid model: each fault has its own code, path and byte, and all are collected."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from fixtures.models import conv_int8, fc, fc_int8, finished, two_signatures
from litecheck.checks.validate import validate_file
from litecheck.errors import Problem
from litecheck.flatbuffer.containers import Member
from litecheck.flatbuffer.faults import SHOWN
from litecheck.flatbuffer.schema import load_schema
from litecheck.flatbuffer.table import Table
from litecheck.flatbuffer.tables import Bytes, Tables
from litecheck.flatbuffer.verifier import verify
from litecheck.flatbuffer.write import write
from litecheck.model import execution_order, integrity
from litecheck.model.build import ModelBuilder
from litecheck.model.encode import encode
from litecheck.model.external_buffers import ExternalFiles
from litecheck.model.integrity import MAX_RANK, check_integrity
from litecheck.model.load import load_model, read_model
from litecheck.model.types import Model
from litecheck.report import Report
from tests.fuzz.bombs import BOMBS, shared
from tests.fuzz.judge import alarm


def ints(*values: int) -> np.ndarray[Any, Any]:
    return np.array(values, np.int32)


def put(table: Table, path: str, value: Any) -> Table:
    """Return the tree with a field or element set, such as ``subgraphs.0.tensors.2.shape``; None removes a field."""
    head, _, rest = path.partition(".")
    old = table.get(head)
    if rest and isinstance(old, tuple):
        number, _, rest = rest.partition(".")
        new = put(old[int(number)], rest, value) if rest else value
        value = (*old[: int(number)], new, *old[int(number) + 1 :])
    elif rest:
        value = put(old, rest, value)
    fields = {k: v for k, v in table.fields.items() if k != head}
    return replace(table, fields=fields if value is None else {**fields, head: value})


def at(table: Table, path: str) -> Any:
    """Return the value at such a path."""
    found: Any = table
    for step in path.split("."):
        found = found[int(step)] if isinstance(found, tuple) else found.get(step)
    return found


def with_if() -> Model:
    """Return a model of an operator that calls two further subgraphs."""
    builder = ModelBuilder()
    for name in ("main", "then", "else"):
        sub = builder.subgraph(name)
        x = sub.tensor("x", (1,), "bool")
        y = sub.tensor("y", (1,), "bool")
        if name == "main":
            sub.add("IF", [x], [y], then_subgraph_index=1, else_subgraph_index=2)
        sub.inputs(x)
        sub.outputs(y if name == "main" else x)
    return builder.finish()


def with_metadata() -> Model:
    builder = ModelBuilder()
    net = fc(builder)
    builder.metadata("note", b"abc")
    return finished(builder, net)


def check(root: Table, folder: Path = Path()) -> tuple[Tables, tuple[Problem, ...]]:
    content = np.frombuffer(write(root, load_schema("tflite")), np.uint8)
    tables, damage = verify(load_schema("tflite"), Bytes(content))
    assert damage == ()
    return tables, check_integrity(tables, ExternalFiles(folder / "model.tflite"))


#: Function that makes a model, path and value of the change, expected code and path, and (table, row, field) of the
#: expected byte.
Place = tuple[str, int, str | None]
Fault = tuple[Callable[[], Model], str, Any, str, str, Place]
INDEX = "index-out-of-range"
MAIN = "subgraphs.0"
FAULTS: dict[str, Fault] = {
    "version 2": (fc_int8, "version", 2, "bad-version", "version", ("Model", 0, "version")),
    "no version": (fc_int8, "version", None, "bad-version", "version", ("Model", 0, None)),
    "no subgraphs": (fc_int8, "subgraphs", (), "no-subgraph", "subgraphs", ("Model", 0, "subgraphs")),
    "no list of buffers": (fc_int8, "buffers", None, "no-buffers", "buffers", ("Model", 0, None)),
    "no list of tensors": (
        fc_int8, f"{MAIN}.tensors", None, "incomplete-subgraph", "subgraphs[0].tensors", ("SubGraph", 0, None)),
    "no list of operators": (
        fc_int8, f"{MAIN}.operators", None, "incomplete-subgraph", "subgraphs[0].operators", ("SubGraph", 0, None)),
    "buffer outside the file": (
        fc_int8, "buffers.1", Table("Buffer", {"offset": 64, "size": 10**6}), "buffer-outside-file",
        "buffers[1].offset", ("Buffer", 1, "offset")),
    "buffer whose end wraps around": (
        fc_int8, "buffers.1", Table("Buffer", {"offset": 2**64 - 8, "size": 24}), "buffer-outside-file",
        "buffers[1].offset", ("Buffer", 1, "offset")),
    "tensor's buffer": (
        fc_int8, f"{MAIN}.tensors.1.buffer", 3, INDEX, "subgraphs[0].tensors[1].buffer", ("Tensor", 1, "buffer")),
    "tensor's external buffer": (
        fc_int8, f"{MAIN}.tensors.1.external_buffer", 7, INDEX, "subgraphs[0].tensors[1].external_buffer",
        ("Tensor", 1, "external_buffer")),
    "too many dimensions": (
        fc_int8, f"{MAIN}.tensors.0.shape", ints(*[1] * (MAX_RANK + 1)), "bad-shape",
        "subgraphs[0].tensors[0].shape", ("Tensor", 0, "shape")),
    "a negative dimension": (
        fc_int8, f"{MAIN}.tensors.0.shape", ints(1, -6), "bad-shape", "subgraphs[0].tensors[0].shape",
        ("Tensor", 0, "shape")),
    "a constant too short": (
        fc_int8, f"{MAIN}.tensors.1.shape", ints(4, 7), "wrong-buffer-size", "subgraphs[0].tensors[1].buffer",
        ("Tensor", 1, "buffer")),
    "int4 with one byte per value": (
        fc_int8, f"{MAIN}.tensors.1.type", 17, "wrong-buffer-size", "subgraphs[0].tensors[1].buffer",
        ("Tensor", 1, "buffer")),
    "a shape beyond all measure": (
        fc_int8, f"{MAIN}.tensors.1.shape", ints(*[2**31 - 1] * MAX_RANK), "wrong-buffer-size",
        "subgraphs[0].tensors[1].buffer", ("Tensor", 1, "buffer")),
    "operator code": (
        fc_int8, f"{MAIN}.operators.0.opcode_index", 1, INDEX, "subgraphs[0].operators[0].opcode_index",
        ("Operator", 0, "opcode_index")),
    "subgraph of an option": (
        with_if, f"{MAIN}.operators.0.builtin_options.else_subgraph_index", 3, INDEX,
        "subgraphs[0].operators[0].builtin_options.else_subgraph_index", ("IfOptions", 0, "else_subgraph_index")),
    "negative subgraph of an option": (
        with_if, f"{MAIN}.operators.0.builtin_options.then_subgraph_index", -1, INDEX,
        "subgraphs[0].operators[0].builtin_options.then_subgraph_index", ("IfOptions", 0, "then_subgraph_index")),
    "operand": (
        fc_int8, f"{MAIN}.operators.0.inputs", ints(0, 1, 4), INDEX, "subgraphs[0].operators[0].inputs[2]",
        ("Operator", 0, "inputs")),
    "operand below -1": (
        fc_int8, f"{MAIN}.operators.0.inputs", ints(0, 1, -2), INDEX, "subgraphs[0].operators[0].inputs[2]",
        ("Operator", 0, "inputs")),
    "result": (
        fc_int8, f"{MAIN}.operators.0.outputs", ints(4), INDEX, "subgraphs[0].operators[0].outputs[0]",
        ("Operator", 0, "outputs")),
    "intermediate": (
        fc_int8, f"{MAIN}.operators.0.intermediates", ints(-1, 9), INDEX,
        "subgraphs[0].operators[0].intermediates[1]", ("Operator", 0, "intermediates")),
    "subgraph's input": (
        fc_int8, f"{MAIN}.inputs", ints(-1), INDEX, "subgraphs[0].inputs[0]", ("SubGraph", 0, "inputs")),
    "subgraph's output": (
        fc_int8, f"{MAIN}.outputs", ints(3, 4), INDEX, "subgraphs[0].outputs[1]", ("SubGraph", 0, "outputs")),
    "operand nobody makes": (
        fc_int8, f"{MAIN}.inputs", ints(), "used-before-made", "subgraphs[0].operators[0].inputs[0]",
        ("Operator", 0, "inputs")),
    "operand made later": (
        conv_int8, f"{MAIN}.operators.0.inputs", lambda root: at(root, f"{MAIN}.operators.6.outputs"),
        "used-before-made", "subgraphs[0].operators[0].inputs[0]", ("Operator", 0, "inputs")),
    "result that is a constant": (
        fc_int8, f"{MAIN}.operators.0.outputs", ints(2), "constant-output",
        "subgraphs[0].operators[0].outputs[0]", ("Operator", 0, "outputs")),
    "metadata's buffer": (
        with_metadata, "metadata.0.buffer", 9, INDEX, "metadata[0].buffer", ("Metadata", 0, "buffer")),
    "signature's subgraph": (
        two_signatures, "signature_defs.1.subgraph_index", 2, INDEX, "signature_defs[1].subgraph_index",
        ("SignatureDef", 1, "subgraph_index")),
    "signature's tensor": (
        two_signatures, "signature_defs.1.outputs.0.tensor_index", 4, INDEX,
        "signature_defs[1].outputs[0].tensor_index", ("TensorMap", 0, "tensor_index")),
}  # fmt: skip


def _faulty(name: str) -> Table:
    make, path, value, *_ = FAULTS[name]
    root = encode(make())
    return put(root, path, value(root) if callable(value) else value)


@pytest.mark.parametrize("name", FAULTS)
def test_each_fault_has_its_code_path_and_byte(name: str) -> None:
    *_, code, path, (table, row, field) = FAULTS[name]
    tables, problems = check(_faulty(name))
    named = [(p.code, p.path, p.offset) for p in problems]
    assert (code, path, tables.offset(table, row, field)) in named
    assert {p.code for p in problems} <= {code, "used-before-made"}, "further problems are consequences only"
    assert all(p.message for p in problems)


def test_every_code_of_the_module_is_provoked() -> None:
    source = "".join(Path(str(m.__file__)).read_text(encoding="utf-8") for m in (integrity, execution_order))
    codes = set(re.findall(r'"([a-z]+(?:-[a-z]+)+)"', source))
    provoked = {fault[3] for fault in FAULTS.values()} | {"shared-too-often"}
    assert codes == provoked


def test_all_faults_are_reported() -> None:
    root = put(_faulty("metadata's buffer"), f"{MAIN}.operators.0.opcode_index", 5)
    root = put(root, f"{MAIN}.outputs", ints(77))
    _, problems = check(root)
    assert [p.path for p in problems] == [
        "subgraphs[0].operators[0].opcode_index", "subgraphs[0].outputs[0]", "metadata[0].buffer"]  # fmt: skip


def test_many_equal_faults_are_listed_in_part_and_counted() -> None:
    root = put(encode(fc_int8()), f"{MAIN}.outputs", ints(*[99] * (SHOWN + 5)))
    bad = put(at(root, f"{MAIN}.operators.0"), "opcode_index", 9)
    root = put(root, f"{MAIN}.operators", (bad,) * (SHOWN + 7))
    _, problems = check(root)
    of_codes = [p for p in problems if "opcode_index" in p.path]
    assert len(of_codes) == SHOWN
    rest = [p.message for p in problems if not p.path]
    assert rest == ["and 7 more in the field opcode_index of Operator tables"]
    assert all(p.offset is not None for p in problems)


def test_ten_thousand_broken_subgraphs_are_reported_quickly() -> None:
    operator = Table("Operator", {"inputs": ints(7, 8, 9), "outputs": ints(7)})
    sub = Table("SubGraph", {"tensors": (Table("Tensor"),), "operators": (operator,), "outputs": ints(5)})
    code = Table("OperatorCode", {"builtin_code": 9, "deprecated_builtin_code": 9})
    root = Table(
        "Model", {"version": 3, "buffers": (), "operator_codes": (code,), "subgraphs": (sub,) * 10_000}
    )
    content = np.frombuffer(write(root, load_schema("tflite")), np.uint8)
    tables, _ = verify(load_schema("tflite"), Bytes(content))
    with alarm(3.0):
        problems = check_integrity(tables, ExternalFiles(Path("model.tflite")))
    assert len(problems) < 10 * SHOWN


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(BOMBS))
def test_vectors_shared_without_measure_are_refused_at_once(name: str, tmp_path: Path) -> None:
    path = tmp_path / "bomb.tflite"
    path.write_bytes(shared(name, 6_000, 30_000))  # 180 million elements
    validate_file(path)
    with alarm(1.0):
        (report,) = validate_file(path)
    assert [p.code for p in report.problems] == ["shared-too-often"]


def test_long_vectors_of_scales_may_be_shared(tmp_path: Path) -> None:
    """litecheck's own writer shares a vector that is a single array in memory."""
    path = tmp_path / "m.tflite"
    path.write_bytes(shared("QuantizationParameters.scale", 20, 2000))
    assert len(load_model(path).subgraphs[0].tensors[3].quantization.scale) == 2000


def test_the_old_and_the_new_operator_code_name_one_operator() -> None:
    root = encode(fc_int8())
    codes = {
        (9, 9): "FULLY_CONNECTED", (9, 0): "FULLY_CONNECTED", (0, 9): "FULLY_CONNECTED", (127, 128): "CUMSUM",
        (-5, -7): "BUILTIN -5", (3, 250): "BUILTIN 250",
    }  # fmt: skip
    for (old, new), name in codes.items():
        changes = {"deprecated_builtin_code": old, "builtin_code": new, "version": 1}
        changed_root = put(root, "operator_codes", (Table("OperatorCode", changes),))
        assert _read(changed_root).subgraphs[0].operators[0].opcode == name


def _read(root: Table) -> Model:
    content = np.frombuffer(write(root, load_schema("tflite")), np.uint8)
    return read_model(Member("", 0, content), "memory.tflite")


def test_a_bias_with_a_quantized_dimension_it_does_not_have_is_judged_not_refused(tmp_path: Path) -> None:
    """person_detect.tflite has 14 such biases, and LiteRT 2.3 fails to load it."""
    path = tmp_path / "m.tflite"
    path.write_bytes(write(_skewed_biases(), load_schema("tflite")))
    (report,) = validate_file(path)
    assert report.problems == ()
    assert [f.path for f in report.findings] == [
        "CONV_2D/bias/granularity",
        "DEPTHWISE_CONV_2D/bias/granularity",
    ]
    assert {f.level for f in report.findings} == {"violation"}
    assert Report("0", (report,)).verdict(report) == "violates"


def _skewed_biases() -> Table:
    root = encode(conv_int8())
    convolutions = [at(root, f"{MAIN}.operators.{i}.inputs")[2] for i in (0, 1)]
    for number in map(int, convolutions):
        root = put(root, f"{MAIN}.tensors.{number}.quantization.quantized_dimension", 3)
    return root


def test_a_constant_may_be_longer_than_it_needs() -> None:
    """LiteRT reads the beginning of the buffer; the report has a remark."""
    root = encode(fc_int8())
    data = at(root, "buffers.1.data")
    root = put(root, "buffers.1.data", np.concatenate([data, np.arange(9, dtype=np.uint8)]))
    model = _read(root)
    weight = model.subgraphs[0].tensors[1]
    assert weight.data is not None
    assert weight.data.tobytes() == data.tobytes()
    (remark,) = model.remarks
    assert remark.startswith("subgraphs[0].tensors[1] (byte ")


def test_buffer_0_means_no_data_for_any_content() -> None:
    root = put(encode(fc_int8()), "buffers.0.data", np.arange(6, dtype=np.uint8))
    tensors = _read(root).subgraphs[0].tensors
    assert [t.is_constant for t in tensors] == [False, True, True, False]


def test_a_buffer_with_data_of_its_own_is_not_looked_for_outside() -> None:
    root = encode(fc_int8())
    data = at(root, "buffers.1.data")
    root = put(put(root, "buffers.1.offset", 2**40), "buffers.1.size", 10)
    model = _read(root)
    assert model.buffers[1].data.tobytes() == data.tobytes()
    assert not model.buffers[1].outside


def test_operators_without_tensors_are_no_fault_of_the_reader() -> None:
    code = Table("OperatorCode", {"builtin_code": 9, "deprecated_builtin_code": 9})
    sub = Table("SubGraph", {"tensors": (), "operators": (Table("Operator"),)})
    root = Table("Model", {"version": 3, "buffers": (), "operator_codes": (code,), "subgraphs": (sub,)})
    _, problems = check(root)
    assert problems == ()
    assert _read(root).subgraphs[0].operators[0].opcode == "FULLY_CONNECTED"
