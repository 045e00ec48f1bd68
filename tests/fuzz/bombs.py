"""Small files of enormous models: many tables that share one vector or each other."""

from __future__ import annotations

import struct
from collections.abc import Callable
from random import Random

import numpy as np
from numpy.typing import NDArray

from litecheck.flatbuffer.schema import load_schema
from litecheck.flatbuffer.table import Table, Value
from litecheck.flatbuffer.tables import Bytes
from litecheck.flatbuffer.verifier import verify
from litecheck.flatbuffer.write import write


def _model(**fields: Value) -> Table:
    plain: dict[str, Value] = {"version": 3, "buffers": (), "subgraphs": (_subgraph(),), **fields}
    return Table("Model", plain)


def _subgraph(**fields: Value) -> Table:
    return Table("SubGraph", {"tensors": (), "operators": (), **fields})


def _tensors(make: Callable[[bool], Table]) -> Callable[[int], Table]:
    return lambda n: _model(subgraphs=(_subgraph(tensors=_first(n, make)),))


def _operators(make: Callable[[bool], Table]) -> Callable[[int], Table]:
    codes = (Table("OperatorCode", {"builtin_code": 32, "deprecated_builtin_code": 32, "custom_code": "x"}),)
    one = Table("Tensor", {"shape": _ints(1)})
    return lambda n: _model(
        operator_codes=codes,
        subgraphs=(_subgraph(tensors=(one,), inputs=_ints(0), operators=_first(n, make)),),
    )


def _first(n: int, make: Callable[[bool], Table]) -> tuple[Table, ...]:
    """Return ``n`` tables. The first table, the last in the file, has the large vector that all tables will share."""
    return (make(True), *(make(False) for _ in range(n - 1)))


def _ints(*values: int) -> NDArray[np.int32]:
    return np.array(values, np.int32)


def _field(table: str, name: str, size: int, kind: str = "<i4", value: int = 0) -> Callable[[bool], Table]:
    return lambda first: Table(table, {name: np.full(size if first else 0, value, kind)})


def _quantized(inner: Callable[[bool], Table]) -> Callable[[bool], Table]:
    return lambda first: Table("Tensor", {"quantization": inner(first)})


def _details(table: str, name: str, size: int, kind: str) -> Callable[[bool], Table]:
    make = _field(table, name, size, kind, 1)
    return _quantized(lambda first: Table("QuantizationParameters", {"details": make(first)}))


def _options(table: str, name: str, size: int, kind: str = "<i4") -> Callable[[bool], Table]:
    make = _field(table, name, size, kind)
    union = "builtin_options_2" if table.startswith("Stablehlo") else "builtin_options"
    return lambda first: Table("Operator", {union: make(first)})


def _text(table: str, name: str, size: int) -> Callable[[bool], Table]:
    return lambda first: Table(table, {name: "x" * (size if first else 0)})


def _metadata(n: int, m: int) -> Table:
    return _model(buffers=(Table("Buffer"),), metadata=_first(n, _text("Metadata", "name", 4 * m)))


def _signatures(n: int, m: int) -> Table:
    entry = Table("TensorMap", {"name": "a"})
    keys = _first(n, lambda first: Table("SignatureDef", {"inputs": (entry,) * (m if first else 0)}))
    return _model(subgraphs=(_subgraph(tensors=(Table("Tensor"),)),), signature_defs=keys)


def _sparse(n: int, m: int) -> Table:
    def tensor(first: bool) -> Table:
        dims = (Table("DimensionMetadata"),) * (m if first else 0)
        return Table("Tensor", {"sparsity": Table("SparsityParameters", {"dim_metadata": dims})})

    return _tensors(tensor)(n)


def _variants(n: int, m: int) -> Table:
    variant = (Table("VariantSubType"),)
    return _tensors(lambda first: Table("Tensor", {"variant_tensors": variant * (m if first else 0)}))(n)


def _subgraphs(n: int, m: int) -> Table:
    def make(first: bool) -> Table:
        return _subgraph(operators=(Table("Operator"),) * (m if first else 0))

    codes = (Table("OperatorCode", {"builtin_code": 32, "deprecated_builtin_code": 32}),)
    return _model(subgraphs=_first(n, make), operator_codes=codes)


