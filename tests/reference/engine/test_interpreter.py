"""Running models: inputs, names, variables, errors, memory."""

from __future__ import annotations

import weakref
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from litecheck.errors import ConfigError
from litecheck.model.build import ModelBuilder, SubgraphBuilder, qparams
from litecheck.model.types import Model
from litecheck.quantization import Quantization
from litecheck.reference.engine.arithmetic import load_arithmetic
from litecheck.reference.engine.entry_point import entry
from litecheck.reference.engine.interpreter import ReferenceInterpreter, run
from litecheck.reference.engine.lifetimes import initial
from litecheck.reference.runtime_tensors import Operand, RunError

X = np.array([[1, -2, 3]], np.int8)
Q = qparams(0.5, -1)


def chain(names: tuple[str, ...] = ("x", "y", "z"), shape: tuple[int, ...] = (1, 3), **fields: Any) -> Model:
    """Return a chain of EXPAND_DIMS, which leaves values unchanged."""
    builder = ModelBuilder()
    main = builder.subgraph("main")
    tensors = [
        main.tensor(names[0], shape, "int8", Q, **fields),
        *(main.tensor(n, shape, "int8", Q) for n in names[1:]),
    ]
    for a, b in pairwise(tensors):
        main.add("EXPAND_DIMS", [a, main.constant("axis", np.array([0], np.int32))], [b])
    main.inputs(tensors[0])
    main.outputs(tensors[-1])
    return builder.finish()


def two_entries() -> Model:
    builder = ModelBuilder()
    for name in ("one", "two"):
        main: SubgraphBuilder = builder.subgraph(name)
        x, y = (main.tensor(t, (1, 3), "int8", Q) for t in ("x", "y"))
        main.add("RELU", [x], [y])
        main.inputs(x)
        main.outputs(y)
        builder.signature(name, main, {"into": x}, {"out": y})
    return builder.finish()


def test_outputs_by_name_and_everything_by_index() -> None:
    done = run(chain(), {"x": X}, keep="all")
    assert done.outputs["z"].shape == (1, 1, 1, 3)
    assert done.outputs["z"].reshape(-1).tolist() == [1, -2, 3]
    assert sorted(done.tensors) == [0, 1, 2]
    assert done.tensors[1].shape == (1, 1, 3)
    assert run(chain(), (X,)).tensors == {}


def test_tensors_and_operands_are_reported_when_they_are_computed() -> None:
    interpreter, seen = ReferenceInterpreter(chain()), list[tuple[str, tuple[int, ...]]]()
    interpreter.watch = lambda subgraph, indexes, arrays: seen.append(("holds", tuple(indexes)))
    interpreter.enter = lambda subgraph, operator, operands: seen.append(("enters", operator.inputs))
    interpreter.invoke({"x": X})
    assert seen == [
        ("holds", (0,)),
        ("enters", (0, 3)),
        ("holds", (1,)),
        ("enters", (1, 4)),
        ("holds", (2,)),
    ]


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ({}, "input 'x' is missing"),
        ({"q": X}, "there is no input 'q'; there are x"),
        ((X, X), "the model takes 1 inputs, 2 were given"),
        ({"x": X.astype(np.float32)}, "input 'x' is int8, got float32"),
        ({"x": X[0]}, r"input 'x': got shape \(3,\), expected \(1, 3\). Add a first axis"),
    ],
)
def test_inputs_that_do_not_fit(inputs: Any, message: str) -> None:
    with pytest.raises(RunError, match=message):
        run(chain(), inputs)


def test_an_open_dimension_takes_any_size() -> None:
    model = chain(shape_signature=(-1, 3))
    assert run(model, {"x": np.zeros((5, 3), np.int8)}).outputs["z"].shape == (1, 1, 5, 3)


def test_names_are_unique() -> None:
    point = entry(chain(("", "", "")))
    assert point.inputs == (("tensor 0", 0),)
    builder = ModelBuilder()
    main = builder.subgraph("main")
    tensors = [main.tensor("same", (1,), "int8", Q) for _ in range(3)]
    main.inputs(*tensors)
    main.outputs(tensors[0])
    assert [n for n, _ in entry(builder.finish()).inputs] == ["same", "same (tensor 1)", "same (tensor 2)"]


def test_signatures_enter_their_subgraph() -> None:
    done = run(two_entries(), {"into": X}, signature="two")
    assert done.subgraph == 1
    assert done.outputs["out"].tolist() == [[1, -1, 3]]
    assert run(two_entries(), {"x": X}, signature="one").subgraph == 0
    with pytest.raises(RunError, match="there is no signature 'three'; there are one, two"):
        run(two_entries(), {"into": X}, signature="three")


def test_random_inputs_depend_on_the_seed_only() -> None:
    point = entry(chain(shape=(50, 50)))
    first, again, other = point.random(1), point.random(1), point.random(2)
    assert (first["x"] == again["x"]).all()
    assert (first["x"] != other["x"]).any()
    assert (first["x"].min(), first["x"].max()) == (-128, 127)
    assert point.random(1, ["x"]) == {}


def test_no_kernel_names_operator_types_and_version() -> None:
    builder = ModelBuilder()
    main = builder.subgraph("main")
    x, y = main.tensor("x", (1, 3), "int8", Q), main.tensor("block/y", (1, 3), "int8", Q)
    main.add("CUSTOM", [x, -1], [y], version=4, custom_code="AcmeSort")
    main.inputs(x)
    main.outputs(y)
    words = r"CUSTOM #0 'block/y': no kernel for custom operator 'AcmeSort' version 4 of \(int8, absent\) -> \(int8\)"
    with pytest.raises(RunError, match=words):
        run(builder.finish(), {"x": X})


