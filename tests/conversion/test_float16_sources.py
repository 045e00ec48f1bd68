"""Float16 models as sources of a conversion: results are those of the float32 model with the same values."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from litecheck import convert_model
from litecheck.conversion.float16_sources import decode_float16
from litecheck.errors import InputError
from litecheck.model.build import ModelBuilder, SubgraphBuilder
from litecheck.model.save import model_bytes
from litecheck.model.types import Model
from litecheck.rendering.conversion.wording import choices
from tests.conversion.calibration import networks
from tests.conversion.small_models import reals

WEIGHTS = reals(1, 64, 64).astype(np.float16)
INPUTS = reals(2, 32, 1, 64, reach=1.0)


def constant(graph: SubgraphBuilder, name: str, values: NDArray[Any], half: bool) -> int:
    """Add a constant as float32, or as float16 in front of a DEQUANTIZE."""
    if not half:
        return graph.constant(name, values.astype(np.float32))
    real = graph.tensor(f"{name} real", values.shape, "float32")
    graph.add("DEQUANTIZE", [graph.constant(name, values)], [real])
    return real


def layers(half: bool) -> Model:
    """Return two FULLY_CONNECTED with a RELU in between. The constants are float16, or float32 with the same values."""
    builder = ModelBuilder()
    graph = builder.subgraph()
    x = graph.tensor("x", (1, 64), "float32")
    weights = constant(graph, "weights", WEIGHTS, half)
    bias = constant(graph, "bias", WEIGHTS[0], half)
    y, z, end = (graph.tensor(name, (1, 64), "float32") for name in ("y", "z", "end"))
    graph.add("FULLY_CONNECTED", [x, weights, bias], [y])
    graph.add("RELU", [y], [z])
    graph.add("FULLY_CONNECTED", [z, weights, -1], [end])
    graph.inputs(x)
    graph.outputs(end)
    return builder.finish()


@pytest.mark.parametrize("to", ["int8", "int16x8", "dynamic"])
def test_a_float16_model_converts_as_its_float32_model(to: str) -> None:
    half, real = (convert_model(layers(one), to=to, data=INPUTS, device="litecheck") for one in (True, False))
    assert half.verdict == "conforms"
    assert (half.share, half.becomes, half.added_operators) == (
        real.share,
        real.becomes,
        real.added_operators,
    )
    assert half.agreement is not None
    assert real.agreement is not None
    assert half.agreement.outputs[0].snr == real.agreement.outputs[0].snr
    note = "2 float16 constants become float32 first, without DEQUANTIZE"
    assert note in choices(half)
    assert note not in choices(real)


def test_a_plan_repeats_the_conversion_of_a_float16_model(tmp_path: Path) -> None:
    first = convert_model(
        layers(True), data=INPUTS, device="litecheck", save_plan=str(tmp_path / "plan.json")
    )
    again = convert_model(layers(True), plan=str(tmp_path / "plan.json"), device="litecheck")
    assert model_bytes(again.conversion.model) == model_bytes(first.conversion.model)
    assert again.notes == first.notes


def test_a_conversion_to_float16_changes_nothing_in_a_float16_model() -> None:
    with pytest.raises(InputError, match="nothing to quantize"):
        convert_model(layers(True), to="float16")


def test_constants_that_are_outputs_or_that_others_read_stay_float16() -> None:
    model = layers(True)
    (graph,) = model.subgraphs
    bias = next(t.index for t in graph.tensors if t.name == "bias")
    shown = replace(model, subgraphs=(replace(graph, outputs=(*graph.outputs, bias)),))
    found, note = decode_float16(shown)
    assert [t.name for t in found.subgraphs[0].tensors if t.dtype == "float16"] == ["bias"]
    assert note == "1 float16 constant becomes float32 first, without DEQUANTIZE"


def test_signatures_and_other_decoders_stay() -> None:
    """Sparse constants and constants of int8 keep their operators."""
    model = networks.unpacking()
    found, note = decode_float16(model)
    assert found.signatures == model.signatures
    assert note.startswith("2 float16 constants become")
    kinds = [[op.opcode for op in s.operators] for s in found.subgraphs]
    assert kinds == [
        ["DEQUANTIZE", "DENSIFY", "DEQUANTIZE", "FULLY_CONNECTED", "FULLY_CONNECTED", "MUL"],
        ["DEQUANTIZE", "FULLY_CONNECTED", "MUL"],
    ]


def test_a_float32_model_stays_the_same_object() -> None:
    model = layers(False)
    assert decode_float16(model) == (model, "")
