"""Constants in separate weights files in the model's folder (schema 3d, ExternalBuffer)."""

from __future__ import annotations

import os
from pathlib import Path, PurePosixPath

import numpy as np
from numpy.typing import NDArray

from litecheck.files import is_inside, open_file
from litecheck.flatbuffer.tables import Tables


class ExternalFiles:
    """Weights files of a model, mapped at their first use. Only files in the model's folder are opened.

    The folder is that of the path, and the folder of the target if the path is a link.
    """

    def __init__(self, model: Path) -> None:
        self.folder = model.parent
        self._folders = (model.parent, Path(os.path.realpath(model)).parent)
        self._maps: dict[str, NDArray[np.uint8] | None] = {}
        self._names: dict[int, str] = {}
        self._rows: dict[int, int] | None = None

    def _map(self, name: str) -> NDArray[np.uint8] | None:
        if name not in self._maps:
            plain = bool(name) and "\\" not in name and PurePosixPath(name).name == name and "\0" not in name
            path = self.folder / name
            inside = plain and any(is_inside(path, folder) for folder in self._folders)
            self._maps[name] = _map_file(path) if inside else None
        return self._maps[name]

    def rows(self, tables: Tables) -> dict[int, int]:
        """Return the row of each external buffer by its id."""
        if self._rows is None:
            there = tables.count("ExternalBuffer")
            ids = tables.column("ExternalBuffer", "id").tolist() if there else []
            rows = tables.children("Model", "external_buffers", 0).tolist()
            self._rows = {ids[row]: row for row in reversed(rows)}
        return self._rows

    def length(self, tables: Tables, identifier: int) -> int:
        """Return the length of an external buffer in bytes, from its entry; 0 for a buffer that is not listed."""
        row = self.rows(tables).get(identifier)
        return 0 if row is None else min(_number(tables, row, "length"), 2**62)

    def data(self, tables: Tables, identifier: int) -> NDArray[np.uint8] | None:
        """Return the bytes of an external buffer as a view; None if its file is missing."""
        row = self.rows(tables).get(identifier)
        content = None if row is None else self._map(self._name(tables, row))
        if row is None or content is None:
            return None
        offset = _number(tables, row, "offset")
        return content[offset : offset + _number(tables, row, "length")]

    def _name(self, tables: Tables, row: int) -> str:
        """Return the file name of an external buffer; "" if its group does not exist."""
        group = _number(tables, row, "group")
        if group not in self._names:
            groups = tables.children("Model", "external_buffer_groups", 0)
            there = group < len(groups)
            self._names[group] = (
                tables.text("ExternalBufferGroup", "name", int(groups[group])) if there else ""
            )
        return self._names[group]

    def fault(self, tables: Tables, row: int) -> tuple[str, str, str] | None:
        """Return the fault of an external buffer as (code, field, message), or None."""
        group = _number(tables, row, "group")
        groups = len(tables.children("Model", "external_buffer_groups", 0))
        if group >= groups:
            return "index-out-of-range", "group", f"group {group} of {groups}"
        packing = tables.text("ExternalBuffer", "packing", row)
        if packing:
            return "unknown-packing", "packing", f"weights are packed as {packing[:40]!r}"
        name = self._name(tables, row)
        content = self._map(name)
        if content is None:
            return (
                "weights-file-missing",
                "group",
                f"no weights file {name[:80]!r} that can be read beside the model",
            )
        offset, length = _number(tables, row, "offset"), _number(tables, row, "length")
        if offset > len(content) or length > len(content) - offset:
            message = f"bytes {offset} to {offset + length} of {name!r}, which has {len(content)}"
            return "buffer-outside-file", "offset", message
        return None


def _map_file(path: Path) -> NDArray[np.uint8] | None:
    try:
        with open_file(path) as file:
            usable = os.fstat(file.fileno()).st_size > 0
            return np.memmap(file, np.uint8, "r").view(np.ndarray) if usable else None
    except OSError:  # the name is too long for the system, or the file is not readable
        return None


def _number(tables: Tables, row: int, name: str) -> int:
    at = int(tables.rows["ExternalBuffer"].at[name][row])
    width = tables.schema.field("ExternalBuffer", name).width
    return int.from_bytes(tables.data.raw[at : at + width].tobytes(), "little") if at else 0
