"""A fixed slice of ``python -m tests.differential reduce``, negative controls, and known faults of LiteRT."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from litecheck.model.save import model_bytes
from litecheck.model.stored_values import stored_integers
from litecheck.reference.engine.arithmetic import load_arithmetic
from litecheck.reference.kernels.reduce import sum_
from litecheck.reference.runtime_tensors import Operand, OutputSpec
from tests.differential.one_operator import Score, changed, noticed, perturbed, score
from tests.differential.oracle import RESOLVERS, Oracle, Refused
from tests.differential.reduce import FAMILY, reduction
from tests.differential.sweep import sweep

pytestmark = [pytest.mark.runtime, pytest.mark.slow]


@pytest.fixture(scope="module")
def litert() -> Iterator[Oracle]:
    pytest.importorskip("ai_edge_litert", reason="needs ai-edge-litert")
    with Oracle() as started:
        yield started


@pytest.mark.parametrize("kind", FAMILY.kinds)
def test_random_configurations(litert: Oracle, kind: str) -> None:
    for resolver in RESOLVERS:
        if (kind, resolver) not in FAMILY.faulty:
            found = sweep(FAMILY, kind, resolver, litert, 10, 9)
            assert found.score.compared > 0, found.score.refused
            assert found.small == []


@pytest.mark.parametrize("resolver", RESOLVERS)
def test_a_shifted_zero_point_and_a_wrong_scale_are_noticed(litert: Oracle, resolver: str) -> None:
    shifted = scaled = 0
    for seed in range(20):
        case = reduction(np.random.default_rng([seed, 4]), "MEAN", "int8")
        shifted += noticed(case, perturbed(case, zero_point=1), litert, resolver)
        scaled += noticed(case, perturbed(case, scale=1.01), litert, resolver)
    assert shifted > 100
    assert scaled > 0


@pytest.mark.parametrize(
    ("opcode", "resolver", "wrong"),
    [
        ("MEAN", "reference", "xnnpack"), ("MEAN", "reference", "single"), ("MEAN", "optimized", "double"),
        ("MEAN", "xnnpack", "optimized"), ("SUM", "optimized", "xnnpack"), ("SUM", "xnnpack", "float32"),
    ],
)  # fmt: skip
def test_a_wrong_variant_is_noticed(litert: Oracle, opcode: str, resolver: str, wrong: str) -> None:
    other = changed(load_arithmetic(f"litert-{resolver}"), {opcode: {"requantize": wrong}})
    total = Score()
    for seed in range(40):
        total.add(
            score(reduction(np.random.default_rng([seed, 6]), opcode, "uint8"), litert, resolver, other)
        )
    assert total.different > 0


@pytest.mark.parametrize("dtype", ["int8", "int16"])
def test_the_reference_sum_takes_bytes_as_uint8(litert: Oracle, dtype: str) -> None:
    compared = 0
    for seed in range(20):
        case = reduction(np.random.default_rng([seed, 5]), "SUM", dtype)
        theirs = litert.run(model_bytes(case.model), case.inputs, "reference")
        assert not isinstance(theirs, Refused)
        graph, data = case.model.subgraphs[0], case.inputs[0]
        operator = graph.operators[0]
        given, axis, made = (graph.tensors[i] for i in (*operator.inputs, *operator.outputs))
        axes = stored_integers(axis)
        assert axes is not None
        read = np.frombuffer(data.tobytes(), np.uint8)[: data.size].reshape(data.shape)
        written = np.frombuffer(theirs[0].tobytes(), np.uint8)[: theirs[0].size]
        ours = sum_(
            Operand(read, "uint8", given.quantization), Operand(axes, "int32"), OutputSpec("uint8", (), made.quantization),
            operator.options, {"requantize": "double"},
        )  # fmt: skip
        assert np.array_equal(ours.astype(np.uint8).reshape(-1), written)
        compared += written.size
    assert compared > 1000
