"""Encoder of a Model to tables: the inverse of :mod:`litecheck.model.decode`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from litecheck.errors import ModelError, Problem
from litecheck.flatbuffer.schema import Schema, load_schema
from litecheck.flatbuffer.table import Table, UnknownField, Value
from litecheck.model.types import Buffer, Model, Operator, OperatorCode, Signature, Subgraph, Tensor
from litecheck.quantization import Blockwise, Details, MultiAxis, Quantization

#: Value of deprecated_builtin_code for every operator code above 127.
_PLACEHOLDER = 127


def encode(model: Model) -> Table:
    """Return the table tree of a model, with every buffer inside it.

    A tensor's ``data`` is written. If it differs from the bytes of ``buffers[tensor.buffer]``, it gets a new buffer. An
    operator's ``opcode`` has priority over its ``code_index`` in the same way. Tensors with an ``external_buffer``
    still refer to that file. Raises ModelError for content that cannot be written, except ``model.newer``, which the
    caller must check.
    """
    schema, buffers, codes = load_schema("tflite"), _Buffers(model), _Codes(model)
    subgraphs = tuple(_subgraph(schema, s, buffers, codes) for s in model.subgraphs)
    further = model.fields or Table("Model")
    fields: dict[str, Value] = {
        "version": model.version,
        "operator_codes": tuple(map(_operator_code, codes.all)),
        "subgraphs": subgraphs,
        "buffers": tuple(Table("Buffer", {"data": b.data} if len(b.data) else {}) for b in buffers.final()),
    }
    if model.description:
        fields["description"] = model.description
    if model.metadata:
        fields["metadata"] = tuple(Table("Metadata", {"name": n, "buffer": b}) for n, b in model.metadata)
    if model.signatures:
        fields["signature_defs"] = tuple(map(_signature, model.signatures))
    for name in ("metadata_buffer", "external_buffer_groups", "external_buffers"):
        if name in further:
            fields[name] = further.fields[name]
    return Table("Model", fields, further.unknown, further.offset)


class _Buffers:
    """Buffers of the written model: the buffers of the model, and a new buffer for each constant that is in none of them."""

    def __init__(self, model: Model) -> None:
        self.all = [Buffer(_bytes(b.data), b.outside) for b in model.buffers]
        self.placed = {_memory(b.data): i for i, b in reversed(list(enumerate(self.all))) if len(b.data)}
        self.used = {buffer for _, buffer in model.metadata}
        self.used.update(map(int, model.fields.get("metadata_buffer", ()) if model.fields else ()))
        self.left: set[int] = set()

    def number(self, tensor: Tensor) -> int:
        """Return the number of the buffer of a tensor's constant, or of an empty buffer, and add the buffer if needed."""
        here = self.all[tensor.buffer] if tensor.buffer < len(self.all) else None
        if tensor.external_buffer:
            return tensor.buffer if here else self._find_empty()
        data = _bytes(tensor.data) if tensor.data is not None else np.empty(0, np.uint8)
        if not self.all and not len(data):
            return tensor.buffer
        if here is not None and (len(data) == len(here.data) == 0 or _memory(data) == _memory(here.data)):
            found = tensor.buffer
        else:
            self.left.add(tensor.buffer)
            found = self._place(data) if len(data) else self._find_empty()
        self.used.add(found)
        return found

    def _place(self, data: NDArray[np.uint8]) -> int:
        key = _memory(data)
        if key not in self.placed:
            self._find_empty()
            self.placed[key] = len(self.all)
            self.all.append(Buffer(data))
        return self.placed[key]

    def _find_empty(self) -> int:
        """Return buffer 0, which is empty by convention, or the first empty buffer if buffer 0 is not empty."""
        for number, buffer in enumerate(self.all):
            if not len(buffer.data):
                return number
        self.all.append(Buffer(np.empty(0, np.uint8)))
        return len(self.all) - 1

    def final(self) -> list[Buffer]:
        """Return all buffers. Buffers that tensors no longer use, and that nothing else uses, are emptied."""
        gone = self.left - self.used
        return [Buffer(b.data[:0]) if i in gone else b for i, b in enumerate(self.all)]


def _bytes(data: NDArray[Any]) -> NDArray[np.uint8]:
    return np.ascontiguousarray(data).reshape(-1).view(np.uint8)


def _memory(data: NDArray[np.uint8]) -> tuple[int, int]:
    """Return a key of the memory of a view, equal for two views of the same bytes."""
    return int(data.__array_interface__["data"][0]), len(data)


class _Codes:
    """Operator codes of the written model: the codes of the model, and the codes that its operators need in addition."""

    def __init__(self, model: Model) -> None:
        self.all = list(model.operator_codes)
        self.found: dict[tuple[str, int, str], int] = {}
        for number, code in enumerate(self.all):
            self.found.setdefault(_code_key(code), number)

    def number(self, schema: Schema, op: Operator) -> int:
        """Return the number of the operator code of an operator, and add the code if needed."""
        key = _code_key(op)
        if op.code_index < len(self.all) and _code_key(self.all[op.code_index]) == key:
            return op.code_index
        if key not in self.found:
            builtin = _enum_number(schema, "BuiltinOperator", op.opcode)
            self.found[key] = len(self.all)
            code = OperatorCode(op.opcode, builtin, min(builtin, _PLACEHOLDER), op.custom_code, op.version)
            self.all.append(code)
        return self.found[key]


def _code_key(item: Operator | OperatorCode) -> tuple[str, int, str]:
    return item.opcode, item.version, item.custom_code


