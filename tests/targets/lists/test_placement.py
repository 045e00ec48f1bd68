"""Placement by a list of operators: partitions are runs of NPU operators, numbered over all subgraphs."""

from __future__ import annotations

from litecheck.model.build import ModelBuilder, SubgraphBuilder, qparams
from litecheck.profile.load import load_profile
from litecheck.targets.lists.placement import place_model

#: RELU6 is on the list of the target, SQUARE is not.
ON, OFF = "RELU6", "SQUARE"


def chain(graph: SubgraphBuilder, *opcodes: str) -> None:
    """Add a chain of operators on 300 bytes each."""
    last = graph.tensor("x", (1, 10, 10, 3), "int8", qparams(0.5))
    graph.inputs(last)
    for number, opcode in enumerate(opcodes):
        y = graph.tensor(f"y{number}", (1, 10, 10, 3), "int8", qparams(0.5))
        graph.add(opcode, [last], [y])
        last = y
    graph.outputs(last)


def test_partitions() -> None:
    builder = ModelBuilder()
    chain(builder.subgraph("one"), ON, ON, OFF, ON, OFF, OFF)
    chain(builder.subgraph("two"), ON, OFF, ON, ON)
    chain(builder.subgraph("three"), OFF)
    profile = load_profile("artpec-9")
    report, findings = place_model(builder.finish(), profile)
    found = [(one.subgraph, one.index, one.opcode, one.place, one.partition) for one in report.operators]
    assert found == [
        (0, 0, ON, "npu", 1), (0, 1, ON, "npu", 1), (0, 2, OFF, "cpu", None), (0, 3, ON, "npu", 2),
        (0, 4, OFF, "cpu", None), (0, 5, OFF, "cpu", None),
        (1, 0, ON, "npu", 3), (1, 1, OFF, "cpu", None), (1, 2, ON, "npu", 4), (1, 3, ON, "npu", 4),
        (2, 0, OFF, "cpu", None),
    ]  # fmt: skip
    assert (report.target, report.partitions, report.live) == ("artpec-9", 4, 600)
    assert {f.path.partition("/")[0] for f in findings} == {OFF}


def test_a_model_without_operators() -> None:
    builder = ModelBuilder()
    chain(builder.subgraph("empty"))
    report, findings = place_model(builder.finish(), load_profile("artpec-9"))
    assert (report.operators, report.partitions, findings) == ((), 0, [])
