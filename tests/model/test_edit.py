"""Edits of a subgraph, and the blocks of metadata that a model keeps."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from litecheck.errors import ConfigError
from litecheck.model.edit import SubgraphEditor, with_metadata, with_subgraphs
from litecheck.model.load import load_model
from litecheck.model.types import Buffer, Model
from litecheck.quantization import Quantization

FIXTURE = Path(__file__).resolve().parents[2] / "fixtures" / "conv_int8.tflite"


@pytest.fixture
def model() -> Model:
    return load_model(FIXTURE)


def test_an_editor_without_edits_keeps_operators(model: Model) -> None:
    editor = SubgraphEditor(model.subgraphs[0])
    subgraph, old = editor.finish()
    assert old == tuple(range(len(model.subgraphs[0].operators)))
    assert [op.opcode for op in subgraph.operators] == [op.opcode for op in model.subgraphs[0].operators]
    assert (subgraph.inputs, subgraph.outputs) == (model.subgraphs[0].inputs, model.subgraphs[0].outputs)


def test_operators_are_inserted_behind_others_and_numbered_anew(model: Model) -> None:
    before = model.subgraphs[0]
    editor = SubgraphEditor(before)
    for behind, opcode in ((-1, "ABS"), (0, "NEG"), (0, "EXP"), (len(before.operators) - 1, "LOG")):
        editor.insert(behind, opcode, 0, 1, None, 2)
    subgraph, old = editor.finish()
    codes = [op.opcode for op in before.operators]
    assert [op.opcode for op in subgraph.operators] == ["ABS", codes[0], "NEG", "EXP", *codes[1:], "LOG"]
    assert old == (-1, 0, -1, -1, *range(1, len(codes)), -1)
    assert [op.index for op in subgraph.operators] == list(range(len(codes) + 4))
    assert (subgraph.operators[0].inputs, subgraph.operators[0].outputs, subgraph.operators[0].version) == (
        (0,),
        (1,),
        2,
    )


def test_tensors_and_operators_get_other_fields(model: Model) -> None:
    editor = SubgraphEditor(model.subgraphs[0])
    count = len(editor.tensors)
    like = replace(editor.tensors[0], shape_signature=(-1, 8), has_rank=True)
    added = editor.add_like(like, "copy", "int16", Quantization(np.float32([0.5])))
    assert (added, editor.tensors[added].name, editor.tensors[added].dtype) == (count, "copy", "int16")
    assert editor.tensors[added].shape == like.shape
    assert editor.tensors[added].shape_signature == (-1, 8)
    editor.set_tensor(0, name="renamed")
    editor.change(1, version=9)
    assert (editor.tensors[0].name, editor.operator(1).version) == ("renamed", 9)
    assert editor.operator(0) == model.subgraphs[0].operators[0]


def test_metadata_stays_with_its_block(model: Model) -> None:
    """The first buffer is empty; a metadata entry with an absent buffer is omitted."""
    buffers = (Buffer(np.empty(0, np.uint8)), Buffer(np.uint8([7])), Buffer(np.uint8([8, 9])))
    given = replace(model, buffers=buffers, metadata=(("a", 2), ("gone", 3), ("b", 1)))
    made = with_subgraphs(given, given.subgraphs)
    assert made.metadata == (("a", 1), ("b", 2))
    assert [buffer.data.tolist() for buffer in made.buffers] == [[], [8, 9], [7]]


def test_a_block_takes_the_place_of_one_with_its_name(model: Model) -> None:
    once = with_metadata(model, "min", b"12")
    twice = with_metadata(once, "min", b"345")
    assert [name for name, _ in twice.metadata].count("min") == 1
    number = dict(twice.metadata)["min"]
    assert bytes(twice.buffers[number].data) == b"345"
    assert [pair for pair in twice.metadata if pair[0] != "min"] == list(model.metadata)


@pytest.mark.parametrize(
    ("edit", "why"),
    [
        (lambda editor: editor.set_tensor(999), "subgraph 0: got tensor 999, expected one of its 15 tensors"),
        (lambda editor: editor.set_tensor(-1), "subgraph 0: got tensor -1, expected one of its 15 tensors"),
        (lambda editor: editor.operator(7), "subgraph 0: got operator 7, expected one of its 7 operators"),
        (lambda editor: editor.change(7), "subgraph 0: got operator 7, expected one of its 7 operators"),
    ],
)
def test_a_missing_tensor_or_operator_is_an_error(
    model: Model, edit: Callable[[SubgraphEditor], object], why: str
) -> None:
    with pytest.raises(ConfigError) as error:
        edit(SubgraphEditor(model.subgraphs[0]))
    assert str(error.value) == why


def test_a_model_is_no_subgraph(model: Model) -> None:
    with pytest.raises(
        TypeError, match=r"takes a Subgraph, not Model: SubgraphEditor\(model.subgraphs\[0\]\)"
    ):
        SubgraphEditor(model)  # type: ignore[arg-type]
