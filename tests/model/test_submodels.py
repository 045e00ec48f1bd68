"""Parts of a model give the same outputs as in the whole model."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from litecheck.model.build import ModelBuilder
from litecheck.model.load import load_model
from litecheck.model.save import model_bytes, save_model
from litecheck.model.submodels import cut_operators, reads, with_entry_point, writes
from litecheck.model.types import Model
from litecheck.quantization import Blockwise, Quantization
from litecheck.reference.engine.entry_point import entry
from litecheck.reference.engine.interpreter import ReferenceInterpreter
from tests.verification.networks import branching, convolutional, remembering

NETWORKS = (convolutional, remembering, branching)


def computed(model: Model) -> dict[int, np.ndarray]:
    point = entry(model)
    interpreter = ReferenceInterpreter(model)
    return interpreter.run(point.subgraph, point.arrange(point.random(3)), keep_all=True)


@pytest.mark.parametrize("network", NETWORKS)
def test_every_isolated_operator_gives_its_outputs_of_the_whole(network, tmp_path: Path) -> None:
    model = network()
    main, tensors = model.subgraphs[0], computed(model)
    for operator in main.operators:
        made = cut_operators(model, main, [operator])
        save_model(made.model, tmp_path / "part.tflite")
        again = load_model(tmp_path / "part.tflite")
        point = again.subgraphs[0]
        got = ReferenceInterpreter(again).run(point, tuple(tensors[i] for i in made.inputs))
        for index, here in zip(made.outputs, point.outputs, strict=True):
            assert np.array_equal(got[here], tensors[index]), operator.opcode


def test_a_cut_contains_only_tensors_of_its_operators() -> None:
    model = convolutional()
    main = model.subgraphs[0]
    add = next(op for op in main.operators if op.opcode == "ADD")
    made = cut_operators(model, main, [add])
    assert [t.name for t in made.model.subgraphs[0].tensors] == ["stem", "depthwise", "sum"]
    assert len(model_bytes(made.model)) < 1000
    assert made.inputs == tuple(add.inputs)


def test_outputs_of_a_segment_are_the_tensors_read_outside() -> None:
    model = convolutional()
    main = model.subgraphs[0]
    both = main.operators[:2]
    names = {t.index: t.name for t in main.tensors}
    assert [names[i] for i in writes(main, both)] == ["stem", "depthwise"]
    assert [names[i] for i in reads(main, main.operators[1:3])] == ["stem"]
    assert [names[i] for i in writes(main, main.operators[1:3])] == ["sum"]


def test_variables_stay_variables() -> None:
    model = remembering()
    made = cut_operators(model, model.subgraphs[0], model.subgraphs[0].operators[:1])
    assert [t.name for t in made.model.subgraphs[0].tensors if t.is_variable] == ["state"]
    assert made.inputs == (0,)


def test_called_subgraphs_come_along_under_new_numbers() -> None:
    model = branching()
    main = model.subgraphs[0]
    made = cut_operators(model, main, main.operators[1:]).model
    assert [s.name for s in made.subgraphs] == ["main", "then", "else"]
    options = made.subgraphs[0].operators[0].options
    assert options is not None
    assert options.fields["then_subgraph_index"] == 1
    alone = cut_operators(model, main, main.operators[:1]).model
    assert len(alone.subgraphs) == 1


def test_every_branch_comes_along() -> None:
    builder = ModelBuilder()
    main, _, *branches = (builder.subgraph(name) for name in ("main", "unused", "first", "second"))
    for branch in branches:
        x, y = (branch.tensor(name, (2,), "float32") for name in "xy")
        branch.add("NEG", [x], [y])
        branch.inputs(x)
        branch.outputs(y)
    index, x, y = main.tensor("index", (), "int32"), *(main.tensor(name, (2,), "float32") for name in "xy")
    main.add("STABLEHLO_CASE", [index, x], [y], branch_subgraph_indices=[2, 3])
    main.inputs(index, x)
    main.outputs(y)
    model = builder.finish()
    made = cut_operators(model, model.subgraphs[0], model.subgraphs[0].operators).model
    assert [s.name for s in made.subgraphs] == ["main", "first", "second"]
    options = made.subgraphs[0].operators[0].options
    assert options is not None
    assert list(options.fields["branch_subgraph_indices"]) == [1, 2]


def test_block_scales_come_along(models: Path) -> None:
    model = load_model(models / "qwen_fc_blockwise_quantized.tflite")
    main = model.subgraphs[0]
    operator = next(op for op in main.operators if op.opcode == "FULLY_CONNECTED")
    made = cut_operators(model, main, [operator]).model.subgraphs[0]
    details = made.tensors[made.operators[0].inputs[1]].quantization.details
    assert made.tensors[details.scales].is_constant


def test_real_models_operator_by_operator(models: Path) -> None:
    model = load_model(models / "kws_ref_model.tflite")
    main, tensors = model.subgraphs[0], computed(model)
    for operator in main.operators:
        made = cut_operators(model, main, [operator])
        got = ReferenceInterpreter(made.model).run(
            made.model.subgraphs[0], tuple(tensors[i] for i in made.inputs)
        )
        here = made.model.subgraphs[0].outputs
        assert all(np.array_equal(got[n], tensors[i]) for n, i in zip(here, made.outputs, strict=True))


def _two_entries() -> Model:
    """Return a model whose subgraph `second` has a signature, and is called by the first subgraph."""
    builder = ModelBuilder("two entries")
    first, second, third = (builder.subgraph(name) for name in ("first", "second", "third"))
    for graph, opcode in ((first, "NEG"), (second, "ABS"), (third, "SQUARE")):
        x, y = (graph.tensor(name, (1, 3), "float32") for name in "xy")
        if graph is third:
            graph.add(opcode, [x], [y])
        else:
            middle = graph.tensor("middle", (1, 3), "float32")
            graph.add(opcode, [x], [middle])
            always = graph.constant("always", np.array([True]))
            graph.add("IF", [always, middle], [y], then_subgraph_index=2, else_subgraph_index=1 - graph.index)
        graph.inputs(x)
        graph.outputs(y)
        builder.signature(graph.name, graph, {"x": x}, {"y": y})
    return builder.finish()


@pytest.mark.parametrize("key", ["first", "second", "third"])
def test_a_model_with_another_entry_point_gives_the_same_outputs(key: str, tmp_path: Path) -> None:
    model = _two_entries()
    save_model(with_entry_point(model, key), tmp_path / "moved.tflite")
    moved = load_model(tmp_path / "moved.tflite")
    assert (moved.subgraphs[0].name, moved.signatures[0].key, moved.signatures[0].subgraph) == (key, key, 0)
    x = np.float32([[1, -2, 3]])
    for other in ("first", "second", "third"):
        one, two = entry(model, other), entry(moved, other)
        (wanted,) = (ReferenceInterpreter(model).run(one.subgraph, (x,))[i] for i in one.subgraph.outputs)
        (got,) = (ReferenceInterpreter(moved).run(two.subgraph, (x,))[i] for i in two.subgraph.outputs)
        assert np.array_equal(got, wanted)
        assert two.subgraph.name == other


def test_block_scales_that_are_no_tensor_are_left_out() -> None:
    builder = ModelBuilder()
    main = builder.subgraph()
    x, y = main.tensor("x", (1, 4), "int8"), main.tensor("y", (1, 4), "int8")
    main.add("RELU", [x], [y])
    main.inputs(x)
    main.outputs(y)
    model = builder.finish()
    graph = model.subgraphs[0]
    blocks = replace(graph.tensors[0], quantization=Quantization(details=Blockwise(99, -1, 32)))
    graph = replace(graph, tensors=(blocks, graph.tensors[1]))
    made = cut_operators(replace(model, subgraphs=(graph,)), graph, graph.operators).model
    details = made.subgraphs[0].tensors[0].quantization.details
    assert isinstance(details, Blockwise)
    assert details.scales == -1
