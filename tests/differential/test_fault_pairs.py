"""Known faults and their conditions: a model inside shows the fault, a model slightly outside equals the reference."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

pytest.importorskip("ai_edge_litert", reason="needs ai-edge-litert")
pytest.importorskip("tflite_micro", reason="needs tflite_micro")

from litecheck.model.save import model_bytes
from litecheck.model.types import Model
from litecheck.profile.known_faults import bind_operands, faults_of, known_faults
from litecheck.reference.engine.arithmetic import Arithmetic, load_arithmetic
from litecheck.reference.engine.interpreter import ReferenceInterpreter
from tests.differential.fault_pairs import FaultPair, Values, pairs, steep
from tests.differential.one_operator import changed
from tests.differential.operator_types.runtimes import Ran, Request, Runtimes

pytestmark = pytest.mark.slow
#: Faults without a pair, by a text of their description, and the test that covers them.
ELSEWHERE = {
    "quotients that are small": "depends on the values: test_a_micro_quotient_shifts_by_more_than_a_word_holds",
    "quotients of 2^31": "depends on the values: test_affine",
    "first inference": "several inferences: test_row_sums_of_the_first_weights_are_kept",
    "DENSIFY": "several operators: test_spread",
    "peephole weights by outputs": "several tensors: test_recurrent",
    "recurrent product of the output gate": "several tensors: test_recurrent",
    "cell gate": "several inferences: test_a_float_lstm_without_activation_takes_the_cell_gate_for_the_cell",
    "scratch buffer": "test_a_float_lstm_with_many_more_outputs_than_cells_ends_the_process",
    "int8 state": "differs from run to run: rules_cases_tflm",
    "fast suppression": "test_detection",
    "STABLEHLO_AND": "no condition: test_stablehlo",
}


@pytest.fixture(scope="module")
def runtimes() -> Iterator[Runtimes]:
    with Runtimes() as started:
        yield started


def reported(model: Model, pair: FaultPair) -> bool:
    main = model.subgraphs[0]
    return pair.fault() in faults_of(bind_operands(model, main, main.operators[0]))


def drawn(model: Model) -> Values:
    rng, main = np.random.default_rng(7), model.subgraphs[0]
    found = []
    for tensor in (main.tensors[i] for i in main.inputs):
        if tensor.dtype == "float32":
            found.append(rng.normal(0, 2, tensor.shape).astype(np.float32))
        else:
            info = np.iinfo(tensor.dtype)
            found.append(rng.integers(info.min, info.max, tensor.shape, tensor.dtype, endpoint=True))
    return found


def ran(runtimes: Runtimes, model: Model, inputs: Values, resolver: str) -> Ran:
    return runtimes.run([Request(model_bytes(model), tuple(inputs), (resolver,))])[0][resolver]


def equal(found: Ran, model: Model, inputs: Values, arithmetic: str | Arithmetic) -> bool:
    """Return True if a runtime equals the reference, except for the rounding of floats."""
    if found.stage != "runs":
        return False
    ours = ReferenceInterpreter(model, arithmetic).invoke(tuple(inputs)).outputs.values()
    for a, b in zip(ours, found.outputs, strict=True):
        if b is None or a.shape != b.shape:
            return False
        near = (
            {"rtol": 0.02, "atol": 0.02 * float(abs(a).max(initial=0))}
            if a.dtype.kind == "f"
            else {"rtol": 0, "atol": 0}
        )
        if not np.allclose(a, b, **near):
            return False
    return True


PAIRS = pairs()


@pytest.mark.parametrize("pair", PAIRS, ids=lambda pair: f"{pair.operator}-{pair.resolver}-{pair.does[:20]}")
def test_a_fault_shows_inside_its_condition_only(pair: FaultPair, runtimes: Runtimes) -> None:
    assert (reported(pair.bad, pair), reported(pair.good, pair)) == (True, False)
    fault = pair.fault()
    for resolver in fault.resolvers:
        arithmetic = pair.arithmetic or ("tflm" if resolver == "tflm" else f"litert-{resolver}")
        inputs = pair.inputs or drawn(pair.bad)
        found = ran(runtimes, pair.bad, inputs, resolver)
        assert not pair.shows or not equal(found, pair.bad, inputs, arithmetic), resolver
        inputs = pair.good_inputs or pair.inputs or drawn(pair.good)
        found = ran(runtimes, pair.good, inputs, resolver)
        assert equal(found, pair.good, inputs, arithmetic), (resolver, found.stage, found.message)


@pytest.mark.parametrize("resolver", ["reference", "optimized", "xnnpack", "tflm"])
@pytest.mark.parametrize(
    ("opcode", "scale"), [("CONV_2D", 5e-7), ("BATCH_MATMUL", 1.0), ("FULLY_CONNECTED", 5e-7)]
)
def test_sums_beyond_32_bits_wrap_around(
    opcode: str, scale: float, resolver: str, runtimes: Runtimes
) -> None:
    model = steep(opcode, scale)
    inputs, arithmetic = drawn(model), "tflm" if resolver == "tflm" else f"litert-{resolver}"
    found = ran(runtimes, model, inputs, resolver)
    exact = opcode != "FULLY_CONNECTED" or resolver == "tflm"
    assert equal(found, model, inputs, arithmetic) == exact  # otherwise a known fault
    saturated = changed(load_arithmetic(arithmetic), {opcode: {"requantize/int64_sums": "float64"}})
    assert not equal(found, model, inputs, saturated)


def test_every_fault_with_a_condition_has_a_pair() -> None:
    shown = {pair.fault().line for pair in PAIRS}
    faults = ((f.line, f"{f.operators} {f.description}") for f in known_faults())
    left = [
        text for line, text in faults if line not in shown and not any(word in text for word in ELSEWHERE)
    ]
    assert left == []
