"""Dead operators, also those that compute a shape for an NPU operator; dynamic batches and dynamic dimensions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from litecheck.model.build import ModelBuilder, qparams
from litecheck.model.load import model_from
from litecheck.model.save import model_bytes
from litecheck.model.types import Model
from litecheck.profile.load import load_profile
from litecheck.targets.ethos_u.placement import place_model

TARGETS = [load_profile(name) for name in ("ethos-u55", "ethos-u85")]
Q = qparams(0.5)


def flattened(scale: float = 0.5, read: bool = False) -> Model:
    """Return a RESHAPE to a shape computed from its input's shape; with a different output scale the compiler's
    reader rejects it."""
    builder = ModelBuilder()
    main = builder.subgraph()
    x = main.tensor("x", (1, 4, 4, 4), "int8", Q, shape_signature=(-1, 4, 4, 4))
    shape, batch, sizes = (main.tensor(f"s{n}", s, "int32") for n, s in enumerate(((4,), (), (2,))))
    y = main.tensor("y", (1, 64), "int8", qparams(scale), shape_signature=(-1, 64))
    zero, one = (main.constant(f"c{n}", np.array([n], np.int32)) for n in range(2))
    rest = main.constant("rest", np.array(64, np.int32))
    main.add("SHAPE", [x], [shape])
    main.add("STRIDED_SLICE", [shape, zero, one, one], [batch], shrink_axis_mask=1)
    main.add("PACK", [batch, rest], [sizes], values_count=2)
    main.add("RESHAPE", [x, sizes], [y])
    main.inputs(x)
    main.outputs(y, *([sizes] if read else []))
    return builder.finish()


def idle(opcode: str, dtype: str = "float32") -> Model:
    """Return a TANH, and an operator with an output that no operator reads."""
    builder = ModelBuilder()
    main = builder.subgraph()
    x, y = (main.tensor(name, (1, 4), "int8", Q) for name in "xy")
    a, b = (main.tensor(name, (1, 4), dtype) for name in "ab")
    main.add("TANH", [x], [y])
    main.add(
        opcode,
        [a],
        [b],
        **({"fused_activation_function": "SIGN_BIT"} if opcode == "L2_NORMALIZATION" else {}),
    )
    main.inputs(x, a)
    main.outputs(y)
    return builder.finish()


@pytest.mark.parametrize("target", TARGETS, ids=lambda p: p.name)
@pytest.mark.parametrize(
    ("model", "places", "partitions", "paths"),
    [
        (flattened(), ["npu"] * 4, 1, 0),
        (flattened(0.25), ["cpu", "cpu", "cpu", "refused"], 0, None),
        (flattened(read=True), ["cpu", "cpu", "cpu", "npu"], 1, None),
        (idle("CEIL"), ["npu", "npu"], 1, 0),
        (idle("L2_NORMALIZATION"), ["npu", "npu"], 1, 0),
        (idle("GELU", "bool"), ["npu", "npu"], 1, 0),
    ],
    ids=["shape", "refused reshape", "shape read", "idle", "idle and fused", "idle truth values"],
)
def test_unneeded_operators_are_optimized_out(
    target: Any, model: Model, places: list[str], partitions: int, paths: int | None
) -> None:
    report, found = place_model(model, target)
    if target.name == "ethos-u85" and places[0] == "cpu":  # which packs int32
        places = [
            p if op.opcode != "PACK" else report.operators[2].place
            for p, op in zip(places, report.operators, strict=True)
        ]
    assert [op.place for op in report.operators] == places
    assert paths is None or (len(found) == paths and report.partitions == partitions)
    assert report.optimized_out == sum(op.partition is None and op.place == "npu" for op in report.operators)


def opened(
    opcode: str, source: Any, result: Any, signatures: Sequence[Any] = (None, None), **options: Any
) -> Model:
    builder = ModelBuilder()
    main = builder.subgraph()
    x, y = (
        main.tensor(name, shape or (), "int8", Q, shape_signature=signature, shapeless=shape is None)
        for name, shape, signature in zip("xy", (source, result), signatures, strict=True)
    )
    main.add(opcode, [x], [y], **options)
    main.inputs(x)
    main.outputs(y)
    return model_from(model_bytes(builder.finish()), "opened")


@pytest.mark.parametrize("target", TARGETS, ids=lambda p: p.name)
@pytest.mark.parametrize(
    ("model", "place"),
    [
        (opened("TANH", (1, 4), (1, 4), ((-1, 4), (-1, 4))), "npu"),
        (opened("TANH", (1, 4), (1, 4), ((1, -1), None)), "cpu"),
        (opened("TANH", (1, 4), (1, 4), (None, (1, -1))), "cpu"),
        (opened("SQUEEZE", (1, 4), (5,), ((1, -1), None)), "cpu"),
        (opened("SQUEEZE", (1, 4), (5,), (None, (-1,))), "npu"),
        (opened("CONCATENATION", (1, 4), (1, 5), ((1, 4), (1, -1)), axis=1), "cpu"),
        (opened("SQUEEZE", (), (1,)), "cpu"),
        (opened("SQUEEZE", None, None), "cpu"),
        (opened("EXP", (), ()), "cpu"),
        (opened("ELU", (4,), (4,), ((-1,), None)), "cpu"),
    ],
)
def test_open_dimensions_and_none_at_all(target: Any, model: Model, place: str) -> None:
    """Places as Vela states them. Behind an open batch, Vela gives ELU a different output shape than its input shape."""
    assert [op.place for op in place_model(model, target)[0].operators] == [place]


def test_a_saved_file_keeps_missing_dimensions() -> None:
    first, last = opened("EXP", None, ()).subgraphs[0].tensors
    assert (first.shape, first.shapeless, last.shape, last.shapeless) == ((), True, (), False)
