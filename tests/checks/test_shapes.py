"""Table of the check ``shapes``: incompatible operands, and outputs with a wrong shape."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from fixtures.broken import changed
from litecheck.checks.validate import validate
from litecheck.finding import Level
from litecheck.model.build import ModelBuilder
from litecheck.model.types import Model
from litecheck.profile.load import load_profile
from tests.checks.table import STEP, FindingRow, findings_of, single_operator

RULES = """\
kinds: {activation: {dtype: int8, because: activations are int8}}
ops:
  ADD:
    inputs: [lhs, rhs]
    outputs: [output]
    tensors: {lhs: activation, rhs: activation, output: activation}
    shapes: broadcast
effects:
  ADD/shapes: fails to load
"""
WRONG = "the kernel works out its results' shapes from these"
TRUST = "a compiler may trust the file where LiteRT works out the shape itself"


def added(lhs: tuple[int, ...], rhs: tuple[int, ...], output: tuple[int, ...], **fields: Any) -> Model:
    """Return an ADD; ``fields`` change its output."""
    model = single_operator("ADD", [lhs, rhs], output)
    return changed(model, "output", **fields) if fields else model


def chain() -> Model:
    """Return two ADD: the output of the first has a wrong shape, which the second reads."""
    builder = ModelBuilder("two ADD")
    main = builder.subgraph()
    x, y = (main.tensor(name, (1, 4), "int8", STEP) for name in "xy")
    between = main.tensor("between", (3, 5), "int8", STEP)
    last = main.tensor("last", (1, 4), "int8", STEP)
    main.add("ADD", [x, y], [between])
    main.add("ADD", [between, y], [last])
    main.inputs(x, y)
    main.outputs(last)
    return builder.finish()


def open_ended() -> Model:
    """Return an ADD with a dimension that is only known at run time."""
    return changed(added((1, 4), (1, 4), (2, 5)), "input 0", shape_signature=(-1, 4))


def misfit(operand: str, found: str) -> tuple[FindingRow, ...]:
    return (
        FindingRow("ADD/shapes", operand, found, "operands whose shapes go together", WRONG, "fails to load"),
    )


def ignored_shape(
    found: str, required: str, operand: str = "output 'output'", level: Level = "warning"
) -> tuple[FindingRow, ...]:
    effect: Any = "ignored by LiteRT, may matter on hardware"
    return (
        FindingRow(
            "ADD/shapes",
            operand,
            found,
            f"shape {required}, which its operator gives it",
            TRUST,
            effect,
            level,
        ),
    )


ROWS: dict[str, tuple[Model, tuple[FindingRow, ...]]] = {
    "operands that do not go together": (
        added((1, 4), (1, 3), (1, 4)),
        misfit("rhs", "[1, 4] and [1, 3] do not broadcast"),
    ),
    "another length": (
        added((1, 4), (1, 4), (1, 5)),
        ignored_shape("its shape is [1, 5]", "[1, 4]"),
    ),
    "another rank": (added((2, 1), (4,), (8,)), ignored_shape("its shape is [8]", "[2, 4]")),
    "an unknown length": (open_ended(), ignored_shape("its shape is [2, 5]", "[?, 4]")),
    "stated wrongly, told once": (
        chain(),
        ignored_shape("its shape is [3, 5]", "[1, 4]", "output 'between'"),
    ),
    "a scalar that is one": (
        added((1, 4), (1, 4), (), has_rank=True),
        ignored_shape("its shape is []", "[1, 4]"),
    ),
    "no rank stated": (added((1, 4), (1, 4), ()), ignored_shape("its shape is []", "[1, 4]", level="note")),
    "a length left open": (added((1, 4), (1, 4), (1, 1), shape_signature=(1, -1)), ()),
    "broadcast": (added((2, 1), (4,), (2, 4)), ()),
    "a shape and a type": (
        changed(added((1, 4), (1, 3), (1, 4)), "input 1", dtype="int16"),
        (
            FindingRow(
                "ADD/rhs/dtype", "rhs 'input 1'", "it is int16", "type int8 of rhs", "activations are int8"
            ),
            *misfit("rhs", "[1, 4] and [1, 3] do not broadcast"),
        ),
    ),
}


STORED = "shapes: stored\n" + RULES


def stored(found: str, required: str, because: str = WRONG) -> tuple[FindingRow, ...]:
    return (FindingRow("ADD/shapes", "output 'output'", found, required, because, "fails to load"),)


STORED_ROWS: dict[str, tuple[Model, tuple[FindingRow, ...]]] = {
    "incompatible inputs": ROWS["operands that do not go together"],
    "another length": (
        added((1, 4), (1, 4), (1, 5)),
        stored("its shape is [1, 5]", "shape [1, 4], which its operator gives it"),
    ),
    "another length, open in the file": (
        added((1, 4), (1, 4), (1, 1), shape_signature=(1, -1)),
        stored("its shape is [1, 1]", "shape [1, 4], which its operator gives it"),
    ),
    "no rank stated": (
        added((1, 4), (1, 4), ()),
        stored("its shape is []", "shape [1, 4], which its operator gives it"),
    ),
    "no elements": (
        added((0, 4), (0, 4), (0, 4)),
        stored(
            "its shape is [0, 4]",
            "at least one element",
            "the runtime treats a tensor without elements as a dynamic tensor",
        ),
    ),
    "an open batch, stored as it is": (
        changed(added((1, 4), (1, 4), (1, 4), shape_signature=(-1, 4)), "input 0", shape_signature=(-1, 4)),
        (),
    ),
}


@pytest.mark.parametrize("case", STORED_ROWS)
def test_the_shapes_in_the_file_are_final(case: str) -> None:
    model, expected = STORED_ROWS[case]
    assert findings_of(STORED, model) == expected


def sliced(shape: tuple[int, ...], signature: tuple[int, ...], computed: bool) -> Model:
    """Return a SLICE to half a row; its size is an input or a constant."""
    builder = ModelBuilder()
    main = builder.subgraph()
    x, y = main.tensor("x", (1, 4), "int8", STEP), main.tensor("y", shape, "int8", STEP)
    begin = main.constant("begin", np.zeros(2, np.int32))
    size = main.tensor("size", (2,), "int32") if computed else main.constant("size", np.int32([1, 2]))
    main.add("SLICE", [x, begin, size], [y])
    main.inputs(x, *([size] if computed else []))
    main.outputs(y)
    return changed(builder.finish(), "y", shape_signature=signature)


@pytest.mark.parametrize(
    ("model", "fix"),
    [
        (sliced((1, 1), (1, -1), True), "convert with static shapes"),
        (sliced((1, 3), (1, 3), False), ""),
        (sliced((1, 3), (1, -1), False), ""),
    ],
)
def test_only_a_shape_known_at_run_time_has_a_fix(model: Model, fix: str) -> None:
    report = validate(model, [load_profile("tflm")])
    (found,) = (finding for finding in report.findings if finding.path == "SLICE/shapes")
    assert found.hint.partition(";")[0] == fix


def unpacked(opcode: str, dtype: str, stated: tuple[int, ...], constant: bool = True) -> Model:
    """Return an ADD that reads an operator's output of a constant (4, 6), with a stated shape."""
    builder = ModelBuilder()
    main = builder.subgraph()
    scale = STEP if dtype == "int8" else None
    held = (
        main.constant("held", np.ones((4, 6), dtype), scale)
        if constant
        else main.tensor("x", (4, 6), dtype, scale)
    )
    y, other, z = (main.tensor(n, s, "float32") for n, s in zip("ybz", (stated, (4, 6), (4, 6)), strict=True))
    main.add(opcode, [held], [y], version=3 if opcode == "DEQUANTIZE" else 1)
    main.add("ADD", [other, y], [z])
    main.inputs(other, *([] if constant else [held]))
    main.outputs(z)
    return builder.finish()


