"""Variables by their handles, assignments of variables, and calls between subgraphs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from litecheck.model.build import options_table, qparams
from litecheck.model.links import links_of, parameters_of, subgraph_calls, subgraph_options
from litecheck.model.types import Model, Operator, Signature, Subgraph, Tensor
from litecheck.quantization import Quantization

Step = tuple[str, object]


def subgraph(index: int, steps: Sequence[Step]) -> Subgraph:
    """Return a subgraph of steps: ``handle`` (tensor, name), ``assign`` (handle, value), ``read`` handle, ``if`` or
    ``while`` (two subgraphs).

    Tensors 0 to 3 are handles. Tensors 4 to 6 are values of 2, 3 and 4 elements: the first is int16, the last has an
    open dimension.
    """
    half, quarter = qparams(0.5), qparams(0.25)
    tensors = (
        *(Tensor(at, f"h{at}", "resource", ()) for at in range(4)),
        Tensor(4, "a", "int16", (2,), quantization=half), Tensor(5, "b", "int8", (3,), quantization=quarter),
        Tensor(6, "c", "int8", (4,), shape_signature=(-1,)),
    )  # fmt: skip
    operators = tuple(_operator(at, *step) for at, step in enumerate(steps))
    return Subgraph(index, f"s{index}", tensors, operators, (), ())


def _operator(at: int, kind: str, what: object) -> Operator:
    if kind == "handle":
        tensor, name = what  # type: ignore[misc]
        return Operator(
            at,
            "VAR_HANDLE",
            (),
            (tensor,),
            options=options_table("VAR_HANDLE", container="c", shared_name=name),
        )
    if kind == "assign":
        return Operator(at, "ASSIGN_VARIABLE", tuple(what), ())  # type: ignore[arg-type]
    if kind == "read":
        return Operator(at, "READ_VARIABLE", (what,), (4,))  # type: ignore[arg-type]
    first, second = what  # type: ignore[misc]
    fields = {
        "if": ("then_subgraph_index", "else_subgraph_index"),
        "while": ("cond_subgraph_index", "body_subgraph_index"),
    }
    opcode = kind.upper()
    return Operator(
        at,
        opcode,
        (),
        (),
        options=options_table(opcode, **dict(zip(fields[kind], (first, second), strict=True))),
    )


def model(*subgraphs: Sequence[Step], entries: Sequence[int] = ()) -> Model:
    made = tuple(subgraph(at, steps) for at, steps in enumerate(subgraphs))
    return Model(made, signatures=tuple(Signature(f"k{n}", n, (), ()) for n in entries))


A, B = ("c", "A"), ("c", "B")


def test_handles_of_one_name_are_one_variable() -> None:
    links = links_of(model([("handle", (0, "A")), ("handle", (1, "B"))], [("handle", (2, "A"))]))
    assert dict(links.handles) == {(0, 0): A, (0, 1): B, (1, 2): A}


def test_the_first_of_two_handles_in_one_tensor_counts() -> None:
    assert dict(links_of(model([("handle", (0, "A")), ("handle", (0, "B"))])).handles) == {(0, 0): A}


def test_a_handle_without_options_has_no_name() -> None:
    bare = Subgraph(0, "", (Tensor(0, "h", "resource", ()),), (Operator(0, "VAR_HANDLE", (), (0,)),), (), ())
    assert dict(links_of(Model((bare,))).handles) == {(0, 0): ("", "")}


def test_assignments_of_all_subgraphs_are_counted() -> None:
    links = links_of(model(
        [("handle", (0, "A")), ("assign", (0, 4)), ("assign", (0, 5)), ("assign", (1, 4)), ("assign", (0, -1)),
         ("assign", (0,))],
        [("handle", (3, "A")), ("assign", (3, 6)), ("assign", (3, 5))],
    ))  # fmt: skip
    assert list(links.assignments) == [A]
    found = links.assignments[A]
    half, quarter = (parameters_of(Tensor(0, "", "int8", (), quantization=qparams(s))) for s in (0.5, 0.25))
    assert (found.count, dict(found.dtypes), dict(found.sizes)) == (4, {"int16": 1, "int8": 3}, {2: 1, 3: 2})
    assert dict(found.parameters) == {half: 1, quarter: 2}


def test_assignments_of_the_variable_that_is_read() -> None:
    made = model(
        [
            ("handle", (0, "A")),
            ("assign", (0, 4)),
            ("read", 0),
            ("handle", (1, "B")),
            ("read", 1),
            ("read", 2),
        ]
    )
    links, main = links_of(made), made.subgraphs[0]
    known, never, unknown = (main.operators[at] for at in (2, 4, 5))
    read = links.assignments_of(main, known)
    assert read is not None
    assert read.count == 1
    empty = links.assignments_of(main, never)
    assert empty is not None
    assert empty.count == 0
    assert links.assignments_of(main, unknown) is None
    assert links.assignments_of(main, Operator(9, "READ_VARIABLE", (), ())) is None


def test_links_are_found_once() -> None:
    made = model([("handle", (0, "A"))])
    assert links_of(made) is links_of(made)


@pytest.mark.parametrize(
    ("subgraphs", "called_ones", "back"),
    [
        # 0 calls 1 and 2, which have no calls
        ([[("if", (1, 2))], [], []], {1, 2}, set()),
        # 1 calls 1
        ([[("if", (1, 1))], [("if", (1, 1))]], {1}, {(1, 1)}),
        # 0 and 1 call each other, 1 calls 2
        ([[("if", (1, 1))], [("if", (0, 2))], []], {0, 1, 2}, {(0, 1), (1, 0)}),
        # a cycle of three, and a subgraph that calls into it
        ([[("if", (1, 1))], [("if", (2, 2))], [("if", (3, 3))], [("if", (1, 1))]], {1, 2, 3},
         {(a, b) for a in (1, 2, 3) for b in (1, 2, 3) if a != b}),
        # two cycles
        ([[("if", (1, 2))], [("while", (3, 3))], [("while", (4, 4))], [("if", (1, 1))], [("if", (2, 2))]],
         {1, 2, 3, 4}, {(1, 3), (3, 1), (2, 4), (4, 2)}),
        # a call of a missing subgraph
        ([[("if", (7, -1))]], set(), set()),
    ],
)  # fmt: skip
def test_calls(subgraphs: list[list[Step]], called_ones: set[int], back: set[tuple[int, int]]) -> None:
    links, count = links_of(model(*subgraphs)), len(subgraphs)
    assert links.called_subgraphs == called_ones
    assert {(a, b) for a in range(count) for b in range(count) if links.is_recursive_call(a, b)} == back
    assert not links.is_recursive_call(0, count)
    assert not links.is_recursive_call(0, -1)


def test_first_assignments() -> None:
    """An operator of subgraph 0 assigns a variable directly, or calls a subgraph that assigns it at any depth."""
    links = links_of(model(
        [("handle", (0, "A")), ("read", 0), ("if", (1, 2)), ("assign", (0, 4)), ("if", (1, 1)), ("if", (3, 3))],
        [("while", (2, 2))],
        [("handle", (0, "B")), ("assign", (0, 4))],
        [("handle", (0, "D")), ("assign", (0, 4))],
        [("handle", (0, "E")), ("assign", (0, 4))],
    ))  # fmt: skip
    assert dict(links.first_assignments) == {A: 3, B: 2, ("c", "D"): 5}


def test_variables_assigned_by_further_signatures() -> None:
    """Signatures of subgraphs that do not call subgraph 0 can run before it."""
    subgraphs = (
        [("handle", (0, "A")), ("assign", (0, 4)), ("if", (1, 1))],
        [("handle", (0, "B")), ("assign", (0, 4))],
        [("handle", (0, "D")), ("assign", (0, 4)), ("if", (3, 3))],
        [("handle", (0, "E")), ("assign", (0, 4))],
        [("handle", (0, "F")), ("assign", (0, 4)), ("if", (0, 0))],
    )
    names = {entry: links_of(model(*subgraphs, entries=[entry])).elsewhere for entry in range(5)}
    assert names == {0: set(), 1: {B}, 2: {("c", "D"), ("c", "E")}, 3: {("c", "E")}, 4: set()}
    assert links_of(model(*subgraphs)).elsewhere == set()


def test_options_that_name_subgraphs() -> None:
    named = subgraph_options()
    assert named["IfOptions"] == ("then_subgraph_index", "else_subgraph_index")
    assert "AddOptions" not in named
    assert all(named.values())
    assert list(
        subgraph_calls(Operator(0, "IF", (), (), options=options_table("IF", else_subgraph_index=2)))
    ) == [
        ("then_subgraph_index", 0),
        ("else_subgraph_index", 2),
    ]
    assert list(subgraph_calls(Operator(0, "ADD", (), ()))) == []
    branches = options_table("STABLEHLO_CASE", branch_subgraph_indices=np.array([1, 3], np.int32))
    assert list(subgraph_calls(Operator(0, "STABLEHLO_CASE", (), (), options=branches))) == [
        ("branch_subgraph_indices", 1),
        ("branch_subgraph_indices", 3),
    ]


def test_parameters_are_bit_for_bit() -> None:
    same, other = qparams(0.5, 3), qparams(np.nextafter(np.float32(0.5), np.float32(1)), 3)
    tensors = [
        Tensor(0, "", "int8", (), quantization=q) for q in (same, qparams(0.5, 3), other, Quantization())
    ]
    found = [parameters_of(tensor) for tensor in tensors]
    assert found[0] == found[1] != found[2]
    assert found[3] == (b"", b"")


def test_a_model_without_subgraphs() -> None:
    links = links_of(Model(()))
    assert (dict(links.handles), dict(links.first_assignments), links.called_subgraphs) == (
        {},
        {},
        frozenset(),
    )
