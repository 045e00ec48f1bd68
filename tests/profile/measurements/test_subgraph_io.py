"""Measurements of subgraph inputs and outputs, computed by hand, and variables of one name in any subgraph."""

from __future__ import annotations

import gc
import sys
import weakref
from types import FrameType
from typing import Any

import pytest

from litecheck.flatbuffer.table import Table
from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.links import links_of
from litecheck.model.types import Model, Operator, Subgraph
from litecheck.profile.measurements.measured_operator import Measured, Operands
from litecheck.profile.measurements.registry import measurement
from litecheck.quantization import Quantization
from tests.differential.silent_faults import faults

Q, OTHER = qparams(0.5, 3), qparams(0.25, 3)


def measured(name: str, model: Model, graph: Subgraph, op: Operator) -> Measured:
    ins, outs = ([graph.tensors[i] for i in side] for side in (op.inputs, op.outputs))
    if op.opcode == "READ_VARIABLE":
        roles = {"resource": tuple(ins), "output": tuple(outs)}
    else:
        first = 1 if op.opcode in ("IF", "STABLEHLO_CASE") else 0
        roles = {"steering": tuple(ins[:first]), "operands": tuple(ins[first:]), "results": tuple(outs)}
    return measurement(name)(Operands(op, roles, graph, model))


def variables(
    read: Quantization, *assigned: tuple[str, str, str, Quantization, str, tuple[int, ...]]
) -> tuple[Model, Subgraph, Operator]:
    """Return a read of 'v' in main, and assignments: (main or other), container, name, parameters, type, shape."""
    builder = ModelBuilder("variables")
    graphs = {"main": builder.subgraph("main"), "other": builder.subgraph("other")}
    main = graphs["main"]
    handle, y = main.tensor("handle", (1,), "resource"), main.tensor("y", (4,), "int8", read)
    main.add("VAR_HANDLE", [], [handle], shared_name="v", container="")
    main.add("READ_VARIABLE", [handle], [y])
    for where, container, name, q, dtype, shape in assigned:
        graph = graphs[where]
        handle, value = graph.tensor("handle", (1,), "resource"), graph.tensor("value", shape, dtype, q)
        graph.add("VAR_HANDLE", [], [handle], shared_name=name, container=container)
        graph.add("ASSIGN_VARIABLE", [handle, value], [])
    model = builder.finish()
    return model, model.subgraphs[0], model.subgraphs[0].operators[1]


SAME = ("main", "", "v", Q, "int8", (4,))


@pytest.mark.parametrize(
    ("assigned", "wanted"),
    [
        ([], (0, 0, 0, 0)),
        ([SAME], (0, 0, 0, 1)),
        ([SAME, ("other", "", "v", OTHER, "int8", (4,))], (1, 0, 0, 2)),
        ([SAME, ("other", "", "w", OTHER, "int8", (4,))], (0, 0, 0, 1)),
        ([SAME, ("other", "c", "v", OTHER, "int8", (4,))], (0, 0, 0, 1)),
        ([("other", "", "v", Quantization(), "int8", (4,))], (0, 0, 0, 1)),
        ([SAME, ("main", "", "v", Q, "uint8", (2, 2))], (0, 1, 0, 2)),
        ([SAME, ("main", "", "v", Q, "int8", (3,))], (0, 0, 1, 2)),
        ([SAME, ("main", "", "v", Q, "int8", (5,))], (0, 0, 0, 2)),
    ],
)
def test_variables_by_name(assigned: list, wanted: tuple[int, ...]) -> None:
    names = ("variable_mismatches", "variable_types", "shorter_assignments", "assignments")
    at = variables(Q, *assigned)
    assert tuple(measured(name, *at) for name in names) == wanted


def test_a_variable_without_parameters_has_no_mismatch() -> None:
    assert measured("variable_mismatches", *variables(Quantization(), SAME)) == 0


def test_a_handle_of_another_operator_is_unknown() -> None:
    model, main, read = variables(Q, SAME)
    far = Operator(read.index, read.opcode, read.outputs, read.outputs)
    assert measured("assignments", model, main, far) is None
    assert (
        measured("variable_mismatches", model, main, Operator(0, "READ_VARIABLE", (), read.outputs)) is None
    )


def test_the_work_is_linear_in_the_number_of_variables() -> None:
    """Ten times the variables need about ten times the steps, not the square."""

    def steps(count: int) -> int:
        builder = ModelBuilder("many")
        main = builder.subgraph("main")
        for n in range(count):
            handle, x = main.tensor("handle", (1,), "resource"), main.tensor("x", (4,), "int8", Q)
            y = main.tensor("y", (4,), "int8", Q)
            main.add("VAR_HANDLE", [], [handle], shared_name=f"v{n % 7}")
            main.add("ASSIGN_VARIABLE", [handle, x], [])
            main.add("READ_VARIABLE", [handle], [y])
        model = builder.finish()
        graph = model.subgraphs[0]
        reads = [op for op in graph.operators if op.opcode == "READ_VARIABLE"]
        taken = 0

        def count_lines(frame: FrameType, event: str, argument: object) -> Any:
            nonlocal taken
            taken += event == "line"
            return count_lines

        before = sys.gettrace()
        sys.settrace(count_lines)
        try:
            found = {measured("variable_mismatches", model, graph, op) for op in reads}
        finally:
            sys.settrace(before)
        assert found == {0}
        return taken

    steps(50)
    assert steps(2000) < 20 * steps(200)