#: Shared field -> function that makes a model of n tables with this field; the first has a vector of m elements.
BOMBS: dict[str, Callable[[int, int], Table]] = {
    "SubGraph.operators": _subgraphs,
    "SignatureDef.inputs": _signatures,
    "SparsityParameters.dim_metadata": _sparse,
    "Tensor.variant_tensors": _variants,
    "Metadata.name": _metadata,
    "Tensor.shape": lambda n, m: _tensors(_field("Tensor", "shape", m, value=1))(n),
    "Tensor.shape_signature": lambda n, m: _tensors(_field("Tensor", "shape_signature", m, value=1))(n),
    "Tensor.name": lambda n, m: _tensors(_text("Tensor", "name", 4 * m))(n),
    "QuantizationParameters.scale": lambda n, m: _tensors(
        _quantized(_field("QuantizationParameters", "scale", m, "<f4", 1)))(n),
    "QuantizationParameters.zero_point": lambda n, m: _tensors(
        _quantized(_field("QuantizationParameters", "zero_point", m, "<i8", 1)))(n),
    "Tensor.quantization": lambda n, m: _tensors(_quantized(_field("QuantizationParameters", "scale", m, "<f4", 1)))(n),
    "SubGraph.tensors": lambda n, m: _model(
        subgraphs=_first(n, lambda first: _subgraph(tensors=(Table("Tensor"),) * (m if first else 0)))),
    "BlockwiseQuantization.block_shape": lambda n, m: _tensors(
        _details("BlockwiseQuantization", "block_shape", m, "<i4"))(n),
    "MultiAxisQuantization.quantized_dimensions": lambda n, m: _tensors(
        _details("MultiAxisQuantization", "quantized_dimensions", m, "<i4"))(n),
    "CustomQuantization.custom": lambda n, m: _tensors(_details("CustomQuantization", "custom", 4 * m, "u1"))(n),
    "Operator.inputs": lambda n, m: _operators(_field("Operator", "inputs", m))(n),
    "Operator.outputs": lambda n, m: _operators(_field("Operator", "outputs", m, value=-1))(n),
    "Operator.intermediates": lambda n, m: _operators(_field("Operator", "intermediates", m))(n),
    "Operator.mutating_variable_inputs": lambda n, m: _operators(
        _field("Operator", "mutating_variable_inputs", 4 * m, "u1"))(n),
    "Operator.custom_options": lambda n, m: _operators(_field("Operator", "custom_options", 4 * m, "u1"))(n),
    "ReshapeOptions.new_shape": lambda n, m: _operators(_options("ReshapeOptions", "new_shape", m))(n),
    "StablehloCaseOptions.branch_subgraph_indices": lambda n, m: _operators(
        _options("StablehloCaseOptions", "branch_subgraph_indices", m))(n),
}  # fmt: skip


def shared(name: str, tables: int, elements: int) -> bytes:
    """Return a file of a name of BOMBS: ``tables`` tables that share a vector of ``elements`` elements."""
    table, field = name.split(".")
    schema = load_schema("tflite")
    content = bytearray(write(BOMBS[name](tables, elements), schema))
    found, _ = verify(schema, Bytes(np.frombuffer(bytes(content), np.uint8)))
    places = found.rows[table].at[field]
    targets = places + np.frombuffer(content, "<u4")[places // 4]
    for place in places.tolist():
        struct.pack_into("<I", content, place, int(targets.max()) - place)
    return bytes(content)


def overlapping(vectors: int, length: int, word: int) -> bytes:
    """Return subgraphs with lists of operators that begin at consecutive words of a region full of ``word``.

    Every list is well formed if the word is a length, an offset and a vtable. Example: ``0x00040004``.
    """
    plain = _model(subgraphs=tuple(_subgraph() for _ in range(vectors)))
    content = bytearray(write(plain, load_schema("tflite")))
    found, _ = verify(load_schema("tflite"), Bytes(np.frombuffer(bytes(content), np.uint8)))
    region = len(content) + word  # the vtable is this number of bytes before its table
    content += struct.pack("<I", word) * ((2 * word + 4 * length) // 4 + vectors)
    for number, place in enumerate(found.rows["SubGraph"].at["operators"].tolist()):
        struct.pack_into("<I", content, place, region + 4 * number - place)
    return bytes(content)


def bomb(rng: Random) -> tuple[str, bytes]:
    """Return a random bomb that is built within a second."""
    if rng.random() < 0.05:
        return "overlapping", overlapping(rng.choice((2, 50, 400)), 0x40004, 0x40004)
    name = rng.choice(sorted(BOMBS))
    return name, shared(name, rng.choice((3, 30, 300, 1000)), rng.choice((0, 5, 40, 300, 1000, 5000)))
