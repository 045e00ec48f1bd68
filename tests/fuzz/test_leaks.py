"""No message of Python or numpy is in texts for users about a broken model."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from litecheck.checks.validate import validate
from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.edit import SubgraphEditor, with_subgraphs
from litecheck.model.load import load_model
from litecheck.model.types import Model
from litecheck.reference.engine import dispatch
from litecheck.reference.engine.entry_point import entry
from litecheck.reference.engine.interpreter import ReferenceInterpreter
from litecheck.reference.runtime_tensors import RunError
from litecheck.rendering.formats import render
from tests.fuzz.leaks import found, leaks, of_files, of_rules, spoiled

FIXTURES = Path(__file__).parents[2] / "fixtures"


def slicing(begin: list[int], size: list[int]) -> Model:
    """Return SLICE of a 4x4 input with these numbers in begin and size."""
    builder = ModelBuilder("slicing")
    graph = builder.subgraph("main")
    x = graph.tensor("x", (4, 4), "int8", qparams(0.5, 3))
    operands = [graph.constant(name, np.array(v, np.int32)) for name, v in (("begin", begin), ("size", size))]
    y = graph.tensor("y", (2, 2), "int8", qparams(0.5, 3))
    graph.add("SLICE", [x, *operands], [y], version=2)
    graph.inputs(x)
    graph.outputs(y)
    return builder.finish()


def run(model: Model) -> str:
    with pytest.raises(RunError) as raised:
        ReferenceInterpreter(model).invoke(entry(model).random(0))
    return str(raised.value)


@pytest.mark.slow
def test_broken_rules_and_spoiled_operands_leak_nothing() -> None:
    assert list(found(of_rules(400))) == []


def test_broken_files_leak_nothing() -> None:
    assert list(found(of_files(60))) == []


@pytest.mark.parametrize(
    ("begin", "size"), [([1], [2, 2]), ([1, 1], [2]), ([1], [2]), ([1, 1, 0], [2, 2, 1])]
)
def test_slice_with_a_wrong_number_of_begins_is_an_error(begin: list[int], size: list[int]) -> None:
    model = slicing(begin, size)
    report = validate(model)
    paths = {finding.path for finding in report.findings if finding.level == "violation"}
    assert any(path.startswith("SLICE/") for path in paths), paths
    assert leaks(render(report)) == []
    message = run(model)
    assert leaks(message) == []
    assert "SLICE" in message


def test_slice_with_a_begin_for_each_dimension_runs() -> None:
    model = slicing([1, 1], [2, 2])
    assert validate(model).counts["violation"] == 0
    assert ReferenceInterpreter(model).invoke(entry(model).random(0)).outputs["y"].shape == (2, 2)


@pytest.mark.parametrize("shape", [(0,) + (2**30,) * 5, (0,) * 70])
def test_a_constant_with_a_shape_beyond_numpy_is_an_error(shape: tuple[int, ...]) -> None:
    model = load_model(FIXTURES / "fc_int8.tflite")
    editor = SubgraphEditor(model.subgraphs[0])
    weights = next(t for t in editor.tensors if t.data is not None and len(t.shape) == 2)
    editor.set_tensor(weights.index, shape=shape, data=np.zeros(0, np.uint8))
    message = run(with_subgraphs(model, [editor.finish()[0]]))
    assert f"constant '{weights.name}'" in message
    assert leaks(message) == []


def test_operands_that_do_not_fit_are_named_by_role() -> None:
    model = load_model(FIXTURES / "conv_int8.tflite")
    message = [run(bad) for title, bad in spoiled(model) if title == "larger of 'input'"]
    assert len(message) == 1
    assert "CONV_2D" in message[0]
    assert leaks(message[0]) == []


def test_a_message_of_numpy_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """An exception's message after the operator's name, as in an earlier version, is found (negative control)."""

    def bare(bound: dispatch.BoundKernel, arguments: object) -> RunError:
        try:
            np.zeros(3) + np.zeros(2)
        except ValueError as error:
            return RunError(f"{bound.what}: the operands do not fit, {error}")
        raise AssertionError

    monkeypatch.setattr(dispatch, "_misfit_error", bare)
    models = ((title, bad) for title, bad in spoiled(load_model(FIXTURES / "fc_int8.tflite")))
    leaking = list(found(models))
    assert {command for _, command, _ in leaking} == {"run"}
    assert any("could not be broadcast" in line for _, _, line in leaking)


@pytest.mark.parametrize(
    "text",
    [
        "'NoneType' object has no attribute 'shape'",
        "list index out of range",
        "could not broadcast input array from shape (3,) into shape (2,)",
        "'<' not supported between instances of 'int' and 'str'",
        "KeyError: 'x'",
        "index 4 is out of bounds for axis 0 with size 4",
    ],
)
def test_phrases_of_python_are_found(text: str) -> None:
    assert leaks(f"fine\nADD #0: {text}") == [f"ADD #0: {text}"]
    assert leaks("ADD #0: output 1 is missing; 3 of 4 elements differ\ndivision by zero") == []
