"""Where operators run on a target: the effect that decides, all reasons, partitions, shares, and what the user lets pass."""

from __future__ import annotations

import numpy as np
import pytest

from litecheck.checks.placement import partitions, placement
from litecheck.checks.validate import validate
from litecheck.checks.workload import largest_live_set, multiply_accumulates
from litecheck.finding import CPU
from litecheck.model.build import ModelBuilder, quantized
from litecheck.model.types import Model
from litecheck.profile.load import load_profile
from litecheck.report import Report

U55 = load_profile("ethos-u55")


def chain(*opcodes: str, dtype: str = "int8", scale: float = 0.5) -> Model:
    """Operators of one operand, one behind the other."""
    builder = ModelBuilder()
    main = builder.subgraph()
    tensors = [main.tensor(f"t{n}", (1, 4, 4, 8), dtype, quantized(scale)) for n in range(len(opcodes) + 1)]
    for opcode, a, b in zip(opcodes, tensors, tensors[1:], strict=False):
        main.add(opcode, [a], [b])
    main.inputs(tensors[0])
    main.outputs(tensors[-1])
    return builder.finish()


def convolution(stride: int) -> Model:
    builder = ModelBuilder()
    main = builder.subgraph()
    x = main.tensor("x", (1, 8, 8, 3), "int8", quantized(0.5))
    weights = np.ones((5, 3, 3, 3), np.int8)
    w = main.constant("w", weights, quantized(0.25))
    y = main.tensor("y", (1, -(-8 // stride), -(-8 // stride), 5), "int8", quantized(1.0))
    main.add("CONV_2D", [x, w, -1], [y], padding="SAME", stride_w=stride, stride_h=stride, version=3)
    main.inputs(x)
    main.outputs(y)
    return builder.finish()


def places(model: Model) -> list[str]:
    return [op.place for op in placement(model, U55)[0].operators]


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        (chain("TANH", "SQRT", "LOGISTIC"), ["npu", "cpu", "npu"]),
        (chain("TANH", dtype="int32"), ["cpu"]),
        (chain("TANH", dtype="bool"), ["refused"]),
        (chain("TANH", scale=float("inf")), ["refused"]),
        (chain("TANH", scale=2.0**32), ["cpu"]),
        (convolution(3), ["npu"]),
        (convolution(6), ["cpu"]),
    ],
    ids=list("abcdefg"),
)
def test_an_effect_decides(model: Model, expected: list[str]) -> None:
    assert places(model) == expected


def test_every_reason_is_told() -> None:
    _, found = placement(chain("TANH", dtype="int32", scale=2.0**32), U55)
    assert {f.path for f in found} == {"TANH/input/dtype", "TANH/output/dtype", "TANH/limits/huge_scales"}
    assert {(f.effect, f.level) for f in found} == {(CPU, "warning")}


def test_partitions_are_counted_between_the_processors_turns() -> None:
    assert partitions(["npu", "npu", "cpu", "npu"]) == 2
    assert partitions(["cpu"]) == 0
    assert placement(chain("TANH", "SQRT", "TANH", "TANH"), U55)[0].partitions == 2


def test_products_are_counted_by_the_results_they_make() -> None:
    main = convolution(1).subgraphs[0]
    assert multiply_accumulates(main, main.operators[0]) == 8 * 8 * 5 * 3 * 3 * 3
    assert placement(convolution(1), U55)[0].share == 1.0
    assert placement(convolution(6), U55)[0].share == 0.0


def test_the_largest_live_set_is_what_two_tensors_need() -> None:
    assert largest_live_set(chain("TANH", "TANH", "TANH").subgraphs[0]) == 2 * 4 * 4 * 8


def test_a_fallback_fails_only_where_it_is_asked_to() -> None:
    report = validate(chain("TANH", "SQRT", "TANH", scale=1 / 128), [U55])
    assert report.targets[0].fallbacks == {"SQRT": 1}
    assert Report("0", (report,)).exit_code == 0
    assert Report("0", (report,), fail_on_fallback=True).exit_code == 1
    assert Report("0", (report,), max_partitions=1).exit_code == 1
    assert Report("0", (report,), max_partitions=2).exit_code == 0


def test_a_model_that_the_compiler_refuses_violates() -> None:
    assert Report("0", (validate(chain("TANH", dtype="bool"), [U55]),)).exit_code == 1
