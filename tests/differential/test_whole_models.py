"""The public models on the three resolvers: every operator with LiteRT's inputs, and end to end."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("ai_edge_litert", reason="needs ai-edge-litert")

from litecheck.errors import ModelError
from litecheck.model.load import load_model
from litecheck.model.save import model_bytes
from litecheck.model.types import Model
from litecheck.reference.engine.arithmetic import load_arithmetic
from tests.differential.layers import end_to_end, entries, known_fault, layers, random_inputs, without_kernel
from tests.differential.one_operator import changed
from tests.differential.oracle import RESOLVERS, Oracle, Refused

LIST = Path(__file__).resolve().parents[2] / "docs" / "models.md"
PUBLIC_MODELS = sorted(set(re.findall(r"[\w.-]+\.tflite", LIST.read_text("utf-8"))))

pytestmark = [pytest.mark.models, pytest.mark.runtime, pytest.mark.slow]


@pytest.fixture(scope="module")
def oracle() -> Iterator[Oracle]:
    with Oracle(300) as oracle:
        yield oracle


def parts(models: Path, name: str) -> list[Model]:
    """Return the entry points of a public model; skip the test without an operator that can be computed."""
    path = models / name
    if not path.exists():
        pytest.skip(f"{name} is not in the folder")
    try:
        found = [model for model in entries(load_model(path)) if model.subgraphs[0].operators]
    except ModelError as error:
        pytest.skip(f"{name} cannot be read: {error}")
    if not found:
        pytest.skip(f"{name} has only custom operators")
    return found


#: Models with wrong outputs of LiteRT: (resolvers, operator); the outputs are zeros.
FAULTY = {
    "static_w8_a16_quantized_attn_vec_einsum.tflite": (RESOLVERS, "BATCH_MATMUL"),
    "qwen_fc_blockwise_quantized.tflite": (("reference",), "FULLY_CONNECTED"),
}


@pytest.mark.parametrize("resolver", RESOLVERS)
@pytest.mark.parametrize("name", PUBLIC_MODELS)
def test_layer_by_layer_and_end_to_end(models: Path, oracle: Oracle, name: str, resolver: str) -> None:
    for model in parts(models, name):
        scores = layers(model, oracle, resolver)
        whole = end_to_end(model, oracle, resolver)
        assert not isinstance(scores, Refused), scores.message
        assert not isinstance(whole, Refused), whole.message
        resolvers, faulty = FAULTY.get(name, ((), ""))
        faulty = faulty if resolver in resolvers else ""
        judged = [score for opcode, score in scores.items() if opcode != faulty] + ([] if faulty else [whole])
        assert [text for score in judged for text in score.where] == []
        missing = sorted({text for score in (*scores.values(), whole) for text in score.missing})
        if missing:
            lost = without_kernel(model) or [opcode for opcode, score in scores.items() if score.missing]
            pytest.skip(f"no kernel for {', '.join(lost)}: {missing[0]}")
        assert all(score.compared for score in (*scores.values(), whole))
        if faulty:
            assert scores[faulty].different
            assert known_fault(model, faulty, resolver)
            given = random_inputs(model, 0)
            assert not any(array.any() for array in oracle.run(model_bytes(model), given, resolver))


def test_a_wrong_rounding_is_noticed(models: Path, oracle: Oracle) -> None:
    """A single rounding differs from LiteRT's reference, which rounds twice (negative control)."""
    (model,) = parts(models, "kws_ref_model.tflite")
    single = changed(load_arithmetic("litert-reference"), {"CONV_2D": {"requantize": "single"}})
    scores = layers(model, oracle, "reference", arithmetic=single)
    assert not isinstance(scores, Refused)
    assert scores["CONV_2D"].different > 0
    assert scores["DEPTHWISE_CONV_2D"].different == 0
