"""Ranges before selections: narrowed to values that can be selected, if no other operator reads them."""

from __future__ import annotations

import numpy as np
import pytest

from litecheck.conversion.convert_float import convert
from litecheck.conversion.groups import Interval
from litecheck.conversion.request import Request
from litecheck.conversion.selected_values import limit_selected_ranges, selection_notes
from litecheck.model.build import ModelBuilder
from litecheck.model.types import Model

X, CONDITION, INNER, BRANCH, CHOSEN = range(5)
RANGES = {
    (0, X): (-3.5, 3.5),
    (0, INNER): (0.0, 33.0),
    (0, BRANCH): (-1.7, 56.0),
    (0, CHOSEN): (-1.0, 4.0),
}


def selection(opcode: str, constant: float, first: bool = False, read: bool = False) -> Model:
    """Return a selection of x or of ``opcode`` of exp(x) and a constant, which can come ``first``. exp(x) can be an
    output."""
    builder = ModelBuilder()
    main = builder.subgraph()
    x, inner, branch, chosen = (main.tensor(name, (1, 4), "float32") for name in ("x", "e", "b", "s"))
    condition = main.tensor("c", (1, 4), "bool")
    factor = main.constant("f", np.array(constant, np.float32))
    main.inputs(x, condition)
    main.add("EXP", [x], [inner])
    main.add(opcode, [factor, inner] if first else [inner, factor], [branch])
    main.add("SELECT_V2", [condition, x, branch], [chosen])
    main.outputs(chosen, *([inner] if read else []))
    return builder.finish()


def ranges_of(model: Model) -> dict[str, Interval]:
    """Return the ranges of RANGES by name of tensor, after narrowing."""
    known = {"x": RANGES[0, X], "e": RANGES[0, INNER], "b": RANGES[0, BRANCH], "s": RANGES[0, CHOSEN]}
    names = [tensor.name for tensor in model.subgraphs[0].tensors]
    found = limit_selected_ranges(model, {(0, names.index(name)): known[name] for name in known})
    return {names[tensor]: interval for (_, tensor), interval in found.items()}


@pytest.mark.parametrize(
    ("opcode", "constant", "first", "inner"),
    [
        ("SUB", 1.0, False, (0.0, 5.0)),
        ("SUB", 1.0, True, (0.0, 2.0)),
        ("ADD", 0.5, False, (0.0, 3.5)),
        ("MUL", 2.0, False, (0.0, 2.0)),
        ("MUL", -0.5, True, (0.0, 2.0)),
        ("MUL", 0.0, False, (0.0, 33.0)),
        ("DIV", 2.0, False, (0.0, 33.0)),
    ],
)
def test_values_that_cannot_be_selected_have_no_range(
    opcode: str, constant: float, first: bool, inner: Interval
) -> None:
    found = ranges_of(selection(opcode, constant, first))
    assert found["b"] == found["s"] == (-1.0, 4.0)
    assert found["e"] == inner


def test_a_tensor_with_another_reader_keeps_its_range() -> None:
    found = ranges_of(selection("SUB", 1.0, read=True))
    assert found["e"] == (0.0, 33.0)
    assert found["x"] == (-3.5, 3.5)  # EXP reads it, too
    assert found["b"] == (-1.0, 4.0)


def test_the_note_names_the_narrowed_tensors() -> None:
    model = selection("SUB", 1.0)
    before = {(0, 0): (-1.0, 1.0), (0, 1): (0.0, 9.0)}
    assert selection_notes(model, before, {**before, (0, 1): (0.0, 1.0)}) == (
        "values that no selection can choose saturate: 'e'",
    )
    assert selection_notes(model, before, before) == ()


def test_a_conversion_has_the_step_of_the_selected_values() -> None:
    model = selection("SUB", 1.0)
    main = model.subgraphs[0]
    names = {tensor.name: (0, tensor.index) for tensor in main.tensors}
    ranges = dict(zip((names[n] for n in "xebs"), RANGES.values(), strict=True))
    done = convert(model, Request(), ranges)
    new = done.model.subgraphs[0].tensors
    chosen = new[next(op.outputs[0] for op in done.model.subgraphs[0].operators if op.opcode == "SELECT_V2")]
    scales = {t.name: float(t.quantization.scale[0]) for t in new if t.quantization.scale.size}
    assert done.conforms
    assert scales["b"] == chosen.quantization.scale[0] == np.float32(7.5 / 255)  # x is selected, too
    assert scales["e"] == pytest.approx(1 / 34)  # the sum with 1 is exact; without selections 1 / 7
    assert any("'e', 'b'" in note or "'b', 'e'" in note for note in done.plan.notes)
