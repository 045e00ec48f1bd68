"""Decoder of verified tables to a Model: indices resolved, codes named, constants as views into the file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from litecheck.flatbuffer.faults import path_of
from litecheck.flatbuffer.table import Table
from litecheck.flatbuffer.tables import Tables
from litecheck.model.decode_tensors import TensorDecoder, lists, rows_beyond_schema, texts
from litecheck.model.external_buffers import ExternalFiles
from litecheck.model.integrity import buffers_outside
from litecheck.model.types import Buffer, Model, Operator, OperatorCode, Signature, Subgraph, Tensor
from litecheck.model.unknown_fields import newer_content
from litecheck.summary_text import count_of

#: Maximum number of tables that LiteRT's verifier accepts.
LITERT_TABLE_LIMIT = 1_000_000


def decode(tables: Tables, external: ExternalFiles, file: str, member: str) -> Model:
    """Return the model in verified tables; ``external`` are the weights files in the model's folder."""
    return _Decoder(tables, external).model(file, member)


class _Decoder:
    """Columns of a flatbuffer, converted to lists once and sliced many times."""

    def __init__(self, tables: Tables, external: ExternalFiles) -> None:
        self.tables = tables
        self.tensors = TensorDecoder(tables, external)

    def model(self, file: str, member: str) -> Model:
        t = self.tables
        codes = self._codes()
        buffers = self._buffers()
        subgraphs = self._subgraphs(codes, buffers)
        return Model(
            subgraphs=subgraphs,
            operator_codes=codes,
            buffers=buffers,
            signatures=self._signatures(),
            metadata=self._metadata(),
            description=t.text("Model", "description", 0),
            version=int(t.column("Model", "version")[0]),
            file=file,
            member=member,
            size=len(t.data.raw),
            remarks=(*self._remarks(), *_describe_scratch(subgraphs)),
            fields=self._root_fields(),
            unknown_content=newer_content(t),
        )

    def _root_fields(self) -> Table:
        """Return the remaining fields of the root, and the external buffers that it lists."""
        t = self.tables
        root = t.record_shallow("Model", 0)
        fields = dict(root.fields)
        for name, kind in (
            ("external_buffer_groups", "ExternalBufferGroup"),
            ("external_buffers", "ExternalBuffer"),
        ):
            if t.has("Model", name)[0]:
                fields[name] = tuple(t.record(kind, int(row)) for row in t.children("Model", name, 0))
        return replace(root, fields=fields)

    def _remarks(self) -> tuple[str, ...]:
        t, remarks = self.tables, []
        if not len(t.children("Model", "buffers", 0)):
            at = t.offset("Model", 0, "buffers")
            remarks.append(
                f"buffers (byte {at}): the list is empty, the schema wants an empty buffer at its head"
            )
        if self.tensors.longer:
            path, at = (
                path_of(t, "Tensor", self.tensors.longer[0]),
                t.offset("Tensor", self.tensors.longer[0], "buffer"),
            )
            more = f" (and {len(self.tensors.longer) - 1:,} more)" if len(self.tensors.longer) > 1 else ""
            remarks.append(
                f"{path}{more} (byte {at}): the constant has more bytes than shape and type need; "
                "LiteRT reads those in front, and so does litecheck"
            )
        if t.skewed:
            table, name, row = t.skewed[0]
            more = f" (and {len(t.skewed) - 1:,} more)" if len(t.skewed) > 1 else ""
            remarks.append(
                f"{path_of(t, table, row)}.{name}{more} (byte {t.offset(table, row, name)}): 8-byte numbers begin at a "
                "multiple of 4; LiteRT on x86 reads them, a processor without unaligned access, as some Cortex-M, faults"
            )
        if t.expanded > LITERT_TABLE_LIMIT:
            remarks.append(
                f"{t.expanded:,} tables: LiteRT's verifier stops at {LITERT_TABLE_LIMIT:,} and refuses the file "
                "without saying so"
            )
        return tuple(remarks)

    def _codes(self) -> tuple[OperatorCode, ...]:
        t = self.tables
        if not t.count("OperatorCode"):
            return ()
        old, new = (
            t.column("OperatorCode", "deprecated_builtin_code"),
            t.column("OperatorCode", "builtin_code"),
        )
        version = t.column("OperatorCode", "version")
        out = []
        for row in t.children("Model", "operator_codes", 0).tolist():
            builtin = max(int(old[row]), int(new[row]))
            name = t.schema.enum_name("BuiltinOperator", builtin) or f"BUILTIN {builtin}"
            custom = t.text("OperatorCode", "custom_code", row)
            out.append(OperatorCode(name, builtin, int(old[row]), custom, int(version[row])))
        return tuple(out)

    def _buffers(self) -> tuple[Buffer, ...]:
        t = self.tables
        if not t.count("Buffer"):
            return ()
        offset, size = t.column("Buffer", "offset"), t.column("Buffer", "size")
        outside = buffers_outside(t)
        data = t.refs("Buffer", "data")
        begin, length = data.begin.tolist(), data.length.tolist()
        raw = t.data.raw
        out = []
        for row in t.children("Model", "buffers", 0).tolist():
            if outside[row]:
                start = int(offset[row])
                out.append(Buffer(raw[start : start + int(size[row])], outside=True))
            else:
                out.append(Buffer(raw[begin[row] : begin[row] + length[row]]))
        return tuple(out)

    def _subgraphs(
        self, codes: tuple[OperatorCode, ...], buffers: tuple[Buffer, ...]
    ) -> tuple[Subgraph, ...]:
        t = self.tables
        tensors = self.tensors.rows(buffers) if t.count("Tensor") else []
        operators = self._operator_fields(codes) if t.count("Operator") else []
        inputs, outputs = lists(t, "SubGraph", "inputs"), lists(t, "SubGraph", "outputs")
        names, debug = texts(t, "SubGraph", "name"), t.column("SubGraph", "debug_metadata_index")
        out = []
        for index, row in enumerate(t.children("Model", "subgraphs", 0).tolist()):
            mine = t.children("SubGraph", "tensors", row).tolist()
            steps = t.children("SubGraph", "operators", row).tolist()
            out.append(
                Subgraph(
                    index, names[row],
                    tuple(Tensor(i, *tensors[r]) for i, r in enumerate(mine)),
                    tuple(Operator(i, *operators[r]) for i, r in enumerate(steps)),
                    inputs[row], outputs[row], int(debug[row]), t.unknown("SubGraph", row),
                )
            )  # fmt: skip
        return tuple(out)

    def _operator_fields(self, codes: tuple[OperatorCode, ...]) -> list[tuple[Any, ...]]:
        """Return the fields of every operator except its index, in the order of the Operator class."""
        t = self.tables
        code = t.column("Operator", "opcode_index").tolist()
        inputs, outputs = lists(t, "Operator", "inputs"), lists(t, "Operator", "outputs")
        intermediates = lists(t, "Operator", "intermediates")
        mutating = lists(t, "Operator", "mutating_variable_inputs")
        options = [
            (refs.row.tolist(), refs.union_type.tolist(), t.schema.unions[union])
            for refs, union in (
                (t.refs("Operator", "builtin_options"), "BuiltinOptions"),
                (t.refs("Operator", "builtin_options_2"), "BuiltinOptions2"),
            )
        ]
        has_custom = t.has("Operator", "custom_options").tolist()
        further = self._has_further_fields()
        tables: dict[str, list[Table]] = {}
        out: list[tuple[Any, ...]] = []
        for row, index in enumerate(code):
            chosen = None
            for children, kinds, names in options:
                child, kind = children[row], kinds[row]
                if child >= 0 and 0 < kind <= len(names):
                    name = names[kind - 1]
                    if name not in tables:
                        tables[name] = t.records(name)
                    chosen = tables[name][child]
            out.append(
                (
                    codes[index].opcode,
                    inputs[row],
                    outputs[row],
                    codes[index].version,
                    codes[index].custom_code,
                    chosen,
                    t.vector("Operator", "custom_options", row) if has_custom[row] else None,
                    intermediates[row],
                    tuple(map(bool, mutating[row])),
                    index,
                    t.record_shallow("Operator", row) if further[row] else None,
                )
            )
        return out

    def _has_further_fields(self) -> list[bool]:
        """Return a flag per operator: True if it has a field that the Operator class does not name."""
        t = self.tables
        rare = np.array(rows_beyond_schema(t, "Operator"))
        for name in ("custom_options_format", "large_custom_options_offset", "large_custom_options_size"):
            rare |= t.has("Operator", name)
        rare |= t.has("Operator", "debug_metadata_index")
        return rare.tolist()  # type: ignore[no-any-return]

    def _metadata(self) -> tuple[tuple[str, int], ...]:
        t = self.tables
        if not t.count("Metadata"):
            return ()
        buffer = t.column("Metadata", "buffer").tolist()
        rows = t.children("Model", "metadata", 0).tolist()
        return tuple((t.text("Metadata", "name", row), buffer[row]) for row in rows)

    def _signatures(self) -> tuple[Signature, ...]:
        t = self.tables
        if not t.count("SignatureDef"):
            return ()
        subgraph = t.column("SignatureDef", "subgraph_index").tolist()
        index = t.column("TensorMap", "tensor_index").tolist() if t.count("TensorMap") else []

        def pairs(name: str, row: int) -> tuple[tuple[str, int], ...]:
            rows = t.children("SignatureDef", name, row).tolist()
            return tuple((t.text("TensorMap", "name", r), index[r]) for r in rows)

        rows = t.children("Model", "signature_defs", 0).tolist()
        keys = [t.text("SignatureDef", "signature_key", row) for row in rows]
        return tuple(
            Signature(key, subgraph[row], pairs("inputs", row), pairs("outputs", row))
            for key, row in zip(keys, rows, strict=True)
        )


def _describe_scratch(subgraphs: tuple[Subgraph, ...]) -> Iterator[str]:
    """Yield a message per subgraph about tensors that only custom operators read and that have no producer."""
    for subgraph in subgraphs:
        read = [i for op in subgraph.operators if op.opcode == "CUSTOM" for i in op.inputs if i >= 0]
        if not read:
            continue
        made = {i for op in subgraph.operators for i in op.outputs} | set(subgraph.inputs)
        tensors = (subgraph.tensors[i] for i in dict.fromkeys(read) if i not in made)
        empty = [t for t in tensors if t.data is None and not t.is_variable and 0 not in t.shape]
        if empty:
            names = ", ".join(f"'{t.name}'" for t in empty[:3]) + (", ..." if len(empty) > 3 else "")
            yield (
                f"subgraphs[{subgraph.index}]: {count_of(len(empty), 'tensor')} that nothing fills go into custom "
                f"operators, {names}: memory of their own, it seems"
            )
