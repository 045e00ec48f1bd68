"""Integrity of a model with verified tables: every index, size and order that LiteRT relies on. All faults are collected.

Faults checked here make the remaining content unreadable and give the verdict "not checked". Faults in a tensor's
quantization are checked by the rules, which can name the affected operator.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from litecheck.errors import Problem
from litecheck.flatbuffer.tables import Index, Tables
from litecheck.model.execution_order import ExecutionOrder, FieldFaults
from litecheck.model.external_buffers import ExternalFiles
from litecheck.model.links import subgraph_options
from litecheck.quantization import BITS

#: Maximum number of dimensions of a tensor in LiteRT.
MAX_RANK = 32
#: Bytes of shared vectors, counted once per reference, above which sharing must stay below the file size.
SHARED_BYTES = 1 << 18
#: Share of these bytes that counts for vectors that are only viewed. litecheck's writer shares long vectors of scales.
VIEWED = 1 / 16


def check_integrity(tables: Tables, external: ExternalFiles) -> tuple[Problem, ...]:
    """Return all faults of a structurally valid model, in the order of the checks."""
    checker = _Checker(tables, external)
    checker.root()
    if not checker.faults.problems:
        checker.sharing()
    if not checker.faults.problems:
        checker.buffers()
        checker.tensors()
        checker.operators()
        checker.subgraphs()
        checker.check_references()
    checker.faults.add_counts()
    return tuple(checker.faults.problems)


class _Checker:
    def __init__(self, tables: Tables, external: ExternalFiles) -> None:
        self.t = tables
        self.external = external
        self.faults = FieldFaults(tables)

    def root(self) -> None:
        t = self.t
        version = int(t.column("Model", "version")[0])
        if version != 3:
            self.faults.add(
                "bad-version", "Model", 0, "version", f"schema version is {version}; LiteRT reads version 3"
            )
        if not len(t.children("Model", "subgraphs", 0)):
            self.faults.add("no-subgraph", "Model", 0, "subgraphs", "the model has no subgraph")
        if not t.has("Model", "buffers")[0]:
            self.faults.add("no-buffers", "Model", 0, "buffers", "the model has no list of buffers")
        for name in ("tensors", "operators"):
            if t.count("SubGraph"):
                self._has_list(name)

    def _has_list(self, name: str) -> None:
        bad = ~self.t.has("SubGraph", name)
        self.faults.add_rows(
            "incomplete-subgraph", "SubGraph", name, bad, lambda row: f"it has no list of {name}"
        )

    def sharing(self) -> None:
        """Check that the total size of shared vectors is in proportion to the file, because they are read once per table."""
        t, stated = self.t, 0.0
        for table, rows in t.rows.items():
            for f in t.schema.tables[table]:
                if f.kind in ("string", "scalars") and (table, f.name) != ("Buffer", "data"):
                    width = 1 if f.kind == "string" else f.width
                    viewed = table == "QuantizationParameters" or f.name == "custom_options"
                    each = width * VIEWED if viewed else width
                    stated += float((rows.weight * rows.refs[f.name].length).sum()) * each
        if stated > max(SHARED_BYTES, t.data.size):
            message = (
                f"vectors are shared so often that {t.data.size:,} bytes stand for {stated:,.0f} or more"
            )
            self.faults.problems.append(Problem("shared-too-often", "", t.data.start, message))

    def buffers(self) -> None:
        t = self.t
        if t.count("Buffer"):
            offset, size = t.column("Buffer", "offset"), t.column("Buffer", "size")
            whole = len(t.data.raw)
            bad = buffers_outside(t) & ((offset > whole) | (size > whole - np.minimum(offset, whole)))
            self.faults.add_rows(
                "buffer-outside-file", "Buffer", "offset", bad,
                lambda row: f"{size[row]} bytes from byte {offset[row]} are not in the {whole} bytes of the file",
            )  # fmt: skip
        if t.count("ExternalBuffer"):
            for row in t.children("Model", "external_buffers", 0).tolist():
                fault = self.external.fault(t, row)
                if fault is not None:
                    self.faults.add(fault[0], "ExternalBuffer", row, fault[1], fault[2])

    def tensors(self) -> None:
        t = self.t
        if not t.count("Tensor"):
            return
        buffers = len(t.children("Model", "buffers", 0))
        buffer, external = (
            t.column("Tensor", "buffer").astype(np.int64),
            t.column("Tensor", "external_buffer"),
        )
        outside = buffer >= max(buffers, 1)  # LiteRT treats buffer 0 as "no data", also if the list is empty
        self.faults.add_rows(
            "index-out-of-range",
            "Tensor",
            "buffer",
            outside,
            lambda row: f"buffer {buffer[row]} of {buffers}",
        )
        known = np.array(sorted(self.external.rows(t)), np.int64)
        lost = (external > 0) & ~np.isin(external, known)
        self.faults.add_rows(
            "index-out-of-range", "Tensor", "external_buffer", lost,
            lambda row: f"no external buffer has the id {external[row]}",
        )  # fmt: skip
        self.shapes()

    def shapes(self) -> None:
        """Check that no dimension is negative, and that constants have the bytes that shape and type need.

        Constants may have more bytes: LiteRT reads the first bytes that it needs.
        """
        t = self.t
        shape = t.refs("Tensor", "shape")
        deep = shape.length > MAX_RANK
        self.faults.add_rows(
            "bad-shape", "Tensor", "shape", deep, lambda row: f"{shape.length[row]} dimensions"
        )
        dims = t.data.view("<i4")
        elements = np.ones(t.count("Tensor"), np.float64)
        negative = np.zeros(t.count("Tensor"), np.bool_)
        for axis in range(int(min(shape.length.max(initial=0), MAX_RANK))):
            there = shape.length > axis
            size = dims[(shape.begin[there] >> 2) + axis]
            elements[there] *= size
            negative[there] |= size < 0
        self.faults.add_rows("bad-shape", "Tensor", "shape", negative, lambda row: "a dimension is negative")
        bits = np.zeros(256, np.int64)
        for name, value in t.schema.enums["TensorType"].items():
            bits[value] = BITS.get(name.lower(), 0)
        width = bits[t.column("Tensor", "type").astype(np.uint8)]
        needed = np.ceil(elements * width / 8)
        constant_bytes, sparse = self.constant_bytes, t.has("Tensor", "sparsity")
        bad = (constant_bytes > 0) & (width > 0) & ~sparse & ~negative & ~deep & (constant_bytes < needed)
        self.faults.add_rows(
            "wrong-buffer-size", "Tensor", "buffer", bad,
            lambda row: f"the constant has {constant_bytes[row]:,} bytes, shape and type need {needed[row]:,.0f}",
        )  # fmt: skip
        unpacked = (
            (width > 0) & (width < 8) & ~sparse & (constant_bytes > needed) & (constant_bytes == elements)
        )
        self.faults.add_rows(
            "wrong-buffer-size", "Tensor", "buffer", unpacked,
            lambda row: f"the constant has one byte per value, a byte of its type holds {8 // width[row]} values",
        )  # fmt: skip

    @cached_property
    def constant_bytes(self) -> Index:
        """Number of bytes of each tensor's constant; 0 if it has none or an index is out of range."""
        t = self.t
        rows, buffer = t.children("Model", "buffers", 0), t.column("Tensor", "buffer").astype(np.int64)
        constant_bytes = np.zeros(len(buffer), np.int64)
        there = (buffer > 0) & (buffer < len(rows))  # buffer 0 means "no data", also if it has bytes
        if there.any():
            size = t.column("Buffer", "size").astype(np.int64)
            size = np.where(buffers_outside(t), size, t.refs("Buffer", "data").length)
            constant_bytes[there] = size[rows[buffer[there]]]
        external = t.column("Tensor", "external_buffer")
        for row in np.flatnonzero(external).tolist():
            constant_bytes[row] = self.external.length(t, int(external[row]))
        return constant_bytes

    @cached_property
    def constant(self) -> NDArray[np.bool_]:
        """Flag per tensor: True if the file has the tensor's values."""
        return (self.constant_bytes > 0) | (self.t.column("Tensor", "external_buffer") > 0)

    @cached_property
    def ready(self) -> NDArray[np.bool_]:
        """Flag per tensor: True if it may be read before any operator runs.

        Tensors without elements are included: a constant of zero bytes looks like a computed tensor.
        """
        shape = self.t.refs("Tensor", "shape")
        dims = self.t.data.view("<i4")
        empty = np.zeros(self.t.count("Tensor"), np.bool_)
        for axis in range(int(min(shape.length.max(initial=0), MAX_RANK))):
            there = shape.length > axis
            empty[there] |= dims[(shape.begin[there] >> 2) + axis] == 0
        return self.constant | empty | self.t.column("Tensor", "is_variable").astype(np.bool_)

    @cached_property
    def custom(self) -> NDArray[np.bool_]:
        """Flag per operator: True for a custom operator; False for an operator code out of range."""
        t = self.t
        codes = t.children("Model", "operator_codes", 0)
        if not t.count("OperatorCode") or not len(codes):
            return np.zeros(t.count("Operator"), np.bool_)
        old, new = (t.column("OperatorCode", f"{p}builtin_code")[codes] for p in ("deprecated_", ""))
        custom = np.maximum(old, new) == t.schema.enums["BuiltinOperator"]["CUSTOM"]
        index = t.column("Operator", "opcode_index").astype(np.int64)
        inside = index < len(codes)
        found: NDArray[np.bool_] = inside & custom[np.where(inside, index, 0)]
        return found

    def operators(self) -> None:
        t = self.t
        if not t.count("Operator"):
            return
        codes = len(t.children("Model", "operator_codes", 0))
        code = t.column("Operator", "opcode_index")
        self.faults.add_rows(
            "index-out-of-range", "Operator", "opcode_index", code >= codes,
            lambda row: f"operator code {code[row]} of {codes}",
        )  # fmt: skip
        subgraphs = len(t.children("Model", "subgraphs", 0))
        for table, names in subgraph_options().items():
            for name in names if t.count(table) else ():
                index = t.column(table, name)
                bad = (index < 0) | (index >= subgraphs)
                self.faults.add_rows(
                    "index-out-of-range", table, name, bad,
                    lambda row, i=index: f"subgraph {i[row]} of {subgraphs}",  # type: ignore[misc]
                )  # fmt: skip

    def subgraphs(self) -> None:
        for row in dict.fromkeys(self.t.children("Model", "subgraphs", 0).tolist()):
            ExecutionOrder(self.faults, self.constant, self.ready, self.custom, row).check()

    def check_references(self) -> None:
        """Check that signatures and metadata refer to existing content."""
        t = self.t
        buffers = len(t.children("Model", "buffers", 0))
        if t.count("Metadata"):
            buffer = t.column("Metadata", "buffer")
            self.faults.add_rows(
                "index-out-of-range", "Metadata", "buffer", buffer >= buffers,
                lambda row: f"buffer {buffer[row]} of {buffers}",
            )  # fmt: skip
        self.signatures()

    def signatures(self) -> None:
        """Check that signatures refer to existing subgraphs and tensors."""
        t = self.t
        subgraphs, keys = t.children("Model", "subgraphs", 0), t.children("Model", "signature_defs", 0)
        chosen = t.column("SignatureDef", "subgraph_index") if len(keys) else keys
        tensor = t.column("TensorMap", "tensor_index") if t.count("TensorMap") else keys
        for row in keys.tolist():
            subgraph = int(chosen[row])
            if subgraph >= len(subgraphs):
                message = f"subgraph {subgraph} of {len(subgraphs)}"
                self.faults.add("index-out-of-range", "SignatureDef", row, "subgraph_index", message)
                continue
            tensors = len(t.children("SubGraph", "tensors", int(subgraphs[subgraph])))
            for name in ("inputs", "outputs"):
                entries = t.children("SignatureDef", name, row)
                for entry in entries[tensor[entries] >= tensors].tolist():
                    message = f"tensor {tensor[entry]} of {tensors}"
                    self.faults.add("index-out-of-range", "TensorMap", entry, "tensor_index", message)


def buffers_outside(tables: Tables) -> NDArray[np.bool_]:
    """Return a flag per buffer: True if its bytes are outside the flatbuffer, where LiteRT reads only buffers without
    data."""
    return (tables.column("Buffer", "offset") > 1) & ~tables.has("Buffer", "data")