def test_invalid_operands_are_errors_of_the_model() -> None:
    builder = ModelBuilder()
    main = builder.subgraph("main")
    x, y = main.tensor("x", (1, 3), "int8", Q), main.tensor("y", (1, 4), "int8", Q)
    shape = main.constant("shape", np.array([1, 4], np.int32))
    main.add("RESHAPE", [x, shape], [y])
    main.inputs(x)
    main.outputs(y)
    with pytest.raises(RunError, match="RESHAPE #0 'y': "):
        run(builder.finish(), {"x": X})


def test_a_tensor_without_values_is_named() -> None:
    builder = ModelBuilder()
    main = builder.subgraph("main")
    ghost, y = main.tensor("ghost", (1, 3), "int8", Q), main.tensor("y", (1, 3), "int8", Q)
    main.add("RELU", [ghost], [y])
    main.outputs(y)
    with pytest.raises(RunError, match="tensor 0 'ghost' of type int8 has no values"):
        run(builder.finish(), ())


def test_a_missing_scale_is_an_error() -> None:
    builder = ModelBuilder()
    main = builder.subgraph("main")
    x, y = main.tensor("x", (1, 3), "int8"), main.tensor("y", (1, 3), "int8", Q)
    main.add("SOFTMAX", [x], [y], beta=1.0)
    main.inputs(x)
    main.outputs(y)
    with pytest.raises(RunError, match="SOFTMAX #0 'y': an operand of type int8 states no scale"):
        run(builder.finish(), {"x": X})


def test_a_float16_constant_becomes_float32() -> None:
    builder = ModelBuilder()
    main = builder.subgraph("main")
    half = main.constant("half", np.array([0.5, -1.5], np.float16))
    y = main.tensor("y", (2,), "float32", Quantization())
    main.add("DEQUANTIZE", [half], [y])
    main.outputs(y)
    made = run(builder.finish(), ()).outputs["y"]
    assert (made.dtype, made.tolist()) == (np.float32, [0.5, -1.5])


def test_an_output_may_be_an_input_or_a_constant() -> None:
    builder = ModelBuilder()
    main = builder.subgraph("main")
    x = main.tensor("x", (1, 3), "int8", Q)
    c = main.constant("c", np.array([7], np.int8), Q)
    main.inputs(x)
    main.outputs(x, c)
    done = run(builder.finish(), {"x": X})
    assert done.outputs["x"] is X
    assert done.outputs["c"].tolist() == [7]


@pytest.mark.parametrize(
    ("dtype", "zero", "fill"),
    [
        ("int8", -5, -5),
        ("int8", -129, 127),
        ("int8", 200, -56),
        ("int16", -5, 0),
        ("uint8", 5, 0),
        ("float32", 5, 0),
    ],
)
def test_variables_start_as_litert_starts_them(dtype: str, zero: int, fill: int) -> None:
    builder = ModelBuilder()
    main = builder.subgraph("main")
    main.tensor("state", (2, 2), dtype, qparams(0.5, zero), is_variable=True)
    started = initial(builder.finish().subgraphs[0].tensors[0])
    assert started.dtype == np.dtype(dtype)
    assert (started == fill).all()


def test_unused_tensors_are_freed() -> None:
    alive: list[weakref.ref[Any]] = []
    seen: list[int] = []

    def note(operator: Any, outputs: tuple[Any, ...]) -> None:
        seen.append(sum(ref() is not None for ref in alive))
        alive.append(weakref.ref(outputs[0]))

    builder = ModelBuilder()
    main = builder.subgraph("main")
    tensors = [main.tensor(f"t{n}", (1, 3), "float32") for n in range(6)]
    for a, b in pairwise(tensors):
        main.add("EXP", [a], [b])
    main.inputs(tensors[0])
    main.outputs(tensors[-1])
    model = builder.finish()
    x = np.zeros((1, 3), np.float32)
    ReferenceInterpreter(model).invoke({"t0": x}, progress=note)
    assert max(seen) <= 1
    alive.clear()
    seen.clear()
    ReferenceInterpreter(model).invoke({"t0": x}, keep="all", progress=note)
    assert seen == [0, 1, 2, 3, 4]


def test_constants_are_prepared_once() -> None:
    interpreter = ReferenceInterpreter(chain())
    subgraph = interpreter.model.subgraphs[0]
    axis = subgraph.operators[0].inputs[1]
    first = interpreter.operand(subgraph, axis, {})
    assert interpreter.operand(subgraph, axis, {}) is first
    made = [first.once("sum", lambda: first.data.sum()) for _ in range(2)]
    assert made[0] is made[1]
    assert first.once("other", lambda: 3) == 3
    assert not Operand(X, "int8").prepared


def test_interpreters_under_several_arithmetics_share_constants_and_no_state() -> None:
    interpreter = ReferenceInterpreter(chain(), "litert-reference")
    other = interpreter.under(load_arithmetic("litert-xnnpack"))
    assert other.arithmetic.name == "litert-xnnpack"
    subgraph = interpreter.model.subgraphs[0]
    axis = subgraph.operators[0].inputs[1]
    assert other.operand(subgraph, axis, {}) is interpreter.operand(subgraph, axis, {})
    assert other.variables is not interpreter.variables
    assert np.array_equal(other.run(subgraph, (X,))[2], interpreter.run(subgraph, (X,))[2])


def test_an_unknown_keep_is_an_error() -> None:
    with pytest.raises(ConfigError, match="keep: got 'x', expected 'outputs' or 'all'"):
        run(chain(), {"x": X}, keep="x")
