"""Conversion for a target: LiteRT's rules give the parameters, the target's profile the placement of operators."""

from __future__ import annotations

import numpy as np

from litecheck.conversion.convert_float import Conversion, Request, convert, replay
from litecheck.conversion.plan_file import plan_json, read_plan
from litecheck.conversion.rejected_operators import find_rejected_operators
from litecheck.model.build import ModelBuilder
from litecheck.model.save import model_bytes
from litecheck.model.types import Model
from litecheck.placement import Placement, TargetReport
from litecheck.report import ModelReport

SHAPE = (1, 4, 4, 8)
WHOLE = Request(profile="ethos-u55", inputs="int8", outputs="int8")


def chain(*opcodes: str) -> Model:
    """Return a chain of operators with one input each."""
    builder = ModelBuilder()
    graph = builder.subgraph()
    at = first = graph.tensor("x", SHAPE, "float32")
    for n, opcode in enumerate(opcodes):
        result = graph.tensor(f"y{n}", SHAPE, "float32")
        graph.add(opcode, (at,), (result,))
        at = result
    graph.inputs(first)
    graph.outputs(at)
    return builder.finish()


def made(model: Model, request: Request) -> Conversion:
    tensors = range(len(model.subgraphs[0].tensors))
    return convert(model, request, {(0, n): (-1.0, 1.0) for n in tensors})


def places(conversion: Conversion) -> list[str]:
    (target,) = conversion.report.targets
    return [op.place for op in target.operators]


def test_a_plan_has_the_target_and_is_checked_with_litert_too() -> None:
    done = made(chain("TANH", "HARD_SWISH"), WHOLE)
    assert done.plan.profile == "ethos-u55"
    assert done.report.profiles == ("ethos-u55", "litert-runtime")
    assert done.conforms
    assert places(done) == ["npu", "npu"]


def test_parameters_are_those_of_litert() -> None:
    model = chain("TANH", "HARD_SWISH")
    usual = made(model, Request(inputs="int8", outputs="int8"))
    ours = made(model, WHOLE)
    assert [t.quantization.scale.tolist() for t in ours.model.subgraphs[0].tensors] == [
        t.quantization.scale.tolist() for t in usual.model.subgraphs[0].tensors
    ]


def test_operators_that_the_compiler_would_reject_stay_float() -> None:
    """The compiler rejects a model that resizes several images at once. As float operators they stay on the CPU."""
    builder = ModelBuilder()
    graph = builder.subgraph()
    source = graph.tensor("x", (2, 4, 4, 3), "float32")
    middle = graph.tensor("y", (2, 4, 4, 3), "float32")
    result = graph.tensor("z", (2, 8, 8, 3), "float32")
    size = graph.constant("size", np.array([8, 8], np.int32))
    graph.add("TANH", (source,), (middle,))
    graph.add("RESIZE_NEAREST_NEIGHBOR", (middle, size), (result,))
    graph.inputs(source)
    graph.outputs(result)
    model = builder.finish()
    done = made(model, WHOLE)
    assert [d.becomes for d in done.plan.operators] == ["int8", "float32"]
    assert "ethos-u55: RESIZE_NEAREST_NEIGHBOR/limits/resized_batch" in done.plan.operators[1].because
    assert "refused" not in places(done)
    usual = made(model, Request(inputs="int8", outputs="int8"))
    assert [d.becomes for d in usual.plan.operators] == ["int8", "int8"]


def test_a_rejected_operator_is_mapped_to_its_origin() -> None:
    told = TargetReport("npu", (Placement(0, 0, "TANH", "npu"), Placement(0, 1, "ELU", "refused")), 1, 0)
    report = ModelReport("", "", 0, targets=(told,))
    assert find_rejected_operators(report, [-1, 7]) == {7: "npu"}
    assert find_rejected_operators(report, [7, -1]) == {}


def test_a_plan_for_a_target_is_carried_out_again() -> None:
    model = chain("TANH")
    done = made(model, WHOLE)
    again = replay(model, read_plan(plan_json(done.plan), "plan.json"), WHOLE)
    assert model_bytes(again.model) == model_bytes(done.model)
    assert places(again) == ["npu"]
