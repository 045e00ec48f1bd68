"""Pairs of operators in which the second undoes the first: optimized out or a copy, as observed in Vela 5.2.0."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.types import Model
from litecheck.profile.load import load_profile
from litecheck.targets.ethos_u.graph.inverse_pairs import detach_inverse_pairs
from litecheck.targets.ethos_u.placement import place_model

U85 = load_profile("ethos-u85")
IMAGE, OTHER = (1, 2, 4, 4), (1, 4, 2, 4)
#: By the pair: producer of its input, further readers of the input, and readers of its output: n the NPU, c the CPU,
#: o a model output.
GONE = (
    "TRANSPOSE npu - n", "TRANSPOSE npu - c", "TRANSPOSE npu - o", "TRANSPOSE cpu - n", "TRANSPOSE cpu - co",
    "TRANSPOSE npu o c", "RESHAPE input - n", "RESHAPE input c n", "RESHAPE cpu n n", "RESHAPE npu - c", "RESHAPE npu c o",
    "RESHAPE npu n nc",
)  # fmt: skip
COPIED = (
    "TRANSPOSE input - n", "TRANSPOSE input - c", "TRANSPOSE cpu n n", "TRANSPOSE npu c n", "RESHAPE input - c",
    "RESHAPE input n o", "RESHAPE cpu - c", "RESHAPE cpu - o", "RESHAPE cpu c nc", "RESHAPE npu o c",
)  # fmt: skip


def back(case: str) -> tuple[Model, int]:
    """Return a model with such a pair, and the index of its first operator."""
    opcode, source, beside, takers = case.split()
    builder = ModelBuilder()
    main = builder.subgraph()

    def image(name: str, shape: tuple[int, ...] = IMAGE) -> int:
        return main.tensor(name, shape, "int8", qparams(0.5))

    def read(kind: str, tensor: int) -> None:
        if kind == "o":
            given.append(tensor)
            return
        given.append(image(f"{kind} {tensor}"))
        main.add("CEIL" if kind == "c" else "TANH", [tensor], [given[-1]])

    x, given = image("x"), list[int]()
    read_by_pair = x
    if source != "input":
        read_by_pair = image("made")
        main.add("CEIL" if source == "cpu" else "ABS", [x], [read_by_pair])
    if beside != "-":
        read(beside, read_by_pair)
    order = main.constant("order", np.array((0, 1, 3, 2), np.int32))
    shapes = [main.constant(f"shape {n}", np.array(s, np.int32)) for n, s in enumerate((OTHER, IMAGE))]
    ways = (order, order) if opcode == "TRANSPOSE" else shapes
    between, result = image("between", OTHER if opcode == "RESHAPE" else IMAGE), image("result")
    at = (source != "input") + (beside in ("n", "c"))
    main.add(opcode, [read_by_pair, ways[0]], [between])
    main.add(opcode, [between, ways[1]], [result])
    for kind in takers:
        read(kind, result)
    main.inputs(x)
    main.outputs(*given)
    return builder.finish(), at


PAIRS = {case: back(case)[0] for case in (*GONE, *COPIED)}


@pytest.mark.parametrize("case", PAIRS)
def test_a_pair_is_optimized_out_or_becomes_a_copy(case: str) -> None:
    model, at = back(case)
    subgraph = model.subgraphs[0]
    report = place_model(model, U85)[0]
    left = detach_inverse_pairs(subgraph, [op.place for op in report.operators]).operators
    assert left[at + 1].outputs == ()
    assert (left[at].outputs == ()) == (case in GONE)


def test_a_pair_with_a_read_intermediate_is_kept() -> None:
    """No pair is undone if its intermediate tensor is an output, or if one of the two is on the CPU."""
    model, at = back("RESHAPE npu - n")
    subgraph, places = model.subgraphs[0], ["npu"] * 4
    assert detach_inverse_pairs(subgraph, places) is not subgraph
    assert detach_inverse_pairs(subgraph, ["npu", "npu", "cpu", "npu"]) is subgraph
    between = subgraph.operators[at].outputs
    assert (
        detach_inverse_pairs(replace(subgraph, outputs=(*subgraph.outputs, *between)), places).operators
        == subgraph.operators
    )
