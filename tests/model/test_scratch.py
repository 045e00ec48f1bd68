"""Scratch memory of a custom operator, as Vela writes it: a remark, and a fault for every further operator."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from litecheck.checks.validate import validate_file
from litecheck.cli.app import app
from litecheck.errors import ModelError
from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.load import load_model
from litecheck.model.save import save_model
from litecheck.model.types import Model

STEP = qparams(0.05, -3)


def compiled(scratch: int = 2, opcode: str = "CUSTOM", shape: tuple[int, ...] = (4096,)) -> Model:
    """Return a model compiled for an Ethos-U: an operator with command stream, weights and scratch memory."""
    builder = ModelBuilder("Vela Optimised")
    main = builder.subgraph("main")
    x = main.tensor("image", (1, 8, 8, 3), "int8", STEP)
    y = main.tensor("classes", (1, 4), "int8", STEP)
    stream = main.constant("command_stream", np.arange(64, dtype=np.uint8))
    weights = main.constant("read_only_memory", np.arange(128, dtype=np.uint8))
    memory = [main.tensor(f"scratch_{n}", shape, "uint8") for n in range(scratch)]
    code = "ethos-u" if opcode == "CUSTOM" else ""
    main.add(opcode, [stream, weights, *memory, x], [y], custom_code=code)
    main.inputs(x)
    main.outputs(y)
    return builder.finish()


def saved(model: Model, folder: Path) -> Path:
    path = folder / "model.tflite"
    save_model(model, path)
    return path


def remark(count: str, names: str) -> tuple[str, ...]:
    text = f"subgraphs[0]: {count} that nothing fills go into custom operators, {names}: memory of their own, it seems"
    return (text,)


@pytest.mark.parametrize(
    ("scratch", "words"),
    [
        (0, ()),
        (1, remark("1 tensor", "'scratch_0'")),
        (2, remark("2 tensors", "'scratch_0', 'scratch_1'")),
        (5, remark("5 tensors", "'scratch_0', 'scratch_1', 'scratch_2', ...")),
    ],
)
def test_scratch_memory_has_a_remark(tmp_path: Path, scratch: int, words: tuple[str, ...]) -> None:
    assert load_model(saved(compiled(scratch), tmp_path)).remarks == words


def test_a_model_with_scratch_memory_is_checked_and_has_a_remark(tmp_path: Path) -> None:
    (report,) = validate_file(saved(compiled(), tmp_path))
    assert report.problems == ()
    assert report.remarks == remark("2 tensors", "'scratch_0', 'scratch_1'")
    assert [(op.status, op.reason) for op in report.operators] == [
        ("not covered", "'ethos-u', compiled for Arm Ethos-U by Vela")
    ]


def test_inspect_shows_the_custom_operator_and_its_memory(tmp_path: Path) -> None:
    path = saved(compiled(), tmp_path)
    result = CliRunner().invoke(app, ["inspect", str(path), "--tensors"])
    assert result.exit_code == 0
    assert "ethos-u" in result.stdout
    assert "scratch_1" in result.stdout


def test_empty_scratch_tensors_have_no_remark(tmp_path: Path) -> None:
    assert load_model(saved(compiled(shape=(0,)), tmp_path)).remarks == ()


def test_a_builtin_operator_has_no_scratch_memory(tmp_path: Path) -> None:
    path = saved(compiled(opcode="ADD_N"), tmp_path)
    with pytest.raises(ModelError) as refused:
        load_model(path)
    assert [(p.code, p.path, p.message) for p in refused.value.problems] == [
        ("used-before-made", "subgraphs[0].operators[0].inputs[2]", "tensor 4 is never computed"),
        ("used-before-made", "subgraphs[0].operators[0].inputs[3]", "tensor 5 is never computed"),
    ]


def chained(*, shared: bool) -> Model:
    """Return a custom operator and an ADD: the custom operator reads a later output, or both read a tensor without a
    writer."""
    builder = ModelBuilder("two operators")
    main = builder.subgraph("main")
    x, scratch, y, z = (main.tensor(name, (1, 4), "int8", STEP) for name in ("x", "scratch", "y", "z"))
    main.add("CUSTOM", [x, scratch if shared else z], [y], custom_code="ethos-u")
    main.add("ADD", [y, scratch if shared else x], [z])
    main.inputs(x)
    main.outputs(z)
    return builder.finish()


@pytest.mark.parametrize(
    ("shared", "place", "message"),
    [
        (True, "operators[1].inputs[1]", "tensor 1 is never computed"),
        (False, "operators[0].inputs[1]", "tensor 3 is computed only later"),
    ],
)
def test_a_tensor_of_several_operators_is_no_scratch_memory(
    tmp_path: Path, shared: bool, place: str, message: str
) -> None:
    path = saved(chained(shared=shared), tmp_path)
    with pytest.raises(ModelError) as refused:
        load_model(path)
    (problem,) = refused.value.problems
    assert (problem.code, problem.path, problem.message) == (
        "used-before-made",
        f"subgraphs[0].{place}",
        message,
    )