ONLY = "rejected by the default interpreter only"


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        (unpacked("DEQUANTIZE", "int8", (4, 6)), ()),
        (unpacked("DEQUANTIZE", "int8", (6, 4)), (("violation", ONLY),)),
        (unpacked("DEQUANTIZE", "int8", (6, 6)), (("violation", ONLY),)),
        (unpacked("DEQUANTIZE", "int8", (4, 5)), (("violation", "crashes"),)),
        (unpacked("DEQUANTIZE", "int8", ()), (("violation", "crashes"),)),
        (unpacked("DEQUANTIZE", "float16", (4, 5)), (("violation", ONLY),)),
        (unpacked("DEQUANTIZE", "int16", (4, 5)), (("warning", "ignored by LiteRT, may matter on hardware"),)),
        (unpacked("DEQUANTIZE", "int8", (4, 5), constant=False),
         (("warning", "ignored by LiteRT, may matter on hardware"),)),
        (unpacked("DENSIFY", "float32", (6, 4)), (("violation", "crashes"),)),
    ],
)  # fmt: skip
def test_constants_that_are_converted_at_load_have_their_shape_in_the_file(
    model: Model, expected: tuple[tuple[Level, str], ...]
) -> None:
    found = validate(model, [load_profile("litert-structure")]).findings
    assert tuple((f.level, f.effect) for f in found if f.path.endswith("/shapes")) == expected


@pytest.mark.parametrize("case", ROWS)
def test_findings_of_the_table(case: str) -> None:
    model, expected = ROWS[case]
    assert findings_of(RULES, model) == expected
