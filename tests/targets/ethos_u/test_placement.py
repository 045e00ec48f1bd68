"""Placement on a target: the impact that decides, all reasons, partitions, shares, and allowed fallbacks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from litecheck.checks.validate import validate
from litecheck.finding import CPU, SUPERSEDED
from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.graph import graph_of
from litecheck.model.types import Model
from litecheck.placement import Place
from litecheck.profile.load import load_profile
from litecheck.report import Report
from litecheck.targets.cost import count_macs, peak_live_bytes
from litecheck.targets.ethos_u.graph.partitions import count_partitions, schedule_operators
from litecheck.targets.ethos_u.placement import place_model

U55, U85 = load_profile("ethos-u55"), load_profile("ethos-u85")


def chain(*opcodes: str, dtype: str = "int8", scale: float = 0.5) -> Model:
    """Return a chain of operators with one operand each."""
    builder = ModelBuilder()
    main = builder.subgraph()
    tensors = [main.tensor(f"t{n}", (1, 4, 4, 8), dtype, qparams(scale)) for n in range(len(opcodes) + 1)]
    for opcode, a, b in zip(opcodes, tensors, tensors[1:], strict=False):
        main.add(opcode, [a], [b])
    main.inputs(tensors[0])
    main.outputs(tensors[-1])
    return builder.finish()


def convolution(stride: int, dtype: str = "int8", computed: bool = False) -> Model:
    builder = ModelBuilder()
    main = builder.subgraph()
    x = main.tensor("x", (1, 8, 8, 3), dtype, qparams(0.5))
    if computed:
        w = main.tensor("w", (5, 3, 3, 3), dtype, qparams(0.25))
    else:
        w = main.constant("w", np.ones((5, 3, 3, 3), np.int8), qparams(0.25))
    y = main.tensor("y", (1, -(-8 // stride), -(-8 // stride), 5), dtype, qparams(1.0))
    main.add("CONV_2D", [x, w, -1], [y], padding="SAME", stride_w=stride, stride_h=stride, version=3)
    main.inputs(*([x, w] if computed else [x]))
    main.outputs(y)
    return builder.finish()


def places(model: Model) -> list[str]:
    return [op.place for op in place_model(model, U55)[0].operators]


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        (chain("TANH", "SQRT", "LOGISTIC"), ["npu", "cpu", "npu"]),
        (chain("TANH", dtype="int32"), ["cpu"]),
        (chain("TANH", dtype="bool"), ["refused"]),
        (chain("TANH", scale=2.0**32), ["cpu"]),
        (convolution(3), ["npu"]),
        (convolution(6), ["cpu"]),
    ],
    ids=list("abcdef"),
)
def test_an_effect_decides(model: Model, expected: list[str]) -> None:
    assert places(model) == expected


def test_every_reason_of_a_placement_is_reported() -> None:
    _, found = place_model(chain("TANH", dtype="int32", scale=2.0**32), U55)
    assert {f.path for f in found} == {
        "TANH/input/dtype",
        "TANH/output/dtype",
        "TANH/limits/scales_above_2_32",
    }
    assert {(f.effect, f.level) for f in found} == {(CPU, "warning")}


def test_a_rejection_after_the_fallback_is_a_note() -> None:
    """The U55's optimizer rejects computed weights, but a float operator stays on the CPU before this step."""
    report = validate(convolution(1, "float32", computed=True), [U55])
    assert report.targets[0].places["cpu"] == 1
    told = {f.effect: f.level for f in report.findings if f.demanded_by.profile == "ethos-u55"}
    assert told == {CPU: "warning", SUPERSEDED: "note"}
    (behind,) = [f for f in report.findings if f.effect == SUPERSEDED]
    assert behind.because.endswith("; else the compiler rejects the model")


def test_a_rejection_before_the_fallback_is_a_violation() -> None:
    model = chain("TANH", dtype="bool")
    assert places(model) == ["refused"]
    assert {f.level for f in place_model(model, U55)[1] if f.effect != CPU} == {"violation"}