def test_links_go_with_their_model() -> None:
    model = variables(Q, SAME)[0]
    gone = weakref.ref(model)
    assert links_of(model) is links_of(model)
    del model
    gc.collect()
    assert gone() is None


@pytest.mark.parametrize(
    ("fault", "name", "wanted"),
    [
        ("STABLEHLO_CASE operands", "arity_mismatches", 2),
        ("WHILE two conditions", "arity_mismatches", 1),
        ("IF scale", "boundary_mismatches", 2),
        ("IF type", "boundary_types", 4),
        ("CASE of two types", "branch_types", 1),
        ("CASE of none", "called_subgraphs", 0),
        ("CASE of no subgraph", "missing_subgraphs", 1),
        ("WHILE of its own", "recursion", "yes"),
        ("WHILE condition type", "condition_type", "int8"),
        ("WHILE condition rank", "condition_rank", 2),
        ("WHILE condition elements", "condition_elements", 2),
        ("composite without attributes", "composite_attributes", "no"),
    ],
)
def test_borders(fault: str, name: str, wanted: int | str) -> None:
    found = next(f for f in faults() if f.name == fault)
    main = found.bad.subgraphs[0]
    assert measured(name, found.bad, main, main.operators[0]) == wanted


def called_once(inputs: int, target: int, back: int | None = None) -> tuple[Model, Subgraph, Operator]:
    builder = ModelBuilder("once")
    main, init = builder.subgraph("main"), builder.subgraph("init")
    given = [main.tensor("x", (1,), "int8", Q) for _ in range(inputs)]
    main.add("CALL_ONCE", given, [], init_subgraph_index=target)
    if back is not None:
        init.add("CALL_ONCE", [], [], init_subgraph_index=back)
    model = builder.finish()
    return model, model.subgraphs[0], model.subgraphs[0].operators[0]


def test_an_initializer_has_no_inputs_and_outputs() -> None:
    def both(at: tuple[Model, Subgraph, Operator]) -> tuple[Measured, Measured]:
        model, graph, op = at
        roles: dict = {"operands": (), "results": ()}
        operands = Operands(op, roles, graph, model)
        return measurement("arity_mismatches")(operands), measurement("recursion")(operands)

    assert both(called_once(0, 1)) == (0, "no")
    assert both(called_once(0, 0)) == (0, "yes")
    assert both(called_once(0, 1, back=0)) == (0, "yes")
    assert both(called_once(0, 1, back=1)) == (0, "no"), "the cycle does not include this call"
    assert both(called_once(0, 7)) == (0, "no")


def test_an_option_left_out_is_subgraph_0() -> None:
    """Defaults are not stored: a loop with the first subgraph as its body stores no body."""
    model, graph, _ = called_once(0, 1)
    unstated = Operator(0, "CALL_ONCE", (), (), options=Table("CallOnceOptions", {}))
    changed = Subgraph(0, "main", graph.tensors, (unstated,), (), ())
    again = Model((changed, *model.subgraphs[1:]))
    assert measurement("recursion")(Operands(unstated, {}, changed, again)) == "yes"


@pytest.mark.parametrize(
    ("inputs", "wanted"), [((0, 1), 0), ((0, -1), 1), ((-1, 1), None), ((0, 1, -1), None)], ids=str
)
def test_absent_inputs_of_a_call(inputs: tuple[int, ...], wanted: int | None) -> None:
    """A call without its condition or with too many inputs is rejected before it passes any."""
    builder = ModelBuilder("call")
    main, called = builder.subgraph("main"), builder.subgraph("called")
    condition, x, y = (
        main.tensor(name, (), dtype) for name, dtype in (("c", "bool"), ("x", "int8"), ("y", "int8"))
    )
    assert (condition, x) == (0, 1)
    main.add("IF", inputs, [y], then_subgraph_index=1, else_subgraph_index=1)
    inner = called.tensor("inner", (), "int8")
    called.inputs(inner)
    called.outputs(inner)
    model = builder.finish()
    graph = model.subgraphs[0]
    at = inputs[:1], inputs[1:]
    first, rest = (tuple(graph.tensors[i] for i in side if i >= 0) for side in at)
    roles = {"condition": first, "operands": rest, "results": (graph.tensors[y],)}
    assert measurement("absent_call_inputs")(Operands(graph.operators[0], roles, graph, model)) == wanted
