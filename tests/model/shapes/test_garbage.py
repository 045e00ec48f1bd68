"""A law gives shapes or a misfit for any content of a file, in bounded time."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest

from litecheck.flatbuffer.schema import load_schema
from litecheck.flatbuffer.table import Table
from litecheck.model.build import options_table
from litecheck.model.shapes import Call, ShapedOperand, ShapeError
from litecheck.model.shapes.infer import bind
from litecheck.model.types import Tensor
from tests.differential.shapes_table import LAW_NAMES, TABLE

_NUMBERS = (0, 0, 1, 1, 2, 3, 4, -1, -2, 7, 2**31 - 1, -(2**31))
_TYPES = ("int32", "int64", "int8", "float32", "bool", "int4", "string", "complex64", "type 99")


def shape(rng: np.random.Generator) -> tuple[int | None, ...]:
    rank = int(rng.integers(0, 7)) if rng.random() < 0.95 else 40
    return tuple(None if rng.random() < 0.2 else int(rng.choice(_NUMBERS)) for _ in range(rank))


def operand(rng: np.random.Generator) -> ShapedOperand | None:
    if rng.random() < 0.05:
        return None
    dtype, kind = str(rng.choice(_TYPES, p=[0.5, *[0.5 / 8] * 8])), rng.random()
    known = shape(rng)
    if kind < 0.5:
        return ShapedOperand(
            Tensor(0, "", dtype, tuple(d or 0 for d in known)), None if kind < 0.05 else known
        )
    values = rng.choice(_NUMBERS, int(rng.integers(0, 8))).astype(np.int64 if dtype == "int64" else np.int32)
    stated = (len(values),) if rng.random() < 0.8 else tuple(d or 0 for d in known)
    if len(values) % 2 == 0 and rng.random() < 0.3:
        stated = (len(values) // 2, 2)
    data = np.frombuffer(values.tobytes(), np.uint8)[: None if rng.random() < 0.9 else 3]
    return ShapedOperand(Tensor(0, "", dtype, stated, data=data), stated if rng.random() < 0.8 else known)


def options(rng: np.random.Generator, opcode: str) -> Table | None:
    """Return options with random content; fields may be missing, or the options may belong to another operator."""
    table = options_table(opcode)
    if table is None or rng.random() < 0.1:
        return None
    fields: dict[str, Any] = {}
    for field in load_schema().tables[table.type]:
        if rng.random() < 0.2:
            continue
        if field.kind == "scalars":
            fields[field.name] = rng.choice(_NUMBERS, int(rng.integers(0, 8)))
        elif field.kind == "scalar":
            fields[field.name] = int(rng.choice(_NUMBERS)) if field.type != "float32" else float("nan")
    return Table(table.type, fields)


@pytest.mark.parametrize("opcode", sorted({law: opcode for opcode, law in LAW_NAMES.items()}.values()))
def test_garbage_gives_shapes_or_a_misfit(opcode: str) -> None:
    law, roles, results, repeated = TABLE[opcode]
    rng = np.random.default_rng(list(opcode.encode()))
    start = time.process_time()
    for _ in range(800 // (len(roles) + 2)):
        number = int(rng.integers(0, len(roles) + 3))
        bound = bind([operand(rng) for _ in range(number)], roles, repeated)
        outputs = int(rng.integers(0, 4))
        bound |= bind([ShapedOperand(Tensor(0, "", "int8", ()), None)] * outputs, results, repeated)
        misfit: ShapeError | None = None
        answer: tuple = ()
        try:
            answer = law(Call(opcode, bound, options(rng, opcode), outputs))
        except ShapeError as found:
            misfit = found
        assert misfit is None or (misfit.found and (misfit.role is None or misfit.role in roles))
        assert isinstance(answer, tuple)
        for one in answer:
            assert one is None or all(dim is None or type(dim) is int for dim in one), (opcode, one)
    assert time.process_time() - start < 5