def twice() -> Model:
    """Return two subgraphs; the second has an operator on the CPU."""
    builder = ModelBuilder()
    for opcodes in (("TANH",), ("TANH", "SQRT", "TANH")):
        main = builder.subgraph()
        tensors = [main.tensor(f"t{n}", (1, 4), "int8", qparams(0.5)) for n in range(len(opcodes) + 1)]
        for opcode, a, b in zip(opcodes, tensors, tensors[1:], strict=False):
            main.add(opcode, [a], [b])
        main.inputs(tensors[0])
        main.outputs(tensors[-1])
    return builder.finish()


def test_every_subgraph_is_placed() -> None:
    report, found = place_model(twice(), U55)
    where = [(op.subgraph, op.index, op.place, op.partition) for op in report.operators]
    assert where == [(0, 0, "npu", 1), (1, 0, "npu", 2), (1, 1, "cpu", None), (1, 2, "npu", 3)]
    assert report.partitions == 3
    assert {f.where.subgraph for f in found} == {1}


def test_a_file_without_buffers_is_refused() -> None:
    model = replace(chain("TANH"), buffers=())
    assert places(model) == ["refused"]
    assert [f.path for f in place_model(model, U55)[1]] == ["TANH/limits/missing_buffer_table"]


@pytest.mark.parametrize(
    ("dtype", "verdict"), [("float32", "not checked"), ("int8", "conforms"), ("bool", "violates")]
)
def test_verdicts_of_models_without_an_npu_operator(dtype: str, verdict: str) -> None:
    report = validate(chain("TANH", dtype=dtype, scale=1 / 128), [U55])
    assert Report("0", (report,)).verdict(report) == verdict


def test_gates_of_a_model() -> None:
    model = validate(chain("TANH", "SQRT", "TANH", scale=1 / 128), [U55])
    run = Report("0", (model,), require_coverage=True, fail_on_fallback=True, max_partitions=1)
    assert {gate.name: gate.kept for gate in run.gates(model)} == {
        "coverage": True, "fallback": False, "partitions": False,
    }  # fmt: skip
    told = "1 operator stays on the CPU, this run allows none; 2 NPU partitions, this run allows 1; "
    assert run.explain(model).startswith(told)
    assert not Report("0", (model,)).gates(model)


def graph(operators: Sequence[tuple[str, str]], outputs: str) -> Model:
    """Return operators of equal shapes, each given as the letters of its operands and its output; x is the input."""
    builder = ModelBuilder()
    main = builder.subgraph()
    names = "x" + "".join(result for _, result in operators)
    tensors = {name: main.tensor(name, (1, 4, 4, 8), "int8", qparams(0.5)) for name in names}
    kinds = {"npu": {1: "TANH", 2: "ADD"}, "cpu": {1: "SQRT", 2: "FLOOR_DIV"}}
    for operands, result in operators:
        kind = kinds["cpu" if result.isupper() else "npu"][len(operands)]
        main.add(kind, [tensors[o] for o in operands], [tensors[result]])
    main.inputs(tensors["x"])
    main.outputs(*(tensors[o] for o in outputs))
    return builder.finish()


#: Graphs as `graph` reads them, with a capital letter for outputs of the CPU; order of operators, and number of
#: partitions.
ORDERS: dict[str, tuple[list[tuple[str, str]], str, str, int]] = {
    "a chain": ([("x", "a"), ("a", "B"), ("B", "c"), ("c", "d")], "d", "aBcd", 2),
    "the CPU alone": ([("x", "A")], "A", "A", 0),
    "the last operand first": ([("x", "a"), ("x", "b"), ("ab", "c")], "c", "bac", 1),
    "the last output first": ([("x", "a"), ("x", "b")], "ab", "ba", 1),
    "what needs only inputs comes first": ([("x", "a"), ("x", "B"), ("B", "C"), ("aC", "d")], "d", "BCad", 1),
    "what makes only outputs comes last": ([("x", "a"), ("a", "B"), ("a", "c")], "cB", "aBc", 1),
    "an output that is read stays": ([("x", "a"), ("a", "B"), ("B", "c")], "cB", "aBc", 2),
    "as late as its reader": ([("x", "a"), ("a", "B"), ("a", "c"), ("cB", "d")], "d", "aBcd", 2),
    "beside the CPU's next": (
        [("x", "a"), ("a", "B"), ("a", "c"), ("c", "D"), ("DB", "e")],
        "e",
        "aBcDe",
        2,
    ),
    "a reader between keeps two apart": (
        [("x", "a"), ("a", "B"), ("B", "c"), ("c", "D"), ("DB", "e")],
        "e",
        "aBcDe",
        3,
    ),
    "what no output needs does not run": ([("x", "a"), ("a", "B"), ("B", "c")], "a", "a", 1),
    "no outputs": ([("x", "a")], "", "", 0),
}


