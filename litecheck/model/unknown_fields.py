"""Content of a file that is newer than litecheck's schema and has no place in a Model."""

from __future__ import annotations

import numpy as np

from litecheck.errors import Problem
from litecheck.flatbuffer.tables import Tables

#: Tables that become values with named fields only. Tensors, operators, subgraphs and the root keep their unknown fields;
#: options stay tables.
_VALUES = (
    "OperatorCode", "Buffer", "SignatureDef", "TensorMap", "Metadata", "QuantizationParameters",
    "CustomQuantization", "BlockwiseQuantization", "MultiAxisQuantization",
)  # fmt: skip
#: Number of newer operators that are named individually.
SHOWN = 20


def newer_content(tables: Tables) -> tuple[Problem, ...]:
    """Return fields and union members of a newer schema that would be lost if the model is written again."""
    found: list[Problem] = []
    for table in filter(tables.count, _VALUES):
        last = max(f.slot for f in tables.schema.tables[table])
        for row in np.flatnonzero(tables.rows[table].vtable_size > 6 + 2 * last)[:SHOWN].tolist():
            for u in tables.unknown(table, row):
                if u.slot > last:
                    message = f"{table} holds a field in slot {u.slot}, newer than litecheck's schema"
                    at = tables.offset(table, row)
                    found.append(Problem("unknown-field", f"{table} slot {u.slot}", at, message))
    for table, rows in tables.rows.items():
        for f in tables.schema.tables[table]:
            if f.kind != "union":
                continue
            kind = rows.refs[f.name].union_type
            beyond = (kind > len(tables.schema.unions[f.type])) & (rows.at[f.name] > 0)
            for row in np.flatnonzero(beyond)[:SHOWN].tolist():
                message = f"{table}.{f.name} is of kind {kind[row]}, newer than litecheck's schema"
                at = tables.offset(table, row, f.name)
                found.append(Problem("unknown-field", f"{table}.{f.name}", at, message))
    return tuple(found)
