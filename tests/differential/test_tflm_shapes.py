"""Models with wrong outputs on TFLM because of shapes, ranks, options or indices: each is a violation of ``tflm``."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from litecheck.checks.validate import validate
from litecheck.model.build import ModelBuilder
from litecheck.model.save import model_bytes
from litecheck.model.types import Model
from litecheck.profile.load import load_profile
from tests.differential.operator_types.runtimes import Request, Runtimes
from tests.differential.shapes import model_of
from tests.differential.shapes_draws import Draw, Part, out, x
from tests.differential.tflm_ranks import agrees, constant, measure
from tests.differential.tflm_shapes import judged

RNG = np.random.default_rng(0)
FIVE, SIX, SEVEN = (1, 3, 2, 4, 2), (1, 2, 3, 2, 2, 2), (1, 2, 1, 3, 2, 2, 2)
IMAGE = (1, 4, 4, 2)
CONV = {"padding": "VALID", "stride_w": 1, "stride_h": 1, "dilation_w_factor": 1, "dilation_h_factor": 1}
MASKS = {f"{name}_mask": 0 for name in ("begin", "end", "ellipsis", "new_axis", "shrink_axis")}


def data(shape: tuple[int, ...]) -> Part:
    return x(RNG, shape, "float32")


def weight(*shape: int) -> Part:
    return x(RNG, shape, "float32", True)


def drawn(opcode: str, *parts: Part, many: int = 1, **options: object) -> Draw:
    return Draw(opcode, parts, (out("float32"),) * many, dict(options))


def depthwise(multiplier: int) -> Draw:
    options = {**CONV, "depth_multiplier": multiplier}
    return drawn("DEPTHWISE_CONV_2D", data(IMAGE), weight(1, 1, 1, 2), weight(2), **options)


def conv(**options: int) -> Draw:
    return drawn("CONV_2D", data(IMAGE), weight(2, 1, 1, 2), weight(2), **{**CONV, **options})


def resized(size: tuple[int, int], **options: bool) -> Draw:
    return drawn("RESIZE_BILINEAR", data(IMAGE), constant(size), **options)


def sliced(shape: tuple[int, ...], stride: int = 1) -> Draw:
    begin, end = constant([0] * len(shape)), constant(shape)
    return drawn(
        "STRIDED_SLICE", data(shape), begin, end, constant([stride, *[1] * (len(shape) - 1)]), **MASKS
    )


#: Path of the violation, operator, shapes of the outputs in the file.
CASES: dict[str, tuple[str, Draw, list[tuple[int, ...]]]] = {
    "STRIDED_SLICE of rank 5": ("STRIDED_SLICE/limits/input.rank", sliced(FIVE), [FIVE]),
    "TRANSPOSE of rank 6": (
        "TRANSPOSE/limits/input.rank", drawn("TRANSPOSE", data(SIX), constant([0, 1, 3, 2, 4, 5])), [(1, 2, 2, 3, 2, 2)]
    ),
    "REVERSE_V2 of rank 7": (
        "REVERSE_V2/limits/input.rank", drawn("REVERSE_V2", data(SEVEN), constant([1])), [SEVEN]
    ),
    "CONCATENATION of rank 7": (
        "CONCATENATION/limits/values.rank", drawn("CONCATENATION", data(SEVEN), data(SEVEN), axis=0), [(2, *SEVEN[1:])]
    ),
    "CONCATENATION of 11 inputs": (
        "CONCATENATION/limits/listed_inputs", drawn("CONCATENATION", *[data(IMAGE) for _ in range(11)], axis=0),
        [(11 * IMAGE[0], *IMAGE[1:])],
    ),
    "L2_NORMALIZATION of rank 5": (
        "L2_NORMALIZATION/limits/input.rank", drawn("L2_NORMALIZATION", data(FIVE)), [FIVE]
    ),
    "PRELU of rank 5": ("PRELU/limits/input.rank", drawn("PRELU", data(FIVE), weight(*FIVE[1:])), [FIVE]),
    "RESIZE_BILINEAR to 0": ("RESIZE_BILINEAR/shapes", resized((0, 8)), [(1, 8, 8, 2)]),
    "RESIZE_BILINEAR beyond the file": ("RESIZE_BILINEAR/shapes", resized((9, 8)), [(1, 8, 8, 2)]),
    "half_pixel_centers with align_corners": (
        "RESIZE_BILINEAR/shapes", resized((8, 8), half_pixel_centers=True, align_corners=True), [(1, 8, 8, 2)]
    ),
    "DEPTHWISE_CONV_2D of rank 5": (
        "DEPTHWISE_CONV_2D/shapes",
        drawn("DEPTHWISE_CONV_2D", data((1, *IMAGE)), weight(1, 1, 1, 2), weight(2), depth_multiplier=1, **CONV),
        [IMAGE],
    ),
    **{f"depth_multiplier {n}": ("DEPTHWISE_CONV_2D/limits/multiplied_channel_gap", depthwise(n), [IMAGE])
       for n in (0, -1, 2, 7)},
    "stride 0": ("CONV_2D/shapes", conv(stride_w=0), [IMAGE]),
    "dilation 0": ("CONV_2D/shapes", conv(dilation_h_factor=0), [IMAGE]),
    "CONCATENATION along axis 9": (
        "CONCATENATION/shapes", drawn("CONCATENATION", data(IMAGE), data(IMAGE), axis=9), [(1, 4, 4, 4)]
    ),
    "SPLIT along axis 9": (
        "SPLIT/shapes", drawn("SPLIT", constant(9), data(IMAGE), many=2, num_splits=2), [(1, 4, 4, 1)] * 2
    ),
    "GATHER along axis 7": ("GATHER/shapes", drawn("GATHER", data(IMAGE), constant([0, 1]), axis=7), [(1, 4, 4, 2)]),
    "STRIDED_SLICE with stride 0": ("STRIDED_SLICE/shapes", sliced((4, 3), 0), [(4, 3)]),
    "SPACE_TO_BATCH_ND with block 0": (
        "SPACE_TO_BATCH_ND/shapes",
        drawn("SPACE_TO_BATCH_ND", data(IMAGE), constant([0, 2]), constant([[0, 0], [0, 0]])), [(4, 2, 2, 2)],
    ),
    "UNPACK along axis 9": ("UNPACK/shapes", drawn("UNPACK", data((2, 3)), many=2, axis=9, num=2), [(3,)] * 2),
    "PRELU with alpha of another shape": ("PRELU/shapes", drawn("PRELU", data(IMAGE), weight(3)), [IMAGE]),
    "fused TANH": (
        "ADD/limits/fused_activation", drawn("ADD", data(IMAGE), data(IMAGE), fused_activation_function="TANH"), [IMAGE]
    ),
    "an output without elements": ("ADD/shapes", drawn("ADD", data((2, 0)), data((2, 0))), [(2, 0)]),
}  # fmt: skip


def violations(model: Model) -> list[str]:
    findings = validate(model, [load_profile("tflm")]).findings
    return [f.path for f in findings if f.level == "violation" and not f.waiver]


def cut(signature: tuple[int, ...] | None) -> Model:
    """Return a SLICE with a computed size, stored with shape (1, 3), as in the loop of a converted LSTM."""
    builder = ModelBuilder("slice")
    graph = builder.subgraph("main")
    given, size = graph.tensor("x", (4, 3), "float32"), graph.tensor("size", (2,), "int32")
    result = graph.tensor("y", (1, 3), "float32", shape_signature=signature)
    graph.add("SLICE", [given, graph.constant("begin", np.zeros(2, np.int32)), size], [result])
    graph.inputs(given, size)
    graph.outputs(result)
    return builder.finish()


def batched() -> Model:
    """Return a RELU with batch -1 that the file stores as 1, as in converted Keras models."""
    builder = ModelBuilder("batch")
    graph = builder.subgraph("main")
    given, result = (graph.tensor(name, (1, 3), "float32", shape_signature=(-1, 3)) for name in "xy")
    graph.add("RELU", [given], [result])
    graph.inputs(given)
    graph.outputs(result)
    return builder.finish()


def recursive() -> Model:
    """Return an IF that calls its own subgraph."""
    builder = ModelBuilder("if")
    graph = builder.subgraph("main")
    condition, given = graph.tensor("c", (1,), "bool"), graph.tensor("x", (3,), "float32")
    result = graph.tensor("y", (3,), "float32")
    graph.add("IF", [condition, given], [result], then_subgraph_index=0, else_subgraph_index=0)
    graph.inputs(condition, given)
    graph.outputs(result)
    return builder.finish()


@pytest.mark.parametrize("name", CASES)
def test_the_violation_is_found(name: str) -> None:
    path, draw, stated = CASES[name]
    assert violations(model_of(draw, stated)) == [path]


def test_shapes_known_only_at_run_time_are_violations() -> None:
    assert violations(cut((-1, 3))) == ["SLICE/shapes"]
    assert violations(cut(None)) == []
    assert violations(batched()) == []
    assert "IF/limits/recursion" in violations(recursive())


@pytest.fixture(scope="module")
def runtimes() -> Iterator[Runtimes]:
    pytest.importorskip("tflite_micro", reason="needs tflite_micro")
    pytest.importorskip("ai_edge_litert", reason="needs ai-edge-litert")
    with Runtimes(1) as started:
        yield started


def test_tflm_gives_wrong_outputs(runtimes: Runtimes) -> None:
    requests = [
        Request(
            model_bytes(model_of(draw, stated)),
            tuple(p.values for p in draw.parts if p is not None and not p.constant),
            ("tflm", "optimized"),
        )
        for _, draw, stated in CASES.values()
    ]
    ran = runtimes.run(requests)
    wrong = [name for name, one in zip(CASES, ran, strict=True) if agrees(one["tflm"], one["optimized"])]
    # LiteRT ignores a fused TANH as well.
    assert wrong == ["fused TANH"]


@pytest.mark.parametrize("opcode", ["TRANSPOSE", "STRIDED_SLICE", "ADD", "PRELU"])
def test_ranks_of_the_profile_are_those_of_tflm(runtimes: Runtimes, opcode: str) -> None:
    measured = list(measure(runtimes, opcode))
    assert {m.supported for m in measured} >= ({True} if opcode == "ADD" else {True, False})
    assert [m for m in measured if m.verdict] == []


@pytest.mark.parametrize("opcode", ["PAD", "GATHER", "SPLIT_V"])
def test_verdicts_of_random_models_agree_with_tflm(runtimes: Runtimes, opcode: str) -> None:
    found = list(judged(runtimes, opcode, 24, 1))
    assert {one.kind for one in found} >= {"conforms and runs"}
    assert [str(one) for one in found if one.kind in ("silent", "false")] == []