@pytest.mark.parametrize(("operators", "outputs", "order", "count"), ORDERS.values(), ids=ORDERS)
def test_partitions_are_counted_in_the_compilers_order(
    operators: list[tuple[str, str]], outputs: str, order: str, count: int
) -> None:
    model = graph(operators, outputs)
    main = model.subgraphs[0]
    assert "".join(main.tensors[op.outputs[0]].name for op in schedule_operators(graph_of(main))) == order
    assert place_model(model, U55)[0].partitions == count


def test_partitions_do_not_depend_on_the_order_of_the_file() -> None:
    """Both files contain the same graph. Counting in the order of the second file would give three partitions."""
    first, second = "a c B d".split(), "a B c d".split()
    made = {"a": ("x", "a"), "B": ("a", "B"), "c": ("a", "c"), "d": ("cB", "d")}
    for order in (first, second):
        assert place_model(graph([made[name] for name in order], "d"), U55)[0].partitions == 2


def test_partitions_of_a_long_model_take_one_pass() -> None:
    """Moving each CPU operator past those of the NPU, one at a time, would take hundreds of millions of steps."""
    builder = ModelBuilder()
    main = builder.subgraph()
    half = 20_000
    x, *tensors = [main.tensor("t", (1,), "int8", qparams(0.5)) for _ in range(2 * half + 1)]
    main.add("TANH", [x], [tensors[0]])
    for n in range(1, 2 * half):
        before = tensors[0] if n == half else tensors[n - 1]
        main.add("SQRT" if n < half else "TANH", [before], [tensors[n]])
    main.inputs(x)
    y = main.tensor("y", (1,), "int8", qparams(0.5))
    main.add("ADD", [tensors[-1], tensors[half - 1]], [y])
    main.outputs(y)
    subgraph = builder.finish().subgraphs[0]
    places: list[Place] = ["cpu" if op.opcode == "SQRT" else "npu" for op in subgraph.operators]
    assert count_partitions(graph_of(subgraph), places)[0] == 2


def test_products_are_counted_by_their_outputs() -> None:
    main = convolution(1).subgraphs[0]
    assert count_macs(main, main.operators[0]) == 8 * 8 * 5 * 3 * 3 * 3
    assert place_model(convolution(1), U55)[0].share == 1.0
    assert place_model(convolution(6), U55)[0].share == 0.0


def test_peak_memory_is_that_of_two_tensors() -> None:
    assert peak_live_bytes(chain("TANH", "TANH", "TANH").subgraphs[0]) == 2 * 4 * 4 * 8


def test_a_fallback_fails_only_with_its_gate() -> None:
    report = validate(chain("TANH", "SQRT", "TANH", scale=1 / 128), [U55])
    assert [op.opcode for op in report.targets[0].operators if op.place == "cpu"] == ["SQRT"]
    assert Report("0", (report,)).exit_code == 0
    assert Report("0", (report,), fail_on_fallback=True).exit_code == 1
    assert Report("0", (report,), max_partitions=1).exit_code == 1
    assert Report("0", (report,), max_partitions=2).exit_code == 0


def test_a_model_that_the_compiler_refuses_violates() -> None:
    assert Report("0", (validate(chain("TANH", dtype="bool"), [U55]),)).exit_code == 1
