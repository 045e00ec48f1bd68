"""Schemes of recipes in new models: types, granularity, packed bytes, scales of blocks, and DEQUANTIZE of constants."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from litecheck import convert_model
from litecheck.conversion.convert_float import replay
from litecheck.conversion.plan_file import plan_json, read_plan
from litecheck.conversion.recipe import OperatorScheme
from litecheck.conversion.record import ConversionRecord
from litecheck.errors import InputError, ModelError
from litecheck.model.build import ModelBuilder
from litecheck.model.edit import with_subgraphs
from litecheck.model.load import model_from
from litecheck.model.save import model_bytes
from litecheck.model.stored_values import stored_integers
from litecheck.model.types import Model, Tensor
from litecheck.quantization import Blockwise
from tests.conversion.scheme_models import convolution, matrix, recipe, table

MODELS = {"matrix": matrix(), "convolution": convolution(), "table": table()}


def made(model: Model, scheme: OperatorScheme) -> ConversionRecord:
    random = 4 if scheme.to in ("int8", "int16x8") else None
    return convert_model(model, recipe=recipe(scheme), random=random, device="litecheck", agreement=False)


def weight(record: ConversionRecord) -> tuple[Tensor, tuple[Tensor, ...]]:
    tensors = record.conversion.model.subgraphs[0].tensors
    return next(t for t in tensors if t.name == "w"), tensors


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("to", ["dynamic", "weight-only"])
@pytest.mark.parametrize(("dtype", "bits", "largest"), [("int8", 8, 127), ("int4", 4, 7)])
@pytest.mark.parametrize("granularity", ["per-tensor", "per-axis"])
def test_weights(name: str, to: str, dtype: str, bits: int, largest: int, granularity: str) -> None:
    record = made(MODELS[name], OperatorScheme(to, dtype, granularity))
    assert record.verdict == "conforms"
    stored, _ = weight(record)
    real = stored_integers(MODELS[name].subgraphs[0].tensors[_index(MODELS[name])])
    values = stored_integers(stored)
    assert real is not None
    assert values is not None
    assert stored.data is not None
    assert (stored.dtype, len(stored.data)) == (dtype, real.size * bits // 8)
    assert np.abs(values).max() == largest
    scale = stored.quantization.scale
    assert scale.size == (1 if granularity == "per-tensor" else real.shape[0])
    wide = scale.reshape(-1, *[1] * (real.ndim - 1))
    assert np.abs(values * wide - real).max() <= scale.max() * 0.5001


def _index(model: Model) -> int:
    return next(t.index for t in model.subgraphs[0].tensors if t.name == "w")


@pytest.mark.parametrize("name", ["matrix", "table"])
def test_blocks(name: str) -> None:
    record = made(MODELS[name], OperatorScheme("dynamic", "int4", "blockwise", 32))
    assert record.verdict == "conforms"
    stored, tensors = weight(record)
    details = stored.quantization.details
    assert isinstance(details, Blockwise)
    scales, values = stored_integers(tensors[details.scales]), stored_integers(stored)
    real = stored_integers(MODELS[name].subgraphs[0].tensors[_index(MODELS[name])])
    assert scales is not None
    assert values is not None
    assert real is not None
    assert (scales.dtype, scales.shape) == (np.float16, (real.shape[0], 2))
    back = values.reshape(-1, 32) * scales.reshape(-1, 1).astype(np.float32)
    assert np.abs(back - real.reshape(-1, 32)).max() < scales.max() * 0.53
    again = replay(
        record.conversion.source, read_plan(plan_json(record.conversion.plan), "p"), record.conversion.request
    )
    assert model_bytes(again.model) == model_bytes(record.conversion.model)


@pytest.mark.parametrize(
    ("name", "scheme", "operators"),
    [
        ("matrix", OperatorScheme("weight-only", "int4"), ["DEQUANTIZE", "FULLY_CONNECTED"]),
        ("matrix", OperatorScheme("float16"), ["DEQUANTIZE", "DEQUANTIZE", "FULLY_CONNECTED"]),
        ("table", OperatorScheme("weight-only", "int4"), ["EMBEDDING_LOOKUP"]),
        ("matrix", OperatorScheme("int8", "int4"), ["QUANTIZE", "FULLY_CONNECTED", "DEQUANTIZE"]),
        ("matrix", OperatorScheme("int16x8", "int4"), ["QUANTIZE", "FULLY_CONNECTED", "DEQUANTIZE"]),
    ],
)
def test_operators(name: str, scheme: OperatorScheme, operators: list[str]) -> None:
    record = made(MODELS[name], scheme)
    assert record.verdict == "conforms"
    assert [op.opcode for op in record.conversion.model.subgraphs[0].operators] == operators
    stored, _ = weight(record)
    assert stored.dtype == (scheme.weights or "float16")
    plan = read_plan(plan_json(record.conversion.plan), "p")
    again = replay(record.conversion.source, plan, record.conversion.request)
    assert model_bytes(again.model) == model_bytes(record.conversion.model)


@pytest.mark.parametrize(
    ("model", "scheme", "why"),
    [
        (convolution(), OperatorScheme("dynamic", "int4", "blockwise", 32), "its weight is not blockwise"),
        (matrix(12, 48), OperatorScheme("dynamic", "int4", "blockwise", 32), "rows of 48 values, no multiple of 32"),
        (matrix(3), OperatorScheme("dynamic", "int4", "blockwise", 32), "block_rows"),
        (matrix(activation=1), OperatorScheme("dynamic", "int4", "blockwise", 32), "block_activation"),
        (matrix(), OperatorScheme("weight-only", "int4", "blockwise", 32), "DEQUANTIZE has no blockwise kernel"),
        (matrix(), OperatorScheme("int8", "int8", "per-tensor"), "its weight is not per-tensor"),
        (matrix(), OperatorScheme("dynamic", "int8", min_elements=769), "fewer than 769 elements"),
        (matrix(), OperatorScheme("float16", min_elements=769), "no constants of at least 769 elements"),
    ],
)  # fmt: skip
def test_schemes_that_an_operator_does_not_have(model: Model, scheme: OperatorScheme, why: str) -> None:
    with pytest.raises(InputError, match=why):
        made(model, scheme)


def with_bytes(size: int) -> bytes:
    """Return a model in which 768 int4 weights have this number of bytes."""
    model = made(matrix(), OperatorScheme("dynamic", "int4")).conversion.model
    tensors = [
        replace(t, data=np.zeros(size, np.uint8)) if t.name == "w" else t for t in model.subgraphs[0].tensors
    ]
    return model_bytes(with_subgraphs(model, [replace(model.subgraphs[0], tensors=tuple(tensors))]))


def test_byte_lengths_of_packed_weights() -> None:
    assert not model_from(with_bytes(384), "m").remarks
    for size, what in ((383, "has 383 bytes, shape and type need 384"), (768, "has one byte per value")):
        with pytest.raises(ModelError, match=what):
            model_from(with_bytes(size), "m")


def test_a_product_of_two_activations_has_no_weights() -> None:
    builder = ModelBuilder()
    main = builder.subgraph()
    x, y = (main.tensor(name, (1, 4, 4), "float32") for name in "xy")
    main.add("BATCH_MATMUL", [x, x], [y])
    last = main.tensor("z", (1, 4, 64), "float32")
    weights = main.constant("w", np.ones((1, 4, 64), np.float32))
    main.add("BATCH_MATMUL", [y, weights], [last])
    main.inputs(x)
    main.outputs(last)
    record = convert_model(
        builder.finish(), recipe=recipe(OperatorScheme("dynamic", "int8", min_elements=100))
    )
    (stays,) = record.stays
    assert (stays.opcode, stays.places, stays.reason) == (
        "BATCH_MATMUL",
        ("#0",),
        "it has no constant weights",
    )