def _enum_number(schema: Schema, enum: str, name: str) -> int:
    """Return the number of an enum member. ``type 99`` gives 99, a number that is not in the schema. Raises ValueError."""
    known = schema.enums[enum].get(name)
    if known is not None:
        return known
    word, _, number = name.rpartition(" ")
    if not word or not number.removeprefix("-").isdigit():
        raise ValueError(f"{name!r} is not a {enum}")
    return int(number)


def _subgraph(schema: Schema, subgraph: Subgraph, buffers: _Buffers, codes: _Codes) -> Table:
    fields: dict[str, Value] = {
        "tensors": tuple(_tensor(schema, t, buffers.number(t)) for t in subgraph.tensors),
        "inputs": _indexes(subgraph.inputs),
        "outputs": _indexes(subgraph.outputs),
        "operators": tuple(_operator(schema, op, codes.number(schema, op)) for op in subgraph.operators),
        "name": subgraph.name,
    }
    if subgraph.debug_metadata_index != -1:
        fields["debug_metadata_index"] = subgraph.debug_metadata_index
    return Table("SubGraph", fields, subgraph.unknown)


def _indexes(values: tuple[int, ...]) -> NDArray[np.int32]:
    return np.array(values, "<i4")


def _tensor(schema: Schema, tensor: Tensor, buffer: int) -> Table:
    kind, q = tensor.dtype, tensor.quantization
    fields: dict[str, Value] = {
        **({} if tensor.shapeless and not tensor.shape else {"shape": _indexes(tensor.shape)}),
        "type": _enum_number(schema, "TensorType", kind if kind.startswith("type ") else kind.upper()),
        "buffer": buffer,
        "name": tensor.name,
    }
    if q.is_set or q.minimum.size or q.maximum.size or q.axis:
        fields["quantization"] = _quantization(q)
    if tensor.sparsity is not None:
        fields["sparsity"] = tensor.sparsity
    if tensor.shape_signature is not None:
        fields["shape_signature"] = _indexes(tensor.shape_signature)
    if tensor.variant_tensors:
        fields["variant_tensors"] = tensor.variant_tensors
    further = {"is_variable": tensor.is_variable, "has_rank": tensor.has_rank}
    fields.update({name: value for name, value in further.items() if value})
    if tensor.external_buffer:
        fields["external_buffer"] = tensor.external_buffer
    return Table("Tensor", fields, tensor.unknown)


def _quantization(q: Quantization) -> Table:
    vectors: tuple[tuple[str, NDArray[Any]], ...] = (
        ("min", q.minimum),
        ("max", q.maximum),
        ("scale", q.scale),
        ("zero_point", q.zero_point),
    )
    fields: dict[str, Value] = {name: v for name, v in vectors if v.size}
    if q.details is not None:
        fields["details"] = _details(q.details)
    if q.axis:
        fields["quantized_dimension"] = q.axis
    return Table("QuantizationParameters", fields)


def _details(details: Details) -> Table:
    if isinstance(details, Blockwise):
        kind, name, sizes = "BlockwiseQuantization", "block_shape", details.block_shape
    elif isinstance(details, MultiAxis):
        kind, name, sizes = "MultiAxisQuantization", "quantized_dimensions", details.axes
    else:
        return Table("CustomQuantization", {"custom": np.frombuffer(details.data, np.uint8)})
    fields: dict[str, Value] = {
        "scales": details.scales,
        "zero_points": details.zero_points,
        "block_size": details.block_size,
    }
    if sizes:
        fields[name] = _indexes(sizes)
    return Table(kind, fields)


def _operator(schema: Schema, op: Operator, code: int) -> Table:
    fields: dict[str, Value] = {
        "opcode_index": code,
        "inputs": _indexes(op.inputs),
        "outputs": _indexes(op.outputs),
    }
    if op.options is not None:
        second = op.options.type in schema.unions["BuiltinOptions2"]
        fields["builtin_options_2" if second else "builtin_options"] = op.options
    if op.custom_options is not None:
        fields["custom_options"] = op.custom_options
    if op.mutating_variable_inputs:
        fields["mutating_variable_inputs"] = np.array(op.mutating_variable_inputs, np.uint8)
    if op.intermediates:
        fields["intermediates"] = _indexes(op.intermediates)
    further = op.fields or Table("Operator")
    if further.get("large_custom_options_size", 0):
        message = f"{op.opcode} keeps its custom options outside the flatbuffer, which cannot be written yet"
        path = f"operators[{op.index}].large_custom_options_offset"
        raise ModelError("", (Problem("custom-options-outside", path, further.offset, message),))
    for name in ("custom_options_format", "debug_metadata_index"):
        if name in further:
            fields[name] = further.fields[name]
    unknown: tuple[UnknownField, ...] = further.unknown
    return Table("Operator", fields, unknown, further.offset)


def _operator_code(code: OperatorCode) -> Table:
    fields: dict[str, Value] = {
        "deprecated_builtin_code": code.deprecated_builtin,
        "version": code.version,
        "builtin_code": code.builtin,
    }
    if code.custom_code:
        fields["custom_code"] = code.custom_code
    return Table("OperatorCode", fields)


def _signature(signature: Signature) -> Table:
    def maps(pairs: tuple[tuple[str, int], ...]) -> tuple[Table, ...]:
        return tuple(Table("TensorMap", {"name": name, "tensor_index": index}) for name, index in pairs)

    return Table(
        "SignatureDef",
        {
            "inputs": maps(signature.inputs),
            "outputs": maps(signature.outputs),
            "signature_key": signature.key,
            "subgraph_index": signature.subgraph,
        },
    )
