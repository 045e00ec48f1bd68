"""Float models of a single operator, for every operator with an int8 kernel that also computes on real numbers.

Most are the int8 models of :mod:`tests.differential.rules_cases` with dequantized operands. The remaining operators
come from :mod:`tests.differential.structure_cases`, or are built here if they need a second subgraph or a variable.
LiteRT's float kernels load and run all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from litecheck import load_profile
from litecheck.model.build import ModelBuilder, SubgraphBuilder
from litecheck.model.types import Model, Tensor
from tests.differential import rules_cases
from tests.differential.rules import dequantized, real_model
from tests.differential.structure_cases import structures

#: Inputs given to each model.
RUNS = 8
PROFILE = "litert-runtime"
#: Operators without a float form: they convert to integers or from integers.
BORDERS = ("QUANTIZE", "DEQUANTIZE")
SHAPE = (2, 3)


@dataclass(frozen=True)
class FloatCase:
    """A float model and its inputs for each inference, in the order of the model's inputs."""

    name: str
    opcode: str
    model: Model
    runs: tuple[tuple[np.ndarray, ...], ...]


def float_cases() -> tuple[FloatCase, ...]:
    """Return every model, equal in each call, although their cases share a random generator."""
    source = rules_cases.RNG.bit_generator
    before, source.state = source.state, np.random.default_rng(7).bit_generator.state
    try:
        return tuple(_cases())
    finally:
        source.state = before


def _cases() -> Iterator[FloatCase]:
    there = set()
    for case in rules_cases.cases("int8"):
        if case.real and case.opcode not in BORDERS:
            there.add(case.opcode)
            yield _dequantized(case)
    rules = load_profile(PROFILE).operators
    for case in structures():
        floats = any(t.dtype == "float32" for t in case.model.subgraphs[0].tensors)
        if floats and case.opcode in rules and case.opcode not in (*there, *BORDERS):
            yield FloatCase(case.name, case.opcode, case.model, _runs(case.inputs))
    for opcode, build in BUILT.items():
        builder = ModelBuilder(opcode)
        inputs = build(builder)
        yield FloatCase(opcode, opcode, builder.finish(), _runs(inputs))


def _dequantized(case: rules_cases.Case) -> FloatCase:
    graph = case.model.subgraphs[0]
    model = real_model(case.model, case.model)
    assert model is not None
    given = [graph.tensors[t] for t in graph.inputs]
    return FloatCase(case.name, case.opcode, model, _runs(tuple(map(_real, case.inputs, given))))


def _real(values: np.ndarray, tensor: Tensor) -> np.ndarray:
    return dequantized(values, tensor) if tensor.quantization.scale.size else values


def _runs(first: tuple[np.ndarray, ...]) -> tuple[tuple[np.ndarray, ...], ...]:
    """Return the inputs, and further inputs between their smallest and largest values; integers and bools are
    repeated."""
    rng = np.random.default_rng(5)

    def another(values: np.ndarray) -> np.ndarray:
        if values.dtype != np.float32:
            return values
        return rng.uniform(values.min(), values.max(), values.shape).astype(np.float32)

    return (first, *(tuple(map(another, first)) for _ in range(RUNS - 1)))


def _ends(builder: ModelBuilder) -> tuple[SubgraphBuilder, int, int]:
    """Return the main subgraph with a float input and a float output."""
    main = builder.subgraph("main")
    return main, main.tensor("x", SHAPE, "float32"), main.tensor("y", SHAPE, "float32")


def _body(builder: ModelBuilder, opcode: str, factor: float) -> None:
    """Add a subgraph that scales its operand and applies an operator."""
    body = builder.subgraph(f"with {opcode}")
    a, b, c = (body.tensor(n, SHAPE, "float32") for n in "abc")
    body.add("MUL", [a, body.constant("factor", np.full((1, 3), factor, np.float32))], [b])
    body.add(opcode, [b], [c])
    body.inputs(a)
    body.outputs(c)


def _numbers() -> np.ndarray:
    return np.linspace(-2, 2, 6, dtype=np.float32).reshape(SHAPE)


def _variable(builder: ModelBuilder) -> tuple[np.ndarray, ...]:
    """Build a variable that is written, then read."""
    main, x, y = _ends(builder)
    handle = main.tensor("handle", (), "resource")
    main.add("VAR_HANDLE", [], [handle], container="", shared_name="v")
    main.add("ASSIGN_VARIABLE", [handle, x], [])
    main.add("READ_VARIABLE", [handle], [y])
    main.inputs(x)
    main.outputs(y)
    return (_numbers(),)


def _if(builder: ModelBuilder) -> tuple[np.ndarray, ...]:
    """Build an IF on the sign of the sum."""
    main, x, y = _ends(builder)
    total, more = main.tensor("total", (), "float32"), main.tensor("more", (), "bool")
    main.add("SUM", [x, main.constant("axes", np.int32([0, 1]))], [total])
    main.add("GREATER", [total, main.constant("zero", np.float32(0))], [more])
    main.add("IF", [more, x], [y], then_subgraph_index=1, else_subgraph_index=2)
    main.inputs(x)
    main.outputs(y)
    _body(builder, "TANH", 1.5)
    _body(builder, "RELU", -3.0)
    return (_numbers(),)


def _one_of_two(builder: ModelBuilder) -> tuple[np.ndarray, ...]:
    """Build a STABLEHLO_CASE of two branches with a computed index."""
    main, x, y = _ends(builder)
    which = main.tensor("which", (), "int32")
    main.add("STABLEHLO_CASE", [which, x], [y], branch_subgraph_indices=[1, 2])
    main.inputs(which, x)
    main.outputs(y)
    _body(builder, "TANH", 1.5)
    _body(builder, "RELU", -3.0)
    return np.array(1, np.int32), _numbers()


def _composite(builder: ModelBuilder) -> tuple[np.ndarray, ...]:
    """Build a named group of operators."""
    main, x, y = _ends(builder)
    attributes = np.uint8([0, 0, 1, 4, 0, 0, 36, 1])  # an empty map, as a flexbuffer
    main.add("STABLEHLO_COMPOSITE", [x], [y], name="own", decomposition_subgraph_index=1,
             composite_attributes=attributes)  # fmt: skip
    main.inputs(x)
    main.outputs(y)
    _body(builder, "LOGISTIC", 2.0)
    return (_numbers(),)


def _while(builder: ModelBuilder) -> tuple[np.ndarray, ...]:
    """Build a loop that halves its value until no element is above a quarter."""
    main, x, y = _ends(builder)
    main.add("WHILE", [x], [y], cond_subgraph_index=2, body_subgraph_index=1)
    main.inputs(x)
    main.outputs(y)
    _body(builder, "RELU", 0.5)
    cond = builder.subgraph("cond")
    a, most, more = (
        cond.tensor("a", SHAPE, "float32"),
        cond.tensor("most", (), "float32"),
        cond.tensor("more", (), "bool"),
    )
    cond.add("REDUCE_MAX", [a, cond.constant("axes", np.int32([0, 1]))], [most])
    cond.add("GREATER", [most, cond.constant("quarter", np.float32(0.25))], [more])
    cond.inputs(a)
    cond.outputs(more)
    return (_numbers(),)


#: Models with a second subgraph or a variable, by opcode. The functions return the inputs.
BUILT: dict[str, Callable[[ModelBuilder], tuple[np.ndarray, ...]]] = {
    "READ_VARIABLE": _variable,
    "IF": _if,
    "WHILE": _while,
    "STABLEHLO_CASE": _one_of_two,
    "STABLEHLO_COMPOSITE": _composite,
}
